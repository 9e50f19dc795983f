// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors of a splitting: tridiagonal along a forest, 2x2 block tridiagonal along a forest of pairs, or banded.
#pragma once

#include <algorithm>
#include <utility>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/graph/forest/paired_forest.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>

namespace coppice::inline v0_1 {

enum class factor_kind {
    forest, ///< the diagonal and the edges of a linear forest
    blocks, ///< pairs, and the couplings of pairs that are adjacent on the paths of a forest of pairs
    bands   ///< entries within a given distance from the diagonal, in the given order of the rows
};

namespace detail {

/// The pattern of a factor: which entries of a matrix it contains (algebra/pattern.hpp).
template <class I>
struct factor_pattern {
    I const* position;           ///< position of a vertex
    int block;                   ///< positions per block
    int reach;                   ///< number of coupled blocks on each side
    std::uint8_t const* coupled; ///< whether a block is coupled with the next one; null: all blocks are

    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        I const p = position[row] / I(block), q = position[column] / I(block);
        I const first = p < q ? p : q, distance = p < q ? q - p : p - q;
        return distance == 0 || (distance <= I(reach) && (!coupled || coupled[first]));
    }
};

/// Storage of the entries of a factor: as in block_tridiagonal; if the reach exceeds one block, as in banded, in
/// `diagonal`.
template <class T>
struct factor_entries {
    T *lower, *diagonal, *upper;
    std::int64_t n; ///< number of positions
    int block, reach;

    COPPICE_HD T* at(std::int64_t p, std::int64_t q) const {
        if (reach > 1) return diagonal + (q - p + reach) * n + p;
        std::int64_t const row = p / block, column = q / block;
        T* const blocks = column < row ? lower : column > row ? upper : diagonal;
        return blocks + (row * block + (q - column * block)) * block + (p - row * block);
    }
    COPPICE_HD std::int64_t first_of(std::int64_t p) const {
        std::int64_t const first = (p / block - reach) * block;
        return first > 0 ? first : 0;
    }
    COPPICE_HD std::int64_t end_of(std::int64_t p) const {
        std::int64_t const end = (p / block + reach + 1) * block;
        return end < n ? end : n;
    }
};

/// Fills row i of a factor with Values::on_diagonal(i), and with off_diagonal(i, k, j) for the entries k that
/// values.contains(k).
template <class T, class I, class Values>
struct read_factor_row {
    csr_view<T, I> a;
    factor_pattern<I> pattern;
    factor_entries<T> entries;
    Values values;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const p = pattern.position[i];
        for (I k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const j = a.indices[k];
            if (j == I(i) || !pattern(i, j) || !values.contains(k)) continue;
            T* const entry = entries.at(p, pattern.position[j]);
            *entry = *entry + values.off_diagonal(i, j, a.coefficients[k]);
        }
        *entries.at(p, p) = values.on_diagonal(i);
    }
};
/// The entries of A, unchanged.
template <class T, class I>
struct plain_values {
    csr_view<T, I> a;
    COPPICE_HD bool contains(I) const { return true; }
    COPPICE_HD T off_diagonal(std::int64_t, std::int64_t, T entry) const { return entry; }
    COPPICE_HD T on_diagonal(std::int64_t i) const { return sum_in_row(a, i, i); }
};
template <class T, class I>
struct write_ghost {
    I const* order;
    factor_entries<T> entries;
    COPPICE_HD void operator()(std::int64_t p) const {
        if (order[p] < 0) *entries.at(p, p) = T(1);
    }
};

template <class I>
struct coupled_to_next {
    I const *permutation, *links;
    std::uint8_t* coupled;
    COPPICE_HD void operator()(std::int64_t p) const { coupled[p] = links[2 * std::int64_t(permutation[p]) + 1] >= 0; }
};

/// x = P r with ones in padding, which no other equation reads.
template <class T, class I>
struct put_in_padded_order {
    I const* order;
    array_view<T const> r;
    T* x;
    COPPICE_HD void operator()(std::int64_t p) const { x[p] = order[p] < 0 ? T(1) : r[order[p]]; }
};

/// The ordering, the system and the solve workspace of a factor. Entries outside of the pattern are zero.
template <executor Executor, class T, class I>
class solvable_factor {
public:
    solvable_factor(Executor const& exec, linear_forest<I> const& forest, tridiagonal_options const& options)
        : solvable_factor(exec, 1, 1, copy_of(exec, forest.permutation), copy_of(exec, forest.inverse), options) {
        couple(exec, forest);
    }
    solvable_factor(Executor const& exec, paired_forest<I> const& forest, tridiagonal_options const& options)
        : solvable_factor(exec, 2, 1, copy_of(exec, forest.order), copy_of(exec, forest.positions), options) {
        couple(exec, forest.blocks);
    }
    /// A band of n rows in the given order, with `bands` bands on each side.
    solvable_factor(Executor const& exec, std::int64_t n, int bands, tridiagonal_options const& options)
        : solvable_factor(exec, 1, bands, numbers(exec, n), numbers(exec, n), options) {}

