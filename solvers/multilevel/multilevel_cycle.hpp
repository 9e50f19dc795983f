// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// V and W cycles over the levels of a multilevel method.
#pragma once

#include <variant>
#include <vector>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/semiring/spmv/inspect_nonzeros.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>
#include <coppice/solvers/multilevel/block_of_pattern.hpp>
#include <coppice/solvers/multilevel/direct_level.hpp>
#include <coppice/solvers/multilevel/level_coupling.hpp>
#include <coppice/solvers/multilevel/level_storage.hpp>
#include <coppice/solvers/multilevel/level_structure.hpp>
#include <coppice/solvers/multilevel/lower_levels.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// All levels, with matrices in S.
template <executor Executor, class T, class S, class I>
class multilevel_hierarchy {
public:
    /// `coupling`, if not null, couples the levels with those of other ranks; it must outlive the hierarchy.
    multilevel_hierarchy(Executor const& exec, csr_view<T, I> a, multilevel_options const& options,
                         near_null_space<T> const& near, level_coupling<Executor, T, I>* coupling = nullptr,
                         levels_above const& above = {});

    void refresh(Executor const& exec, csr_view<T, I> a);

    /// x = M^-1 b; b and x do not overlap.
    void apply(Executor const& exec, T const* b, T* x) const;
    /// x = M^-T b. The first call after a set-up or refresh transposes all levels; with a coupling it is collective.
    void apply_transpose(Executor const& exec, T const* b, T* x) const;
    multilevel_report const& report() const { return report_; }

private:
    static constexpr std::int64_t max_direct_rows = 400; ///< inverted if coarsening stalled
    /// Limit for a level that is fused with those below it: some 24 nonzeros per thread of a device.
    static constexpr std::int64_t max_lower_nonzeros = std::int64_t(3) << 20;
    /// Limit for the length of a row of such a level, because at most one warp sums a row.
    static constexpr I max_lower_row = 2048;

    bool direct() const { return report_.direct; }

    /// Copies the pattern, with sorted columns. Throws matrix_error for duplicate columns.
    void copy_pattern(Executor const& exec, csr_view<T, I> a, bool sorted) {
        if (sorted) {
            offsets_ = copy_of(exec, a.row_offsets());
            indices_ = copy_of(exec, a.column_indices());
            return;
        }
        buffer<I> numbers(exec, a.nonzeros());
        for_each(exec, numbers.size(), count_up<I>{numbers.data()});
        csr_view<I, I> const numbered{a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, numbers.data()};
        auto arrays = sort_columns(exec, numbered).release();
        offsets_ = std::move(arrays.offsets);
        indices_ = std::move(arrays.indices);
        order_ = std::move(arrays.values);
        require_sorted_columns(exec,
                               csr_view<T, I>{a.rows(), a.columns(), a.nonzeros(), offsets_.data(), indices_.data()},
                               "matrix of a multilevel method");
    }
    /// The matrix on that pattern; `values` stores the values if their order has changed.
    csr_view<T, I> in_sorted_order(Executor const& exec, csr_view<T, I> a, buffer<T>& values) const {
        a.offsets = offsets_.data();
        a.indices = indices_.data();
        if (order_.empty()) return a;
        values = buffer<T>(exec, a.nonzeros());
        for_each(exec, values.size(), take_source<T, I>{a.coefficients, order_.data(), values.data()});
        a.coefficients = values.data();
        return a;
    }

    void allocate(Executor const& exec, int depth) {
        auto const& level = structures_[depth];
        std::int64_t const n = level.a.rows();
        auto& storage = storages_.emplace_back();
        report_.direct = level.last && !coupling_ && n <= std::max<std::int64_t>(options_.coarsest, max_direct_rows) &&
                         report_.end != coarsening_end::nothing && n > 0;
        bool const together = level.last && solved_together_;
        if (!together || options_.cycle == multilevel_cycle::w) storage.a = buffer<S>(exec, level.a.nonzeros());
        bool const works = !level.last || !report_.direct;
        if (works && !together) storage.smoothed = buffer<T>(exec, n);
        if (!level.last) {
            storage.p = buffer<S>(exec, level.prolongator.nonzeros());
            storage.r = buffer<S>(exec, level.prolongator.nonzeros());
        }
        if (depth == 0) return;
        storage.b = buffer<T>(exec, n);
        storage.x = buffer<T>(exec, n);
        if (options_.cycle != multilevel_cycle::w || (level.last && report_.direct)) return;
        storage.second_b = buffer<T>(exec, n);
        storage.second_x = buffer<T>(exec, n);
    }

