// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The diagonal blocks of a range of block rows, factorised once and solved often.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/solvers/direct/band_factor.hpp>
#include <coppice/solvers/precondition/mend_tridiagonal.hpp>

namespace coppice::detail {

/// Every `step`-th block row of each system of a batch, from `first` on. Its rows are numbered through.
struct block_rows {
    std::int64_t block = 1;     ///< rows of a block
    std::int64_t in_system = 0; ///< blocks of a system
    std::int64_t first = 0, step = 1;
    std::int64_t systems = 1;

    COPPICE_HD std::int64_t of_system() const { return first < in_system ? (in_system - first - 1) / step + 1 : 0; }
    COPPICE_HD std::int64_t blocks() const { return systems * of_system(); }
    COPPICE_HD std::int64_t rows() const { return blocks() * block; }
    /// The row of the matrix, with its blocks filled up, that row q of the range is.
    COPPICE_HD std::int64_t row(std::int64_t q) const {
        std::int64_t const b = q / block, system = b / of_system();
        return (system * in_system + first + (b - system * of_system()) * step) * block + (q - b * block);
    }
};

template <class T>
struct gather_bands {
    block_rows range;
    T const* bands;
    std::int64_t band_count, padded;
    T* to;
    COPPICE_HD void operator()(std::int64_t q) const {
        std::int64_t const row = range.row(q);
        for (std::int64_t d = 0; d < band_count; ++d) to[d * range.rows() + q] = bands[d * padded + row];
    }
};
struct first_singular {
    std::int64_t const* rows;
    std::int64_t block, none;
    COPPICE_HD std::int64_t operator()(std::int64_t b) const { return rows[b] < 0 ? none : b * block + rows[b]; }
};
struct lesser {
    COPPICE_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b < a ? b : a; }
};

/// The blocks of a range on an executor.
template <executor Executor, class T>
class block_range {
public:
    /// Copies and factorises the blocks. Where they may be mended (tridiagonal ones only), `mended` grows by the number
    /// of rows that were; else throws matrix_error for a singular block. Waits.
    template <class I>
    block_range(Executor const& exec, block_hybrid<T, I> const& a, block_rows range, std::int64_t* mended = nullptr)
        : range_(range), lower_(a.lower_bands()), upper_(a.upper_bands()),
          bands_(exec, range.rows() * (lower_ + upper_ + 1)), right_(exec, range.rows()) {
        if (range.rows() == 0) return;
        for_each(exec, range.rows(),
                 gather_bands<T>{range, a.bands().data(), lower_ + upper_ + 1, a.view().padded_rows(), bands_.data()});
        if (mended) *mended += mend(exec);
        buffer<std::int64_t> singular(exec, matrix().systems);
        factor_ = buffer<std::byte>(exec, bands_factor_bytes(exec, matrix()));
        workspace_ = buffer<std::byte>(exec, factored_workspace(exec, matrix(), 1));
        factorise_bands(exec, matrix(), factor_.view(), {}, singular.view());
        std::int64_t const none = range.rows();
        std::int64_t const q = reduce(exec, singular.size(), none,
                                      first_singular{singular.data(), one_system() ? 0 : range.block, none}, lesser{});
        if (q < none && !mended)
            throw matrix_error("diagonal block " + std::to_string(range.row(q) / range.block) +
                               " is singular: its column " + std::to_string(q % range.block) + " has no pivot");
    }

    block_rows const& rows() const { return range_; }
    /// The right-hand sides of the range, row by row, which solve() makes solutions.
    T* right() const { return right_.data(); }
    /// D y = r in place. Neither allocates nor waits.
    void solve(Executor const& exec) const {
        if (range_.rows() == 0) return;
        columns_view<T> const x(right_.data(), range_.rows(), 1);
        solve_factored_bands(exec, matrix(), factor_.view(), x, x, workspace_.view());
    }

private:
    /// Batches of banded systems are one system without couplings between its parts.
    bool one_system() const { return lower_ != 1 || upper_ != 1; }
    band_matrix<T> matrix() const {
        std::int64_t const n = range_.rows();
        if (one_system()) return banded_view<T>{n, lower_, upper_, bands_.data()};
        tridiagonal_view<T> const all{n, bands_.data(), bands_.data() + n, bands_.data() + 2 * n};
        return band_matrix<T>::batch(all, range_.blocks());
    }
    std::int64_t mend(Executor const& exec) {
        std::int64_t const n = range_.rows();
        auto const band = [&](int d) { return bands_.view().slice(d * n, n); };
        tridiagonal<T> system(copy_of(exec, band(0)), copy_of(exec, band(1)), copy_of(exec, band(2)));
        std::int64_t const rows = tridiagonal_mender<Executor, T>().mend(exec, system, {}, false);
        exec.copy_elements(system.diagonal.data(), band(1).data(), n);
        return rows;
    }

    block_rows range_;
    int lower_, upper_;
    buffer<T> bands_;
    mutable buffer<T> right_;
    buffer<std::byte> factor_{};
    mutable buffer<std::byte> workspace_{};
};

} // namespace coppice::detail
