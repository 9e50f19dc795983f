// SPDX-License-Identifier: BSD-3-Clause
// Krylov methods by name, for matrices and functions of Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <coppice/solvers/iterative/by_name/bicg.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

#include "components.hpp"
#include "preconditioner.hpp"
#include "solve_control.hpp"

namespace coppice::python {
namespace {

/// bicg and qmr; see solve_with().
template <class T, executor Executor>
krylov_result solve_with_pairs(Executor const& exec, std::string const& method, nb::object const& a,
                               any_preconditioner<Executor, T> const& m, preconditioner_turn const& turns,
                               input_array const& b, array_view<T const> rhs, array_view<T> solution,
                               krylov_options const& options, solve_control& control) {
    if (nb::isinstance<csr_matrix>(a)) {
        csr_operator const product(exec, nb::cast<csr_matrix const&>(a).view<T>());
        nb::gil_scoped_release const released;
        auto const turn = turns.take(b);
        return solve_with_transposes(exec, method, product, m, rhs, solution, options);
    }
    any_preconditioner<Executor, T> const functions(function_pair<T>(a, control, b), {.name = "functions of Python"});
    nb::gil_scoped_release const released;
    auto const turn = turns.take(b);
    return solve_with_transposes(exec, method, functions, m, rhs, solution, options);
}

/// x[n]: the initial guess on entry, the solution on return. `a` and `m` are a matrix and a preconditioner of this
/// package, or functions; for bicg and qmr pairs of functions.
template <class T, executor Executor>
krylov_result solve_with(Executor const& exec, std::string const& method, nb::object const& a, nb::object const& m,
                         input_array const& b, output_array const& x, krylov_options const& options,
                         solve_control& control) {
    auto const preconditioner = preconditioner_of<Executor, T>(m, control, b);
    auto const rhs = elements<T>(b);
    auto const solution = elements<T>(x);
    preconditioner_turn const turns(m);
    if (is_transposing(method))
        return solve_with_pairs<T>(exec, method, a, preconditioner, turns, b, rhs, solution, options, control);
    if (nb::isinstance<csr_matrix>(a)) {
        auto const view = nb::cast<csr_matrix const&>(a).view<T>();
        nb::gil_scoped_release const released;
        auto const turn = turns.take(b);
        return solve(exec, method, csr_operator(exec, view), preconditioner, rhs, solution, options);
    }
    any_operator<Executor, T> const any(solution.size(), python_function<T>(a, control, b));
    nb::gil_scoped_release const released;
    auto const turn = turns.take(b);
    return solve(exec, method, any, preconditioner, rhs, solution, options);
}

nb::dict solve_named(std::string const& method, nb::object const& a, nb::object const& m, input_array const& b,
                     output_array const& x, krylov_options options, nb::object const& callback) {
    solve_control control(callback);
    options.progress = control.progress();
    nb::dict told = dict_of_result(with_number(x, [&]<class T>(std::type_identity<T>) {
        require_type<T>(b, "b", "that of x");
        require_same_memory(b, x, "b");
        if (nb::isinstance<csr_matrix>(a)) {
            require_type<T>(nb::cast<csr_matrix const&>(a).values, "data of the matrix", "that of b");
            require_same_memory(nb::cast<csr_matrix const&>(a).values, b, "the matrix");
        }
        return with_executor(
            x, [&](auto const& exec) { return solve_with<T>(exec, method, a, m, b, x, options, control); });
    }));
    told["raised"] = control.raised();
    return told;
}

} // namespace

krylov_options options_of(double rtol, double atol, std::int64_t max_iterations, int restart, int shadow_space) {
    return {.tolerance = rtol,
            .absolute_tolerance = atol,
            .max_iterations = max_iterations,
            .restart = restart,
            .shadow_space = shadow_space};
}

nb::dict dict_of_raised(solve_control const& control) {
    nb::dict d;
    d["raised"] = control.raised();
    return d;
}

nb::dict dict_of_result(krylov_result const& result) {
    nb::dict d;
    d["iterations"] = result.iterations;
    d["converged"] = result.converged;
    d["reason"] = to_string(result.reason);
    d["relative_residual"] = result.relative_residual;
    d["restarts"] = result.restarts;
    d["fault"] = result.fault;
    d["residual_history"] = to_python(result.residual_history);
    return d;
}

void add_krylov(nb::module_& m) {
    nb::class_<krylov_options>(m, "KrylovOptions")
        .def("__init__", [](krylov_options* self, double rtol, double atol, std::int64_t max_iterations, int restart,
                            int shadow_space) {
            new (self) krylov_options(options_of(rtol, atol, max_iterations, restart, shadow_space));
        });
    m.def("solve_krylov", solve_named, nb::arg("method"), nb::arg("a"), nb::arg("m").none(), nb::arg("b"), nb::arg("x"),
          nb::arg("options"), nb::arg("callback").none());
    nb::list names;
    for (auto const name : krylov_names) names.append(nb::cast(name));
    m.attr("krylov_names") = nb::tuple(names);
    m.attr("max_shadow_space") = krylov_options::max_shadow_space;
}

} // namespace coppice::python
