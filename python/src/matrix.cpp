// SPDX-License-Identifier: BSD-3-Clause
#include "matrix.hpp"

#include <coppice/algebra/validate.hpp>

#include "parts.hpp"

namespace coppice::python {
namespace {

/// Checks lengths, types and places.
void check_sizes(csr_matrix const& a) {
    require_type<std::int32_t>(a.offsets, "indptr of the matrix", "int32");
    require_type<std::int32_t>(a.indices, "indices of the matrix", "int32");
    require_size("indptr of the matrix", std::int64_t(a.offsets.size()), std::int64_t(a.rows) + 1);
    require_size("data of the matrix", std::int64_t(a.values.size()), std::int64_t(a.indices.size()));
    checked_cast<std::int32_t>(std::int64_t(a.indices.size()), "number of nonzeros");
    require_same_place(a.offsets, a.values, "indptr of the matrix");
    require_same_place(a.indices, a.values, "indices of the matrix");
    with_number(a.values, [](auto) {}); // the type is one of ours
}
/// And what the arrays hold, but for the values: nothing is read out of bounds afterwards.
void check(csr_matrix const& a) {
    check_sizes(a);
    nb::gil_scoped_release const released;
    with_executor(a.values, [&](auto const& exec) { validate(exec, a.view<double>()); });
}

} // namespace

void add_matrix(nb::module_& m) {
    nb::class_<csr_matrix>(m, "Csr").def(
        "__init__",
        [](csr_matrix* self, input_array offsets, input_array indices, input_array values, std::int32_t rows,
           std::int32_t columns, bool known) {
            csr_matrix made{std::move(offsets), std::move(indices), std::move(values), rows, columns};
            known ? check_sizes(made) : check(made); // what the library made holds what it should
            new (self) csr_matrix(std::move(made));
        },
        nb::arg("offsets"), nb::arg("indices"), nb::arg("values"), nb::arg("rows"), nb::arg("columns"),
        nb::arg("known") = false);
}

} // namespace coppice::python
