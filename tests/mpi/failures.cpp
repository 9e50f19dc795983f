// SPDX-License-Identifier: BSD-3-Clause
// A rank that fails ends the work of all ranks with one message; none waits for it, and the ranks stay usable.
#include "mpi/both_kinds.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace coppice;
using namespace coppice::test;

namespace {

using work = std::function<void(host_executor const&, rank_communicator const&)>;

constexpr int any_rank = -2;

/// Runs work that rank `guilty` ends with an exception whose message contains `why`. any_rank: each does, the first one
/// while others may still communicate.
void check_failure(int guilty, std::string const& why, work const& of_rank) {
    CAPTURE(why);
    auto const& ranks = processes();
    std::string message;
    try {
        ranks.run(of_rank);
    } catch (std::exception const& e) {
        message = e.what();
    }
    CHECK(message.find(why) != message.npos);
    int const failed = ranks.failed_rank();
    CHECK((guilty == any_rank ? failed >= 0 : failed == guilty));
    CHECK((message.find("rank " + std::to_string(failed) + " failed: ") == 0) == (ranks.rank() != failed));
    // the ranks work again
    ranks.run([&](host_executor const&, rank_communicator const& comm) {
        auto const all = comm.gather(comm.rank());
        for (int p = 0; p < comm.ranks(); ++p) CHECK(all[std::size_t(p)] == p);
    });
    CHECK(ranks.failed_rank() == -1);
}

/// Starts to send a megabyte, which waits for its receiver, and a few bytes, to all ranks, and to receive them.
std::unique_ptr<rank_exchange> start_long_messages(rank_communicator const& comm, std::vector<char>& sent,
                                                   std::vector<char>& received, bool receives) {
    std::size_t const size = std::size_t(1) << 20;
    sent.resize(size);
    received.resize(size * std::size_t(comm.ranks()));
    std::vector<rank_message> to, from;
    for (int p = 0; p < comm.ranks(); ++p) {
        if (p == comm.rank()) continue;
        for (std::size_t const bytes : {size - 16, std::size_t(16)}) {
            to.push_back({p, sent.data(), bytes});
            if (receives)
                from.push_back({p, received.data() + std::size_t(p) * size + (bytes == 16 ? size - 16 : 0), bytes});
        }
    }
    return comm.start(to, from);
}

} // namespace

TEST_CASE("mpi: a rank that throws ends all") {
    int const last = processes().ranks() - 1;
    for (int const guilty : {0, last})
        for (int const rounds : {0, 1, 3}) {
            check_failure(guilty, "no luck", [&](host_executor const&, rank_communicator const& comm) {
                for (int k = 0; k < rounds; ++k) comm.gather(k);
                if (comm.rank() == guilty) throw std::runtime_error("no luck");
                if (comm.ranks() > 1) comm.gather(0.0);
            });
            check_failure(guilty, "no luck", [&](host_executor const&, rank_communicator const& comm) {
                for (int k = 0; k < rounds; ++k) comm.gather(std::vector<int>(std::size_t(comm.rank()), 1));
                if (comm.rank() == guilty) throw dimension_error("no luck");
                if (comm.ranks() > 1) comm.gather(std::vector<int>(std::size_t(comm.rank()), 1));
            });
            check_failure(guilty, "no luck", [&](host_executor const&, rank_communicator const& comm) {
                for (int k = 0; k < rounds; ++k) comm.gather(k);
                if (comm.rank() == guilty) throw std::runtime_error("no luck");
                if (comm.ranks() > 1) comm.all_to_all(std::vector<int>(std::size_t(comm.ranks()), 1));
            });
        }
    check_failure(0, "each", [](host_executor const&, rank_communicator const&) { throw std::runtime_error("each"); });
}

