// SPDX-License-Identifier: BSD-3-Clause
// Sparse algebra on the host: element-wise operations, parts, masks and accumulators, products over operators of the
// user. Vectors come as rows of ranges of their indices.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <coppice/semiring/products/mxm.hpp>
#include <coppice/semiring/sparse/parts.hpp>

#include "matrix.hpp"
#include "operators.hpp"
#include "parts.hpp"

namespace coppice::python {
namespace {

/// visit(exec, std::type_identity<T>{}), which gives a csr<T>, without the interpreter's lock; its arrays.
template <class Visit>
nb::tuple made_of(csr_matrix const& a, Visit const& visit) {
    return with_real(a.values, [&]<class T>(std::type_identity<T> type) {
        csr<T> made;
        {
            nb::gil_scoped_release const released;
            made = visit(current_executor(), type);
        }
        return to_arrays(std::move(made));
    });
}

nb::tuple ewise_add(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return coppice::ewise_add(exec, binary_of<T>(op), a.view<T>(), b.view<T>());
    });
}
nb::tuple ewise_mult(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return coppice::ewise_mult(exec, binary_of<T>(op), a.view<T>(), b.view<T>());
    });
}
nb::tuple ewise_union(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op, double missing_a,
                      double missing_b) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return coppice::ewise_union(exec, binary_of<T>(op), a.view<T>(), static_cast<T>(missing_a), b.view<T>(),
                                    static_cast<T>(missing_b));
    });
}

nb::tuple apply(csr_matrix const& a, chosen_operator const& f, double scalar) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return coppice::apply(exec, function_of<T>("function", detail::map_rows<T>, f, scalar), a.view<T>());
    });
}
/// op(operand, a_ij) where `first`, else op(a_ij, operand).
nb::tuple apply_bound(csr_matrix const& a, chosen_operator const& op, double operand, bool first) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return coppice::apply(exec, bound_operator<T>{binary_of<T>(op), static_cast<T>(operand), first}, a.view<T>());
    });
}
nb::tuple select(csr_matrix const& a, chosen_operator const& keep, double scalar) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return select_entries(exec, function_of<T>("selection", detail::selection_rows<T>, keep, scalar), a.view<T>());
    });
}

double reduce(csr_matrix const& a, chosen_monoid const& add) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) -> double {
        auto const fold = monoid_of<T>(add);
        nb::gil_scoped_release const released;
        return reduce_to_scalar(current_executor(), fold, a.view<T>());
    });
}
/// An element a row, the identity where it has no entries.
nb::object reduce_rows(csr_matrix const& a, chosen_monoid const& add) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        auto const fold = monoid_of<T>(add);
        buffer<T> sums;
        {
            nb::gil_scoped_release const released;
            sums = std::move(reduce_to_vector(current_executor(), fold, a.view<T>()).values());
        }
        return to_python(std::move(sums));
    });
}

/// Calls visit(list) with all_indices{} or the indices of a list.
template <class Visit>
auto with_list(std::optional<input_array> const& list, Visit const& visit) {
    return list ? visit(elements<std::int32_t>(*list)) : visit(all_indices{});
}

nb::tuple extract(csr_matrix const& a, std::optional<input_array> const& rows,
                  std::optional<input_array> const& columns) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return with_list(rows, [&](auto const& r) {
            return with_list(columns, [&](auto const& c) { return coppice::extract(exec, a.view<T>(), r, c); });
        });
    });
}

nb::tuple kronecker(csr_matrix const& a, csr_matrix const& b, chosen_operator const& op) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        return coppice::kronecker(exec, binary_of<T>(op), a.view<T>(), b.view<T>());
    });
}

/// How a result is written: mask, accumulator, replace.
struct writing {
    std::optional<csr_matrix> mask;
    std::optional<chosen_operator> accumulator;
    descriptor how;
};

