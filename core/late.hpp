// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Storage for values without a default constructor.
#pragma once

#include <cstring>
#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::detail {

/// Storage for a value that is assigned later, or never read, and whose type need not be default constructible. It is
/// initialised with zeros, because the device compiler places a variable that is only assigned conditionally in local
/// memory.
template <class T>
union late {
    T value;
    COPPICE_HD late() {
        if constexpr (std::is_trivially_default_constructible_v<T>)
            value = T{};
        else
            std::memset(static_cast<void*>(&value), 0, sizeof value);
    }
};

} // namespace coppice::inline v0_1::detail
