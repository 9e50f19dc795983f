// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Shared libraries that are used if they are installed, and are required neither at build time nor at run time.
#pragma once

#include <span>
#include <string>
#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Adds a folder to those in which optional_library searches after the folders of the system; the Python package adds
/// the folders of the wheels of NVIDIA. Any thread may call it. Has no effect on libraries that are already loaded.
void add_library_folder(std::string const& path);

/// A shared library, which remains loaded until the program ends, or the reason why there is none.
class optional_library {
public:
    /// Loads `file`, or, if it is empty, the first of `names` that the loader of the system finds, else the first one
    /// in a folder of add_library_folder(). `product` names the library in messages.
    optional_library(std::string product, std::string const& file, std::span<char const* const> names);

    /// Sets `function` to the function of that name; null, and why_not() names it, if there is none.
    template <class Function>
    void find(Function*& function, char const* name) {
        function = reinterpret_cast<Function*>(address_of(name));
    }
    /// Empty if the library is loaded and find() has found all functions.
    std::string const& why_not() const { return why_not_; }
    /// The path or name by which it was loaded.
    std::string const& path() const { return path_; }

private:
    void* address_of(char const* name);
    bool load(std::string const& path);

    std::string product_, path_{}, why_not_{};
    void* handle_ = nullptr;
};

} // namespace coppice::inline v0_1
