// SPDX-License-Identifier: BSD-3-Clause
#include "matrix.hpp"

#include <algorithm>
#include <string>

#include <coppice/algebra/validate.hpp>
#include <coppice/core/parallel.hpp>

#include "components.hpp"

namespace coppice::python {
namespace {

/// Checks lengths, types and memory spaces.
void check_sizes(csr_matrix const& a) {
    require_type<std::int32_t>(a.offsets, "indptr of the matrix", "int32");
    require_type<std::int32_t>(a.indices, "indices of the matrix", "int32");
    require_size("indptr of the matrix", std::int64_t(a.offsets.size()), std::int64_t(a.rows) + 1);
    require_size("data of the matrix", std::int64_t(a.values.size()), std::int64_t(a.indices.size()));
    checked_cast<std::int32_t>(std::int64_t(a.indices.size()), "number of nonzeros");
    require_same_memory(a.offsets, a.values, "indptr of the matrix");
    require_same_memory(a.indices, a.values, "indices of the matrix");
}
/// The same, and checks offsets and indices, so that later accesses stay within bounds. Values are not checked.
void check(csr_matrix const& a) {
    check_sizes(a);
    unlocked const released;
    with_executor(a.values, [&](auto const& exec) { validate(exec, a.view<double>()); });
}

// Checks arrays of other libraries before their first use.

/// The first invalid row, and whether the columns of every row are strictly increasing.
struct rows_seen {
    std::int64_t offends;
    bool rising;
};

template <class Offset, class Index>
struct rows_given {
    Offset const* offsets;
    Index const* indices;
    std::int64_t rows, columns, entries;

    std::string offence_of_offsets(std::int64_t row) const {
        Offset const first = offsets[row], last = offsets[row + 1];
        if (last < first) return "indptr falls from " + std::to_string(first) + " to " + std::to_string(last);
        if (last > entries)
            return "indptr ends the row at " + std::to_string(last) + " of " + std::to_string(entries) + " indices";
        return {};
    }
    std::string offence_of_indices(std::int64_t row, bool& rising) const {
        for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
            if (indices[k] < 0 || indices[k] >= columns)
                return "index " + std::to_string(indices[k]) + " is outside [0, " + std::to_string(columns) + ")";
            rising = rising && (k == offsets[row] || indices[k - 1] < indices[k]);
        }
        return {};
    }
    /// Throws matrix_error for the first row for which offence(row, rising) is not empty. Returns whether the columns
    /// of every row are strictly increasing.
    template <class Offence>
    bool check_rows(host_executor const& exec, Offence const& offence) const {
        rows_seen const found = reduce(
            exec, rows, rows_seen{rows, true},
            [&](std::int64_t row) {
                bool rising = true;
                return rows_seen{offence(row, rising).empty() ? rows : row, rising};
            },
            [](rows_seen a, rows_seen b) {
                return rows_seen{std::min(a.offends, b.offends), a.rising && b.rising};
            });
        bool ignored = true;
        if (found.offends < rows)
            throw matrix_error("row " + std::to_string(found.offends) + ": " + offence(found.offends, ignored));
        return found.rising;
    }
    bool check(host_executor const& exec) const {
        if (offsets[0] != 0) throw matrix_error("indptr begins with " + std::to_string(offsets[0]) + ", expected 0");
        check_rows(exec, [&](std::int64_t row, bool&) { return offence_of_offsets(row); });
        if (offsets[rows] != entries)
            throw matrix_error("indptr ends with " + std::to_string(offsets[rows]) +
                               ", expected the number of indices " + std::to_string(entries));
        return check_rows(exec, [&](std::int64_t row, bool& rising) { return offence_of_indices(row, rising); });
    }
};

template <class Body>
auto with_index(input_array const& a, char const* name, Body const& body) {
    if (holds<std::int32_t>(a)) return body(std::type_identity<std::int32_t>{});
    require_type<std::int64_t>(a, name, "int32 or int64");
    return body(std::type_identity<std::int64_t>{});
}

/// Throws matrix_error unless offsets[rows + 1] and indices, on the host, are those of `rows` compressed rows with
/// indices in [0, columns). Returns whether the columns of every row are strictly increasing.
bool check_rows(input_array const& offsets, input_array const& indices, std::int64_t rows, std::int64_t columns) {
    require_size("indptr", std::int64_t(offsets.size()), rows + 1);
    return with_index(offsets, "indptr", [&]<class Offset>(std::type_identity<Offset>) {
        return with_index(indices, "indices", [&]<class Index>(std::type_identity<Index>) {
            unlocked const released;
            rows_given<Offset, Index> const given{elements<Offset>(offsets).data(), elements<Index>(indices).data(),
                                                  rows, columns, std::int64_t(indices.size())};
            return given.check(current_executor());
        });
    });
}

} // namespace

void add_matrix(nb::module_& m) {
    m.def("check_rows", check_rows);
    nb::class_<csr_matrix>(m, "Csr").def(
        "__init__",
        [](csr_matrix* self, input_array offsets, input_array indices, input_array values, std::int32_t rows,
           std::int32_t columns, bool known) {
            csr_matrix made{std::move(offsets), std::move(indices), std::move(values), rows, columns};
            known ? check_sizes(made) : check(made); // results of the library are valid
            new (self) csr_matrix(std::move(made));
        },
        nb::arg("offsets"), nb::arg("indices"), nb::arg("values"), nb::arg("rows"), nb::arg("columns"),
        nb::arg("known") = false);
}

} // namespace coppice::python
