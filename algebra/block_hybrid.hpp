// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Hybrid storage of block-tridiagonal matrices with large sparse blocks (Yang, Li and Li, J. Supercomput. 73, 2017,
/// sections 4.3 and 5.2): diagonal blocks in band storage, couplings between blocks in compressed rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

/// Borrowed hybrid matrix A = D + N, usable in device code. Block j consists of rows and columns [j block, (j + 1)
/// block); the last block may be smaller. D(i, i + d) is bands[(d + lower_bands) padded_rows() + i] if i and i + d are
/// in the same block, else zero. N contains all other entries.
template <class T, class I = std::int32_t>
struct block_hybrid_view {
    std::int64_t length = 0; ///< number of rows
    std::int64_t block = 1;
    std::int64_t blocks = 0;
    int lower_bands = 1, upper_bands = 1;
    T const* bands = nullptr;
    csr_view<T, I> couplings{};

    COPPICE_HD std::int64_t rows() const { return length; }
    /// Number of rows with the last block padded to full size. Rows after the matrix are rows of the identity.
    COPPICE_HD std::int64_t padded_rows() const { return blocks * block; }

    /// Returns (D x)_i.
    COPPICE_HD T block_product(std::int64_t i, T const* x) const {
        std::int64_t const first = i - i % block;
        std::int64_t const last = first + block < length ? first + block : length;
        T sum = 0;
        for (std::int64_t d = -lower_bands; d <= upper_bands; ++d)
            if (i + d >= first && i + d < last) sum += bands[(d + lower_bands) * padded_rows() + i] * x[i + d];
        return sum;
    }
    /// Returns (N x)_i.
    COPPICE_HD T coupling_product(std::int64_t i, T const* x) const {
        T sum = 0;
        for (I k = couplings.offsets[i]; k < couplings.offsets[i + 1]; ++k)
            sum += couplings.coefficients[k] * x[couplings.indices[k]];
        return sum;
    }
};

struct block_hybrid_options {
    std::int64_t block = 0; ///< rows of a block, from 1 to the rows of the matrix; 0: find_block_size()
    /// Maximum number of bands on either side of the diagonal in diagonal blocks, 1 to largest_block. Entries of
    /// diagonal blocks outside these bands are an error, unless `lenient`.
    int max_bands = largest_block;
    /// Accept any matrix: entries outside the bands of the diagonal blocks are stored as couplings.
    bool lenient = false;
};

/// Owner of a hybrid matrix in one memory space. Move-only.
template <class T, class I = std::int32_t>
class block_hybrid {
public:
    block_hybrid() = default;
    block_hybrid(std::int64_t rows, std::int64_t block, int lower_bands, int upper_bands, buffer<T> bands,
                 csr<T, I> couplings)
        : bands_(std::move(bands)), couplings_(std::move(couplings)), rows_(rows), block_(block), lower_(lower_bands),
          upper_(upper_bands) {
        require_size("bands", bands_, blocks() * block * (lower_bands + upper_bands + 1));
        require_size("rows of the couplings", couplings_.rows(), rows);
    }

    std::int64_t rows() const { return rows_; }
    std::int64_t block() const { return block_; }
    std::int64_t blocks() const { return rows_ == 0 ? 0 : (rows_ - 1) / block_ + 1; }
    int lower_bands() const { return lower_; }
    int upper_bands() const { return upper_; }
    buffer<T> const& bands() const { return bands_; }
    csr<T, I> const& couplings() const { return couplings_; }

    /// Replaces the values by those of a matrix with the pattern of construction. Neither allocates nor waits.
    template <executor Executor>
    void refill(Executor const& exec, csr_view<T, I> a);

    block_hybrid_view<T, I> view() const& {
        return {rows_, block_, blocks(), lower_, upper_, bands_.data(), couplings_.view()};
    }
    block_hybrid_view<T, I> view() const&& = delete; ///< the view of a temporary matrix would dangle

private:
    buffer<T> bands_{};
    csr<T, I> couplings_{};
    std::int64_t rows_ = 0, block_ = 1;
    int lower_ = 1, upper_ = 1;
};

