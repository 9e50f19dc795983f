// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// All HBISA sweeps over a system, executed by a team in on-chip memory (Yang, Li and Li 2017, Algorithm 2).
///
/// A team has members, each with threads and with memory that the other members can read:
///     rank(), size()           index of this thread in its member, number of its threads
///     sync()                   barrier of the member
///     member(), members()      index of this member, number of members
///     sync_all()               barrier of the team
///     peer(p, m)               address in member m that corresponds to p in this member
/// A team is a CUDA block, the blocks of a cluster, or one worker of the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <coppice/solvers/queueing/resident_job.hpp>

namespace coppice::inline v0_1::detail {

/// Rows [first, last) of a block as two recurrences, row i at offset i * stride:
///
///     z_i = t_i / d_i - (a_i / d_i) z_{i-1},   x_i = z_i - (c_i / d_i) x_{i+1}    (d: the pivots)
template <class T>
struct row_recurrence {
    static constexpr int batch = 8; ///< rows whose operands are loaded before the first of them is used

    T const *lower, *upper, *inverse;
    int stride;

    /// Returns z of the last row, given that of the row before `first`; if `Save`, z overwrites t.
    template <bool Save>
    COPPICE_HD T down(T* t, int first, int last, T z) const {
        int i = first;
        for (; i + batch <= last; i += batch) z = down_some<Save, batch>(t, i, z);
        COPPICE_NO_UNROLL
        for (; i < last; ++i) z = down_some<Save, 1>(t, i, z);
        return z;
    }
    /// Returns x of the first row, given that of the row after the last one.
    template <bool Save>
    COPPICE_HD T up(T* t, int first, int last, T x) const {
        int i = last;
        for (; i - batch >= first; i -= batch) x = up_some<Save, batch>(t, i, x);
        COPPICE_NO_UNROLL
        for (; i > first; --i) x = up_some<Save, 1>(t, i, x);
        return x;
    }
    /// Factor by which the incoming value is multiplied from the first to the last row.
    COPPICE_HD T gain_down(int first, int last) const {
        T gain = 1;
        for (int i = first; i < last; ++i) gain = -(lower[i * stride] * inverse[i * stride] * gain);
        return gain;
    }
    COPPICE_HD T gain_up(int first, int last) const {
        T gain = 1;
        for (int i = last; i-- > first;) gain = -(upper[i * stride] * inverse[i * stride] * gain);
        return gain;
    }

private:
    template <bool Save, int N>
    COPPICE_HD T down_some(T* t, int i, T z) const {
        T own[N], factor[N];
        COPPICE_UNROLL
        for (int k = 0; k < N; ++k) {
            int const q = (i + k) * stride;
            own[k] = t[q] * inverse[q];
            factor[k] = lower[q] * inverse[q];
        }
        COPPICE_UNROLL
        for (int k = 0; k < N; ++k) own[k] = z = own[k] - factor[k] * z;
        COPPICE_UNROLL
        for (int k = 0; Save && k < N; ++k) t[(i + k) * stride] = own[k];
        return z;
    }
    template <bool Save, int N>
    COPPICE_HD T up_some(T* t, int i, T x) const {
        T own[N], factor[N];
        COPPICE_UNROLL
        for (int k = 0; k < N; ++k) {
            int const q = (i - 1 - k) * stride;
            own[k] = t[q];
            factor[k] = upper[q] * inverse[q];
        }
        COPPICE_UNROLL
        for (int k = 0; k < N; ++k) own[k] = x = own[k] - factor[k] * x;
        COPPICE_UNROLL
        for (int k = 0; Save && k < N; ++k) t[(i - 1 - k) * stride] = own[k];
        return x;
    }
};

/// Work of a thread for its member. `Inside`: bands and couplings are both on chip, so that a device compiler can
/// generate shared memory accesses.
template <bool Inside, class T, class Team>
class resident_member {
public:
    COPPICE_HD resident_member(Team const& team, resident_job<T> const& job, std::int64_t system, std::byte* memory)
        : team_(team), job_(job), system_(system), memory_(memory), rows_(job.layout.rows_of_member(team.member())) {
        even_ = job.layout.count(team.member(), 0);
        odd_ = job.layout.halves == 2 ? job.layout.count(team.member(), 1) : 0;
        std::int64_t const first =
            system * job.layout.rows_of_system() + job.layout.begin(team.member()) * job.layout.block;
        lower_ = job.lower + first;
        diagonal_ = job.diagonal + first;
        upper_ = job.upper + first;
        inverse_ = job.inverse + first;
        offsets_ = job.offsets + first;
        columns_ = job.columns;
        values_ = job.values;
    }

