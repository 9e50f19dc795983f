// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>
#include <coppice/solvers/solve/solve_automatically_definitions.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace coppice::inline v0_1 {
namespace {

using choices = std::vector<solver_choice>;

/// Maximum number of rows for a Krylov space of a thousand vectors: the cost of an iteration grows with its dimension.
constexpr std::int64_t max_rows_for_long_spaces = 4000;

/// Maximum number of rows for storing a hundred vectors; for larger matrices the restart of the caller is used.
constexpr std::int64_t max_rows_for_hundred_vectors = 1'000'000;

/// Minimum restart of GMRES if other solvers follow.
int usual_space(std::int64_t n) { return n <= max_rows_for_hundred_vectors ? 100 : 0; }

/// A preconditioner that is positive definite for every matrix, as minres requires.
constexpr auto positive_diagonal = "diagp_1,sign=positive";

/// Maximum row_length for an incomplete factorisation, which takes about row_length steps for each nonzero; high-degree
/// vertices of graphs would take too long.
constexpr double longest_rows_to_factorise = 500;

/// Minimum number of rows for which a multilevel method saves more than its set-up costs. The limits of the iterations
/// end an attempt with it if the matrix is not suited.
constexpr std::int64_t min_rows_for_levels = 10'000;
constexpr std::int64_t multilevel_iterations = 100, multilevel_remaining = 100;

/// A solve by the multilevel method takes as long as 200 to 370 iterations of CG with a diagonal preconditioner on the
/// host; on an H200 as long as 400 to 600 for a million rows and 1000 for fewer than 200,000 rows. If CG is expected to
/// converge earlier (problems in space with smooth coefficients), it is tried first, up to this number of remaining
/// iterations. The estimate uses the convergence rate of the first iterations; the final number is two to three times
/// larger. A 27-point grid of 100^3 points converges after 100 iterations, a grid in the plane with as many points
/// after 700; the estimates after 16 iterations are 37 and 170.
/// BiCGStab, for unsymmetric matrices, converges irregularly: streamline diffusion on triangles takes 149 iterations,
/// and the estimates are up to 200.
constexpr std::int64_t diagonal_remaining = 120, unsymmetric_remaining = 240, max_diagonal_remaining = 360;
std::int64_t patience(matrix_traits const& traits, std::int64_t n, bool on_host) {
    constexpr std::int64_t rows = 1'000'000;
    if (on_host) return traits.symmetric ? diagonal_remaining : unsymmetric_remaining;
    return std::clamp(diagonal_remaining * rows / n, diagonal_remaining, max_diagonal_remaining);
}

/// Forest preconditioners replace diagonal ones if strongest_pair is at least the first value, or if rows are so long
/// that their cost is small compared with a product with A, as for elastic solids, where they halve the iterations.
constexpr double strong_pair = 0.9, long_rows = 40;
std::string first_preconditioner(matrix_traits const& traits) {
    return traits.strongest_pair >= strong_pair || traits.row_length >= long_rows ? "forest" : "jacobi";
}

/// Whether a diagonal preconditioner will take so many iterations that the multilevel method is quicker, which takes as
/// long as 120 to 170 iterations of CG in the plane and 200 to 370 in space, or 250 of BiCGStab. Without dominant
/// diagonals an iteration carries information one edge further: to 1e-8 it takes, per level of a search, 2 (in space)
/// to 3.3 or more (in the plane) iterations of CG, 1.8 to 2.7 of BiCGStab, and 21 of CG for elasticity, whose diagonals
/// are small. With dominant diagonals the residual falls by a factor e in at most sqrt(2 / dominance) / 2 iterations.
bool diagonal_is_slow(matrix_traits const& traits, std::int64_t n) {
    constexpr double many_iterations = 4, small_diagonal = 0.65;
    int const levels_in_plane = traits.symmetric ? 45 : 90, levels_in_space = traits.symmetric ? 85 : 110;
    int const per_level = traits.symmetric && traits.diagonal_weight < small_diagonal ? 5 : 1;
    bool const plane = 10 * std::int64_t(traits.levels) * traits.levels >= n;
    return per_level * traits.levels >= (plane ? levels_in_plane : levels_in_space) &&
           traits.dominance * 2 * many_iterations * many_iterations < 1;
}

bool worth_levels(matrix_traits const& traits, std::int64_t n) {
    return n >= min_rows_for_levels && traits.positive_diagonal && traits.row_length <= longest_rows_to_factorise;
}

/// A preconditioner for general matrices.
std::string general_preconditioner(matrix_traits const& traits, bool on_host) {
    if (traits.row_length > longest_rows_to_factorise) return "forest";
    return on_host ? "ilu0" : "isai";
}
/// A preconditioner for matrices that may be positive definite.
std::string definite_preconditioner(matrix_traits const& traits, bool on_host) {
    return on_host && traits.row_length <= longest_rows_to_factorise ? "ic0" : "forest";
}

/// A preconditioner for complex matrices, for which there is no forest preconditioner.
std::string complex_preconditioner(matrix_traits const& traits, bool on_host, bool definite) {
    if (traits.row_length > longest_rows_to_factorise) return "jacobi";
    if (definite) return on_host ? "ic0" : "jacobi";
    return on_host ? "ilu0" : "isai";
}

/// Maximum number of rows for which the direct solver is tried first, if its estimate is some 10 ms at most.
constexpr std::int64_t max_rows_for_immediate_direct = 3000;
/// On a device, bands are solved on the host, up to this number of rows.
constexpr std::int64_t max_rows_for_bands_on_host = 200'000;

bool has_direct(bool on_host) { return has_sparse_direct() || (!on_host && has_cudss()); }

/// The last choice of the first pass, if no iteration converges: a direct solver, about two minutes on one core at
/// most.
void add_direct(choices& all, bool on_host) {
    if (has_direct(on_host)) all.push_back({"gmres", "direct,max-operations=1e11"});
}
/// After the first choices: a direct solver if it takes some seconds at most. The limit includes random matrices with
/// weak diagonals and circuits like expanders, on which no iteration converges.
void add_cheap_direct(choices& all, bool on_host) {
    if (has_direct(on_host)) all.push_back({"gmres", "direct,max-operations=5e9", 0, 100});
}

/// First, the direct solver where nothing is quicker: for few bands, and for small systems on the host.
void add_immediate_direct(choices& all, matrix_traits const& traits, std::int64_t n, bool on_host) {
    if (!has_sparse_direct()) return;
    std::string const method = traits.maybe_positive_definite() ? "cg" : "gmres";
    if (traits.few_bands && (on_host || n <= max_rows_for_bands_on_host))
        all.push_back({method, "direct", 0, 100});
    else if (on_host && n <= max_rows_for_immediate_direct)
        all.push_back({method, "direct,max-operations=1e7", 0, 100});
}

/// Before any iteration: a direct solver that takes some 100 ms at most, if iterations often fail: unsymmetric or
/// indefinite matrices with zeros or negative values on the diagonal (chemical plants, power systems) or with rows of
/// very different lengths (circuits). Orders take little time, and later attempts reuse them.
constexpr std::int64_t max_rows_for_early_direct = 200'000;
void add_early_direct(choices& all, matrix_traits const& traits, std::int64_t n, bool on_host) {
    bool const doubtful = !traits.positive_diagonal || (traits.has_hubs && !traits.symmetric);
    if (has_sparse_direct() && on_host && doubtful && n <= max_rows_for_early_direct)
        all.push_back({"gmres", "direct,max-operations=1e8", 0, 100});
}

/// If factors without fill fail: with fill, for circuits, optimality conditions and chemical plants. It converges in
/// some ten iterations or hardly at all.
void add_factors_with_fill(choices& all, matrix_traits const& traits, std::int64_t n, bool on_host) {
    if (on_host && traits.row_length <= longest_rows_to_factorise)
        all.push_back({"gmres", "ilut", usual_space(n), 200, 100});
}

/// Solvers for complex matrices.
choices complex_choices(matrix_traits const& traits, std::int64_t n, bool on_host) {
    std::string const factors = complex_preconditioner(traits, on_host, false);
    choices all;
    add_immediate_direct(all, traits, n, on_host);
    if (!traits.symmetric) add_early_direct(all, traits, n, on_host);
    if (traits.maybe_positive_definite()) all.push_back({"cg", complex_preconditioner(traits, on_host, true)});
    if (traits.symmetric) all.push_back({"minres", traits.positive_diagonal ? "jacobi" : "none"});
    if (!traits.symmetric) all.push_back({"bicgstab", factors});
    add_factors_with_fill(all, traits, n, on_host);
    add_cheap_direct(all, on_host);
    all.push_back({"gmres", factors, usual_space(n)});
    all.push_back({"idrs", "jacobi"});
    if (factors != "jacobi") all.push_back({"gmres", "jacobi", usual_space(n)});
    all.push_back({"gmres", "none", usual_space(n)});
    if (n <= max_rows_for_long_spaces) all.push_back({"gmres", "none", 1000});
    add_direct(all, on_host);
    return all;
}

/// The multilevel method for near-null-space vectors of a complex matrix, after direct solvers that come first.
void add_levels_for_vectors(choices& all, matrix_traits const& traits, std::string_view solver) {
    bool const definite = traits.maybe_positive_definite();
    if ((solver == "cg" || solver == "minres") && !definite) return;
    std::string const method = solver != automatic_name ? std::string(solver) : definite ? "cg" : "bicgstab";
    auto const first =
        std::find_if_not(all.begin(), all.end(), [](auto const& choice) { return detail::is_direct(choice); });
    all.insert(first, {method, "multilevel", 0, multilevel_iterations, multilevel_remaining});
}

/// All solvers, the most promising first, if both method and preconditioner are automatic.
choices all_choices(matrix_traits const& traits, std::int64_t n, bool on_host) {
    if (traits.complex) return complex_choices(traits, n, on_host);
    std::string const factors = general_preconditioner(traits, on_host);
    choices all;
    add_immediate_direct(all, traits, n, on_host);
    add_early_direct(all, traits, n, on_host);
    if (worth_levels(traits, n)) {
        auto const method = traits.symmetric ? "cg" : "bicgstab";
        if (!on_host || !diagonal_is_slow(traits, n))
            all.push_back({method, first_preconditioner(traits), 0, 0, patience(traits, n, on_host)});
        all.push_back({method, "multilevel", 0, multilevel_iterations, multilevel_remaining});
    }
    if (traits.maybe_positive_definite()) {
        all.push_back({"cg", definite_preconditioner(traits, on_host)});
        all.push_back({"cg", "jacobi"});
    } else if (traits.symmetric) {
        all.push_back({"minres", positive_diagonal});
    }
    if (!traits.maybe_positive_definite()) {
        all.push_back({"bicgstab", factors});
        add_factors_with_fill(all, traits, n, on_host);
    }
    add_cheap_direct(all, on_host);
    all.push_back({"gmres", factors, usual_space(n)});
    if (factors != "forest") all.push_back({"gmres", "forest", usual_space(n)});
    if (n <= max_rows_for_long_spaces) {
        all.push_back({"gmres", "diagp_1", 1000});
        all.push_back({"gmres", factors, 1000});
    }
    add_direct(all, on_host);
    return all;
}

bool is_automatic(std::string_view name) { return name == automatic_name; }

solver_choice direct_choice(std::string_view preconditioner) {
    if (is_automatic(preconditioner) || preconditioner == "none") return {"gmres", std::string(direct_name)};
    if (parse_choice(preconditioner).name == direct_name) return {"gmres", std::string(preconditioner)};
    throw argument_error("the solver \"direct\" is a factorisation and takes no other preconditioner, got \"" +
                         std::string(preconditioner) + "\"");
}

/// Methods for a given preconditioner.
choices choices_of_method(matrix_traits const& traits, std::int64_t n, std::string_view preconditioner) {
    std::string const given(preconditioner), name = parse_choice(preconditioner).name;
    preconditioner_row const& row = preconditioner_row_of(name);
    if (row.varies) return {{"fgmres", given, usual_space(n)}};
    bool const symmetric = traits.symmetric && row.keeps_symmetry;
    choices all;
    if (symmetric) all.push_back({traits.positive_diagonal ? "cg" : "minres", given});
    all.push_back({"bicgstab", given});
    all.push_back({"gmres", given, usual_space(n)});
    return all;
}

/// Preconditioners for a given method.
choices choices_of_preconditioner(matrix_traits const& traits, bool on_host, std::string_view solver) {
    std::string const given(solver);
    choices all;
    if (traits.complex) {
        bool const symmetric = solver == "cg" || solver == "minres";
        if (!symmetric || traits.maybe_positive_definite())
            all.push_back({given, complex_preconditioner(traits, on_host, symmetric)});
        bool const suits = !symmetric || traits.positive_diagonal; // these methods need a definite preconditioner
        if (suits && (all.empty() || all.front().preconditioner != "jacobi")) all.push_back({given, "jacobi"});
        all.push_back({given, "none"});
        return all;
    }
    if (solver == "cg" || solver == "minres")
        all.push_back(
            {given, traits.maybe_positive_definite() ? definite_preconditioner(traits, on_host) : positive_diagonal});
    else
        all.push_back({given, general_preconditioner(traits, on_host)});
    for (auto const preconditioner : {"forest", "diagp_1", "none"})
        if (all.front().preconditioner != preconditioner) all.push_back({given, preconditioner});
    return all;
}

} // namespace

