// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/rpts_ranks_solve.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice::inline v0_1 {

template std::int64_t tridiagonal_workspace<float>(std::int64_t);
template std::int64_t tridiagonal_workspace<double>(std::int64_t);
template std::int64_t tridiagonal_batch_workspace<float>(std::int64_t, std::int64_t, std::int64_t, bool);
template std::int64_t tridiagonal_batch_workspace<double>(std::int64_t, std::int64_t, std::int64_t, bool);
COPPICE_RPTS(float, host_executor)
COPPICE_RPTS(double, host_executor)

template <class T>
bool solve_tridiagonal_batch(host_executor const& exec, tridiagonal_batch<T> const& batch,
                             array_view<std::byte> workspace, tridiagonal_options options,
                             std::function<void()> const& save_rhs) {
    return rpts::solve_any_batch(exec, batch, workspace, options, save_rhs);
}
template bool solve_tridiagonal_batch(host_executor const&, tridiagonal_batch<float> const&, array_view<std::byte>,
                                      tridiagonal_options, std::function<void()> const&);
template bool solve_tridiagonal_batch(host_executor const&, tridiagonal_batch<double> const&, array_view<std::byte>,
                                      tridiagonal_options, std::function<void()> const&);

namespace rpts {
COPPICE_RPTS_RANKS_OF(host_executor)
} // namespace rpts

} // namespace coppice::inline v0_1