    /// Algorithm 2: residual, decision, and next sweep, which starts before the decision is known.
    COPPICE_HD void run() {
        load();
        team_.sync_all();
        begin();
        int x = 0, best = -1;
        if (state().active())
            for (std::int64_t s = 0; s <= job_.limit; ++s) { // decide() ends the loop at the limit
                int const next = x != 0 && best != 0 ? 0 : x != 1 && best != 1 ? 1 : 2;
                sweep(vector(x), vector(next), int((s + 1) % 2));
                decide(int((s + 1) % 2));
                if (state().improved != 0) best = x;
                if (!state().active()) break;
                x = next;
            }
        store(best);
        team_.sync_all(); // the other members have read the memory of this member
    }

private:
    template <class P>
    COPPICE_HD P* at(std::int64_t byte) const {
        return reinterpret_cast<P*>(memory_ + byte);
    }
    COPPICE_HD int count(int h) const { return h == 0 ? even_ : odd_; }
    COPPICE_HD T* vector(int v) const { return at<T>(job_.memory.vectors) + v * job_.memory.rows; }
    COPPICE_HD T const* rhs() const { return vector(3); }
    /// One value for each segment of the blocks of a half; the gains down and up of half h are carries(2 h) and
    /// carries(2 h + 1).
    COPPICE_HD T* carries(int c) const {
        return at<T>(job_.memory.carries) + c * job_.layout.max_count() * job_.segments.count;
    }
    static constexpr int come_down = 4, come_up = 5;
    COPPICE_HD hbisa_state& state() const { return *at<hbisa_state>(job_.memory.state); }
    COPPICE_HD std::int64_t row(int q) const {
        return system_ * job_.layout.rows_of_system() + job_.layout.row_of_member(team_.member(), q);
    }

    /// Copies data to on-chip memory; the caller synchronises.
    template <class P>
    COPPICE_HD P const* inside(std::int64_t byte, P const* from, std::int64_t count) const {
        P* const to = at<P>(byte);
        for (std::int64_t k = team_.rank(); k < count; k += team_.size()) to[k] = from[k];
        return to;
    }
    COPPICE_HD void load() {
        for (int q = team_.rank(); q < rows_; q += team_.size()) {
            std::int64_t const i = row(q);
            vector(0)[q] = i < job_.rows ? job_.x[i] : T(0);
            vector(3)[q] = i < job_.rows ? job_.b[i] : T(0);
        }
        resident_memory const& m = job_.memory;
        if (Inside || m.bands) {
            std::int64_t const band_bytes = m.rows * std::int64_t(sizeof(T));
            lower_ = inside(m.band, lower_, rows_);
            diagonal_ = inside(m.band + band_bytes, diagonal_, rows_);
            upper_ = inside(m.band + 2 * band_bytes, upper_, rows_);
            inverse_ = inside(m.band + 3 * band_bytes, inverse_, rows_);
        }
        if (Inside || m.couplings) {
            std::int32_t const first = offsets_[0], entries = offsets_[rows_] - first;
            offsets_ = inside(m.offsets, offsets_, rows_ + 1);
            columns_ = inside(m.columns, columns_ + first, entries);
            values_ = inside(m.values, values_ + first, entries);
            entry_ = first;
        }
        if (job_.segments.count == 1) return;
        team_.sync();
        for (int h = 0; h < job_.layout.halves; ++h)
            for (int w = team_.rank(); w < count(h) * job_.segments.count; w += team_.size()) {
                block_segment const p(*this, h, w);
                carries(2 * h)[w] = p.rows.gain_down(p.first, p.last);
                carries(2 * h + 1)[w] = p.rows.gain_up(p.first, p.last);
            }
    }
    /// Stores the best x, if there is one. There is none if b is zero or not finite.
    COPPICE_HD void store(int best) const {
        bool const zero = state().end == hbisa_end::zero_rhs;
        for (int q = team_.rank(); q < rows_ && (zero || best >= 0); q += team_.size()) {
            std::int64_t const i = row(q);
            if (i < job_.rows) job_.x[i] = zero ? T(0) : vector(best)[q];
        }
        if (team_.member() == 0 && team_.rank() == 0) job_.states[system_] = state();
    }