template <executor Executor, class T, class I>
block_hybrid<T, I> copy_of(Executor const& exec, block_hybrid<T, I> const& a) {
    return {
        a.rows(), a.block(), a.lower_bands(), a.upper_bands(), copy_of(exec, a.bands()), copy_of(exec, a.couplings())};
}

namespace detail {

/// Requirements of rows on the hybrid storage.
struct hybrid_shape {
    std::int64_t lower = 0, upper = 0; ///< number of bands of the diagonal blocks
    std::int64_t stray_row =
        std::numeric_limits<std::int64_t>::max(); ///< first row with an entry outside its block and the adjacent blocks
};
struct merge_shapes {
    COPPICE_HD hybrid_shape operator()(hybrid_shape const& a, hybrid_shape const& b) const {
        return {a.lower < b.lower ? b.lower : a.lower, a.upper < b.upper ? b.upper : a.upper,
                a.stray_row < b.stray_row ? a.stray_row : b.stray_row};
    }
};
template <class T, class I>
struct shape_of_row {
    csr_view<T, I> a;
    std::int64_t block;
    COPPICE_HD hybrid_shape operator()(std::int64_t row) const {
        hybrid_shape shape;
        std::int64_t const here = row / block;
        for (I k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
            std::int64_t const column = a.indices[k], there = column / block;
            if (there == here && row - column > shape.lower) shape.lower = row - column;
            if (there == here && column - row > shape.upper) shape.upper = column - row;
            if (there > here + 1 || there < here - 1) shape.stray_row = row;
        }
        return shape;
    }
};

/// Layout of D: which entries it contains and at which position.
struct hybrid_layout {
    std::int64_t block, padded;
    std::int64_t lower, upper;
    COPPICE_HD bool in_blocks(std::int64_t row, std::int64_t column) const {
        return column / block == row / block && row - column <= lower && column - row <= upper;
    }
    COPPICE_HD std::int64_t band(std::int64_t row, std::int64_t column) const {
        return (column - row + lower) * padded + row;
    }
};
template <class T, class I>
struct count_couplings {
    csr_view<T, I> a;
    hybrid_layout layout;
    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        std::int64_t count = 0;
        for (I k = a.offsets[row]; k < a.offsets[row + 1]; ++k) count += layout.in_blocks(row, a.indices[k]) ? 0 : 1;
        return count;
    }
};
template <class I>
struct store_coupling_offset {
    I* offsets;
    COPPICE_HD void operator()(std::int64_t row, std::int64_t before) const { offsets[row] = I(before); }
};
/// Distributes a row to bands and couplings. Duplicate entries are summed.
template <class T, class I>
struct split_row {
    csr_view<T, I> a;
    hybrid_layout layout;
    T* bands;
    I const* offsets;
    I* columns; ///< null if the columns are already stored
    T* values;
    COPPICE_HD void operator()(std::int64_t row) const {
        for (std::int64_t d = -layout.lower; d <= layout.upper; ++d)
            bands[(d + layout.lower) * layout.padded + row] = row < a.rows() || d != 0 ? T(0) : T(1);
        if (row >= a.rows()) return;
        I to = offsets[row];
        for (I k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
            I const column = a.indices[k];
            if (layout.in_blocks(row, column)) {
                bands[layout.band(row, column)] += a.coefficients[k];
            } else {
                if (columns) columns[to] = column;
                values[to++] = a.coefficients[k];
            }
        }
    }
};

inline void require_block_size(std::int64_t block, std::int64_t rows) {
    if (block < 1 || (block > rows && rows > 0))
        throw argument_error("block size is " + std::to_string(block) + ", expected 1 to the " + std::to_string(rows) +
                             " rows of the matrix");
}

