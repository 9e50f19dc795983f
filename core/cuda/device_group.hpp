// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Collectives between the devices of this process, by NCCL, which is looked for when it is first needed: neither a
/// build nor a machine has to have it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <coppice/core/cuda/cuda_executor.hpp>

namespace coppice {

/// Makes the device of `exec` current for the calling thread, as the constructors of executors do: a thread needs that
/// before it queues work of an executor that another one made.
void make_current(cuda_executor const& exec);

/// Bytes of memory that the device has, in use or not.
std::size_t device_memory(cuda_executor const& exec);

/// Bytes of device memory on their way to or from another rank.
struct device_message {
    int rank;
    void* at;
    std::size_t bytes;
};

/// One communicator for each of several executors, which are on devices of their own. Parts call from threads of their
/// own, all of them, in the same order; what is called is queued on `exec`'s stream, and the host waits for nothing.
class device_group {
public:
    /// Null where NCCL is missing, two executors share a device, or there is but one; `why_not` says so.
    static std::shared_ptr<device_group> make(std::vector<cuda_executor> const& executors, std::string& why_not);
    ~device_group();
    device_group(device_group const&) = delete;
    device_group& operator=(device_group const&) = delete;

    /// `bytes` at `mine` of every rank go to `all` of every rank, by number of the rank.
    void all_gather(int rank, cuda_executor const& exec, void const* mine, void* all, std::size_t bytes) const;
    /// Sends and receives; each is the other side of one of another rank, of the same size.
    void exchange(int rank, cuda_executor const& exec, std::span<device_message const> sends,
                  std::span<device_message const> receives) const;
    /// Ends what waits for a rank that will not come. No call may follow.
    void abort() noexcept;

    /// Version of NCCL, as it counts: 22800 is 2.28.0.
    static int nccl_version();

private:
    struct state;
    explicit device_group(std::unique_ptr<state> made);
    std::unique_ptr<state> state_;
};

} // namespace coppice
