// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: preconditioners and linear systems.
#include <algorithm>
#include <cmath>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/c/c_handles.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>
#include <coppice/solvers/solve/solve_columns.hpp>

namespace coppice::inline v0_1::c_interface {
namespace {

template <class Executor>
using preconditioners_of =
    std::variant<any_preconditioner<Executor, float>, any_preconditioner<Executor, double>,
                 any_preconditioner<Executor, std::complex<float>>, any_preconditioner<Executor, std::complex<double>>>;

/// A preconditioner on one of the executors.
struct held_preconditioner final : held_object {
    static constexpr char const* described = "a preconditioner";
    char const* kind() const override { return described; }

    std::shared_ptr<held_executor> executor;
    std::int64_t rows = 0;
    std::variant<std::monostate, preconditioners_of<host_executor>
#if defined(COPPICE_HAS_CUDA)
                 ,
                 preconditioners_of<cuda_executor>
#endif
                 >
        made{};

    template <class Executor, class T>
    any_preconditioner<Executor, T>& of() {
        auto* const held = std::get_if<any_preconditioner<Executor, T>>(&std::get<preconditioners_of<Executor>>(made));
        if (!held) refuse("matrix", "of another value type than that of the preconditioner");
        return *held;
    }
};

void set_properties(held_preconditioner& m, preconditioner_report const& report) {
    m.numbers = {{"setup_seconds", report.setup_seconds}};
    for (finding const& f : report.findings) m.numbers.emplace_back(f.key, f.value);
    m.texts = {{"name", report.name}};
    for (auto const& [name, value] : report.options.entries()) m.texts.emplace_back(name, value.text);
}

/// Throws argument_error unless both handles have the same executor.
void require_same_executor(held_preconditioner const& m, held_matrix const& a) {
    if (m.executor != a.executor)
        throw argument_error("matrix and preconditioner have different executors, expected the same one");
}

template <class Executor, class T>
any_preconditioner<Executor, T> make(held_matrix const& m, Executor const& exec, csr_view<T> a, char const* choice,
                                     void const* near, std::int64_t count) {
    if (!near) return make_preconditioner(exec, choice, a);
    require_range("vector_count", count, 1, is_complex_number<T> ? 16 : 32);
    auto const vectors = vector_of<T const>(*m.executor, "near_null_space", near, a.rows() * count);
    if (auto const name = parse_choice(choice).name; name != "multilevel")
        refuse("near_null_space", "not NULL, expected NULL for the preconditioner \"" + name + "\"");
    return make_preconditioner(exec, choice, a, {}, near_null_space<T>{1, int(count), vectors});
}

std::shared_ptr<held_preconditioner> make_held(held_matrix const& matrix, char const* choice, void const* near,
                                               std::int64_t count) {
    require_pointer("choice", choice);
    if (!near) require_range("vector_count", count, 0, 0);
    auto m = std::make_shared<held_preconditioner>();
    m->executor = matrix.executor;
    m->rows = matrix.rows;
    with_matrix(matrix, [&]<class Executor, class T>(Executor const& exec, csr_view<T> a) {
        auto made = make(matrix, exec, a, choice, near, count);
        exec.synchronize();
        set_properties(*m, made.report());
        m->made = preconditioners_of<Executor>(std::move(made));
    });
    return m;
}

void refresh(held_preconditioner& m, held_matrix const& matrix) {
    require_same_executor(m, matrix);
    with_matrix(matrix, [&]<class Executor, class T>(Executor const& exec, csr_view<T> a) {
        auto& held = m.of<Executor, T>();
        held.refresh(exec, a);
        exec.synchronize();
        set_properties(m, held.report());
    });
}

/// Calls work(exec, preconditioner, std::type_identity<T>).
template <class Work>
void with_preconditioner(held_preconditioner& m, Work const& work) {
    std::visit(
        [&]<class All>(All& all) {
            if constexpr (!std::is_same_v<All, std::monostate>)
                std::visit(
                    [&]<class Executor, class T>(any_preconditioner<Executor, T>& held) {
                        work(std::get<Executor>(m.executor->executor), held, std::type_identity<T>{});
                    },
                    all);
        },
        m.made);
}

void apply(held_preconditioner& m, void const* r, void* z, std::int64_t length) {
    require_size("length", length, m.rows);
    with_preconditioner(m, [&]<class T>(auto const& exec, auto& held, std::type_identity<T>) {
        auto const from = vector_of<T const>(*m.executor, "r", r, length);
        auto const to = vector_of<T>(*m.executor, "z", z, length);
        require_no_overlap(range_of("r", from), range_of("z", to));
        held.apply(exec, from, to);
    });
}

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr option_row krylov_rows[] = {
    {.name = "tolerance", .kind = option_kind::real, .standard = "1e-6", .meaning = "of |b - A x| / |b|"},
    {.name = "absolute-tolerance",
     .kind = option_kind::real,
     .standard = "0",
     .meaning = "of |b - A x|; one of the two is enough"},
    {.name = "max-iterations", .standard = "10000", .meaning = "maximum number of iterations", .max = no_bound},
    {.name = "restart",
     .standard = "30",
     .meaning = "gmres, fgmres: dimension of the Krylov space",
     .min = 1,
     .max = 1000},
    {.name = "shadow-space",
     .standard = "4",
     .meaning = "idrs: dimension of the shadow space",
     .min = 1,
     .max = krylov_options::max_shadow_space}};
constexpr std::string_view preconditioner_key = "preconditioner";

/// A method with its options, and the name of a preconditioner or "auto".
struct method_choice {
    std::string name;
    krylov_options krylov{};
    std::string preconditioner{automatic_name};
};

method_choice read_method(std::string_view text) {
    auto const named = parse_choice(text);
    method_choice choice{.name = named.name};
    if (choice.name != automatic_name && choice.name != direct_name && !is_transposing(choice.name) &&
        std::find(krylov_names.begin(), krylov_names.end(), choice.name) == krylov_names.end())
        throw argument_error(
            "unknown method \"" + choice.name +
            "\", expected auto, direct or one of: cg, minres, bicgstab, tfqmr, idrs, gmres, fgmres, bicg, qmr");
    option_values others;
    for (auto const& [key, value] : named.options.entries())
        if (key == preconditioner_key)
            choice.preconditioner = value.text;
        else
            others.set(key, value);
    chosen_options const chosen("method \"" + choice.name + "\"", krylov_rows, others);
    choice.krylov.tolerance = chosen.real("tolerance");
    choice.krylov.absolute_tolerance = chosen.real("absolute-tolerance");
    choice.krylov.max_iterations = chosen.integer("max-iterations");
    choice.krylov.restart = int(chosen.integer("restart"));
    choice.krylov.shadow_space = int(chosen.integer("shadow-space"));
    return choice;
}

/// Data of a solve in addition to the results of its columns.
struct solve_summary {
    std::string method{}, preconditioner{};
    double setup_seconds = 0, solve_seconds = 0;
};

void add_columns(held_result& to, std::vector<krylov_result>& columns) {
    std::vector<std::int64_t> iterations;
    std::vector<double> residuals;
    std::vector<std::int32_t> converged;
    for (krylov_result const& one : columns) {
        iterations.push_back(one.iterations);
        residuals.push_back(one.relative_residual);
        converged.push_back(one.converged ? 1 : 0);
    }
    to.add("iterations", std::move(iterations));
    to.add("relative_residual", std::move(residuals));
    to.add("converged", std::move(converged));
    if (columns.size() == 1) to.add("residual_history", std::move(columns.front().residual_history));
}

/// The result over all columns. NaN is larger than any residual.
std::shared_ptr<held_result> summarise(std::vector<krylov_result> columns, solve_summary const& s) {
    auto result = std::make_shared<held_result>();
    krylov_result const nothing{.converged = true, .reason = krylov_reason::zero_rhs, .relative_residual = 0};
    krylov_result const* shown = columns.empty() ? &nothing : &columns.front();
    double iterations = 0, restarts = 0, residual = 0;
    for (krylov_result const& one : columns) {
        if (shown->converged && !one.converged) shown = &one;
        iterations += double(one.iterations);
        restarts += double(one.restarts);
        if (!(one.relative_residual <= residual)) residual = one.relative_residual;
    }
    result->numbers = {{"converged", shown->converged ? 1 : 0}, {"iterations", iterations},
                       {"relative_residual", residual},         {"restarts", restarts},
                       {"setup_seconds", s.setup_seconds},      {"solve_seconds", s.solve_seconds}};
    result->texts = {{"reason", std::string(to_string(shown->reason))},
                     {"method", s.method},
                     {"preconditioner", s.preconditioner},
                     {"fault", shown->fault}};
    add_columns(*result, columns);
    return result;
}

template <class Executor, class T>
std::shared_ptr<held_result> solve_automatically_for(Executor const& exec, csr_operator<Executor, T> const& a,
                                                     method_choice const& choice, array_view<T const> b,
                                                     array_view<T> x, std::int64_t columns) {
    automatic_options options;
    options.solver = choice.name;
    options.preconditioner = choice.preconditioner;
    options.krylov = choice.krylov;
    std::vector<krylov_result> results;
    solve_summary summary{choice.name, choice.preconditioner};
    for (std::int64_t k = 0; k < columns; ++k) {
        std::int64_t const n = a.size();
        auto found = solve_automatically(exec, a, b.slice(k * n, n), x.slice(k * n, n), options);
        summary.method = found.last().choice.solver;
        summary.preconditioner = found.last().choice.preconditioner;
        summary.setup_seconds += found.setup_seconds();
        summary.solve_seconds += found.solve_seconds();
        results.push_back(std::move(found.result));
    }
    return summarise(std::move(results), summary);
}

template <class Executor, class T>
std::shared_ptr<held_result> solve_with(Executor const& exec, csr_operator<Executor, T> const& a,
                                        any_preconditioner<Executor, T> const& m, method_choice const& choice,
                                        array_view<T const> b, array_view<T> x, std::int64_t columns) {
    if (choice.name == automatic_name || choice.name == direct_name)
        refuse("preconditioner",
               "not NULL, expected NULL for the methods \"auto\" and \"direct\", or the name of a method");
    if (is_transposing(choice.name))
        refuse("preconditioner", "not NULL, expected NULL for the method \"" + choice.name +
                                     "\", which takes a preconditioner by name: the option \"preconditioner\"");
    if (choice.preconditioner != automatic_name)
        refuse("preconditioner", "not NULL, expected NULL with the option \"preconditioner\"");
    coppice::detail::stopwatch watch(exec);
    auto results = solve_columns(exec, choice.name, a, m, b, x, columns, choice.krylov);
    return summarise(std::move(results), {choice.name, m.name(), 0, watch.lap()});
}

std::shared_ptr<held_result> solve_system(held_matrix const& matrix, held_preconditioner* m, char const* method,
                                          void const* b, void* x, std::int64_t length, std::int64_t columns) {
    require_pointer("method", method);
    require_size("length", length, matrix.rows);
    require_range("columns", columns, 0, std::numeric_limits<std::int32_t>::max());
    auto const choice = read_method(method);
    if (m) require_same_executor(*m, matrix);
    std::shared_ptr<held_result> result;
    with_matrix(matrix, [&]<class Executor, class T>(Executor const& exec, csr_view<T> a) {
        auto const from = vector_of<T const>(*matrix.executor, "b", b, length * columns);
        auto const to = vector_of<T>(*matrix.executor, "x", x, length * columns);
        require_no_overlap(range_of("b", from), range_of("x", to));
        csr_operator<Executor, T> const op(exec, a);
        if (m)
            result = solve_with(exec, op, m->template of<Executor, T>(), choice, from, to, columns);
        else
            result = solve_automatically_for(exec, op, choice, from, to, columns);
        exec.synchronize();
    });
    return result;
}

} // namespace

std::string describe_solvers(std::string_view what) {
    std::string text;
    for (preconditioner_row const& row : preconditioner_catalogue) {
        bool const is_complex = std::find(complex_preconditioner_names.begin(), complex_preconditioner_names.end(),
                                          row.name) != complex_preconditioner_names.end();
        if (what == "preconditioners" || (what == "complex preconditioners" && is_complex))
            text.append(row.name).append(": ").append(row.matrix).append("\n");
        if (what == row.name) return row.options.empty() ? "no options\n" : describe_options(row.options);
    }
    for (std::string_view const name : krylov_names) {
        if (what == "methods") text.append(name).append(": Krylov method\n");
        if (what == name) return describe_options(krylov_rows);
    }
    if (what == automatic_name || is_transposing(what)) return describe_options(krylov_rows);
    if (what == "methods")
        text += "bicg: Krylov method with transposed products, for preconditioners by name\n"
                "qmr: Krylov method with transposed products, for preconditioners by name\n"
                "direct: a sparse factorisation, refined by gmres\n"
                "auto: chosen from properties of the matrix, with fallbacks\n";
    return text;
}

} // namespace coppice::inline v0_1::c_interface

