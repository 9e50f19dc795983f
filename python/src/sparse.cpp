// SPDX-License-Identifier: BSD-3-Clause
// Sparse algebra: element-wise operations, submatrices, masks and accumulators, products over user-defined operators.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "components.hpp"
#include "matrix.hpp"
#include "sparse_operations.hpp"

namespace coppice::python {
namespace {

using index_array = std::optional<input_array>;

/// Throws argument_error unless a second matrix has the type and the memory space of the first.
void require_match(csr_matrix const& a, csr_matrix const& b, char const* name) {
    with_real(a.values,
              [&]<class T>(std::type_identity<T>) { require_type<T>(b.values, name, "that of the first matrix"); });
    require_same_memory(b.values, a.values, name);
}

/// Mask, accumulator and descriptor of an output, before the value type is known.
struct python_writing {
    std::optional<csr_matrix> mask;
    std::optional<chosen_operator> accumulator;
    descriptor how;

    void require_match(csr_matrix const& c) const {
        if (mask) coppice::python::require_match(c, *mask, "the mask");
    }

    template <class T>
    writing<T> as() const {
        writing<T> w{{}, accumulator, how};
        if (mask) w.mask = mask->view<T>();
        return w;
    }
};

index_list list_of(index_array const& list, csr_matrix const& a) {
    if (!list) return {};
    require_type<std::int32_t>(*list, "a list of indices", "int32");
    require_same_memory(*list, a.values, "a list of indices");
    return elements<std::int32_t>(*list);
}

/// Returns body(exec, operations) for the type and the memory space of a matrix; called without the interpreter's lock.
template <class T, class Body>
auto with_operations(csr_matrix const& a, Body const& body) {
    unlocked const released;
    return with_executor(
        a.values, [&]<class Executor>(Executor const& exec) { return body(exec, sparse_operations<Executor, T>{}); });
}
/// Returns the arrays of the matrix body(exec, operations, type).
template <class Body>
nb::tuple made_of(csr_matrix const& a, Body const& body) {
    return with_real(a.values, [&]<class T>(std::type_identity<T> type) {
        return to_arrays(
            with_operations<T>(a, [&](auto const& exec, auto operations) { return body(exec, operations, type); }));
    });
}
template <class Body>
nb::tuple made_of(csr_matrix const& a, csr_matrix const& b, Body const& body) {
    require_match(a, b, "the second matrix");
    return made_of(a, body);
}

nb::tuple ewise_add(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op) {
    return made_of(a, b, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.ewise_add(exec, a.view<T>(), b.view<T>(), op);
    });
}
nb::tuple ewise_mult(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op) {
    return made_of(a, b, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.ewise_mult(exec, a.view<T>(), b.view<T>(), op);
    });
}
nb::tuple ewise_union(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op, double missing_a,
                      double missing_b) {
    return made_of(a, b, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.ewise_union(exec, a.view<T>(), b.view<T>(), op, static_cast<T>(missing_a), static_cast<T>(missing_b));
    });
}

nb::tuple apply(csr_matrix const& a, chosen_operator const& f, double scalar) {
    return made_of(a, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.apply(exec, a.view<T>(), f, scalar);
    });
}
nb::tuple apply_bound(csr_matrix const& a, chosen_operator const& op, double operand, bool first) {
    return made_of(a, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.apply_bound(exec, a.view<T>(), op, static_cast<T>(operand), first);
    });
}
nb::tuple select(csr_matrix const& a, chosen_operator const& keep, double scalar) {
    return made_of(a, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.select(exec, a.view<T>(), keep, scalar);
    });
}

double reduce(csr_matrix const& a, chosen_monoid const& add) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) -> double {
        return with_operations<T>(a, [&](auto const& exec, auto on) { return on.reduce(exec, a.view<T>(), add); });
    });
}
nb::object reduce_rows(csr_matrix const& a, chosen_monoid const& add) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        return to_python(
            with_operations<T>(a, [&](auto const& exec, auto on) { return on.reduce_rows(exec, a.view<T>(), add); }));
    });
}

nb::tuple extract(csr_matrix const& a, index_array const& rows, index_array const& columns) {
    auto const r = list_of(rows, a), c = list_of(columns, a);
    return made_of(a, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.extract(exec, a.view<T>(), r, c);
    });
}

nb::tuple kronecker(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op) {
    return made_of(a, b, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.kronecker(exec, a.view<T>(), b.view<T>(), op);
    });
}

