// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Symmetry of a distributed matrix: the own block of each rank, and the couplings between ranks.
#pragma once

#include <cstdint>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/solvers/distributed/levels/coupled_level.hpp>
#include <coppice/solvers/distributed/levels/pushed_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// Whether an entry of a listed row of K and its mirror image differ by more than rounding errors of an assembly, as
/// measured by asymmetry_of().
template <class T>
struct has_unequal_mirror {
    csr_view<T> k; ///< columns: positions in the halo
    std::int32_t const* rows;
    T const *mirror, *largest, *largest_of_halo; ///< of the entries; largest magnitude of each row
    COPPICE_HD std::int64_t operator()(std::int64_t r) const {
        for (std::int32_t e = k.offsets[r]; e < k.offsets[r + 1]; ++e) {
            double const difference = double(detail::magnitude(k.coefficients[e] - mirror[e]));
            double const here = double(largest[rows[r]]), there = double(largest_of_halo[k.indices[e]]);
            if (!(difference <= symmetry_tolerance<T> * (here < there ? here : there))) return 1;
        }
        return 0;
    }
};
/// Raises the largest magnitude of the listed rows to those of their entries.
template <class T>
struct include_row {
    csr_view<T> k;
    std::int32_t const* rows;
    T* largest;
    COPPICE_HD void operator()(std::int64_t r) const {
        for (std::int32_t e = k.offsets[r]; e < k.offsets[r + 1]; ++e) {
            T const size = detail::magnitude(k.coefficients[e]);
            if (size > largest[rows[r]]) largest[rows[r]] = size;
        }
    }
};
template <class T>
struct largest_magnitude {
    csr_view<T> a;
    T* largest;
    COPPICE_HD void operator()(std::int64_t i) const {
        T found(0);
        for (std::int32_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
            T const size = detail::magnitude(a.coefficients[e]);
            found = size > found ? size : found;
        }
        largest[i] = found;
    }
};

/// Whether the couplings `k` of this rank, on the pattern of the level, have mirror images in the rows of other ranks
/// that are equal up to rounding. `a`: the own block. Collective.
template <executor Executor, class T>
bool is_symmetric(Executor const& exec, rank_communicator const& comm, coupled_level<Executor, T>& level, csr_view<T> a,
                  hypersparse_rows<T> const& k) {
    auto const mirror = mirrored(exec, comm, k, level.begin);
    csr_view<T> entries = level.rows_of_k();
    entries.coefficients = k.entries().view().coefficients;
    std::int32_t const* const rows = k.list().data();
    buffer<T> largest(exec, level.size);
    for_each(exec, level.size, largest_magnitude<T>{a, largest.data()});
    for_each(exec, k.list().size(), include_row<T>{entries, rows, largest.data()});
    level.outer.start(exec, largest.data());
    level.outer.finish(exec);
    if (!symmetry_of(exec, k, mirror).pattern) return false;
    has_unequal_mirror<T> const unequal{entries, rows, mirror.entries().view().coefficients, largest.data(),
                                        level.outer.values()};
    return reduce(exec, k.list().size(), std::int64_t(0), unequal, plus{}) == 0;
}

} // namespace coppice::inline v0_1::distributed
