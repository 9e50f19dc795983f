// SPDX-License-Identifier: BSD-3-Clause
// Products over named semirings, and row reductions by a compiled user function.
#include <cstdint>
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

#include "components.hpp"
#include "matrix.hpp"

namespace coppice::python {
namespace {

/// A matrix and the plan of its products.
struct planned_matrix {
    csr_matrix matrix;
    srcsr_plan<std::int32_t> plan;
};

planned_matrix planned(csr_matrix const& a) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        auto plan = [&] {
            unlocked const released;
            return with_executor(a.values, [&](auto const& exec) { return make_srcsr_plan(exec, a.view<T>()); });
        }();
        return planned_matrix{a, std::move(plan)};
    });
}

/// y = before ⊕ A x at the positions that the mask selects; y[rows], x[columns].
void multiply(planned_matrix const& a, std::string const& name, input_array const& x, output_array const& y,
              std::optional<input_array> const& mask, bool complement, std::optional<input_array> const& before) {
    with_real(a.matrix.values, [&]<class T>(std::type_identity<T>) {
        require_type<T>(x, "x", "that of the matrix");
        require_same_memory(x, a.matrix.values, "x");
        require_same_memory(y, a.matrix.values, "y");
        auto const old = before ? elements<T>(*before) : array_view<T const>();
        auto const admitted = mask ? elements<T>(*mask) : array_view<T const>();
        unlocked const released;
        with_executor(y, [&](auto const& exec) {
            if (name == "plus-times") // spmv is tuned to the pattern
                spmv(exec, a.plan, a.matrix.view<T>(), elements<T>(x), elements<T>(y));
            else
                semiring_spmv(exec, a.plan, name, a.matrix.view<T>(), elements<T>(x), elements<T>(y));
            if (mask || before) merge_result(exec, name, admitted, complement, old, elements<T>(y));
        });
    });
}

nb::tuple multiply_matrices(csr_matrix const& a, csr_matrix const& b, std::string const& name,
                            std::optional<csr_matrix> const& mask, bool complement) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        require_type<T>(b.values, "data of the second matrix", "that of the first");
        require_same_memory(b.values, a.values, "the second matrix");
        if (mask) {
            require_type<T>(mask->values, "data of the mask", "that of the first matrix");
            require_same_memory(mask->values, a.values, "the mask");
        }
        csr<T> product;
        {
            unlocked const released;
            with_executor(a.values, [&](auto const& exec) {
                auto const left = a.view<T>(), right = b.view<T>();
                if (mask)
                    product = mxm(exec,
                                  make_masked_product_plan(exec, left, right, mask->view<T>(),
                                                           descriptor{.structure = true, .complement = complement}),
                                  name, left, right);
                else
                    product = mxm(exec, name, left, right); // in one pass
            });
        }
        return to_arrays(std::move(product));
    });
}

nb::tuple transposed(csr_matrix const& a) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        csr<T> made;
        {
            unlocked const released;
            with_executor(a.values, [&](auto const& exec) { made = transpose(exec, a.view<T>()); });
        }
        return to_arrays(std::move(made));
    });
}

/// Function that Numba compiles for a user-defined semiring: reduces the rows [first, last).
using row_fold = void (*)(std::int64_t first, std::int64_t last, void const* offsets, void const* indices,
                          void const* values, void const* x, void* y);

struct folded_rows {
    row_fold fold;
    csr_matrix const* a;
    void const* x;
    void* y;
};

void fold_rows(std::uintptr_t address, csr_matrix const& a, input_array const& x, output_array const& y) {
    folded_rows const all{reinterpret_cast<row_fold>(address), &a, x.data(), y.data()};
    auto const task = [](void const* context, std::int64_t first, std::int64_t last) {
        auto const& rows = *static_cast<folded_rows const*>(context);
        rows.fold(first, last, rows.a->offsets.data(), rows.a->indices.data(), rows.a->values.data(), rows.x, rows.y);
    };
    unlocked const released;
    current_executor().for_ranges(a.rows, task, &all);
}

} // namespace

void add_semiring(nb::module_& m) {
    nb::class_<planned_matrix>(m, "PlannedMatrix");
    m.def("plan_products", planned);
    m.def("mxv", multiply, nb::arg("a"), nb::arg("semiring"), nb::arg("x"), nb::arg("y"), nb::arg("mask").none(),
          nb::arg("complement"), nb::arg("before").none());
    m.def("mxm", multiply_matrices, nb::arg("a"), nb::arg("b"), nb::arg("semiring"), nb::arg("mask").none(),
          nb::arg("complement"));
    m.def("transpose", transposed);
    m.def("fold_rows", fold_rows);
    nb::list rows;
    for (semiring_description const& row : semiring_descriptions)
        rows.append(nb::make_tuple(row.name, row.meaning, row.writes_columns));
    m.attr("semirings") = rows;
}

} // namespace coppice::python
