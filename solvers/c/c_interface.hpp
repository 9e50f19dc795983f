// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Common implementation of the direct solvers of the C interfaces: checks memory, and defines every operation once for
/// all backends. c_functions.inc defines the functions with it.
#pragma once

#include <coppice/c_types.h>

#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <string>

#include <coppice/solvers/c/c_arguments.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>

namespace coppice::inline v0_1::c_interface {

/// The C++ type of an element; each C interface defines it for its complex types, which have the same layout.
template <class T>
struct element_of {
    using type = T;
};
template <class T>
using element = typename element_of<T>::type;
template <class T>
element<T> const* in(T const* p) {
    return reinterpret_cast<element<T> const*>(p);
}
template <class T>
element<T>* out(T* p) {
    return reinterpret_cast<element<T>*>(p);
}

/// The arrays a, b and c of a matrix; a banded matrix is in `diagonal` alone.
template <class T>
struct matrix_arrays {
    T const *lower = nullptr, *diagonal = nullptr, *upper = nullptr;
    char const* diagonal_name = "b";

    /// Checks the arrays and returns their ranges and that of the offsets of a batch.
    std::array<memory_range, 4> ranges(shape const& s) const {
        std::int64_t const band = s.banded() ? 0 : s.size() * s.block;
        std::int64_t const middle = s.banded() ? s.rows * (s.lower_bands + s.upper_bands + 1) : band;
        return {elements("a", lower, band), elements(diagonal_name, diagonal, middle), elements("c", upper, band),
                elements("A->offsets", s.offsets, s.offsets ? s.systems + 1 : 0)};
    }
};
template <class T>
matrix_arrays<T> banded_array(T const* bands, char const* name) {
    return {nullptr, bands, nullptr, name};
}

template <class T>
band_matrix<element<T>> matrix_of(shape const& s, matrix_arrays<T> const& m) {
    using matrix = band_matrix<element<T>>;
    if (s.banded()) return banded_view<element<T>>{s.rows, s.lower_bands, s.upper_bands, in(m.diagonal)};
    matrix const all = block_tridiagonal_view<element<T>>{s.rows, s.block, in(m.lower), in(m.diagonal), in(m.upper)};
    if (s.offsets) return matrix::batch(all, array_view<std::int64_t const>(s.offsets, s.systems + 1), s.largest);
    if (s.systems == 1) return all;
    return s.interleaved ? matrix::interleaved_batch(all, s.systems) : matrix::batch(all, s.systems);
}
/// The matrix without its arrays, for functions that return sizes.
template <class T>
band_matrix<element<T>> sized(shape const& s) {
    return matrix_of(s, matrix_arrays<T>{});
}

template <class T>
columns_view<element<T>> solution_of(shape const& s, dense_rhs<T> const& rhs) {
    return {out(rhs.x), s.size(), rhs.count, rhs.x_leading};
}
template <class T>
columns_view<element<T> const> right_of(shape const& s, dense_rhs<T> const& rhs) {
    return {in(rhs.d), s.size(), rhs.count, rhs.d_leading};
}

/// Output argument of functions that return a size.
struct size_argument {
    std::size_t* bytes;
    char const* name = "buffer_size_in_bytes";

