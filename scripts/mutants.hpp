// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators that scripts/mutate.py inserts: the original code, unless the environment variable COPPICE_MUTANT has the
/// number of the mutation. Included before every source of its copy of the tree.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace coppice_mutants {

constexpr int max_count = 4096;
inline unsigned char reached[max_count];
inline int const active = [] {
    char const* const number = std::getenv("COPPICE_MUTANT");
    return number ? std::atoi(number) : -1;
}();

template <int Number>
constexpr bool is_on() {
    if (std::is_constant_evaluated()) return false;
    if (!reached[Number]) reached[Number] = 1;
    return active == Number;
}

/// `a < b` is written `a < less<N>{} < b`, which has the same precedence; the others likewise.
template <class A, class Kind>
struct left {
    A const& value;
};
#define COPPICE_MUTANT_OPERATOR(NAME, OPERATOR, OTHER)                                                                 \
    template <int Number>                                                                                              \
    struct NAME {};                                                                                                    \
    template <class A, int Number>                                                                                     \
    constexpr left<A, NAME<Number>> operator OPERATOR(A const& a, NAME<Number>) {                                      \
        return {a};                                                                                                    \
    }                                                                                                                  \
    template <class A, int Number, class B>                                                                            \
    constexpr auto operator OPERATOR(left<A, NAME<Number>> a, B const& b) {                                            \
        using result = std::remove_cvref_t<decltype(a.value OPERATOR b)>;                                              \
        return is_on<Number>() ? result(a.value OTHER b) : result(a.value OPERATOR b);                                 \
    }
COPPICE_MUTANT_OPERATOR(less, <, <=)
COPPICE_MUTANT_OPERATOR(not_greater, <=, <)
COPPICE_MUTANT_OPERATOR(greater, >, >=)
COPPICE_MUTANT_OPERATOR(not_less, >=, >)
COPPICE_MUTANT_OPERATOR(equal, ==, !=)
COPPICE_MUTANT_OPERATOR(unequal, !=, ==)
COPPICE_MUTANT_OPERATOR(add, +, -)
COPPICE_MUTANT_OPERATOR(subtract, -, +)
#undef COPPICE_MUTANT_OPERATOR

/// `a += b` is written `a += add_to<N>{} += b`.
template <class B, class Kind>
struct right {
    B const& value;
};
#define COPPICE_MUTANT_ASSIGNMENT(NAME, OPERATOR, OTHER)                                                               \
    template <int Number>                                                                                              \
    struct NAME {};                                                                                                    \
    template <int Number, class B>                                                                                     \
    constexpr right<B, NAME<Number>> operator OPERATOR(NAME<Number>, B const& b) {                                     \
        return {b};                                                                                                    \
    }                                                                                                                  \
    template <class A, int Number, class B>                                                                            \
    constexpr A& operator OPERATOR(A& a, right<B, NAME<Number>> b) {                                                   \
        if (is_on<Number>())                                                                                           \
            a OTHER b.value;                                                                                           \
        else                                                                                                           \
            a OPERATOR b.value;                                                                                        \
        return a;                                                                                                      \
    }
COPPICE_MUTANT_ASSIGNMENT(add_to, +=, -=)
COPPICE_MUTANT_ASSIGNMENT(subtract_from, -=, +=)
#undef COPPICE_MUTANT_ASSIGNMENT

/// 1, or 0 with the mutation: for `a[i + 1]`.
template <int Number>
constexpr int one() {
    return is_on<Number>() ? 0 : 1;
}
/// Whether a barrier is executed.
template <int Number>
bool passes() {
    return !is_on<Number>();
}

} // namespace coppice_mutants

namespace cm = coppice_mutants;
