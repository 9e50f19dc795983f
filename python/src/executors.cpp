// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <mutex>
#include <optional>

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "components.hpp"

#if defined(COPPICE_HAS_CUDA)
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/optional_library.hpp>
#endif

namespace coppice::python {
namespace {

std::mutex mutex;
std::optional<host_executor> executor_of_process;

void raise(PyObject* type, char const* text) { PyErr_SetString(type, text); }

void translate(std::exception_ptr const& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (interrupted const&) {
        raise_saved();
    } catch (coppice::error const& e) {
        switch (e.code()) {
        case error_code::io:
            return raise(PyExc_OSError, e.what());
        case error_code::overflow:
            return raise(PyExc_OverflowError, e.what());
        case error_code::out_of_memory:
            return raise(PyExc_MemoryError, e.what());
        case error_code::device:
        case error_code::backend_unavailable:
            return raise(PyExc_RuntimeError, e.what());
        default:
            return raise(PyExc_ValueError, e.what());
        }
    }
}

/// Returns the element type of a device_array from NumPy's kind and size.
nb::dlpack::dtype type_of(char kind, int bytes) {
    using enum nb::dlpack::dtype_code;
    auto const code = kind == 'f' ? Float : kind == 'c' ? Complex : kind == 'b' ? Bool : kind == 'u' ? UInt : Int;
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes), 1};
}

/// Implements __cuda_array_interface__, by which CuPy, PyTorch and others import an array.
nb::dict cuda_array_interface(void* data, std::size_t size, nb::dlpack::dtype type) {
    using enum nb::dlpack::dtype_code;
    auto const code = static_cast<nb::dlpack::dtype_code>(type.code);
    char const kind = code == Float ? 'f' : code == Complex ? 'c' : code == Bool ? 'b' : code == UInt ? 'u' : 'i';
    int const bytes = type.bits / 8;
    nb::dict d;
    d["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(data), false);
    d["shape"] = nb::make_tuple(size);
    d["typestr"] = (bytes == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(bytes);
    d["strides"] = nb::none();
    d["version"] = 3;
    return d;
}

} // namespace

#if defined(COPPICE_HAS_CUDA)

struct device_lease::slot {
    explicit slot(device_array const& where)
        : stream_owner(where.stream ? where.stream_owner : nullptr),
          executor(where.device, reinterpret_cast<CUstream_st*>(where.stream)) {}

    std::shared_ptr<nb::object> stream_owner;
    cuda_executor executor;
    bool taken = false;
};

namespace {

/// Executors by device and stream; never destroyed, since the driver may be unloaded before the process ends.
auto& slots() {
    struct all {
        std::mutex mutex;
        std::map<std::pair<int, std::uintptr_t>, std::vector<std::unique_ptr<device_lease::slot>>> of;
    };
    static auto* const slots = new all;
    return *slots;
}

} // namespace

device_lease::device_lease(device_array const& where) {
    {
        std::lock_guard const lock(slots().mutex);
        auto& row = slots().of[{where.device, where.stream}];
        for (auto const& one : row)
            if (!one->taken) {
                slot_ = one.get();
                break;
            }
        if (!slot_) {
            row.push_back(std::make_unique<slot>(where));
            slot_ = row.back().get();
        }
        slot_->taken = true;
    }
    enter_thread(slot_->executor);
}

device_lease::~device_lease() {
    std::lock_guard const lock(slots().mutex);
    slot_->taken = false;
}

cuda_executor const& device_lease::executor() const { return slot_->executor; }

/// Frees the memory that the pools of default streams hold, except for memory that results use.
void release_memory() {
    std::lock_guard const lock(slots().mutex);
    for (auto& [where, row] : slots().of)
        if (where.second == 0) std::erase_if(row, [](auto const& one) { return !one->taken; });
}

void enter_thread(cuda_executor const& exec) { COPPICE_CUDA_CHECK(cudaSetDevice(exec.device())); }

#endif

void device_queue::move_to(device_array const& where) {
#if defined(COPPICE_HAS_CUDA)
    if (used_ && last_.stream != where.stream) device_lease(last_).executor().synchronize();
#endif
    used_ = true;
    last_ = {.device = where.device, .stream = where.stream, .owner = {}, .stream_owner = where.stream_owner};
}

host_executor current_executor() {
    std::lock_guard const lock(mutex);
    if (!executor_of_process) executor_of_process.emplace(0);
    return *executor_of_process;
}

void add_errors(nb::module_&) { nb::register_exception_translator(translate); }

void add_executors(nb::module_& m) {
    m.def("set_threads", [](int threads) {
        host_executor made(threads);
        std::lock_guard const lock(mutex);
        executor_of_process = std::move(made);
    });
    m.def("threads", [] { return current_executor().threads(); });
    m.def("cuda_devices", &cuda_device_count);
#if defined(COPPICE_HAS_CUDA)
    m.def("release_memory", release_memory, nb::call_guard<nb::gil_scoped_release>());
    m.def("add_library_folder", &add_library_folder);
#else
    m.def("release_memory", [] {});
#endif
    nb::class_<device_array>(m, "DeviceArray")
        .def(
            "__init__",
            [](device_array* self, std::uintptr_t address, std::size_t size, char kind, int bytes, int device,
               std::uintptr_t stream, nb::object stream_owner, nb::object owner) {
                new (self) device_array{address,
                                        size,
                                        type_of(kind, bytes),
                                        device,
                                        stream,
                                        keep(std::move(owner)),
                                        keep(std::move(stream_owner))};
            },
            nb::arg("address"), nb::arg("size"), nb::arg("kind"), nb::arg("bytes"), nb::arg("device"),
            nb::arg("stream"), nb::arg("stream_owner").none(), nb::arg("owner"))
        .def_ro("stream", &device_array::stream)
        .def_prop_ro("__cuda_array_interface__",
                     [](device_array const& a) { return cuda_array_interface(a.data(), a.size, a.type); });
    nb::class_<device_result>(m, "DeviceResult").def_prop_ro("__cuda_array_interface__", [](device_result const& a) {
        return cuda_array_interface(a.data, a.size, a.type);
    });
}

} // namespace coppice::python
