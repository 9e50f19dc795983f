// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Algebraic tridiagonal preconditioner. It uses the diagonal of A and the heavy entries along the paths of a linear
/// forest. After a permutation, they form a tridiagonal matrix.
#pragma once

#include <optional>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>
#include <coppice/solvers/precondition/one_level/forest_options.hpp>
#include <coppice/solvers/precondition/one_level/preconditioners.hpp>

namespace coppice::inline v0_1 {

/// Computes z = P^T T^-1 P r ("AlgTriScalPrecond", thesis section 4.6): P numbers the vertices along the paths of a
/// linear forest of heavy edges, T is the tridiagonal matrix of the entries of P A P^T that the forest covers.
///
/// Set-up: edge weights |A| + |A^T| (|A| if A is symmetric), [0, 2]-factor (algorithm 8), linear forest, coefficients;
/// these are regularised if T is singular or nearly singular (tridiagonal_regulariser). The result depends on the order
/// of the rows only through ties. apply() gathers, solves by RPTS and scatters, in workspace of the object: one solve
/// at a time. If the graph of A is a path, M = A in exact arithmetic. If A is symmetric, so is T; for an M-matrix or a
/// diagonally dominant A, T is positive definite if A is.
template <executor Executor, class T, class I = std::int32_t>
class forest_preconditioner {
public:
    /// Throws dimension_error if A is not square, matrix_error if its values are not finite, argument_error for options
    /// out of range.
    forest_preconditioner(Executor const& exec, csr_view<T, I> a, forest_options const& options = {});

    /// Reads the coefficients of a matrix with the pattern of the first one; the forest is reused.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    bool replayable() const { return true; }

    linear_forest<I> const& forest() const { return forest_; }
    tridiagonal_view<T> system() const { return system_.view(); }
    /// Weight coverage, number of paths and cycles, and the times of the set-up.
    std::vector<finding> findings() const;

private:
    /// Seconds of each step of the set-up.
    struct step_times {
        double weights = 0; ///< symmetrised edge weights
        double factor = 0;  ///< [0, 2]-factor
        double forest = 0;  ///< cycles, paths, permutation
        double system = 0;  ///< coefficients of the tridiagonal system
    };

    void make_forest(Executor const& exec, csr_view<T, I> a, factor_options factor);

    /// Reads and regularises the coefficients from a matrix with the pattern of the first one; throws for another
    /// pattern and then leaves the system unchanged.
    void read_system(Executor const& exec, csr_view<T, I> a);

    detail::pattern_fingerprint pattern_;
    tridiagonal_options options_;
    buffer<std::uint64_t> hash_; ///< pattern hash of the matrix that is read
    linear_forest<I> forest_;
    forest_system_indices<I> capacity_offsets_;
    tridiagonal<T> system_;
    mutable buffer<std::byte> workspace_;
    detail::one_user user_{};
    step_times times_{};
    int rounds_ = 0; ///< rounds of the factor algorithm
    tridiagonal_regulariser<Executor, T> regulariser_{};
    std::int64_t regularised_rows_ = 0;
};

namespace detail {

/// Diagnostics of a system, and whether the matrix that it was read from has the expected pattern.
struct read_diagnostics {
    system_diagnostics diagnostics;
    std::int64_t same; ///< 1: expected pattern
};
struct merge_read_diagnostics {
    COPPICE_HD read_diagnostics operator()(read_diagnostics const& a, read_diagnostics const& b) const {
        return {worse_diagnostics{}(a.diagnostics, b.diagnostics), a.same & b.same};
    }
};
/// Reads row p of a system and computes its diagnostics in the same pass; does nothing if the pattern differs.
template <class T, class O>
struct read_healthy_row {
    read_forest_row<T, O> read;
    std::uint64_t const* found; ///< hash words from pattern_fingerprint::queue_hash()
    std::uint64_t expected;
    tridiagonal_view<T> system;

