// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How ranks exchange bytes: the interface that the memory of one process (multi_executor.hpp) and MPI
/// (<coppice/mpi.hpp>) implement. rank_communicator gives it types.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace coppice::inline v0_1 {

class device_group;
class cuda_executor;

/// Bytes that are sent to or received from another rank.
struct rank_message {
    int rank;
    void* at;
    std::size_t bytes;
};

/// An exchange between ranks that has started. Until finish() returns, the sent bytes must stay unchanged, and the
/// received ones must not be read. If it is destroyed before, the ranks have failed.
class rank_exchange {
public:
    rank_exchange() = default;
    rank_exchange(rank_exchange const&) = delete;
    rank_exchange& operator=(rank_exchange const&) = delete;
    virtual ~rank_exchange() = default;
    virtual void finish() = 0;
};

/// Transfer of bytes in host memory between one rank and all others. All members except rank(), ranks() and
/// reads_devices() are collective: every rank calls them in the same order. They throw if another rank has failed or
/// has returned, and never wait for such a rank.
class rank_transport {
public:
    /// Receives the bytes of a rank, which are valid during the call. It is called for all ranks in their order.
    using take_block = std::function<void(int rank, std::span<std::byte const>)>;

    rank_transport() = default;
    rank_transport(rank_transport const&) = delete;
    rank_transport& operator=(rank_transport const&) = delete;
    virtual ~rank_transport() = default;

    virtual int rank() const = 0;
    virtual int ranks() const = 0;
    /// Gives the bytes of every rank to every rank. `equal`: all ranks have equally many bytes, which saves one
    /// message.
    virtual void all_gather(std::span<std::byte const> mine, bool equal, take_block const& take) = 0;
    /// Element p of `mine`[ranks * bytes] becomes element `rank` of `from`[ranks * bytes] on rank p.
    virtual void all_to_all(void const* mine, std::size_t bytes, void* from) = 0;
    /// Starts to send and receive messages. Every message has a counterpart of the same size on the other rank; between
    /// two ranks the order is the same.
    virtual std::unique_ptr<rank_exchange> start(std::span<rank_message const> sends,
                                                 std::span<rank_message const> receives) = 0;
    /// Whether messages of start() may be in device memory.
    virtual bool reads_devices() const { return false; }
    /// Communicators between the devices of all ranks; null if there are none, with the reason.
    virtual device_group const* devices() { return nullptr; }                          // not covered: devices only
    virtual std::string why_no_devices() const { return "the ranks are on the host"; } // not covered: devices only
};

/// A rank that is a separate process, and its transport.
class process_ranks : public rank_transport {
public:
    /// Calls work(), in which the ranks communicate; all ranks call run() together. If work() throws on a rank, the
    /// others throw at their next communication, and run() throws on all ranks: the exception itself on the first rank
    /// that failed, and on others an `error` with the same code and message, and the rank. A rank that waits for one
    /// whose work() has returned fails with argument_error. After that the ranks may call run() again.
    virtual void run(std::function<void()> const& work) = 0;
    /// The rank that the last run() names as the first one that failed; -1 if none has.
    virtual int failed_rank() const = 0;
    /// Position of this rank among those of the same machine, which share its devices and cores, and their number.
    virtual int local_rank() const = 0;
    virtual int local_ranks() const = 0;
    /// `exec`, of this rank, takes part in devices(). Called by all ranks before the first run().
    virtual void use_device(cuda_executor const& exec) = 0;
};

} // namespace coppice::inline v0_1
