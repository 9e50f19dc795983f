// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// All sweeps of HBISA over a system, as a team runs them in memory of its own (Yang, Li and Li 2017, Algorithm 2).
///
/// A team has members, each with threads and with memory that the other members can read:
///     rank(), size()           of this thread among those of its member
///     sync()                   barrier of the member
///     member(), members()
///     meet()                   barrier of the team
///     peer(p, m)               where member m has what this one has at p
/// They are a CUDA block, the blocks of a cluster, or one worker of the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <coppice/solvers/queueing/resident_job.hpp>

namespace coppice::detail {

/// Rows [first, last) of a block as two recurrences, row i at rows + i * stride:
///
///     z_i = t_i / d_i - (a_i / d_i) z_{i-1},   x_i = z_i - (c_i / d_i) x_{i+1}    (d: the pivots)
template <class T>
struct resident_stretch {
    static constexpr int at_once = 8; ///< rows whose operands are read before the first of them is needed

    T const *lower, *upper, *inverse;
    int stride;

    /// z of the last row, from that of the row before the first one; `Keep` says whether it replaces t.
    template <bool Keep>
    COPPICE_HD T down(T* t, int first, int last, T z) const {
        int i = first;
        for (; i + at_once <= last; i += at_once) z = down_some<Keep, at_once>(t, i, z);
        COPPICE_NO_UNROLL
        for (; i < last; ++i) z = down_some<Keep, 1>(t, i, z);
        return z;
    }
    /// x of the first row, from that of the row behind the last one.
    template <bool Keep>
    COPPICE_HD T up(T* t, int first, int last, T x) const {
        int i = last;
        for (; i - at_once >= first; i -= at_once) x = up_some<Keep, at_once>(t, i, x);
        COPPICE_NO_UNROLL
        for (; i > first; --i) x = up_some<Keep, 1>(t, i, x);
        return x;
    }
    /// By how much what comes in is multiplied on the way.
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
    template <bool Keep, int N>
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
        for (int k = 0; Keep && k < N; ++k) t[(i + k) * stride] = own[k];
        return z;
    }
    template <bool Keep, int N>
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
        for (int k = 0; Keep && k < N; ++k) t[(i - 1 - k) * stride] = own[k];
        return x;
    }
};

/// What a thread does for its member. `Inside`: bands and couplings are both inside, which a device compiler has to
/// know to read shared memory as such.
template <bool Inside, class T, class Team>
class resident_member {
public:
    COPPICE_HD resident_member(Team const& team, resident_job<T> const& job, std::int64_t system, std::byte* memory)
        : team_(team), job_(job), system_(system), memory_(memory), rows_(job.places.rows_of_member(team.member())) {
        even_ = job.places.count(team.member(), 0);
        odd_ = job.places.halves == 2 ? job.places.count(team.member(), 1) : 0;
        std::int64_t const first =
            system * job.places.rows_of_system() + job.places.begin(team.member()) * job.places.block;
        lower_ = job.lower + first;
        diagonal_ = job.diagonal + first;
        upper_ = job.upper + first;
        inverse_ = job.inverse + first;
        offsets_ = job.offsets + first;
        columns_ = job.columns;
        values_ = job.values;
    }

    /// Algorithm 2: the residual, the decision, and the next sweep, which is under way before the decision is known.
    COPPICE_HD void run() {
        load();
        team_.meet();
        begin();
        int x = 0, best = -1;
        if (state().active())
            for (std::int64_t s = 0; s <= job_.limit; ++s) { // decide() ends it at the limit
                int const next = x != 0 && best != 0 ? 0 : x != 1 && best != 1 ? 1 : 2;
                sweep(vector(x), vector(next), int((s + 1) % 2));
                decide(int((s + 1) % 2));
                if (state().keeps != 0) best = x;
                if (!state().active()) break;
                x = next;
            }
        store(best);
        team_.meet(); // the others have read what is in the memory of this member
    }

private:
    template <class P>
    COPPICE_HD P* at(std::int64_t byte) const {
        return reinterpret_cast<P*>(memory_ + byte);
    }
    COPPICE_HD int count(int h) const { return h == 0 ? even_ : odd_; }
    COPPICE_HD T* vector(int v) const { return at<T>(job_.memory.vectors) + v * job_.memory.rows; }
    COPPICE_HD T const* right() const { return vector(3); }
    /// For each part of the blocks of a half: the gains down and up of half h are 2 h and 2 h + 1.
    COPPICE_HD T* carries(int c) const {
        return at<T>(job_.memory.carries) + c * job_.places.most_count() * job_.parts.count;
    }
    static constexpr int come_down = 4, come_up = 5;
    COPPICE_HD hbisa_state& state() const { return *at<hbisa_state>(job_.memory.state); }
    COPPICE_HD std::int64_t row(int q) const {
        return system_ * job_.places.rows_of_system() + job_.places.row_of_member(team_.member(), q);
    }

