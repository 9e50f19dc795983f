// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Alternating splittings: tridiagonal factors of A along several linear forests, applied one after the other.
#pragma once

#include <cmath>
#include <string>

#include <coppice/core/one_user.hpp>
#include <coppice/graph/forest/grid_lines.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>
#include <coppice/solvers/precondition/splitting/splitting_forests.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Computes left = r - A x, row by row.
template <class T>
struct store_residual {
    T const* r;
    T* left;
    COPPICE_HD void operator()(std::int64_t row, T const& product) const { left[row] = r[row] - product; }
};

/// x[i] = r[i] - x[i].
template <class T>
struct subtract_from {
    T const* r;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] = r[i] - x[i]; }
};

/// z = z + M_k^-1 (r - A z) for k = 0, ..., factors - 1, from z = 0 (Eq. 28). solve(k, r, z) computes z = M_k^-1 r and
/// accepts z = r; subtract() computes left = r - A z.
template <executor Executor, class T, class Solve, class Subtract>
void alternate(Executor const& exec, int factors, Solve const& solve, Subtract const& subtract, array_view<T const> r,
               array_view<T> left, array_view<T> z) {
    solve(0, r, z);
    for (int k = 1; k < factors; ++k) {
        subtract();
        solve(k, array_view<T const>(left), left);
        for_each(exec, z.size(), axpy<T>{T(1), left.data(), z.data()});
    }
}

template <class T, class I>
struct covered_weight_of_row {
    csr_view<T, I> weights;
    graph_detail::weigh_nonzero<T, I> weigh;
    COPPICE_HD graph_detail::covered_weight operator()(std::int64_t i) const {
        graph_detail::covered_weight weight{0, 0};
        for (I k = weights.row_begin(i); k < weights.row_end(i); ++k)
            weight = graph_detail::add_covered_weight{}(weight, weigh(weights.coefficients[k], weights.indices[k], i));
        return weight;
    }
};

/// Function object `find` for the lines of a grid in each of its directions.
template <executor Executor>
struct find_grid_lines {
    Executor const& exec;
    grid_sizes const& grid;
    template <class T, class I>
    forest_decomposition<I> operator()(csr_view<T, I> weights) const {
        forest_decomposition<I> found;
        double covered = 0;
        for (int direction = 0; direction < 3; ++direction) {
            bool const no_line = grid.along(direction) == 1;
            if (no_line && !(direction == 2 && found.forests.empty())) continue;
            auto lines = grid_lines<I>(exec, grid, direction);
            require_size("points of the grid of a preconditioner", lines.vertices, weights.rows());
            graph_detail::weigh_nonzero<T, I> const weigh{lines.links.data(), 2};
            auto const sum = reduce(exec, weights.rows(), graph_detail::covered_weight{0, 0},
                                    covered_weight_of_row<T, I>{weights, weigh}, graph_detail::add_covered_weight{});
            lines.weight_coverage = sum.all > 0 ? sum.covered / sum.all : 1;
            covered += lines.weight_coverage;
            found.forests.push_back(std::move(lines));
            found.covered.push_back(covered);
        }
        return found;
    }
};

/// Factors M_l = prune(A, S_l) (Eq. 72) along the forests S_l of the normalised weights of A (Eqs. 70 and 71).
template <executor Executor, class T, class I>
class alternating_factors {
public:
    alternating_factors(Executor const& exec, csr_view<T, I> a, splitting_options const& options)
        : forests_(exec, a, options.tridiagonal, find_heavy_forests<Executor>{exec, options},
                   [&](auto& forests) { read(exec, a, forests); }) {}
    /// Factors along the lines of a grid.
    alternating_factors(Executor const& exec, csr_view<T, I> a, grid_sizes const& grid,
                        tridiagonal_options const& options)
        : forests_(exec, a, options, find_grid_lines<Executor>{exec, grid},
                   [&](auto& forests) { read(exec, a, forests); }) {}

    /// Reads new values on the same pattern. If it throws, the factors are unchanged.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        forests_.require_same(exec, a);
        read(exec, a, forests_);
    }
    forest_systems<Executor, T, I> const& systems() const { return forests_.systems(); }
    std::vector<finding> findings() const { return forests_.findings(); }

private:
    static void read(Executor const& exec, csr_view<T, I> a, splitting_forests<Executor, T, I>& forests) {
        auto& systems = forests.systems();
        auto& plan = forests.scales().plan;
        plan.offsets = a.row_offsets();
        for (int l = 0; l < systems.count(); ++l) {
            extract_forest_system(exec, plan, a, systems.forest(l), systems.system(l));
            systems.regularise(exec, l, a, systems.forest(l).weight_coverage == 1);
        }
    }

    splitting_forests<Executor, T, I> forests_;
};

} // namespace detail

