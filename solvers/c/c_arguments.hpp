// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks of the arguments of the C interfaces, before any other work, in constant time and without a device. A message
/// names the argument as in the headers, its value, and what was expected.
#pragma once

#include <coppice/c_types.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <coppice/core/memory_range.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/c/c_status.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::inline v0_1::c_interface {

/// Upper bounds that exclude overflow in products of sizes: 2^48 rows, 2^56 bytes of a matrix.
inline constexpr std::int64_t max_rows = std::int64_t(1) << 48, max_bytes = std::int64_t(1) << 56;

/// Memory range of an argument named `name`.
template <class T>
memory_range elements(char const* name, T const* p, std::int64_t count) {
    if (count > 0) require_pointer(name, p);
    return {name, p, count * std::int64_t(sizeof(T))};
}
/// A buffer of at least `needed` bytes. Functions of the appendix have no parameter for the size of their buffer:
/// `given` is then exactly_needed.
inline constexpr std::size_t exactly_needed = std::numeric_limits<std::size_t>::max();
struct space {
    void const* begin;
    std::size_t given = exactly_needed;
    char const* name = "p_buffer";
    char const* size_name = "buffer_bytes";

    array_view<std::byte> of(std::int64_t needed) const {
        if (given < std::size_t(needed))
            refuse(size_name, std::to_string(given) + ", expected at least " + std::to_string(needed));
        if (needed > 0) require_pointer(name, static_cast<std::byte const*>(begin), workspace_alignment);
        return {static_cast<std::byte*>(const_cast<void*>(begin)), needed};
    }
    memory_range range(std::int64_t needed) const { return {name, of(needed).data(), needed}; }
};

/// A matrix or a batch of matrices; all sizes are in range.
struct shape {
    std::int64_t rows = 0; ///< block rows
    int block = 1;
    int lower_bands = -1, upper_bands = -1; ///< of a banded matrix
    std::int64_t systems = 1;
    std::int64_t const* offsets = nullptr;
    std::int64_t largest = 0;
    bool interleaved = false;

    bool banded() const { return lower_bands >= 0; }
    std::int64_t size() const { return rows * block; } ///< scalar rows
};

inline shape blocks(std::int64_t rows, int n = 1) {
    require_range("N", rows, 0, max_rows);
    require_range("n", n, 1, largest_block);
    return {.rows = rows, .block = n};
}
inline shape bands(std::int64_t rows, int kl, int ku) {
    require_range("N", rows, 0, max_rows);
    require_range("kl", kl, 0, largest_block);
    require_range("ku", ku, 0, largest_block);
    return {.rows = rows, .lower_bands = kl, .upper_bands = ku};
}
inline shape described(coppice_bands_t const* a) {
    require_pointer("A", a);
    require_range("A->rows", a->rows, 0, max_rows);
    require_range("A->systems", a->systems, 0, max_rows);
    shape s{.rows = a->rows, .systems = a->systems == 0 ? 1 : a->systems};
    if (a->banded) {
        require_range("A->lower_bands", a->lower_bands, 0, largest_block);
        require_range("A->upper_bands", a->upper_bands, 0, largest_block);
        if (a->cyclic) refuse("A->cyclic", "set for a banded matrix; use blocks");
        if (a->offsets || s.systems != 1) refuse("A->systems", "set for a banded matrix; use blocks");
        s.lower_bands = a->lower_bands;
        s.upper_bands = a->upper_bands;
        return s;
    }
    require_range("A->block", a->block, 0, largest_block);
    require_range("A->largest", a->largest, 0, max_rows);
    if (a->offsets) require_pointer("A->offsets", a->offsets);
    if (a->offsets && a->interleaved) refuse("A->interleaved", "set for systems of different sizes");
    if (!a->offsets && a->rows % s.systems != 0)
        refuse("A->rows", std::to_string(a->rows) + ", which does not make " + std::to_string(s.systems) + " systems");
    s.block = a->block == 0 ? 1 : a->block;
    s.offsets = a->offsets;
    s.largest = a->largest;
    s.interleaved = a->interleaved != 0;
    return s;
}

