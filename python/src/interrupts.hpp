// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Ends calls of the library if a signal handler of Python raises an exception, such as KeyboardInterrupt for SIGINT.
#pragma once

#include <nanobind/nanobind.h>

#include <coppice/core/host/interruption.hpp>

namespace coppice::python {

namespace nb = nanobind;

/// Whether this thread runs signal handlers; only the main thread of Python does.
bool handles_signals();
/// Takes the current exception of the interpreter, with its traceback, and clears it.
nb::object take_raised();
/// Runs the handlers of pending signals. Returns the exception of a handler, or a null object. Acquires the
/// interpreter's lock (GIL).
nb::object raised_by_signals();
/// Raises in the interpreter the exception that ended the last `unlocked` by `interrupted`. Requires the interpreter's
/// lock.
void raise_saved();

/// Releases the interpreter's lock during its lifetime. If a signal handler raises an exception meanwhile, running work
/// ends with `interrupted`, which the module translates to that exception.
class unlocked {
public:
    unlocked() : scope_(handles_signals() ? &signals_ : nullptr) {}

private:
    class signals final : public interruption {
        bool requested() override;
    };

    nb::gil_scoped_release released_;
    signals signals_;
    interruption::scope scope_;
};

} // namespace coppice::python