/// Tests whether blocks of `block` rows make the matrix block-tridiagonal with at most `bands` bands on either side in
/// the diagonal blocks. Returns the number of couplings, or -1 if they do not.
template <class I>
std::int64_t couplings_with_block(array_view<I const> offsets, array_view<I const> columns, std::int64_t block,
                                  std::int64_t bands) {
    std::int64_t couplings = 0;
    for (std::int64_t row = 0; row + 1 < offsets.size(); ++row)
        for (I k = offsets[row]; k < offsets[row + 1]; ++k) {
            std::int64_t const column = columns[k], distance = column > row ? column - row : row - column;
            std::int64_t const blocks = column / block - row / block;
            if (blocks < -1 || blocks > 1 || (blocks == 0 && distance > bands)) return -1;
            couplings += blocks != 0;
        }
    return couplings;
}

} // namespace detail

template <class T, class I>
template <executor Executor>
void block_hybrid<T, I>::refill(Executor const& exec, csr_view<T, I> a) {
    require_size("rows of the matrix to refill from", a.rows(), rows_);
    detail::hybrid_layout const layout{block_, blocks() * block_, lower_, upper_};
    for_each(exec, layout.padded,
             detail::split_row<T, I>{a, layout, bands_.data(), couplings_.row_offsets().data(), nullptr,
                                     couplings_.values().data()});
}

namespace detail {
/// The block size between `min_block` and `max_block` with the fewest couplings, the largest of several; 0 if none
/// makes the matrix block-tridiagonal with at most `bands` bands in the diagonal blocks.
template <class I>
std::int64_t block_with_fewest_couplings(std::vector<I> const& offsets, std::vector<I> const& columns,
                                         std::int64_t min_block, std::int64_t max_block, std::int64_t bands) {
    std::int64_t best = 0, min_couplings = -1;
    for (std::int64_t block = min_block; block <= max_block; ++block) {
        std::int64_t const couplings = couplings_with_block<I>(array_view(offsets), array_view(columns), block, bands);
        if (couplings < 0 || (min_couplings >= 0 && couplings > min_couplings)) continue;
        best = block;
        min_couplings = couplings;
    }
    return best;
}
} // namespace detail

/// Returns a block size for which the matrix is block-tridiagonal with diagonal blocks of at most `max_bands` bands on
/// either side; 0 if there is none. A matrix with at most `max_bands` bands is a single block. Otherwise the choice
/// minimises the number of bands, then the number of couplings, and then takes the largest size; blocks that are so
/// small that they may be full (at most 2 bands rows) are chosen last, with `lenient` not at all. Reads the pattern on
/// the host; waits.
template <executor Executor, class T, class I>
std::int64_t find_block_size(Executor const& exec, csr_view<T, I> a, int max_bands = largest_block,
                             bool lenient = false) {
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const columns = to_vector(exec, a.column_indices());
    std::int64_t reach = 0;
    for (std::int64_t row = 0; row < a.rows(); ++row)
        for (I k = offsets[std::size_t(row)]; k < offsets[std::size_t(row) + 1]; ++k)
            reach = std::max(reach, std::abs(std::int64_t(columns[std::size_t(k)]) - row));
    // The entry farthest from the diagonal must be within two blocks. Sizes above 2 reach are not tested.
    std::int64_t const min_block = (reach + 2) / 2, max_block = std::min<std::int64_t>(2 * reach, a.rows());
    for (bool const full : {false, true})
        for (std::int64_t bands = 1; bands <= (full && lenient ? 0 : max_bands); ++bands) {
            if (reach <= bands) return a.rows();
            std::int64_t const first = full ? min_block : std::max(2 * bands + 1, min_block);
            std::int64_t const last = full ? std::min(2 * bands, max_block) : max_block;
            if (auto const block = detail::block_with_fewest_couplings(offsets, columns, first, last, bands); block > 0)
                return block;
        }
    return 0;
}

