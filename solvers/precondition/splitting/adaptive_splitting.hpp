// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The adaptive multiplicative operator splitting MOS-a (thesis sections 5.1.10 and 5.2.3) with a set-up cost below
/// O(N^2).
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <coppice/algebra/pattern.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/solvers/precondition/splitting/row_windows.hpp>
#include <coppice/solvers/precondition/splitting/splitting_forests.hpp>

namespace coppice::inline v0_1 {

struct adaptive_options {
    splitting_options splitting{}; ///< coverages are those of the diagonals of the B_l; omega is unused
    int window = 32;               ///< entries of inverses are computed up to this distance in positions, 1 to 1024
    /// In (0, 1]: relative error of the selected entries, relative to the smallest selected one.
    double accuracy = 0.01;
};

namespace detail {

inline void check_adaptive_options(adaptive_options const& options) {
    check_splitting_options(options.splitting);
    if (options.window < 1 || options.window > 1024)
        throw argument_error("window of an adaptive splitting is " + std::to_string(options.window) +
                             ", expected 1 to 1024");
    if (!(options.accuracy > 0 && options.accuracy <= 1))
        throw argument_error("accuracy of an adaptive splitting is " + coppice::detail::number_text(options.accuracy) +
                             ", expected more than 0 and at most 1");
}

/// B_l with columns as positions along forest l.
template <class T, class I>
struct path_ordered_matrix {
    csr<T, I> matrix{};
    srcsr_plan<I> plan{};
};

/// Sorts a row by its columns, which are positions.
template <class T, class I>
struct path_ordered_row {
    csr_view<T, I> b;
    I const* inverse;
    I* columns;
    T* values;
    COPPICE_HD void operator()(std::int64_t row) const {
        I const begin = b.row_begin(row), length = b.row_end(row) - begin;
        if (length <= few) return sort_few(begin, int(length));
        for (I k = begin; k < begin + length; ++k) {
            columns[k] = inverse[b.indices[k]];
            values[k] = b.coefficients[k];
        }
        lane_sort<T, I>{columns + begin, values + begin}(length);
    }

private:
    static constexpr I few = 32;
    /// Sorts a short row in local memory of the lane: accesses of adjacent lanes to their rows in global memory would
    /// not share cache lines.
    COPPICE_HD void sort_few(I begin, int length) const {
        I own_columns[few];
        T own_values[few];
        for (int k = 0; k < length; ++k) {
            I const column = inverse[b.indices[begin + k]];
            int to = k;
            for (; to > 0 && own_columns[to - 1] > column; --to) {
                own_columns[to] = own_columns[to - 1];
                own_values[to] = own_values[to - 1];
            }
            own_columns[to] = column;
            own_values[to] = b.coefficients[begin + k];
        }
        for (int k = 0; k < length; ++k) {
            columns[begin + k] = own_columns[k];
            values[begin + k] = own_values[k];
        }
    }
};
/// Extracts the diagonal of a matrix whose columns are positions.
template <class I>
struct path_ordered_diagonal {
    I const* inverse;
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t position) const { return inverse[row] == position; }
};
/// As graph_detail::classify_nonzero, for columns that are positions.
template <class T, class I>
struct classify_path_ordered {
    I const *links, *inverse;
    COPPICE_HD graph_detail::band_value<T> operator()(T const& value, I const& column, std::int64_t row) const {
        using graph_detail::band;
        I const p = inverse[row];
        band const kind = column == p                                  ? band::diagonal
                          : column == p - 1 && links[2 * row] >= 0     ? band::lower
                          : column == p + 1 && links[2 * row + 1] >= 0 ? band::upper
                                                                       : band::none;
        return {kind == band::none ? T(0) : value, kind};
    }
};
/// Reads new values of A into a matrix whose columns are positions.
template <class T, class I>
struct read_path_ordered {
    csr_view<T, I> a;
    bool sorted;      ///< whether the rows of a are sorted
    T const* inverse; ///< factor of each row
    I const* columns;
    I const* permutation;
    T* values;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        I const vertex = permutation[columns[k]];
        T const value = sorted ? a.coefficients[position_in_row(a, row, vertex)] : sum_in_row(a, row, vertex);
        values[k] = inverse[row] * value;
        return 0;
    }
};
/// Maximum number of entries in a row of B_l: the off-diagonal entries of A, and the diagonal.
template <class T, class I>
struct count_capacity {
    csr_view<T, I> a;
    COPPICE_HD I operator()(std::int64_t i) const {
        I count = 1;
        for (I k = a.row_begin(i); k < a.row_end(i); ++k) count += a.indices[k] != I(i) ? 1 : 0;
        return count;
    }
};
template <class I>
struct copy_found {
    I const *capacity_offsets, *offsets, *from;
    I* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        for (I k = 0; k < offsets[i + 1] - offsets[i]; ++k) to[offsets[i] + k] = from[capacity_offsets[i] + k];
    }
};
/// Computes D^-1 A, entry by entry.
template <class T, class I>
struct scale_nonzero {
    csr_view<T, I> a;
    T const* inverse;
    T* values;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        values[k] = inverse[row] * a.coefficients[k];
        return 0;
    }
};
/// Multiplies row p of a tridiagonal system by d_v t_v, where v = permutation[p] is the vertex of the row. `inverse_d`
/// and `inverse_t` contain 1 / d_v and 1 / t_v.
template <class T, class I>
struct scale_system_row {
    T const *inverse_d, *inverse_t;
    I const* permutation;
    T *lower, *diagonal, *upper;
    COPPICE_HD void operator()(std::int64_t p) const {
        I const v = permutation[p];
        T const scale = T(1) / inverse_d[v] / inverse_t[v];
        lower[p] = scale * lower[p];
        diagonal[p] = scale * diagonal[p];
        upper[p] = scale * upper[p];
    }
};

} // namespace detail

