// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems of preconditioners made safe to solve with.
#pragma once

#include <cmath>
#include <limits>

#include <coppice/solvers/direct/regularise/regularise_lane.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>

namespace coppice {

/// Mends tridiagonal systems that are singular or nearly so, that their solution is finite for every finite right-hand
/// side: the pivots of the pieces that break are shifted until they outweigh the rest of their rows. Keeps the memory
/// that it needs for that, so that mending again allocates nothing.
template <executor Executor, class T>
class tridiagonal_mender {
public:
    /// Returns the number of rows that were mended; 0, the usual case, changes nothing. One pass over the system where
    /// every row is dominated by its diagonal; else found out by two solves, and pieces of up to 1024 rows that seem
    /// broken are looked at one by one. Both executors find the same pieces unless one is on the verge of working
    /// precision. Waits. A system with entries that are not finite is left as it is; so are systems of more than
    /// 2^31 - 2 rows.
    ///
    /// `whole` says that the system is all of the matrix: one that is nearly singular belongs to it then, and only what
    /// has no finite solution is mended.
    std::int64_t mend(Executor const& exec, tridiagonal<T>& system, tridiagonal_options const& options, bool whole);
    /// The same where a pass over the system has told its health.
    std::int64_t mend(Executor const& exec, tridiagonal<T>& system, tridiagonal_options const& options, bool whole,
                      detail::system_health const& health);

private:
    void take_memory(Executor const& exec, std::int64_t n);
    std::int64_t count_broken(Executor const& exec, detail::tridiagonal_probe<T> const& probe,
                              tridiagonal_options const& options);
    std::int64_t find_pieces(Executor const& exec, detail::tridiagonal_probe<T> const& probe);
    void store_broken(Executor const& exec);
    detail::mended_pieces choose_pieces(Executor const& exec, detail::tridiagonal_probe<T> const& probe, int round);

