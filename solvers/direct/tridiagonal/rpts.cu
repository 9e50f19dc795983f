// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/rpts_ranks_solve.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice::inline v0_1 {
namespace rpts {

template <class T>
void solve_by_table(cuda_executor const& exec, tuning_table const& table, system_view<T> const& systems, T* memory) {
    solve(exec, cuda_levels<T>{table, limits_of<T>(exec)}, systems, memory, tridiagonal_options{});
}
template void solve_by_table(cuda_executor const&, tuning_table const&, system_view<float> const&, float*);
template void solve_by_table(cuda_executor const&, tuning_table const&, system_view<double> const&, double*);
template device_limits limits_of<float>(cuda_executor const&);
template device_limits limits_of<double>(cuda_executor const&);

} // namespace rpts

COPPICE_RPTS(float, cuda_executor)
COPPICE_RPTS(double, cuda_executor)

namespace rpts {
COPPICE_RPTS_RANKS_OF(cuda_executor)
} // namespace rpts

} // namespace coppice::inline v0_1
