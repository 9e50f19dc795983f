// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A number type that counts the operations on it.
#pragma once

#include <cmath>

namespace coppice::test {

struct counted {
    double value = 0;
    inline static long operations = 0, divisions = 0;

    counted() = default;
    explicit counted(double v) : value(v) {}
    static counted made(double v, bool division = false) {
        ++operations;
        divisions += division ? 1 : 0;
        return counted(v);
    }
    friend counted operator+(counted a, counted b) { return made(a.value + b.value); }
    friend counted operator-(counted a, counted b) { return made(a.value - b.value); }
    friend counted operator*(counted a, counted b) { return made(a.value * b.value); }
    friend counted operator/(counted a, counted b) { return made(a.value / b.value, true); }
    friend counted sqrt(counted a) { return made(std::sqrt(a.value)); }
    friend counted operator-(counted a) { return counted(-a.value); } // a change of sign costs nothing
    friend bool operator<(counted a, counted b) { return a.value < b.value; }
};

} // namespace coppice::test
