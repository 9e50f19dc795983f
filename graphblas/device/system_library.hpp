// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>

#include <dlfcn.h>

#include "driver.hpp"

namespace coppice::graphblas::device {

/// A shared library of the system, which remains loaded.
class system_library {
public:
    explicit system_library(std::initializer_list<char const*> names) {
        for (char const* const name : names)
            if (!handle_) handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!handle_) throw host_reason{std::string("cannot load ") + *names.begin()};
    }
    template <class Function>
    void find(Function*& function, char const* name) const {
        function = reinterpret_cast<Function*>(::dlsym(handle_, name));
        if (!function) throw host_reason{std::string("a CUDA library has no function ") + name};
    }

private:
    void* handle_ = nullptr;
};

} // namespace coppice::graphblas::device
