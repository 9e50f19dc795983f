// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners of the catalogue, and Python functions as preconditioners.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <variant>

#include <coppice/solvers/catalogue/preconditioner.hpp>

#include "matrix.hpp"
#include "solve_control.hpp"

namespace coppice::python {

/// A preconditioner of the catalogue, for a matrix of any value type, on the host or on a device.
struct named_preconditioner {
    std::variant<
#if defined(COPPICE_HAS_CUDA)
        any_preconditioner<cuda_executor, float>, any_preconditioner<cuda_executor, double>,
        any_preconditioner<cuda_executor, std::complex<float>>, any_preconditioner<cuda_executor, std::complex<double>>,
#endif
        any_preconditioner<host_executor, float>, any_preconditioner<host_executor, double>,
        any_preconditioner<host_executor, std::complex<float>>, any_preconditioner<host_executor, std::complex<double>>>
        held;
    input_array values; ///< values of its matrix, which determine the memory space

    /// A preconditioner serves one solve at a time; other solves of the process wait without the interpreter's lock.
    /// The mutex is recursive, since a function that a solve calls may apply its preconditioner.
    struct all_turns {
        std::recursive_mutex mutex;
        device_queue last;       ///< the stream that last used it
        bool unfinished = false; ///< an interrupt has ended a refresh, so that old and new values are mixed
    };
    std::shared_ptr<all_turns> turns = std::make_shared<all_turns>();

    using turn = std::unique_lock<std::recursive_mutex>;
    turn take_turn() const {
        turn taken(turns->mutex);
        if (turns->unfinished)
            throw std::runtime_error(
                "the preconditioner M is of no use: its refresh was interrupted; refresh it again");
        return taken;
    }
    /// Moves the work to the stream of a device array, after the work that was queued on another stream.
    turn take_turn(input_array const& array) const {
        turn taken = take_turn();
        if (auto const* const device = array.device()) turns->last.move_to(*device);
        return taken;
    }

    /// Throws argument_error if the matrix is not of type T or is in another memory space.
    template <class Executor, class T>
    any_preconditioner<Executor, T> const& of() const {
        if (auto const* m = std::get_if<any_preconditioner<Executor, T>>(&held)) return *m;
        throw argument_error("the preconditioner M was made for another type of number than that of A and b, or in "
                             "another memory space");
    }
};

/// {name, setup_seconds, options, findings} for Python.
nb::dict dict_of_report(preconditioner_report const& report);
/// Options by name, values as text.
option_values options_of(nb::dict const& options);

/// y = f(x) for a Python function; called without the interpreter's lock. On the host the function gets a copy of x, on
/// a device x itself.
template <class T>
struct python_function {
    std::shared_ptr<nb::object> function;
    solve_control* control; ///< receives a KeyboardInterrupt raised in the function, whose result is then 0
    input_array like;       ///< an array of the solve, which determines the memory space

    python_function(nb::object f, solve_control& of, input_array like_this)
        : function(keep(std::move(f))), control(&of), like(std::move(like_this)) {}

    template <executor Executor>
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        nb::gil_scoped_acquire const held;
        try {
            auto const result = nb::cast<input_array>((*function)(argument(x)));
            require_type<T>(result, "the result of the function", "that of its argument");
            require_size("the result of the function", std::int64_t(result.size()), y.size());
            require_same_memory(result, like, "the result of the function");
            exec.copy_elements(elements<T>(result).data(), y.data(), y.size());
        } catch (nb::python_error& e) {
            if (!e.matches(PyExc_KeyboardInterrupt)) throw;
            e.restore();
            control->end_by(take_raised());
            std::vector<T> const zeros(static_cast<std::size_t>(y.size()), T(0));
            exec.copy_elements(zeros.data(), y.data(), y.size());
        }
    }

private:
    nb::object argument(array_view<T const> x) const {
        auto const* const device = like.device();
        if (!device) return to_python(std::vector<T>(x.begin(), x.end()));
        return nb::cast(device_array{reinterpret_cast<std::uintptr_t>(x.data()), std::size_t(x.size()), nb::dtype<T>(),
                                     device->device, device->stream, device->owner, device->stream_owner});
    }
};

/// A linear operator of two functions of Python, x -> B x and x -> B^T x.
template <class T>
struct python_function_pair {
    python_function<T> function, transposed;

    template <executor Executor>
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        function.apply(exec, x, y);
    }
    template <executor Executor>
    void apply_transpose(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        transposed.apply(exec, x, y);
    }
};
template <class T>
python_function_pair<T> function_pair(nb::object const& pair, solve_control& control, input_array const& like) {
    return {python_function<T>(pair[0], control, like), python_function<T>(pair[1], control, like)};
}

/// Converts the argument M of Python: a named preconditioner, a function, a pair of functions, or None. `like`: an
/// array of the solve.
template <class Executor, class T>
any_preconditioner<Executor, T> preconditioner_of(nb::object const& m, solve_control& control,
                                                  input_array const& like) {
    if (m.is_none()) return {identity_preconditioner{}, {.name = "none"}};
    if (nb::isinstance<named_preconditioner>(m)) return nb::cast<named_preconditioner const&>(m).of<Executor, T>();
    if (nb::isinstance<nb::tuple>(m)) return {function_pair<T>(m, control, like), {.name = "function of Python"}};
    return {python_function<T>(m, control, like), {.name = "function of Python"}};
}

/// Locks a named preconditioner for a whole solve; the interpreter's lock is not held while waiting.
class preconditioner_turn {
public:
    explicit preconditioner_turn(nb::object const& m)
        : named_(nb::isinstance<named_preconditioner>(m) ? nb::cast<named_preconditioner const*>(m) : nullptr) {}
    named_preconditioner::turn take(input_array const& array) const {
        return named_ ? named_->take_turn(array) : named_preconditioner::turn();
    }

private:
    named_preconditioner const* named_;
};

} // namespace coppice::python
