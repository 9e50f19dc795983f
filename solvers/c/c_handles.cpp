// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: their table, executors, properties, descriptions.
#include <coppice/solvers/c/c_handles.hpp>

#include <map>
#include <mutex>

#include <coppice/core/host/fork_mutex.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#if defined(COPPICE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include <coppice/core/cuda/cuda_check.hpp>
#endif

namespace coppice::inline v0_1::c_interface {
namespace {

/// Objects by handle. A handle is a number that is never used again, so that one of a destroyed object is recognised.
class handle_table {
public:
    void* add(std::shared_ptr<held_object> object) {
        std::lock_guard const lock(mutex_);
        auto const handle = last_ + step;
        objects_.emplace(handle, std::move(object));
        last_ = handle;
        return reinterpret_cast<void*>(handle);
    }
    /// Null if there is none.
    std::shared_ptr<held_object> find(void const* handle) const {
        std::lock_guard const lock(mutex_);
        auto const at = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        return at == objects_.end() ? nullptr : at->second;
    }
    /// Removes and returns the object; null if there is none.
    std::shared_ptr<held_object> remove(void const* handle) {
        std::lock_guard const lock(mutex_);
        auto const node = objects_.extract(reinterpret_cast<std::uintptr_t>(handle));
        return node ? std::move(node.mapped()) : nullptr;
    }

private:
    static constexpr std::uintptr_t step = 16;
    mutable detail::fork_mutex mutex_{};
    std::map<std::uintptr_t, std::shared_ptr<held_object>> objects_{};
    std::uintptr_t last_ = 0;
};

/// Never destroyed: objects that exist at the end of the program may need a CUDA runtime that has ended before.
handle_table& handles() {
    static auto& table = *new handle_table;
    return table;
}
[[maybe_unused]] handle_table const& handles_at_load = handles();

[[noreturn]] void refuse_handle(char const* name) {
    refuse(name, "not the handle of an object, or that of one that was destroyed");
}

constexpr option_row host_rows[] = {{.name = "threads",
                                     .standard = "0",
                                     .meaning = "number of threads; 0: all cores",
                                     .max = host_executor::max_threads}};
constexpr option_row cuda_rows[] = {{.name = "device", .standard = "0", .meaning = "number of the device", .max = 1023},
                                    {.name = "stream",
                                     .kind = option_kind::choice,
                                     .standard = "new",
                                     .meaning = "what a null stream means: a new stream, or the default stream",
                                     .choices = {"new", "default"}}};

std::shared_ptr<held_executor> make_host(option_values const& options, void* stream) {
    chosen_options const chosen("executor \"host\"", host_rows, options);
    if (stream) refuse("stream", "not NULL, expected NULL for the host");
    host_executor const exec(static_cast<int>(chosen.integer("threads")));
    auto made = std::make_shared<held_executor>(any_executor(exec));
    made->numbers = {{"threads", exec.threads()}, {"device", -1}};
    made->texts = {{"name", "host"}};
    return made;
}

std::shared_ptr<held_executor> make_cuda(option_values const& options, [[maybe_unused]] void* stream) {
    chosen_options const chosen("executor \"cuda\"", cuda_rows, options);
#if defined(COPPICE_HAS_CUDA)
    int const device = static_cast<int>(chosen.integer("device"));
    bool const is_new = !stream && chosen.choice("stream") == 0;
    cuda_executor const exec =
        is_new ? cuda_executor(device) : cuda_executor(device, static_cast<CUstream_st*>(stream));
    auto made = std::make_shared<held_executor>(any_executor(exec));
    made->numbers = {{"threads", 0}, {"device", device}};
    made->texts = {{"name", exec.name()}};
    return made;
#else
    throw backend_error("this library was built without CUDA");
#endif
}

std::shared_ptr<held_executor> make_executor(char const* choice, void* stream) {
    require_pointer("choice", choice);
    auto const named = parse_choice(choice);
    if (named.name == "host") return make_host(named.options, stream);
    if (named.name == "cuda") return make_cuda(named.options, stream);
    refuse("choice", "\"" + named.name + "\", expected host or cuda");
}

/// Returns the property of that name; throws argument_error with the known ones.
template <class T>
T const& property(held_object const& object, char const* what, char const* name,
                  held_object::properties<T> const& all) {
    require_pointer("name", name);
    for (auto const& [key, value] : all)
        if (key == name) return value;
    std::string known;
    for (auto const& entry : all) known += (known.empty() ? "" : ", ") + entry.first;
    throw argument_error(std::string(object.kind()) + " has no " + what + " \"" + name + "\", expected " +
                         (known.empty() ? "none" : "one of: " + known));
}

std::string describe_semirings(std::string_view what) {
    std::string text;
    if (what != "semirings") return text;
    for (auto const& s : semiring_descriptions) text.append(s.name).append(": ").append(s.meaning).append("\n");
    return text;
}

} // namespace

void* add_handle(std::shared_ptr<held_object> object) { return handles().add(std::move(object)); }

std::shared_ptr<held_object> find_handle(char const* name, void const* handle) {
    if (!handle) refuse(name, "NULL");
    auto found = handles().find(handle);
    if (!found) refuse_handle(name);
    return found;
}

void require_accessible([[maybe_unused]] any_executor const& exec, char const* name, void const* p, std::int64_t length,
                        std::size_t alignment) {
    if (length == 0) return;
    require_pointer(name, static_cast<char const*>(p), alignment);
#if defined(COPPICE_HAS_CUDA)
    if (!std::holds_alternative<cuda_executor>(exec)) return;
    cudaPointerAttributes attributes{};
    COPPICE_CUDA_CHECK(cudaPointerGetAttributes(&attributes, p));
    if (attributes.type == cudaMemoryTypeUnregistered)
        refuse(name, "in host memory, expected memory of the device of the executor");
    int const device = std::get<cuda_executor>(exec).device();
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
        refuse(name, "in memory of device " + std::to_string(attributes.device) + ", expected device " +
                         std::to_string(device));
#endif
}

chosen_options options_of(char const* function, std::span<option_row const> rows, char const* options) {
    auto const named = parse_choice(options && *options ? std::string(",") + options : std::string());
    return {function, rows, named.options};
}

std::string describe_options(std::span<option_row const> rows) {
    std::string text;
    for (option_row const& row : rows)
        text.append(row.name)
            .append("=")
            .append(row.standard)
            .append(": ")
            .append(row.meaning)
            .append(" (")
            .append(expected_of(row))
            .append(")\n");
    return text;
}

} // namespace coppice::inline v0_1::c_interface

