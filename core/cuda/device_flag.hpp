// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A yes or no that the device finds out and that the host looks at without waiting.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <coppice/core/config.hpp>
#include <coppice/core/cuda/cuda_executor.hpp>

namespace coppice {

/// A word of host memory that a kernel writes. Until the kernel has come to it the answer is no: for choices that
/// change the speed and nothing else. Asking neither waits nor touches a stream, so it is allowed while a CUDA graph is
/// captured.
class device_note {
public:
    /// Never written: says no.
    device_note() = default;
    /// Leases a word from a pool of the process. Where the machine gives none, the note is never written.
    explicit device_note(cuda_executor const& exec);

    bool says_yes() const {
        return lease_ && std::atomic_ref(*static_cast<std::uint64_t*>(lease_.get())).load(std::memory_order_relaxed) ==
                             (mark_ | 1);
    }

    /// What a kernel writes through; one thread of it.
    struct place {
        std::uint64_t* word;
        std::uint64_t mark;
        COPPICE_HD void write(bool yes) const {
            if (word) *static_cast<std::uint64_t volatile*>(word) = mark | std::uint64_t(yes);
        }
    };
    place for_device() const { return {static_cast<std::uint64_t*>(lease_.get()), mark_}; }

private:
    std::shared_ptr<void> lease_{};
    /// Tells this note from earlier ones of the same word, whose kernels may still be queued.
    std::uint64_t mark_ = 0;
};

} // namespace coppice
