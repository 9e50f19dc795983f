// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners by name, and the catalogue that lists them.
#include "preconditioner.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "parts.hpp"

namespace coppice::python {
namespace {

nb::dict to_dict(option_row const& row) {
    nb::dict d;
    d["name"] = row.name;
    d["default"] = row.standard;
    d["meaning"] = row.meaning;
    d["expected"] = expected_of(row);
    return d;
}

nb::dict to_dict(preconditioner_row const& row) {
    nb::dict d;
    d["name"] = row.name;
    d["matrix"] = row.matrix;
    d["setup"] = row.setup;
    d["suits"] = row.suits;
    d["needs_diagonal"] = row.needs.diagonal;
    d["needs_symmetry"] = row.needs.symmetric;
    d["keeps_symmetry"] = row.keeps_symmetry;
    d["varies"] = row.varies;
    nb::list options;
    for (option_row const& option : row.options) options.append(to_dict(option));
    d["options"] = options;
    return d;
}

named_preconditioner make(std::string const& name, csr_matrix const& a, nb::dict const& options) {
    option_values const chosen = options_of(options);
    return with_number(a.values, [&]<class T>(std::type_identity<T>) {
        nb::gil_scoped_release const released;
        return named_preconditioner{make_preconditioner(current_executor(), name, a.view<T>(), chosen)};
    });
}

template <class Visit>
void with_held(named_preconditioner& m, Visit&& visit) {
    std::visit([&]<class T>(host_preconditioner<T>& held) { visit(held, std::type_identity<T>{}); }, m.held);
}

void apply(named_preconditioner& m, input_array const& r, output_array const& z) {
    with_held(m, [&]<class T>(host_preconditioner<T>& held, std::type_identity<T>) {
        require_type<T>(r, "the vector", "that of the preconditioner");
        nb::gil_scoped_release const released;
        auto const turn = m.take_turn();
        held.apply(current_executor(), elements<T>(r), elements<T>(z));
    });
}

void refresh(named_preconditioner& m, csr_matrix const& a) {
    with_held(m, [&]<class T>(host_preconditioner<T>& held, std::type_identity<T>) {
        require_type<T>(a.values, "data of the matrix", "that of the preconditioner");
        nb::gil_scoped_release const released;
        auto const turn = m.take_turn();
        held.refresh(current_executor(), a.view<T>());
    });
}

nb::dict report(named_preconditioner& m) {
    preconditioner_report found;
    {
        nb::gil_scoped_release const released;
        auto const turn = m.take_turn();
        with_held(m, [&](auto const& held, auto) { found = held.report(); });
    }
    return dict_of_report(found);
}

bool varies(named_preconditioner& m) {
    bool is = false;
    with_held(m, [&](auto const& held, auto) { is = held.varies(); });
    return is;
}

} // namespace

nb::dict dict_of_report(preconditioner_report const& report) {
    nb::dict d, options;
    d["name"] = report.name;
    d["setup_seconds"] = report.setup_seconds;
    for (auto const& [name, value] : report.options.entries()) options[nb::cast(name)] = value.text;
    d["options"] = options;
    for (finding const& f : report.findings)
        if (f.unit == finding_unit::count)
            d[nb::cast(f.key)] = static_cast<std::int64_t>(f.value);
        else
            d[nb::cast(f.key)] = f.value;
    return d;
}

option_values options_of(nb::dict const& options) {
    option_values values;
    for (auto const& [name, value] : options) values.set(nb::cast<std::string>(name), nb::cast<std::string>(value));
    return values;
}

void add_preconditioner(nb::module_& m) {
    nb::class_<named_preconditioner>(m, "Preconditioner")
        .def("apply", apply)
        .def("refresh", refresh)
        .def_prop_ro("report", report)
        .def_prop_ro("varies", varies);
    m.def("make_preconditioner", make);
    m.def("preconditioner_catalogue", [] {
        nb::list rows;
        for (preconditioner_row const& row : preconditioner_catalogue) rows.append(to_dict(row));
        return rows;
    });
}

} // namespace coppice::python
