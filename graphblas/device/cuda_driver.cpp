// SPDX-License-Identifier: BSD-3-Clause
// Neither the CUDA toolkit nor the driver is needed to build this file, or to load the library: their functions are
// found at run time. Declarations are those of cuda.h and nvrtc.h, whose binary interface is stable.
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>

#include <coppice/core/error.hpp>
#include <coppice/core/files/run_time_library.hpp>

#include "driver.hpp"
#include "nvrtc.hpp"
#include "system_library.hpp"

namespace coppice::graphblas::device {
namespace {

using address = unsigned long long; // CUdeviceptr

/// The functions of libcuda.so that are used.
struct driver_functions {
    int (*init)(unsigned);
    int (*get_device)(int*, int);
    int (*get_name)(char*, int, int);
    int (*get_attribute)(int*, int, int);
    int (*retain_context)(void**, int);
    int (*push_context)(void*);
    int (*pop_context)(void**);
    int (*create_stream)(void**, unsigned);
    int (*synchronize)(void*);
    int (*allocate)(address*, std::size_t, void*);
    int (*release)(address, void*);
    int (*allocate_host)(void**, std::size_t, unsigned);
    int (*clear)(address, unsigned char, std::size_t, void*);
    int (*upload)(address, void const*, std::size_t, void*);
    int (*download)(void*, address, std::size_t, void*);
    int (*load)(void**, void const*);
    int (*get_function)(void**, void*, char const*);
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    int (*error_text)(int, char const**);
    int (*get_pool)(void**, int);
    int (*set_pool_attribute)(void*, int, void*);

