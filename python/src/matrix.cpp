// SPDX-License-Identifier: BSD-3-Clause
#include "matrix.hpp"

#include <coppice/algebra/validate.hpp>

#include "parts.hpp"

namespace coppice::python {
namespace {

/// Checks lengths and types, then what the arrays hold: nothing is read out of bounds afterwards.
void check(csr_matrix const& a) {
    require_type<std::int32_t>(a.offsets, "indptr of the matrix", "int32");
    require_type<std::int32_t>(a.indices, "indices of the matrix", "int32");
    require_size("indptr of the matrix", std::int64_t(a.offsets.size()), std::int64_t(a.rows) + 1);
    require_size("data of the matrix", std::int64_t(a.values.size()), std::int64_t(a.indices.size()));
    checked_cast<std::int32_t>(std::int64_t(a.indices.size()), "number of nonzeros");
    require_same_place(a.offsets, a.values, "indptr of the matrix");
    require_same_place(a.indices, a.values, "indices of the matrix");
    nb::gil_scoped_release const released;
    with_number(a.values, [](auto) {}); // the type is one of ours; values are not looked at
    with_executor(a.values, [&](auto const& exec) { validate(exec, a.view<double>()); });
}

} // namespace

void add_matrix(nb::module_& m) {
    nb::class_<csr_matrix>(m, "Csr").def("__init__", [](csr_matrix* self, input_array offsets, input_array indices,
                                                        input_array values, std::int32_t rows, std::int32_t columns) {
        csr_matrix made{std::move(offsets), std::move(indices), std::move(values), rows, columns};
        check(made);
        new (self) csr_matrix(std::move(made));
    });
}

} // namespace coppice::python
