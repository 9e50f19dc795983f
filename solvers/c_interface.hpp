// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the C interfaces share: arguments translated and checked, exceptions turned into codes, every operation
/// once for wherever it runs. c_functions.inc makes the functions of it.
#pragma once

#include <coppice/c_types.h>

#include <complex>
#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include <coppice/solvers/band_factor.hpp>
#include <coppice/solvers/sparse_sides.hpp>

namespace coppice::c_interface {

/// What coppice_last_error and tridigpu_last_error say.
inline std::string& last_message() {
    thread_local std::string message;
    return message;
}

inline coppice_status_t code_of(error_code code) {
    switch (code) {
    case error_code::out_of_memory:
        return COPPICE_STATUS_ALLOC_FAILED;
    case error_code::backend_unavailable:
        return COPPICE_STATUS_NO_DEVICE;
    case error_code::device:
        return COPPICE_STATUS_EXECUTION_FAILED;
    default:
        return COPPICE_STATUS_INVALID_VALUE;
    }
}

/// Runs `work` and turns what it throws into a code; the sentence stays for the last error.
template <class Work>
coppice_status_t guarded(char const* name, Work const& work) noexcept {
    try {
        try {
            work();
            return COPPICE_STATUS_SUCCESS;
        } catch (error const& e) {
            last_message() = std::string(name) + ": " + e.what();
            return code_of(e.code());
        } catch (std::bad_alloc const&) {
            last_message() = std::string(name) + ": out of memory";
            return COPPICE_STATUS_ALLOC_FAILED;
        } catch (std::exception const& e) {
            last_message() = std::string(name) + ": " + e.what();
            return COPPICE_STATUS_INTERNAL_ERROR;
        }
    } catch (...) { // not even the message could be kept
        return COPPICE_STATUS_INTERNAL_ERROR;
    }
}

/// The C++ type of an element; each C interface says which of its complex types is which. Layouts agree.
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

inline pivoting pivoting_of(int p) {
    switch (p) {
    case COPPICE_NO_PIVOTING:
        return pivoting::none;
    case COPPICE_PARTIAL_PIVOTING:
    case COPPICE_DEFAULT_PIVOTING:
        return pivoting::partial;
    case COPPICE_SCALED_PARTIAL_PIVOTING:
        return pivoting::scaled_partial;
    default:
        throw argument_error("unknown pivoting " + std::to_string(p));
    }
}
inline band_options options_of(int p, bool cyclic = false) { return {.pivot = pivoting_of(p), .cyclic = cyclic}; }
inline band_options options_of(coppice_options_t const* o, coppice_bands_t const& a) {
    band_options how{.cyclic = a.cyclic != 0};
    if (!o) return how;
    how.pivot = pivoting_of(o->pivoting);
    how.threshold = o->threshold;
    how.operation = static_cast<matrix_operation>(int(o->operation));
    how.method = static_cast<band_method>(int(o->method));
    how.refinements = o->refinements;
    how.error_bound = o->error_bound;
    how.condition = o->condition != 0;
    return how;
}

/// Sizes whose products with anything below stay far from overflow.
inline constexpr std::int64_t most_rows = std::int64_t(1) << 48, most_elements = std::int64_t(1) << 56;

inline void require_sizes(std::int64_t rows, std::int64_t sides, char const* rows_name = "N") {
    if (rows < 0 || rows > most_rows) throw argument_error(std::string(rows_name) + " is " + std::to_string(rows));
    if (sides < 0 || sides > most_elements / (8 * (rows > 0 ? rows : 1)))
        throw argument_error("n_r is " + std::to_string(sides));
}

/// A class of matrices of one system.
struct shape {
    std::int64_t rows;
    int block = 1;
    int lower_bands = -1, upper_bands = -1;
};

template <class T>
band_matrix<element<T>> matrix_of(shape const& s, T const* a, T const* b, T const* c) {
    if (s.lower_bands >= 0 || s.upper_bands >= 0)
        return banded_view<element<T>>{s.rows, s.lower_bands, s.upper_bands, in(b)};
    return block_tridiagonal_view<element<T>>{s.rows, s.block, in(a), in(b), in(c)};
}
inline shape blocks(std::int64_t rows, int n) { return {rows, n}; }
/// A negative number of bands must not go further: a view of blocks is told from bands by it.
inline shape banded_shape(std::int64_t rows, int below, int above) {
    if (below < 0 || above < 0)
        throw argument_error("kl and ku are " + std::to_string(below) + " and " + std::to_string(above));
    return {rows, 1, below, above};
}

inline coppice_bands_t const& given(coppice_bands_t const* a) {
    if (!a) throw argument_error("null pointer to the shape of the matrix");
    return *a;
}
/// A matrix or a batch by its description.
template <class T>
band_matrix<element<T>> matrix_of(coppice_bands_t const& s, T const* a, T const* b, T const* c) {
    require_sizes(s.rows, 0, "rows");
    shape const one =
        s.banded != 0 ? banded_shape(s.rows, s.lower_bands, s.upper_bands) : shape{s.rows, s.block == 0 ? 1 : s.block};
    auto const all = matrix_of(one, a, b, c);
    std::int64_t const systems = s.systems == 0 ? 1 : s.systems;
    if (systems < 0 || systems > most_rows) throw argument_error("systems is " + std::to_string(systems));
    if (s.offsets && s.interleaved) throw argument_error("systems of different sizes cannot be interleaved");
    using matrix = band_matrix<element<T>>;
    if (s.offsets) return matrix::batch(all, array_view<std::int64_t const>(s.offsets, systems + 1), s.largest);
    if (systems == 1) return all;
    return s.interleaved != 0 ? matrix::interleaved_batch(all, systems) : matrix::batch(all, systems);
}

/// The same without its arrays, for functions that ask for sizes.
template <class T, class Shape>
band_matrix<element<T>> sized(Shape const& s) {
    T const* const none = nullptr;
    return matrix_of(s, none, none, none);
}

inline void give(std::size_t* to, std::int64_t bytes) {
    if (!to) throw argument_error("null pointer to the buffer size");
    *to = std::size_t(bytes);
}

/// A buffer of `given` bytes; those of the appendix are as large as the matching function says.
inline constexpr std::size_t as_asked = std::numeric_limits<std::size_t>::max();
inline array_view<std::byte> space(void* buffer, std::size_t given, std::int64_t needed) {
    return {static_cast<std::byte*>(buffer), given >= std::size_t(needed) ? needed : std::int64_t(given)};
}

// A Place is where a call works: place.with(work) calls work(executor). T is a type of the C interface, Shape a shape
// or a coppice_bands_t.

template <class T, class Shape, class Place>
void size_solve(Place const& place, Shape const& s, std::int64_t sides, band_options const& o, std::size_t* bytes,
                bool reported = false) {
    auto const a = sized<T>(s);
    require_sizes(a.size, sides);
    place.with([&](auto const& exec) { give(bytes, bands_workspace(exec, a, sides, o, reported)); });
}

/// Solutions and right-hand sides, with leading dimensions; `tight` columns have no gap between them.
inline constexpr std::int64_t tight = -1;
template <class T>
struct dense_sides {
    std::int64_t count;
    T* x;
    std::int64_t x_leading;
    T const* d;
    std::int64_t d_leading;