    /// Computes everything that depends on the values of a level; returns the values of the next level.
    level_values<T> fill(Executor const& exec, int depth, csr_view<T, I> a, bool inverted = false,
                         coupling_sums<T> const& others = {}, filtered_couplings<T> const& crossing = {}) {
        stopwatch watch(exec);
        auto& level = structures_[depth];
        auto& storage = storages_[depth];
        storage.scale = std::is_same_v<S, T> ? T(1) : T(level.last ? power_of_two_scale(exec, a) : level.scales.scale);
        for_each(exec, storage.a.size(), store_scaled<T, S>{a.coefficients, T(1) / storage.scale, storage.a.data()});
        if (level.last && direct()) {
            if (!inverted) direct_.fill(exec, a);
            report_.smoother_seconds += watch.lap();
            return {};
        }
        if (level.last && solved_together_) return {};
        level.smoother.fill(exec, a, level.plan, others);
        report_.smoother_seconds += watch.lap();
        if (level.last) return {};
        level_values<T> below = values_below(exec, level, a, crossing, coupling_);
        auto const& made = below.of_prolongator;
        for_each(exec, storage.p.size(), store_scaled<T, S>{made.transfer.p.data(), T(1), storage.p.data()});
        for_each(exec, storage.r.size(), store_scaled<T, S>{made.r.data(), T(1), storage.r.data()});
        report_.galerkin_seconds += watch.lap();
        return below;
    }

    /// The matrix of the next level; `values` are those of R A P.
    csr_view<T, I> next_matrix(Executor const& exec, level_structure<Executor, T, I> const& level,
                               buffer<T> const& values) {
        auto const& c = level.galerkin.second;
        csr_view<T, I> const next{c.product_rows(), c.columns,        c.nonzeros(),
                                  c.offsets.data(), c.indices.data(), values.data()};
        return coupling_ ? coupling_->add_coupling_terms(exec, next) : next;
    }

    /// Whether the steps of a level can be fused with those of the levels below it.
    bool can_fuse_lower_levels(Executor const& exec, int depth) {
        auto& level = structures_[depth];
        if (level.last || level.a.nonzeros() > max_lower_nonzeros || !level.smoother.diagonal()) return false;
        auto const p = level.prolongator.matrix(static_cast<S const*>(nullptr));
        auto const r = level.prolongator.transposed(static_cast<S const*>(nullptr));
        if (level.longest_row < 0)
            level.longest_row =
                reduce(exec, std::max<std::int64_t>(p.rows(), r.rows()), I(0),
                       longest_of_rows<I>{level.a.offsets, p.offsets, r.offsets, p.rows(), r.rows()}, maximum{});
        return level.longest_row <= max_lower_row;
    }
    /// Fills lower_ with all levels that can be fused, above a coarsest level that is solved directly. Called again if
    /// values change.
    void find_lower_levels(Executor const& exec) {
        lower_ = lower_cycle<T, S, I>{};
        if (coupling_ || options_.cycle != multilevel_cycle::v || !direct()) return;
        int const last = int(structures_.size()) - 1;
        first_lower_ = last;
        while (first_lower_ > 0 && last - first_lower_ < lower_.max_levels &&
               can_fuse_lower_levels(exec, first_lower_ - 1))
            --first_lower_;
        for (int depth = first_lower_; depth < last; ++depth) {
            auto& storage = storages_[depth];
            auto& below = storages_[depth + 1];
            auto const& level = structures_[depth];
            lower_.levels[lower_.count++] = {matrix(depth).a,
                                             level.prolongator.matrix(static_cast<S const*>(storage.p.data())),
                                             level.prolongator.transposed(static_cast<S const*>(storage.r.data())),
                                             storage.scale,
                                             level.smoother.diagonal(),
                                             storage.b.data(),
                                             storage.x.data(),
                                             storage.smoothed.data(),
                                             below.b.data(),
                                             below.x.data()};
        }
        lower_.inverse = direct_.inverse();
        lower_.last_rows = structures_.back().a.rows();
    }
    void solve_lower_levels(Executor const& exec, T const* b, T* x) const {
        auto cycle = lower_;
        cycle.levels[0].b = b;
        cycle.levels[0].x = x;
        run_lower_levels(exec, cycle);
    }