    COPPICE_HD read_diagnostics operator()(std::int64_t p) const {
        if (!pattern_fingerprint::is_hash(found, expected)) return {{0, 1}, 0};
        read(p);
        return {row_diagnostics<T>{system}(p), 1};
    }
};

} // namespace detail

template <executor Executor, class T, class I>
forest_preconditioner<Executor, T, I>::forest_preconditioner(Executor const& exec, csr_view<T, I> a,
                                                             forest_options const& options)
    : pattern_(exec, a), options_(options.tridiagonal) {
    require_square(a, "a preconditioner");
    make_forest(exec, a, options.factor);
    detail::stopwatch watch(exec);
    capacity_offsets_ = find_forest_system(exec, a, forest_);
    hash_ = buffer<std::uint64_t>(exec, 2);
    system_ = tridiagonal<T>(exec, a.rows());
    read_system(exec, a);
    times_.system = watch.lap();
    workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(a.rows()));
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::make_forest(Executor const& exec, csr_view<T, I> a, factor_options factor) {
    factor.degree = 2; // paths
    detail::stopwatch watch(exec);
    auto const weights = make_edge_weights(exec, a);
    times_.weights = watch.lap();
    auto const edges = parallel_factor(exec, weights.view, factor);
    times_.factor = watch.lap();
    forest_ = graph_detail::forest_of_factor(exec, weights.view, edges);
    times_.forest = watch.lap();
    rounds_ = edges.rounds;
}

template <executor Executor, class T, class I>
std::vector<finding> forest_preconditioner<Executor, T, I>::findings() const {
    return {{"paths", finding_unit::count, double(forest_.paths)},
            {"longest_path", finding_unit::count, double(forest_.longest_path)},
            {"weight_coverage", finding_unit::fraction, forest_.weight_coverage}, // c_pi, Eq. 23
            {"cycles_broken", finding_unit::count, double(forest_.cycles_broken)},
            {"rounds", finding_unit::count, double(rounds_)},
            {"mended_rows", finding_unit::count, double(regularised_rows_)},
            {"weights_seconds", finding_unit::seconds, times_.weights},
            {"factor_seconds", finding_unit::seconds, times_.factor},
            {"forest_seconds", finding_unit::seconds, times_.forest},
            {"system_seconds", finding_unit::seconds, times_.system}};
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::read_system(Executor const& exec, csr_view<T, I> a) {
    if (a.rows() == 0) return;
    detail::pattern_fingerprint::queue_hash(exec, a, hash_.data());
    auto const found = reduce(
        exec, a.rows(), detail::read_diagnostics{{0, 1}, 1},
        detail::read_healthy_row<T, I>{
            {capacity_offsets_, a.coefficients, system_}, hash_.data(), pattern_.hash(), std::as_const(system_).view()},
        detail::merge_read_diagnostics{});
    if (found.same == 0) detail::pattern_fingerprint::refuse();
    regularised_rows_ =
        regulariser_.regularise(exec, system_, options_, forest_.weight_coverage == 1, found.diagnostics);
    if (regularised_rows_ > 0) exec.synchronize(); // apply() requires that the regularised system is complete
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    pattern_.size().require_same(a);
    read_system(exec, a);
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
    std::int64_t const n = system_.size();
    require_size("r of a preconditioner", r, n);
    require_size("z of a preconditioner", z, n);
    auto const use = user_.enter("this forest_preconditioner");
    I const* const order = forest_.permutation.data();
    solve_tridiagonal_in_order(exec, system_.view(), {order, order, true}, r, z, workspace_.view(), options_);
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::apply_transpose(Executor const& exec, array_view<T const> r,
                                                            array_view<T> z) const {
    require_size("r of a preconditioner", r, system_.size());
    require_size("z of a preconditioner", z, system_.size());
    detail::solve_transposed(exec, band_matrix<T>(system_.view()), forest_.permutation.data(), r, z,
                             {.pivot = options_.pivot, .threshold = options_.threshold});
}

namespace detail {

inline constexpr option_row rounds_row{
    .name = "rounds",
    .standard = "-1",
    .meaning =
        "rounds of proposals; 0: until the factor is maximal; -1: the same, or 4 charged rounds if these cost less",
    .min = -1,
    .max = 1e6};
inline constexpr option_row ties_row{.name = "ties",
                                     .kind = option_kind::choice,
                                     .standard = "near",
                                     .meaning = "order of edges of equal weight: random, or nearer vertex first",
                                     .choices = {"hash", "near"}};
inline constexpr option_row seed_row{.name = "seed", .standard = "0", .meaning = "seed of charges and random ties"};

} // namespace detail

struct forest_entry {
    static constexpr option_row options[] = {
        detail::rounds_row,
        detail::ties_row,
        {.name = "charge-period",
         .standard = "5",
         .meaning = "period in rounds of the random +/- colouring; one round in each has none",
         .min = 1,
         .max = 1e6},
        {.name = "charge-offset",
         .standard = "0",
         .meaning = "index of the round without charges in each period",
         .max = 1e6},
        {.name = "charge-below",
         .kind = option_kind::real,
         .standard = "0.2",
         .meaning = "charges are used if the last uncharged round confirmed less than this fraction of its proposals"},
        {.name = "charge-probability",
         .kind = option_kind::real,
         .standard = "0.5",
         .meaning = "probability of a positive charge",
         .max = 1},
        detail::seed_row,
        detail::pivoting_row,
        detail::threshold_row};
    static constexpr preconditioner_row row{.name = "forest",
                                            .matrix = "tridiagonal part of A along a linear forest of heavy edges",
                                            .setup = "about 30 products with A",
                                            .suits = "strong couplings in any direction",
                                            .options = options};

    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return forest_preconditioner<Executor, T, I>(exec, a, read(o));
    }
    static forest_options read(chosen_options const& o) {
        int const rounds = int(o.integer("rounds"));
        return {.factor = {.degree = 2,
                           .rounds = rounds < 0 ? std::nullopt : std::optional(rounds),
                           .charge_period = int(o.integer("charge-period")),
                           .charge_offset = int(o.integer("charge-offset")),
                           .charge_below = o.real("charge-below"),
                           .charge_probability = o.real("charge-probability"),
                           .ties = o.choice("ties") == 0 ? tie_rule::hash : tie_rule::near,
                           .seed = std::uint64_t(o.integer("seed"))},
                .tridiagonal = detail::read_tridiagonal_options(o)};
    }
    /// The inverse conversion. Throws argument_error if options of the factor are out of range.
    static option_values values(forest_options const& o) {
        graph_detail::check_factor_options(o.factor);
        auto values = detail::tridiagonal_option_values(o.tridiagonal);
        values.set("rounds", o.factor.rounds.value_or(-1));
        values.set("ties", o.factor.ties == tie_rule::hash ? "hash" : "near");
        values.set("charge-period", o.factor.charge_period);
        values.set("charge-offset", o.factor.charge_offset);
        values.set("charge-below", o.factor.charge_below);
        values.set("charge-probability", o.factor.charge_probability);
        values.set("seed", o.factor.seed);
        return values;
    }
};

#define COPPICE_FOREST_PRECONDITIONER(EXTERN, EXECUTOR, T) EXTERN template class forest_preconditioner<EXECUTOR, T>;
COPPICE_FOREST_PRECONDITIONER(extern, host_executor, float)
COPPICE_FOREST_PRECONDITIONER(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_FOREST_PRECONDITIONER(extern, cuda_executor, float)
COPPICE_FOREST_PRECONDITIONER(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
