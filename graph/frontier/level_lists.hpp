// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lists of vertices by levels, one behind the other, to be walked up and down again.
#pragma once

#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

struct level_state {
    loop_switch loop{1};
    std::int32_t level = 0; ///< that is visited; at the end of the way up, how many there are
    int ends = 0;           ///< 1: a visit has set it to end the way up at this level
};

/// The level that is done ends; the next one is what was emitted behind it.
struct rise_one_level {
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
struct sink_one_level {
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
struct turn_round {
    worklist* now;
    vertex_id* items;
    std::int64_t const* first;
    level_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        state->loop.on = 1;
        sink_one_level{now, items, first, state}(0);
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
struct place_behind {
    worklist* now;
    worklist* next;
    COPPICE_HD void operator()(std::int64_t) const { *next = {now->items + now->count, 0, 0}; }
};

/// Owns the lists. `now` and `next` are for visits; what begins is up to the caller, who fills `now`.
template <executor Executor>
class level_lists {
public:
    /// `room`: vertices of all levels together; at most `levels` of them.
    level_lists(Executor const& exec, std::int64_t room, std::int64_t levels)
        : exec_(exec), items_(exec, room), first_(exec, levels + 2), lists_(exec, 2), state_(exec, 1), up_(exec),
          down_(exec) {}

    /// Empty lists, level 0.
    void clear() { for_each(exec_, 1, start_levels{now(), items_.data(), first_.data(), state()}); }
    worklist* now() { return lists_.data(); }
    worklist* next() { return lists_.data() + 1; }
    level_state* state() { return state_.data(); }

    /// while (now() is not empty) visit(): it visits now() and emits into next(). The same at every call.
    template <class Visit>
    void rise(Visit const& visit) {
        for_each(exec_, 1, place_behind{now(), next()});
        up_.run(
            &state()->loop, {.replayable = true},
            [&] {
                visit();
                for_each(exec_, 1, rise_one_level{now(), next(), first_.data(), state()});
            },
            nullptr);
    }
    /// Whether a visit has ended the way up. Waits.
    bool has_ended() const { return exec_.load(&state_.data()->ends) != 0; }
    /// visit() for every level from the last to the first, where now() is the level.
    template <class Visit>
    void sink(Visit const& visit) {
        for_each(exec_, 1, turn_round{now(), items_.data(), first_.data(), state()});
        down_.run(
            &state()->loop, {.replayable = true},
            [&] {
                visit();
                for_each(exec_, 1, sink_one_level{now(), items_.data(), first_.data(), state()});
            },
            nullptr);
    }

private:
    Executor exec_;
    buffer<vertex_id> items_;
    buffer<std::int64_t> first_;
    buffer<worklist> lists_;
    buffer<level_state> state_;
    repetition<Executor> up_, down_;
};

} // namespace coppice::analytics
