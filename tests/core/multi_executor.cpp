// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/multi_executor.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace coppice;

namespace {

/// Sets COPPICE_RANKS_IN_TURN for a scope.
class ranks_in_turn {
public:
    ranks_in_turn() { setenv("COPPICE_RANKS_IN_TURN", "1", 1); }
    ~ranks_in_turn() { unsetenv("COPPICE_RANKS_IN_TURN"); }
};

multi_executor<host_executor> ranks(int count) {
    return multi_executor<host_executor>(std::vector(std::size_t(count), host_executor(1)));
}

/// The message of the error that run() throws.
template <class Work>
std::string failure_of(multi_executor<host_executor> const& all, Work const& work) {
    try {
        all.run(work);
    } catch (error const& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("ranks in turn: one rank runs at a time, and exchanges give the same values") {
    ranks_in_turn const scope;
    constexpr int count = 4;
    std::atomic<int> running = 0, max_running = 0;
    std::array<int, count> sums{};
    ranks(count).run([&](host_executor const&, rank_communicator const& comm) {
        for (int round = 0; round < 6; ++round) {
            int const now = ++running;
            if (now > max_running) max_running = now;
            std::this_thread::sleep_for(std::chrono::milliseconds(2)); // time for others, if they may run
            --running;
            for (int const value : comm.gather(10 * round + comm.rank())) sums[std::size_t(comm.rank())] += value;
        }
        std::vector<double> const mine(3, comm.rank() + 0.5);
        std::vector<double> from(3);
        int const next = (comm.rank() + 1) % count, before = (comm.rank() + count - 1) % count;
        rank_message const send{next, const_cast<double*>(mine.data()), 3 * sizeof(double)};
        rank_message const receive{before, from.data(), 3 * sizeof(double)};
        comm.start({&send, 1}, {&receive, 1})->finish();
        if (from != std::vector<double>(3, before + 0.5)) sums[std::size_t(comm.rank())] = -1;
    });
    CHECK(max_running == 1);
    for (int const sum : sums) CHECK(sum == 4 * (0 + 10 + 20 + 30 + 40 + 50) + 6 * (0 + 1 + 2 + 3));
}

TEST_CASE("ranks: messages that nobody sends or of another length, and exceptions of any type, are errors") {
    auto const all = ranks(2);
    double value = 3, other[2] = {};
    auto const exchange = [&](bool sends, std::size_t received) {
        return failure_of(all, [&, sends, received](host_executor const&, rank_communicator const& comm) {
            bool const first = comm.rank() == 0;
            rank_message const send{1, &value, sizeof value}, receive{0, other, received};
            comm.start({&send, std::size_t(first && sends)}, {&receive, std::size_t(!first)})->finish();
        });
    };
    CHECK(exchange(true, 8) == "");
    CHECK(other[0] == 3);
    CHECK(exchange(false, 8) == "rank 1 expects a message of 8 bytes, which rank 0 does not send");
    CHECK(exchange(true, 16) == "bytes of a message from rank 0: got 8, expected 16");
    CHECK(other[1] == 0);
    // Rank 0 sends to ranks 2 and 1, also nothing to rank 2; each receives its own.
    std::array<int, 3> got{};
    ranks(3).run([&](host_executor const&, rank_communicator const& comm) {
        std::array<int, 2> values{7, 8};
        std::vector<rank_message> sends, receives;
        if (comm.rank() == 0) sends = {{2, nullptr, 0}, {2, &values[0], sizeof(int)}, {1, &values[1], sizeof(int)}};
        if (comm.rank() == 2) receives.push_back({0, nullptr, 0});
        if (comm.rank() > 0) receives.push_back({0, &got[std::size_t(comm.rank())], sizeof(int)});
        comm.start(sends, receives)->finish();
    });
    CHECK(got == std::array<int, 3>{0, 8, 7});
    std::string message;
    auto const throw_number = [&](host_executor const&, rank_communicator const& comm) {
        if (comm.rank() == 1) throw 7;
        try {
            comm.barrier();
        } catch (error const& e) {
            message = e.what();
            throw;
        }
    };
    CHECK_THROWS_AS(all.run(throw_number), int);
    CHECK(message == "rank 1 failed: an exception of no known type");
}

TEST_CASE("ranks in turn: a rank that fails or returns early is an error on the others") {
    ranks_in_turn const scope;
    auto const all = ranks(3);
    for (int const bad : {0, 1, 2}) {
        CAPTURE(bad);
        std::array<std::string, 3> messages;
        auto const work = [&](bool throws) {
            return [&messages, throws, bad](host_executor const&, rank_communicator const& comm) {
                comm.barrier();
                if (comm.rank() == bad && throws) throw argument_error("no more");
                if (comm.rank() == bad) return;
                try {
                    comm.barrier();
                } catch (error const& e) {
                    messages[std::size_t(comm.rank())] = e.what();
                    throw;
                }
            };
        };
        CHECK(failure_of(all, work(true)) == "no more");
        for (int p = 0; p < 3; ++p)
            if (p != bad) CHECK(messages[std::size_t(p)] == "rank " + std::to_string(bad) + " failed: no more");
        CHECK(failure_of(all, work(false)).starts_with("rank " + std::to_string(bad) + " has ended"));
    }
    all.run([](host_executor const&, rank_communicator const& comm) { comm.barrier(); }); // usable afterwards
}