    void finish_report() {
        double rows = 0, nonzeros = 0;
        for (auto const& level : report_.levels) {
            rows += double(level.rows);
            nonzeros += double(level.nonzeros);
        }
        auto const& first = report_.levels.front();
        report_.grid_complexity = first.rows > 0 ? rows / double(first.rows) : 1;
        report_.operator_complexity = first.nonzeros > 0 ? nonzeros / double(first.nonzeros) : 1;
    }

    /// The matrices of a level, transposed: the cycle M^-T is that of A^T with R^T as the prolongator.
    struct transposed_level {
        detail::transposed_matrix<Executor, S, I> a{}, p{}, r{};
    };
    void solve_last(Executor const& exec, bool transposed, T const* b, T* x) const {
        if (!transposed) return direct_.solve(exec, b, x);
        transposed_inverse_.multiply(exec, direct_.inverse_matrix(structures_.back().a.rows()), b, store_value<T>{x});
    }

    level_matrix<T, S, I> matrix(int depth) const {
        auto const& level = structures_[depth];
        csr_view<S, I> const a{level.a.rows(),  level.a.columns(), level.a.nonzeros(),
                               level.a.offsets, level.a.indices,   storages_[depth].a.data()};
        return {a, &level.plan, storages_[depth].scale};
    }
    level_matrix<T, S, I> matrix(Executor const& exec, int depth, bool transposed) const {
        auto const a = matrix(depth);
        if (!transposed) return a;
        auto& stored = transposed_[std::size_t(depth)].a;
        return {stored.of(exec, a.a), &stored.plan(), a.scale, true};
    }
    level_matrix<T, S, I> prolongator(Executor const& exec, int depth, bool transposed) const {
        auto const& level = structures_[depth];
        auto const& storage = storages_[depth];
        if (!transposed) return {level.prolongator.matrix(storage.p.data()), &level.p_plan};
        auto& stored = transposed_[std::size_t(depth)].p;
        return {stored.of(exec, level.prolongator.transposed(storage.r.data())), &stored.plan()};
    }
    level_matrix<T, S, I> restriction(Executor const& exec, int depth, bool transposed) const {
        auto const& level = structures_[depth];
        auto const& storage = storages_[depth];
        if (!transposed) return {level.prolongator.transposed(storage.r.data()), &level.r_plan};
        auto& stored = transposed_[std::size_t(depth)].r;
        return {stored.of(exec, level.prolongator.matrix(storage.p.data())), &stored.plan()};
    }

