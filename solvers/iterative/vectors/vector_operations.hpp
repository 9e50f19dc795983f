// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vector operations of Krylov methods: element-wise updates, and several dot products in one pass.
///
/// Updates are named function objects for for_each. If a method needs dot products of updated vectors, one pass
/// computes both: each vector is read from memory once, and on CUDA the host waits once for all sums.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/iterative/vectors/dot_pairs.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations_host.hpp>
#if defined(__CUDACC__)
#include <coppice/solvers/iterative/vectors/vector_operations_cuda.cuh>
#endif

namespace coppice::inline v0_1 {

/// Memory for the partial sums over vectors of n elements; allocated once per solver.
struct dot_scratch {
    std::int64_t size = 0;
    buffer<double> partial{};

    dot_scratch() = default;
    template <executor Executor>
    dot_scratch(Executor const& exec, std::int64_t n)
        : size(n), partial(exec, (detail::dot_blocks(n) + 1) * detail::max_dots) {}
};

/// Calls update(i) for all i, then computes the dot products of the pairs, in one pass. update(i) writes elements i
/// only.
///
/// Vectors have scratch.size elements. Sums are double or complex double, because squares of floats may overflow float;
/// they are the same on every run and for any number of threads. Allocates nothing; waits for the sums.
template <executor Executor, class Update, class T, class... More>
std::array<dot_value<T>, 1 + sizeof...(More)> update_and_dot(Executor const& exec, dot_scratch& scratch,
                                                             Update const& update, dot_pair<T> first, More... more) {
    static_assert((1 + sizeof...(More)) * detail::dot_components<T> <= detail::max_dots);
    std::array<dot_value<T>, 1 + sizeof...(More)> sums;
    detail::dot_pairs<T> const pairs{{first, more...}, int(sums.size())};
    detail::update_and_dot(exec, scratch.partial.view(), scratch.size, update, pairs, sums.data());
    if constexpr (requires { exec.sum_over_ranks(sums.data(), int(sums.size())); })
        exec.sum_over_ranks(sums.data(), int(sums.size())); // if vectors are distributed over ranks
    return sums;
}

/// For dot products without an update.
struct no_update {
    COPPICE_HD void operator()(std::int64_t) const {}
};

/// Computes the dot products of the pairs in one pass; see update_and_dot().
template <executor Executor, class T, class... More>
std::array<dot_value<T>, 1 + sizeof...(More)> dots(Executor const& exec, dot_scratch& scratch, dot_pair<T> first,
                                                   More... more) {
    return update_and_dot(exec, scratch, no_update{}, first, more...);
}

// Updates, named by the operation. Each reads element i of its operands before it writes element i.

/// y = x
template <class T>
struct copy_vector {
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] = x[i]; }
};

/// y = x + beta y
template <class T>
struct xpby {
    T const* x;
    T beta;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] = x[i] + beta * y[i]; }
};

/// y = y + alpha x
template <class T>
struct axpy {
    T alpha;
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] += alpha * x[i]; }
};

/// y = alpha x
template <class T>
struct scaled_copy {
    T alpha;
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] = alpha * x[i]; }
};

/// r = scale b - r, with r = A x on entry
template <class T>
struct residual_update {
    T const* b;
    detail::real_of_t<T> scale;
    T* r;
    COPPICE_HD void operator()(std::int64_t i) const { r[i] = scale * b[i] - r[i]; }
};

/// w = w + sum over j of coefficient[j] v_j, for a few columns of a basis
template <class T>
struct add_columns {
    static constexpr int max_terms = 8;
    T const* basis;
    std::int64_t stride;
    int count;
    T coefficient[max_terms];
    T* w;
    COPPICE_HD void operator()(std::int64_t i) const {
        T sum = w[i];
        for (int j = 0; j < count; ++j) sum += coefficient[j] * basis[j * stride + i];
        w[i] = sum;
    }
};

} // namespace coppice::inline v0_1
