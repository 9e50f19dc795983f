// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/cuda/cuda_executor.hpp>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <coppice/core/block_cache.hpp>
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/host/interruption.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Makes `device` the current device for a scope.
class device_scope {
public:
    explicit device_scope(int device) {
        COPPICE_CUDA_CHECK(cudaGetDevice(&previous_));
        if (previous_ != device) COPPICE_CUDA_CHECK(cudaSetDevice(device));
        changed_ = previous_ != device;
    }
    ~device_scope() {
        if (changed_) cudaSetDevice(previous_);
    }
    device_scope(device_scope const&) = delete;
    device_scope& operator=(device_scope const&) = delete;

private:
    int previous_ = 0;
    bool changed_ = false;
};

/// Whether device memory comes from pools. COPPICE_CUDA_POOL=0 in the environment lets each buffer be allocated and
/// freed by the driver itself, so that compute-sanitizer finds accesses beyond its end and after it was freed.
bool uses_pools() {
    static bool const result = [] {
        char const* const wish = std::getenv("COPPICE_CUDA_POOL");
        return !wish || std::string_view(wish) != "0";
    }();
    return result;
}

/// Lets this thread allocate while it records a graph.
class relaxed_capture {
public:
    relaxed_capture() { COPPICE_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
    ~relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    relaxed_capture(relaxed_capture const&) = delete;
    relaxed_capture& operator=(relaxed_capture const&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// What the executors of a device may keep of freed blocks, together.
cache_budget& budget_of(int device) {
    static std::mutex mutex;
    static auto* const all = new std::map<int, cache_budget>; // outlives every buffer
    std::lock_guard const lock(mutex);
    if (auto const found = all->find(device); found != all->end()) return found->second;
    std::size_t free = 0, total = 0;
    device_scope const scope(device);
    relaxed_capture const relaxed;
    COPPICE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return all->try_emplace(device, total / 16).first->second;
}

/// Device memory from a private pool that retains freed memory; allocation and freeing are ordered by the stream. Freed
/// blocks are reused without a call of the driver, which takes 1 to 6 us, and several times as long while other threads
/// allocate on other devices: a set-up of the multilevel method allocates some thousand times.
class stream_ordered_memory final : public memory_resource {
public:
    stream_ordered_memory(int device, cudaStream_t stream) : device_(device), stream_(stream) {
        if (!stream_) {
            COPPICE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
            owns_stream_ = true;
        }
    }
    ~stream_ordered_memory() override {
        if (!pool_ && !owns_stream_)
            return; // no work of ours is queued, so there is no need to wait for the stream of the caller
        device_scope const scope(device_);
        cudaStreamSynchronize(stream_);
        free_cached();
        if (pool_) cudaMemPoolDestroy(pool_);
        if (owns_stream_) cudaStreamDestroy(stream_);
    }

    void* allocate(std::size_t bytes) override {
        void* p = nullptr;
        if (!uses_pools()) {
            device_scope const device(device_);
            relaxed_capture const relaxed;
            COPPICE_CUDA_CHECK(cudaMalloc(&p, bytes));
            return p;
        }
        std::lock_guard const lock(mutex_);
        if (!pool_) make_pool();
        if (captures()) { // the memory belongs to the graph
            COPPICE_CUDA_CHECK(cudaMallocFromPoolAsync(&p, bytes, pool_, stream_));
            return p;
        }
        std::size_t const size = block_cache::rounded(bytes);
        if (void* const block = cache_->take(size)) return block;
        device_scope const device(device_);
        cudaError_t status = cudaMallocFromPoolAsync(&p, size, pool_, stream_);
        for (bool const waits : {false, true}) {
            if (status != cudaErrorMemoryAllocation) break;
            cudaGetLastError();
            free_cached();
            if (waits) {
                cudaStreamSynchronize(stream_);
                cudaMemPoolTrimTo(pool_, 0);
            }
            status = cudaMallocFromPoolAsync(&p, size, pool_, stream_);
        }
        COPPICE_CUDA_CHECK(status);
        cache_->add(p, size);
        return p;
    }
    void deallocate(void* pointer, std::size_t) noexcept override {
        if (!uses_pools()) {
            cudaFree(pointer);
            return;
        }
        std::lock_guard const lock(mutex_);
        if (!cache_->give_back(pointer)) free_block(pointer);
    }
    memory_space space() const noexcept override { return memory_space::device; }
    void read(void const* from, void* host_to, std::size_t bytes) override {
        COPPICE_CUDA_CHECK(cudaMemcpyAsync(host_to, from, bytes, cudaMemcpyDefault, stream_));
        COPPICE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }
    cudaStream_t stream() const { return stream_; }

private:
    /// The default stream is that of the current device.
    void free_block(void* block) const noexcept {
        int current = device_;
        cudaGetDevice(&current);
        if (current != device_) cudaSetDevice(device_);
        cudaFreeAsync(block, stream_);
        if (current != device_) cudaSetDevice(current);
    }
    void free_cached() {
        if (cache_) cache_->clear([this](void* block) { free_block(block); });
    }
    bool captures() const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        if (cudaStreamIsCapturing(stream_, &status) == cudaSuccess) return status != cudaStreamCaptureStatusNone;
        cudaGetLastError(); // the default stream, while another stream captures
        return true;
    }
    // Created at the first allocation: calls that only use memory of the caller need no pool.
    void make_pool() {
        if (!cache_) cache_ = std::make_unique<block_cache>(budget_of(device_));
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, device_};
        COPPICE_CUDA_CHECK(cudaMemPoolCreate(&pool_, &properties));
        std::uint64_t keep = UINT64_MAX;
        COPPICE_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
    }

    int device_;
    cudaStream_t stream_;
    bool owns_stream_ = false;
    std::mutex mutex_{};
    cudaMemPool_t pool_{};
    std::unique_ptr<block_cache> cache_{}; ///< with the pool
};

/// Slots in pinned host memory: copying small values to them takes half the time of a copy to pageable memory. The
/// slots are shared by all executors of the process. Pages are never freed.
class pinned_slots {
public:
    static constexpr std::size_t bytes = 256;

