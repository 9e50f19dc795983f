// SPDX-License-Identifier: BSD-3-Clause
// Fast paths of solve_tridiagonal for four vectors of NumPy or on a device. They check the arguments with less work,
// because the general checks take longer than the solve of a small system.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <coppice/solvers/direct/interface/band_solver.hpp>

#include "arrays.hpp"
#include "components.hpp"

namespace coppice::python {
namespace {

/// The memory of a contiguous vector, obtained by the buffer protocol.
class vector_memory {
public:
    vector_memory() = default;
    vector_memory(vector_memory const&) = delete;
    vector_memory& operator=(vector_memory const&) = delete;
    ~vector_memory() {
        if (open_) PyBuffer_Release(&view_);
    }
    bool open(PyObject* object, int access) {
        open_ = PyObject_GetBuffer(object, &view_, access | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0;
        if (!open_) PyErr_Clear();
        return open_ && view_.ndim == 1;
    }
    bool fits(vector_memory const& other) const { return size() == other.size() && same_type(other); }
    /// Whether this is an off-diagonal as in LAPACK, without the ignored element.
    bool fits_off_diagonal(vector_memory const& main) const { return size() == main.size() - 1 && same_type(main); }
    bool same_type(vector_memory const& other) const { return std::strcmp(view_.format, other.view_.format) == 0; }
    bool holds(char const* format) const { return std::strcmp(view_.format, format) == 0; }
    std::int64_t size() const { return view_.shape[0]; }
    template <class T>
    T* data() const {
        return static_cast<T*>(view_.buf);
    }

private:
    Py_buffer view_{};
    bool open_ = false;
};

/// Returns a diagonal with n elements; the elements of a shorter one are copied to `copy`, from position `first` on.
template <class T>
T const* whole(vector_memory const& diagonal, std::int64_t n, std::int64_t first, std::vector<T>& copy) {
    if (diagonal.size() == n) return diagonal.data<T const>();
    copy.resize(static_cast<std::size_t>(n));
    std::copy_n(diagonal.data<T const>(), n - 1, copy.begin() + first);
    return copy.data();
}

template <class T>
void solve(host_executor const& exec, std::array<vector_memory, 5> const& v) {
    std::int64_t const n = v[1].size();
    std::vector<T> lower, upper;
    tridiagonal_view<T> const a{n, whole(v[0], n, 1, lower), v[1].data<T const>(), whole(v[2], n, 0, upper)};
    solve_report told; // its cost is small compared with the call; inaccurate solutions are recomputed based on it
    solve_bands(exec, band_matrix<T>(a), columns_view<T const>(v[3].data<T const>(), n, 1),
                columns_view<T>(v[4].data<T>(), n, 1), band_options{}, array_view<solve_report>(&told, 1));
}

bool solve_any(std::array<vector_memory, 5> const& v) {
    host_executor const exec = current_executor();
    if (v[1].holds("d"))
        solve<double>(exec, v);
    else if (v[1].holds("f"))
        solve<float>(exec, v);
    else if (v[1].holds("Zd"))
        solve<std::complex<double>>(exec, v);
    else if (v[1].holds("Zf"))
        solve<std::complex<float>>(exec, v);
    else
        return false;
    return true;
}

/// Returns the solution, or None if the arguments are not four plain vectors of one type and length (off-diagonals may
/// be one element shorter). The general path then reports what is wrong. `empty_like` is numpy.empty_like.
nb::object quick_tridiagonal(nb::handle empty_like, nb::handle lower, nb::handle diagonal, nb::handle upper,
                             nb::handle b) {
    constexpr std::int64_t worth_a_release = 256; // of the interpreter's lock
    std::array<vector_memory, 5> v;
    std::array<nb::handle, 4> const given{lower, diagonal, upper, b};
    for (std::size_t k = 0; k < given.size(); ++k)
        if (Py_TYPE(given[k].ptr()) != Py_TYPE(diagonal.ptr()) || !v[k].open(given[k].ptr(), PyBUF_SIMPLE))
            return nb::none();
    for (std::size_t const k : {0, 2})
        if (!v[k].fits(v[1]) && !v[k].fits_off_diagonal(v[1])) return nb::none();
    if (!v[3].fits(v[1])) return nb::none();
    nb::object x = empty_like(b);
    if (!v[4].open(x.ptr(), PyBUF_WRITABLE) || !v[4].fits(v[1])) return nb::none();
    bool solved = false;
    if (v[1].size() > worth_a_release) {
        unlocked const released;
        solved = solve_any(v);
    } else {
        solved = solve_any(v);
    }
    return solved ? x : nb::none();
}

/// The same for vectors on a device that Python code has checked: n elements of that kind and size.
void tridiagonal_on_device([[maybe_unused]] char kind, [[maybe_unused]] int bytes, [[maybe_unused]] std::int64_t n,
                           [[maybe_unused]] std::array<std::uintptr_t, 5> const& vectors, [[maybe_unused]] int device,
                           [[maybe_unused]] std::uintptr_t stream, [[maybe_unused]] nb::object stream_owner) {
#if defined(COPPICE_HAS_CUDA)
    device_array where;
    where.device = device;
    where.stream = stream;
    if (stream) where.stream_owner = keep(std::move(stream_owner));
    auto const solve_on_device = [&]<class T>(std::type_identity<T>) {
        auto const at = [&](std::size_t k) { return reinterpret_cast<T*>(vectors[k]); };
        unlocked const released;
        device_lease const lease(where);
        solve_bands(lease.executor(), band_matrix<T>(tridiagonal_view<T>{n, at(0), at(1), at(2)}),
                    columns_view<T const>(at(3), n, 1), columns_view<T>(at(4), n, 1));
    };
    if (kind == 'f' && bytes == 8) return solve_on_device(std::type_identity<double>{});
    if (kind == 'f' && bytes == 4) return solve_on_device(std::type_identity<float>{});
    if (kind == 'c' && bytes == 16) return solve_on_device(std::type_identity<std::complex<double>>{});
    if (kind == 'c' && bytes == 8) return solve_on_device(std::type_identity<std::complex<float>>{});
#endif
    throw argument_error("the type of the numbers is none of float32, float64, complex64, complex128");
}

} // namespace

void add_quick_tridiagonal(nb::module_& m) {
    m.def("quick_tridiagonal", quick_tridiagonal);
    m.def(
        "tridiagonal_on_device",
        [](char kind, int bytes, std::int64_t n, std::uintptr_t lower, std::uintptr_t diagonal, std::uintptr_t upper,
           std::uintptr_t b, std::uintptr_t x, int device, std::uintptr_t stream, nb::object stream_owner) {
            tridiagonal_on_device(kind, bytes, n, {lower, diagonal, upper, b, x}, device, stream,
                                  std::move(stream_owner));
        },
        nb::arg("kind"), nb::arg("bytes"), nb::arg("n"), nb::arg("lower"), nb::arg("diagonal"), nb::arg("upper"),
        nb::arg("b"), nb::arg("x"), nb::arg("device"), nb::arg("stream"), nb::arg("stream_owner").none());
}

} // namespace coppice::python