/// Computes z = M_0^-1 ... M_{m-1}^-1 T^-1 r (Eqs. 68, 69, 76, 79). M_l is the tridiagonal factor of B_l along a linear
/// forest of the normalised weights of B_l; B_0 = D^-1 A with D = diagp_1(A); B_{l+1} is B_l M_l^-1, restricted in each
/// row to the diagonal and to as many of the largest off-diagonal entries as A has; T = D diagp_1(B_m). (The thesis
/// starts with B_0 = A; then a row scaling of A becomes a column scaling of B_1 and has an effect, contrary to section
/// 5.1.7.) Cost of apply(): m tridiagonal solves, no product with A. Singular factors are regularised. M is not
/// symmetric even if A is. If A is multiplied from the left by a diagonal matrix, so is M.
///
/// Set-up: O(nonzeros * window) per factor, see row_windows.hpp: only windows of the rows of the inverses are computed;
/// a window ends if the remaining entries are too small to be selected. refresh() reuses the forests and the patterns
/// of the B_l. Memory: B_0, ..., B_m, that is m + 1 times the memory of A. apply() uses workspace of the object: one
/// solve at a time.
template <executor Executor, class T, class I = std::int32_t>
class adaptive_splitting {
public:
    /// Throws the same exceptions as inner_alternation.
    adaptive_splitting(Executor const& exec, csr_view<T, I> a, adaptive_options const& options = {});

    /// Reads the new values of a matrix, as inner_alternation::refresh() does, and throws the same errors.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        systems_.solve_successively(exec, r, z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        systems_.solve_successively_transposed(exec, r, z);
    }
    bool replayable() const { return true; }
    int factors() const { return systems_.count(); }
    linear_forest<I> const& forest(int l = 0) const { return systems_.forest(l); }
    /// B_m, the remaining matrix after all factors.
    csr_view<T, I> rest() const { return last_.matrix.view(); }
    std::vector<finding> findings() const;

