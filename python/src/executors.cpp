// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "parts.hpp"

namespace coppice::python {
namespace {

std::mutex mutex;
std::optional<host_executor> executor_of_process;

void raise(PyObject* type, char const* text) { PyErr_SetString(type, text); }

void translate(std::exception_ptr const& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (coppice::error const& e) {
        switch (e.code()) {
        case error_code::io:
            return raise(PyExc_OSError, e.what());
        case error_code::overflow:
            return raise(PyExc_OverflowError, e.what());
        case error_code::out_of_memory:
            return raise(PyExc_MemoryError, e.what());
        case error_code::device:
        case error_code::backend_unavailable:
            return raise(PyExc_RuntimeError, e.what());
        default:
            return raise(PyExc_ValueError, e.what());
        }
    }
}

} // namespace

host_executor current_executor() {
    std::lock_guard const lock(mutex);
    if (!executor_of_process) executor_of_process.emplace(0);
    return *executor_of_process;
}

void add_errors(nb::module_&) { nb::register_exception_translator(translate); }

void add_executors(nb::module_& m) {
    m.def("set_threads", [](int threads) {
        host_executor made(threads);
        std::lock_guard const lock(mutex);
        executor_of_process = std::move(made);
    });
    m.def("threads", [] { return current_executor().threads(); });
}

} // namespace coppice::python