nb::tuple update(csr_matrix const& c, csr_matrix const& t, python_writing const& w) {
    w.require_match(c);
    return made_of(c, t, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.update(exec, c.view<T>(), t.view<T>(), w.as<T>());
    });
}
nb::tuple assign(csr_matrix const& c, csr_matrix const& a, index_array const& rows, index_array const& columns,
                 python_writing const& w) {
    w.require_match(c);
    auto const r = list_of(rows, c), k = list_of(columns, c);
    return made_of(c, a, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.assign(exec, c.view<T>(), a.view<T>(), r, k, w.as<T>());
    });
}
nb::tuple assign_scalar(csr_matrix const& c, double value, index_array const& rows, index_array const& columns,
                        python_writing const& w) {
    w.require_match(c);
    auto const r = list_of(rows, c), k = list_of(columns, c);
    return made_of(c, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        return on.assign_scalar(exec, c.view<T>(), static_cast<T>(value), r, k, w.as<T>());
    });
}

nb::tuple multiply(csr_matrix const& a, csr_matrix const& b, chosen_monoid const& add, chosen_operator const& op,
                   std::optional<csr_matrix> const& mask, bool complement) {
    if (mask) require_match(a, *mask, "the mask");
    return made_of(a, b, [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
        std::optional<csr_view<T>> admitted;
        if (mask) admitted = mask->view<T>();
        return on.multiply(exec, a.view<T>(), b.view<T>(), add, op, admitted, complement);
    });
}

/// y = A x for x[columns, width], y[rows, width].
void multiply_columns(csr_matrix const& a, input_array const& x, std::int64_t width, output_array const& y) {
    with_real(a.values, [&]<class T>(std::type_identity<T>) {
        require_type<T>(x, "x", "that of the matrix");
        require_type<T>(y, "y", "that of the matrix");
        require_same_memory(x, a.values, "x");
        require_same_memory(y, a.values, "y");
        require_size("x", std::int64_t(x.size()), a.columns * width);
        require_size("y", std::int64_t(y.size()), a.rows * width);
        with_operations<T>(a, [&](auto const& exec, auto on) {
            on.reduce_features(exec, a.view<T>(), static_cast<T const*>(x.data()), width, row_reduction::sum,
                               static_cast<T*>(y.data()), nullptr, {});
        });
    });
}

} // namespace

void add_sparse(nb::module_& m) {
    m.def("multiply_columns", multiply_columns);
    nb::class_<python_writing>(m, "Writing")
        .def(
            "__init__",
            [](python_writing* self, std::optional<csr_matrix> mask, std::optional<chosen_operator> accumulator,
               bool replace, bool structure, bool complement) {
                new (self) python_writing{std::move(mask),
                                          std::move(accumulator),
                                          {.replace = replace, .structure = structure, .complement = complement}};
            },
            nb::arg("mask").none(), nb::arg("accumulator").none(), nb::arg("replace"), nb::arg("structure"),
            nb::arg("complement"));
    m.def("ewise_add", ewise_add);
    m.def("ewise_mult", ewise_mult);
    m.def("ewise_union", ewise_union);
    m.def("apply", apply);
    m.def("apply_bound", apply_bound);
    m.def("select", select);
    m.def("reduce", reduce);
    m.def("reduce_rows", reduce_rows);
    m.def("extract", extract, nb::arg("a"), nb::arg("rows").none(), nb::arg("columns").none());
    m.def("kronecker", kronecker);
    m.def("update", update);
    m.def("assign", assign, nb::arg("c"), nb::arg("a"), nb::arg("rows").none(), nb::arg("columns").none(),
          nb::arg("how"));
    m.def("assign_scalar", assign_scalar, nb::arg("c"), nb::arg("value"), nb::arg("rows").none(),
          nb::arg("columns").none(), nb::arg("how"));
    m.def("multiply_over", multiply, nb::arg("a"), nb::arg("b"), nb::arg("add"), nb::arg("operator"),
          nb::arg("mask").none(), nb::arg("complement"));
    auto const names = [](auto const& rows) {
        nb::list list;
        for (auto const& row : rows) list.append(nb::cast(std::string(row.name)));
        return nb::tuple(list);
    };
    m.attr("operator_names") = names(detail::binary_table<double>::rows);
    m.attr("monoid_names") = names(detail::monoid_table<double>::rows);
    nb::dict identities;
    for (auto const& row : detail::monoid_table<double>::rows)
        identities[nb::cast(std::string(row.name))] = row.call.zero;
    m.attr("monoid_identities") = identities;
    m.attr("function_names") = names(detail::map_table<double>::rows);
    m.attr("selection_names") = names(detail::selection_table<double>::rows);
}

} // namespace coppice::python