    /// Returns null if the machine has no pinned memory left.
    std::byte* take() {
        std::lock_guard const lock(mutex_);
        if (free_.empty()) add_page();
        if (free_.empty()) return nullptr;
        std::byte* const slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give_back(std::byte* slot) {
        std::lock_guard const lock(mutex_);
        free_.push_back(slot);
    }
    /// Never destroyed, so that it outlives every executor, including static ones.
    static pinned_slots& all() {
        static auto* const slots = new pinned_slots;
        return *slots;
    }

private:
    void add_page() {
        constexpr int slots = 64;
        void* page = nullptr;
        relaxed_capture const relaxed;
        cudaError_t const status = cudaHostAlloc(&page, slots * bytes, cudaHostAllocPortable);
        if (status != cudaSuccess) {
            cudaGetLastError();
            return;
        }
        free_.reserve(free_.size() + slots);
        for (int p = 0; p < slots; ++p) free_.push_back(static_cast<std::byte*>(page) + std::size_t(p) * bytes);
    }

    std::mutex mutex_;
    std::vector<std::byte*> free_;
};

/// Queried once per process and device: the driver takes milliseconds to collect the properties of a device.
std::string name_of_device(int device) {
    static std::mutex mutex;
    static std::vector<std::string> names;
    std::lock_guard const lock(mutex);
    if (names.size() <= std::size_t(device)) names.resize(std::size_t(device) + 1);
    std::string& name = names[std::size_t(device)];
    if (name.empty()) {
        cudaDeviceProp properties{};
        COPPICE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
        name = properties.name;
    }
    return name;
}

int checked_device(int device) {
    int const count = cuda_device_count();
    if (count == 0) throw backend_error("no CUDA device is available on this machine");
    if (device < 0 || device >= count)
        throw backend_error("CUDA device " + std::to_string(device) + " does not exist: this machine has " +
                            std::to_string(count));
    COPPICE_CUDA_CHECK(cudaSetDevice(device));
    return device;
}

} // namespace

struct cuda_executor::state {
    int device;
    cudaStream_t recorder = nullptr; ///< replaces the default stream since the first recording
    bool records = false;
    int multiprocessors = 0;
    std::string name{};
    std::shared_ptr<stream_ordered_memory> memory;
    std::shared_ptr<memory_resource> resource;
    std::byte* pinned = nullptr;     ///< since the first load of a value
    std::shared_ptr<state> second{}; ///< see second_stream()

