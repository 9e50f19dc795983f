// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners of the registry for complex matrices.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <coppice/solvers/catalogue/catalogue.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>
#include <coppice/solvers/multilevel/complex_multilevel.hpp>

namespace coppice::inline v0_1 {

namespace detail {

using complex_entries = entry_list<identity_entry, jacobi_entry, ilu0_entry, ic0_entry, isai_entry, ilut_entry,
                                   iluk_entry, sparse_direct_entry, complex_multilevel_entry>;

/// Applies a preconditioner of complex_pair elements to vectors of std::complex.
template <class T, class M>
class preconditioner_of_elements {
public:
    static constexpr bool shareable = is_shareable<M>;

    explicit preconditioner_of_elements(M m) : m_(std::move(m)) {}

    template <executor Executor>
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        m_.apply(exec, as_elements(r), as_elements(z));
    }
    template <executor Executor>
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        m_.apply_transpose(exec, as_elements(r), as_elements(z));
    }
    template <executor Executor, class I>
    void refresh(Executor const& exec, csr_view<T, I> a) {
        if constexpr (requires { m_.refresh(exec, as_elements(a)); }) m_.refresh(exec, as_elements(a));
    }
    bool replayable() const {
        if constexpr (requires { m_.replayable(); }) return m_.replayable();
        return true;
    }
    bool is_identity() const {
        if constexpr (requires { m_.is_identity(); }) return m_.is_identity();
        return false;
    }
    std::vector<finding> findings() const {
        if constexpr (requires { m_.findings(); }) return m_.findings();
        return {};
    }

private:
    M m_;
};

/// Calls made(preconditioner) with the preconditioner of that name; throws argument_error if it does not support
/// complex matrices.
template <executor Executor, class T, class I, class Made>
void make_complex_preconditioner(Executor const& exec, std::string const& name, csr_view<T, I> a,
                                 chosen_options const& options, Made const& made) {
    bool const known = complex_entries::with(name, [&](auto entry) {
        auto m = entry.make(exec, as_elements(a), options);
        made(preconditioner_of_elements<T, decltype(m)>(std::move(m)));
    });
    if (known) return;
    std::string all;
    for (std::string_view const one : complex_entries::names) all.append(all.empty() ? "" : ", ").append(one);
    throw argument_error("preconditioner \"" + name + "\" is for real matrices; for complex ones there are: " + all);
}

} // namespace detail

} // namespace coppice::inline v0_1
