// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Copies between interleaved vectors of systems, row i of system k at i systems + k, and separate ones, at k rows + i.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::rpts {

/// One of the two copies. Each item copies `together` rows of a system, and neighbouring items have neighbouring
/// systems: both vectors are accessed in whole sectors of memory.
template <class T, bool Separates>
struct copy_rows {
    static constexpr std::int64_t together = 8;

    T const* from;
    T* to;
    std::int64_t rows, systems;

    std::int64_t items() const { return (rows + together - 1) / together * systems; }
    COPPICE_HD void operator()(std::int64_t item) const {
        std::int64_t const system = item % systems, first = item / systems * together;
        std::int64_t const last = first + together < rows ? first + together : rows;
        for (std::int64_t i = first; i < last; ++i) {
            std::int64_t const interleaved = i * systems + system, separate = system * rows + i;
            to[Separates ? separate : interleaved] = from[Separates ? interleaved : separate];
        }
    }
};

} // namespace coppice::inline v0_1::rpts
