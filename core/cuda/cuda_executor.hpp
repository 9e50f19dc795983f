// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executor that works on one NVIDIA GPU. Compiles without nvcc and without CUDA headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <coppice/core/memory.hpp>

struct CUstream_st; // cudaStream_t points to it

namespace coppice {

/// Number of CUDA devices that can be used; 0 in a build without CUDA, without a driver or without a device.
int cuda_device_count() noexcept;

/// Runs work on one CUDA device, in the order of one stream, with a stream-ordered memory pool.
///
/// A cheap handle: copies share stream and pool. Operations return before the work is done unless they hand a value
/// back to the host, which they say. Not to be used from several host threads at once.
class cuda_executor {
public:
    /// A stream of its own on `device`. Throws backend_error where this build or machine has no such device.
    explicit cuda_executor(int device = 0);
    /// Joins the caller's stream, which must belong to `device` and outlive the executor and its buffers; null is the
    /// default stream of the device, that of CuPy and PyTorch.
    cuda_executor(int device, CUstream_st* stream);

    int device() const;
    CUstream_st* stream() const;
    /// Number of multiprocessors of the device.
    int multiprocessors() const;
    /// Name of the device, as the driver gives it: "NVIDIA H200".
    std::string const& name() const;
    std::shared_ptr<memory_resource> const& memory() const;

    /// Waits for everything queued on the stream; throws device_error when some of it failed.
    void synchronize() const;

    /// Queues a copy of `count` elements; either side may be host or device memory. A copy that touches host memory
    /// has finished when the call returns.
    template <class T>
    void copy_elements(T const* from, T* to, std::int64_t count) const {
        copy_bytes(from, to, static_cast<std::size_t>(count) * sizeof(T));
    }

    /// The element at device address `pointer`; waits for the stream.
    template <class T>
    T load(T const* pointer) const {
        T value;
        load_bytes(pointer, &value, sizeof(T));
        return value;
    }

    /// A copy of `thing` (buffer, csr, ...) in this executor's memory, wherever it lives now.
    template <class Thing>
    auto copy(Thing const& thing) const {
        return copy_of(*this, thing);
    }

    /// While one lives, what is queued on stream() is recorded there. The default stream cannot record graphs, and
    /// streams that keep its order break what others queue on it meanwhile: stream() is another one then.
    class recording;

private:
    struct state;
    void copy_bytes(void const* from, void* to, std::size_t bytes) const;
    void load_bytes(void const* from, void* to, std::size_t bytes) const;
    static std::shared_ptr<state> made(int device, CUstream_st* stream); ///< null: with a stream of its own
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

} // namespace coppice
