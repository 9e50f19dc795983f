// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <thread>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::mpi {
namespace {

constexpr int data_tag = 1, report_tag = 2;
/// MPI counts bytes by int: longer messages are sent in chunks.
constexpr std::size_t chunk_bytes = std::size_t(1) << 30;
constexpr std::int64_t max_bytes = std::numeric_limits<int>::max();

/// Size of a block in a collective. A rank without bytes sends one: then the collective ends on no rank before all
/// ranks have started it.
std::int64_t padded(std::int64_t bytes) { return std::max<std::int64_t>(bytes, 1); }

/// At first a rank polls without a pause, or yields if the ranks share cores. Later it sleeps: on a busy machine a
/// thread that has slept runs before others, one that has yielded after them.
void rest_between_polls(int polls, bool crowded) {
    constexpr int patient_polls = 256, min_polls_before_sleep = 1024;
    if (polls >= (crowded ? 16 : min_polls_before_sleep))
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    else if (crowded || polls > patient_polls)
        std::this_thread::yield();
}

} // namespace

void check(int status, char const* function) {
    if (status == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    throw error(error_code::device, std::string(function) + ": " + std::string(text.data(), std::size_t(length)));
}

duplicate::duplicate(MPI_Comm of) {
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (!initialised || finalised)
        throw argument_error(std::string("mpi_executor: MPI is ") + (finalised ? "finalised" : "not initialised") +
                             ", expected a call between MPI_Init() and MPI_Finalize()");
    check(MPI_Comm_dup(of, &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}
duplicate::~duplicate() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (!finalised) MPI_Comm_free(&comm_);
}

/// Pending messages, in chunks.
class transport::messages final : public rank_exchange {
public:
    messages(transport& of, std::span<rank_message const> sends, std::span<rank_message const> receives) : of_(&of) {
        for (rank_message const& m : receives)
            for_chunks(m, [&](char* at, int bytes) {
                requests_.push_back(MPI_REQUEST_NULL);
                check(MPI_Irecv(at, bytes, MPI_BYTE, m.rank, data_tag, of.data_, &requests_.back()), "MPI_Irecv");
                ++of.expected_[std::size_t(m.rank)];
                sources_.push_back(m.rank);
            });
        for (rank_message const& m : sends)
            for_chunks(m, [&](char* at, int bytes) {
                requests_.push_back(MPI_REQUEST_NULL);
                check(MPI_Isend(at, bytes, MPI_BYTE, m.rank, data_tag, of.data_, &requests_.back()), "MPI_Isend");
                ++of.sent_[std::size_t(m.rank)];
            });
        of.open_.push_back(this);
    }
    /// Not finished: an exception unwinds the stack of this rank, so this rank has failed.
    ~messages() override {
        if (!of_) return;
        try {
            of_->complete_communication(outcome::failed);
        } catch (std::exception const&) { // MPI itself has failed: nothing more can be completed
        }
        close();
    }
    void finish() override {
        if (!of_) throw error(error_code::device, "a rank has failed");
        of_->wait(requests_.data(), int(requests_.size()));
        close();
    }

    /// Cancels what has not arrived, and counts it as not expected.
    void cancel_receives(std::vector<std::int64_t>& expected) {
        for (std::size_t k = 0; k < sources_.size(); ++k) {
            if (requests_[k] == MPI_REQUEST_NULL) continue;
            MPI_Status status{};
            int cancelled = 0;
            check(MPI_Cancel(&requests_[k]), "MPI_Cancel");
            check(MPI_Wait(&requests_[k], &status), "MPI_Wait");
            check(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
            if (cancelled) --expected[std::size_t(sources_[k])];
        }
    }
    void wait_for_sends() {
        check(MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
        of_ = nullptr; // the transport forgets it
    }

private:
    template <class Use>
    static void for_chunks(rank_message const& m, Use const& use) {
        for (std::size_t at = 0; at < m.bytes; at += chunk_bytes)
            use(static_cast<char*>(m.at) + at, int(std::min(chunk_bytes, m.bytes - at)));
    }
    void close() {
        if (of_) std::erase(of_->open_, this);
        of_ = nullptr;
    }

    transport* of_;
    std::vector<MPI_Request> requests_{}; ///< receives, then sends
    std::vector<int> sources_{};          ///< of the receives
};

transport::transport(MPI_Comm comm) : data_(comm), control_(comm) {
    check(MPI_Comm_rank(data_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(data_, &ranks_), "MPI_Comm_size");
    MPI_Comm machine = MPI_COMM_NULL;
    check(MPI_Comm_split_type(data_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine), "MPI_Comm_split_type");
    MPI_Comm_rank(machine, &local_rank_);
    MPI_Comm_size(machine, &local_ranks_);
    MPI_Comm_free(&machine);
    crowded_ = local_ranks_ > int(std::thread::hardware_concurrency());
    sent_.assign(std::size_t(ranks_), 0);
    expected_ = sent_;
    reports_.resize(std::size_t(ranks_));
}

void transport::require_sound() const {
    if (broken_) throw error(error_code::device, "a rank has failed: no communication until run() has returned");
}

/// Waits, as MPI_Waitall does, unless another rank fails.
void transport::wait(MPI_Request* requests, int count) {
    for (int polls = 0;; ++polls) {
        int done = 0;
        check(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
        if (done) return;
        if (polls % 16 == 0) stop_if_others_ended();
        rest_between_polls(polls, crowded_);
    }
}

void transport::begin(collective what, std::int64_t bytes, void const* mine, void* all) {
    own_.last = what;
    own_.bytes = bytes;
    ++own_.started;
    int const count = checked_cast<std::int32_t>(bytes, "bytes that a rank gathers");
    if (what == collective::blocks) {
        std::vector<int> counts, begin;
        int at = 0;
        for (std::int64_t const size : sizes_) {
            counts.push_back(int(padded(size)));
            begin.push_back(at);
            at += counts.back();
        }
        check(MPI_Iallgatherv(mine, counts[std::size_t(rank_)], MPI_BYTE, all, counts.data(), begin.data(), MPI_BYTE,
                              data_, &pending_),
              "MPI_Iallgatherv");
        block_layout_ = {std::move(counts), std::move(begin)};
    } else if (what == collective::all_to_all) {
        check(MPI_Ialltoall(mine, count, MPI_BYTE, all, count, MPI_BYTE, data_, &pending_), "MPI_Ialltoall");
    } else {
        check(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, data_, &pending_), "MPI_Iallgather");
    }
}

std::int64_t transport::padded_total() const {
    std::int64_t total = 0;
    for (std::int64_t const size : sizes_) total += padded(size);
    return total;
}

void transport::perform(collective what, std::int64_t bytes, void const* mine, void* all) {
    begin(what, bytes, mine, all);
    wait(&pending_, 1);
}

void transport::all_gather(std::span<std::byte const> mine, bool equal, take_block const& take) {
    require_sound();
    if (ranks_ == 1) return take(0, mine);
    if (!equal) return gather_blocks(mine, take);
    if (!mine.empty()) {
        gathered_.resize(mine.size() * std::size_t(ranks_));
        perform(collective::gather, std::int64_t(mine.size()), mine.data(), gathered_.data());
    }
    for (int p = 0; p < ranks_; ++p)
        take(p, std::span<std::byte const>(gathered_).subspan(std::size_t(p) * mine.size(), mine.size()));
}

void transport::gather_blocks(std::span<std::byte const> mine, take_block const& take) {
    auto const size = std::int64_t(mine.size());
    sizes_.assign(std::size_t(ranks_), 0);
    perform(collective::sizes, sizeof size, &size, sizes_.data());
    if (padded_total() > max_bytes) return exchange_blocks(mine, take);
    gathered_.resize(std::size_t(padded_total()));
    std::byte const nothing{};
    perform(collective::blocks, 0, mine.empty() ? &nothing : mine.data(), gathered_.data());
    std::size_t at = 0;
    for (int p = 0; p < ranks_; ++p) {
        std::int64_t const of_rank = sizes_[std::size_t(p)];
        take(p, std::span<std::byte const>(gathered_).subspan(at, std::size_t(of_rank)));
        at += std::size_t(padded(of_rank));
    }
}

/// The same by messages, for blocks that are longer than a collective takes.
void transport::exchange_blocks(std::span<std::byte const> mine, take_block const& take) {
    std::vector<std::vector<std::byte>> blocks(static_cast<std::size_t>(ranks_));
    std::vector<rank_message> sends, receives;
    for (int p = 0; p < ranks_; ++p) {
        if (p == rank_) continue;
        auto& block = blocks[std::size_t(p)];
        block.resize(std::size_t(sizes_[std::size_t(p)]));
        receives.push_back({p, block.data(), block.size()});
        sends.push_back({p, const_cast<std::byte*>(mine.data()), mine.size()}); // is only read
    }
    start(sends, receives)->finish();
    for (int p = 0; p < ranks_; ++p) take(p, p == rank_ ? mine : std::span<std::byte const>(blocks[std::size_t(p)]));
}

void transport::all_to_all(void const* mine, std::size_t bytes, void* from) {
    require_sound();
    if (ranks_ == 1)
        std::memcpy(from, mine, bytes);
    else if (bytes > 0)
        perform(collective::all_to_all, std::int64_t(bytes), mine, from);
}

std::unique_ptr<rank_exchange> transport::start(std::span<rank_message const> sends,
                                                std::span<rank_message const> receives) {
    require_sound();
    return std::make_unique<messages>(*this, sends, receives);
}

bool transport::reads_devices() const {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    char const* const choice = std::getenv("COPPICE_MPI_DEVICE_BUFFERS");
    return device_ && MPIX_Query_cuda_support() == 1 && !(choice && std::string(choice) == "0");
#else
    return false;
#endif
}

device_group const* transport::devices() {
    if (!device_ || devices_made_) return devices_.get();
    devices_made_ = true;
    devices_ = device_group::connect(*device_, *this, why_no_devices_);
    return devices_.get();
}

void transport::send_reports(outcome how) {
    if (own_.how != outcome::running) return;
    own_.how = how;
    own_.sent = sent_[std::size_t(rank_)];
    reports_[std::size_t(rank_)] = own_;
    sent_reports_.assign(std::size_t(ranks_), own_);
    for (int p = 0; p < ranks_; ++p) {
        if (p == rank_) continue;
        rank_report& to = sent_reports_[std::size_t(p)];
        to.sent = sent_[std::size_t(p)];
        report_requests_.push_back(MPI_REQUEST_NULL);
        check(MPI_Isend(&to, sizeof to, MPI_BYTE, p, report_tag, control_, &report_requests_.back()), "MPI_Isend");
    }
}

void transport::receive_reports() {
    for (;;) {
        int found = 0;
        MPI_Status status{};
        check(MPI_Iprobe(MPI_ANY_SOURCE, report_tag, control_, &found, &status), "MPI_Iprobe");
        if (!found) return;
        rank_report arrived;
        check(MPI_Recv(&arrived, sizeof arrived, MPI_BYTE, status.MPI_SOURCE, report_tag, control_, MPI_STATUS_IGNORE),
              "MPI_Recv");
        rank_report& of_rank = reports_[std::size_t(status.MPI_SOURCE)];
        if (of_rank.how == outcome::running)
            of_rank = arrived;
        else // the rank has left this run() and ended the next one
            early_.emplace_back(status.MPI_SOURCE, arrived);
    }
}

void transport::stop_if_others_ended() {
    receive_reports();
    for (std::size_t p = 0; p < reports_.size(); ++p) {
        rank_report const& of = reports_[p];
        if (of.how == outcome::failed || of.how == outcome::stopped) {
            complete_communication(outcome::stopped);
            throw error(error_code::device, "a rank has failed");
        }
        if (of.how == outcome::ended && (of.started < own_.started || of.sent < expected_[p])) {
            complete_communication(outcome::failed);
            throw argument_error("rank " + std::to_string(p) +
                                 " has ended while others still exchange values: ranks must make the same calls");
        }
    }
}

void transport::wait_for_reports() {
    for (int polls = 0;; ++polls) {
        receive_reports();
        if (std::none_of(reports_.begin(), reports_.end(),
                         [](rank_report const& n) { return n.how == outcome::running; }))
            break;
        rest_between_polls(polls, crowded_);
    }
    check(MPI_Waitall(int(report_requests_.size()), report_requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    report_requests_.clear();
}

/// Completes the communication of all ranks. Collective: every rank comes here, because it fails, finds a report of one
/// that has, or leaves run().
void transport::complete_communication(outcome how) {
    if (broken_) return;
    broken_ = true;
    send_reports(how);
    if (devices_) devices_->abort();
    wait_for_reports();
    complete_last_collective();
    drain_messages();
}

/// A collective ends on no rank before all ranks have started it, so a rank lacks at most one that others have started.
void transport::complete_last_collective() {
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): begin() has started it
    if (pending_ != MPI_REQUEST_NULL) check(MPI_Wait(&pending_, MPI_STATUS_IGNORE), "MPI_Wait");
    auto const last =
        *std::max_element(reports_.begin(), reports_.end(),
                          [](rank_report const& a, rank_report const& b) { return a.started < b.started; });
    if (own_.started == last.started) return;
    // For a collective of blocks, padded_total() is known: the sizes of the blocks were exchanged by the collective
    // before it.
    auto const total = std::size_t(last.last == collective::blocks ? padded_total() : last.bytes * ranks_);
    std::vector<std::byte> const nothing(total, std::byte{});
    std::vector<std::byte> all(total, std::byte{});
    begin(last.last, last.bytes, nothing.data(), all.data());
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): begin() has started it
    check(MPI_Wait(&pending_, MPI_STATUS_IGNORE), "MPI_Wait");
}

void transport::drain_messages() {
    std::vector<std::int64_t> arrived = expected_;
    for (messages* const pending : open_) pending->cancel_receives(arrived);
    std::vector<char> unread;
    for (int p = 0; p < ranks_; ++p) {
        for (std::int64_t k = arrived[std::size_t(p)]; k < reports_[std::size_t(p)].sent; ++k) {
            MPI_Status status{};
            int bytes = 0;
            check(MPI_Probe(p, data_tag, data_, &status), "MPI_Probe");
            check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
            unread.resize(std::size_t(bytes));
            check(MPI_Recv(unread.data(), bytes, MPI_BYTE, p, data_tag, data_, MPI_STATUS_IGNORE), "MPI_Recv");
        }
    }
    for (messages* const pending : open_) pending->wait_for_sends();
    open_.clear();
}

void transport::reset() {
    own_ = {};
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(expected_.begin(), expected_.end(), 0);
    std::fill(reports_.begin(), reports_.end(), rank_report{});
    for (auto const& [rank, arrived] : early_) reports_[std::size_t(rank)] = arrived;
    early_.clear();
    if (broken_ && devices_) {
        devices_.reset();
        devices_made_ = false;
    }
    broken_ = false;
}

int transport::first_failed() const {
    auto const found =
        std::find_if(reports_.begin(), reports_.end(), [](rank_report const& n) { return n.how == outcome::failed; });
    return found == reports_.end() ? -1 : int(found - reports_.begin());
}

/// The end of run() on all ranks: they agree on the first rank that failed.
void transport::close(std::exception_ptr const& failure, int code, std::string const& why) {
    send_reports(failure ? outcome::failed : outcome::ended);
    if (!broken_) wait_for_reports();
    failed_rank_ = first_failed();
    if (failed_rank_ < 0) return reset();
    complete_communication(outcome::stopped);
    std::array<std::int64_t, 2> about{code, std::int64_t(why.size())};
    check(MPI_Bcast(about.data(), sizeof about, MPI_BYTE, failed_rank_, control_), "MPI_Bcast");
    std::string text = why;
    text.resize(std::size_t(about[1]));
    check(MPI_Bcast(text.data(), int(text.size()), MPI_BYTE, failed_rank_, control_), "MPI_Bcast");
    reset();
    if (rank_ == failed_rank_) std::rethrow_exception(failure);
    throw error(error_code(about[0]), "rank " + std::to_string(failed_rank_) + " failed: " + text);
}

void transport::run(std::function<void()> const& work) {
    std::exception_ptr failure;
    int code = int(error_code::device);
    std::string why;
    try {
        work();
    } catch (error const& e) {
        failure = std::current_exception();
        code = int(e.code());
        why = e.what();
    } catch (std::bad_alloc const&) {
        failure = std::current_exception();
        code = int(error_code::out_of_memory);
        why = "not enough memory";
    } catch (std::exception const& e) {
        failure = std::current_exception();
        why = e.what();
    } catch (...) {
        failure = std::current_exception();
        why = "an exception of no known type";
    }
    if (why.size() > 4096) why.resize(4096);
    close(failure, code, why);
}

} // namespace coppice::inline v0_1::mpi
