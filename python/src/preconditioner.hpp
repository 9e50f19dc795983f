// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners of the catalogue, and functions of Python in their place.
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

/// One of the catalogue, for a matrix of any type of number, on the host or on a device.
struct named_preconditioner {
    std::variant<
#if defined(COPPICE_HAS_CUDA)
        any_preconditioner<cuda_executor, float>, any_preconditioner<cuda_executor, double>,
        any_preconditioner<cuda_executor, std::complex<float>>, any_preconditioner<cuda_executor, std::complex<double>>,
#endif
        any_preconditioner<host_executor, float>, any_preconditioner<host_executor, double>,
        any_preconditioner<host_executor, std::complex<float>>, any_preconditioner<host_executor, std::complex<double>>>
        held;
    input_array values; ///< of its matrix: where it lies

    /// A preconditioner serves one solve at a time: the others of a process wait for their turn, without the
    /// interpreter's lock. Recursive, as functions that a solve calls may apply its preconditioner.
    struct all_turns {
        std::recursive_mutex mutex;
        device_queue last;       ///< what has queued work on it
        bool unfinished = false; ///< an interrupt has ended a refresh: old and new values are mixed
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
    /// To work in the order of an array of a device, after what was queued in another order.
    turn take_turn(input_array const& array) const {
        turn taken = take_turn();
        if (auto const* const device = array.device()) turns->last.move_to(*device);
        return taken;
    }

    /// Throws argument_error for a matrix of another type than T, or in another place.
    template <class Executor, class T>
    any_preconditioner<Executor, T> const& of() const {
        if (auto const* m = std::get_if<any_preconditioner<Executor, T>>(&held)) return *m;
        throw argument_error("the preconditioner M was made for another type of number than that of A and b, or in "
                             "another place");
    }
};

/// {name, setup_seconds, options, findings} for Python.
nb::dict dict_of_report(preconditioner_report const& report);
/// Options by name, values as text.
option_values options_of(nb::dict const& options);

/// y = f(x) of Python; called without the interpreter's lock. On the host x is a copy; on a device it is x itself.
template <class T>
struct python_function {
    std::shared_ptr<nb::object> function;
    solve_control* control; ///< hears of an interrupt from the keyboard in the function, which then gives 0
    input_array like;       ///< an array of the solve: its place

    python_function(nb::object f, solve_control& of, input_array like_this)
        : function(keep(std::move(f))), control(&of), like(std::move(like_this)) {}

    template <executor Executor>
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        nb::gil_scoped_acquire const held;
        try {
            auto const result = nb::cast<input_array>((*function)(argument(x)));
            require_type<T>(result, "what the function gives", "that of its argument");
            require_size("what the function gives", std::int64_t(result.size()), y.size());
            require_same_place(result, like, "what the function gives");
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
        auto const* const place = like.device();
        if (!place) return to_python(std::vector<T>(x.begin(), x.end()));
        return nb::cast(device_array{reinterpret_cast<std::uintptr_t>(x.data()), std::size_t(x.size()), nb::dtype<T>(),
                                     place->device, place->stream, place->owner, place->stream_owner});
    }
};

/// What Python gives for M: a named one, a function, or None. `like`: an array of the solve.
template <class Executor, class T>
any_preconditioner<Executor, T> preconditioner_of(nb::object const& m, solve_control& control,
                                                  input_array const& like) {
    if (m.is_none()) return {identity_preconditioner{}, {.name = "none"}};
    if (nb::isinstance<named_preconditioner>(m)) return nb::cast<named_preconditioner const&>(m).of<Executor, T>();
    return {python_function<T>(m, control, like), {.name = "function of Python"}};
}

/// The turn of a named one for a whole solve; taken without the interpreter's lock.
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
