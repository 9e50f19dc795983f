// SPDX-License-Identifier: BSD-3-Clause
// Loops whose end is decided on the device: kernels count iterations; the host reads the count after the end.
#include <coppice/core/repeat.hpp>

#include "support/executors.hpp"
#include <coppice/core/parallel.hpp>

using namespace coppice;

namespace {

/// Loop that counts its iterations and ends after a given number.
struct counted {
    loop_switch loop{};
    std::int64_t passes = 0;
    std::int64_t last = 0;
};
struct count_pass {
    counted* state;
    COPPICE_HD void operator()(std::int64_t) const {
        if (++state->passes == state->last) state->loop.stop();
    }
};
struct double_element {
    counted const* state;
    unsigned* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] = 3 * x[i] + unsigned(state->passes) + unsigned(i); }
};

counted counting_to(std::int64_t last) { return {{.on = last > 0 ? 1 : 0}, 0, last}; }

} // namespace

TEST_CASE_TEMPLATE("a loop runs until its body ends it", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    std::int64_t const n = 1000;
    for (bool const replayable : {true, false}) {
        CAPTURE(replayable);
        repetition<Executor> repeat(exec);
        buffer<counted> state(exec, 1);
        buffer<unsigned> x(exec, n);
        for (std::int64_t const last : {1, 0, 2, 300}) { // the same loop several times
            CAPTURE(last);
            auto const first = counting_to(last);
            exec.copy_elements(&first, state.data(), 1);
            fill(exec, x.view(), 1u);
            repeat.run(&state.data()->loop, {.replayable = replayable},
                       [&] {
                           for_each(exec, n, double_element{state.data(), x.data()});
                           for_each(exec, 1, count_pass{state.data()});
                       },
                       {});
            auto const end = exec.load(state.data());
            CHECK(end.passes == last);
            CHECK(end.loop.on == 0);
            CHECK(end.loop.condition == 0);
            auto const got = to_vector(exec, x);
            for (unsigned i = 0; i < n; ++i) {
                unsigned expected = 1;
                for (unsigned p = 0; p < last; ++p) expected = 3 * expected + p + i;
                REQUIRE(got[i] == expected);
            }
        }
#if defined(COPPICE_TEST_CUDA)
        CAPTURE(repeat.why_not());
        CHECK(repeat.on_device() == replayable);
#endif
    }
}

namespace {

struct count_pass_if_on {
    counted* state;
    COPPICE_HD void operator()(std::int64_t) const {
        if (state->loop.on && ++state->passes == state->last) state->loop.stop();
    }
};
struct triple_if_on {
    counted const* state;
    unsigned* x;
    COPPICE_HD void operator()(std::int64_t i) const {
        if (state->loop.on) x[i] = 3 * x[i] + unsigned(state->passes);
    }
};

} // namespace

TEST_CASE_TEMPLATE("a body of few or many steps may be repeated between two checks", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (int const steps : {1, 5, 90})
        for (std::int64_t const last : {1, 13}) {
            CAPTURE(steps);
            CAPTURE(last);
            repetition<Executor> repeat(exec);
            buffer<counted> state(exec, 1);
            buffer<unsigned> x(exec, 10);
            auto const first = counting_to(last);
            exec.copy_elements(&first, state.data(), 1);
            fill(exec, x.view(), 1u);
            repeat.run(&state.data()->loop, {.replayable = true, .repeats = 8},
                       [&] {
                           for (int s = 0; s < steps; ++s) for_each(exec, 10, triple_if_on{state.data(), x.data()});
                           for_each(exec, 1, count_pass_if_on{state.data()});
                       },
                       {});
            CHECK(exec.load(state.data()).passes == last);
            unsigned expected = 1;
            for (unsigned p = 0; p < last; ++p)
                for (int s = 0; s < steps; ++s) expected = 3 * expected + p;
            for (unsigned const element : to_vector(exec, x)) CHECK(element == expected);
        }
}

namespace {

struct check_mail {
    counted* state;
    int* mail; ///< iterations so far, readable by the host, and the host's request to stop
    COPPICE_HD void operator()(std::int64_t) const {
        ++state->passes;
        static_cast<int volatile*>(mail)[0] = int(state->passes);
        if (static_cast<int volatile*>(mail)[1] != 0) state->loop.stop();
    }
};

} // namespace

TEST_CASE_TEMPLATE("a host callback observes a loop and can end it", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (bool const replayable : {true, false}) {
        repetition<Executor> repeat(exec);
        buffer<counted> state(exec, 1);
        buffer<int> mail(shared_memory(exec), 2);
        mail[0] = mail[1] = 0;
        counted const first{{.on = 1}, 0, 0};
        exec.copy_elements(&first, state.data(), 1);
        int seen = 0;
        repeat.run(
            &state.data()->loop, {.replayable = replayable},
            [&] {
                for_each(exec, 1, check_mail{state.data(), mail.data()});
            },
            [&] {
                int const now = static_cast<int volatile*>(mail.data())[0];
                CHECK(now >= seen);
                seen = now;
                if (seen >= 20) static_cast<int volatile*>(mail.data())[1] = 1;
            });
        auto const end = exec.load(state.data());
        CHECK(end.loop.on == 0);
        CHECK(seen == end.passes); // watch() is called once more after the end
        CHECK(end.passes >= 20);
    }
}

#if defined(COPPICE_TEST_CUDA)
TEST_CASE("all copies of an executor have the same second stream") {
    cuda_executor const exec, copy = exec, other;
    auto const second = exec.second_stream();
    CHECK(second.device() == exec.device());
    CHECK(second.stream() != exec.stream());
    CHECK(copy.second_stream().stream() == second.stream());
    CHECK(other.second_stream().stream() != second.stream());
}

TEST_CASE("an executor of the default stream captures its loops on another stream") {
    cuda_executor const exec(0, nullptr);
    CHECK(exec.stream() == cudaStreamLegacy);
    repetition<cuda_executor> repeat(exec);
    buffer<counted> state(exec, 1);
    buffer<int> other(exec, 1);
    auto const first = counting_to(20);
    exec.copy_elements(&first, state.data(), 1);
    repeat.run(&state.data()->loop, {.replayable = true},
               [&] {
                   // Work that others queue on the default stream meanwhile is not captured and does not disturb the
                   // capture.
                   CHECK(cudaMemsetAsync(other.data(), 0, sizeof(int), cudaStreamLegacy) == cudaSuccess);
                   CHECK(exec.stream() != cudaStreamLegacy);
                   for_each(exec, 1, count_pass{state.data()});
               },
               {});
    CAPTURE(repeat.why_not());
    CHECK(repeat.on_device());
    CHECK(exec.stream() == cudaStreamLegacy);
    CHECK(exec.load(state.data()).passes == 20);
}
#endif