    driver_functions() {
        system_library const cuda({"libcuda.so.1"});
        // not covered: devices only
        cuda.find(init, "cuInit");
        cuda.find(get_device, "cuDeviceGet");
        cuda.find(get_name, "cuDeviceGetName");
        cuda.find(get_attribute, "cuDeviceGetAttribute");
        cuda.find(retain_context, "cuDevicePrimaryCtxRetain");
        cuda.find(push_context, "cuCtxPushCurrent_v2");
        cuda.find(pop_context, "cuCtxPopCurrent_v2");
        cuda.find(create_stream, "cuStreamCreate");
        cuda.find(synchronize, "cuStreamSynchronize");
        cuda.find(allocate, "cuMemAllocAsync");
        cuda.find(release, "cuMemFreeAsync");
        cuda.find(allocate_host, "cuMemHostAlloc");
        cuda.find(clear, "cuMemsetD8Async");
        cuda.find(upload, "cuMemcpyHtoDAsync_v2");
        cuda.find(download, "cuMemcpyDtoHAsync_v2");
        cuda.find(load, "cuModuleLoadData");
        cuda.find(get_function, "cuModuleGetFunction");
        cuda.find(launch, "cuLaunchKernel");
        cuda.find(error_text, "cuGetErrorString");
        cuda.find(get_pool, "cuDeviceGetDefaultMemPool");
        cuda.find(set_pool_attribute, "cuMemPoolSetAttribute");
    }
};

class cuda final : public driver {
public:
    // not covered: devices only
    cuda() {
        require(f_.init(0), "cuInit");
        require(f_.get_device(&device_, 0), "cuDeviceGet");
        char name[200] = {};
        require(f_.get_name(name, sizeof name - 1, device_), "cuDeviceGetName");
        name_ = name;
        constexpr int major = 75, minor = 76, pools = 115; // CUdevice_attribute
        architecture_ = "sm_" + std::to_string(attribute(major)) + std::to_string(attribute(minor));
        if (attribute(pools) == 0) throw host_reason{"the CUDA device has no memory pools"};
        require(f_.retain_context(&context_, device_), "cuDevicePrimaryCtxRetain");
        current const use(*this);
        require(f_.create_stream(&stream_, 1), "cuStreamCreate"); // it does not wait for the default stream
        void* pool = nullptr;
        require(f_.get_pool(&pool, device_), "cuDeviceGetDefaultMemPool");
        std::uint64_t retained = ~std::uint64_t{0}; // freed memory is not returned to the system
        require(f_.set_pool_attribute(pool, 4, &retained), "cuMemPoolSetAttribute");
        if (f_.allocate_host(&page_locked_, page_locked_bytes, 0) != 0) page_locked_ = nullptr;
    }
    std::string name() const override { return name_; }
    void* allocate(std::size_t bytes) override {
        current const use(*this);
        address made = 0;
        require(f_.allocate(&made, bytes, stream_), "cuMemAllocAsync");
        return reinterpret_cast<void*>(made);
    }
    void release(void* memory) noexcept override {
        try {
            current const use(*this);
            f_.release(address_of(memory), stream_);
        } catch (host_reason const&) { // a device that failed has no memory to release
        }
    }
    void clear(void* to, std::size_t bytes) override {
        current const use(*this);
        require(f_.clear(address_of(to), 0, bytes, stream_), "cuMemsetD8Async");
    }
    void upload(void* to, void const* from, std::size_t bytes) override {
        current const use(*this);
        require(f_.upload(address_of(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
        require(f_.synchronize(stream_), "cuStreamSynchronize"); // the caller may change its memory
    }
    void download(void* to, void const* from, std::size_t bytes) override {
        current const use(*this);
        // Most operations return a count: the driver copies to other memory than page-locked one in two steps.
        void* const reached = page_locked_ && bytes <= page_locked_bytes ? page_locked_ : to;
        require(f_.download(reached, address_of(from), bytes, stream_), "cuMemcpyDtoHAsync");
        require(f_.synchronize(stream_), "cuStreamSynchronize");
        if (reached != to) std::memcpy(to, reached, bytes);
    }
    kernel compile(std::string const& text, bool) override {
        kernel made;
        std::string const image = image_of(text);
        current const use(*this);
        void* module = nullptr;
        require(f_.load(&module, image.data()), "cuModuleLoadData");
        for (std::size_t k = 0; k < made.entries.size(); ++k)
            if (f_.get_function(&made.entries[k], module, ("coppice_run_" + std::to_string(k)).c_str()) != 0) {
                made.entries[k] = nullptr;
                break;
            }
        return made;
    }
    void run(void* entry, long blocks, arguments const& a) override {
        if (blocks == 0) return;
        if (blocks > 2147483647) throw host_reason{"there are too many positions for a launch"};
        current const use(*this);
        arguments copy = a;
        void* parameters[] = {&copy};
        require(f_.launch(entry, unsigned(blocks), 1, 1, 256, 1, 1, 0, stream_, parameters, nullptr), "cuLaunchKernel");
    }

private:
    // not covered: devices only
    /// Makes the context current in this thread, one thread at a time.
    class current {
    public:
        explicit current(cuda& owner) : owner_(owner), lock_(owner.guard_) {
            owner.require(owner.f_.push_context(owner.context_), "cuCtxPushCurrent");
        }
        ~current() {
            void* popped = nullptr;
            owner_.f_.pop_context(&popped);
        }
        current(current const&) = delete;

    private:
        // not covered: devices only
        cuda& owner_;
        std::scoped_lock<std::mutex> lock_;
    };
    static address address_of(void const* memory) { return address(reinterpret_cast<std::uintptr_t>(memory)); }
    int attribute(int which) const {
        int value = 0;
        require(f_.get_attribute(&value, which, device_), "cuDeviceGetAttribute");
        return value;
    }
    void require(int code, char const* what) const {
        if (code == 0) return;
        if (code == 2) throw host_reason{"device memory is exhausted"};
        char const* text = nullptr;
        f_.error_text(code, &text);
        throw host_reason{std::string(what) + ": " + (text ? text : "unknown error")};
    }
    /// Compiled code of a text, from the folder of stored results if it is there.
    std::string image_of(std::string const& text) const {
        static nvrtc_compiler const nvrtc;
        try {
            std::string const path =
                run_time_file(architecture_ + nvrtc.version(), text, {".cu", ".cubin"},
                              [&](std::string const&, std::string const& to) {
                                  std::string const made = nvrtc.compile(text, architecture_);
                                  std::ofstream(to, std::ios::binary).write(made.data(), std::streamsize(made.size()));
                              });
            std::ifstream file(path, std::ios::binary);
            return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        } catch (error const& e) {
            throw host_reason{e.what()};
        }
    }

    driver_functions f_;
    std::mutex guard_;
    int device_ = 0;
    void *context_ = nullptr, *stream_ = nullptr;
    static constexpr std::size_t page_locked_bytes = 4096;
    void* page_locked_ = nullptr; ///< for small results; null: the system has none
    std::string name_, architecture_;
};

} // namespace

std::unique_ptr<driver> cuda_driver() { return std::make_unique<cuda>(); }

} // namespace coppice::graphblas::device