using namespace coppice::c_interface;

coppice_status_t coppice_preconditioner_create(coppice_matrix_t matrix, char const* choice, void const* near_null_space,
                                               int64_t vector_count, coppice_preconditioner_t* preconditioner) {
    return guarded("coppice_preconditioner_create", [&] {
        require_pointer("preconditioner", preconditioner);
        auto const a = find_handle<held_matrix>("matrix", matrix);
        give_handle(preconditioner, make_held(*a, choice, near_null_space, vector_count));
    });
}

coppice_status_t coppice_preconditioner_refresh(coppice_preconditioner_t preconditioner, coppice_matrix_t matrix) {
    return guarded("coppice_preconditioner_refresh", [&] {
        auto const m = find_handle<held_preconditioner>("preconditioner", preconditioner);
        refresh(*m, *find_handle<held_matrix>("matrix", matrix));
    });
}

coppice_status_t coppice_preconditioner_apply(coppice_preconditioner_t preconditioner, void const* r, void* z,
                                              int64_t length) {
    return guarded("coppice_preconditioner_apply",
                   [&] { apply(*find_handle<held_preconditioner>("preconditioner", preconditioner), r, z, length); });
}

coppice_status_t coppice_solve(coppice_matrix_t matrix, coppice_preconditioner_t preconditioner, char const* method,
                               void const* b, void* x, int64_t length, int64_t columns, coppice_result_t* result) {
    return guarded("coppice_solve", [&] {
        require_pointer("result", result);
        auto const a = find_handle<held_matrix>("matrix", matrix);
        std::shared_ptr<held_preconditioner> m;
        if (preconditioner) m = find_handle<held_preconditioner>("preconditioner", preconditioner);
        give_handle(result, solve_system(*a, m.get(), method, b, x, length, columns));
    });
}