    tridiagonal<T> copy_{};
    buffer<T> rhs_{}, solution_{};
    buffer<std::uint8_t> broken_{};
    buffer<std::int32_t> piece_{}, starts_{}, broken_before_{};
    buffer<std::byte> workspace_{};
};

template <executor Executor, class T>
void tridiagonal_mender<Executor, T>::take_memory(Executor const& exec, std::int64_t n) {
    if (copy_.size() == n) return;
    copy_ = tridiagonal<T>(exec, n);
    rhs_ = buffer<T>(exec, n);
    solution_ = buffer<T>(exec, n);
    broken_ = buffer<std::uint8_t>(exec, n);
    piece_ = buffer<std::int32_t>(exec, n);
    starts_ = buffer<std::int32_t>(exec, n + 1);
    broken_before_ = buffer<std::int32_t>(exec, n + 1);
    workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
}

/// Marks the rows that break, and returns how many do.
template <executor Executor, class T>
std::int64_t tridiagonal_mender<Executor, T>::count_broken(Executor const& exec,
                                                           detail::tridiagonal_probe<T> const& probe,
                                                           tridiagonal_options const& options) {
    std::int64_t const n = probe.a.size();
    std::int64_t broken = 0;
    for_each(exec, n, probe);
    for (bool const first : {true, false}) {
        if (!first) for_each(exec, n, detail::turn_side<T>{probe});
        solve_tridiagonal_by_rpts(exec, copy_.view(), rhs_.view(), solution_.view(), workspace_.view(), options);
        broken = reduce(exec, n, std::int64_t(0), detail::mark_broken<T>{probe, first, broken_.data()}, plus{});
    }
    return broken;
}

/// Returns the number of pieces.
template <executor Executor, class T>
std::int64_t tridiagonal_mender<Executor, T>::find_pieces(Executor const& exec,
                                                          detail::tridiagonal_probe<T> const& probe) {
    std::int64_t const n = probe.a.size();
    detail::begins_piece<T> const begins{probe.a};
    exclusive_scan(exec, n, begins, detail::store_piece<T>{begins, piece_.data()}, std::int64_t(0));
    std::int64_t const pieces = select(exec, n, begins, detail::store_piece_start{starts_.data()});
    fill(exec, starts_.view().slice(pieces, 1), std::int32_t(n));
    return pieces;
}
template <executor Executor, class T>
void tridiagonal_mender<Executor, T>::store_broken(Executor const& exec) {
    std::int64_t const n = copy_.size();
    std::int64_t const broken = exclusive_scan(exec, n, detail::flag_at{broken_.data()},
                                               detail::store_broken{broken_before_.data()}, std::int64_t(0));
    fill(exec, broken_before_.view().slice(n, 1), std::int32_t(broken));
}

/// Which pieces are to be mended: in the first round only those that were looked at one by one, if there are any, since
/// it may be they that break the longer ones.
template <executor Executor, class T>
detail::mended_pieces tridiagonal_mender<Executor, T>::choose_pieces(Executor const& exec,
                                                                     detail::tridiagonal_probe<T> const& probe,
                                                                     int round) {
    std::int64_t const pieces = find_pieces(exec, probe);
    store_broken(exec);
    detail::examine_piece<T> const examine{probe, starts_.data(), broken_before_.data(), broken_.data()};
    for_each(exec, pieces, examine);
    store_broken(exec);
    bool const alone =
        round == 0 && reduce(exec, pieces, std::int64_t(0), detail::breaks_alone<T>{examine}, plus{}) > 0;
    return {piece_.data(), starts_.data(), broken_before_.data(),
            alone ? detail::examine_piece<T>::longest : std::numeric_limits<std::int32_t>::max()};
}

template <executor Executor, class T>
std::int64_t tridiagonal_mender<Executor, T>::mend(Executor const& exec, tridiagonal<T>& system,
                                                   tridiagonal_options const& options, bool whole) {
    return mend(exec, system, options, whole,
                reduce(exec, system.size(), detail::system_health{0, 1}, detail::health_of_row<T>{system.view()},
                       detail::worse_health{}));
}

template <executor Executor, class T>
std::int64_t tridiagonal_mender<Executor, T>::mend(Executor const& exec, tridiagonal<T>& system,
                                                   tridiagonal_options const& options, bool whole,
                                                   detail::system_health const& health) {
    std::int64_t const n = system.size();
    if (health.dominant != 0 || !std::isfinite(health.largest) || n >= std::numeric_limits<std::int32_t>::max())
        return 0;
    double const unit = health.largest > 0 ? std::ldexp(1.0, std::ilogb(health.largest)) : 1.0;
    take_memory(exec, n);
    detail::tridiagonal_probe<T> const probe{system.view(),
                                             1 / unit,
                                             whole ? 0.0 : 16 * double(std::numeric_limits<T>::epsilon()),
                                             copy_.lower.data(),
                                             copy_.diagonal.data(),
                                             copy_.upper.data(),
                                             rhs_.data(),
                                             solution_.data()};
    std::int64_t mended = 0;
    for (int round = 0; round < 2; ++round) {
        if (count_broken(exec, probe, options) == 0) break;
        detail::mended_pieces const mends = choose_pieces(exec, probe, round);
        mended += reduce(exec, n, std::int64_t(0), detail::count_mended{mends}, plus{});
        for_each(exec, n, detail::strengthen_pivot<T>{probe, mends, unit, system.diagonal.data()});
        if (mends.longest > detail::examine_piece<T>::longest) break;
    }
    return mended;
}

#define COPPICE_TRIDIAGONAL_MENDER(EXTERN, EXECUTOR, T) EXTERN template class tridiagonal_mender<EXECUTOR, T>;
COPPICE_TRIDIAGONAL_MENDER(extern, host_executor, float)
COPPICE_TRIDIAGONAL_MENDER(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_TRIDIAGONAL_MENDER(extern, cuda_executor, float)
COPPICE_TRIDIAGONAL_MENDER(extern, cuda_executor, double)
#endif

} // namespace coppice
