// SPDX-License-Identifier: BSD-3-Clause
/// \file Sparse right-hand sides, written once over the primitives; included by the sources that instantiate it.
///
/// The largest entries of a column are found as the thesis does (section 2.6.12): bits of magnitudes are ordered like
/// the magnitudes, so a histogram of the highest byte tells in which bin the k-th largest lies, the next byte refines
/// it, until a bin holds just what is missing. Here the row number stands behind the magnitude as the last bytes, so
/// that equal magnitudes are told apart and the answer does not depend on the order of atomics.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"
#include "semiring/stored_value.hpp"
#include "solvers/lane_atomics.hpp"
#include "solvers/sparse_sides.hpp"

namespace coppice {
namespace sparse_sides {

/// Writes column j of D into a column of zeros.
template <class T>
struct scatter_column {
    sparse_columns_view<T> d;
    std::int64_t first;
    columns_view<T> x;

    /// In the library's own complex arithmetic: operators of std::complex are no device functions, and a kernel that
    /// calls them comes out empty.
    COPPICE_HD static void add(T& to, T const& value) {
        using number = detail::stored_value<T>;
        number::store(to, number::load(to) + number::load(value));
    }
    COPPICE_HD void operator()(std::int64_t c) const {
        T* const to = x.pointer + c * x.leading;
        for (std::int64_t k = d.offsets[first + c]; k < d.offsets[first + c + 1]; ++k)
            add(to[d.row_indices[k]], d.values[k]);
    }
};
template <class T>
struct clear_columns {
    columns_view<T> x;
    COPPICE_HD void operator()(std::int64_t at) const { x.pointer[at % x.rows + at / x.rows * x.leading] = T(0); }
};

/// Columns [first, first + x.columns) of D, dense.
template <class T, class Executor>
void spread(Executor const& exec, sparse_columns_view<T> const& d, std::int64_t first, columns_view<T> x) {
    for_each(exec, x.rows * x.columns, clear_columns<T>{x});
    for_each(exec, x.columns, scatter_column<T>{d, first, x});
}

/// What entries are ordered by: the bits of |x| (|x|^2 of complex numbers), then the row, lower rows first.
struct order_key {
    std::uint64_t magnitude;
    std::uint32_t row;

    static constexpr int bytes = 12;
    /// Byte `i`, the highest is 0.
    COPPICE_HD int byte(int i) const {
        return i < 8 ? int(magnitude >> (56 - 8 * i)) & 255 : int(row >> (24 - 8 * (i - 8))) & 255;
    }
    /// Whether the first `count` bytes agree.
    COPPICE_HD bool agrees(order_key const& o, int count) const {
        std::uint64_t const high = count >= 8 ? ~std::uint64_t(0) : ~(~std::uint64_t(0) >> (8 * count));
        std::uint32_t const low = count <= 8 ? 0 : count >= 12 ? ~0u : ~(~0u >> (8 * (count - 8)));
        return ((magnitude ^ o.magnitude) & (count == 0 ? 0 : high)) == 0 && ((row ^ o.row) & low) == 0;
    }
    COPPICE_HD bool greater(order_key const& o) const {
        return magnitude != o.magnitude ? magnitude > o.magnitude : row > o.row;
    }
};

template <class T>
COPPICE_HD inline order_key key_of(T const& value, std::int64_t row) {
    double size;
    if constexpr (std::is_floating_point_v<T>) {
        size = value < 0 ? -double(value) : double(value);
    } else {
        auto const* const parts = reinterpret_cast<typename T::value_type const*>(&value);
        size = double(parts[0]) * double(parts[0]) + double(parts[1]) * double(parts[1]);
    }
    order_key key;
    __builtin_memcpy(&key.magnitude, &size, sizeof(size));
    key.magnitude &= ~(std::uint64_t(1) << 63);
    key.row = ~std::uint32_t(row);
    return key;
}

/// The search for the k-th largest of one column.
struct search {
    order_key prefix;
    std::int64_t missing; ///< entries still to be found among those that agree with the prefix
    int done;             ///< bytes of the prefix that count
    bool exact;           ///< all that agree with it are wanted
};

inline constexpr int bins = 256;

template <class T>
struct count_bytes {
    columns_view<T> x;
    search const* searches;
    std::int32_t* histogram; ///< [column][bin]
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const c = at / x.rows, row = at - c * x.rows;
        search const& s = searches[c];
        if (s.exact) return;
        order_key const key = key_of(x.pointer[row + c * x.leading], row);
        if (key.agrees(s.prefix, s.done)) add_one(histogram + c * bins + key.byte(s.done));
    }
    COPPICE_HD static void add_one(std::int32_t* place) {
#if defined(__CUDA_ARCH__)
        atomicAdd(place, 1);
#else
        __atomic_fetch_add(place, 1, __ATOMIC_RELAXED);
#endif
    }
};

struct start_search {
    search* searches;
    std::int32_t const* offsets;
    std::int64_t first, rows;
    COPPICE_HD void operator()(std::int64_t c) const {
        std::int64_t const wanted = offsets[first + c + 1] - offsets[first + c];
        searches[c] = {{0, 0}, wanted, 0, wanted == rows};
        if (wanted == 0) searches[c] = {{~std::uint64_t(0), ~0u}, 0, order_key::bytes, true}; // nothing is that large
    }
};

/// Goes down the histogram to the bin of the k-th largest; empties it for the next round.
struct narrow_search {
    search* searches;
    std::int32_t* histogram;
    COPPICE_HD void operator()(std::int64_t c) const {
        search& s = searches[c];
        std::int32_t* const counts = histogram + c * bins;
        if (!s.exact) {
            int bin = bins - 1;
            while (bin > 0 && counts[bin] < s.missing) s.missing -= counts[bin--];
            if (s.done < 8)
                s.prefix.magnitude |= std::uint64_t(bin) << (56 - 8 * s.done);
            else
                s.prefix.row |= std::uint32_t(bin) << (24 - 8 * (s.done - 8));
            ++s.done;
            s.exact = counts[bin] == s.missing || s.done == order_key::bytes;
        }
        for (int bin = 0; bin < bins; ++bin) counts[bin] = 0;
    }
};

template <class T>
struct is_kept {
    columns_view<T> x;
    search const* searches;
    COPPICE_HD bool operator()(std::int64_t at) const {
        std::int64_t const c = at / x.rows, row = at - c * x.rows;
        order_key const key = key_of(x.pointer[row + c * x.leading], row);
        search const& s = searches[c];
        return key.agrees(s.prefix, s.done) || key.greater(s.prefix);
    }
};
template <class T>
struct keep_entry {
    columns_view<T> x;
    std::int32_t* row_indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t at) const {
        std::int64_t const c = at / x.rows, row = at - c * x.rows;
        row_indices[position] = std::int32_t(row);
        values[position] = x.pointer[row + c * x.leading];
    }
};
struct zero_counts {
    std::int32_t* counts;
    COPPICE_HD void operator()(std::int64_t i) const { counts[i] = 0; }
};

