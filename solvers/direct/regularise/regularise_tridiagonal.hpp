// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Regularisation of tridiagonal systems in preconditioners.
#pragma once

#include <cmath>
#include <limits>

#include <coppice/algebra/transform.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>
#include <coppice/solvers/direct/regularise/regularise_lane.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>

namespace coppice::inline v0_1 {

/// Regularises tridiagonal systems that are singular or nearly singular, so that the solution is finite for every
/// finite right-hand side: shifts the diagonal entries of singular pieces until they exceed the sum of the other
/// entries in their rows. Owns its memory; a second call for the same size allocates nothing.
template <executor Executor, class T>
class tridiagonal_regulariser {
public:
    /// Returns the number of regularised rows; 0, the usual result, means that nothing was changed. If the system is
    /// diagonally dominant, this takes one pass over its rows; otherwise two solves, and a separate test of each piece
    /// of up to 1024 rows that may be singular. Host and CUDA find the same pieces unless one is at the limit of
    /// working precision. Waits. Does not change systems with entries that are not finite, nor systems of more than
    /// 2^31 - 2 rows.
    ///
    /// `whole`: the system is the whole matrix of the user. Then it is regularised only if it has no finite solution,
    /// or if all rows or all columns of a piece sum to zero up to rounding, and not if it is nearly singular.
    std::int64_t regularise(Executor const& exec, tridiagonal<T>& system, tridiagonal_options const& options,
                            bool whole);
    /// Regularises a system whose diagnostics are given.
    std::int64_t regularise(Executor const& exec, tridiagonal<T>& system, tridiagonal_options const& options,
                            bool whole, detail::system_diagnostics const& diagnostics);

private:
    void take_memory(Executor const& exec, std::int64_t n);
    detail::regularised_pieces choose_pieces(Executor const& exec, detail::tridiagonal_probe<T> const& probe,
                                             int round);

    tridiagonal<T> copy_{};
    buffer<T> rhs_{}, solution_{};
    detail::flagged_pieces<Executor> pieces_{};
    buffer<std::byte> workspace_{};
};

template <executor Executor, class T>
void tridiagonal_regulariser<Executor, T>::take_memory(Executor const& exec, std::int64_t n) {
    if (copy_.size() == n) return;
    copy_ = tridiagonal<T>(exec, n);
    rhs_ = buffer<T>(exec, n);
    solution_ = buffer<T>(exec, n);
    pieces_.resize(exec, n);
    workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
}

/// Selects the pieces to regularise. In the first round these are only pieces that were tested separately, if there are
/// any, since they may cause longer pieces to break.
template <executor Executor, class T>
detail::regularised_pieces
tridiagonal_regulariser<Executor, T>::choose_pieces(Executor const& exec, detail::tridiagonal_probe<T> const& probe,
                                                    int round) {
    std::int64_t const pieces = pieces_.find(exec, detail::begins_piece<T>{probe.a});
    pieces_.count(exec);
    detail::examine_piece<T> const examine{probe, pieces_.starts(), pieces_.flags_before(), pieces_.flags()};
    for_each(exec, pieces, examine);
    if (probe.cancellation == 0) pieces_.flag_vanishing(exec, detail::vanishing_sum<T>{probe.a});
    pieces_.count(exec);
    bool const alone =
        round == 0 && reduce(exec, pieces, std::int64_t(0), detail::breaks_alone<T>{examine}, plus{}) > 0;
    return alone ? pieces_.flagged(detail::examine_piece<T>::longest) : pieces_.flagged();
}

template <executor Executor, class T>
std::int64_t tridiagonal_regulariser<Executor, T>::regularise(Executor const& exec, tridiagonal<T>& system,
                                                              tridiagonal_options const& options, bool whole) {
    return regularise(exec, system, options, whole,
                      reduce(exec, system.size(), detail::system_diagnostics{0, 1},
                             detail::row_diagnostics<T>{system.view()}, detail::worse_diagnostics{}));
}

template <executor Executor, class T>
std::int64_t tridiagonal_regulariser<Executor, T>::regularise(Executor const& exec, tridiagonal<T>& system,
                                                              tridiagonal_options const& options, bool whole,
                                                              detail::system_diagnostics const& diagnostics) {
    std::int64_t const n = system.size();
    if (diagnostics.dominant != 0 || !std::isfinite(diagnostics.largest) ||
        n >= std::numeric_limits<std::int32_t>::max())
        return 0;
    double const typical = diagnostics.largest > 0 ? std::ldexp(1.0, std::ilogb(diagnostics.largest)) : 1.0;
    take_memory(exec, n);
    detail::tridiagonal_probe<T> const probe{
        system.view(),      1 / typical,           whole ? 0.0 : 16 * double(std::numeric_limits<T>::epsilon()),
        copy_.lower.data(), copy_.diagonal.data(), copy_.upper.data(),
        rhs_.data(),        solution_.data()};
    std::int64_t regularised = 0;
    for (int round = 0; round < 2; ++round) {
        std::int64_t broken = detail::flag_broken_rows(exec, n, probe, pieces_.flags(), [&] {
            solve_tridiagonal_by_rpts(exec, copy_.view(), rhs_.view(), solution_.view(), workspace_.view(), options);
        });
        if (whole && broken == 0) broken = count_vanishing(exec, n, detail::vanishing_sum<T>{probe.a});
        if (broken == 0) break;
        detail::regularised_pieces const selected = choose_pieces(exec, probe, round);
        regularised += reduce(exec, n, std::int64_t(0), detail::count_regularised{selected}, plus{});
        for_each(exec, n, detail::strengthen_pivot<T>{probe, selected, typical, system.diagonal.data()});
        if (selected.longest > detail::examine_piece<T>::longest) break;
    }
    return regularised;
}

#define COPPICE_TRIDIAGONAL_REGULARISER(T, prefix, Executor) prefix class tridiagonal_regulariser<Executor, T>;
COPPICE_EXTERN_TEMPLATES(COPPICE_REAL_TYPES, COPPICE_TRIDIAGONAL_REGULARISER)

} // namespace coppice::inline v0_1