    void check() const { require_pointer(name, bytes); }
    void give(std::int64_t needed) const { *bytes = std::size_t(needed); }
};
inline size_argument factor_size(std::size_t* bytes) { return {bytes, "factorization_buffer_size_in_bytes"}; }

/// Throws if the written range `one` overlaps any of the other ranges or arrays of ranges.
template <std::size_t N>
void require_no_overlap(memory_range const& one, std::array<memory_range, N> const& others) {
    for (memory_range const& other : others) require_no_overlap(one, other);
}
template <class... Others>
void require_no_overlaps(memory_range const& one, Others const&... others) {
    (require_no_overlap(one, others), ...);
}

// A Backend runs a call: backend.with(work) calls work(executor). T is a type of the C interface.

template <class T, class Backend>
void size_solve(Backend const& backend, shape const& s, std::int64_t rhs_count, band_options const& o, size_argument to,
                bool reported = false) {
    require_rhs_count(s, rhs_count);
    to.check();
    backend.with([&](auto const& exec) { to.give(bands_workspace(exec, sized<T>(s), rhs_count, o, reported)); });
}

template <class T, class Backend>
void solve(Backend const& backend, shape const& s, matrix_arrays<T> const& m, dense_rhs<T> const& rhs,
           band_options const& o, space const& buffer, coppice_report_t* reports = nullptr) {
    require_rhs_count(s, rhs.count);
    auto const x = rhs.solution(s), d = rhs.right(s);
    std::int64_t const reported = reports ? s.systems : 0;
    auto const report_range = elements("reports", reports, reported);
    auto const matrix = x.bytes > 0 ? m.ranges(s) : std::array<memory_range, 4>{};
    require_no_overlaps(x, matrix);
    require_no_overlaps(report_range, matrix, x, d);
    if (!rhs.in_place()) require_no_overlap(x, d);
    if (rhs.in_place() && x.bytes > 0 && (reports || o.refinements > 0))
        refuse("X", "D, which a report or refinement needs");
    backend.with([&](auto const& exec) {
        auto const a = matrix_of(s, m);
        std::int64_t const needed = bands_workspace(exec, a, rhs.count, o, reports != nullptr);
        auto const working = buffer.range(needed);
        require_no_overlaps(working, matrix, x, d, report_range);
        solve_bands(exec, a, right_of(s, rhs), solution_of(s, rhs), buffer.of(needed), o,
                    array_view<solve_report>(reinterpret_cast<solve_report*>(reports), reported));
    });
}

template <class T, class Backend>
void size_factor(Backend const& backend, shape const& s, band_options const& o, size_argument to) {
    to.check();
    backend.with([&](auto const& exec) { to.give(bands_factor_bytes(exec, sized<T>(s), o)); });
}

template <class T, class Backend>
void factorise(Backend const& backend, shape const& s, matrix_arrays<T> const& m, band_options const& o,
               space const& factor, std::int64_t* singular = nullptr) {
    auto const matrix = m.ranges(s);
    std::int64_t const reported = singular ? s.systems : 0;
    auto const rows = elements("singular_rows", singular, reported);
    require_no_overlaps(rows, matrix);
    backend.with([&](auto const& exec) {
        auto const a = matrix_of(s, m);
        std::int64_t const needed = bands_factor_bytes(exec, a, o);
        auto const factor_range = factor.range(needed);
        require_no_overlaps(factor_range, matrix, rows);
        factorise_bands(exec, a, factor.of(needed), o, array_view<std::int64_t>(singular, reported));
    });
}

template <class T, class Backend>
void size_factored(Backend const& backend, shape const& s, std::int64_t rhs_count, band_options const& o,
                   size_argument to) {
    require_rhs_count(s, rhs_count);
    to.check();
    backend.with([&](auto const& exec) { to.give(factored_workspace(exec, sized<T>(s), rhs_count, o)); });
}

template <class T, class Backend>
void solve_factored(Backend const& backend, shape const& s, dense_rhs<T> const& rhs, band_options const& o,
                    space const& factor, space const& buffer) {
    require_rhs_count(s, rhs.count);
    auto const x = rhs.solution(s), d = rhs.right(s);
    auto const offsets = elements("A->offsets", s.offsets, s.offsets ? s.systems + 1 : 0);
    require_no_overlap(x, offsets);
    if (!rhs.in_place()) require_no_overlap(x, d);
    backend.with([&](auto const& exec) {
        auto const a = sized<T>(s);
        std::int64_t const needed = factored_workspace(exec, a, rhs.count, o);
        std::int64_t const factor_bytes = bands_factor_bytes(exec, a, o);
        auto const factor_range = factor.range(factor_bytes), working = buffer.range(needed);
        require_no_overlap(x, factor_range);
        require_no_overlaps(working, x, d, factor_range, offsets);
        solve_factored_bands(exec, a, array_view<std::byte const>(factor.of(factor_bytes)), right_of(s, rhs),
                             solution_of(s, rhs), buffer.of(needed), o);
    });
}

/// Sparse right-hand sides, as passed by the caller.
template <class T, class I>
struct sparse_right {
    I count;
    T const* values;
    I const *rows, *offsets;
    I nonzeros;

    std::array<memory_range, 3> ranges(shape const& s) const {
        require_rhs_count(s, count);
        require_range("rhs_nnz", nonzeros, 0, max_bytes / 16);
        return {elements("rhs_values", values, nonzeros), elements("rhs_row_indices", rows, nonzeros),
                elements("rhs_col_ptrs", offsets, count == 0 ? 0 : std::int64_t(count) + 1)};
    }
    sparse_columns_view<element<T>, I> view(shape const& s) const {
        return {s.size(), count, offsets, rows, in(values), nonzeros};
    }
};
/// Output arrays of a sparse solution.
template <class T, class I>
struct sparse_output {
    T* values;
    I* rows;
    I const* offsets;
    I nonzeros;

