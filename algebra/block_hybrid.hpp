// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Hybrid storage of block-tridiagonal matrices with large sparse blocks (Yang, Li and Li, J. Supercomput. 73, 2017,
/// sections 4.3 and 5.2): the diagonal blocks in diagonal storage, what couples the blocks in compressed rows.
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

namespace coppice {

/// Borrowed hybrid matrix, usable in device code: A = D + N. Block j is rows and columns [j block, (j + 1) block); the
/// last one may be cut off by the matrix. D(i, i + d) is bands[(d + lower_bands) padded_rows() + i] where both belong
/// to one block, and zero where not; N has all else.
template <class T, class I = std::int32_t>
struct block_hybrid_view {
    std::int64_t length = 0; ///< rows
    std::int64_t block = 1;
    std::int64_t blocks = 0;
    int lower_bands = 1, upper_bands = 1;
    T const* bands = nullptr;
    csr_view<T, I> couplings{};

    COPPICE_HD std::int64_t rows() const { return length; }
    /// Rows with the last block filled up; the rows beyond the matrix are those of the identity.
    COPPICE_HD std::int64_t padded_rows() const { return blocks * block; }

    /// Row i of D x.
    COPPICE_HD T block_product(std::int64_t i, T const* x) const {
        std::int64_t const first = i - i % block;
        std::int64_t const last = first + block < length ? first + block : length;
        T sum = 0;
        for (std::int64_t d = -lower_bands; d <= upper_bands; ++d)
            if (i + d >= first && i + d < last) sum += bands[(d + lower_bands) * padded_rows() + i] * x[i + d];
        return sum;
    }
    /// Row i of N x.
    COPPICE_HD T coupling_product(std::int64_t i, T const* x) const {
        T sum = 0;
        for (I k = couplings.offsets[i]; k < couplings.offsets[i + 1]; ++k)
            sum += couplings.coefficients[k] * x[couplings.indices[k]];
        return sum;
    }
};

struct block_hybrid_options {
    std::int64_t block = 0; ///< rows of a block, 1 to the rows of the matrix; 0: find_block_size()
    /// Bands on either side that the diagonal blocks are given at most, 1 to largest_block; what lies beyond is
    /// refused.
    int most_bands = largest_block;
    /// Take any matrix: what is not in the bands of a diagonal block becomes a coupling, wherever it lies.
    bool lenient = false;
};

/// Owns a hybrid matrix in one memory; move-only.
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

    /// New values from a matrix with the pattern that this one was made of; neither allocates nor waits.
    template <executor Executor>
    void refill(Executor const& exec, csr_view<T, I> a);