using namespace coppice::c_interface;

coppice_status_t coppice_executor_create(char const* choice, void* stream, coppice_executor_t* executor) {
    return guarded("coppice_executor_create", [&] {
        require_pointer("executor", executor);
        give_handle(executor, make_executor(choice, stream));
    });
}

coppice_status_t coppice_synchronize(coppice_executor_t executor) {
    return guarded("coppice_synchronize", [&] {
        std::visit([](auto const& exec) { exec.synchronize(); },
                   find_handle<held_executor>("executor", executor)->executor);
    });
}

coppice_status_t coppice_number(void const* handle, char const* name, double* value) {
    return guarded("coppice_number", [&] {
        require_pointer("value", value);
        auto const object = find_handle("handle", handle);
        *value = property(*object, "number", name, object->numbers);
    });
}

coppice_status_t coppice_text(void const* handle, char const* name, char const** value) {
    return guarded("coppice_text", [&] {
        require_pointer("value", value);
        auto const object = find_handle("handle", handle);
        *value = property(*object, "text", name, object->texts).c_str();
    });
}

coppice_status_t coppice_array(void const* handle, char const* name, coppice_type_t type, void const** data,
                               int64_t* length) {
    return guarded("coppice_array", [&] {
        require_pointer("data", data);
        require_pointer("length", length);
        auto const object = find_handle("handle", handle);
        auto const& found = property(*object, "array", name, object->arrays);
        if (found.type != type)
            refuse("type", std::to_string(int(type)) + ", expected " + std::to_string(int(found.type)) +
                               ", the type of the array \"" + name + "\"");
        *data = found.data;
        *length = found.length;
    });
}

coppice_status_t coppice_describe(char const* what, char const** text) {
    return guarded("coppice_describe", [&] {
        thread_local std::string description;
        require_pointer("what", what);
        require_pointer("text", text);
        std::string found = describe_solvers(what) + describe_semirings(what) + describe_graphs(what);
        if (found.empty())
            refuse("what",
                   "\"" + std::string(what) + "\", expected \"preconditioners\", \"complex preconditioners\", " +
                       "\"methods\", \"semirings\", \"graph algorithms\", or the name of a method with options");
        description = std::move(found);
        *text = description.c_str();
    });
}

coppice_status_t coppice_destroy(void* handle) {
    return guarded("coppice_destroy", [&] {
        if (handle && !handles().remove(handle)) refuse_handle("handle");
    });
}
