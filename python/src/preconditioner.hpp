// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners of the catalogue, and functions of Python in their place.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <variant>

#include <coppice/solvers/precondition/preconditioner.hpp>

#include "matrix.hpp"

namespace coppice::python {

template <class T>
using host_preconditioner = any_preconditioner<host_executor, T>;

/// One of the catalogue, for a matrix of any type of number.
struct named_preconditioner {
    std::variant<host_preconditioner<float>, host_preconditioner<double>, host_preconditioner<std::complex<float>>,
                 host_preconditioner<std::complex<double>>>
        held;
    /// A preconditioner serves one solve at a time: the others of a process wait for their turn, without the
    /// interpreter's lock. Recursive, as functions that a solve calls may apply its preconditioner.
    std::shared_ptr<std::recursive_mutex> turns = std::make_shared<std::recursive_mutex>();

    using turn = std::unique_lock<std::recursive_mutex>;
    turn take_turn() const { return turn(*turns); }

    /// Throws argument_error for a matrix of another type than T.
    template <class T>
    host_preconditioner<T> const& of() const {
        if (auto const* m = std::get_if<host_preconditioner<T>>(&held)) return *m;
        throw argument_error("the preconditioner M was made for another type of number than that of A and b");
    }
};

/// {name, setup_seconds, options, findings} for Python.
nb::dict dict_of_report(preconditioner_report const& report);
/// Options by name, values as text.
option_values options_of(nb::dict const& options);

/// y = f(x) of Python, copied in and out; called without the interpreter's lock.
template <class T>
struct python_function {
    std::shared_ptr<nb::object> function;     // the reference is given back under the lock, see below
    std::atomic<bool>* interrupted = nullptr; ///< set where Python was interrupted in the function, which then gives 0

    python_function(nb::object f, std::atomic<bool>* interrupt)
        : function(new nb::object(std::move(f)),
                   [](nb::object* o) {
                       nb::gil_scoped_acquire const held;
                       delete o;
                   }),
          interrupted(interrupt) {}

    void apply(host_executor const&, array_view<T const> x, array_view<T> y) const {
        nb::gil_scoped_acquire const held;
        std::vector<T> copy(x.begin(), x.end());
        try {
            auto const result = nb::cast<input_array>((*function)(to_numpy(std::move(copy))));
            require_type<T>(result, "what the function gives", "that of its argument");
            require_size("what the function gives", std::int64_t(result.size()), y.size());
            std::copy_n(elements<T>(result).data(), y.size(), y.data());
        } catch (nb::python_error& e) {
            if (!e.matches(PyExc_KeyboardInterrupt)) throw;
            *interrupted = true;
            std::fill(y.begin(), y.end(), T(0));
        }
    }
};

/// What Python gives for M: a named one, a function, or None.
template <class T>
host_preconditioner<T> preconditioner_of(nb::object const& m, std::atomic<bool>* interrupted) {
    if (m.is_none()) return {identity_preconditioner{}, {.name = "none"}};
    if (nb::isinstance<named_preconditioner>(m)) return nb::cast<named_preconditioner const&>(m).of<T>();
    return {python_function<T>(m, interrupted), {.name = "function of Python"}};
}

/// The turn of a named one for a whole solve; taken without the interpreter's lock.
class preconditioner_turn {
public:
    explicit preconditioner_turn(nb::object const& m)
        : named_(nb::isinstance<named_preconditioner>(m) ? nb::cast<named_preconditioner const*>(m) : nullptr) {}
    named_preconditioner::turn take() const { return named_ ? named_->take_turn() : named_preconditioner::turn(); }

private:
    named_preconditioner const* named_;
};

} // namespace coppice::python
