// SPDX-License-Identifier: BSD-3-Clause
// The device of the program, which backend is set, and where operations ran.
#include "device.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "attempt.hpp"
#include "forms.hpp"

namespace coppice::graphblas::device {
namespace {

struct found_device {
    std::unique_ptr<driver> driver_ = {};
    std::string reason = {};
};
/// The device, which is searched once. It is not destroyed, because programs may free objects when they end.
found_device const& the_found_device() {
    static auto const* const found = [] {
        auto* const made = new found_device;
        char const* const kind = std::getenv("COPPICE_GRAPHBLAS_DEVICE");
        try {
            made->driver_ = kind && std::strcmp(kind, "emulated") == 0 ? emulated_driver() : cuda_driver();
        } catch (host_reason const& e) {
            made->reason = "there is no CUDA device: " + e.text;
        }
        return made;
    }();
    return *found;
}

std::atomic<backend> chosen{backend::automatic};
std::atomic<std::int64_t> device_runs{0}, host_runs{0};

struct run_record {
    char const* operation = nullptr;
    bool on_device = false;
    std::string reason = {};
};
thread_local run_record latest;

void record(char const* operation, bool on_device, std::string reason) {
    ++(on_device ? device_runs : host_runs);
    latest = {operation, on_device, std::move(reason)};
}

} // namespace

driver* device_or_null(std::string& reason) {
    reason = the_found_device().reason;
    return the_found_device().driver_.get();
}
driver& the_device() { return *the_found_device().driver_; }
std::string device_name() {
    found_device const& found = the_found_device();
    return found.driver_ ? found.driver_->name() : found.reason;
}

backend current_backend() { return chosen; }
void set_backend(int value) {
    if (value < int(backend::automatic) || value > int(backend::cuda))
        throw failure{GrB_INVALID_VALUE, "the backend is " + std::to_string(value) + ", expected a COPPICE_Backend"};
    if (value == int(backend::cuda) && !the_found_device().driver_)
        throw failure{GrB_NOT_IMPLEMENTED, "the backend cannot be CUDA: " + the_found_device().reason};
    chosen = backend(value);
}
std::string read_environment() {
    char const* const name = std::getenv("COPPICE_GRAPHBLAS_BACKEND");
    chosen = backend::automatic;
    if (!name || std::strcmp(name, "auto") == 0) return {};
    try {
        if (std::strcmp(name, "host") == 0)
            set_backend(int(backend::host));
        else if (std::strcmp(name, "cuda") == 0)
            set_backend(int(backend::cuda));
        else
            return std::string("COPPICE_GRAPHBLAS_BACKEND is ") + name + ", expected auto, host or cuda";
    } catch (failure const& e) {
        return "COPPICE_GRAPHBLAS_BACKEND: " + e.message;
    }
    return {};
}

run_counts counts() { return {device_runs, host_runs}; }
std::string last_run() {
    if (!latest.operation) return "";
    std::string const name = latest.operation;
    return latest.on_device ? name + ": " + device_name() : name + ": host, because " + latest.reason;
}
void runs_on_host(char const* operation) {
    if (chosen != backend::host) record(operation, false, "it has no kernels");
}

bool attempt(char const* operation, std::function<bool()> const& is_large, std::function<void()> const& f) {
    backend const now = chosen;
    if (now == backend::host) return false;
    // A program with small operations only does not initialise the device.
    if (now == backend::automatic && !is_large()) return record(operation, false, "it is small"), false;
    std::string reason;
    if (!device_or_null(reason)) return record(operation, false, std::move(reason)), false;
    try {
        f();
        return record(operation, true, {}), true;
    } catch (host_reason const& e) {
        return record(operation, false, e.text), false;
    }
}

} // namespace coppice::graphblas::device