void detail::require_known_names(automatic_options const& options) {
    std::array<std::string_view, 2 + krylov_names.size() + transposing_names.size()> methods{automatic_name,
                                                                                             direct_name};
    std::ranges::copy(transposing_names, std::ranges::copy(krylov_names, methods.begin() + 2).out);
    if (std::ranges::find(methods, options.solver) == methods.end())
        throw_unknown_name("method", options.solver, methods);
    option_values const& given = options.preconditioner_options;
    auto const name =
        options.solver == direct_name ? std::string(direct_name) : parse_choice(options.preconditioner).name;
    auto const check = [](preconditioner_row const& row, option_values const& values) {
        chosen_options("preconditioner \"" + std::string(row.name) + "\"", row.options, values);
    };
    if (name != automatic_name) return check(preconditioner_row_of(name), given);
    for (preconditioner_row const& row : preconditioner_catalogue) check(row, known_options(row.options, given));
    for (auto const& entry : given.entries()) {
        auto const has_it = [&](preconditioner_row const& row) {
            return std::ranges::any_of(row.options, [&](option_row const& o) { return o.name == entry.first; });
        };
        if (std::ranges::none_of(preconditioner_catalogue, has_it))
            throw argument_error("no preconditioner has an option \"" + entry.first + "\"");
    }
}