private:
    /// Columns at the offsets of the rows, and number of columns in each row.
    using found_rows = std::pair<buffer<I>, buffer<I>>;

    linear_forest<I> find_forest(Executor const& exec, csr_view<T, I> b);
    void store_path_ordered(Executor const& exec, csr_view<T, I> b, linear_forest<I> const& forest);
    void read_system(Executor const& exec, int l);
    csr<T, I> find_next(Executor const& exec, int l);
    void fill_next(Executor const& exec, int l, csr<T, I>& b, srcsr_plan<I> const& plan, I const* vertex_of);
    void search_rows(Executor const& exec, int l, I* columns, T* values, I* counts);
    void finish(Executor const& exec);
    detail::path_ordered_rows<T, I> rows_of(int l) const {
        auto const& forest = systems_.forest(l);
        return {path_ordered_[std::size_t(l)].matrix.view(),
                inverse_.view(),
                systems_.system(l).diagonal.data(),
                forest.links.data(),
                forest.permutation.data(),
                forest.inverse.data(),
                options_.window};
    }

    std::int64_t rows_;
    adaptive_options options_;
    detail::pattern_fingerprint fingerprint_;
    bool sorted_; ///< whether the rows of A are sorted
    detail::forest_systems<Executor, T, I> systems_;
    std::vector<detail::path_ordered_matrix<T, I>> path_ordered_{}; ///< B_0, ..., B_{m-1}
    detail::path_ordered_matrix<T, I> last_{};                      ///< B_m, columns as in A
    buffer<I> capacity_offsets_{};                                  ///< used during the set-up only
    detail::path_inverse<T> inverse_;
    detail::row_scales<T, I> first_scales_{}, last_scales_{}; ///< diagp_1 of A and of B_m
    std::vector<double> diagonal_{};                          ///< diagonal coverage of B_0, ..., B_m
    double forests_seconds_ = 0, inverses_seconds_ = 0;
};

template <executor Executor, class T, class I>
adaptive_splitting<Executor, T, I>::adaptive_splitting(Executor const& exec, csr_view<T, I> a,
                                                       adaptive_options const& options)
    : rows_(require_square(a, "a preconditioner").rows()), options_(options), fingerprint_(exec, a),
      sorted_(has_sorted_columns(exec, a)), systems_(exec, rows_, options.splitting.tridiagonal),
      inverse_(exec, rows_) {
    auto const& o = options.splitting;
    detail::check_adaptive_options(options);
    detail::require_finite(exec, a);
    I entries = 0;
    capacity_offsets_ = detail::offsets_of_degrees<I>(exec, rows_, detail::count_capacity<T, I>{a}, entries);
    first_scales_.read(exec, a);
    buffer<T> scaled(exec, a.nonzeros());
    reduce_rows(exec, first_scales_.plan, detail::scale_nonzero<T, I>{a, first_scales_.inverse.data(), scaled.data()},
                graph_detail::ignore_products{}, graph_detail::ignore_rows{});
    csr<T, I> b{a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
                std::move(scaled)};
    if (!sorted_) b = sort_columns(exec, b.view());
    double before = 0;
    for (int l = 0;; ++l) {
        double const held = coverage(exec, b.view(), diagonal_pattern{});
        bool const ends = l > 0 && (held > o.enough_coverage || (o.min_gain > 0 && held - before < o.min_gain));
        if (l == o.factors || ends) break;
        detail::stopwatch watch(exec);
        auto forest = find_forest(exec, b.view());
        forests_seconds_ += watch.lap();
        if (l > 0 && forest.edges == 0) break;
        store_path_ordered(exec, b.view(), forest);
        systems_.add(exec, std::move(forest));
        diagonal_.push_back(held);
        read_system(exec, l);
        b = find_next(exec, l);
        inverses_seconds_ += watch.lap();
        before = held;
    }
    last_.plan = make_srcsr_plan(exec, b.view());
    last_.matrix = std::move(b);
    capacity_offsets_ = {};
    diagonal_.push_back(0);
    systems_.prepare_successive(exec);
    finish(exec);
}

template <executor Executor, class T, class I>
linear_forest<I> adaptive_splitting<Executor, T, I>::find_forest(Executor const& exec, csr_view<T, I> b) {
    detail::row_scales<T, I> scales;
    detail::normalised_weights<T, I> const weights(exec, b, scales);
    factor_options factor = options_.splitting.factor;
    factor.degree = 2; // paths
    return extract_forest(exec, weights.view(), parallel_factor(exec, weights.view(), factor));
}