TEST_CASE("mpi: an error keeps its code, and the first rank that fails its type") {
    int const last = processes().ranks() - 1;
    bool own = false;
    error_code code{};
    try {
        processes().run([&](host_executor const&, rank_communicator const& comm) {
            if (comm.rank() == last) throw matrix_error("odd");
            comm.gather(1);
        });
    } catch (matrix_error const& e) {
        own = true;
        code = e.code();
    } catch (error const& e) {
        code = e.code();
    }
    CHECK(own == (processes().rank() == last));
    CHECK(code == error_code::invalid_matrix);
}

TEST_CASE("mpi: a rank that fails while messages are pending") {
    if (processes().ranks() == 1) return;
    int const last = processes().ranks() - 1;
    for (int const guilty : {0, last}) {
        std::vector<char> sent, received, sent_too, received_too;
        check_failure(guilty, "before", [&](host_executor const&, rank_communicator const& comm) {
            if (comm.rank() == guilty) throw std::runtime_error("before");
            start_long_messages(comm, sent, received, true)->finish();
        });
        check_failure(guilty, "between", [&](host_executor const&, rank_communicator const& comm) {
            auto const started = start_long_messages(comm, sent, received, true);
            if (comm.rank() == guilty) throw std::runtime_error("between");
            started->finish();
            comm.barrier();
        });
        check_failure(guilty, "with two exchanges", [&](host_executor const&, rank_communicator const& comm) {
            auto const first = start_long_messages(comm, sent, received, true);
            if (comm.rank() == guilty) throw std::runtime_error("with two exchanges");
            auto const second = start_long_messages(comm, sent_too, received_too, true);
            comm.gather(2);
            first->finish();
            second->finish();
        });
    }
}

TEST_CASE("mpi: ranks that do not make the same calls") {
    if (processes().ranks() == 1) return;
    auto const& ranks = processes();
    auto const expect = [&](char const* what, work const& of_rank) {
        CAPTURE(what);
        std::string message;
        try {
            ranks.run(of_rank);
        } catch (std::exception const& e) {
            message = e.what();
        }
        CHECK(message.find("ranks must make the same calls") != message.npos);
    };
    expect("a gather", [](host_executor const&, rank_communicator const& comm) {
        comm.gather(1);
        if (comm.rank() != 0) comm.gather(1);
    });
    expect("a gather of vectors", [](host_executor const&, rank_communicator const& comm) {
        if (comm.rank() != comm.ranks() - 1) comm.gather(std::vector<int>(3));
    });
    std::vector<char> sent, received;
    expect("messages", [&](host_executor const&, rank_communicator const& comm) {
        if (comm.rank() != 0) start_long_messages(comm, sent, received, true)->finish();
    });
}

TEST_CASE("mpi: a bad matrix on one rank is an error on all") {
    int const last = processes().ranks() - 1;
    check_failure(last, "column 1000 outside", [&](host_executor const& exec, rank_communicator const& comm) {
        auto rows = rows_of_grid(comm, 12, 12, 1.0);
        if (comm.rank() == last) rows.columns.back() = 1000;
        distributed_csr<host_executor, double> const a(exec, comm, rows.offsets, rows.columns, rows.values);
    });
    check_failure(
        any_rank, "unknown Krylov method \"sor\"", [&](host_executor const& exec, rank_communicator const& comm) {
            auto const rows = rows_of_grid(comm, 12, 12, 1.0);
            distributed_csr<host_executor, double> const a(exec, comm, rows.offsets, rows.columns, rows.values);
            auto const m = make_distributed_preconditioner(exec, comm, "none", a);
            auto const b = exec.copy(numbers<double>(rows.first, rows.rows()));
            auto x = exec.copy(b);
            solve_distributed(exec, comm, "sor", a, m, b.view(), x.view());
        });
}

TEST_CASE("mpi: a slow rank is waited for") {
    processes().run([](host_executor const&, rank_communicator const& comm) {
        if (comm.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CHECK(comm.gather(comm.rank()).back() == comm.ranks() - 1);
    });
}
