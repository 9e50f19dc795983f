// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// HBISA for all executors; instantiated in hbisa.cpp and hbisa.cu.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/core/memory_range.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/solvers/queueing/hbisa.hpp>
#include <coppice/solvers/queueing/resident_solve.hpp>
#include <coppice/solvers/queueing/scaled_systems.hpp>

namespace coppice::inline v0_1 {
namespace detail {

inline void require_hbisa_options(hbisa_options const& o) {
    if (!(o.tolerance >= 0) || std::isinf(o.tolerance))
        throw argument_error("tolerance is " + coppice::detail::number_text(o.tolerance) + ", expected a number >= 0");
    if (o.max_iterations < 0)
        throw argument_error("max_iterations is " + std::to_string(o.max_iterations) + ", expected >= 0");
    if (o.resident_bytes < -1)
        throw argument_error("resident_bytes is " + std::to_string(o.resident_bytes) + ", expected at least -1");
    if (o.systems < 1) throw argument_error("systems is " + std::to_string(o.systems) + ", expected at least 1");
}
template <class T, class I>
void require_whole_systems(block_hybrid<T, I> const& a, std::int64_t systems) {
    if (systems > 1 && (a.rows() % systems != 0 || a.rows() / systems % a.block() != 0))
        throw dimension_error("a batch of " + std::to_string(systems) + " systems in " + std::to_string(a.rows()) +
                              " rows does not consist of whole blocks of " + std::to_string(a.block()) + " rows");
}

template <class T>
struct random_start {
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const {
        x[i] = T(random_stream(0, 11).uniform(std::uint64_t(i), 0.5, 1.0));
    }
};
template <class T>
struct scaled_by {
    double factor;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] = T(double(x[i]) * factor); }
};
template <class T>
struct largest_of {
    T const* x;
    COPPICE_HD double operator()(std::int64_t i) const { return x[i] < T(0) ? -double(x[i]) : double(x[i]); }
};

inline hbisa_result result_of(hbisa_state const& s) {
    hbisa_result r;
    r.iterations = s.iterations;
    r.relative_residual = s.end == hbisa_end::not_finite && s.iterations == 0 ? s.residual : s.best;
    r.contraction = s.contraction;
    if (r.contraction == 0 && s.iterations > 0 && s.began > 0)
        r.contraction = std::pow(s.residual / s.began, 1.0 / double(s.iterations));
    constexpr hbisa_reason reasons[] = {hbisa_reason::max_iterations, hbisa_reason::converged,
                                        hbisa_reason::zero_rhs,       hbisa_reason::max_iterations,
                                        hbisa_reason::stagnated,      hbisa_reason::not_finite};
    r.reason = reasons[int(s.end)];
    r.converged = r.reason == hbisa_reason::converged || r.reason == hbisa_reason::zero_rhs;
    return r;
}

} // namespace detail

