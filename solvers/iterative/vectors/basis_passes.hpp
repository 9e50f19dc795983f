// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Passes over the columns of a Krylov basis, whose number is stored on the device.
#pragma once

#include <coppice/core/device_predicate.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass.hpp>

namespace coppice::inline v0_1::detail {

/// The first columns of a basis; consecutive columns are n elements apart.
template <class T>
struct basis_columns {
    T const* first;
    std::int64_t n;
    int const* count;   ///< number of columns minus one, in memory of the executor
    int const* enabled; ///< null, or the pass does nothing if it points to 0

    COPPICE_HD int columns() const { return is_enabled(enabled) ? *count + 1 : 0; }
    COPPICE_HD T const* column(int j) const { return first + j * n; }
};

/// Partial sums of up to `most` columns, `components` doubles each.
template <executor Executor>
struct basis_scratch;

template <>
struct basis_scratch<host_executor> {
    int max_columns;
    buffer<double> partial;
    basis_scratch(host_executor const& exec, std::int64_t n, int columns, int components = 1)
        : max_columns(columns), partial(exec, dot_blocks(n) * columns * components) {}
};
#if defined(COPPICE_HAS_CUDA)
template <>
struct basis_scratch<cuda_executor> {
    int max_columns;
    std::int64_t blocks;
    buffer<double> partial;
    basis_scratch(cuda_executor const& exec, std::int64_t n, int columns, int components = 1);
};
#endif

/// h[j] = v_j^H w for all columns.
template <class T>
void project(host_executor const& exec, basis_scratch<host_executor>& scratch, basis_columns<T> const& v, T const* w,
             dot_value<T>* h) {
    int const count = v.columns();
    auto* const partial = reinterpret_cast<dot_value<T>*>(scratch.partial.data());
    for_each_block(exec, v.n, dot_block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        for (int j = 0; j < count; ++j)
            partial[b * count + j] = dot_of_chunk(v.column(j) + first, w + first, last - first);
    });
    for (int j = 0; j < count; ++j) h[j] = dot_value<T>(0);
    for (std::int64_t b = 0; b < dot_blocks(v.n); ++b)
        for (int j = 0; j < count; ++j) h[j] += partial[b * count + j];
}

/// w = w - sum over j of h[j] v_j
template <class T>
struct subtract_columns {
    basis_columns<T> v;
    int count;
    dot_value<T> const* h;
    T* w;

    COPPICE_HD bool idle() const { return count == 0; }
    COPPICE_HD void operator()(std::int64_t i) const {
        T sum = w[i];
        COPPICE_UNROLL_FOUR
        for (int j = 0; j < count; ++j) sum -= T(h[j]) * v.column(j)[i];
        w[i] = sum;
    }
    /// Updates the elements [first, last) on one CPU core, four columns at a time.
    void range(std::int64_t first, std::int64_t last) const {
        int j = 0;
        for (; j + 4 <= count; j += 4) {
            T const a = T(h[j]), b = T(h[j + 1]), c = T(h[j + 2]), d = T(h[j + 3]);
            T const *p = v.column(j), *q = v.column(j + 1), *r = v.column(j + 2), *s = v.column(j + 3);
            for (std::int64_t i = first; i < last; ++i) w[i] = (((w[i] - a * p[i]) - b * q[i]) - c * r[i]) - d * s[i];
        }
        for (; j < count; ++j) {
            T const a = T(h[j]);
            T const* const p = v.column(j);
            for (std::int64_t i = first; i < last; ++i) w[i] -= a * p[i];
        }
    }
};

} // namespace coppice::inline v0_1::detail

#if defined(__CUDACC__)
#include <coppice/solvers/iterative/vectors/basis_passes_cuda.cuh>
#endif