/// Computes z by the corrections z = z + M_l^-1 (r - A z), l = 0, ..., m - 1, from z = 0 (Eq. 28; M_ALT-i of Eq. 30): m
/// tridiagonal solves and m - 1 products with A. Each M_l is the tridiagonal factor of A along a linear forest,
/// regularised if it is singular or nearly singular. M is not symmetric even if A is. The object stores a copy of A;
/// apply() uses workspace of the object: one solve at a time. If A is multiplied from the left by a diagonal matrix, so
/// is M.
template <executor Executor, class T, class I = std::int32_t>
class inner_alternation {
public:
    /// Throws argument_error for options out of range, dimension_error if A is not square, matrix_error if its values
    /// are not finite or a row holds a column twice.
    inner_alternation(Executor const& exec, csr_view<T, I> a, splitting_options const& options = {})
        : factors_(exec, require_square(a, "a preconditioner"), options) {
        keep_matrix(exec, a);
    }
    /// Alternating directions on a tensor product grid: the factors are those along the grid lines in x, y and z;
    /// directions with one point are omitted. Throws dimension_error if the number of grid points differs from the
    /// number of rows, argument_error for negative sizes, otherwise as above.
    inner_alternation(Executor const& exec, csr_view<T, I> a, grid_sizes const& grid,
                      tridiagonal_options const& options = {})
        : factors_(exec, require_square(a, "a preconditioner"), grid, options) {
        keep_matrix(exec, a);
    }

    /// Reads a matrix with the pattern of the first one and new values; the forests are reused. Throws dimension_error
    /// if the size differs, matrix_error if the pattern differs or values are not finite; then the object is unchanged.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        factors_.refresh(exec, a);
        if (left_.size() > 0) exec.copy_elements(a.coefficients, matrix_.values().data(), a.nonzeros());
        transposed_.clear();
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const& systems = factors_.systems();
        require_size("r of a preconditioner", r, systems.system(0).size());
        require_size("z of a preconditioner", z, systems.system(0).size());
        auto const use = user_.enter("this inner_alternation");
        detail::alternate(
            exec, systems.count(),
            [&](int l, array_view<T const> from, array_view<T> to) { systems.solve(exec, l, from, to); },
            [&] {
                auto const a = matrix_.view();
                reduce_rows(exec, plan_,
                            along_nonzeros{detail::multiply_stored<T, I, T>{z.data()}, a.coefficients, a.indices},
                            add_plus<T>{}, detail::store_residual<T>{r.data(), left_.data()});
            },
            r, left_.view(), z);
    }
    /// The corrections with A^T and M_l^-T in reverse order.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const& systems = factors_.systems();
        int const last = systems.count() - 1;
        require_size("r of a preconditioner", r, systems.system(0).size());
        require_size("z of a preconditioner", z, systems.system(0).size());
        auto const use = user_.enter("this inner_alternation");
        detail::alternate(
            exec, systems.count(),
            [&](int k, array_view<T const> from, array_view<T> to) {
                systems.solve_transposed(exec, last - k, from, to);
            },
            [&] {
                transposed_.multiply(exec, matrix_.view(), z.data(), detail::store_residual<T>{r.data(), left_.data()});
            },
            r, left_.view(), z);
    }
    bool replayable() const { return true; }
    int factors() const { return factors_.systems().count(); }
    linear_forest<I> const& forest(int l = 0) const { return factors_.systems().forest(l); }
    std::vector<finding> findings() const { return factors_.findings(); }

private:
    /// Copies A for the products between two factors.
    void keep_matrix(Executor const& exec, csr_view<T, I> a) {
        if (factors_.systems().count() == 1) return;
        matrix_ = {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
                   copy_of(exec, a.values())};
        plan_ = make_srcsr_plan(exec, matrix_.view());
        left_ = buffer<T>(exec, a.rows());
    }

    detail::alternating_factors<Executor, T, I> factors_;
    csr<T, I> matrix_{};
    srcsr_plan<I> plan_{};
    mutable detail::transposed_matrix<Executor, T, I> transposed_{};
    mutable buffer<T> left_{};
    detail::one_user user_{};
};

/// Computes z = M_l^-1 r with l cycling through 0, ..., m - 1 from call to call (M_ALT-o, Eq. 35): only for FGMRES,
/// which starts each solve at l = 0. The M_l are those of inner_alternation. Throws argument_error if another thread is
/// in a solve.
template <executor Executor, class T, class I = std::int32_t>
class outer_alternation {
public:
    /// Throws the same exceptions as inner_alternation.
    outer_alternation(Executor const& exec, csr_view<T, I> a, splitting_options const& options = {})
        : factors_(exec, require_square(a, "a preconditioner"), options) {}

