// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SRCSR on CUDA: makes plans on the device and launches srcsr_block.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/device_flag.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/cuda/parallel_cuda.cuh>
#include <coppice/semiring/reduce_rows/srcsr.hpp> // defines the plan, then includes this header
#include <coppice/semiring/reduce_rows/srcsr_block.hpp>
#include <coppice/semiring/reduce_rows/srcsr_scan.cuh>
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>

namespace coppice::inline v0_1 {
namespace detail {

inline constexpr int partition_threads = 256;

template <class O>
__global__ void __launch_bounds__(partition_threads) partition_kernel(partition_job<O, device_flag::writer> job) {
    __shared__ path_point points[partition_threads / lane_group<cuda_block>::lanes];
    partition_block(cuda_block{}, std::int64_t(blockIdx.x), job, points);
}

/// Resident blocks per multiprocessor, which limits the registers of a thread: 32 for small values, otherwise 64 or
/// 128. Many blocks hide the latency: on an H200 a product with ANISO1 took 165 us with 48 registers and ten blocks of
/// 128 threads, and 137 us with 32 registers and sixteen blocks. For read_at_once the opposite holds: a power-law
/// matrix took 518 us with sixteen blocks, and 482 us with seven blocks and the larger first-level cache that they
/// leave.
template <class Multiply, class Add, class Reading>
constexpr int resident_blocks(int threads) {
    constexpr int bytes = srcsr_types<Multiply, Add>::product_bytes + int(sizeof(accumulator_t<Add>));
    if (std::is_same_v<Reading, read_at_once>) return 896 / threads;
    return (bytes <= 16 ? 2048 : bytes <= 32 ? 1024 : 512) / threads;
}

template <int Threads, int BlocksPerSm, class Reading, class O, class Multiply, class Add, class Store, class Combine>
__global__ void __launch_bounds__(Threads, BlocksPerSm)
    srcsr_kernel(srcsr_job<O> job, Multiply multiply, Add add, Store store, Combine combine) {
    extern __shared__ __align__(shared_alignment) unsigned char srcsr_shared[];
    if constexpr (starts_product_early<Store>()) start_successor();
    srcsr_block<Reading>(sized_cuda_block<Threads>{}, std::int64_t(blockIdx.x), job, multiply, add, store, combine,
                         srcsr_shared);
}

inline constexpr int postprocess_threads = 256;

template <class O, class Multiply, class Add, class Store, class Combine>
__global__ void __launch_bounds__(postprocess_threads)
    srcsr_postprocess_kernel(srcsr_job<O> job, Multiply multiply, Add add, Store store, Combine combine) {
    extern __shared__ __align__(shared_alignment) unsigned char srcsr_shared[];
    srcsr_postprocess_block(cuda_block{}, std::int64_t(blockIdx.x) * blockDim.x, job, multiply, add, store, combine,
                            srcsr_shared);
}

/// Policy that adds partial sums of split rows to y by atomic operations of the store (scheme `balanced_atomic`).
struct atomic_combine {
    static constexpr bool by_walk = true;

    template <class Store, class Result>
    COPPICE_HD static void merge(Store const& store, std::int64_t row, Result const& sum) {
        if constexpr (has_merge<Store, Result>)
            store.merge(row, sum);
        else
            store.join(row, sum);
    }

    template <class Worker, class Tile, class Accumulator>
    COPPICE_HD void close_split_row(Worker const& w, Tile const& t, Accumulator const& sum) const {
        merge(w.store, t.row, result_of(w.add, sum));
    }
    template <class Worker>
    COPPICE_HD void finish_split_row(Worker const&, std::int64_t) const {}
    template <class Worker, class Accumulator>
    COPPICE_HD void leave_open(Worker const& w, std::int64_t row, Accumulator const& open) const {
        merge(w.store, row, result_of(w.add, open));
    }
};

/// Prepares each row that is split between ranges for atomic additions, once per row, in the range where it begins.
template <class O, class Store>
struct open_split_row {
    srcsr_job<O> job;
    Store store;
    COPPICE_HD void operator()(std::int64_t s) const {
        path_point const from = point_of(job.splits[s]), to = point_of(job.splits[s + 1]);
        if (to.row < job.first_row || to.row >= job.last_row) return;
        std::int64_t const begin = job.offsets[to.row];
        if (to.nonzero > begin && (from.row < to.row || from.nonzero <= begin)) store.open(to.row);
    }
};

/// Layout of the single allocation of a CUDA plan, in units of 16 bytes.
struct plan_layout {
    std::int64_t ranges;
    std::int64_t slots_at() const { return ranges + 1; }
    std::int64_t size() const { return slots_at() + 2 * ranges; }
};
static_assert(sizeof(path_point) == 16 && sizeof(hand_over_slot) == 16);

/// Shared memory of a multiprocessor in percent of the maximum; the remaining memory is the first-level cache, on which
/// gathers depend. With 132 of 228 KiB regular patterns lose nothing, and random gathers of double take half the time
/// compared with the driver's choice.
template <class Reading>
int shared_memory_carveout(cuda_executor const& exec, int shared_bytes, int blocks_per_sm) {
    if (!std::is_same_v<Reading, read_at_once>) return 58;
    int all = 0, reserved = 0;
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, exec.device()));
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, exec.device()));
    int const percent = (100 * blocks_per_sm * (shared_bytes + reserved) + all - 1) / all;
    return percent < 100 ? percent : 100;
}