    std::int64_t vertices() const { return positions_.size(); }
    buffer<I> const& order() const { return order_; }
    factor_pattern<I> pattern() const {
        return {positions_.data(), block_, reach_, coupled_.size() > 0 ? coupled_.data() : nullptr};
    }
    factor_entries<T> entries() {
        return {lower_.data(), diagonal_.data(), upper_.data(), order_.size(), block_, reach_};
    }
    band_matrix<T> system() const { return system_of(lower_.data(), diagonal_.data(), upper_.data()); }
    /// A system with the same pattern and other entries.
    band_matrix<T> system_of(T const* lower, T const* diagonal, T const* upper) const {
        if (reach_ > 1) return banded_view<T>{order_.size(), reach_, reach_, diagonal};
        if (block_ > 1) return block_tridiagonal_view<T>{order_.size() / block_, block_, lower, diagonal, upper};
        return tridiagonal_view<T>{order_.size(), lower, diagonal, upper};
    }
    /// Reads the entries of the factor from A. Queued on CUDA.
    template <class Values>
    void read(Executor const& exec, csr_view<T, I> a, Values const& values) {
        for (buffer<T>* const entries : {&lower_, &diagonal_, &upper_}) fill(exec, entries->view(), T(0));
        for_each(exec, order_.size(), write_ghost<T, I>{order_.data(), entries()});
        for_each(exec, vertices(), read_factor_row<T, I, Values>{a, pattern(), entries(), values});
    }
    /// z = P^T S^-1 P r. z may be r.
    void solve(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        if (block_ == 1 && reach_ == 1)
            return solve_tridiagonal_in_order(
                exec, tridiagonal_view<T>{order_.size(), lower_.data(), diagonal_.data(), upper_.data()},
                {order_.data(), order_.data()}, r, z, workspace_.view(), options_);
        for_each(exec, order_.size(), put_in_padded_order<T, I>{order_.data(), r, work_.data()});
        solve_in_positions(exec, system(), work_.view(), work_.view());
        for_each(exec, order_.size(), put_back<T, I>{order_.data(), work_.data(), z});
    }
    /// Solves `other`, a system with the pattern of the factor, by the method of solve(); d and x in the order of the
    /// positions. x may be d.
    void solve_in_positions(Executor const& exec, band_matrix<T> const& other, array_view<T const> d,
                            array_view<T> x) const {
        if (block_ == 1 && reach_ == 1)
            solve_tridiagonal_by_rpts(exec, tridiagonal_view<T>{other.size, other.lower, other.diagonal, other.upper},
                                      d, x, workspace_.view(), options_);
        else
            solve_bands<T>(exec, other, columns_view<T const>(d), columns_view<T>(x), workspace_.view(),
                           solve_options());
    }
    /// z = P^T S^-T P r. z may be r. Allocates.
    void solve_transposed(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        detail::solve_transposed(exec, system(), order_.data(), r, z, solve_options());
    }

private:
    band_options solve_options() const { return {.pivot = options_.pivot, .threshold = options_.threshold}; }
    solvable_factor(Executor const& exec, int block, int reach, buffer<I> order, buffer<I> positions,
                    tridiagonal_options const& options)
        : options_(options), block_(block), reach_(reach), order_(std::move(order)), positions_(std::move(positions)) {
        std::int64_t const n = order_.size();
        diagonal_ = buffer<T>(exec, n * (reach > 1 ? 2 * reach + 1 : block));
        lower_ = buffer<T>(exec, reach > 1 ? 0 : n * block);
        upper_ = buffer<T>(exec, reach > 1 ? 0 : n * block);
        bool const single = block == 1 && reach == 1;
        work_ = buffer<T>(exec, single ? 0 : n);
        std::int64_t const needed = bands_workspace<T>(exec, system(), 1, solve_options());
        workspace_ =
            buffer<std::byte>(exec, single ? std::max<std::int64_t>(needed, tridiagonal_workspace<T>(n)) : needed);
    }
    static buffer<I> numbers(Executor const& exec, std::int64_t n) {
        buffer<I> order(exec, n);
        for_each(exec, n, count_up<I>{order.data()});
        return order;
    }
    void couple(Executor const& exec, linear_forest<I> const& forest) {
        coupled_ = buffer<std::uint8_t>(exec, forest.vertices);
        for_each(exec, forest.vertices,
                 coupled_to_next<I>{forest.permutation.data(), forest.links.data(), coupled_.data()});
    }

    tridiagonal_options options_;
    int block_, reach_;
    buffer<I> order_;     ///< vertex at a position, -1: none
    buffer<I> positions_; ///< positions of the vertices
    buffer<std::uint8_t> coupled_{};
    buffer<T> lower_{}, diagonal_{}, upper_{};
    mutable buffer<T> work_{};
    mutable buffer<std::byte> workspace_{};
};

} // namespace detail
} // namespace coppice::inline v0_1