    columns_view<element<T>> solution(std::int64_t rows) const {
        require_sizes(rows, count);
        return {out(x), rows, count, x_leading == tight ? rows : x_leading};
    }
    columns_view<element<T> const> right(std::int64_t rows) const {
        return {in(d), rows, count, d_leading == tight ? rows : d_leading};
    }
};
template <class T>
dense_sides<T> columns(std::int64_t count, T* x, T const* d) {
    return {count, x, tight, d, tight};
}

template <class T, class Shape, class Place>
void solve(Place const& place, Shape const& s, T const* lower, T const* diagonal, T const* upper,
           dense_sides<T> const& sides, band_options const& o, void* buffer, std::size_t bytes = as_asked,
           coppice_report_t* reports = nullptr) {
    auto const a = matrix_of(s, lower, diagonal, upper);
    auto const x = sides.solution(a.size);
    place.with([&](auto const& exec) {
        std::int64_t const needed = bands_workspace(exec, a, x.columns, o, reports != nullptr);
        solve_bands(exec, a, sides.right(a.size), x, space(buffer, bytes, needed), o,
                    array_view<solve_report>(reinterpret_cast<solve_report*>(reports), reports ? a.systems : 0));
    });
}
template <class T, class Shape, class Place>
void size_factor(Place const& place, Shape const& s, band_options const& o, std::size_t* bytes) {
    place.with([&](auto const& exec) { give(bytes, bands_factor_bytes(exec, sized<T>(s), o)); });
}
template <class T, class Shape, class Place>
void factorise(Place const& place, Shape const& s, T const* lower, T const* diagonal, T const* upper,
               band_options const& o, void* factor, std::size_t bytes = as_asked, std::int64_t* singular = nullptr) {
    auto const a = matrix_of(s, lower, diagonal, upper);
    place.with([&](auto const& exec) {
        factorise_bands(exec, a, space(factor, bytes, bands_factor_bytes(exec, a, o)), o,
                        array_view<std::int64_t>(singular, singular ? a.systems : 0));
    });
}
template <class T, class Shape, class Place>
void size_factored(Place const& place, Shape const& s, std::int64_t sides, band_options const& o, std::size_t* bytes) {
    auto const a = sized<T>(s);
    require_sizes(a.size, sides);
    place.with([&](auto const& exec) { give(bytes, factored_workspace(exec, a, sides, o)); });
}
template <class T, class Shape, class Place>
void solve_factored(Place const& place, Shape const& s, dense_sides<T> const& sides, band_options const& o,
                    void const* factor, std::size_t factor_bytes, void* buffer, std::size_t bytes) {
    auto const a = sized<T>(s);
    auto const x = sides.solution(a.size);
    place.with([&](auto const& exec) {
        auto const kept = space(const_cast<void*>(factor), factor_bytes, bands_factor_bytes(exec, a, o));
        solve_factored_bands(exec, a, array_view<std::byte const>(kept), sides.right(a.size), x,
                             space(buffer, bytes, factored_workspace(exec, a, x.columns, o)), o);
    });
}

/// Sparse right-hand sides as they come in.
template <class T, class I>
sparse_columns_view<element<T>, I> sparse(std::int64_t rows, I count, T const* values, I const* row_indices,
                                          I const* offsets, I nonzeros) {
    require_sizes(rows, count);
    if (nonzeros < 0) throw argument_error("rhs_nnz is " + std::to_string(nonzeros));
    if (nonzeros > 0 && (!values || !row_indices)) throw argument_error("null pointer to sparse right-hand sides");
    return {rows, count, offsets, row_indices, in(values), nonzeros};
}
/// Room for a sparse solution.
template <class T, class I>
struct sparse_room {
    array_view<I const> offsets;
    array_view<I> rows;
    array_view<element<T>> values;

