// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/rpts_ranks_solve.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice::inline v0_1 {
namespace rpts {

template <class T>
void solve_by_table(cuda_executor const& exec, tuning_table const& table, system_view<T> const& systems, T* memory) {
    solve(exec, cuda_levels<T>{table, limits_of<T>(exec)}, systems, memory, tridiagonal_options{});
}
#define COPPICE_RPTS_BY_TABLE(T)                                                                                       \
    template void solve_by_table(cuda_executor const&, tuning_table const&, system_view<T> const&, T*);                \
    template device_limits limits_of<T>(cuda_executor const&);
COPPICE_REAL_TYPES(COPPICE_RPTS_BY_TABLE)

} // namespace rpts

COPPICE_REAL_TYPES(COPPICE_RPTS, template, cuda_executor)

namespace rpts {
COPPICE_REAL_TYPES(COPPICE_RPTS_RANKS, template, cuda_executor)
} // namespace rpts

} // namespace coppice::inline v0_1