void detail::orthonormalise(std::vector<double>& vectors, std::int64_t n) {
    auto const each_element = [n](double* v, auto use) {
        for (std::int64_t i = 0; i < n; ++i) use(v[i], i);
    };
    auto const norm_of = [&](double* v) {
        double sum = 0;
        each_element(v, [&](double e, std::int64_t) { sum += e * e; });
        return std::sqrt(sum);
    };
    std::int64_t const count = std::int64_t(vectors.size()) / n;
    for (std::int64_t k = 0; k < count; ++k) {
        double* const v = vectors.data() + k * n;
        double largest = 0; // squares of the elements may leave the range
        each_element(v, [&](double e, std::int64_t) { largest = std::max(largest, std::abs(e)); });
        if (int const exponent = detail::even_exponent(largest, 1e100); exponent != 0)
            each_element(v, [&](double& e, std::int64_t) { e = std::ldexp(e, -exponent); });
        double const before = norm_of(v);
        for (int pass = 0; pass < 2; ++pass)
            for (std::int64_t l = 0; l < k; ++l) {
                double const* const other = vectors.data() + l * n;
                double along = 0;
                each_element(v, [&](double e, std::int64_t i) { along += e * other[i]; });
                each_element(v, [&](double& e, std::int64_t i) { e -= along * other[i]; });
            }
        double const norm = norm_of(v);
        if (!std::isfinite(before) || !(norm > 1e-10 * before))
            throw argument_error("null_space: vector " + std::to_string(k) +
                                 " (from 0) is zero, not finite or a combination of those before it; expected linearly "
                                 "independent vectors");
        each_element(v, [&](double& e, std::int64_t) { e /= norm; });
    }
}

