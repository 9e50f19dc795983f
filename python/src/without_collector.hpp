// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A scope without the garbage collector of Python.
#pragma once

#include <Python.h>

namespace coppice::python {

/// Stops the garbage collector during its lifetime, which otherwise visits all objects of the process several times
/// while many containers are made that stay.
class without_collector {
public:
    without_collector() : was_enabled_(PyGC_Disable() == 1) {}
    ~without_collector() {
        if (was_enabled_) PyGC_Enable();
    }
    without_collector(without_collector const&) = delete;
    without_collector& operator=(without_collector const&) = delete;

private:
    bool was_enabled_;
};

} // namespace coppice::python
