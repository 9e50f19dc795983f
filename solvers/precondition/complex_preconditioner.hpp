// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners of the catalogue for complex matrices.
#pragma once

#include <array>
#include <string>
#include <utility>

#include <coppice/solvers/precondition/catalogue.hpp>
#include <coppice/solvers/vectors/elements.hpp>

namespace coppice {

/// The names that make_preconditioner() takes for complex matrices; the other ones are for real matrices alone.
inline constexpr std::array<std::string_view, 2> complex_preconditioner_names{"none", "jacobi"};

namespace detail {

/// A preconditioner of elements for numbers of T.
template <class T, class M>
class preconditioner_of_elements {
public:
    explicit preconditioner_of_elements(M m) : m_(std::move(m)) {}

    template <executor Executor>
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        m_.apply(exec, as_elements(r), as_elements(z));
    }
    template <executor Executor, class I>
    void refresh(Executor const& exec, csr_view<T, I> a) {
        m_.refresh(exec, as_elements(a));
    }
    bool replayable() const { return true; }

private:
    M m_;
};

/// Calls made(preconditioner) with the one of that name; argument_error for one that is not for complex matrices.
template <executor Executor, class T, class I, class Made>
void make_complex_preconditioner(Executor const& exec, std::string const& name, csr_view<T, I> a, Made const& made) {
    if (name == "none") return made(identity_preconditioner{});
    if (name == "jacobi") {
        using jacobi = jacobi_preconditioner<Executor, element_t<T>, I>;
        return made(preconditioner_of_elements<T, jacobi>(jacobi(exec, as_elements(a))));
    }
    throw argument_error("preconditioner \"" + name +
                         "\" is for real matrices; for complex ones there are: none, jacobi");
}

} // namespace detail
} // namespace coppice
