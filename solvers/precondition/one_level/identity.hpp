// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The identity as a preconditioner.
#pragma once

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// z = r.
class identity_preconditioner {
public:
    static constexpr bool shareable = true;

    template <executor Executor, class T>
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("z of a preconditioner", z, r.size());
        exec.copy_elements(r.data(), z.data(), r.size());
    }
    template <executor Executor, class T>
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        apply(exec, r, z);
    }
    bool replayable() const { return true; }
    bool is_identity() const { return true; }
};

} // namespace coppice::inline v0_1