    block_hybrid_view<T, I> view() const& {
        return {rows_, block_, blocks(), lower_, upper_, bands_.data(), couplings_.view()};
    }
    block_hybrid_view<T, I> view() const&& = delete; ///< a temporary matrix would be gone at once

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

/// What rows need of hybrid storage.
struct hybrid_shape {
    std::int64_t lower = 0, upper = 0;                                 ///< bands that hold the diagonal blocks
    std::int64_t stray_row = std::numeric_limits<std::int64_t>::max(); ///< first with an entry beyond the neighbours
};
struct join_shapes {
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

/// Which entries lie in D, and where.
struct hybrid_place {
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
    hybrid_place place;
    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        std::int64_t count = 0;
        for (I k = a.offsets[row]; k < a.offsets[row + 1]; ++k) count += place.in_blocks(row, a.indices[k]) ? 0 : 1;
        return count;
    }
};
template <class I>
struct store_coupling_offset {
    I* offsets;
    COPPICE_HD void operator()(std::int64_t row, std::int64_t before) const { offsets[row] = I(before); }
};
/// Row by row into bands and couplings; entries that are stored twice add up.
template <class T, class I>
struct split_row {
    csr_view<T, I> a;
    hybrid_place place;
    T* bands;
    I const* offsets;
    I* columns; ///< null where they stand already
    T* values;
    COPPICE_HD void operator()(std::int64_t row) const {
        for (std::int64_t d = -place.lower; d <= place.upper; ++d)
            bands[(d + place.lower) * place.padded + row] = row < a.rows() || d != 0 ? T(0) : T(1);
        if (row >= a.rows()) return;
        I to = offsets[row];
        for (I k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
            I const column = a.indices[k];
            if (place.in_blocks(row, column)) {
                bands[place.band(row, column)] += a.coefficients[k];
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

/// Do blocks of that size make the matrix block-tridiagonal, with at most so many bands in the diagonal blocks? Returns
/// the number of couplings, -1 where not.
template <class I>
std::int64_t couplings_with_block(array_view<I const> offsets, array_view<I const> columns, std::int64_t block,
                                  std::int64_t bands) {
    std::int64_t couplings = 0;
    for (std::int64_t row = 0; row + 1 < offsets.size(); ++row)
        for (I k = offsets[row]; k < offsets[row + 1]; ++k) {
            std::int64_t const column = columns[k], apart = column > row ? column - row : row - column;
            std::int64_t const blocks = column / block - row / block;
            if (blocks < -1 || blocks > 1 || (blocks == 0 && apart > bands)) return -1;
            couplings += blocks != 0;
        }
    return couplings;
}

} // namespace detail

template <class T, class I>
template <executor Executor>
void block_hybrid<T, I>::refill(Executor const& exec, csr_view<T, I> a) {
    require_size("rows of the matrix to refill from", a.rows(), rows_);
    detail::hybrid_place const place{block_, blocks() * block_, lower_, upper_};
    for_each(exec, place.padded,
             detail::split_row<T, I>{a, place, bands_.data(), couplings_.row_offsets().data(), nullptr,
                                     couplings_.values().data()});
}

/// The block size with which a matrix is block-tridiagonal, its diagonal blocks of at most `most_bands` bands on either
/// side. A matrix that has no more bands itself is one block; else that with the fewest bands, then the fewest
/// couplings, then the largest. 0 where there is none. Looks at the pattern on the host: waits.
template <executor Executor, class T, class I>
std::int64_t find_block_size(Executor const& exec, csr_view<T, I> a, int most_bands = largest_block) {
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const columns = to_vector(exec, a.column_indices());
    std::int64_t reach = 0;
    for (std::int64_t row = 0; row < a.rows(); ++row)
        for (I k = offsets[std::size_t(row)]; k < offsets[std::size_t(row) + 1]; ++k)
            reach = std::max(reach, std::abs(std::int64_t(columns[std::size_t(k)]) - row));
    for (std::int64_t bands = 1; bands <= most_bands; ++bands) {
        if (reach <= bands) return a.rows();
        std::int64_t best = 0, least = -1;
        // Two blocks hold the farthest entry; blocks more than twice as large are not looked for.
        for (std::int64_t block = std::max(2 * bands + 1, (reach + 2) / 2);
             block <= std::min<std::int64_t>(2 * reach, a.rows()); ++block) {
            std::int64_t const couplings =
                detail::couplings_with_block<I>(array_view(offsets), array_view(columns), block, bands);
            if (couplings < 0 || (least >= 0 && couplings > least)) continue;
            best = block;
            least = couplings;
        }
        if (best > 0) return best;
    }
    return 0;
}

/// The hybrid storage of a square matrix, in the memory of `exec`. Waits. Throws dimension_error for a matrix that is
/// not square, argument_error for a block size outside its range; unless options.lenient, matrix_error where blocks of
/// that size do not make it block-tridiagonal, where a diagonal block has more bands than allowed, or where no block
/// size does.
template <executor Executor, class T, class I>
block_hybrid<T, I> to_block_hybrid(Executor const& exec, csr_view<T, I> a, block_hybrid_options const& options = {}) {
    require_square(a, "hybrid storage");
    if (options.most_bands < 1 || options.most_bands > largest_block)
        throw argument_error("most_bands is " + std::to_string(options.most_bands) + ", expected 1 to " +
                             std::to_string(largest_block));
    std::int64_t const rows = a.rows();
    std::int64_t block = options.block;
    if (block == 0) block = rows == 0 ? 1 : find_block_size(exec, a, options.most_bands);
    if (block == 0 && options.lenient) block = std::min<std::int64_t>(rows, 64);
    if (block == 0)
        throw matrix_error("no block size makes this matrix block-tridiagonal with diagonal blocks of at most " +
                           std::to_string(options.most_bands) + " bands on either side");
    detail::require_block_size(block, rows);

    auto const shape =
        reduce(exec, rows, detail::hybrid_shape{}, detail::shape_of_row<T, I>{a, block}, detail::join_shapes{});
    if (!options.lenient && shape.stray_row < rows)
        throw matrix_error("row " + std::to_string(shape.stray_row) +
                           " has an entry beyond the neighbours of its block: with blocks of " + std::to_string(block) +
                           " rows the matrix is not block-tridiagonal");
    if (!options.lenient && std::max(shape.lower, shape.upper) > options.most_bands)
        throw matrix_error("the diagonal blocks of " + std::to_string(block) + " rows have " +
                           std::to_string(std::max(shape.lower, shape.upper)) + " bands on a side, expected at most " +
                           std::to_string(options.most_bands));
    auto const bands_of = [&](std::int64_t found) { return std::clamp<std::int64_t>(found, 1, options.most_bands); };
    std::int64_t const padded = rows == 0 ? 0 : ((rows - 1) / block + 1) * block;
    detail::hybrid_place const place{block, padded, bands_of(shape.lower), bands_of(shape.upper)};

    buffer<I> offsets(exec, rows + 1);
    std::int64_t const count = exclusive_scan(exec, rows, detail::count_couplings<T, I>{a, place},
                                              detail::store_coupling_offset<I>{offsets.data()}, std::int64_t(0));
    fill(exec, offsets.view().slice(rows, 1), I(count));
    buffer<I> columns(exec, count);
    buffer<T> values(exec, count), bands(exec, padded * (place.lower + place.upper + 1));
    for_each(exec, padded,
             detail::split_row<T, I>{a, place, bands.data(), offsets.data(), columns.data(), values.data()});
    return {rows,
            block,
            int(place.lower),
            int(place.upper),
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

/// y = A x; both of rows() elements in the memory of `exec`, without overlap. Neither allocates nor waits.
template <executor Executor, class T, class I>
void spmv(Executor const& exec, block_hybrid_view<T, I> a, array_view<std::type_identity_t<T> const> x,
          array_view<std::type_identity_t<T>> y) {
    require_size("length of x", x, a.rows());
    require_size("length of y", y, a.rows());
    for_each(exec, a.rows(), detail::hybrid_product<T, I>{a, x.data(), y.data()});
}

} // namespace coppice
