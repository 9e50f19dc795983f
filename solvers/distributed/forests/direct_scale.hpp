// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Diagonals that scale the factors of a direct splitting, in the order of the positions of a factor.
#pragma once

#include <cstdint>

#include <coppice/solvers/distributed/forests/rank_diagonal.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>

namespace coppice::inline v0_1::distributed {

/// a_ii and 1 / diagp_1(A) of a row.
template <class T>
struct direct_scale {
    T diagonal, inverse;
};
template <class T>
struct make_direct_scale {
    detail::diagonal_sums<T> const* sums;
    T const* inverse;
    direct_scale<T>* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = {sums[i].diagonal, inverse[i]}; }
};
template <class T>
struct split_direct_scale {
    direct_scale<T> const* from;
    T *diagonal, *inverse;
    COPPICE_HD void operator()(std::int64_t p) const {
        diagonal[p] = from[p].diagonal;
        inverse[p] = from[p].inverse;
    }
};

/// The diagonals at some positions.
template <class T>
struct ordered_scales {
    buffer<T> diagonal{}, inverse{};
    detail::direct_factor<T> factor(int factors, int l) const { return {diagonal.data(), inverse.data(), factors, l}; }
};

/// The diagonals of the rows of a rank.
template <executor Executor, class T>
class direct_scales {
public:
    direct_scales(Executor const& exec, rank_communicator const& comm, rank_diagonal<Executor, T> const& of)
        : comm_(comm), scales_(exec, of.sums.size()) {
        for_each(exec, scales_.size(), make_direct_scale<T>{of.sums.data(), of.inverse.data(), scales_.data()});
    }
    /// Those of the vertices of a plan. Collective.
    ordered_scales<T> fetch(Executor const& exec, order_plan<Executor> const& plan) const {
        std::int64_t const n = plan.source.size();
        buffer<direct_scale<T>> in_order(exec, n);
        elements_in_order<Executor, direct_scale<T>>(exec, comm_, plan).fetch(exec, scales_.data(), in_order.data());
        ordered_scales<T> split{buffer<T>(exec, n), buffer<T>(exec, n)};
        for_each(exec, n, split_direct_scale<T>{in_order.data(), split.diagonal.data(), split.inverse.data()});
        return split;
    }

private:
    rank_communicator comm_;
    buffer<direct_scale<T>> scales_;
};

} // namespace coppice::inline v0_1::distributed