    /// One cycle for A x = b on a level, with initial guess zero.
    void cycle(Executor const& exec, int depth, T const* b, T* x, bool transposed = false) const {
        auto const& level = structures_[depth];
        if (!transposed && lower_.count > 0 && depth == first_lower_) return solve_lower_levels(exec, b, x);
        if (level.last && direct()) return solve_last(exec, transposed, b, x);
        if (level.last && solved_together_) return coupling_->solve(exec, b, x, transposed);
        T* const smoothed = storages_[depth].smoothed.data();
        auto const a = matrix(exec, depth, transposed);
        if (coupling_ && level.smoother.needs_couplings())
            level.smoother.begin(exec, a, b, smoothed, couplings_of_level(depth, transposed));
        else
            level.smoother.begin(exec, a, b, smoothed);
        if (!level.last) correct(exec, depth, a, b, smoothed, x);
        for (int step = level.last ? last_steps : 0; step > 0; --step) { // forwards and backwards alternately
            improve(exec, depth, a, b, smoothed, x);
            improve(exec, depth, a, b, x, smoothed, true);
        }
        improve(exec, depth, a, b, smoothed, x);
    }
    /// r -= K x_outer on a level.
    auto couplings_of_level(int depth, bool transposed) const {
        return [this, depth, transposed](Executor const& exec, T const* x, T* r) {
            coupling_->start(exec, depth, x, transposed);
            coupling_->subtract(exec, depth, r, nullptr, transposed);
        };
    }
    /// to = x + B (b - A x); overwrites x.
    void improve(Executor const& exec, int depth, level_matrix<T, S, I> const& a, T const* b, T* x, T* to,
                 bool forwards = false) const {
        auto const& smoother = structures_[depth].smoother;
        if (!coupling_) return smoother.improve(exec, a, b, x, to, forwards);
        if (smoother.needs_couplings())
            return smoother.improve(exec, a, b, x, to, forwards, couplings_of_level(depth, a.transposed));
        coupling_->start(exec, depth, x, a.transposed);
        if (T const* const diagonal = smoother.diagonal()) {
            smoother.improve(exec, a, b, x, to, forwards);
            coupling_->subtract(exec, depth, to, diagonal, a.transposed);
        } else {
            smoother.improve(exec, a, coupling_->without_couplings(exec, depth, b, a.transposed), x, to, forwards);
        }
    }
    /// r = b - A x
    void compute_residual(Executor const& exec, int depth, level_matrix<T, S, I> const& a, T const* b, T const* x,
                          T* r) const {
        if (coupling_) coupling_->start(exec, depth, x, a.transposed);
        a.multiply(exec, x, store_residual<T>{a.scale, b, r});
        if (coupling_) coupling_->subtract(exec, depth, r, nullptr, a.transposed);
    }
    /// smoothed += P A_c^-1 P^T (b - A smoothed), with one cycle or two; `residual` is scratch.
    void correct(Executor const& exec, int depth, level_matrix<T, S, I> const& a, T const* b, T* smoothed,
                 T* residual) const {
        auto const& level = structures_[depth];
        auto& below = storages_[depth + 1];
        T *const coarse_b = below.b.data(), *const coarse_x = below.x.data();
        compute_residual(exec, depth, a, b, smoothed, residual);
        auto const r = restriction(exec, depth, a.transposed), p = prolongator(exec, depth, a.transposed);
        auto const transfer = [&]<class Store>(level_matrix<T, S, I> const& m, T const* x, Store const& store) {
            if (level.prolongator.has_ones())
                for_each(exec, m.a.rows(), sum_gathered<T, I, Store>{m.a.offsets, m.a.indices, x, store});
            else
                m.multiply(exec, x, store);
        };
        bool const crosses = coupling_ && coupling_->crosses(depth);
        if (crosses) coupling_->start(exec, depth, residual, false);
        transfer(r, residual, store_value<T>{coarse_b});
        if (crosses) coupling_->add_restricted(exec, depth, coarse_b);
        cycle(exec, depth + 1, coarse_b, coarse_x, a.transposed);
        if (options_.cycle == multilevel_cycle::w && !(structures_[depth + 1].last && direct())) {
            T *const again = below.second_b.data(), *const step = below.second_x.data();
            auto const c = matrix(exec, depth + 1, a.transposed);
            compute_residual(exec, depth + 1, c, coarse_b, coarse_x, again);
            cycle(exec, depth + 1, again, step, a.transposed);
            for_each(exec, below.second_b.size(), add_vectors<T>{coarse_x, step, coarse_x});
        }
        if (crosses) coupling_->start(exec, depth + 1, coarse_x, false);
        transfer(p, coarse_x, store_added<T>{smoothed});
        if (crosses) coupling_->add_prolonged(exec, depth, smoothed);
    }

    static constexpr int last_steps = 4; ///< pairs of sweeps on the last level if it is not solved directly

    multilevel_options options_;
    level_coupling<Executor, T, I>* coupling_;
    bool solved_together_ = false;    ///< by the coupling, for all ranks together
    buffer<I> offsets_{}, indices_{}; ///< of the first level
    buffer<I> order_{}; ///< offset of each value in the values of the caller; empty if the order is the same
    std::vector<level_structure<Executor, T, I>> structures_{};
    mutable std::vector<level_storage<T, S>> storages_{}; ///< work space of apply()
    direct_level<Executor, T, I> direct_{};
    lower_cycle<T, S, I> lower_{}; ///< levels from first_lower_ on, if any
    int first_lower_ = 0;
    multilevel_report report_{};
    mutable std::vector<transposed_level> transposed_{}; ///< empty until apply_transpose()
    mutable detail::transposed_matrix<Executor, T, I> transposed_inverse_{};
};

