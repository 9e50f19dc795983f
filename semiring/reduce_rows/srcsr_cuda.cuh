// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SRCSR on CUDA: plans made on the device, and the launches of srcsr_block.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/device_flag.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/cuda/parallel_cuda.cuh>
#include <coppice/semiring/reduce_rows/srcsr.hpp> // the plan; that header includes this one behind it
#include <coppice/semiring/reduce_rows/srcsr_block.hpp>
#include <coppice/semiring/reduce_rows/srcsr_scan.cuh>
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>

namespace coppice {
namespace detail {

inline constexpr int partition_threads = 256;

template <class O>
__global__ void __launch_bounds__(partition_threads) partition_kernel(partition_job<O, device_note::place> job) {
    __shared__ path_point points[partition_threads / lane_group<cuda_block>::lanes];
    partition_block(cuda_block{}, std::int64_t(blockIdx.x), job, points);
}

/// Registers: 32 a thread where values are small, 64 or 128 else. Latency is hidden by many blocks: on an H200 a
/// product with ANISO1 took 165 us with 48 registers and ten blocks of 128 threads, 137 with 32 and sixteen. Where
/// everything is read at once it is the other way round: a power-law matrix took 518 us with sixteen blocks, 482 with
/// seven and the larger first-level cache that they leave.
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

/// Parts of cut rows go to y by atomic operations of the store (scheme `balanced_atomic`).
struct atomic_parts {
    static constexpr bool by_walk = true;

    template <class Worker, class Tile, class Accumulator>
    COPPICE_HD void close_cut(Worker const& w, Tile const& t, Accumulator const& sum) const {
        w.store.join(t.row, result_of(w.add, sum));
    }
    template <class Worker>
    COPPICE_HD void finish_cut(Worker const&, std::int64_t) const {}
    template <class Worker, class Accumulator>
    COPPICE_HD void leave_open(Worker const& w, std::int64_t row, Accumulator const& open) const {
        w.store.join(row, result_of(w.add, open));
    }
};

/// Prepares the rows that shares cut for atomic additions: once for each, where it begins.
template <class O, class Store>
struct open_cut_row {
    srcsr_job<O> job;
    Store store;
    COPPICE_HD void operator()(std::int64_t s) const {
        path_point const from = point_of(job.cuts[s]), to = point_of(job.cuts[s + 1]);
        if (to.row < job.first_row || to.row >= job.last_row) return;
        std::int64_t const begin = job.offsets[to.row];
        if (to.nonzero > begin && (from.row < to.row || from.nonzero <= begin)) store.open(to.row);
    }
};

/// Where the parts of a plan on CUDA lie in its one allocation, in units of 16 bytes.
struct plan_layout {
    std::int64_t shares;
    std::int64_t slots_at() const { return shares + 1; }
    std::int64_t size() const { return slots_at() + 2 * shares; }
};
static_assert(sizeof(path_point) == 16 && sizeof(hand_over_slot) == 16);

/// What resident blocks do not need as shared memory serves as first-level cache, and gathers live on it. In percent of
/// all. With 132 of 228 KiB regular patterns lose nothing, and double values gathered at random take half the time of
/// the driver's choice.
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
    // Set every time: a program may hold the kernel several times, each with attributes of its own.
    if (launch.shared_bytes > 48 * 1024)
        COPPICE_CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared_bytes));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    attributes[0].val.sharedMemCarveout =
        unsigned(shared_memory_carveout<Reading>(exec, launch.shared_bytes, blocks_per_sm));
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(unsigned(job.shares));
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

