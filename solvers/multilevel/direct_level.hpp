// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The coarsest level of a multilevel method, solved by its inverse.
#pragma once

#include <limits>
#include <vector>

#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>
#include <coppice/solvers/multilevel/dense_elimination.hpp>
#include <coppice/solvers/multilevel/dense_inverse.hpp>

namespace coppice::inline v0_1::multilevel_detail {

using detail::multiply_stored;
using detail::store_value;

template <class I>
struct write_dense_pattern {
    std::int64_t n;
    I *offsets, *indices;
    COPPICE_HD void operator()(std::int64_t k) const {
        indices[k] = I(k % n);
        if (k % n == 0) offsets[k / n] = I(k);
        if (k == n * n - 1) offsets[n] = I(n * n);
    }
};

/// A vector for testing an inverse.
template <class T>
struct trial_vector {
    COPPICE_HD T operator[](std::int64_t i) const { return T(1) + T(std::uint32_t(i) * 0x9e3779b1u >> 24) / T(256); }
};

template <class T, class I>
struct multiply_trial {
    COPPICE_HD T operator()(T const& v, I const& column) const { return v * trial_vector<T>{}[column]; }
};
/// 1 if an element differs from the trial vector, or is NaN.
template <class T>
struct misses_trial {
    T const* x;
    T tolerance;
    COPPICE_HD int operator()(std::int64_t i) const {
        return magnitude(x[i] - trial_vector<T>{}[i]) <= tolerance ? 0 : 1;
    }
};

/// The inverse of the coarsest level, stored as a CSR matrix with a full pattern.
template <executor Executor, class T, class I>
class direct_level {
public:
    /// max_chosen: rows that a device inverts in less time than the set-up or refresh of a further level takes.
    /// max_eliminated: the largest matrix that is inverted by elimination on the device.
    static constexpr std::int64_t max_chosen = 1024, max_eliminated = 2048;

    void fill(Executor const& exec, csr_view<T, I> a) {
        if (!eliminate(exec, a)) invert_on_host(exec, a);
    }
    /// Computes the inverse on the executor by elimination without pivoting; returns whether it is accurate. Returns
    /// false on the host, which uses dense_inverse().
    bool eliminate(Executor const& exec, csr_view<T, I> a) {
        std::int64_t const n = a.rows();
        if (std::is_same_v<Executor, host_executor> || n > max_eliminated) return false;
        take_pattern(exec, n);
        if (inverse_.size() != n * n) inverse_ = buffer<T>(exec, n * n);
        invert_by_elimination(exec, a, inverse_.data());
        buffer<T> y(exec, n), x(exec, n);
        reduce_rows(exec, make_srcsr_plan(exec, a), along_nonzeros{multiply_trial<T, I>{}, a.coefficients, a.indices},
                    add_plus<T>{}, store_value<T>{y.data()});
        solve(exec, y.data(), x.data());
        T const tolerance = T(std::is_same_v<T, float> ? 1e-2 : 1e-6);
        return reduce(exec, n, 0, misses_trial<T>{x.data(), tolerance}, maximum{}) == 0;
    }
    void solve(Executor const& exec, T const* b, T* x) const {
        reduce_rows(exec, plan_, along_nonzeros{multiply_stored<T, I, T>{b}, inverse_.data(), indices_.data()},
                    add_plus<T>{}, store_value<T>{x});
    }
    T const* inverse() const { return inverse_.data(); } ///< [rows, rows], until the next fill()
    csr_view<T, I> inverse_matrix(I n) const {
        return {n, n, I(n * n), offsets_.data(), indices_.data(), inverse_.data()};
    }

private:
    void take_pattern(Executor const& exec, std::int64_t n) {
        if (offsets_.size() == n + 1) return;
        offsets_ = buffer<I>(exec, n + 1);
        indices_ = buffer<I>(exec, n * n);
        for_each(exec, n * n, write_dense_pattern<I>{n, offsets_.data(), indices_.data()});
        plan_ = make_srcsr_plan(exec, array_view<I const>(offsets_.view()), n * n, {});
    }
    void invert_on_host(Executor const& exec, csr_view<T, I> a) {
        std::int64_t const n = a.rows();
        auto const offsets = to_vector(exec, a.row_offsets());
        auto const indices = to_vector(exec, a.column_indices());
        auto const values = to_vector(exec, a.values());
        std::vector<double> dense(static_cast<std::size_t>(n * n), 0);
        for (std::int64_t i = 0; i < n; ++i)
            for (I k = offsets[i]; k < offsets[i + 1]; ++k) dense[i * n + indices[k]] += double(values[k]);
        dense = dense_inverse(std::move(dense), n, double(std::numeric_limits<T>::epsilon()));
        inverse_ = copy_of(exec, std::vector<T>(dense.begin(), dense.end()));
        take_pattern(exec, n);
    }

    buffer<T> inverse_{};
    buffer<I> offsets_{}, indices_{};
    srcsr_plan<I> plan_{};
};

} // namespace coppice::inline v0_1::multilevel_detail