template <int Threads, class Reading, class O, class Multiply, class Add, class Store, class Combine>
void launch_srcsr(cuda_executor const& exec, srcsr_job<O> const& job, srcsr_launch const& launch, Multiply multiply,
                  Add add, Store store, Combine combine) {
    constexpr int blocks_per_sm = resident_blocks<Multiply, Add, Reading>(Threads);
    auto* const kernel = srcsr_kernel<Threads, blocks_per_sm, Reading, O, Multiply, Add, Store, Combine>;
    // Set at every call, because a program may contain several instances of the kernel, each with separate attributes.
    if (launch.shared_bytes > 48 * 1024)
        COPPICE_CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared_bytes));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    attributes[0].val.sharedMemCarveout =
        unsigned(shared_memory_carveout<Reading>(exec, launch.shared_bytes, blocks_per_sm));
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(unsigned(job.ranges));
    config.blockDim = dim3(Threads);
    config.dynamicSmemBytes = std::size_t(launch.shared_bytes);
    config.stream = exec.stream();
    config.attrs = attributes;
    config.numAttrs = 1;
    if constexpr (starts_product_early<Store>())
        if (starts_early(exec, kernel)) {
            attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[1].val.programmaticStreamSerializationAllowed = 1;
            config.numAttrs = 2;
        }
    COPPICE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, job, multiply, add, store, combine));
}

/// Whether a second kernel is compiled for irregular patterns: if ⊗ gathers small values along the nonzeros.
template <class Multiply, class Add, segmented_reduction Reduction, int Threads>
inline constexpr bool reads_at_once =
    is_along_nonzeros_v<Multiply>&& srcsr_types<Multiply, Add>::product_bytes + sizeof(accumulator_t<Add>) <= 16 &&
    Reduction == segmented_reduction::warp_transposed&& Threads == srcsr_default_threads;

} // namespace detail

template <class O>
srcsr_plan<O> make_srcsr_plan(cuda_executor const& exec, array_view<O const> offsets, std::int64_t nonzeros,
                              srcsr_options const& options) {
    srcsr_plan<O> plan;
    plan.offsets = offsets;
    plan.nonzeros = nonzeros;
    std::int64_t const rows = plan.rows();
    plan.scheme = options.scheme;
    auto choice = detail::choose_tuning(options.tuning, exec.name(),
                                        options.nonzero_bytes > 0 ? options.nonzero_bytes : 8, rows, nonzeros);
    plan.tuning = choice.tuning;
    plan.reason = std::move(choice.reason);
    plan.work_per_block = plan.tuning.work_per_block;
    if (rows == 0) return plan;
    std::int64_t const ranges = (rows + nonzeros + plan.work_per_block - 1) / plan.work_per_block;
    if (ranges > 0x7fffffff)
        throw overflow_error("a matrix of " + std::to_string(nonzeros) +
                             " nonzeros needs more "
                             "CUDA blocks than a grid holds: raise work_per_block");
    plan.capacity = detail::range_capacity(plan.tuning, rows, nonzeros, plan.tuning.threads * detail::range_items);
    detail::plan_layout const layout{ranges};
    plan.block_count = ranges;
    plan.block_starts = buffer<detail::path_point>(exec, layout.size());
    detail::path_point* const splits = plan.block_starts.data();
    plan.slots = reinterpret_cast<hand_over_slot*>(splits + layout.slots_at());
    plan.irregular = device_flag(exec);
    // A range is at most one tile: a row that would exceed it is split.
    std::int64_t const slack = plan.tuning.threads * detail::range_items - plan.work_per_block;
    detail::partition_rule const rule{plan.work_per_block, options.scheme == srcsr_scheme::adaptive ? slack : 0,
                                      plan.tuning.threads, plan.tuning.lane_chunk, plan.capacity};
    constexpr int ranges_a_block = detail::ranges_of_partition_block<cuda_block>(detail::partition_threads);
    detail::
        partition_kernel<<<unsigned(1 + ranges / ranges_a_block + 1), detail::partition_threads, 0, exec.stream()>>>(
            detail::partition_job<O, device_flag::writer>{offsets.data(), rows, nonzeros, rule, ranges, splits,
                                                          plan.slots, plan.irregular.for_kernel()});
    COPPICE_CUDA_CHECK(cudaGetLastError());
    return plan;
}

