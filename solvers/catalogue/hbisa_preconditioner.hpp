// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Block sweeps as a preconditioner: HBISA (hybrid banded iterative solution algorithm) with initial guess z = 0.
#pragma once

#include <algorithm>
#include <vector>

#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/one_level/diagonal.hpp>
#include <coppice/solvers/queueing/hbisa.hpp>

namespace coppice::inline v0_1 {

struct hbisa_preconditioner_options {
    /// Rows of a block. 0: the size for which the matrix is block tridiagonal, or 64 if there is none.
    std::int64_t block = 0;
    block_sweep sweep = block_sweep::jacobi;
    bool symmetric = false; ///< after each sweep of Gauss-Seidel, update the even blocks again
    int steps = 1;          ///< number of sweeps
};

/// Computes z by a number of HBISA sweeps from z = 0, over tridiagonal blocks that contain the entries of A inside
/// their band; all other entries of A couple the blocks. Symmetric if A is, except for Gauss-Seidel without
/// `symmetric`. Singular or nearly singular blocks are regularised. If the sweeps diverge, fewer are executed, at least
/// a solve with the blocks, so that finite vectors stay finite; the report contains the number. Uses workspace of the
/// object: one solve at a time. Throws matrix_error for values that are not finite, argument_error if a block is larger
/// than the matrix.
template <executor Executor, class T, class I = std::int32_t>
class hbisa_preconditioner {
public:
    hbisa_preconditioner(Executor const& exec, csr_view<T, I> a, hbisa_preconditioner_options const& options)
        : pattern_(exec, a), options_(options), sweeps_(make(exec, a, options)) {
        choose_steps(exec);
    }

    /// Reads a matrix with the pattern of the first one and new values.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        pattern_.require_same_pattern(exec, a);
        sweeps_.refresh(exec, a);
        choose_steps(exec);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, pattern_.size().rows);
        require_size("z of a preconditioner", z, pattern_.size().rows);
        if (taken_ == 0 || options_.sweep == block_sweep::jacobi) {
            sweeps_.solve_blocks(exec, r, z);
            sweeps_.smooth(exec, r, z, std::max(taken_ - 1, 0));
            return;
        }
        fill(exec, z, T(0));
        sweeps_.smooth(exec, r, z, taken_, options_.symmetric);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, pattern_.size().rows);
        require_size("z of a preconditioner", z, pattern_.size().rows);
        bool const from_blocks = taken_ == 0 || options_.sweep == block_sweep::jacobi;
        if (from_blocks) sweeps_.smooth_transposed(exec, r, z, 0);
        if (from_blocks && taken_ < 2) return;
        if (!from_blocks) fill(exec, z, T(0));
        sweeps_.smooth_transposed(exec, r, z, from_blocks ? taken_ - 1 : taken_, options_.symmetric);
    }
    bool replayable() const { return true; }
    std::vector<finding> findings() const {
        auto const& m = sweeps_.matrix();
        double const all = double(pattern_.size().nonzeros > 0 ? pattern_.size().nonzeros : 1);
        return {{"block", finding_unit::count, double(m.block())},
                {"couplings", finding_unit::fraction, double(m.couplings().nonzeros()) / all},
                {"sweeps_taken", finding_unit::count, double(taken_)},
                {"mended_rows", finding_unit::count, double(sweeps_.regularised_rows())}};
    }

private:
    static hbisa<Executor, T, I> make(Executor const& exec, csr_view<T, I> a, hbisa_preconditioner_options const& o) {
        require_square(a, "a preconditioner");
        return {
            exec,
            a,
            {.sweep = o.sweep, .storage = {.block = o.block, .max_bands = 1, .lenient = true}, .resident_bytes = 0}};
    }

    void choose_steps(Executor const& exec) {
        taken_ = options_.steps;
        if (taken_ == 1 && options_.sweep == block_sweep::jacobi) return;
        double const growth = sweeps_.growth(exec, options_.symmetric);
        taken_ = growth > 1e12 ? 0 : detail::fitting_steps(growth, taken_);
    }

    detail::pattern_fingerprint pattern_;
    int taken_ = 1;
    hbisa_preconditioner_options options_;
    hbisa<Executor, T, I> sweeps_;
};

namespace detail {

inline constexpr option_row hbisa_option_rows[] = {
    {.name = "block",
     .standard = "0",
     .meaning = "rows of a block; 0: detected, or 64 if no size makes the matrix block tridiagonal",
     .min = 0,
     .max = 2147483647},
    {.name = "order",
     .kind = option_kind::choice,
     .standard = "jacobi",
     .meaning = "order of the blocks: simultaneous; even, odd; or even, odd, even",
     .choices = {"jacobi", "gauss-seidel", "symmetric"}},
    {.name = "sweeps",
     .standard = "1",
     .meaning = "number of sweeps over all blocks, from z = 0",
     .min = 1,
     .max = 1000}};

} // namespace detail

struct hbisa_entry {
    static constexpr preconditioner_row row{.name = "hbisa",
                                            .matrix = "sweeps over tridiagonal blocks, solved directly",
                                            .setup = "a factorisation of the blocks",
                                            .suits = "block tridiagonal matrices with dominant blocks: QBD chains",
                                            .compared = false,
                                            .options = detail::hbisa_option_rows};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        int const order = int(o.choice("order"));
        return hbisa_preconditioner<Executor, T, I>(
            exec, a,
            {.block = o.integer("block"),
             .sweep = order == 0 ? block_sweep::jacobi : block_sweep::gauss_seidel,
             .symmetric = order == 2,
             .steps = int(o.integer("sweeps"))});
    }
};

} // namespace coppice::inline v0_1