    void refresh(Executor const& exec, csr_view<T, I> a) { factors_.refresh(exec, a); }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const& systems = factors_.systems();
        require_size("r of a preconditioner", r, systems.system(0).size());
        require_size("z of a preconditioner", z, systems.system(0).size());
        auto const use = user_.enter("this outer_alternation");
        systems.solve(exec, next_, r, z);
        next_ = (next_ + 1) % systems.count();
    }
    /// For one factor, that is, unless it varies().
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const& systems = factors_.systems();
        require_size("r of a preconditioner", r, systems.system(0).size());
        require_size("z of a preconditioner", z, systems.system(0).size());
        systems.solve_transposed(exec, 0, r, z);
    }
    /// Sets l = 0 for the next call. No other thread may use the object while the result exists.
    detail::one_user::use begin_solve() const {
        auto use = user_.enter("this outer_alternation");
        next_ = 0;
        return use;
    }
    bool varies() const { return factors_.systems().count() > 1; }
    bool replayable() const { return !varies(); }
    int factors() const { return factors_.systems().count(); }
    linear_forest<I> const& forest(int l = 0) const { return factors_.systems().forest(l); }
    std::vector<finding> findings() const { return factors_.findings(); }

private:
    detail::alternating_factors<Executor, T, I> factors_;
    mutable int next_ = 0;
    detail::one_user user_{};
};

namespace detail {

/// Computes sizes that are given as 0. Throws dimension_error if the number of points is not `rows`.
inline grid_sizes grid_of_rows(std::int64_t rows, grid_sizes grid) {
    auto const root = std::int64_t(std::lround(std::sqrt(double(rows))));
    bool const square = grid.ny == 0 && grid.nz == 1 && root * root == rows;
    if (grid.nx == 0 && grid.ny == 0) grid.nx = square ? root : rows / grid.nz;
    if (grid.nx == 0 && grid.ny > 0) grid.nx = rows / (grid.ny * grid.nz);
    if (grid.ny == 0 && grid.nx > 0) grid.ny = rows / (grid.nx * grid.nz);
    if (double(grid.nx) * double(grid.ny) * double(grid.nz) != double(rows))
        throw dimension_error("a grid of " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) + " x " +
                              std::to_string(grid.nz) + " points for a matrix of " + std::to_string(rows) +
                              " rows, expected one point for each row");
    return grid;
}

inline constexpr option_row alternating_option_rows[] = {factors_row,  omega_row("0.01"), enough_coverage_row,
                                                         min_gain_row, ties_row,          rounds_row,
                                                         seed_row,     pivoting_row,      threshold_row};

} // namespace detail

struct inner_alternation_entry {
    static constexpr preconditioner_row row{.name = "alt-i",
                                            .matrix = "m tridiagonal solves along forests, alternating with A",
                                            .setup = "m times that of forest",
                                            .suits = "strong couplings in several directions; not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = detail::alternating_option_rows};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return inner_alternation<Executor, T, I>(exec, a, detail::read_splitting_options(o));
    }
};
struct grid_alternation_entry {
    static constexpr option_row options[] = {
        {.name = "nx",
         .standard = "0",
         .meaning = "grid points in x; 0: sqrt(rows) if that is an integer, else all rows",
         .max = 2147483647},
        {.name = "ny", .standard = "0", .meaning = "grid points in y; 0: rows / (nx nz)", .max = 2147483647},
        {.name = "nz", .standard = "1", .meaning = "grid points in z", .min = 1, .max = 2147483647},
        detail::pivoting_row,
        detail::threshold_row};
    static constexpr preconditioner_row row{.name = "adi",
                                            .matrix = "as alt-i, along the lines of a grid in each direction",
                                            .setup = "a few products with A",
                                            .suits = "tensor product grids, rows numbered x first; not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = options};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return inner_alternation<Executor, T, I>(
            exec, a, detail::grid_of_rows(a.rows(), {o.integer("nx"), o.integer("ny"), o.integer("nz")}),
            detail::read_tridiagonal_options(o));
    }
};
struct outer_alternation_entry {
    static constexpr preconditioner_row row{.name = "alt-o",
                                            .matrix = "as alt-i, one forest per call",
                                            .setup = "m times that of forest",
                                            .suits = "as alt-i, only with fgmres",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .varies = true,
                                            .options = detail::alternating_option_rows};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return outer_alternation<Executor, T, I>(exec, a, detail::read_splitting_options(o));
    }
};

} // namespace coppice::inline v0_1
