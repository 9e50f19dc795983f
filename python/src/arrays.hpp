// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Arrays of Python as the library sees them. The Python side has checked shapes and contiguity; types are told apart
/// here, and where an array lies decides the executor.
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

/// A reference to what Python owns, given back under the interpreter's lock wherever that happens.
inline std::shared_ptr<nb::object> keep(nb::object object) {
    return {new nb::object(std::move(object)), [](nb::object* o) {
                nb::gil_scoped_acquire const held;
                delete o;
            }};
}

/// A contiguous array in the memory of a device, in the order of a stream there: 0 for the default one.
struct device_array {
    std::uintptr_t address = 0;
    std::size_t size = 0;
    nb::dlpack::dtype type{};
    int device = 0;
    std::uintptr_t stream = 0;
    std::shared_ptr<nb::object> owner;        ///< what Python holds the memory by
    std::shared_ptr<nb::object> stream_owner; ///< and the stream

    void* data() const { return reinterpret_cast<void*>(address); }
};

/// The stream on which an object of a device was last put to work. What streams do is not ordered among them, and its
/// workspace serves one at a time.
class device_queue {
public:
    /// Waits for what another stream has been given to do.
    void move_to(device_array const& where);

private:
    bool used_ = false;
    device_array last_{};
};

/// A contiguous array of any shape and type: of the host, `Host` of nanobind, or of a device.
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
    /// Null for an array of the host.
    device_array const* device() const { return device_ ? &*device_ : nullptr; }

private:
    Host host_;
    std::optional<device_array> device_;
};

/// Read, and written.
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
/// Throws argument_error unless both lie on the host, or both on the same device.
template <class Array, class Other>
void require_same_place(Array const& a, Other const& b, char const* name) {
    auto const *const left = a.device(), *const right = b.device();
    if (!left != !right || (left && left->device != right->device))
        throw argument_error(std::string(name) + " lies elsewhere than the other arrays");
}

/// Calls visit(std::type_identity<T>{}) for the type of number that an array holds.
template <class Array, class Visit>
auto with_real(Array const& a, Visit&& visit) {
    if (holds<double>(a)) return visit(std::type_identity<double>{});
    if (holds<float>(a)) return visit(std::type_identity<float>{});
    throw argument_error("the type of the numbers is none of float32, float64");
}
template <class Array, class Visit>
auto with_number(Array const& a, Visit&& visit) {
    if (holds<std::complex<double>>(a)) return visit(std::type_identity<std::complex<double>>{});
    if (holds<std::complex<float>>(a)) return visit(std::type_identity<std::complex<float>>{});
    return with_real(a, visit);
}

/// What the library made on a device, for CuPy, PyTorch and others to take over by __cuda_array_interface__.
struct device_result {
    std::shared_ptr<void> holder;
    void* data = nullptr;
    std::size_t size = 0;
    nb::dlpack::dtype type{};
};

/// An array that owns what `holder` holds; `data` points into it.
template <class T, class Holder>
nb::object own(Holder holder, T* data, std::size_t size) {
    auto* const kept = new Holder(std::move(holder));
    nb::capsule const owner(kept, [](void* p) noexcept { delete static_cast<Holder*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}
/// An array of NumPy, or a device_result.
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

/// The executor of this process on the host, with as many threads as set_threads() said; one arena for all calls.
host_executor current_executor();

#if defined(COPPICE_HAS_CUDA)
/// An executor in the order of a stream of Python's, for one call at a time. Executors are kept for the next call, with
/// their memory and their stream, which results are given back on.
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

/// Makes the device of an executor that of the calling thread, where another one took the executor.
inline void enter_thread(host_executor const&) {}
void enter_thread(cuda_executor const& exec);

/// Calls visit(executor) with the executor of the place where the array lies.
template <class Array, class Visit>
decltype(auto) with_executor([[maybe_unused]] Array const& a, Visit&& visit) {
#if defined(COPPICE_HAS_CUDA)
    if (auto const* const device = a.device()) {
        device_lease const lease(*device);
        return visit(lease.executor());
    }
#endif
    host_executor const host = current_executor();
    return visit(host);
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
