// SPDX-License-Identifier: BSD-3-Clause
// Solves with several right-hand sides simultaneously, and in mixed precision.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <coppice/solvers/solve/solve_columns.hpp>
#include <coppice/solvers/solve/solve_refined.hpp>

#include "components.hpp"
#include "preconditioner.hpp"
#include "solve_control.hpp"

namespace coppice::python {
namespace {

/// b[columns, n]; x[columns, n]: the initial guesses on entry, the solutions on return. Returns one result per column,
/// and the exception that ended the solves, or None.
nb::tuple columns(std::string const& method, csr_matrix const& a, nb::object const& m, input_array const& b,
                  output_array const& x, std::int64_t count, krylov_options options) {
    solve_control control{nb::object(nb::none())};
    options.progress = [&control](std::int64_t, double) { return !control.ends(); };
    std::vector<krylov_result> results;
    with_number(x, [&]<class T>(std::type_identity<T>) {
        require_type<T>(b, "B", "that of X");
        require_type<T>(a.values, "data of the matrix", "that of B");
        require_same_memory(b, x, "B");
        require_same_memory(a.values, x, "the matrix");
        preconditioner_turn const turns(m);
        with_executor(x, [&]<class Executor>(Executor const& exec) {
            auto const preconditioner = preconditioner_of<Executor, T>(m, control, b);
            nb::gil_scoped_release const released;
            control.watch([&] {
                enter_thread(exec);
                auto const turn = turns.take(b);
                results = solve_columns(exec, method, csr_operator(exec, a.view<T>()), preconditioner, elements<T>(b),
                                        elements<T>(x), count, options);
            });
        });
    });
    nb::list told;
    for (krylov_result const& result : results) told.append(dict_of_result(result));
    return nb::make_tuple(told, control.raised());
}

/// x[n] in double: the initial guess on entry, the solution on return.
nb::dict refined(std::string const& method, std::string const& preconditioner, nb::dict const& preconditioner_options,
                 csr_matrix const& a, input_array const& b, output_array const& x, krylov_options krylov,
                 nb::object const& callback) {
    require_type<double>(a.values, "data of the matrix A", "float64");
    require_type<double>(b, "b", "float64");
    require_type<double>(x, "x", "float64");
    require_same_memory(b, x, "b");
    require_same_memory(a.values, x, "the matrix A");
    solve_control control(callback);
    krylov.progress = control.progress();
    refinement_options const options{.solver = method,
                                     .preconditioner = preconditioner,
                                     .preconditioner_options = options_of(preconditioner_options),
                                     .krylov = std::move(krylov)};
    refined_result found;
    if (!control.runs([&] {
            with_executor(x, [&](auto const& exec) {
                found = solve_refined(exec, csr_operator(exec, a.view<double>()), elements<double>(b),
                                      elements<double>(x), options);
            });
        }))
        return dict_of_raised(control);
    nb::dict d = dict_of_result(found.result);
    d["setup"] = dict_of_report(found.setup);
    d["setup_seconds"] = found.setup_seconds;
    d["solve_seconds"] = found.solve_seconds;
    d["raised"] = control.raised();
    return d;
}

} // namespace

void add_systems(nb::module_& m) {
    m.def("solve_columns", columns, nb::arg("method"), nb::arg("a"), nb::arg("m").none(), nb::arg("b"), nb::arg("x"),
          nb::arg("columns"), nb::arg("options"));
    m.def("solve_refined", refined, nb::arg("method"), nb::arg("preconditioner"), nb::arg("preconditioner_options"),
          nb::arg("a"), nb::arg("b"), nb::arg("x"), nb::arg("options"), nb::arg("callback").none());
}

} // namespace coppice::python
