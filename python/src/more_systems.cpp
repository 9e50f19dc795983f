// SPDX-License-Identifier: BSD-3-Clause
// Least-squares problems, eigenpairs, shifted systems.
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <coppice/solvers/eigen/lobpcg.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/iterative/krylov/shifted_cg.hpp>
#include <coppice/solvers/least_squares/least_squares.hpp>

#include "components.hpp"
#include "preconditioner.hpp"
#include "solve_control.hpp"

namespace coppice::python {
namespace {

/// x[columns of a]: the initial guess on entry, the solution on return.
nb::dict least_squares(std::string const& method, std::string const& preconditioner,
                       nb::dict const& preconditioner_options, csr_matrix const& a, input_array const& b,
                       output_array const& x, double damping, double rtol, std::int64_t max_iterations,
                       nb::object const& callback) {
    solve_control control(callback);
    least_squares_options const options{.method = method,
                                        .preconditioner = preconditioner,
                                        .preconditioner_options = options_of(preconditioner_options),
                                        .damping = damping,
                                        .tolerance = rtol,
                                        .max_iterations = max_iterations,
                                        .progress = control.progress()};
    least_squares_result found;
    bool const done = control.runs([&] {
        with_real(x, [&]<class T>(std::type_identity<T>) {
            require_type<T>(b, "b", "that of x");
            require_type<T>(a.values, "data of the matrix", "that of b");
            require_same_memory(b, x, "b");
            require_same_memory(a.values, x, "the matrix");
            with_executor(x, [&](auto const& exec) {
                found = solve_least_squares(exec, a.view<T>(), elements<T>(b), elements<T>(x), options);
            });
        });
    });
    if (!done) return dict_of_raised(control);
    nb::dict d;
    d["converged"] = found.converged;
    d["reason"] = std::string(to_string(found.reason));
    d["iterations"] = found.iterations;
    d["restarts"] = found.restarts;
    d["residual_norm"] = found.residual_norm;
    d["normal_norm"] = found.normal_norm;
    d["residual_history"] = to_python(std::move(found.residual_history));
    d["raised"] = control.raised();
    return d;
}

/// x[count, n]: start vectors on entry, eigenvectors on return. `m`: a preconditioner of this package, a function or
/// None.
nb::dict eigenpairs(csr_matrix const& a, std::optional<csr_matrix> const& b, nb::object const& m, output_array const& x,
                    int count, std::optional<input_array> const& constraints, double rtol, std::int64_t max_iterations,
                    bool largest, nb::object const& callback) {
    require_type<double>(a.values, "data of the matrix A", "float64");
    require_type<double>(x, "x", "float64");
    require_same_memory(a.values, x, "the matrix A");
    solve_control control(callback);
    eigen_options const options{
        .tolerance = rtol, .max_iterations = max_iterations, .largest = largest, .progress = control.progress()};
    preconditioner_turn const turns(m);
    eigen_result found;
    bool done = false;
    with_executor(x, [&]<class Executor>(Executor const& exec) {
        auto const preconditioner = preconditioner_of<Executor, double>(m, control, a.values);
        done = control.runs([&] {
            auto const turn = turns.take(a.values);
            found = lobpcg(exec, a.view<double>(), preconditioner, elements<double>(x), count, options,
                           b ? b->view<double>() : csr_view<double>{},
                           constraints ? elements<double>(*constraints) : array_view<double const>());
        });
    });
    if (!done) return dict_of_raised(control);
    nb::dict d;
    d["converged"] = found.converged;
    d["reason"] = std::string(to_string(found.reason));
    d["iterations"] = found.iterations;
    d["values"] = to_python(std::move(found.values));
    d["residuals"] = to_python(std::move(found.residuals));
    d["raised"] = control.raised();
    return d;
}

/// x[shifts, n] on return.
nb::dict shifted(csr_matrix const& a, std::vector<double> const& shifts, input_array const& b, output_array const& x,
                 double rtol, std::int64_t max_iterations, nb::object const& callback) {
    require_type<double>(a.values, "data of the matrix A", "float64");
    require_type<double>(b, "b", "float64");
    require_same_memory(a.values, b, "the matrix A");
    solve_control control(callback);
    shifted_options const options{.tolerance = rtol, .max_iterations = max_iterations, .progress = control.progress()};
    shifted_result found;
    bool const done = control.runs([&] {
        with_executor(x, [&](auto const& exec) {
            found = solve_shifted(exec, csr_operator(exec, a.view<double>()), shifts, elements<double>(b),
                                  elements<double>(x), options);
        });
    });
    if (!done) return dict_of_raised(control);
    nb::dict d;
    d["converged"] = found.converged;
    d["iterations"] = found.iterations;
    d["relative_residuals"] = to_python(std::move(found.relative_residuals));
    d["raised"] = control.raised();
    return d;
}

} // namespace

void add_more_systems(nb::module_& m) {
    m.def("solve_least_squares", least_squares, nb::arg("method"), nb::arg("preconditioner"),
          nb::arg("preconditioner_options"), nb::arg("a"), nb::arg("b"), nb::arg("x"), nb::arg("damping"),
          nb::arg("rtol"), nb::arg("max_iterations"), nb::arg("callback").none());
    m.def("lobpcg", eigenpairs, nb::arg("a"), nb::arg("b").none(), nb::arg("m").none(), nb::arg("x"), nb::arg("count"),
          nb::arg("constraints").none(), nb::arg("rtol"), nb::arg("max_iterations"), nb::arg("largest"),
          nb::arg("callback").none());
    m.def("solve_shifted", shifted, nb::arg("a"), nb::arg("shifts"), nb::arg("b"), nb::arg("x"), nb::arg("rtol"),
          nb::arg("max_iterations"), nb::arg("callback").none());
}

} // namespace coppice::python
