// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executor that runs work on one NVIDIA GPU. This header compiles without nvcc and without CUDA headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <coppice/core/memory.hpp>

struct CUstream_st; // cudaStream_t points to it

namespace coppice::inline v0_1 {

/// Returns the number of usable CUDA devices; 0 in a build without CUDA, without a driver or without a device.
int cuda_device_count() noexcept;

/// Runs work on one CUDA device in the order of one stream, with a stream-ordered memory pool.
///
/// Freed memory, up to a sixteenth of that of the device, is kept for the next allocation of about its size; the pool
/// keeps the rest. Copies share the stream and the pool and cost little. Operations are asynchronous, except those that
/// are documented to return a value to the host. An executor must not be used by several host threads at the same time.
/// Its device must be the current device of the thread that uses it, as it is for the one that created it
/// (make_current()).
class cuda_executor {
public:
    /// Creates a new stream on `device`. Throws backend_error if this build or machine has no such device.
    explicit cuda_executor(int device = 0);
    /// Uses the stream of the caller, which must belong to `device` and must outlive the executor and its buffers. Null
    /// is the default stream of the device, which CuPy and PyTorch use.
    cuda_executor(int device, CUstream_st* stream);

    int device() const;
    CUstream_st* stream() const;
    /// Returns the number of multiprocessors of the device.
    int multiprocessors() const;
    /// Returns the name of the device as the driver reports it, for example "NVIDIA H200".
    std::string const& name() const;
    std::shared_ptr<memory_resource> const& memory() const;

    /// Returns an executor of the same device with another stream, the same for all copies of this executor: for
    /// transfers that overlap with work of this executor.
    cuda_executor second_stream() const;

    /// Waits until all work of the stream is complete. Throws device_error if any of it failed.
    void synchronize() const;

    /// Queues a copy of `count` elements between memory of the device or the host. A copy from or to host memory is
    /// complete when the call returns.
    template <class T>
    void copy_elements(T const* from, T* to, std::int64_t count) const {
        copy_bytes(from, to, static_cast<std::size_t>(count) * sizeof(T));
    }

    /// Returns the element at the device address `pointer`. Waits for the stream.
    template <class T>
    T load(T const* pointer) const {
        T value;
        load_bytes(pointer, &value, sizeof(T));
        return value;
    }

    /// Copies `thing` (buffer, csr, ...) from any memory space into memory of this executor.
    template <class Thing>
    auto copy(Thing const& thing) const {
        return copy_of(*this, thing);
    }

    /// Scope in which work on stream() may be captured into a graph. The legacy default stream cannot be captured, and
    /// streams that synchronise with it are disturbed by other work on it; in such a scope stream() is therefore
    /// another stream.
    class recording;

private:
    struct state;
    explicit cuda_executor(std::shared_ptr<state> shared) : state_(std::move(shared)) {}
    void copy_bytes(void const* from, void* to, std::size_t bytes) const;
    void load_bytes(void const* from, void* to, std::size_t bytes) const;
    static std::shared_ptr<state> made(int device, CUstream_st* stream); ///< null: creates a new stream
    std::shared_ptr<state> state_;
};

class cuda_executor::recording {
public:
    explicit recording(cuda_executor const& exec);
    ~recording();
    recording(recording const&) = delete;
    recording& operator=(recording const&) = delete;

private:
    std::shared_ptr<state> state_;
};

} // namespace coppice::inline v0_1
