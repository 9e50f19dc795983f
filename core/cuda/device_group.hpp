// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Collective communication between the devices of this process by NCCL. The library is loaded at first use; it is
/// required neither at build time nor at run time. COPPICE_NCCL in the environment is the path of the library, or
/// "off".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/rank_transport.hpp>

namespace coppice::inline v0_1 {

/// Makes the device of `exec` the current device of the calling thread, as the constructors of executors do. A thread
/// calls this before it queues work of an executor that another thread created.
void make_current(cuda_executor const& exec);

/// Returns the size of the memory of the device in bytes, including memory in use.
std::size_t device_memory(cuda_executor const& exec);
/// Returns the bytes that are free on the device, without those that executors keep for later calls.
std::size_t free_device_memory(cuda_executor const& exec);

/// Group of communicators, one for each executor; the executors are on different devices. Each rank calls the members
/// from its own thread; all ranks call the same members in the same order. The communication is queued on the stream of
/// `exec`; the host does not wait.
class device_group {
public:
    /// Returns null if NCCL is missing, two executors share a device, or there is only one executor; `why_not` is the
    /// reason. A library in COPPICE_NCCL decides itself whether executors may share a device.
    static std::shared_ptr<device_group> make(std::vector<cuda_executor> const& executors, std::string& why_not);
    /// The same for executors in separate processes, one for each rank of `ranks`, with NCCL on all of them.
    /// Collective.
    static std::shared_ptr<device_group> connect(cuda_executor const& exec, rank_transport& ranks,
                                                 std::string& why_not);
    ~device_group();
    device_group(device_group const&) = delete;
    device_group& operator=(device_group const&) = delete;

    /// Gathers `bytes` bytes at `mine` of every rank into `all` of every rank, in the order of ranks.
    void all_gather(int rank, cuda_executor const& exec, void const* mine, void* all, std::size_t bytes) const;
    /// Sends and receives messages. Each send has a matching receive of the same size on the other rank, and vice
    /// versa.
    void exchange(int rank, cuda_executor const& exec, std::span<rank_message const> sends,
                  std::span<rank_message const> receives) const;
    /// Cancels communication that waits for a rank that does not take part. Later calls throw device_error.
    void abort() noexcept;

    /// Returns the version of NCCL in its own encoding: 22800 is 2.28.0.
    static int nccl_version();

private:
    struct state;
    explicit device_group(std::unique_ptr<state> made);
    std::unique_ptr<state> state_;
};

} // namespace coppice::inline v0_1
