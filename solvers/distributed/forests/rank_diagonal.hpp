// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sums of the rows of a rank, and the weights of the forests of a splitting over ranks (normalised_weights.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/solvers/distributed/forests/forest_rows.hpp>
#include <coppice/solvers/distributed/forests/forest_weights.hpp>
#include <coppice/solvers/precondition/splitting/forest_systems.hpp>
#include <coppice/solvers/precondition/splitting/normalised_weights.hpp>

namespace coppice::inline v0_1::distributed {

template <class T>
struct store_diagonal_sums {
    detail::diagonal_sums<T>* sums;
    COPPICE_HD void operator()(std::int64_t row, detail::diagonal_sums<T> const& sum) const { sums[row] = sum; }
};
template <class T>
struct add_coupling_sums {
    couplings_view<T> couplings;
    detail::diagonal_sums<T>* sums;
    COPPICE_HD void operator()(std::int64_t r) const {
        T& sum = sums[couplings.of[r]].off_diagonal;
        for (std::int32_t k = couplings.offsets[r]; k < couplings.offsets[r + 1]; ++k)
            sum = sum + detail::magnitude(couplings.values[k]);
    }
};
template <class T>
struct store_inverse_of_sums {
    detail::diagonal_sums<T> const* sums;
    detail::store_inverse<T> store;
    COPPICE_HD void operator()(std::int64_t row) const { store(row, sums[row]); }
};

/// a_ii and the sum of the other |a_ij| of each row of a rank, entries in columns of other ranks included, and
/// 1 / diagp_1(A) (Eq. 40). The latter are added to the sum of the own block, so that it has the rounding errors of
/// another order than on one rank.
template <executor Executor, class T>
struct rank_diagonal {
    buffer<detail::diagonal_sums<T>> sums{};
    buffer<T> inverse{};

    void read(Executor const& exec, distributed_csr<Executor, T> const& a,
              placed_couplings<Executor, T> const& couplings) {
        auto const own = a.own_block().view();
        std::int64_t const n = own.rows();
        if (sums.size() != n) {
            sums = buffer<detail::diagonal_sums<T>>(exec, n);
            inverse = buffer<T>(exec, n);
        }
        reduce_rows(exec, make_srcsr_plan(exec, own),
                    along_nonzeros{detail::diagonal_sums_of<T, std::int32_t>{}, own.coefficients, own.indices},
                    detail::add_diagonal_sums<T>{}, store_diagonal_sums<T>{sums.data()});
        for_each(exec, couplings.rows(), add_coupling_sums<T>{couplings.view(), sums.data()});
        buffer<std::uint8_t> regularised(exec, n);
        for_each(exec, n,
                 store_inverse_of_sums<T>{
                     sums.data(), {diagonal_kind::diagp_1, false, inverse.data(), regularised.data(), nullptr}});
    }
};

/// forest_systems::regularise() for the row of a vertex of this rank. Returns 1 if it changes.
template <class T>
struct strengthen_weak_row {
    detail::diagonal_sums<T> const* sums;
    graph_detail::forest_row<T>* rows;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        graph_detail::forest_row<T>& row = rows[i];
        T const sum = detail::magnitude(sums[i].diagonal) + sums[i].off_diagonal;
        if (!detail::is_weak_row(row.lower, row.diagonal, row.upper, sum)) return 0;
        row.diagonal = row.diagonal < T(0) ? -sum : sum;
        return 1;
    }
};

/// Replaces the diagonal entries of weak rows of a factor; returns their number on all ranks. Collective.
template <executor Executor, class T>
std::int64_t strengthen_weak_rows(Executor const& exec, rank_communicator const& comm,
                                  rank_diagonal<Executor, T> const& diagonal,
                                  buffer<graph_detail::forest_row<T>>& rows) {
    std::int64_t const weak =
        reduce(exec, rows.size(), std::int64_t(0), strengthen_weak_row<T>{diagonal.sums.data(), rows.data()}, plus{});
    return comm.all_reduce(weak, plus{});
}

/// |D^-1 A| of the rows of a rank, rounded to 16 bits (Eq. 70).
template <executor Executor, class T>
struct normalised_rows {
    buffer<T> own{}; ///< of the nonzeros of the own block
    typename distributed_csr<Executor, T>::entries_of_others couplings{};

    normalised_rows(Executor const& exec, distributed_csr<Executor, T> const& a,
                    rank_diagonal<Executor, T> const& diagonal)
        : own(exec, a.own_block().nonzeros()), couplings(a.couplings()) {
        auto const block = a.own_block().view();
        reduce_rows(exec, make_srcsr_plan(exec, block),
                    detail::normalise_nonzero<T, std::int32_t>{block, diagonal.inverse.data(), own.data()},
                    graph_detail::ignore_products{}, graph_detail::ignore_rows{});
        auto const rows = exec.copy(couplings.rows);
        buffer<T> gathered(exec, rows.size());
        for_each(exec, rows.size(),
                 detail::gather_at<T, std::int32_t>{diagonal.inverse.data(), rows.data(), gathered.data()});
        auto const inverse = to_vector(exec, gathered);
        for (std::size_t r = 0; r < couplings.rows.size(); ++r)
            for (auto k = std::size_t(couplings.offsets[r]); k < std::size_t(couplings.offsets[r + 1]); ++k)
                couplings.values[k] = detail::to_16_bits(detail::magnitude(couplings.values[k] * inverse[r]));
    }
    csr_view<T> view(distributed_csr<Executor, T> const& a) const {
        csr_view<T> weights = a.own_block().view();
        weights.coefficients = own.data();
        return weights;
    }
};

} // namespace coppice::inline v0_1::distributed