    /// First step of the residual sum: the squares of the threads are summed to values of the member in two steps.
    /// `slot` alternates, since other members may still read the previous values.
    COPPICE_HD void store_partial(double squares) const { at<double>(job_.memory.partial)[team_.rank()] = squares; }
    COPPICE_HD double* groups(int slot) const { return at<double>(job_.memory.group) + slot * resident_memory::groups; }
    /// After a barrier of the member. Executed by the last threads, since the first ones have blocks to solve.
    COPPICE_HD void gather(int slot) const {
        double const* const partial = at<double>(job_.memory.partial);
        for (int g = team_.size() - 1 - team_.rank(); g < resident_memory::groups; g += team_.size())
            groups(slot)[g] = sum_of(partial + g, resident_memory::groups, team_.size() - g);
    }
    /// Second step, after a barrier of the team: returns the sum in thread 0.
    COPPICE_HD double total(int slot) const {
        double* total = groups(slot);
        if (team_.members() > 1) {
            total = at<double>(job_.memory.total);
            for (int g = team_.rank(); g < resident_memory::groups; g += team_.size()) {
                double sum = 0;
                for (int m = 0; m < team_.members(); ++m) sum += team_.peer(groups(slot), m)[g];
                total[g] = sum;
            }
            team_.sync();
        }
        return team_.rank() == 0 ? sum_of(total, 1, resident_memory::groups) : 0;
    }
    /// Sums every `stride`-th of `length` values, as four independent sums.
    COPPICE_HD static double sum_of(double const* values, int stride, int length) {
        double sum[4] = {};
        int k = 0;
        for (; k + 3 * stride < length; k += 4 * stride) {
            COPPICE_UNROLL
            for (int u = 0; u < 4; ++u) sum[u] += values[k + u * stride];
        }
        COPPICE_NO_UNROLL
        for (; k < length; k += stride) sum[0] += values[k];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    COPPICE_HD void begin() const {
        double squares = 0;
        for (int q = team_.rank(); q < rows_; q += team_.size()) squares += double(rhs()[q]) * double(rhs()[q]);
        store_partial(squares);
        team_.sync();
        gather(0);
        team_.sync_all();
        double const sum = total(0);
        if (team_.rank() == 0) state() = begun(sum);
        team_.sync();
    }
    COPPICE_HD void decide(int slot) const {
        double const sum = total(slot);
        if (team_.rank() == 0) state().decide(std::sqrt(sum), job_.tolerance, job_.limit);
        team_.sync();
    }

    /// Row q of N x. While the odd blocks are processed, `fresh` holds the new values of the even blocks.
    COPPICE_HD T coupled(int q, T const* x, T const* fresh) const {
        T sum = 0;
        std::int32_t const end = offsets_[q + 1] - entry_;
        COPPICE_NO_UNROLL
        for (std::int32_t k = offsets_[q] - entry_; k < end; ++k) {
            resident_column const c = columns_[k];
            T const* const from = fresh && !c.odd() ? fresh : x;
            // Two separate expressions: the compiler then reads values of this member of the team by accesses to its
            // own shared memory instead of accesses within the cluster.
            sum += values_[k] *
                   (c.member() == team_.member() ? from[c.position()] : team_.peer(from, c.member())[c.position()]);
        }
        return sum;
    }
    /// Squares of b - (D + N) x over the rows of half h; for half 0, which is solved first, also stores b - N x in t.
    COPPICE_HD double residual(int h, T const* x, T* t) const {
        int const first = h == 0 ? 0 : even_ * int(job_.layout.block), n = count(h);
        int const end = first + n * int(job_.layout.block);
        double squares = 0;
        for (int q = first + team_.rank(); q < end; q += team_.size()) {
            T const couplings = coupled(q, x, nullptr), b = rhs()[q];
            // Bands are zero outside of the block.
            T const blocks =
                lower_[q] * x[q - n < first ? q : q - n] + diagonal_[q] * x[q] + upper_[q] * x[q + n < end ? q + n : q];
            double const r = b - (blocks + couplings);
            squares += r * r;
            if (h == 0) t[q] = b - couplings;
        }
        return squares;
    }
    COPPICE_HD void sweep(T const* x, T* next, int slot) const {
        double squares = residual(0, x, next);
        if (job_.layout.halves == 2) squares += residual(1, x, next);
        store_partial(squares);
        team_.sync();
        gather(slot);
        solve(0, next);
        team_.sync_all();
        if (job_.layout.halves == 1) return;
        int const first = even_ * int(job_.layout.block);
        for (int q = first + team_.rank(); q < rows_; q += team_.size()) next[q] = rhs()[q] - coupled(q, x, next);
        team_.sync();
        solve(1, next);
        team_.sync_all();
    }

    /// Item w of half h, which has n blocks: segment w / n of block w % n.
    struct block_segment {
        row_recurrence<T> rows;
        int block, first, last;
        int at; ///< position of the first row of the block
        COPPICE_HD block_segment(resident_member const& m, int h, int w)
            : block_segment(m, h, w % m.count(h), w / m.count(h) * m.job_.segments.length) {}
        COPPICE_HD block_segment(resident_member const& m, int h, int b, int from)
            : block(b), first(from), last(from + m.job_.segments.length),
              at((h == 0 ? 0 : m.even_ * int(m.job_.layout.block)) + b) {
            if (last > m.job_.layout.block) last = int(m.job_.layout.block);
            rows = {m.lower_ + at, m.upper_ + at, m.inverse_ + at, m.count(h)};
        }
    };

    /// Solves D y = t in place over half h. The value that enters a segment is multiplied by the gain of the segment on
    /// its way through. Therefore each segment is first processed with 0 as incoming value, and a second time with the
    /// value that the segments before it pass on.
    COPPICE_HD void solve(int h, T* t) const {
        int const n = count(h), segments = job_.segments.count, items = n * segments;
        if (segments == 1) {
            for (int b = team_.rank(); b < n; b += team_.size()) {
                block_segment const p(*this, h, b, 0);
                p.rows.template down<true>(t + p.at, p.first, p.last, T(0));
                p.rows.template up<true>(t + p.at, p.first, p.last, T(0));
            }
            return;
        }
        T *const down = carries(come_down), *const up = carries(come_up);
        T const *const gain_down = carries(2 * h), *const gain_up = carries(2 * h + 1);
        for (int w = team_.rank(); w < items; w += team_.size()) {
            block_segment const p(*this, h, w);
            down[w] = p.rows.template down<false>(t + p.at, p.first, p.last, T(0));
        }
        team_.sync();
        for (int w = team_.rank(); w < items; w += team_.size()) {
            block_segment const p(*this, h, w);
            T z = 0;
            for (int k = p.block; k < w; k += n) z = down[k] + gain_down[k] * z;
            p.rows.template down<true>(t + p.at, p.first, p.last, z);
            up[w] = p.rows.template up<false>(t + p.at, p.first, p.last, T(0));
        }
        team_.sync();
        for (int w = team_.rank(); w < items; w += team_.size()) {
            block_segment const p(*this, h, w);
            T x = 0;
            for (int k = p.block + (segments - 1) * n; k > w; k -= n) x = up[k] + gain_up[k] * x;
            p.rows.template up<true>(t + p.at, p.first, p.last, x);
        }
    }

    Team team_;
    resident_job<T> const& job_;
    std::int64_t system_;
    std::byte* memory_;
    int rows_, even_ = 0, odd_ = 0; // the latter two: number of blocks of each half
    T const *lower_, *diagonal_, *upper_, *inverse_;
    std::int32_t const* offsets_;
    resident_column const* columns_;
    T const* values_;
    std::int32_t entry_ = 0; ///< index of the first coupling of this member, if couplings are on chip
};

/// All sweeps over a system, executed by a thread of `team`.
template <bool Inside, class T, class Team>
COPPICE_HD void sweep_resident(Team const& team, resident_job<T> const& job, std::int64_t system, std::byte* memory) {
    resident_member<Inside, T, Team>(team, job, system, memory).run();
}

} // namespace coppice::inline v0_1::detail