    std::array<memory_range, 2> written() const {
        require_range("result_nnz", nonzeros, 0, max_bytes / 16);
        return {elements("result_values", values, nonzeros), elements("result_row_indices", rows, nonzeros)};
    }
    memory_range read(I count) const {
        require_pointer("result_col_ptrs", offsets);
        return elements("result_col_ptrs", offsets, std::int64_t(count) + 1);
    }
};

template <class T, class Backend>
void size_to_dense(Backend const& backend, shape const& s, std::int64_t rhs_count, band_options const& o,
                   size_argument to) {
    require_rhs_count(s, rhs_count);
    to.check();
    backend.with([&](auto const& exec) { to.give(sparse_to_dense_workspace(exec, sized<T>(s), rhs_count, o)); });
}

template <class T, class I, class Backend>
void solve_to_dense(Backend const& backend, shape const& s, matrix_arrays<T> const& m, band_options const& o,
                    sparse_right<T, I> const& d, T* x, space const& buffer) {
    auto const sparse = d.ranges(s);
    auto const dense = columns(s, d.count, x, static_cast<T const*>(x));
    auto const solution = dense.solution(s);
    auto const matrix = solution.bytes > 0 ? m.ranges(s) : std::array<memory_range, 4>{};
    require_no_overlaps(solution, matrix, sparse);
    backend.with([&](auto const& exec) {
        auto const a = matrix_of(s, m);
        std::int64_t const needed = sparse_to_dense_workspace(exec, a, d.count, o);
        auto const working = buffer.range(needed);
        require_no_overlaps(working, matrix, sparse, solution);
        solve_sparse_to_dense(exec, a, d.view(s), solution_of(s, dense), buffer.of(needed), o);
    });
}

template <class T, class Backend>
void size_to_sparse(Backend const& backend, shape const& s, std::int64_t rhs_count, band_options const& o,
                    size_argument to) {
    require_rhs_count(s, rhs_count);
    to.check();
    backend.with([&](auto const& exec) { to.give(sparse_to_sparse_workspace(exec, sized<T>(s), rhs_count, o)); });
}

/// Allocates its workspace if there is no `buffer`.
template <class T, class I, class Backend>
void solve_to_sparse(Backend const& backend, shape const& s, matrix_arrays<T> const& m, band_options const& o,
                     sparse_right<T, I> const& d, sparse_output<T, I> const& x,
                     std::optional<space> const& buffer = {}) {
    auto const sparse = d.ranges(s);
    auto const written = x.written();
    auto const ends = x.read(d.count);
    auto const matrix = d.count > 0 ? m.ranges(s) : std::array<memory_range, 4>{};
    require_no_overlap(written[0], written[1]);
    for (auto const& to : written) require_no_overlaps(to, matrix, sparse, ends);
    backend.with([&](auto const& exec) {
        auto const a = matrix_of(s, m);
        array_view<I const> const offsets(x.offsets, std::int64_t(d.count) + 1);
        array_view<I> const rows(x.rows, x.nonzeros);
        array_view<element<T>> const values(out(x.values), x.nonzeros);
        if (!buffer) return solve_sparse_to_sparse(exec, a, d.view(s), offsets, rows, values, o);
        std::int64_t const needed = sparse_to_sparse_workspace(exec, a, d.count, o);
        auto const working = buffer->range(needed);
        require_no_overlaps(working, matrix, sparse, written, ends);
        solve_sparse_to_sparse(exec, a, d.view(s), offsets, rows, values, buffer->of(needed), o);
    });
}

// The layout of a report is the same in C and C++.
static_assert(sizeof(coppice_report_t) == sizeof(solve_report) &&
              offsetof(coppice_report_t, componentwise_error) == offsetof(solve_report, componentwise_error) &&
              offsetof(coppice_report_t, row) == offsetof(solve_report, row) &&
              offsetof(coppice_report_t, outcome) == offsetof(solve_report, status) &&
              offsetof(coppice_report_t, tries) == offsetof(solve_report, tries) &&
              offsetof(coppice_report_t, condition) == offsetof(solve_report, condition));

} // namespace coppice::inline v0_1::c_interface
