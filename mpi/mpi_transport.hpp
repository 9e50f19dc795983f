// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// rank_transport over MPI, in which no rank waits for one that has failed.
///
/// A rank that fails, or whose function has returned, sends a report to all others. Ranks that wait test for reports;
/// one that finds a failure sends its reports too and throws. Before a rank throws, it completes the communication that
/// is pending: a collective that others have started, and messages that others have sent (complete_communication()). So
/// MPI has no pending operation on memory that an exception frees, and the communicator stays usable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/rank_transport.hpp>

namespace coppice::inline v0_1::mpi {

/// Throws if an MPI function has failed.
void check(int status, char const* function);

/// A duplicate of a communicator whose errors are return values.
class duplicate {
public:
    explicit duplicate(MPI_Comm of);
    ~duplicate();
    duplicate(duplicate const&) = delete;
    duplicate& operator=(duplicate const&) = delete;
    operator MPI_Comm() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

class transport final : public process_ranks {
public:
    explicit transport(MPI_Comm comm);
    ~transport() override = default;

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }
    void all_gather(std::span<std::byte const> mine, bool equal, take_block const& take) override;
    void all_to_all(void const* mine, std::size_t bytes, void* from) override;
    std::unique_ptr<rank_exchange> start(std::span<rank_message const> sends,
                                         std::span<rank_message const> receives) override;
    bool reads_devices() const override;
    device_group const* devices() override;
    std::string why_no_devices() const override { return device_ ? why_no_devices_ : rank_transport::why_no_devices(); }

    void run(std::function<void()> const& work) override;
    int failed_rank() const override { return failed_rank_; }
    int local_rank() const override { return local_rank_; }
    int local_ranks() const override { return local_ranks_; }
    void use_device(cuda_executor const& exec) override { device_ = std::make_unique<cuda_executor>(exec); }

private:
    class messages;
    enum class collective : std::int32_t { none, gather, sizes, blocks, all_to_all };
    enum class outcome : std::int32_t { running, ended, failed, stopped }; ///< stopped: because another rank failed
    /// Report that a rank sends to all others when it leaves run() or fails.
    struct rank_report {
        outcome how = outcome::running;
        collective last = collective::none; ///< the last collective that it has started
        std::int64_t bytes = 0;             ///< of that collective, for each rank
        std::int64_t started = 0;           ///< number of collectives
        std::int64_t sent = 0;              ///< number of messages to the rank that receives the report
    };

    /// Starts a collective and waits for it. All ranks have sent something when it is complete.
    void perform(collective what, std::int64_t bytes, void const* mine, void* all);
    void begin(collective what, std::int64_t bytes, void const* mine, void* all);
    void gather_blocks(std::span<std::byte const> mine, take_block const& take);
    std::int64_t padded_total() const;
    void exchange_blocks(std::span<std::byte const> mine, take_block const& take);
    void wait(MPI_Request* requests, int count);
    void require_sound() const;

    void send_reports(outcome how);
    void receive_reports();
    void wait_for_reports();
    /// Whether this rank waits for something that never comes; throws then, after complete_communication().
    void stop_if_others_ended();
    void complete_communication(outcome how);
    void complete_last_collective();
    void drain_messages();
    void reset();
    int first_failed() const;
    void close(std::exception_ptr const& failure, int code, std::string const& why);

    duplicate data_, control_;
    int rank_ = 0, ranks_ = 1, local_rank_ = 0, local_ranks_ = 1, failed_rank_ = -1;
    bool crowded_ = false; ///< the ranks of this machine share cores
    std::vector<std::byte> gathered_{};
    std::vector<std::int64_t> sizes_{}; ///< of the blocks of all ranks, in bytes
    MPI_Request pending_ = MPI_REQUEST_NULL;
    std::array<std::vector<int>, 2> block_layout_{}; ///< of blocks, which MPI reads until they have arrived
    rank_report own_{};
    std::vector<std::int64_t> sent_, expected_; ///< messages to and from each rank
    std::vector<messages*> open_{};
    std::vector<rank_report> reports_;                 ///< of all ranks
    std::vector<std::pair<int, rank_report>> early_{}; ///< of the next run(), with their ranks
    std::vector<rank_report> sent_reports_{};
    std::vector<MPI_Request> report_requests_{};
    bool broken_ = false;
    std::unique_ptr<cuda_executor> device_{};
    std::shared_ptr<device_group> devices_{};
    bool devices_made_ = false;
    std::string why_no_devices_{};
};

} // namespace coppice::inline v0_1::mpi
