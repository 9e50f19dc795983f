// SPDX-License-Identifier: BSD-3-Clause
#include "interrupts.hpp"

#include <utility>

#include "components.hpp"

namespace coppice::python {
namespace {

unsigned long main_thread = 0;
PyObject* saved_error = nullptr; ///< used by the main thread only: no other thread handles signals

} // namespace

bool handles_signals() { return PyThread_get_thread_ident() == main_thread; }

nb::object take_raised() {
#if PY_VERSION_HEX >= 0x030c0000
    return nb::steal(PyErr_GetRaisedException());
#else
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return nb::steal(value);
#endif
}

nb::object raised_by_signals() {
    nb::gil_scoped_acquire const held;
    return PyErr_CheckSignals() == 0 ? nb::object() : take_raised();
}

bool unlocked::signals::requested() {
    nb::gil_scoped_acquire const held;
    nb::object raised = raised_by_signals();
    if (!raised.is_valid()) return false;
    Py_XDECREF(std::exchange(saved_error, raised.release().ptr()));
    return true;
}

void raise_saved() {
    nb::object const raised = nb::steal(std::exchange(saved_error, nullptr));
    if (raised.is_valid())
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    else
        PyErr_SetNone(PyExc_KeyboardInterrupt);
}

void add_interrupts(nb::module_&) {
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
}

} // namespace coppice::python
