// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Interface that the body of a CUDA block kernel uses.
///
/// Kernel bodies are function templates over a `Block`, so that tests/support/block_stand_in.hpp can run the same code
/// on CPU threads under the thread sanitizer. A Block provides:
///
///     int block.thread(), block.threads()      index of the thread in the block, number of threads of the block
///     void block.sync()                        barrier of all threads of the block
///     bool block.sync_any(condition)           barrier; returns true on every thread if any thread passed true
///     void block.sync_warp()                   barrier of the lanes of the warp of this thread
///     T block.from_lane(value, lane)           `value` of another lane of the warp; all 32 lanes call it
///     unsigned block.ballot(condition)         bit l is the condition of lane l of the warp; all 32 lanes call it
///     block.await_predecessor()                waits until earlier work of the stream is done and visible; all threads
///     block.init_barrier(barrier)              initialises a copy barrier: a 64-bit word of shared memory, called
///                                              before the first copy
///     block.copy(to, from, bytes, barrier, once)
///                                              starts a copy to shared memory; all threads call it. Addresses and size
///                                              are multiples of 16. `once`: the source is evicted from the cache first
///     block.pass_barrier(barrier)              barrier of all threads; afterwards they see the copied data
///     block.publish(slot, value)               one thread passes a value of at most 8 bytes to another block
///     T block.collect<T>(slot)                 one thread of a later block waits for the value and clears the slot
///     block.collect(slots, stride, end, out)   collects slots[0], slots[stride], ... before slots[end], at most
///                                              as many as out[] has elements; the loads overlap
///     block.write_message(words, value)        one thread passes a value of any trivially copyable type to all later
///                                              blocks, in message_words<T> words that are initially zero
///     T block.await_message<T>(words)          a thread of a later block waits for the value; the words keep it
///     block.publish_after_fence(slot), block.collect_before_fence(slot)
///                                              pass a signal; data in global memory that was written before the signal
///                                              is visible after it
///
/// Lanes are the 32 consecutive threads of a warp. The launcher passes `shared` memory as a pointer.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

inline constexpr int warp_lanes = 32;

/// Index of the lowest set bit of `lanes`, which is not 0. (nvcc 13.0 folds std::countr_zero to 32 in device code.)
COPPICE_HD inline int first_lane(unsigned lanes) { // not covered: called by kernels
#if defined(__CUDA_ARCH__)
    return __ffs(int(lanes)) - 1;
#else
    return __builtin_ctz(lanes);
#endif
}

/// Number of bits that are set in `lanes`.
COPPICE_HD inline int count_lanes(unsigned lanes) {
#if defined(__CUDA_ARCH__)
    return __popc(lanes);
#else
    return __builtin_popcount(lanes);
#endif
}

/// Slot in which one block passes a value to another: two halves, each with a bit that is set if the half is present.
/// Zero before and after the exchange.
struct alignas(16) hand_over_slot {
    std::uint64_t half[2];
};

/// Number of words of a message. Each word carries 32 bits of the value and a bit that is set if they are present.
template <class T>
inline constexpr int message_words = int((sizeof(T) + 3) / 4);

#if defined(__CUDACC__)

/// Block of the running CUDA kernel.
struct cuda_block {
    __device__ int thread() const { return int(threadIdx.x); }
    __device__ int threads() const { return int(blockDim.x); }
    __device__ void sync() const { __syncthreads(); }
    __device__ bool sync_any(bool condition) const { return __syncthreads_or(condition) != 0; }
    __device__ void sync_warp() const { __syncwarp(); }
    __device__ void await_predecessor() const {
#if __CUDA_ARCH__ >= 900
        asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    }

#if __CUDA_ARCH__ >= 900
    // One thread starts the copies on the bulk copy engine, which bypasses registers and load units.
    __device__ void init_barrier(std::uint64_t* barrier) const {
        if (threadIdx.x > 0) return;
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __device__ void copy(void* to, void const* from, int bytes, std::uint64_t* barrier, bool once) const {
        if (threadIdx.x > 0) return;
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                     : "memory");
        if (once) {
            std::uint64_t policy;
            asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], "
                         "%2, [%3], %4;" ::"r"(shared_address(to)),
                         "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
                         : "memory");
            return;
        }
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(to)),
                     "l"(from), "r"(bytes), "r"(shared_address(barrier))
                     : "memory");
    }
    __device__ void pass_barrier(std::uint64_t* barrier) const {
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
        __syncthreads();
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "again: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
                     "@!done bra again;\n"
                     "}" ::"r"(shared_address(barrier))
                     : "memory");
    }
#else
    __device__ void init_barrier(std::uint64_t*) const {}
    __device__ void copy(void* to, void const* from, int bytes, std::uint64_t*, bool) const {
        for (int i = 16 * int(threadIdx.x); i < bytes; i += 16 * int(blockDim.x))
            *reinterpret_cast<int4*>(static_cast<char*>(to) + i) =
                *reinterpret_cast<int4 const*>(static_cast<char const*>(from) + i);
    }
    __device__ void pass_barrier(std::uint64_t*) const { __syncthreads(); }