/// The memory of a factorisation.
inline space factor_space(void const* begin, std::size_t given = exactly_needed) {
    return {begin, given, "p_factorization_buffer", "factorization_bytes"};
}

/// Checks that the right-hand sides of `rhs_count` columns fit into the bounds.
inline void require_rhs_count(shape const& s, std::int64_t rhs_count) {
    std::int64_t const longer = s.size() > s.systems ? s.size() : s.systems;
    require_range("n_r", rhs_count, 0, max_bytes / 16 / longer);
}

inline pivoting pivoting_of(char const* name, int p) {
    require_range(name, p, COPPICE_NO_PIVOTING, COPPICE_DEFAULT_PIVOTING);
    return p == COPPICE_DEFAULT_PIVOTING ? pivoting::partial : static_cast<pivoting>(p);
}
static_assert(int(pivoting::none) == COPPICE_NO_PIVOTING && int(pivoting::partial) == COPPICE_PARTIAL_PIVOTING &&
              int(pivoting::scaled_partial) == COPPICE_SCALED_PARTIAL_PIVOTING);

inline band_options options_of(int p, bool cyclic = false) { return {.pivot = pivoting_of("p", p), .cyclic = cyclic}; }
/// Requires that described() has checked `a`.
inline band_options options_of(coppice_options_t const* o, coppice_bands_t const* a) {
    require_pointer("A", a);
    band_options how{.cyclic = a->cyclic != 0};
    if (!o) return how;
    require_range("options->operation", o->operation, COPPICE_PLAIN, COPPICE_CONJUGATE_TRANSPOSED);
    require_range("options->method", o->method, COPPICE_METHOD_AUTOMATIC, COPPICE_METHOD_CHAIN);
    require_range("options->refinements", o->refinements, 0, std::numeric_limits<int>::max());
    for (auto const& [name, bound] :
         {std::pair{"options->threshold", o->threshold}, {"options->error_bound", o->error_bound}})
        if (!(bound >= 0 && std::isfinite(bound)))
            refuse(name, std::to_string(bound) + ", expected a finite number of at least 0");
    how.pivot = pivoting_of("options->pivoting", o->pivoting);
    how.threshold = o->threshold;
    how.operation = static_cast<matrix_operation>(int(o->operation));
    how.method = static_cast<band_method>(int(o->method));
    how.refinements = o->refinements;
    how.error_bound = o->error_bound;
    how.condition = o->condition != 0;
    return how;
}

/// Solutions and right-hand sides with their leading dimensions.
template <class T>
struct dense_rhs {
    std::int64_t count;
    T* x;
    std::int64_t x_leading;
    T const* d;
    std::int64_t d_leading;

    memory_range solution(shape const& s) const { return range("X", "ldx", x, x_leading, s); }
    memory_range right(shape const& s) const { return range("D", "ldd", d, d_leading, s); }
    bool in_place() const { return static_cast<void const*>(x) == d && x_leading == d_leading; }

private:
    memory_range range(char const* name, char const* leading_name, T const* p, std::int64_t leading,
                       shape const& s) const {
        std::int64_t const maximum = max_bytes / std::int64_t(sizeof(T)) / (count > 0 ? count : 1);
        require_range(leading_name, leading, s.size(), maximum);
        return elements(name, p, count == 0 || s.size() == 0 ? 0 : (count - 1) * leading + s.size());
    }
};
/// X and D with contiguous columns.
template <class T>
dense_rhs<T> columns(shape const& s, std::int64_t count, T* x, T const* d) {
    require_rhs_count(s, count);
    return {count, x, s.size(), d, s.size()};
}

} // namespace coppice::inline v0_1::c_interface
