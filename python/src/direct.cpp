// SPDX-License-Identifier: BSD-3-Clause
// Direct solves with all options.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <coppice/core/names.hpp>

#include "bands.hpp"
#include "components.hpp"

namespace coppice::python {
namespace {

constexpr std::array<std::string_view, 3> pivoting_names{"none", "partial", "scaled"};
constexpr std::array<std::string_view, 3> operation_names{"none", "transposed", "conjugate_transposed"};
constexpr std::array<std::string_view, 3> method_names{"auto", "rpts", "chain"};

template <class Enum>
Enum by_name(char const* what, std::array<std::string_view, 3> const& names, std::string const& name) {
    for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == name) return static_cast<Enum>(k);
    coppice::detail::throw_unknown_name(what, name, names);
}

band_options options_of(std::string const& pivot, double threshold, bool cyclic, std::string const& operation,
                        std::string const& method, int refinements, double error_bound, bool condition) {
    return {.pivot = by_name<pivoting>("pivoting", pivoting_names, pivot),
            .threshold = threshold,
            .cyclic = cyclic,
            .operation = by_name<matrix_operation>("operation", operation_names, operation),
            .method = by_name<band_method>("method", method_names, method),
            .refinements = refinements,
            .error_bound = error_bound,
            .condition = condition};
}

/// b and x: [columns, systems, rows]; reports: one solve_report per system in host memory, or none.
void solve(bands const& a, input_array const& b, output_array const& x, std::int64_t columns,
           band_options const& options, std::optional<output_array> const& reports) {
    unlocked const released;
    with_executor(x, [&](auto const& exec) {
        buffer<solve_report> found(exec, reports ? a.systems : 0);
        with_number(x, [&]<class T>(std::type_identity<T>) {
            for (band_batch<T> const& batch : batches_of<T>(a)) {
                auto const report =
                    reports ? array_view(found.data() + batch.first, batch.matrix.systems) : array_view<solve_report>();
                solve_bands(exec, batch.matrix, columns_of<T const>(a, batch, elements<T>(b).data(), columns),
                            columns_of<T>(a, batch, elements<T>(x).data(), columns), options, report);
            }
        });
        if (reports) exec.copy_elements(found.data(), static_cast<solve_report*>(reports->data()), a.systems);
    });
}

} // namespace

void add_direct(nb::module_& m) {
    static_assert(sizeof(solve_report) == 40 && offsetof(solve_report, condition) == 32,
                  "direct.py describes these fields to NumPy");
    nb::class_<band_options>(m, "BandOptions")
        .def("__init__", [](band_options* self, std::string const& pivot, double threshold, bool cyclic,
                            std::string const& operation, std::string const& method, int refinements,
                            double error_bound, bool condition) {
            new (self) band_options(
                options_of(pivot, threshold, cyclic, operation, method, refinements, error_bound, condition));
        });
    nb::class_<bands>(m, "Bands")
        .def(
            "__init__",
            [](bands* self, std::optional<input_array> lower, input_array diagonal, std::optional<input_array> upper,
               std::int64_t systems, std::int64_t length, int block, int lower_bands, int upper_bands) {
                new (self) bands{std::move(lower), std::move(diagonal), std::move(upper), systems, length, block,
                                 lower_bands,      upper_bands};
            },
            nb::arg("lower").none(), nb::arg("diagonal"), nb::arg("upper").none(), nb::arg("systems"),
            nb::arg("length"), nb::arg("block"), nb::arg("lower_bands"), nb::arg("upper_bands"));
    m.def("solve_bands", solve, nb::arg("bands"), nb::arg("b"), nb::arg("x"), nb::arg("columns"), nb::arg("options"),
          nb::arg("reports").none());
    m.attr("largest_block") = largest_block;
}

} // namespace coppice::python
