// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How signals that Python handles, such as SIGINT by a KeyboardInterrupt, end calls of the library.
#pragma once

#include <nanobind/nanobind.h>

#include <coppice/core/host/interruption.hpp>

namespace coppice::python {

namespace nb = nanobind;

/// Does this thread run the handlers of signals? Python's other threads do not.
bool handles_signals();
/// The exception that is set in the interpreter, with its traceback; it is not set afterwards.
nb::object take_raised();
/// Runs the handlers of signals that have come. The exception of a handler, or a null object. Takes the interpreter's
/// lock.
nb::object raised_by_signals();
/// Sets the exception that ended the last `unlocked` by `interrupted`; with the interpreter's lock.
void raise_kept();

/// Gives the interpreter's lock away while it lives. An exception of a handler of signals ends what runs meanwhile by
/// `interrupted`, which the module translates to that exception.
class unlocked {
public:
    unlocked() : scope_(handles_signals() ? &signals_ : nullptr) {}

private:
    class signals final : public interruption {
        bool wanted() override;
    };

    nb::gil_scoped_release released_;
    signals signals_;
    interruption::scope scope_;
};

} // namespace coppice::python