/// Converts a square matrix to hybrid storage in the memory of `exec`. Waits. Throws dimension_error if the matrix is
/// not square, argument_error if the block size is out of range. Unless options.lenient, throws matrix_error if blocks
/// of that size do not make the matrix block-tridiagonal, if a diagonal block has too many bands, or if
/// find_block_size() returns 0.
template <executor Executor, class T, class I>
block_hybrid<T, I> to_block_hybrid(Executor const& exec, csr_view<T, I> a, block_hybrid_options const& options = {}) {
    require_square(a, "hybrid storage");
    if (options.max_bands < 1 || options.max_bands > largest_block)
        throw argument_error("max_bands is " + std::to_string(options.max_bands) + ", expected 1 to " +
                             std::to_string(largest_block));
    std::int64_t const rows = a.rows();
    std::int64_t block = options.block;
    if (block == 0) block = rows == 0 ? 1 : find_block_size(exec, a, options.max_bands, options.lenient);
    if (block == 0 && options.lenient) block = std::min<std::int64_t>(rows, 64);
    if (block == 0)
        throw matrix_error("no block size makes this matrix block-tridiagonal with diagonal blocks of at most " +
                           std::to_string(options.max_bands) + " bands on either side");
    detail::require_block_size(block, rows);

    auto const shape =
        reduce(exec, rows, detail::hybrid_shape{}, detail::shape_of_row<T, I>{a, block}, detail::merge_shapes{});
    if (!options.lenient && shape.stray_row < rows)
        throw matrix_error("row " + std::to_string(shape.stray_row) +
                           " has an entry outside its block and the adjacent blocks: with blocks of " +
                           std::to_string(block) + " rows the matrix is not block-tridiagonal");
    if (!options.lenient && std::max(shape.lower, shape.upper) > options.max_bands)
        throw matrix_error("the diagonal blocks of " + std::to_string(block) + " rows have " +
                           std::to_string(std::max(shape.lower, shape.upper)) +
                           " bands on one side, expected at most " + std::to_string(options.max_bands));
    auto const bands_of = [&](std::int64_t found) { return std::clamp<std::int64_t>(found, 1, options.max_bands); };
    std::int64_t const padded = rows == 0 ? 0 : ((rows - 1) / block + 1) * block;
    detail::hybrid_layout const layout{block, padded, bands_of(shape.lower), bands_of(shape.upper)};

    buffer<I> offsets(exec, rows + 1);
    std::int64_t const count = exclusive_scan(exec, rows, detail::count_couplings<T, I>{a, layout},
                                              detail::store_coupling_offset<I>{offsets.data()}, std::int64_t(0));
    fill(exec, offsets.view().slice(rows, 1), I(count));
    buffer<I> columns(exec, count);
    buffer<T> values(exec, count), bands(exec, padded * (layout.lower + layout.upper + 1));
    for_each(exec, padded,
             detail::split_row<T, I>{a, layout, bands.data(), offsets.data(), columns.data(), values.data()});
    return {rows,
            block,
            int(layout.lower),
            int(layout.upper),
            std::move(bands),
            csr<T, I>(a.rows(), a.columns(), std::move(offsets), std::move(columns), std::move(values))};
}

namespace detail {

template <class T, class I>
struct hybrid_product {
    block_hybrid_view<T, I> a;
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] = a.block_product(i, x) + a.coupling_product(i, x); }
};

} // namespace detail

/// Computes y = A x. x[rows], y[rows] are in the memory of `exec` and do not overlap. Neither allocates nor waits.
template <executor Executor, class T, class I>
void spmv(Executor const& exec, block_hybrid_view<T, I> a, array_view<std::type_identity_t<T> const> x,
          array_view<std::type_identity_t<T>> y) {
    require_size("length of x", x, a.rows());
    require_size("length of y", y, a.rows());
    for_each(exec, a.rows(), detail::hybrid_product<T, I>{a, x.data(), y.data()});
}

} // namespace coppice::inline v0_1