/// Stores B_l with its columns as positions.
template <executor Executor, class T, class I>
void adaptive_splitting<Executor, T, I>::store_path_ordered(Executor const& exec, csr_view<T, I> b,
                                                            linear_forest<I> const& forest) {
    buffer<I> columns(exec, b.nonzeros());
    buffer<T> values(exec, b.nonzeros());
    for_each(exec, rows_, detail::path_ordered_row<T, I>{b, forest.inverse.data(), columns.data(), values.data()});
    detail::path_ordered_matrix<T, I> placed;
    placed.matrix = {b.rows(), b.columns(), copy_of(exec, b.row_offsets()), std::move(columns), std::move(values)};
    placed.plan = make_srcsr_plan(exec, placed.matrix.view());
    path_ordered_.push_back(std::move(placed));
}

/// Reads M_l from B_l, and computes the ratios of its inverse.
template <executor Executor, class T, class I>
void adaptive_splitting<Executor, T, I>::read_system(Executor const& exec, int l) {
    auto const& forest = systems_.forest(l);
    auto const& b = path_ordered_[std::size_t(l)];
    auto& system = systems_.system(l);
    reduce_rows(exec, b.plan,
                along_nonzeros{detail::classify_path_ordered<T, I>{forest.links.data(), forest.inverse.data()},
                               b.matrix.view().coefficients, b.matrix.view().indices},
                graph_detail::add_to_row<T>{},
                graph_detail::store_system_row<T, I>{forest.inverse.data(), system.lower.data(), system.diagonal.data(),
                                                     system.upper.data()});
    systems_.regularise(exec, l, b.matrix.view(), false);
    inverse_.read(exec, system.view(), options_.window);
}

/// Computes B_{l+1}, columns as in A.
template <executor Executor, class T, class I>
csr<T, I> adaptive_splitting<Executor, T, I>::find_next(Executor const& exec, int l) {
    std::int64_t const capacity = rows_ > 0 ? std::int64_t(exec.load(capacity_offsets_.data() + rows_)) : 0;
    buffer<I> columns(exec, capacity), counts(exec, rows_);
    buffer<T> values(exec, capacity);
    search_rows(exec, l, columns.data(), values.data(), counts.data());
    I nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<I>(exec, rows_, detail::stored_degree<I>{counts.data()}, nonzeros);
    if (nonzeros < capacity) { // some rows have spare capacity
        buffer<I> found(exec, nonzeros);
        for_each(exec, rows_,
                 detail::copy_found<I>{capacity_offsets_.data(), offsets.data(), columns.data(), found.data()});
        columns = std::move(found);
        values = buffer<T>(exec, nonzeros);
    }
    csr<T, I> b{I(rows_), I(rows_), std::move(offsets), std::move(columns), std::move(values)};
    fill_next(exec, l, b, make_srcsr_plan(exec, b.view()), nullptr);
    return b;
}

/// Each lane processes several rows one after the other in the same scratch memory, which stays in cache on the host;
/// on a device there is one lane per row, or as many as memory allows.
template <executor Executor, class T, class I>
void adaptive_splitting<Executor, T, I>::search_rows(Executor const& exec, int l, I* columns, T* values, I* counts) {
    constexpr bool on_host = std::is_same_v<Executor, host_executor>;
    constexpr std::int64_t budget = on_host ? 1 << 22 : 1 << 26, min_rows = on_host ? 64 : 1;
    if (rows_ == 0) return;
    std::int64_t const longest = degrees(exec, path_ordered_[std::size_t(l)].matrix.view()).largest;
    std::int64_t const memory = std::max<std::int64_t>(1, longest * detail::row_walk<T, I>::each(options_.window));
    std::int64_t const max_lanes = std::max<std::int64_t>(1, budget / memory);
    std::int64_t const each = std::max(min_rows, (rows_ + max_lanes - 1) / max_lanes),
                       lanes = (rows_ + each - 1) / each;
    buffer<T> scratch(exec, lanes * memory);
    for_each(exec, lanes,
             detail::find_largest<T, I>{rows_of(l), capacity_offsets_.data(), options_.accuracy, columns, values,
                                        counts, scratch.data(), memory, lanes, each, !on_host});
}