/// Calls visit(mask, accumulator).
template <class T, class Visit>
void with_writing(writing const& w, Visit const& visit) {
    auto const with_accumulator = [&](auto const& mask) {
        if (w.accumulator)
            visit(mask, binary_of<T>(*w.accumulator));
        else
            visit(mask, no_accumulator{});
    };
    if (w.mask)
        with_accumulator(w.mask->view<T>());
    else
        with_accumulator(no_mask{});
}

template <class T>
csr<T> copy(host_executor const& exec, csr_matrix const& c) {
    auto const view = c.view<T>();
    return {view.rows(), view.columns(), copy_of(exec, view.row_offsets()), copy_of(exec, view.column_indices()),
            copy_of(exec, view.values())};
}

/// C<mask, replace> = C ⊙ T
nb::tuple update(csr_matrix const& c, csr_matrix const& t, writing const& w) {
    return made_of(c, [&]<class T>(auto const& exec, std::type_identity<T>) {
        auto made = copy<T>(exec, c);
        auto const from = copy<T>(exec, t);
        with_writing<T>(w, [&](auto const& mask, auto const& accumulator) {
            coppice::update(exec, made, mask, accumulator, from, w.how);
        });
        return made;
    });
}

/// C<mask>(rows, columns) = C(rows, columns) ⊙ A; the mask has the shape of C.
nb::tuple assign(csr_matrix const& c, csr_matrix const& a, std::optional<input_array> const& rows,
                 std::optional<input_array> const& columns, writing const& w) {
    return made_of(c, [&]<class T>(auto const& exec, std::type_identity<T>) {
        auto made = copy<T>(exec, c);
        with_writing<T>(w, [&](auto const& mask, auto const& accumulator) {
            with_list(rows, [&](auto const& r) {
                with_list(columns, [&](auto const& k) {
                    coppice::assign(exec, made, mask, accumulator, a.view<T>(), r, k, w.how);
                });
            });
        });
        return made;
    });
}
nb::tuple assign_scalar(csr_matrix const& c, double value, std::optional<input_array> const& rows,
                        std::optional<input_array> const& columns, writing const& w) {
    return made_of(c, [&]<class T>(auto const& exec, std::type_identity<T>) {
        auto made = copy<T>(exec, c);
        with_writing<T>(w, [&](auto const& mask, auto const& accumulator) {
            with_list(rows, [&](auto const& r) {
                with_list(columns, [&](auto const& k) {
                    coppice::assign_scalar(exec, made, mask, accumulator, static_cast<T>(value), r, k, w.how);
                });
            });
        });
        return made;
    });
}

/// A B over a monoid and an operator, where the structure of the mask admits it.
nb::tuple multiply(csr_matrix const& a, csr_matrix const& b, chosen_monoid const& add, chosen_operator const& op,
                   std::optional<csr_matrix> const& mask, bool complement) {
    return made_of(a, [&]<class T>(auto const& exec, std::type_identity<T>) {
        semiring_of<monoid<T>, binary_operator<T>> const s{monoid_of<T>(add), binary_of<T>(op)};
        auto const left = a.view<T>(), right = b.view<T>();
        auto plan = mask ? make_masked_product_plan(exec, left, right, mask->view<T>(),
                                                    descriptor{.structure = true, .complement = complement})
                         : make_product_plan(exec, left, right);
        return mxm(exec, std::move(plan), s, left, right);
    });
}

} // namespace

void add_sparse(nb::module_& m) {
    nb::class_<writing>(m, "Writing")
        .def(
            "__init__",
            [](writing* self, std::optional<csr_matrix> mask, std::optional<chosen_operator> accumulator, bool replace,
               bool structure, bool complement) {
                new (self) writing{std::move(mask),
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
    m.attr("operator_names") = names(detail::binary_rows<double>);
    m.attr("monoid_names") = names(detail::monoid_rows<double>);
    m.attr("function_names") = names(detail::map_rows<double>);
    m.attr("selection_names") = names(detail::selection_rows<double>);
}

} // namespace coppice::python
