// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Layout of the products of ⊗ in shared memory (thesis section 3.5.4): array of structures or structure of arrays.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Layout of products of type T while a block reduces them. Specialise it for user-defined types:
///
///     template <> struct coppice::shared_layout<pair> : coppice::split_members<&pair::value, &pair::column> {};
///
/// The default stores whole elements contiguously.
template <class T>
struct shared_layout {
    static constexpr int bytes = int(sizeof(T));
    static constexpr int alignment = int(alignof(T));
    COPPICE_HD static T get(unsigned char const* base, int, int i) { return reinterpret_cast<T const*>(base)[i]; }
    COPPICE_HD static void set(unsigned char* base, int, int i, T const& value) {
        reinterpret_cast<T*>(base)[i] = value;
    }
};

namespace detail {

template <class Class, class Member>
Class class_of(Member Class::*);
template <class Class, class Member>
Member member_of(Member Class::*);

template <auto Member>
using member_t = decltype(member_of(Member));

} // namespace detail

/// Structure of arrays with the interface of an array of structures: each member has a separate array, so that
/// neighbouring threads access neighbouring words. List the members in order of decreasing alignment; members that are
/// not listed are not stored. The type is value-initialised and then filled.
template <auto... Members>
struct split_members;
template <auto First, auto... Rest>
struct split_members<First, Rest...> {
    using type = decltype(detail::class_of(First));
    using member = detail::member_t<First>;
    static constexpr int bytes = int(sizeof(member)) + (0 + ... + int(sizeof(detail::member_t<Rest>)));
    static constexpr int alignment = int(alignof(member));

    COPPICE_HD static type get(unsigned char const* base, int count, int i) {
        type value{};
        read(base, count, i, value);
        return value;
    }
    COPPICE_HD static void set(unsigned char* base, int count, int i, type const& value) {
        reinterpret_cast<member*>(base)[i] = value.*First;
        if constexpr (sizeof...(Rest) > 0)
            split_members<Rest...>::set(base + count * int(sizeof(member)), count, i, value);
    }
    COPPICE_HD static void read(unsigned char const* base, int count, int i, type& value) {
        value.*First = reinterpret_cast<member const*>(base)[i];
        if constexpr (sizeof...(Rest) > 0)
            split_members<Rest...>::read(base + count * int(sizeof(member)), count, i, value);
    }
};

namespace detail {

/// `count` products in shared memory, accessed as an array of T for any layout.
template <class T>
struct product_array {
    using layout = shared_layout<T>;
    unsigned char* base;
    int count;
    COPPICE_HD T operator[](int i) const { return layout::get(base, count, i); }
    COPPICE_HD void set(int i, T const& value) const { layout::set(base, count, i, value); }
};

} // namespace detail
} // namespace coppice::inline v0_1
