// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners by name, and the catalogue that lists them.
#include "preconditioner.hpp"

#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <coppice/solvers/multilevel/near_null_space.hpp>

#include "components.hpp"

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

/// `near`: vectors, one after the other, in the memory of the matrix, or None; `block`: unknowns per point.
named_preconditioner make(std::string const& name, csr_matrix const& a, nb::dict const& options,
                          std::optional<input_array> const& near, int block) {
    option_values const chosen = options_of(options);
    return with_number(a.values, [&]<class T>(std::type_identity<T>) {
        return with_executor(a.values, [&]<class Executor>(Executor const& exec) {
            auto made = [&]() -> any_preconditioner<Executor, T> {
                unlocked const released;
                if (!near) return make_preconditioner(exec, name, a.view<T>(), chosen);
                require_type<T>(*near, "near_null_space", "that of the matrix");
                require_same_memory(*near, a.values, "near_null_space");
                auto const vectors = elements<T>(*near);
                return make_preconditioner(
                    exec, name, a.view<T>(), chosen,
                    near_null_space<T>{block, int(vectors.size() / std::max(1, a.rows)), vectors});
            }();
            named_preconditioner named{std::move(made), a.values};
            named.take_turn(a.values);
            return named;
        });
    });
}

/// Calls body(preconditioner, std::type_identity<T>{}).
template <class Body>
void with_held(named_preconditioner& m, Body&& body) {
    std::visit(
        [&]<class Executor, class T>(any_preconditioner<Executor, T>& held) { body(held, std::type_identity<T>{}); },
        m.held);
}

/// Calls work(exec) with the executor of an array if it is of the type for which the preconditioner was created.
template <class Executor, class T, class Work>
void on_its_executor(any_preconditioner<Executor, T> const&, input_array const& array, Work const& work) {
    with_executor(array, [&]<class E>(E const& exec) {
        if constexpr (std::is_same_v<E, Executor>) work(exec);
    });
}

void apply(named_preconditioner& m, input_array const& r, output_array const& z) {
    with_held(m, [&]<class T>(auto& held, std::type_identity<T>) {
        require_type<T>(r, "the vector", "that of the preconditioner");
        require_same_memory(r, m.values, "the vector");
        unlocked const released;
        auto const turn = m.take_turn(r);
        on_its_executor(held, r, [&](auto const& exec) { held.apply(exec, elements<T>(r), elements<T>(z)); });
    });
}

/// z = M^-T r, without conjugation.
void apply_transpose(named_preconditioner& m, input_array const& r, output_array const& z) {
    with_held(m, [&]<class T>(auto& held, std::type_identity<T>) {
        require_type<T>(r, "the vector", "that of the preconditioner");
        require_same_memory(r, m.values, "the vector");
        unlocked const released;
        auto const turn = m.take_turn(r);
        on_its_executor(held, r, [&](auto const& exec) { held.apply_transpose(exec, elements<T>(r), elements<T>(z)); });
    });
}

void refresh(named_preconditioner& m, csr_matrix const& a) {
    with_held(m, [&]<class T>(auto& held, std::type_identity<T>) {
        require_type<T>(a.values, "data of the matrix", "that of the preconditioner");
        require_same_memory(a.values, m.values, "the matrix");
        unlocked const released;
        named_preconditioner::turn const whole(m.turns->mutex);
        bool const before = std::exchange(m.turns->unfinished, false);
        try {
            auto const turn = m.take_turn(a.values);
            on_its_executor(held, a.values, [&](auto const& exec) { held.refresh(exec, a.view<T>()); });
        } catch (interrupted const&) {
            m.turns->unfinished = true;
            throw;
        } catch (...) {
            m.turns->unfinished = before;
            throw;
        }
    });
}

nb::dict report(named_preconditioner& m) {
    preconditioner_report found;
    {
        unlocked const released;
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
        else if (f.unit == finding_unit::flag)
            d[nb::cast(f.key)] = f.value != 0;
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
        .def("apply_transpose", apply_transpose)
        .def("refresh", refresh)
        .def_prop_ro("report", report)
        .def_prop_ro("varies", varies);
    m.def("make_preconditioner", make, nb::arg("name"), nb::arg("a"), nb::arg("options"),
          nb::arg("near_null_space").none() = nb::none(), nb::arg("block") = 1);
    m.def("rigid_body_modes", [](int dimension, input_array const& coordinates) {
        require_type<double>(coordinates, "coordinates", "float64");
        return to_python(rigid_body_modes(dimension, elements<double>(coordinates)));
    });
    m.def("preconditioner_catalogue", [] {
        nb::list rows;
        for (preconditioner_row const& row : preconditioner_catalogue) rows.append(to_dict(row));
        return rows;
    });
}

} // namespace coppice::python
