// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Storage of block tridiagonal and banded matrices, and of several dense vectors.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

inline constexpr int largest_block =
    8; ///< maximum block size, and maximum number of bands on either side, that the solvers support

/// Borrowed dense matrix, column-major: element (i, j) is pointer[i + j * leading].
template <class T>
struct columns_view {
    using value_type = std::remove_const_t<T>;

    T* pointer = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading = 0;

    columns_view() = default;
    columns_view(T* elements, std::int64_t row_count, std::int64_t column_count)
        : columns_view(elements, row_count, column_count, row_count) {}
    columns_view(T* elements, std::int64_t row_count, std::int64_t column_count, std::int64_t leading_dimension)
        : pointer(elements), rows(row_count), columns(column_count), leading(leading_dimension) {}
    /// A matrix of one column.
    columns_view(array_view<T> column) : columns_view(column.data(), column.size(), 1) {}
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<T, U const>) columns_view(columns_view<U> const& other)
        : columns_view(other.pointer, other.rows, other.columns, other.leading) {}

    T* data() const { return pointer; }
};

/// Borrowed block tridiagonal matrix of `length` block rows. Blocks are `block` x `block`, each column-major: block row
/// i is lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1]. The blocks outside the matrix, lower[0] and upper[length
/// - 1], are ignored, except by operations on cyclic systems, in which they couple the first and the last block row.
template <class T>
struct block_tridiagonal_view {
    using value_type = T;

    std::int64_t length = 0;
    int block = 1;
    T const* lower = nullptr;
    T const* diagonal = nullptr;
    T const* upper = nullptr;

    std::int64_t size() const { return length * block; } ///< number of scalar rows
};

/// Borrowed banded matrix. Bands are stored one after another from the lowest to the highest, each of `length`
/// elements: A(i, i + k) is bands[(k + lower_bands) * length + i]. Elements outside the matrix are ignored.
template <class T>
struct banded_view {
    using value_type = T;

    std::int64_t length = 0;
    int lower_bands = 0;
    int upper_bands = 0;
    T const* bands = nullptr;

    std::int64_t size() const { return length; }
};

/// Owner of the blocks of a block tridiagonal matrix, not initialised. Move-only.
template <class T>
class block_tridiagonal {
public:
    using value_type = T;

    block_tridiagonal() = default;
    template <executor Executor>
    block_tridiagonal(Executor const& exec, std::int64_t length, int block)
        : lower(exec, elements(length, block)), diagonal(exec, elements(length, block)),
          upper(exec, elements(length, block)), length_(length), block_(block) {}
    block_tridiagonal(std::int64_t length, int block, buffer<T> below, buffer<T> middle, buffer<T> above)
        : lower(std::move(below)), diagonal(std::move(middle)), upper(std::move(above)), length_(length),
          block_(block) {
        require_size("lower blocks", lower, elements(length, block));
        require_size("diagonal blocks", diagonal, elements(length, block));
        require_size("upper blocks", upper, elements(length, block));
    }

    std::int64_t length() const { return length_; } ///< number of block rows
    int block() const { return block_; }
    std::int64_t size() const { return length_ * block_; }
    block_tridiagonal_view<T> view() const& { return {length_, block_, lower.data(), diagonal.data(), upper.data()}; }
    operator block_tridiagonal_view<T>() const& { return view(); }
    block_tridiagonal_view<T> view() const&& = delete; ///< the view of a temporary matrix would dangle
    operator block_tridiagonal_view<T>() const&& = delete;

    buffer<T> lower, diagonal, upper;

private:
    static std::int64_t elements(std::int64_t length, int block) {
        return checked_product(length, std::int64_t(block) * block, "elements of the blocks");
    }
    std::int64_t length_ = 0;
    int block_ = 1;
};

template <executor Executor, class T>
block_tridiagonal<T> copy_of(Executor const& exec, block_tridiagonal<T> const& a) {
    return {a.length(), a.block(), copy_of(exec, a.lower), copy_of(exec, a.diagonal), copy_of(exec, a.upper)};
}

/// Owner of the bands of a banded matrix, not initialised. Move-only.
template <class T>
class banded {
public:
    using value_type = T;

    banded() = default;
    template <executor Executor>
    banded(Executor const& exec, std::int64_t length, int lower_bands, int upper_bands)
        : banded(length, lower_bands, upper_bands, buffer<T>(exec, elements_of(length, lower_bands, upper_bands))) {}
    banded(std::int64_t length, int lower_bands, int upper_bands, buffer<T> elements)
        : bands(std::move(elements)), length_(length), lower_(lower_bands), upper_(upper_bands) {
        require_size("bands", bands, elements_of(length, lower_bands, upper_bands));
    }

    std::int64_t size() const { return length_; }
    int lower_bands() const { return lower_; }
    int upper_bands() const { return upper_; }
    banded_view<T> view() const& { return {length_, lower_, upper_, bands.data()}; }
    operator banded_view<T>() const& { return view(); }
    banded_view<T> view() const&& = delete; ///< the view of a temporary matrix would dangle
    operator banded_view<T>() const&& = delete;

    buffer<T> bands;

private:
    static std::int64_t elements_of(std::int64_t length, int lower, int upper) {
        return checked_product(length, std::int64_t(lower) + upper + 1, "elements of the bands");
    }
    std::int64_t length_ = 0;
    int lower_ = 0, upper_ = 0;
};

template <executor Executor, class T>
banded<T> copy_of(Executor const& exec, banded<T> const& a) {
    return {a.size(), a.lower_bands(), a.upper_bands(), copy_of(exec, a.bands)};
}

} // namespace coppice::inline v0_1
