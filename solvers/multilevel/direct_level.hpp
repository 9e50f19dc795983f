// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The last level of a multilevel method, solved by its inverse.
#pragma once

#include <limits>
#include <vector>

#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/multilevel/dense_elimination.hpp>
#include <coppice/solvers/multilevel/dense_inverse.hpp>

namespace coppice::multilevel_detail {

using detail::multiply_stored;

template <class T>
struct store_vector {
    T* x;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { x[row] = sum; }
};
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

/// A vector to try an inverse on: without it a wrong one might go unseen.
template <class T>
struct trial_vector {
    COPPICE_HD T operator[](std::int64_t i) const { return T(1) + T(std::uint32_t(i) * 0x9e3779b1u >> 24) / T(256); }
};
/// Products of a matrix with a trial vector.
template <class T, class I>
struct multiply_trial {
    COPPICE_HD T operator()(T const& value, I const& column) const { return value * trial_vector<T>{}[column]; }
};
/// 1 where the trial vector is not found again.
template <class T>
struct misses_trial {
    T const* x;
    T tolerance;
    COPPICE_HD int operator()(std::int64_t i) const {
        return magnitude(x[i] - trial_vector<T>{}[i]) <= tolerance ? 0 : 1; // 1 for NaN
    }
};

/// The inverse of the last level, as a matrix without zeros.
template <executor Executor, class T, class I>
class direct_level {
public:
    /// Rows that a device inverts in less time than a further level takes to set up, and new values of them as well;
    /// and those that it still inverts by elimination.
    static constexpr std::int64_t most_chosen = 1024, most_eliminated = 2048;

    void fill(Executor const& exec, csr_view<T, I> a) {
        if (!eliminate(exec, a)) invert_on_host(exec, a);
    }
    /// Whether the inverse was found where the matrix is, by elimination without pivoting: never on the host, which
    /// has dense_inverse().
    bool eliminate(Executor const& exec, csr_view<T, I> a) {
        std::int64_t const n = a.rows();
        if (std::is_same_v<Executor, host_executor> || n > most_eliminated) return false;
        take_pattern(exec, n);
        if (inverse_.size() != n * n) inverse_ = buffer<T>(exec, n * n);
        invert_by_elimination(exec, a, inverse_.data());
        buffer<T> y(exec, n), x(exec, n);
        reduce_rows(exec, make_srcsr_plan(exec, a), along_nonzeros{multiply_trial<T, I>{}, a.coefficients, a.indices},
                    add_plus<T>{}, store_vector<T>{y.data()});
        solve(exec, y.data(), x.data());
        T const tolerance = T(std::is_same_v<T, float> ? 1e-2 : 1e-6);
        return reduce(exec, n, 0, misses_trial<T>{x.data(), tolerance}, maximum{}) == 0;
    }
    void solve(Executor const& exec, T const* b, T* x) const {
        reduce_rows(exec, plan_, along_nonzeros{multiply_stored<T, I, T>{b}, inverse_.data(), indices_.data()},
                    add_plus<T>{}, store_vector<T>{x});
    }
    T const* inverse() const { return inverse_.data(); } ///< [rows, rows], until the next fill()

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

} // namespace coppice::multilevel_detail