/// Segmented reduction and block size are template parameters, so that a program contains only the kernels that it
/// uses. The plan must have been made for that block size.
template <segmented_reduction Reduction = segmented_reduction::warp_transposed, int Threads = srcsr_default_threads,
          class O, row_multiplier Multiply, adder Add, class Store>
requires row_multiplier_for<Multiply, Add> && row_store_for<Store, Add>
void reduce_rows(cuda_executor const& exec, srcsr_plan<O> const& plan, row_range range, Multiply multiply, Add add,
                 Store store, array_view<std::byte> workspace = {}) {
    using in_rounds = detail::read_in_rounds<Multiply, Add>;
    detail::require_indices<Multiply, Store>();
    detail::require_range(range, plan.rows());
    if (range.first == range.last) return;
    if (plan.tuning.threads != Threads)
        throw argument_error("a plan for blocks of " + std::to_string(plan.tuning.threads) +
                             " threads is used with a kernel for " + std::to_string(Threads));
    auto const launch = detail::size_launch<Multiply, Add>(plan.tuning.threads, plan.capacity);
    buffer<std::byte> own;
    void* carries = nullptr;
    if (std::int64_t const bytes = plan.template workspace<accumulator_t<Add>>(); bytes > 0) {
        if (workspace.size() == 0) {
            own = buffer<std::byte>(exec, bytes);
            workspace = own.view();
        }
        detail::require_workspace(workspace, bytes, alignof(accumulator_t<Add>));
        carries = workspace.data();
    }
    detail::srcsr_job<O> const job{plan.offsets.data(),
                                   plan.block_starts.data(),
                                   plan.slots,
                                   plan.slots + plan.blocks(),
                                   carries,
                                   plan.blocks(),
                                   plan.rows(),
                                   plan.nonzeros,
                                   plan.work_per_block,
                                   range.first,
                                   range.last,
                                   plan.tuning.threads * detail::range_items,
                                   launch.tile_steps,
                                   launch.capacity,
                                   plan.scheme,
                                   detail::starts_product_early<Store>()};
    if (plan.scheme == srcsr_scheme::balanced_atomic) {
        if constexpr (atomic_store<Store, detail::result_t<Add>>) {
            for_each(exec, job.ranges, detail::open_split_row<O, Store>{job, store});
            detail::launch_srcsr<Threads, in_rounds>(exec, job, launch, multiply, add, store, detail::atomic_combine{});
        } else {
            throw argument_error("scheme balanced-atomic needs a store with open(row) and merge(row, sum)");
        }
        return;
    }
    if (detail::folds_rows_v<Store> && plan.scheme != srcsr_scheme::adaptive)
        throw argument_error("a store that folds over rows needs scheme adaptive");
    detail::ordered_combine_by<Reduction, Threads> const combine{};
    bool at_once = false;
    if constexpr (detail::reads_at_once<Multiply, Add, Reduction, Threads>) {
        // If a range is shorter than what the block can read simultaneously, read_at_once is slower: 163 us instead of
        // 114 us for a matrix of mostly empty rows with four items per thread.
        bool const long_ranges = plan.work_per_block >= (2 * detail::range_items / 3) * Threads;
        at_once = long_ranges && plan.irregular.is_set();
        if (at_once)
            detail::launch_srcsr<Threads, detail::read_at_once>(exec, job, launch, multiply, add, store, combine);
    }
    if (!at_once) detail::launch_srcsr<Threads, in_rounds>(exec, job, launch, multiply, add, store, combine);
    if constexpr (!detail::folds_rows_v<Store>)
        if (plan.scheme == srcsr_scheme::balanced_postprocess) {
            constexpr int threads = detail::postprocess_threads;
            auto const grid = static_cast<unsigned>((job.ranges + threads - 1) / threads);
            detail::srcsr_postprocess_kernel<<<grid, threads, detail::srcsr_types<Multiply, Add>::totals_bytes(threads),
                                               exec.stream()>>>(job, multiply, add, store, combine);
            COPPICE_CUDA_CHECK(cudaGetLastError());
        }
}

namespace detail {

/// reduce_rows with the block size and segmented reduction of the plan's tuning. It compiles one kernel for each
/// combination, so it is used only for the standard product in float and double.
template <class O, class Multiply, class Add, class Store>
void reduce_rows_as_tuned(cuda_executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add,
                          Store store) {
    using enum segmented_reduction;
    row_range const all{0, plan.rows()};
    if (plan.tuning.threads == 256) return reduce_rows<warp_transposed, 256>(exec, plan, all, multiply, add, store);
    switch (plan.tuning.reduction) {
    case warp_transposed:
        return reduce_rows<warp_transposed>(exec, plan, all, multiply, add, store);
    case raking:
        return reduce_rows<raking>(exec, plan, all, multiply, add, store);
    case raking_memoize:
        return reduce_rows<raking_memoize>(exec, plan, all, multiply, add, store);
    case warp_scans:
        return reduce_rows<warp_scans>(exec, plan, all, multiply, add, store);
    }
}

} // namespace detail
} // namespace coppice::inline v0_1