template <executor Executor, class T, class I>
hbisa<Executor, T, I>::hbisa(Executor const& exec, csr_view<T, I> a, hbisa_options const& options)
    : options_(options), matrix_(to_block_hybrid(exec, a, options.storage)), squares_(exec, matrix_.rows()),
      block_sums_(exec, matrix_.blocks()), best_(exec, matrix_.rows()) {
    detail::require_hbisa_options(options);
    detail::require_whole_systems(matrix_, options.systems);
    detail::require_finite(exec, a);
    std::int64_t const step = options.sweep == block_sweep::jacobi ? 1 : 2;
    std::int64_t const in_system = matrix_.blocks() / options.systems;
    for (std::int64_t first = 0; first < step; ++first)
        ranges_.emplace_back(exec, matrix_,
                             detail::block_rows{matrix_.block(), in_system, first, step, options.systems},
                             options.storage.lenient);
    resident_ = detail::resident_sweeps<Executor, T>(exec, matrix_, options.systems, int(step), options.resident_bytes);
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    detail::require_finite(exec, a);
    matrix_.refill(exec, a);
    transposed_couplings_.clear();
    for (auto& range : ranges_) range.refresh(exec, matrix_);
    resident_.refresh(exec, matrix_);
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::sweep_range(Executor const& exec, std::size_t r, T const* b, T const* seen, T* x,
                                        detail::hbisa_state const* states) const {
    auto const& range = ranges_[r];
    std::int64_t const in_system = std::max<std::int64_t>(size() / options_.systems, 1);
    for_each(exec, range.rows().rows(),
             detail::range_rhs<T, I>{matrix_.view(), range.rows(), b, seen, range.rhs(), in_system, states});
    range.solve(exec);
    for_each(exec, range.rows().rows(), detail::take_range<T>{range.rows(), size(), in_system, states, range.rhs(), x});
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::iterate(Executor const& exec, T const* b, T* x, detail::hbisa_state* states,
                                    loop_switch* loop) const {
    std::int64_t const systems = options_.systems, in_system = size() / systems;
    for_each(exec, size(), detail::residual_square<T, I>{matrix_.view(), b, x, squares_.data()});
    for_each(exec, matrix_.blocks(),
             detail::sum_of_block{size(), matrix_.block(), squares_.data(), block_sums_.data()});
    detail::sum_of_system const sum{matrix_.blocks() / systems, block_sums_.data()};
    for_each(exec, systems, detail::decide_system{sum, options_.tolerance, options_.max_iterations, states});
    for_each(exec, 1, detail::end_loop{systems, states, loop});
    for_each(exec, size(), detail::save_best<T>{in_system, states, x, best_.data()});
    for (std::size_t r = 0; r < ranges_.size(); ++r) sweep_range(exec, r, b, x, x, states);
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::sweep_by_passes(Executor const& exec, T const* b, T* x, detail::hbisa_state* states) const {
    std::int64_t const systems = options_.systems;
    buffer<loop_switch> loop(exec, 1);
    loop_switch const on{.on = 1};
    exec.copy_elements(&on, loop.data(), 1);
    for_each(exec, size(), detail::element_square<T>{b, squares_.data()});
    for_each(exec, matrix_.blocks(),
             detail::sum_of_block{size(), matrix_.block(), squares_.data(), block_sums_.data()});
    for_each(exec, systems, detail::begin_system{{matrix_.blocks() / systems, block_sums_.data()}, states});
    repetition<Executor> repeat(exec);
    repeat.run(loop.data(), {.replayable = true}, [&] { iterate(exec, b, x, states, loop.data()); }, {});
    for_each(exec, size(), detail::return_best<T>{size() / systems, states, best_.data(), x});
}

template <executor Executor, class T, class I>
std::vector<hbisa_result> hbisa<Executor, T, I>::solve(Executor const& exec, array_view<T const> b,
                                                       array_view<T> x) const {
    require_size("length of the right-hand side b", b, size());
    require_size("length of the solution x", x, size());
    auto const use = user_.enter("this hbisa");
    require_no_overlap(range_of("right-hand side b", b), range_of("solution x", x));
    std::int64_t const systems = options_.systems;
    std::vector<hbisa_result> results;
    if (size() == 0) {
        results.assign(std::size_t(systems), {.converged = true, .reason = hbisa_reason::zero_rhs});
        return results;
    }
    buffer<detail::hbisa_state> states(exec, systems);
    auto const run = [&](T const* right, T* solution) {
        if (resident_members() > 0)
            resident_.run(exec, right, solution, options_.tolerance, options_.max_iterations, states.data());
        else
            sweep_by_passes(exec, right, solution, states.data());
    };
    detail::scaled_systems<Executor, T> scaled(exec, b, x, systems, matrix_.block(), block_sums_.view());
    if (scaled.any()) {
        run(scaled.right(), scaled.solution());
        scaled.finish(exec, x, states.data());
    } else {
        run(b.data(), x.data());
    }

    bool stuck = false;
    for (auto const& state : to_vector(exec, states)) {
        results.push_back(detail::result_of(state));
        stuck |= results.back().reason == hbisa_reason::stagnated;
    }
    double const radius = stuck ? spectral_radius(exec) : 0;
    for (auto& r : results) {
        if (r.reason != hbisa_reason::stagnated) continue;
        r.spectral_radius = radius;
        if (radius >= 1 - 1e-6) r.reason = hbisa_reason::spectral_radius;
    }
    return results;
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::smooth(Executor const& exec, array_view<T const> b, array_view<T> x, std::int64_t sweeps,
                                   bool symmetric) const {
    require_size("length of the right-hand side b", b, size());
    require_size("length of the solution x", x, size());
    auto const use = user_.enter("this hbisa");
    for (std::int64_t s = 0; s < sweeps; ++s) sweep(exec, b.data(), x.data(), symmetric);
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::sweep(Executor const& exec, T const* b, T* x, bool symmetric) const {
    for (std::size_t r = 0; r < ranges_.size(); ++r) sweep_range(exec, r, b, x, x, nullptr);
    if (symmetric && ranges_.size() > 1) sweep_range(exec, 0, b, x, x, nullptr);
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::smooth_transposed(Executor const& exec, array_view<T const> b, array_view<T> x,
                                              std::int64_t sweeps, bool symmetric) const {
    require_size("length of the right-hand side b", b, size());
    require_size("length of the solution x", x, size());
    auto const use = user_.enter("this hbisa");
    auto view = matrix_.view();
    view.couplings = transposed_couplings_.of(exec, view.couplings);
    std::int64_t const in_system = std::max<std::int64_t>(size() / options_.systems, 1);
    auto const update = [&](std::size_t r, T const* seen) {
        auto const& range = ranges_[r];
        for_each(exec, range.rows().rows(), detail::range_rhs<T, I>{view, range.rows(), b.data(), seen, range.rhs()});
        range.solve_transposed(exec);
        for_each(exec, range.rows().rows(),
                 detail::take_range<T>{range.rows(), size(), in_system, nullptr, range.rhs(), x.data()});
    };
    if (sweeps == 0)
        for (std::size_t r = 0; r < ranges_.size(); ++r) update(r, nullptr);
    for (std::int64_t s = 0; s < sweeps; ++s) {
        if (symmetric && ranges_.size() > 1) update(0, x.data());
        for (std::size_t r = ranges_.size(); r-- > 0;) update(r, x.data());
    }
}

template <executor Executor, class T, class I>
void hbisa<Executor, T, I>::solve_blocks(Executor const& exec, array_view<T const> b, array_view<T> x) const {
    require_size("length of the right-hand side b", b, size());
    require_size("length of the solution x", x, size());
    auto const use = user_.enter("this hbisa");
    for (std::size_t r = 0; r < ranges_.size(); ++r) sweep_range(exec, r, b.data(), nullptr, x.data(), nullptr);
}

template <executor Executor, class T, class I>
double hbisa<Executor, T, I>::growth(Executor const& exec, bool symmetric) const {
    auto const use = user_.enter("this hbisa");
    for_each(exec, size(), detail::random_start<T>{best_.data()});
    sweep(exec, nullptr, best_.data(), symmetric);
    double const largest = reduce(exec, size(), 0.0, detail::largest_of<T>{best_.data()}, maximum{});
    return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

template <executor Executor, class T, class I>
double hbisa<Executor, T, I>::spectral_radius(Executor const& exec) const {
    auto const use = user_.enter("this hbisa");
    // The eigenvalues of D^-1 (L + U) are pairs of opposite signs, so growth is measured over an even number of sweeps;
    // the eigenvalues of a Gauss-Seidel sweep are their squares.
    constexpr int sweeps = 8, rounds = 50;
    if (size() == 0 || matrix_.couplings().nonzeros() == 0) return 0;
    buffer<T> v(exec, size());
    for_each(exec, size(), detail::random_start<T>{v.data()});
    double const power = 1.0 / (sweeps * double(ranges_.size()));
    double radius = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int s = 0; s < sweeps; ++s) sweep(exec, nullptr, v.data(), false);
        double const growth = reduce(exec, size(), 0.0, detail::largest_of<T>{v.data()}, maximum{});
        if (!std::isfinite(growth)) return std::numeric_limits<double>::infinity();
        if (growth == 0) return 0;
        for_each(exec, size(), detail::scaled_by<T>{1 / growth, v.data()});
        double const before = radius;
        radius = std::pow(growth, power);
        if (round > 1 && std::abs(radius - before) <= 1e-9 * radius) break;
    }
    return radius;
}

} // namespace coppice::inline v0_1
