// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// NumPy arrays as the library sees them. The Python side has checked shapes and contiguity; types are told apart here.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <coppice/core/executor.hpp>

namespace coppice::python {

namespace nb = nanobind;

/// Contiguous arrays in host memory of any shape and type: read, and written.
using input_array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using output_array = nb::ndarray<nb::c_contig, nb::device::cpu>;

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

/// An array that owns what `holder` holds; `data` points into it.
template <class T, class Holder>
nb::object own(Holder holder, T* data, std::size_t size) {
    auto* const kept = new Holder(std::move(holder));
    nb::capsule const owner(kept, [](void* p) noexcept { delete static_cast<Holder*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}
template <class T>
nb::object to_numpy(buffer<T> from) {
    T* const data = from.data();
    auto const size = static_cast<std::size_t>(from.size());
    return own(std::move(from), data, size);
}
template <class T>
nb::object to_numpy(std::vector<T> from) {
    T* const data = from.data();
    std::size_t const size = from.size();
    return own(std::move(from), data, size);
}

/// The executor of this process, with as many threads as set_threads() said; one arena for all calls.
host_executor current_executor();

} // namespace coppice::python
