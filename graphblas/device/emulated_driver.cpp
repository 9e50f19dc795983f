// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdlib>
#include <cstring>

#include <coppice/core/error.hpp>
#include <coppice/core/files/run_time_library.hpp>

#include "driver.hpp"

namespace coppice::graphblas::device {
namespace {

/// Memory of the device is host memory; a kernel is a loop over blocks, which are loops over threads. For tests,
/// COPPICE_GRAPHBLAS_DEVICE_FAILS=k lets the k-th call fail after this value was set.
class emulated final : public driver {
public:
    std::string name() const override { return "emulated"; }
    void* allocate(std::size_t bytes) override {
        count_call();
        if (void* const made = std::malloc(bytes)) return made;
        throw host_reason{"memory is exhausted"};
    }
    void release(void* memory) noexcept override { std::free(memory); }
    void clear(void* to, std::size_t bytes) override {
        count_call();
        std::memset(to, 0, bytes);
    }
    void upload(void* to, void const* from, std::size_t bytes) override {
        count_call();
        std::memcpy(to, from, bytes);
    }
    void download(void* to, void const* from, std::size_t bytes) override {
        count_call();
        std::memcpy(to, from, bytes);
    }
    kernel compile(std::string const& text, bool has_definitions) override {
        // Definitions may include these headers here; NVRTC has no headers of the standard library.
        std::string const headers =
            has_definitions ? "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n" : "";
        kernel made;
        try {
            void* const library = run_time_library(headers + text, run_time_language::cpp);
            for (std::size_t k = 0; k < made.entries.size(); ++k)
                made.entries[k] = run_time_function(library, ("coppice_run_" + std::to_string(k)).c_str());
        } catch (error const& e) {
            throw host_reason{e.what()};
        }
        return made;
    }
    void run(void* entry, long blocks, arguments const& a) override {
        count_call();
        reinterpret_cast<void (*)(void const*, long)>(entry)(&a, blocks);
    }

private:
    void count_call() {
        char const* const text = std::getenv("COPPICE_GRAPHBLAS_DEVICE_FAILS");
        long const failing = text ? std::atol(text) : 0;
        if (failing_.exchange(failing) != failing) calls_ = 0;
        if (failing != 0 && ++calls_ == failing) throw host_reason{"device memory is exhausted"};
    }
    std::atomic<long> calls_{0}, failing_{0};
};

} // namespace

std::unique_ptr<driver> emulated_driver() { return std::make_unique<emulated>(); }

} // namespace coppice::graphblas::device
