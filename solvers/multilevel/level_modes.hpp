// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Near-null-space vectors of the levels of a multilevel method.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/operations.hpp>
#include <coppice/graph/forest/contract.hpp>
#include <coppice/solvers/iterative/vectors/first_not_finite.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>

namespace coppice::inline v0_1 {

namespace multilevel_detail {

/// The vectors of a level; none means the constants of each of the `block` components.
template <class T>
struct level_modes {
    int block = 1;
    int count = 0;
    buffer<T> vectors{}; ///< [n count]

    explicit operator bool() const { return count > 0; }
};

template <class T>
struct store_constant {
    std::int64_t n;
    int block;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = k % n % block == k / n ? T(1) : T(0); }
};
/// [n block] the constants of each component, one vector after the other.
template <class T, executor Executor>
buffer<T> constants_of_components(Executor const& exec, int block, std::int64_t n) {
    buffer<T> vectors(exec, n * block);
    for_each(exec, vectors.size(), store_constant<T>{n, block, vectors.data()});
    return vectors;
}

/// Throws matrix_error if an element of near-null-space vectors is not finite.
template <executor Executor, class E>
void require_finite_vectors(Executor const& exec, near_null_space<E> const& given) {
    if (given.count == 0) return;
    auto const fault = detail::first_not_finite(exec, given.vectors, "the near-null-space vectors");
    if (!fault.empty()) throw matrix_error(fault);
}

/// Throws argument_error or dimension_error if vectors of a matrix with `n` rows are too many or not of its size.
/// `point`: what the message calls a point.
template <class T>
void require_sizes_of(near_null_space<T> const& given, std::int64_t n, int max_count, char const* point) {
    if (given.block < 0 || given.block > max_count || given.count < 0 || given.count > max_count)
        throw argument_error(std::string(point) + " has 1 to " + std::to_string(max_count) +
                             " unknowns and as many vectors at most, got " + std::to_string(given.block) + " and " +
                             std::to_string(given.count));
    if (given.block > 0 && n % given.block != 0)
        throw dimension_error("matrix of " + std::to_string(n) + " rows with " + std::to_string(given.block) +
                              " unknowns at each point");
    require_size("vectors of a near null space", given.vectors, n * given.count);
}

/// The vectors on the first level; block 0 remains without vectors. Throws argument_error or dimension_error for
/// invalid sizes, matrix_error for elements that are not finite.
template <executor Executor, class T>
level_modes<T> first_modes(Executor const& exec, near_null_space<T> const& given, std::int64_t n) {
    require_sizes_of(given, n, 32, "a point");
    require_finite_vectors(exec, given);
    level_modes<T> modes{given.block, given.count, {}};
    if (given.count == 0) return modes;
    modes.block = std::max(given.block, 1);
    modes.vectors = copy_of(exec, given.vectors);
    return modes;
}

template <class I>
struct divide_by {
    I divisor;
    I* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = I(i / divisor); }
};

template <class T>
struct store_magnitude {
    T const* values;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = magnitude(values[k]); }
};
/// Gives the entries the signs of an M-matrix.
template <class T, class I>
struct give_sign {
    I const* columns;
    T* values;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        if (std::int64_t(columns[k]) != row) values[k] = -values[k];
        return 0;
    }
};

/// The matrix between points: sums of magnitudes of the blocks, with a minus sign outside of the diagonal.
template <executor Executor, class T, class I>
csr<T, I> matrix_of_points(Executor const& exec, csr_view<T, I> a, int block) {
    std::int64_t const n = a.rows();
    vertex_aggregates<I> points{a.rows(), static_cast<I>(n / block), buffer<I>(exec, n)};
    for_each(exec, n, divide_by<I>{static_cast<I>(block), points.of.data()});
    buffer<T> sizes(exec, a.nonzeros());
    for_each(exec, sizes.size(), store_magnitude<T>{a.coefficients, sizes.data()});
    a.coefficients = sizes.data();
    auto between = contract(exec, a, points);
    auto const made = between.view();
    reduce_rows(exec, make_srcsr_plan(exec, made), give_sign<T, I>{made.indices, between.values().data()},
                graph_detail::ignore_products{}, graph_detail::ignore_rows{});
    return between;
}

/// Converts aggregates of points to aggregates of their unknowns.
template <class I>
struct aggregate_of_unknown {
    I block;
    I const* of_points;
    I* of;
    COPPICE_HD void operator()(std::int64_t v) const { of[v] = of_points[v / block]; }
};
/// Converts aggregates of points to aggregates of the unknowns of one component, and runs likewise.
template <class I>
struct aggregate_of_component {
    I block;
    I const *of_points, *runs_of_points;
    I *of, *runs;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const of_point = of_points[v / block];
        of[v] = of_point < 0 ? I(-1) : of_point * block + I(v % block);
        runs[v] = runs_of_points[v / block];
    }
};

