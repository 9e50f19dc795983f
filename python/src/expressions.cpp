// SPDX-License-Identifier: BSD-3-Clause
// Operators in C, which the compiler of the system compiles. _expressions.py writes their source.
#include <cstdint>

#include <nanobind/stl/string.h>

#include <coppice/core/files/run_time_library.hpp>

#include "components.hpp"

namespace coppice::python {

void add_expressions(nanobind::module_& m) {
    m.def("run_time_library", [](std::string const& source) {
        nanobind::gil_scoped_release const released;
        return reinterpret_cast<std::uintptr_t>(run_time_library(source));
    });
    m.def("run_time_function", [](std::uintptr_t library, std::string const& name) {
        return reinterpret_cast<std::uintptr_t>(run_time_function(reinterpret_cast<void*>(library), name.c_str()));
    });
}

} // namespace coppice::python