template <executor Executor, class T, class S, class I>
multilevel_hierarchy<Executor, T, S, I>::multilevel_hierarchy(Executor const& exec, csr_view<T, I> a,
                                                              multilevel_options const& options,
                                                              near_null_space<T> const& near,
                                                              level_coupling<Executor, T, I>* coupling,
                                                              levels_above const& above)
    : options_(options), coupling_(coupling) {
    level_modes<T> modes = first_modes(exec, near, a.rows());
    nonzero_flags const found = inspect_nonzeros(exec, a);
    if (found.any(nonzero_flags::not_finite)) require_finite(exec, a);
    bool const sorted = !found.any(nonzero_flags::unsorted);
    copy_pattern(exec, a, sorted);
    buffer<T> values;
    a = in_sorted_order(exec, a, values);
    symmetry const mirrored =
        sorted ? symmetry{found.symmetric_pattern(), !found.any(nonzero_flags::unequal)} : symmetry_of(exec, a);
    constexpr double tolerance = symmetry_tolerance<T>;
    bool symmetric =
        above.symmetric || (mirrored.pattern && (mirrored.values || asymmetry_of(exec, a, tolerance) <= tolerance));
    if (coupling_) symmetric = coupling_->agreed_symmetry(exec, a, symmetric);
    if (modes.block == 0) {
        modes.block = symmetric ? block_of_pattern(exec, a) : 1;
        if (coupling_) modes.block = coupling_->agreed_block(a.rows(), modes.block);
    }
    report_.block = modes.block;
    bool const chooses_last = options_.coarsest == 0 && !coupling_;
    if (options_.coarsest == 0) options_.coarsest = multilevel_options::usual_coarsest;
    for (int depth = 0;; ++depth) {
        auto& level = structures_.emplace_back();
        bool const inverted = chooses_last && depth > 0 && a.rows() > options_.coarsest &&
                              a.rows() <= direct_.max_chosen && direct_.eliminate(exec, a);
        if (inverted) options_.coarsest = int(a.rows());
        if (coupling_ && coupling_->ends()) options_.max_levels = depth + 1;
        auto const others = coupling_ ? coupling_->row_sums(exec) : coupling_sums<T>{};
        auto const crossing =
            coarsen_level(exec, level, a, depth, symmetric, options_, above, modes, report_, others, coupling_);
        if (coupling_ && level.last)
            solved_together_ = coupling_->finish(exec, a, modes, smoothed_levels(report_, above));
        allocate(exec, depth);
        level_values<T> below = fill(exec, depth, a, inverted, others, crossing);
        if (level.last) break;
        a = next_matrix(exec, level, below.next);
        values = std::move(below.next);
    }
    find_lower_levels(exec);
    finish_report();
}

template <executor Executor, class T, class S, class I>
void multilevel_hierarchy<Executor, T, S, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    transposed_.clear();
    transposed_inverse_.clear();
    buffer<T> values;
    a = in_sorted_order(exec, a, values);
    for (int depth = 0; depth < int(structures_.size()); ++depth) {
        auto& level = structures_[depth];
        auto const others = coupling_ ? coupling_->row_sums(exec) : coupling_sums<T>{};
        if (!level.last) level.scales = compute_row_scales(exec, a, level.plan, others);
        auto const crossing = coupling_ && !level.last ? coupling_->refilter(exec) : filtered_couplings<T>{};
        if (level.last && solved_together_) coupling_->refresh_last(exec, a);
        level_values<T> below = fill(exec, depth, a, false, others, crossing);
        if (level.last) break;
        a = next_matrix(exec, level, below.next);
        values = std::move(below.next);
    }
    find_lower_levels(exec);
}

template <executor Executor, class T, class S, class I>
void multilevel_hierarchy<Executor, T, S, I>::apply(Executor const& exec, T const* b, T* x) const {
    cycle(exec, 0, b, x);
}

template <executor Executor, class T, class S, class I>
void multilevel_hierarchy<Executor, T, S, I>::apply_transpose(Executor const& exec, T const* b, T* x) const {
    if (transposed_.empty()) {
        if (coupling_) coupling_->transpose(exec);
        transposed_.resize(structures_.size());
    }
    cycle(exec, 0, b, x, true);
}

} // namespace coppice::inline v0_1::multilevel_detail
