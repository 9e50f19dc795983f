// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Boolean that a kernel computes and that the host reads without waiting.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <coppice/core/config.hpp>
#include <coppice/core/cuda/cuda_executor.hpp>

namespace coppice::inline v0_1 {

/// Word of host memory that a kernel writes. It reads as false until the kernel has written it, so it is only suited to
/// choices that affect speed and not results. Reading neither waits nor uses a stream, so it is allowed during the
/// capture of a CUDA graph.
class device_flag {
public:
    /// Always false; no kernel writes it.
    device_flag() = default;
    /// Takes a word from a pool of the process. If the machine has no pinned memory left, the flag remains false.
    explicit device_flag(cuda_executor const& exec);

    bool is_set() const {
        return lease_ && std::atomic_ref(*static_cast<std::uint64_t*>(lease_.get())).load(std::memory_order_relaxed) ==
                             (tag_ | 1);
    }

    /// Device-side handle; one thread of the kernel writes the flag.
    struct writer {
        std::uint64_t* word;
        std::uint64_t tag;
        COPPICE_HD void write(bool yes) const {
            if (word) *static_cast<std::uint64_t volatile*>(word) = tag | std::uint64_t(yes);
        }
    };
    writer for_kernel() const { return {static_cast<std::uint64_t*>(lease_.get()), tag_}; }

private:
    std::shared_ptr<void> lease_{};
    /// Distinguishes this flag from earlier users of the same word, whose kernels may still be queued.
    std::uint64_t tag_ = 0;
};

} // namespace coppice::inline v0_1