/// Whether a second kernel is compiled for irregular patterns: where ⊗ is gathers along the nonzeros of small values.
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
    std::int64_t const shares = (rows + nonzeros + plan.work_per_block - 1) / plan.work_per_block;
    if (shares > 0x7fffffff)
        throw overflow_error("a matrix of " + std::to_string(nonzeros) +
                             " nonzeros needs more "
                             "CUDA blocks than a grid holds: raise work_per_block");
    plan.capacity = detail::share_capacity(plan.tuning, rows, nonzeros, plan.tuning.threads * detail::share_items);
    detail::plan_layout const layout{shares};
    plan.block_count = shares;
    plan.block_starts = buffer<detail::path_point>(exec, layout.size());
    detail::path_point* const cuts = plan.block_starts.data();
    plan.slots = reinterpret_cast<hand_over_slot*>(cuts + layout.slots_at());
    plan.irregular = device_note(exec);
    // A share is at most one tile: a row that would make it longer is cut.
    std::int64_t const room = plan.tuning.threads * detail::share_items - plan.work_per_block;
    detail::partition_rule const rule{plan.work_per_block, options.scheme == srcsr_scheme::adaptive ? room : 0,
                                      plan.tuning.threads, plan.tuning.lane_stretch, plan.capacity};
    constexpr int a_block = detail::shares_of_partition_block<cuda_block>(detail::partition_threads);
    detail::partition_kernel<<<unsigned(1 + shares / a_block + 1), detail::partition_threads, 0, exec.stream()>>>(
        detail::partition_job<O, device_note::place>{offsets.data(), rows, nonzeros, rule, shares, cuts, plan.slots,
                                                     plan.irregular.for_device()});
    COPPICE_CUDA_CHECK(cudaGetLastError());
    return plan;
}

/// Segmented reduction and block size are chosen at compile time, so that a program holds only the kernels that it
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
                                   plan.tuning.threads * detail::share_items,
                                   launch.tile_steps,
                                   launch.capacity,
                                   plan.scheme,
                                   detail::starts_product_early<Store>()};
    if (plan.scheme == srcsr_scheme::balanced_atomic) {
        if constexpr (atomic_store<Store, detail::result_t<Add>>) {
            for_each(exec, job.shares, detail::open_cut_row<O, Store>{job, store});
            detail::launch_srcsr<Threads, in_rounds>(exec, job, launch, multiply, add, store, detail::atomic_parts{});
        } else {
            throw argument_error("scheme balanced-atomic needs a store with open(row) and join(row, part)");
        }
        return;
    }
    if (detail::folds_rows_v<Store> && plan.scheme != srcsr_scheme::adaptive)
        throw argument_error("a store that folds over rows needs scheme adaptive");
    detail::ordered_parts_by<Reduction, Threads> const combine{};
    bool at_once = false;
    if constexpr (detail::reads_at_once<Multiply, Add, Reduction, Threads>) {
        // A share that is too short to fill what a thread reads at once gains nothing: 163 us in place of 114 for a
        // matrix of mostly empty rows with four items a thread.
        bool const long_shares = plan.work_per_block >= (2 * detail::share_items / 3) * Threads;
        at_once = long_shares && plan.irregular.says_yes();
        if (at_once)
            detail::launch_srcsr<Threads, detail::read_at_once>(exec, job, launch, multiply, add, store, combine);
    }
    if (!at_once) detail::launch_srcsr<Threads, in_rounds>(exec, job, launch, multiply, add, store, combine);
    if constexpr (!detail::folds_rows_v<Store>)
        if (plan.scheme == srcsr_scheme::balanced_postprocess) {
            constexpr int threads = detail::postprocess_threads;
            auto const grid = static_cast<unsigned>((job.shares + threads - 1) / threads);
            detail::srcsr_postprocess_kernel<<<grid, threads, detail::srcsr_types<Multiply, Add>::totals_bytes(threads),
                                               exec.stream()>>>(job, multiply, add, store, combine);
            COPPICE_CUDA_CHECK(cudaGetLastError());
        }
}

namespace detail {

/// reduce_rows with the block size and segmented reduction that the plan's tuning names. It compiles a kernel for each,
/// so it serves the standard product in float and double alone.
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
} // namespace coppice
