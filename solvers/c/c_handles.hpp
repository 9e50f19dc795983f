// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Objects behind the handles of coppice.h, their table, and the choice of types at run time.
#pragma once

#include <coppice/coppice.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/named_options.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/solvers/c/c_status.hpp>

namespace coppice::inline v0_1::c_interface {

#if defined(COPPICE_HAS_CUDA)
using any_executor = std::variant<host_executor, cuda_executor>;
#else
using any_executor = std::variant<host_executor>;
#endif

/// Object that a handle names, with its properties by name.
class held_object {
public:
    struct array {
        coppice_type_t type;
        void const* data;
        std::int64_t length;
    };
    template <class T>
    using properties = std::vector<std::pair<std::string, T>>;

    virtual ~held_object() = default;
    virtual char const* kind() const = 0;

    properties<double> numbers{};
    properties<std::string> texts{};
    properties<array> arrays{};
};

/// Returns the handle of a new object.
void* add_handle(std::shared_ptr<held_object> object);
/// Returns the object of a handle; throws argument_error, with `name` in the message, if there is none.
std::shared_ptr<held_object> find_handle(char const* name, void const* handle);
/// The same for a handle of one kind.
template <class Held>
std::shared_ptr<Held> find_handle(char const* name, void const* handle) {
    auto const found = find_handle(name, handle);
    auto typed = std::dynamic_pointer_cast<Held>(found);
    if (!typed) refuse(name, std::string("the handle of ") + found->kind() + ", expected that of " + Held::described);
    return typed;
}
/// Stores the handle of a new object in an argument that require_pointer() has checked.
template <class Handle>
void give_handle(Handle* to, std::shared_ptr<held_object> object) {
    *to = static_cast<Handle>(add_handle(std::move(object)));
}

struct held_executor final : held_object {
    static constexpr char const* described = "an executor";
    char const* kind() const override { return described; }

    explicit held_executor(any_executor e) : executor(std::move(e)) {}
    any_executor executor;
};

/// A CSR matrix with 32-bit indices in the memory of its executor.
struct held_matrix final : held_object {
    static constexpr char const* described = "a matrix";
    char const* kind() const override { return described; }

    std::shared_ptr<held_executor> executor;
    coppice_type_t type = COPPICE_DOUBLE;
    std::int32_t rows = 0, columns = 0, nonzeros = 0;
    std::int32_t const *offsets = nullptr, *indices = nullptr;
    void const* values = nullptr;
    buffer<std::int32_t> own_offsets{}, own_indices{}; ///< empty if the arrays are borrowed
    buffer<std::byte> own_values{};
    bool borrows = false;
    std::vector<std::int32_t> source{}; ///< position of each value in the arrays of the caller; empty: the same
    std::optional<srcsr_plan<std::int32_t>> plan{};
    bool simple = false; ///< rows are known to be sorted and without duplicates

    template <class T>
    csr_view<T> view() const {
        return {rows, columns, nonzeros, offsets, indices, static_cast<T const*>(values)};
    }
};

/// Result of a solve or of a graph algorithm: arrays, numbers and texts by name.
struct held_result final : held_object {
    static constexpr char const* described = "a result";
    char const* kind() const override { return described; }

    void add(std::string name, std::vector<double> elements) {
        add(std::move(name), COPPICE_DOUBLE, std::move(elements));
    }
    void add(std::string name, std::vector<std::int64_t> elements) {
        add(std::move(name), COPPICE_INT64, std::move(elements));
    }
    void add(std::string name, std::vector<std::int32_t> elements) {
        add(std::move(name), COPPICE_INT32, std::move(elements));
    }

private:
    template <class T>
    void add(std::string name, coppice_type_t type, std::vector<T> elements) {
        auto const& saved = std::get<std::vector<T>>(stored_.emplace_back(std::move(elements)));
        arrays.emplace_back(std::move(name), array{type, saved.data(), std::int64_t(saved.size())});
    }
    std::deque<std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>>> stored_{};
};

/// Bytes of an element.
inline std::size_t size_of(coppice_type_t type) {
    static constexpr std::size_t sizes[] = {4, 8, 4, 8, 8, 16}; // in the order of coppice_type_t
    return sizes[type];
}
/// Whether matrices of this type are real.
inline bool is_real(coppice_type_t type) { return type == COPPICE_FLOAT || type == COPPICE_DOUBLE; }

/// Calls work(std::type_identity<T>) with the value type.
template <class Work>
decltype(auto) with_type(coppice_type_t type, Work const& work) {
    switch (type) {
    case COPPICE_FLOAT:
        return work(std::type_identity<float>{});
    case COPPICE_DOUBLE:
        return work(std::type_identity<double>{});
    case COPPICE_COMPLEX_FLOAT:
        return work(std::type_identity<std::complex<float>>{});
    case COPPICE_COMPLEX_DOUBLE:
        return work(std::type_identity<std::complex<double>>{});
    default:
        refuse("value_type", std::to_string(int(type)) + ", expected COPPICE_FLOAT (2) to COPPICE_COMPLEX_DOUBLE (5)");
    }
}
/// Calls work(exec, csr_view<T>).
template <class Work>
void with_matrix(held_matrix const& m, Work const& work) {
    with_type(m.type, [&]<class T>(std::type_identity<T>) {
        std::visit([&](auto const& exec) { work(exec, m.view<T>()); }, m.executor->executor);
    });
}
/// The same for real matrices; throws argument_error for complex ones.
template <class Work>
void with_real_matrix(char const* what, held_matrix const& m, Work const& work) {
    std::visit(
        [&](auto const& exec) {
            if (m.type == COPPICE_FLOAT) return work(exec, m.view<float>());
            if (m.type == COPPICE_DOUBLE) return work(exec, m.view<double>());
            throw argument_error(std::string(what) + " is for real matrices, got a complex one");
        },
        m.executor->executor);
}

/// Throws argument_error if an array of the caller is null, not aligned, or, on CUDA, not accessible by the device.
void require_accessible(any_executor const& exec, char const* name, void const* p, std::int64_t length,
                        std::size_t alignment);

/// A vector of the caller in the memory of the executor.
template <class T, class Pointer>
array_view<T> vector_of(held_executor const& exec, char const* name, Pointer* p, std::int64_t length) {
    require_accessible(exec.executor, name, p, length, alignof(T));
    return {static_cast<T*>(p), length};
}

/// Options of one string, "key=value,key=value" or null.
chosen_options options_of(char const* function, std::span<option_row const> rows, char const* options);

/// The description of one list or of one method; empty if `what` is none of those.
std::string describe_solvers(std::string_view what);
std::string describe_graphs(std::string_view what);
/// One line for each option.
std::string describe_options(std::span<option_row const> rows);

} // namespace coppice::inline v0_1::c_interface
