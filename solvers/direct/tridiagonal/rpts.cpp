// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/rpts_ranks_solve.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_REAL_TYPES(COPPICE_RPTS_WORKSPACE, template)
COPPICE_REAL_TYPES(COPPICE_RPTS, template, host_executor)

template <class T>
tridiagonal_outcome solve_tridiagonal_batch(host_executor const& exec, rpts::system_view<T> const& systems,
                                            array_view<std::byte> workspace, tridiagonal_options options,
                                            std::function<void()> const& save_rhs) {
    return rpts::solve_any_batch(exec, systems, workspace, options, save_rhs);
}
#define COPPICE_RPTS_SAVING(T)                                                                                         \
    template tridiagonal_outcome solve_tridiagonal_batch(host_executor const&, rpts::system_view<T> const&,            \
                                                         array_view<std::byte>, tridiagonal_options,                   \
                                                         std::function<void()> const&);
COPPICE_REAL_TYPES(COPPICE_RPTS_SAVING)

namespace rpts {
COPPICE_REAL_TYPES(COPPICE_RPTS_RANKS, template, host_executor)
} // namespace rpts

} // namespace coppice::inline v0_1