/// Computes the values of B_{l+1} on its pattern.
template <executor Executor, class T, class I>
void adaptive_splitting<Executor, T, I>::fill_next(Executor const& exec, int l, csr<T, I>& b, srcsr_plan<I> const& plan,
                                                   I const* vertex_of) {
    reduce_rows(exec, plan,
                detail::fill_entries<T, I>{rows_of(l), b.row_offsets().data(), b.column_indices().data(), vertex_of,
                                           systems_.forest(l).inverse.data(), b.values().data()},
                graph_detail::ignore_products{}, graph_detail::ignore_rows{});
}

/// Replaces the last factor M_{m-1} by T M_{m-1}, T = D diagp_1(B_m), so that its solve includes T^-1.
template <executor Executor, class T, class I>
void adaptive_splitting<Executor, T, I>::finish(Executor const& exec) {
    diagonal_.back() = coverage(exec, last_.matrix.view(), diagonal_pattern{});
    last_scales_.read(exec, last_.matrix.view());
    auto const& forest = systems_.forest(systems_.count() - 1);
    auto& system = systems_.system(systems_.count() - 1);
    for_each(exec, rows_,
             detail::scale_system_row<T, I>{first_scales_.inverse.data(), last_scales_.inverse.data(),
                                            forest.permutation.data(), system.lower.data(), system.diagonal.data(),
                                            system.upper.data()});
}

template <executor Executor, class T, class I>
void adaptive_splitting<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    fingerprint_.require_same(exec, a);
    first_scales_.read(exec, a);
    auto& first = path_ordered_.front();
    reduce_rows(exec, first.plan,
                detail::read_path_ordered<T, I>{a, sorted_, first_scales_.inverse.data(),
                                                first.matrix.column_indices().data(),
                                                systems_.forest(0).permutation.data(), first.matrix.values().data()},
                graph_detail::ignore_products{}, graph_detail::ignore_rows{});
    int const m = systems_.count();
    for (int l = 0; l < m; ++l) {
        diagonal_[std::size_t(l)] = coverage(exec, path_ordered_[std::size_t(l)].matrix.view(),
                                             detail::path_ordered_diagonal<I>{systems_.forest(l).inverse.data()});
        read_system(exec, l);
        bool const last = l + 1 == m;
        auto& next = last ? last_ : path_ordered_[std::size_t(l) + 1];
        fill_next(exec, l, next.matrix, next.plan, last ? nullptr : systems_.forest(l + 1).permutation.data());
    }
    finish(exec);
}

template <executor Executor, class T, class I>
std::vector<finding> adaptive_splitting<Executor, T, I>::findings() const {
    auto all = systems_.findings();
    for (std::size_t l = 1; l < diagonal_.size(); ++l)
        all.push_back({detail::diagonal_keys[l - 1], finding_unit::fraction, diagonal_[l]});
    all.push_back({"forests_seconds", finding_unit::seconds, forests_seconds_});
    all.push_back({"inverses_seconds", finding_unit::seconds, inverses_seconds_});
    return all;
}

struct adaptive_splitting_entry {
    static constexpr option_row options[] = {
        detail::factors_row,
        detail::enough_diagonal_row,
        detail::min_gain_row,
        {.name = "window",
         .standard = "32",
         .meaning = "largest distance along a path of entries of the inverse",
         .min = 1,
         .max = 1024},
        {.name = "accuracy",
         .kind = option_kind::real,
         .standard = "0.01",
         .meaning = "error of the selected entries relative to the smallest of them",
         .min = 1e-15,
         .max = 1},
        detail::ties_row,
        detail::rounds_row,
        detail::seed_row,
        detail::pivoting_row,
        detail::threshold_row};
    static constexpr preconditioner_row row{.name = "mos-a",
                                            .matrix = "as mos-d, each factor from the remaining matrix",
                                            .setup = "some 5 m times that of forest",
                                            .suits = "as mos-d, mainly for small diagonals; not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = options};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return adaptive_splitting<Executor, T, I>(exec, a, read(o));
    }
    static adaptive_options read(chosen_options const& o) {
        return {.splitting = detail::read_splitting_options(o, false),
                .window = int(o.integer("window")),
                .accuracy = o.real("accuracy")};
    }
};

} // namespace coppice::inline v0_1
