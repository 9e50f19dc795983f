// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Arrays of Python as arguments of the library. Python code has checked shapes and contiguity; the types are
/// distinguished here, and the memory space of an array determines the executor.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <coppice/core/executor.hpp>

#include "interrupts.hpp"

namespace coppice::python {

namespace nb = nanobind;

/// A reference to a Python object. It may be released on any thread, and acquires the interpreter's lock (GIL) for
/// that.
inline std::shared_ptr<nb::object> keep(nb::object object) {
    return {new nb::object(std::move(object)), [](nb::object* o) {
                nb::gil_scoped_acquire const held;
                delete o;
            }};
}

/// A contiguous array in the memory of a device, and the stream in whose order it is used; 0 is the default stream.
struct device_array {
    std::uintptr_t address = 0;
    std::size_t size = 0;
    nb::dlpack::dtype type{};
    int device = 0;
    std::uintptr_t stream = 0;
    std::shared_ptr<nb::object> owner;        ///< Python object that owns the memory
    std::shared_ptr<nb::object> stream_owner; ///< Python object that owns the stream

    void* data() const { return reinterpret_cast<void*>(address); }
};

/// The stream that last used an object on a device. Work on different streams is unordered, but the workspace of the
/// object serves one stream at a time.
class device_queue {
public:
    /// Waits for the work that was queued on another stream.
    void move_to(device_array const& where);

private:
    bool used_ = false;
    device_array last_{};
};

/// A contiguous array of any shape and type, in host memory (`Host` of nanobind) or on a device.
template <class Host>
class placed_array {
public:
    placed_array() = default;
    explicit placed_array(Host host) : host_(std::move(host)) {}
    explicit placed_array(device_array device) : device_(std::move(device)) {}

    auto data() const {
        using pointer = decltype(host_.data());
        return device_ ? static_cast<pointer>(device_->data()) : host_.data();
    }
    std::size_t size() const { return device_ ? device_->size : host_.size(); }
    nb::dlpack::dtype dtype() const { return device_ ? device_->type : host_.dtype(); }
    /// Null if the array is in host memory.
    device_array const* device() const { return device_ ? &*device_ : nullptr; }

private:
    Host host_;
    std::optional<device_array> device_;
};

/// Arguments that are read, and arguments that are written.
using input_array = placed_array<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>;
using output_array = placed_array<nb::ndarray<nb::c_contig, nb::device::cpu>>;

template <class T>
array_view<T const> elements(input_array const& a) {
    return {static_cast<T const*>(a.data()), std::int64_t(a.size())};
}
template <class T>
array_view<T> elements(output_array const& a) {
    return {static_cast<T*>(a.data()), std::int64_t(a.size())};
}
template <class T, class Array>
bool holds(Array const& a) {
    return a.dtype() == nb::dtype<T>();
}

/// Throws argument_error unless the array is of this type.
template <class T, class Array>
void require_type(Array const& a, char const* name, char const* expected) {
    if (!holds<T>(a)) throw argument_error(std::string(name) + " is of another type, expected " + expected);
}
/// Throws argument_error unless both are in host memory or both on the same device.
template <class Array, class Other>
void require_same_memory(Array const& a, Other const& b, char const* name) {
    auto const *const left = a.device(), *const right = b.device();
    if (!left != !right || (left && left->device != right->device))
        throw argument_error(std::string(name) + " is in another memory space than the other arrays");
}

/// Calls body(std::type_identity<T>{}) for the type of number that an array holds.
template <class Array, class Body>
auto with_real(Array const& a, Body&& body) {
    if (holds<double>(a)) return body(std::type_identity<double>{});
    if (holds<float>(a)) return body(std::type_identity<float>{});
    throw argument_error("the type of the numbers is none of float32, float64");
}
template <class Array, class Body>
auto with_number(Array const& a, Body&& body) {
    if (holds<std::complex<double>>(a)) return body(std::type_identity<std::complex<double>>{});
    if (holds<std::complex<float>>(a)) return body(std::type_identity<std::complex<float>>{});
    return with_real(a, body);
}

/// A result in device memory, which CuPy, PyTorch and others can import by __cuda_array_interface__.
struct device_result {
    std::shared_ptr<void> holder;
    void* data = nullptr;
    std::size_t size = 0;
    nb::dlpack::dtype type{};
};

/// Returns an array that owns the contents of `holder`; `data` points into it.
template <class T, class Holder>
nb::object own(Holder holder, T* data, std::size_t size) {
    auto* const owned = new Holder(std::move(holder));
    nb::capsule const owner(owned, [](void* p) noexcept { delete static_cast<Holder*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}
/// Converts a result to a NumPy array or, on a device, to a device_result.
template <class T>
nb::object to_python(buffer<T> from) {
    T* const data = from.data();
    auto const size = static_cast<std::size_t>(from.size());
    if (from.on_host()) return own(std::move(from), data, size);
    return nb::cast(device_result{std::make_shared<buffer<T>>(std::move(from)), data, size, nb::dtype<T>()});
}
template <class T>
nb::object to_python(std::vector<T> from) {
    T* const data = from.data();
    std::size_t const size = from.size();
    return own(std::move(from), data, size);
}

/// Returns the host executor of this process, with the number of threads of set_threads(); all calls share its arena.
host_executor current_executor();

#if defined(COPPICE_HAS_CUDA)
/// An executor on a stream of Python, used by one call at a time. Executors are cached for later calls together with
/// their memory pool and their stream, on which results are freed.
class device_lease {
public:
    explicit device_lease(device_array const& where);
    ~device_lease();
    device_lease(device_lease const&) = delete;
    device_lease& operator=(device_lease const&) = delete;

    cuda_executor const& executor() const;

    struct slot;

private:
    slot* slot_ = nullptr;
};
#endif

/// Makes the device of an executor current on the calling thread; needed if another thread created the executor.
inline void enter_thread(host_executor const&) {}
void enter_thread(cuda_executor const& exec);

/// Calls body(executor) with the executor for the memory space of the array.
template <class Array, class Body>
decltype(auto) with_executor([[maybe_unused]] Array const& a, Body&& body) {
#if defined(COPPICE_HAS_CUDA)
    if (auto const* const device = a.device()) {
        device_lease const lease(*device);
        return body(lease.executor());
    }
#endif
    host_executor const host = current_executor();
    return body(host);
}

} // namespace coppice::python

namespace nanobind::detail {

template <class Host>
struct type_caster<coppice::python::placed_array<Host>> {
    using array = coppice::python::placed_array<Host>;
    NB_TYPE_CASTER(array, const_name("Array"))

    bool from_python(handle from, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        coppice::python::device_array const* device = nullptr;
        if (try_cast(from, device) && device) {
            value = array(*device);
            return true;
        }
        make_caster<Host> host;
        if (!host.from_python(from, flags, cleanup)) return false;
        value = array(std::move(host.value));
        return true;
    }
    static handle from_cpp(array const&, rv_policy, cleanup_list*) = delete;
};

} // namespace nanobind::detail