#endif

    // The value and its presence bit are written as one word, so that no fence is needed. A fence reaches every slice
    // of the second-level cache: some ten thousand fences take 10 % of the time of a product with a power-law matrix.
    template <class T>
    __device__ void publish(hand_over_slot* slot, T const& value) const {
        static_assert(sizeof(T) <= 8);
        unsigned halves[2] = {};
        __builtin_memcpy(halves, &value, sizeof(T));
        if constexpr (sizeof(T) > 4)
            store_both(slot, halves[0] | present_bit, halves[1] | present_bit);
        else
            store_word(&slot->half[0], halves[0] | present_bit);
    }
    template <class T>
    __device__ T collect(hand_over_slot* slot) const {
        union carrier {
            __device__ carrier() {}
            T value;
            unsigned halves[2];
        } c;
        if constexpr (sizeof(T) > 4) {
            std::uint64_t first, second;
            do load_both(slot, first, second);
            while (first < present_bit || second < present_bit);
            store_both(slot, 0, 0);
            c.halves[0] = unsigned(first), c.halves[1] = unsigned(second);
        } else {
            c.halves[0] = take_word(&slot->half[0]);
        }
        return c.value;
    }
    template <class T, int Count>
    __device__ void collect(hand_over_slot* slots, int stride, int end, T (&out)[Count]) const {
        static_assert(sizeof(T) == 8);
        std::uint64_t first[Count], second[Count];
#pragma unroll
        for (int k = 0; k < Count; ++k)
            if (k * stride < end) load_both(slots + k * stride, first[k], second[k]);
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            if (k * stride >= end) break;
            while (first[k] < present_bit || second[k] < present_bit)
                load_both(slots + k * stride, first[k], second[k]);
            store_both(slots + k * stride, 0, 0);
            unsigned const halves[2] = {unsigned(first[k]), unsigned(second[k])};
            __builtin_memcpy(&out[k], halves, sizeof(T));
        }
    }
    template <class T>
    __device__ void write_message(std::uint64_t* words, T const& value) const {
        unsigned words_of[message_words<T>] = {};
        __builtin_memcpy(words_of, &value, sizeof(T));
#pragma unroll
        for (int w = 0; w < message_words<T>; ++w) store_word(words + w, words_of[w] | present_bit);
    }
    template <class T>
    __device__ T await_message(std::uint64_t* words) const {
        union carrier {
            __device__ carrier() {}
            T value;
            unsigned words_of[message_words<T>];
        } c;
#pragma unroll
        for (int w = 0; w < message_words<T>; ++w) c.words_of[w] = unsigned(await_word(words + w));
        return c.value;
    }
    __device__ void publish_after_fence(hand_over_slot* slot) const {
        __threadfence();
        publish(slot, 0);
    }
    __device__ void collect_before_fence(hand_over_slot* slot) const {
        collect<int>(slot);
        __threadfence();
    }

    __device__ unsigned ballot(bool condition) const { return __ballot_sync(0xffffffffu, condition); }

    /// Returns the `value` of lane `source`. T is trivially copyable; the value is exchanged in 32-bit words.
    template <class T>
    __device__ T from_lane(T value, int source) const {
        constexpr int words = int((sizeof(T) + 3) / 4);
        union carrier { // T need not be default constructible
            __device__ carrier() {}
            T value;
            unsigned word[words];
        } c;
        c.value = value;
#pragma unroll
        for (int w = 0; w < words; ++w) c.word[w] = __shfl_sync(0xffffffffu, c.word[w], source);
        return c.value;
    }

private:
    static constexpr std::uint64_t present_bit = std::uint64_t(1) << 32;
    __device__ static void store_word(std::uint64_t* to, std::uint64_t word) {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
    }
    __device__ static void store_both(hand_over_slot* to, std::uint64_t first, std::uint64_t second) {
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(first), "l"(second) : "memory");
    }
    __device__ static void load_both(hand_over_slot const* from, std::uint64_t& first, std::uint64_t& second) {
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(from) : "memory");
    }
    __device__ static std::uint64_t await_word(std::uint64_t const* from) {
        std::uint64_t word;
        do asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
        while (word < present_bit);
        return word;
    }
    __device__ static unsigned take_word(std::uint64_t* from) {
        std::uint64_t const word = await_word(from);
        store_word(from, 0);
        return unsigned(word);
    }
    __device__ static unsigned shared_address(void const* p) { return unsigned(__cvta_generic_to_shared(p)); }
};

/// Block whose size is a compile-time constant: strided accesses of a thread then need a single address register.
template <int Threads>
struct sized_cuda_block : cuda_block {
    __device__ static constexpr int threads() { return Threads; }
};

#endif

} // namespace coppice::inline v0_1
