// SPDX-License-Identifier: BSD-3-Clause
// Solves with an automatic choice of the method.
#include <optional>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <coppice/solvers/solve/solve_automatically.hpp>

#include "components.hpp"
#include "preconditioner.hpp"
#include "solve_control.hpp"

namespace coppice::python {
namespace {

nb::dict to_dict(solver_attempt const& attempt) {
    nb::dict d;
    d["solver"] = attempt.choice.solver;
    d["preconditioner"] = attempt.choice.preconditioner;
    d["refusal"] = attempt.refusal;
    d["setup_seconds"] = attempt.setup_seconds;
    d["solve_seconds"] = attempt.solve_seconds;
    d["setup"] = dict_of_report(attempt.setup);
    d["reason"] = std::string(to_string(attempt.result.reason));
    d["iterations"] = attempt.result.iterations;
    return d;
}

nb::dict to_dict(automatic_result const& found) {
    nb::dict d = dict_of_result(found.result);
    nb::list attempts;
    for (solver_attempt const& attempt : found.attempts) attempts.append(to_dict(attempt));
    d["attempts"] = attempts;
    d["setup_seconds"] = found.setup_seconds();
    d["solve_seconds"] = found.solve_seconds();
    return d;
}

/// `near_null_space`: float64 or complex128, and `null_space`: float64, in host memory, vectors one after the other, or
/// none. x[n]: the initial guess on entry, the solution on return. A name may be "auto".
nb::dict solve(std::string const& solver, std::string const& preconditioner, nb::dict const& preconditioner_options,
               csr_matrix const& a, input_array const& b, output_array const& x, krylov_options krylov,
               nb::object const& callback, std::optional<input_array> const& near_null_space, int unknowns_per_point,
               std::optional<input_array> const& null_space) {
    solve_control control(callback);
    krylov.progress = control.progress();
    std::vector<double> vectors, imaginary;
    if (near_null_space) {
        if (holds<std::complex<double>>(*near_null_space)) {
            for (auto const& value : elements<std::complex<double>>(*near_null_space)) {
                vectors.push_back(value.real());
                imaginary.push_back(value.imag());
            }
        } else {
            require_type<double>(*near_null_space, "near_null_space", "float64 or complex128");
            auto const given = elements<double>(*near_null_space);
            vectors.assign(given.begin(), given.end());
        }
    }
    std::vector<double> null_vectors;
    if (null_space) {
        require_type<double>(*null_space, "null_space", "float64");
        auto const given = elements<double>(*null_space);
        null_vectors.assign(given.begin(), given.end());
    }
    automatic_options const options{.solver = solver,
                                    .preconditioner = preconditioner,
                                    .preconditioner_options = options_of(preconditioner_options),
                                    .krylov = std::move(krylov),
                                    .near_null_space = vectors,
                                    .near_null_space_imaginary = imaginary,
                                    .unknowns_per_point = unknowns_per_point,
                                    .null_space = null_vectors};
    automatic_result found;
    bool const done = control.runs([&] {
        with_number(x, [&]<class T>(std::type_identity<T>) {
            require_type<T>(b, "b", "that of x");
            require_type<T>(a.values, "data of the matrix", "that of b");
            require_same_memory(b, x, "b");
            require_same_memory(a.values, x, "the matrix");
            with_executor(x, [&](auto const& exec) {
                found =
                    solve_automatically(exec, csr_operator(exec, a.view<T>()), elements<T>(b), elements<T>(x), options);
            });
        });
    });
    if (!done) return dict_of_raised(control);
    nb::dict told = to_dict(found);
    told["raised"] = control.raised();
    return told;
}

} // namespace

void add_automatic(nb::module_& m) {
    m.def("solve_automatically", solve, nb::arg("solver"), nb::arg("preconditioner"), nb::arg("preconditioner_options"),
          nb::arg("a"), nb::arg("b"), nb::arg("x"), nb::arg("options"), nb::arg("callback").none(),
          nb::arg("near_null_space").none() = nb::none(), nb::arg("unknowns_per_point") = 1,
          nb::arg("null_space").none() = nb::none());
}

} // namespace coppice::python
