// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lists of vertices by levels, stored consecutively, for a forward and a backward pass over the levels.
#pragma once

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

struct level_state {
    loop_switch loop{1};
    std::int32_t level = 0;  ///< current level; at the end of the forward pass, the number of levels
    int ends = 0;            ///< set to 1 by a map to end the forward pass at this level
    std::int32_t levels = 0; ///< number of levels, once a backward pass has begun
};

/// Ends the current level; the next level is the list of the vertices emitted after it.
struct advance_level {
    worklist* now;
    worklist* next;
    std::int64_t* first;
    level_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        first[state->level + 1] = first[state->level] + now->count;
        ++state->level;
        *now = *next;
        next->items += next->count;
        next->clear();
        if (now->count == 0 || state->ends != 0) state->loop.stop();
    }
};
struct retreat_level {
    worklist* now;
    vertex_id* items;
    std::int64_t const* first;
    level_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        if (state->level == 0) return state->loop.stop();
        std::int32_t const level = --state->level;
        *now = {items + first[level], first[level + 1] - first[level], 0};
    }
};
struct start_backward {
    worklist* now;
    vertex_id* items;
    std::int64_t const* first;
    level_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        state->loop.on = 1;
        if (state->levels == 0)
            state->levels = state->level; // after the forward pass
        else
            state->level = state->levels;
        retreat_level{now, items, first, state}(0);
    }
};
/// Goes on to the next of the levels that a forward pass has listed.
struct repeat_level {
    worklist* now;
    vertex_id* items;
    std::int64_t const* first;
    level_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        if (++state->level >= state->levels) return state->loop.stop();
        *now = {items + first[state->level], first[state->level + 1] - first[state->level], 0};
    }
};
struct start_again {
    repeat_level step;
    COPPICE_HD void operator()(std::int64_t) const {
        step.state->loop.on = 1;
        step.state->level = -1;
        step(0);
    }
};

struct start_levels {
    worklist* now;
    vertex_id* items;
    std::int64_t* first;
    level_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        *now = {items, 0, 0};
        first[0] = 0;
        *state = {};
        state->loop.on = 1;
    }
};
struct append_level {
    worklist* now;
    worklist* next;
    COPPICE_HD void operator()(std::int64_t) const { *next = {now->items + now->count, 0, 0}; }
};

/// Owns the lists. Maps read `now` and emit to `next`. The caller fills `now` with the first level.
template <executor Executor>
class level_lists {
public:
    /// `capacity`: vertices of all levels together; `levels`: maximum number of levels.
    level_lists(Executor const& exec, std::int64_t capacity, std::int64_t levels)
        : exec_(exec), items_(exec, capacity), first_(exec, levels + 2), lists_(exec, 2), state_(exec, 1), up_(exec),
          down_(exec) {}

    /// Empties the lists and sets level 0.
    void clear() { for_each(exec_, 1, start_levels{now(), items_.data(), first_.data(), state()}); }
    worklist* now() { return lists_.data(); }
    worklist* next() { return lists_.data() + 1; }
    level_state* state() { return state_.data(); }

    /// Calls body() while now() is not empty: body maps over now() and emits to next(). The same body at every call.
    template <class Body>
    void forward(Body const& body) {
        run_forward(up_, body);
    }
    /// As forward(), for a body that differs from call to call.
    template <class Body>
    void forward_once(Body const& body) {
        repetition<Executor> once(exec_);
        run_forward(once, body);
    }
    /// Whether a map has ended the forward pass. Waits.
    bool has_ended() const { return exec_.load(&state_.data()->ends) != 0; }
    /// Number of vertices of all levels, and the number of levels without an empty last one; after forward(). Waits.
    std::int64_t count(std::int32_t& levels) const {
        levels = exec_.load(&state_.data()->level);
        auto const count = exec_.load(first_.data() + levels);
        if (count == 0) levels = 0;
        return count;
    }
    /// Calls body() for every level from the last to the first; now() is the level.
    template <class Body>
    void backward(Body const& body) {
        run_backward(down_, body);
    }
    /// As backward(), for a body that differs from call to call; after a forward pass or backward().
    template <class Body>
    void backward_once(Body const& body) {
        repetition<Executor> once(exec_);
        run_backward(once, body);
    }
    /// Calls body() for every level from the first to the last, which are listed already; after backward().
    template <class Body>
    void forward_again(Body const& body) {
        repetition<Executor> once(exec_);
        repeat_level const step{now(), items_.data(), first_.data(), state()};
        for_each(exec_, 1, start_again{step});
        once.run(
            &state()->loop, {.replayable = true},
            [&] {
                body();
                for_each(exec_, 1, step);
            },
            nullptr);
    }

private:
    template <class Body>
    void run_forward(repetition<Executor>& loop, Body const& body) {
        for_each(exec_, 1, append_level{now(), next()});
        loop.run(
            &state()->loop, {.replayable = true},
            [&] {
                body();
                for_each(exec_, 1, advance_level{now(), next(), first_.data(), state()});
            },
            nullptr);
    }
    template <class Body>
    void run_backward(repetition<Executor>& loop, Body const& body) {
        for_each(exec_, 1, start_backward{now(), items_.data(), first_.data(), state()});
        loop.run(
            &state()->loop, {.replayable = true},
            [&] {
                body();
                for_each(exec_, 1, retreat_level{now(), items_.data(), first_.data(), state()});
            },
            nullptr);
    }

    Executor exec_;
    buffer<vertex_id> items_;
    buffer<std::int64_t> first_;
    buffer<worklist> lists_;
    buffer<level_state> state_;
    repetition<Executor> up_, down_;
};

} // namespace coppice::inline v0_1::analytics