    sparse_room(std::int64_t count, T* entries, I* row_indices, I const* column_offsets, I nonzeros) {
        if (nonzeros < 0) throw argument_error("result_nnz is " + std::to_string(nonzeros));
        if (!column_offsets || (nonzeros > 0 && (!entries || !row_indices)))
            throw argument_error("null pointer to the result");
        offsets = {column_offsets, count + 1};
        rows = {row_indices, nonzeros};
        values = {out(entries), nonzeros};
    }
};

template <class T, class Place>
void size_to_dense(Place const& place, std::int64_t rows, std::int64_t sides, band_options const& o,
                   std::size_t* bytes) {
    require_sizes(rows, sides);
    place.with(
        [&](auto const& exec) { give(bytes, sparse_to_dense_workspace(exec, sized<T>(blocks(rows, 1)), sides, o)); });
}
template <class T, class I, class Place>
void solve_to_dense(Place const& place, std::int64_t rows, T const* lower, T const* diagonal, T const* upper,
                    band_options const& o, sparse_columns_view<element<T>, I> const& d, T* x, void* buffer) {
    auto const a = matrix_of(blocks(rows, 1), lower, diagonal, upper);
    place.with([&](auto const& exec) {
        solve_sparse_to_dense(exec, a, d, columns_view<element<T>>(out(x), rows, d.columns),
                              space(buffer, as_asked, sparse_to_dense_workspace(exec, a, d.columns, o)), o);
    });
}
template <class T, class Place>
void size_to_sparse(Place const& place, std::int64_t rows, std::int64_t sides, band_options const& o,
                    std::size_t* bytes) {
    require_sizes(rows, sides);
    place.with(
        [&](auto const& exec) { give(bytes, sparse_to_sparse_workspace(exec, sized<T>(blocks(rows, 1)), sides, o)); });
}
template <class T, class I, class Place>
void solve_to_sparse(Place const& place, std::int64_t rows, T const* lower, T const* diagonal, T const* upper,
                     band_options const& o, sparse_columns_view<element<T>, I> const& d, sparse_room<T, I> const& x) {
    auto const a = matrix_of(blocks(rows, 1), lower, diagonal, upper);
    place.with([&](auto const& exec) { solve_sparse_to_sparse(exec, a, d, x.offsets, x.rows, x.values, o); });
}
/// The same in a buffer of the caller's.
template <class T, class I, class Place>
void solve_to_sparse(Place const& place, std::int64_t rows, T const* lower, T const* diagonal, T const* upper,
                     band_options const& o, sparse_columns_view<element<T>, I> const& d, sparse_room<T, I> const& x,
                     void* buffer) {
    auto const a = matrix_of(blocks(rows, 1), lower, diagonal, upper);
    place.with([&](auto const& exec) {
        solve_sparse_to_sparse(exec, a, d, x.offsets, x.rows, x.values,
                               space(buffer, as_asked, sparse_to_sparse_workspace(exec, a, d.columns, o)), o);
    });
}

// A report in C is laid out as in C++.
static_assert(sizeof(coppice_report_t) == sizeof(solve_report) &&
              offsetof(coppice_report_t, componentwise_error) == offsetof(solve_report, componentwise_error) &&
              offsetof(coppice_report_t, row) == offsetof(solve_report, row) &&
              offsetof(coppice_report_t, outcome) == offsetof(solve_report, status) &&
              offsetof(coppice_report_t, tries) == offsetof(solve_report, tries) &&
              offsetof(coppice_report_t, condition) == offsetof(solve_report, condition));

} // namespace coppice::c_interface