    /// A copy inside; all threads go on before it is complete.
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
            std::int64_t const apart = m.rows * std::int64_t(sizeof(T));
            lower_ = inside(m.band, lower_, rows_);
            diagonal_ = inside(m.band + apart, diagonal_, rows_);
            upper_ = inside(m.band + 2 * apart, upper_, rows_);
            inverse_ = inside(m.band + 3 * apart, inverse_, rows_);
        }
        if (Inside || m.couplings) {
            std::int32_t const first = offsets_[0], entries = offsets_[rows_] - first;
            offsets_ = inside(m.offsets, offsets_, rows_ + 1);
            columns_ = inside(m.columns, columns_ + first, entries);
            values_ = inside(m.values, values_ + first, entries);
            entry_ = first;
        }
        if (job_.parts.count == 1) return;
        team_.sync();
        for (int h = 0; h < job_.places.halves; ++h)
            for (int w = team_.rank(); w < count(h) * job_.parts.count; w += team_.size()) {
                part const p(*this, h, w);
                carries(2 * h)[w] = p.rows.gain_down(p.first, p.last);
                carries(2 * h + 1)[w] = p.rows.gain_up(p.first, p.last);
            }
    }
    /// The best x, if there is one; no decision falls where b is zero or not finite.
    COPPICE_HD void store(int best) const {
        bool const zero = state().end == hbisa_end::zero_rhs;
        for (int q = team_.rank(); q < rows_ && (zero || best >= 0); q += team_.size()) {
            std::int64_t const i = row(q);
            if (i < job_.rows) job_.x[i] = zero ? T(0) : vector(best)[q];
        }
        if (team_.member() == 0 && team_.rank() == 0) job_.states[system_] = state();
    }

    /// The first step of Algorithm 2: this thread's squares become the member's in two steps, `slot` by turns, since
    /// other members may still read the last ones.
    COPPICE_HD void leave(double squares) const { at<double>(job_.memory.partial)[team_.rank()] = squares; }
    COPPICE_HD double* groups(int slot) const { return at<double>(job_.memory.group) + slot * resident_memory::groups; }
    /// Behind a barrier of the member. The last threads do it: the first ones have blocks to solve.
    COPPICE_HD void gather(int slot) const {
        double const* const partial = at<double>(job_.memory.partial);
        for (int g = team_.size() - 1 - team_.rank(); g < resident_memory::groups; g += team_.size())
            groups(slot)[g] = sum_of(partial + g, resident_memory::groups, team_.size() - g);
    }
    /// The second, behind a barrier of the team: the sum in thread 0.
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
    /// Every `stride`-th of `length` values, as four sums that do not wait for each other.
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
        for (int q = team_.rank(); q < rows_; q += team_.size()) squares += double(right()[q]) * double(right()[q]);
        leave(squares);
        team_.sync();
        gather(0);
        team_.meet();
        double const sum = total(0);
        if (team_.rank() == 0) state() = begun(sum);
        team_.sync();
    }
    COPPICE_HD void decide(int slot) const {
        double const sum = total(slot);
        if (team_.rank() == 0) state().decide(std::sqrt(sum), job_.tolerance, job_.limit);
        team_.sync();
    }

    /// Row q of N x. Where the half of the odd blocks is at work, `fresh` has what the even ones have become.
    COPPICE_HD T coupled(int q, T const* x, T const* fresh) const {
        T sum = 0;
        std::int32_t const end = offsets_[q + 1] - entry_;
        COPPICE_NO_UNROLL
        for (std::int32_t k = offsets_[q] - entry_; k < end; ++k) {
            resident_column const c = columns_[k];
            T const* const from = fresh && !c.odd() ? fresh : x;
            // Apart, so that what this member has is read as memory of its own.
            sum +=
                values_[k] * (c.member() == team_.member() ? from[c.place()] : team_.peer(from, c.member())[c.place()]);
        }
        return sum;
    }
    /// Over the rows of half h: squares of b - (D + N) x, and b - N x into t where it is the half to begin with.
    COPPICE_HD double residual(int h, T const* x, T* t) const {
        int const first = h == 0 ? 0 : even_ * int(job_.places.block), n = count(h);
        int const end = first + n * int(job_.places.block);
        double squares = 0;
        for (int q = first + team_.rank(); q < end; q += team_.size()) {
            T const couplings = coupled(q, x, nullptr), b = right()[q];
            // The bands are zero where they leave the block.
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
        if (job_.places.halves == 2) squares += residual(1, x, next);
        leave(squares);
        team_.sync();
        gather(slot);
        solve(0, next);
        team_.meet();
        if (job_.places.halves == 1) return;
        int const first = even_ * int(job_.places.block);
        for (int q = first + team_.rank(); q < rows_; q += team_.size()) next[q] = right()[q] - coupled(q, x, next);
        team_.sync();
        solve(1, next);
        team_.meet();
    }

    /// Item w of half h, which has n blocks: part w / n of block w % n.
    struct part {
        resident_stretch<T> rows;
        int block, first, last;
        int at; ///< the place of the block's first row
        COPPICE_HD part(resident_member const& m, int h, int w)
            : part(m, h, w % m.count(h), w / m.count(h) * m.job_.parts.length) {}
        COPPICE_HD part(resident_member const& m, int h, int b, int from)
            : block(b), first(from), last(from + m.job_.parts.length),
              at((h == 0 ? 0 : m.even_ * int(m.job_.places.block)) + b) {
            if (last > m.job_.places.block) last = int(m.job_.places.block);
            rows = {m.lower_ + at, m.upper_ + at, m.inverse_ + at, m.count(h)};
        }
    };

    /// D y = t in place over half h. What comes into a part from outside is multiplied by its gain on the way through:
    /// so parts are gone over from zero, and once more from what the parts before them let through.
    COPPICE_HD void solve(int h, T* t) const {
        int const n = count(h), parts = job_.parts.count, items = n * parts;
        if (parts == 1) {
            for (int b = team_.rank(); b < n; b += team_.size()) {
                part const p(*this, h, b, 0);
                p.rows.template down<true>(t + p.at, p.first, p.last, T(0));
                p.rows.template up<true>(t + p.at, p.first, p.last, T(0));
            }
            return;
        }
        T *const down = carries(come_down), *const up = carries(come_up);
        T const *const gain_down = carries(2 * h), *const gain_up = carries(2 * h + 1);
        for (int w = team_.rank(); w < items; w += team_.size()) {
            part const p(*this, h, w);
            down[w] = p.rows.template down<false>(t + p.at, p.first, p.last, T(0));
        }
        team_.sync();
        for (int w = team_.rank(); w < items; w += team_.size()) {
            part const p(*this, h, w);
            T z = 0;
            for (int k = p.block; k < w; k += n) z = down[k] + gain_down[k] * z;
            p.rows.template down<true>(t + p.at, p.first, p.last, z);
            up[w] = p.rows.template up<false>(t + p.at, p.first, p.last, T(0));
        }
        team_.sync();
        for (int w = team_.rank(); w < items; w += team_.size()) {
            part const p(*this, h, w);
            T x = 0;
            for (int k = p.block + (parts - 1) * n; k > w; k -= n) x = up[k] + gain_up[k] * x;
            p.rows.template up<true>(t + p.at, p.first, p.last, x);
        }
    }

    Team team_;
    resident_job<T> const& job_;
    std::int64_t system_;
    std::byte* memory_;
    int rows_, even_ = 0, odd_ = 0; // the latter two: blocks of the halves
    T const *lower_, *diagonal_, *upper_, *inverse_;
    std::int32_t const* offsets_;
    resident_column const* columns_;
    T const* values_;
    std::int32_t entry_ = 0; ///< the first coupling of this member where they are inside
};

/// All sweeps over a system, as `Team` says.
template <bool Inside, class T, class Team>
COPPICE_HD void sweep_resident(Team const& team, resident_job<T> const& job, std::int64_t system, std::byte* memory) {
    resident_member<Inside, T, Team>(team, job, system, memory).run();
}

} // namespace coppice::detail
