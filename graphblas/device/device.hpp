// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations on the device, as operations.cpp and assign.cpp call them after their checks. Each returns whether it ran
/// there; if not, the output is unchanged and the host computes it. The reason is recorded.
#pragma once

#include <optional>

#include "../tables.hpp"

namespace coppice::graphblas::device {

/// The setting COPPICE_GRAPHBLAS_BACKEND. `automatic`: large operations run on the device if there is one.
enum class backend : int { automatic = COPPICE_BACKEND_AUTO, host = COPPICE_BACKEND_HOST, cuda = COPPICE_BACKEND_CUDA };
/// Throws failure if the value is none of these, or the device is missing.
void set_backend(int value);
backend current_backend();
/// As set_backend(), by COPPICE_GRAPHBLAS_BACKEND. Returns an empty text, or what is wrong.
std::string read_environment();
/// Name of the device, or why there is none.
std::string device_name();

/// Where the last operation of this thread ran: "GrB_mxv: NVIDIA H200", "GrB_mxm: host, because ...".
std::string last_run();
struct run_counts {
    std::int64_t device, host;
};
run_counts counts();
/// Records an operation that has no kernels.
void runs_on_host(char const* operation);

/// Output and mask of an operation that has checked them.
struct output {
    char const* operation;
    table& c;
    table* mask;
    GrB_BinaryOp accum;
    settings const& s;
    bool vector;
};
/// A product; `flipped`: the operator has the value of B first.
struct product {
    GrB_Semiring semiring;
    table &a, &b;
    bool a_transposed, b_transposed, flipped;
};
bool multiply(output const& to, product const& p);
bool combine(output const& to, GrB_BinaryOp op, table& a, table& b, bool add);
bool apply(output const& to, GrB_UnaryOp op, table& a);
/// op(value, a) if `first`, else op(a, value).
bool apply(output const& to, GrB_BinaryOp op, void const* value, table& a, bool first);
bool apply(output const& to, GrB_IndexUnaryOp op, void const* value, table& a, bool selects);
bool assign(output const& to, table& a);
bool assign(output const& to, GrB_Type type, void const* value);
/// T(k) = u(positions[k]) for a vector.
bool gather(output const& to, table& u, index const* positions);
bool reduce_rows(output const& to, GrB_BinaryOp op, table& a, bool transposed);
/// Folds all entries by a monoid; *any is false if there are none.
bool reduce(char const* operation, GrB_Monoid monoid, table& a, void* to, bool* any);

// For tables.cpp and elements.cpp. The caller holds the guard of the table, except for download_full_values(), which
// takes it.

/// Returns what the device has. Throws failure.
stored downloaded(table const& t);
/// Copies the values of a table whose only form is a full one on the device; returns false if it has another form, or
/// more positions than `space`.
bool download_full_values(table& t, void* to, index space);
index entries_on_device(table const& t);
index bytes_on_device(table const& t);
std::string names_of_forms(table const& t);

} // namespace coppice::graphblas::device
