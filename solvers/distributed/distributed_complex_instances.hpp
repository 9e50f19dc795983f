// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Explicit instantiations for the two source files of solve_distributed() and related functions for complex matrices.
#pragma once

#include <complex>
#include <optional>

#include <coppice/solvers/distributed/distributed_complex_multilevel.hpp>
#include <coppice/solvers/distributed/distributed_definitions.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

template <executor Base, class R>
struct preconditioners_over_ranks<Base, std::complex<R>> {
    using number = std::complex<R>;
    using matrix = distributed_csr<Base, number>;
    using multilevel = distributed_complex_multilevel<Base, R>;

    static std::optional<any_preconditioner<Base, number>> make(Base const& exec, rank_communicator const& comm,
                                                                named_choice const& named, matrix const& a,
                                                                option_values const& options,
                                                                near_null_space<number> near) {
        if (named.name != "multilevel") return std::nullopt;
        return make_over_ranks<multilevel_entry, Base, number>(
            exec, named, options, [&](auto const& o) { return multilevel(exec, comm, a, o, near); });
    }
    static bool refresh(Base const& exec, any_preconditioner<Base, number>& m, matrix const& a) {
        return m.template use_as<multilevel>([&](multilevel& over_ranks) { over_ranks.refresh(exec, a); });
    }
};

} // namespace distributed

// All instantiations for one executor; the real ones are in other sources. Expand within namespace coppice.
#define COPPICE_DISTRIBUTED_COMPLEX(EXECUTOR)                                                                          \
    COPPICE_DISTRIBUTED_SOLVE(extern, EXECUTOR, float)                                                                 \
    COPPICE_DISTRIBUTED_SOLVE(extern, EXECUTOR, double)                                                                \
    COPPICE_DISTRIBUTED_SOLVE(, EXECUTOR, std::complex<float>)                                                         \
    COPPICE_DISTRIBUTED_SOLVE(, EXECUTOR, std::complex<double>)

} // namespace coppice::inline v0_1