    ~state() {
        if (pinned) pinned_slots::all().give_back(pinned);
        if (recorder) cudaStreamDestroy(recorder);
    }
};

int cuda_device_count() noexcept {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError(); // no driver or no device: clears the stored error
        return 0;
    }
    return count;
}

cuda_executor::cuda_executor(int device) : state_(made(device, nullptr)) {}
cuda_executor::cuda_executor(int device, CUstream_st* stream)
    : state_(made(device, stream ? stream : cudaStreamLegacy)) {}

std::shared_ptr<cuda_executor::state> cuda_executor::made(int device, CUstream_st* stream) {
    auto to = std::make_shared<state>();
    to->device = checked_device(device);
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&to->multiprocessors, cudaDevAttrMultiProcessorCount, to->device));
    to->name = name_of_device(to->device);
    to->memory = std::make_shared<stream_ordered_memory>(to->device, stream);
    to->resource = to->memory;
    return to;
}

int cuda_executor::device() const { return state_->device; }
CUstream_st* cuda_executor::stream() const { return state_->records ? state_->recorder : state_->memory->stream(); }
int cuda_executor::multiprocessors() const { return state_->multiprocessors; }
cuda_executor cuda_executor::second_stream() const {
    if (!state_->second) state_->second = made(state_->device, nullptr);
    return cuda_executor(state_->second);
}
std::string const& cuda_executor::name() const { return state_->name; }
std::shared_ptr<memory_resource> const& cuda_executor::memory() const { return state_->resource; }

cuda_executor::recording::recording(cuda_executor const& exec) : state_(exec.state_) {
    if (state_->memory->stream() != cudaStreamLegacy) return;
    if (!state_->recorder) COPPICE_CUDA_CHECK(cudaStreamCreateWithFlags(&state_->recorder, cudaStreamNonBlocking));
    state_->records = true;
}
cuda_executor::recording::~recording() { state_->records = false; }

void cuda_executor::synchronize() const { COPPICE_CUDA_CHECK(cudaStreamSynchronize(stream())); }

void cuda_executor::copy_bytes(void const* from, void* to, std::size_t bytes) const {
    if (bytes == 0) return;
    COPPICE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream()));
    cudaPointerAttributes source{}, target{};
    COPPICE_CUDA_CHECK(cudaPointerGetAttributes(&source, from));
    COPPICE_CUDA_CHECK(cudaPointerGetAttributes(&target, to));
    if (source.type != cudaMemoryTypeDevice || target.type != cudaMemoryTypeDevice) synchronize();
}

void cuda_executor::load_bytes(void const* from, void* to, std::size_t bytes) const {
    interruption::check(); // the host waits here; all queued work of the call is ordered by the stream
    if (!state_->pinned) state_->pinned = pinned_slots::all().take();
    if (!state_->pinned || bytes > pinned_slots::bytes) return copy_bytes(from, to, bytes);
    COPPICE_CUDA_CHECK(cudaMemcpyAsync(state_->pinned, from, bytes, cudaMemcpyDefault, stream()));
    synchronize();
    std::memcpy(to, state_->pinned, bytes);
}

} // namespace coppice::inline v0_1
