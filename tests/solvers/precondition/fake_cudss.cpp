// SPDX-License-Identifier: BSD-3-Clause
// A library with the functions of cuDSS 1.0 that the sparse direct solver calls, for matrices in host memory: dense
// elimination without exchanges of rows, which replaces small pivots as cuDSS does. Tests load it in its place.
#include "fake_cudss.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using number = std::complex<double>;

struct matrix {
    std::int64_t rows, nonzeros;
    std::int32_t const *offsets, *columns;
    void const* values;
    bool is_complex;
    int type, view;
    number at(std::int64_t k) const {
        return is_complex ? static_cast<number const*>(values)[k] : number(static_cast<double const*>(values)[k]);
    }
    void put(std::int64_t k, number x) const {
        if (is_complex)
            static_cast<number*>(const_cast<void*>(values))[k] = x;
        else
            static_cast<double*>(const_cast<void*>(values))[k] = x.real();
    }
};
struct factors {
    std::vector<number> lu{};
    std::int32_t info = 0;
    std::int32_t replaced = 0;
    bool analysed = false, factorised = false;
};
struct settings {
    int solve_mode = 0;
};

constexpr int success = 0, invalid_value = 3, not_supported = 4;
constexpr int complex_64 = 5;

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE fake_cudss_state fake_cudss;
fake_cudss_state fake_cudss;

namespace {

template <class Object>
int make(void** to, Object* made) {
    *to = made;
    ++fake_cudss.objects;
    return success;
}
template <class Object>
int destroy(void* one) {
    delete static_cast<Object*>(one);
    --fake_cudss.objects;
    return success;
}

/// L U = A without exchanges; pivots below 1e-8 are replaced.
void factorise(matrix const& a, factors& f) {
    auto const n = std::size_t(a.rows);
    f.lu.assign(n * n, number(0));
    f.info = f.replaced = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            auto const j = std::size_t(a.columns[k]);
            f.lu[i * n + j] = a.at(k);
            bool const hermitian = a.type == 2 || a.type == 4;
            if (a.view == 1 && j != i) f.lu[j * n + i] = hermitian ? std::conj(a.at(k)) : a.at(k);
        }
    for (std::size_t p = 0; p < n; ++p) {
        number& pivot = f.lu[p * n + p];
        if (a.type >= 3 && !(pivot.real() > 0) && f.info == 0) f.info = std::int32_t(p) + 1;
        if (std::abs(pivot) < 1e-8) {
            pivot = 1e-8;
            ++f.replaced;
        }
        for (std::size_t i = p + 1; i < n; ++i) {
            number const factor = f.lu[i * n + p] /= pivot;
            for (std::size_t j = p + 1; factor != number(0) && j < n; ++j) f.lu[i * n + j] -= factor * f.lu[p * n + j];
        }
    }
    f.factorised = true;
}
void solve(matrix const& b, matrix const& x, factors const& f, bool transposed) {
    auto const n = std::size_t(b.rows);
    std::vector<number> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = b.at(std::int64_t(i));
    auto const lu = [&](std::size_t i, std::size_t j) { return transposed ? f.lu[j * n + i] : f.lu[i * n + j]; };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) y[i] -= lu(i, j) * y[j];
        if (transposed) y[i] /= lu(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) y[i] -= lu(i, j) * y[j];
        if (!transposed) y[i] /= lu(i, i);
    }
    for (std::size_t i = 0; i < n; ++i) x.put(std::int64_t(i), y[i]);
}

} // namespace

FAKE int cudssGetProperty(int which, int* value) {
    *value = which == 0 ? fake_cudss.version : 0;
    return success;
}
FAKE int cudssCreate(void** handle) { return make(handle, new int); }
FAKE int cudssDestroy(void* handle) { return destroy<int>(handle); }
FAKE int cudssSetStream(void*, void const* stream) {
    fake_cudss.last_stream = stream;
    return success;
}
FAKE int cudssConfigCreate(void** config) { return make(config, new settings); }
FAKE int cudssConfigDestroy(void* config) { return destroy<settings>(config); }
FAKE int cudssConfigSet(void* config, int parameter, void const* value, std::size_t size) {
    if (size != sizeof(int)) return invalid_value;
    int const number = *static_cast<int const*>(value);
    if (parameter == 4) static_cast<settings*>(config)->solve_mode = number;
    if (parameter == 24) fake_cudss.deterministic = number == 1;
    return success;
}
FAKE int cudssDataCreate(void*, void** data) { return make(data, new factors); }
FAKE int cudssDataDestroy(void*, void* data) { return destroy<factors>(data); }
FAKE int cudssDataGet(void*, void* data, int parameter, void* value, std::size_t size, std::size_t* written) {
    auto const& f = *static_cast<factors*>(data);
    if (!f.analysed) return invalid_value;
    auto const give = [&](auto number) {
        if (size != sizeof number) return invalid_value;
        *static_cast<decltype(number)*>(value) = number;
        *written = sizeof number;
        return success;
    };
    if (parameter == 0) return give(f.info);
    if (parameter == 1) return give(std::int64_t(100));
    if (parameter == 2) return give(f.replaced);
    if (parameter == 26) return give(fake_cudss.operations);
    if (parameter != 13 || size != 16 * sizeof(std::int64_t)) return invalid_value;
    static_cast<std::int64_t*>(value)[1] = fake_cudss.bytes;
    *written = size;
    return success;
}
FAKE int cudssMatrixCreateDn(void** to, std::int64_t rows, std::int64_t columns, std::int64_t, void const* values,
                             int type, int layout) {
    if (columns != 1 || layout != 0) return invalid_value;
    return make(to, new matrix{rows, rows, nullptr, nullptr, values, type == complex_64, -1, -1});
}
FAKE int cudssMatrixCreateCsr(void** to, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                              void const* offsets, void const* ends, void const* indices, void const* values,
                              int offset_type, int index_type, int type, int matrix_type, int view, int base) {
    if (rows != columns || ends || offset_type != 10 || index_type != 10 || base != 0) return invalid_value;
    fake_cudss.last_type = matrix_type;
    fake_cudss.last_view = view;
    return make(to,
                new matrix{rows, nonzeros, static_cast<std::int32_t const*>(offsets),
                           static_cast<std::int32_t const*>(indices), values, type == complex_64, matrix_type, view});
}
FAKE int cudssMatrixDestroy(void* one) { return destroy<matrix>(one); }
FAKE int cudssExecute(void*, int phase, void const* config, void* data, void* a, void* x, void* b) {
    auto& f = *static_cast<factors*>(data);
    auto const& of = *static_cast<matrix*>(a);
    if (phase == fake_cudss.failing_phase) return fake_cudss.failing_status;
    if (phase == 3) {
        ++fake_cudss.analyses;
        if (of.type == fake_cudss.unsupported_type) return not_supported;
        f.analysed = true;
    } else if (phase == 4) {
        ++fake_cudss.factorisations;
        if (!f.analysed) return invalid_value;
        factorise(of, f);
    } else {
        if (phase != 1008 || !f.factorised) return invalid_value;
        solve(*static_cast<matrix*>(b), *static_cast<matrix*>(x), f,
              static_cast<settings const*>(config)->solve_mode == 1);
    }
    return success;
}