/// Writes the entries kept of the columns of x, which are columns [first, ...) of the result.
template <class T, class Executor>
void prune(Executor const& exec, columns_view<T> x, std::int64_t first, std::int32_t const* offsets, search* searches,
           std::int32_t* histogram, std::int32_t* row_indices, T* values) {
    for_each(exec, x.columns, start_search{searches, offsets, first, x.rows});
    for_each(exec, x.columns * bins, zero_counts{histogram});
    for (int round = 0; round < order_key::bytes; ++round) {
        for_each(exec, x.rows * x.columns, count_bytes<T>{x, searches, histogram});
        for_each(exec, x.columns, narrow_search{searches, histogram});
    }
    select(exec, x.rows * x.columns, is_kept<T>{x, searches}, keep_entry<T>{x, row_indices, values});
}

inline void refuse(std::string const& what) { throw argument_error("solve with sparse right-hand sides: " + what); }

template <class T>
void check_sides(band_matrix<T> const& a, sparse_columns_view<T> const& d) {
    require_size("rows of sparse right-hand sides", d.rows, a.size);
    if (d.columns < 0) refuse(std::to_string(d.columns) + " columns");
    if (d.columns > 0 && !d.offsets) refuse("null pointer to the column offsets");
}

} // namespace sparse_sides

template <class T, executor Executor>
void solve_sparse_to_dense(Executor const& exec, band_matrix<T> const& a,
                           sparse_columns_view<std::type_identity_t<T>> const& d,
                           columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                           band_options const& options) {
    sparse_sides::check_sides(a, d);
    require_size("solution rows of sparse right-hand sides", x.rows, a.size);
    require_size("solution columns of sparse right-hand sides", x.columns, d.columns);
    if (x.columns > 0 && x.rows > 0) {
        if (!x.pointer) sparse_sides::refuse("null pointer to the solution");
        if (x.leading < x.rows) sparse_sides::refuse("leading dimension " + std::to_string(x.leading));
        sparse_sides::spread(exec, d, 0, x);
    }
    solve_bands(exec, a, columns_view<T const>(x), x, workspace, options);
}

template <class T, executor Executor>
void solve_sparse_to_sparse(Executor const& exec, band_matrix<T> const& a,
                            sparse_columns_view<std::type_identity_t<T>> const& d,
                            array_view<std::int32_t const> offsets, array_view<std::int32_t> row_indices,
                            array_view<std::type_identity_t<T>> values, band_options const& options,
                            std::int64_t batch) {
    using namespace sparse_sides;
    check_sides(a, d);
    require_size("offsets of a sparse solution", offsets.size(), d.columns + 1);
    if (batch < 1) refuse("batches of " + std::to_string(batch) + " columns");
    std::vector<std::int32_t> const ends = to_vector(exec, offsets);
    for (std::size_t j = 0; j + 1 < ends.size(); ++j)
        if (ends[0] != 0 || ends[j + 1] < ends[j] || ends[j + 1] - ends[j] > a.size)
            refuse("column " + std::to_string(j) + " of the result is to hold entries " + std::to_string(ends[j]) +
                   " to " + std::to_string(ends[j + 1]) + " of " + std::to_string(a.size) + " rows");
    require_size("row indices of a sparse solution", row_indices.size(), ends.back());
    require_size("values of a sparse solution", values.size(), ends.back());
    batch = std::min(batch, d.columns);
    buffer<T> memory(exec, a.size * batch);
    buffer<std::byte> workspace(exec, bands_workspace(exec, a, batch, options));
    buffer<search> searches(exec, batch);
    buffer<std::int32_t> histogram(exec, batch * bins);
    for (std::int64_t first = 0; first < d.columns; first += batch) {
        columns_view<T> const x(memory.data(), a.size, std::min(batch, d.columns - first));
        if (a.size == 0) continue;
        spread(exec, d, first, x);
        solve_bands(exec, a, columns_view<T const>(x), x, workspace.view(), options);
        std::int32_t const at = ends[std::size_t(first)];
        prune(exec, x, first, offsets.data(), searches.data(), histogram.data(), row_indices.data() + at,
              values.data() + at);
    }
}

} // namespace coppice