/// Makes the columns of an aggregate orthonormal by the Gram-Schmidt process, applied twice; its coefficients are the
/// vectors of the next level. A column that depends on previous ones becomes zero, and so does its coarse unknown.
template <class T, class I>
struct orthonormalise {
    I count;
    std::int64_t coarse;                    ///< unknowns of the next level
    I const *member_offsets, *member_lists; ///< unknowns of each aggregate
    I const* offsets;                       ///< of P_0
    T* values;
    T* next; ///< [coarse count]
    COPPICE_HD void operator()(std::int64_t g) const {
        constexpr double dependent = 1e-4; // relative to the norm before orthogonalisation
        for (I c = 0; c < count; ++c) {
            for (I d = 0; d < count; ++d) next[c * coarse + g * count + d] = T(0);
            double const before = ::sqrt(dot(g, c, c));
            for (int pass = 0; pass < 2; ++pass)
                for (I d = 0; d < c; ++d) {
                    T const projection = T(dot(g, d, c));
                    for (I m = member_offsets[g]; m < member_offsets[g + 1]; ++m) at(m, c) -= projection * at(m, d);
                    next[c * coarse + g * count + d] += projection;
                }
            double const left = ::sqrt(dot(g, c, c));
            bool const counts = left > dependent * before;
            T const scale = counts ? T(1 / left) : T(0);
            for (I m = member_offsets[g]; m < member_offsets[g + 1]; ++m) at(m, c) *= scale;
            next[c * coarse + g * count + c] = counts ? T(left) : T(0);
        }
    }

private:
    COPPICE_HD T& at(I m, I c) const { return values[offsets[member_lists[m]] + c]; }
    COPPICE_HD double dot(std::int64_t g, I c, I d) const {
        double sum = 0;
        for (I m = member_offsets[g]; m < member_offsets[g + 1]; ++m) sum += double(at(m, c)) * double(at(m, d));
        return sum;
    }
};

/// Rows of P_0: `count` columns for each aggregate.
template <class T, class I>
struct store_tentative_row {
    I const *of, *members_before;
    T const* vectors;
    std::int64_t n, count, members;
    I *offsets, *indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const start = I(count) * members_before[v];
        offsets[v] = start;
        if (v == n - 1) offsets[n] = static_cast<I>(count * members);
        if (of[v] < 0) return;
        for (I c = 0; c < I(count); ++c) {
            indices[start + c] = of[v] * I(count) + c;
            values[start + c] = vectors[c * n + v];
        }
    }
};
/// P_0[n, count aggregates] with orthonormal columns whose range contains the vectors, and the vectors of the next
/// level.
template <executor Executor, class T, class I>
std::pair<csr<T, I>, level_modes<T>> tentative_of_modes(Executor const& exec, vertex_aggregates<I> const& aggregates,
                                                        level_modes<T> const& modes) {
    std::int64_t const n = aggregates.vertices, count = modes.count, coarse = count * aggregates.count;
    I const* const of = aggregates.of.data();
    buffer<I> before(exec, n), offsets(exec, n + 1);
    std::int64_t const members = exclusive_scan(exec, n, graph_detail::has_aggregate<I>{of},
                                                detail::store_offset<I>{before.data()}, std::int64_t{0});
    if (members * count > std::numeric_limits<I>::max())
        throw overflow_error("the prolongator of a multilevel method outgrows its indices");
    buffer<I> indices(exec, members * count);
    buffer<T> values(exec, members * count);
    for_each(exec, n,
             store_tentative_row<T, I>{of, before.data(), modes.vectors.data(), n, count, members, offsets.data(),
                                       indices.data(), values.data()});
    auto const members_of = membership_matrix<T>(exec, aggregates);
    auto const lists = transpose(exec, members_of.view());
    level_modes<T> next{modes.count, modes.count, buffer<T>(exec, coarse * count)};
    for_each(exec, std::int64_t(aggregates.count),
             orthonormalise<T, I>{I(count), coarse, lists.view().offsets, lists.view().indices, offsets.data(),
                                  values.data(), next.vectors.data()});
    csr<T, I> tentative{aggregates.vertices, static_cast<I>(coarse), std::move(offsets), std::move(indices),
                        std::move(values)};
    return {std::move(tentative), std::move(next)};
}

} // namespace multilevel_detail
} // namespace coppice::inline v0_1
