// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices and calls for tests of the handles of coppice.h, on every executor.
#pragma once

#include <coppice/coppice.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "support/executors.hpp"
#include <coppice/core/executor.hpp>

namespace coppice::test {

inline void succeed(coppice_status_t status) {
    if (status != COPPICE_STATUS_SUCCESS) FAIL(std::string(coppice_last_error()));
}
inline void refused(coppice_status_t status, coppice_status_t expected, char const* message) {
    CHECK(status == expected);
    if (status != COPPICE_STATUS_SUCCESS)
        CHECK_MESSAGE(std::strstr(coppice_last_error(), message), std::string(coppice_last_error()));
}
inline void refused(coppice_status_t status, char const* message) {
    refused(status, COPPICE_STATUS_INVALID_VALUE, message);
}

/// Ends the use of a handle with its scope.
template <class Handle>
struct scoped {
    Handle handle = nullptr;
    scoped() = default;
    scoped(scoped&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~scoped() { coppice_destroy(handle); }
    operator Handle() const { return handle; }
    Handle* operator&() { return &handle; } // NOLINT(google-runtime-operator)
};
using executor_handle = scoped<coppice_executor_t>;
using matrix_handle = scoped<coppice_matrix_t>;
using preconditioner_handle = scoped<coppice_preconditioner_t>;
using result_handle = scoped<coppice_result_t>;

inline executor_handle handle_of(host_executor const& exec) {
    executor_handle h;
    succeed(coppice_executor_create(("host,threads=" + std::to_string(exec.threads())).c_str(), nullptr, &h));
    return h;
}
inline executor_handle handle_of(cuda_executor const& exec) {
    executor_handle h;
    auto const choice = "cuda,device=" + std::to_string(exec.device());
    succeed(coppice_executor_create(choice.c_str(), exec.stream(), &h));
    return h;
}

template <class T>
inline constexpr coppice_type_t type_of = COPPICE_DOUBLE;
template <>
inline constexpr coppice_type_t type_of<float> = COPPICE_FLOAT;
template <>
inline constexpr coppice_type_t type_of<std::complex<float>> = COPPICE_COMPLEX_FLOAT;
template <>
inline constexpr coppice_type_t type_of<std::complex<double>> = COPPICE_COMPLEX_DOUBLE;
template <>
inline constexpr coppice_type_t type_of<std::int32_t> = COPPICE_INT32;
template <>
inline constexpr coppice_type_t type_of<std::int64_t> = COPPICE_INT64;

inline double number(void const* handle, char const* name) {
    double value = -12345;
    succeed(coppice_number(handle, name, &value));
    return value;
}
inline std::string text(void const* handle, char const* name) {
    char const* value = nullptr;
    succeed(coppice_text(handle, name, &value));
    return value;
}
/// An array of a result, which is in host memory.
template <class T>
std::vector<T> array(void const* handle, char const* name) {
    void const* data = nullptr;
    std::int64_t length = -1;
    succeed(coppice_array(handle, name, type_of<T>, &data, &length));
    auto const* first = static_cast<T const*>(data);
    return {first, first + length};
}

/// Compressed rows on the host.
template <class T, class I = std::int32_t>
struct rows_of {
    std::int64_t rows = 0, columns = 0;
    std::vector<I> offsets{0}, indices{};
    std::vector<T> values{};

    void add(I column, T value) {
        indices.push_back(column);
        values.push_back(value);
    }
    void end_row() {
        ++rows;
        offsets.push_back(I(indices.size()));
    }
    matrix_handle handle(coppice_executor_t exec, char const* options = nullptr) const {
        matrix_handle m;
        succeed(coppice_matrix_create(exec, rows, columns, std::int64_t(indices.size()), type_of<I>, offsets.data(),
                                      indices.data(), type_of<T>, values.data(), options, &m));
        return m;
    }
};

template <class T>
T some_value(std::int64_t i, std::int64_t j) {
    auto const x = double((i * 7 + j * 13) % 11) / 4 - 1;
    if constexpr (std::is_floating_point_v<T>)
        return T(x);
    else
        return T(typename T::value_type(x), typename T::value_type(double((i + 3 * j) % 5) / 2));
}

/// A matrix with empty rows and unsorted columns.
template <class T, class I = std::int32_t>
rows_of<T, I> sample(std::int64_t rows, std::int64_t columns) {
    rows_of<T, I> a;
    a.columns = columns;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = columns - 1; j >= 0 && i % 5 != 3; --j)
            if ((i * 3 + j * j) % 4 == 0) a.add(I(j), some_value<T>(i, j));
        a.end_row();
    }
    return a;
}

/// y = beta y + alpha A x, from the definition.
template <class T, class I>
std::vector<T> product(rows_of<T, I> const& a, std::vector<T> const& x, std::vector<T> y, T alpha, T beta) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        T sum(0);
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
            sum += a.values[std::size_t(k)] * x[std::size_t(a.indices[std::size_t(k)])];
        y[i] = beta * y[i] + alpha * sum;
    }
    return y;
}

template <class T>
void check_near(std::vector<T> const& found, std::vector<T> const& expected, double bound) {
    REQUIRE(found.size() == expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        double const error = double(std::abs(found[i] - expected[i]));
        if (!(error <= worst)) worst = error; // NaN is kept
    }
    CHECK(worst <= bound);
}

template <class T>
inline double const precision = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>> ? 1e-5 : 1e-13;

/// A x = b of the five-point stencil with n x n points and a shift; complex shifts for complex types.
template <class T>
rows_of<T> laplacian(int n, T shift = T(0), double scale = 1) {
    rows_of<T> a;
    a.columns = n * n;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            auto const add = [&](int dx, int dy, T value) {
                int const u = x + dx, v = y + dy;
                if (u >= 0 && u < n && v >= 0 && v < n) a.add(v * n + u, value);
            };
            auto const off =
                T(typename std::conditional_t<std::is_floating_point_v<T>, std::complex<T>, T>::value_type(-scale));
            add(0, -1, off);
            add(-1, 0, off);
            add(0, 0, T(-4) * off + shift);
            add(1, 0, off);
            add(0, 1, off);
            a.end_row();
        }
    return a;
}

template <class T>
std::vector<T> wave(std::size_t n) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = some_value<T>(std::int64_t(i), std::int64_t(i / 3)) + T(2);
    return x;
}

/// An undirected cycle of n vertices with weights of 1.
inline rows_of<double> cycle(int n) {
    rows_of<double> a;
    a.columns = n;
    for (int i = 0; i < n; ++i) {
        int const left = (i + n - 1) % n, right = (i + 1) % n;
        a.add(std::min(left, right), 1);
        a.add(std::max(left, right), 1);
        a.end_row();
    }
    return a;
}

} // namespace coppice::test