std::vector<solver_choice> solver_choices(matrix_traits const& traits, std::int64_t n, bool on_host,
                                          std::string_view solver, std::string_view preconditioner,
                                          bool has_near_null_space) {
    if (solver == direct_name) return {direct_choice(preconditioner)};
    if (is_automatic(solver) && !is_automatic(preconditioner)) return choices_of_method(traits, n, preconditioner);
    if (!is_automatic(preconditioner)) return {{std::string(solver), std::string(preconditioner)}};
    auto all =
        is_automatic(solver) ? all_choices(traits, n, on_host) : choices_of_preconditioner(traits, on_host, solver);
    if (has_near_null_space && traits.complex) add_levels_for_vectors(all, traits, solver);
    return all;
}

solver_attempt const& automatic_result::last() const {
    return *std::find_if(attempts.rbegin(), attempts.rend(), [](auto const& a) { return a.refusal.empty(); });
}

double automatic_result::setup_seconds() const {
    double sum = traits_seconds;
    for (solver_attempt const& attempt : attempts) sum += attempt.setup_seconds;
    return sum;
}

double automatic_result::solve_seconds() const {
    double sum = 0;
    for (solver_attempt const& attempt : attempts) sum += attempt.solve_seconds;
    return sum;
}

void detail::append_attempt(automatic_result& whole, solver_attempt attempt) {
    krylov_result& of = attempt.result;
    if (attempt.refusal.empty()) {
        krylov_result& sum = whole.result;
        sum.iterations += of.iterations;
        sum.restarts += of.restarts;
        sum.converged = of.converged;
        sum.reason = of.reason;
        sum.relative_residual = of.relative_residual;
        sum.on_device = of.on_device;
        // The last residual of an attempt is the first one of the next attempt, which begins from the best x.
        if (!sum.residual_history.empty() && !of.residual_history.empty()) sum.residual_history.pop_back();
        sum.residual_history.insert(sum.residual_history.end(), of.residual_history.begin(), of.residual_history.end());
        of.residual_history.clear();
    }
    whole.attempts.push_back(std::move(attempt));
}

automatic_result detail::try_choices(std::vector<solver_choice> choices, std::int64_t n, std::int64_t max_iterations,
                                     std::function<solver_attempt(solver_choice const&, std::int64_t)> const& attempt) {
    automatic_result whole;
    std::int64_t left = max_iterations;
    for (std::int64_t limit = choices.size() == 1 ? left : first_limit(n); !choices.empty(); limit *= 4) {
        std::vector<solver_choice> hopeful;
        for (solver_choice const& choice : choices) {
            append_attempt(whole, attempt(choice, std::min(limit, left)));
            krylov_result const& result = whole.attempts.back().result;
            left -= result.iterations;
            if (result.converged || result.reason == krylov_reason::cancelled || left <= 0) return whole;
            if (may_go_on(whole.attempts.back())) hopeful.push_back(choice);
        }
        choices = std::move(hopeful);
    }
    return whole;
}

COPPICE_SOLVE_AUTOMATICALLY(, host_executor, float)
COPPICE_SOLVE_AUTOMATICALLY(, host_executor, double)
COPPICE_SOLVE_AUTOMATICALLY(, host_executor, std::complex<float>)
COPPICE_SOLVE_AUTOMATICALLY(, host_executor, std::complex<double>)

} // namespace coppice::inline v0_1
