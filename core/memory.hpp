// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Memory: array_view borrows elements; buffer owns elements and stores the memory resource that they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <coppice/core/config.hpp>
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {

template <class T>
struct array_view;

namespace detail {

template <class Range>
inline constexpr bool is_array_view_v = false;
template <class T>
inline constexpr bool is_array_view_v<array_view<T>> = true;

template <class Range>
concept range_of_elements = !is_array_view_v<std::remove_cvref_t<Range>> && std::ranges::contiguous_range<Range> &&
                            std::ranges::sized_range<Range>;
template <class Range>
using element_of_range = std::remove_reference_t<std::ranges::range_reference_t<Range>>;
/// Whether To is From or From with an added const.
template <class From, class To>
concept adds_const = std::is_convertible_v<From (*)[], To (*)[]>;

/// Ranges that convert to array_view<T>. Views are excluded, since they have their own conversion.
template <class Range, class T>
concept viewed_as = range_of_elements<Range> && adds_const<element_of_range<Range>, T> &&
    (std::ranges::borrowed_range<Range> || std::is_const_v<T>);

} // namespace detail

/// Borrowed contiguous memory: a pointer and a length, usable in device code. Indexing is unchecked.
///
/// Contiguous ranges of elements of the same type convert to a view: buffer, std::vector, std::span, std::array. A
/// temporary range converts to a read-only view only, and must outlive the view. Operations require that the elements
/// are in the memory of their executor.
template <class T>
struct array_view {
    using value_type = std::remove_const_t<T>;

    T* pointer = nullptr;
    std::int64_t length = 0;

    constexpr array_view() = default;
    COPPICE_HD constexpr array_view(T* elements, std::int64_t count) : pointer(elements), length(count) {}
    template <detail::viewed_as<T> Range>
    constexpr array_view(Range&& range)
        : pointer(std::ranges::data(range)), length(static_cast<std::int64_t>(std::ranges::size(range))) {}

    COPPICE_HD constexpr T* data() const { return pointer; }
    COPPICE_HD constexpr std::int64_t size() const { return length; }
    COPPICE_HD constexpr bool empty() const { return length == 0; }
    COPPICE_HD constexpr T& operator[](std::int64_t i) const { return pointer[i]; }
    COPPICE_HD constexpr T* begin() const { return pointer; }
    COPPICE_HD constexpr T* end() const { return pointer + length; }
    /// Elements [first, first + count).
    COPPICE_HD constexpr array_view slice(std::int64_t first, std::int64_t count) const {
        return {pointer + first, count};
    }
    template <class U = T>
    requires(!std::is_const_v<U>) COPPICE_HD constexpr operator array_view<U const>() const {
        return {pointer, length};
    }
};
template <class Range>
array_view(Range&&) -> array_view<detail::element_of_range<Range>>;

/// Throws argument_error if `v`, a view or another contiguous range, has elements and its pointer is null.
template <class Elements>
requires requires(Elements const& v) {
    v.data();
    v.size();
}
void require_elements(std::string_view what, Elements const& v) {
    if (v.size() > 0 && v.data() == nullptr) detail::throw_null(what, static_cast<std::int64_t>(v.size()));
}
/// Throws dimension_error unless `v` has `expected` elements, argument_error if it has some and its pointer is null.
template <class Elements>
requires requires(Elements const& v) {
    v.data();
    v.size();
}
void require_size(std::string_view what, Elements const& v, std::int64_t expected) {
    require_size(what, static_cast<std::int64_t>(v.size()), expected);
    require_elements(what, v);
}

/// Memory space: host or device.
enum class memory_space { host, device };
using memory_place [[deprecated("use memory_space")]] = memory_space;

/// Alignment in bytes of the blocks of every memory_resource, and the largest one of an element of a buffer.
inline constexpr std::size_t block_alignment = 64;

/// Source of memory in one memory space. Implementations are thread-safe. allocate() aligns its blocks to
/// block_alignment and throws memory_error if there is no memory.
class memory_resource {
public:
    virtual ~memory_resource() = default;
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* pointer, std::size_t bytes) noexcept = 0;
    virtual memory_space space() const noexcept = 0;
    [[deprecated("use space()")]] memory_space place() const noexcept { return space(); }
    /// Copies `bytes` bytes of this memory to the host and waits for the copy.
    virtual void read(void const* from, void* host_to, std::size_t bytes) = 0;
    /// Whether allocated memory that was never written takes only address space, so that shrink() can return pages.
    virtual bool can_shrink() const noexcept { return false; }
    /// Returns the pages after the first `new_bytes` of `bytes` bytes to the system. Requires can_shrink(). May keep
    /// them if returning them costs more than it frees. The address space is freed by deallocate().
    // not covered: requires can_shrink(), and who overrides that overrides this
    virtual void shrink(void* /*pointer*/, std::size_t /*bytes*/, std::size_t /*new_bytes*/) noexcept {}
};

namespace detail {
/// Allocates `size` elements of `bytes` bytes each; null if size is 0. Throws as the constructor of buffer does, and
/// argument_error for a block that is not aligned, memory_error for a null pointer.
void* allocate_elements(memory_resource* resource, std::int64_t size, std::size_t bytes);
} // namespace detail

/// Owner of `size()` elements of a trivially copyable type. Move-only. The elements are not initialised.
///
/// On CUDA, memory is allocated and freed in the order of the stream of its executor. A buffer may therefore be
/// destroyed while queued work of that stream still uses it. A buffer shares ownership of its memory resource and may
/// outlive its executor.
template <class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>, "buffers hold trivially copyable types");
    static_assert(alignof(T) <= block_alignment, "elements of buffers are aligned to 64 bytes at most");

public:
    using value_type = T;

    buffer() = default;

    /// `exec` is an executor; size >= 0, otherwise argument_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    buffer(Executor const& exec, std::int64_t size) : buffer(exec.memory(), size) {}

    buffer(std::shared_ptr<memory_resource> resource, std::int64_t size)
        : resource_(std::move(resource)),
          data_(static_cast<T*>(detail::allocate_elements(resource_.get(), size, sizeof(T)))), size_(size) {}
    /// Takes ownership of `size` elements at `data`. `resource` frees them at the end, also if `size` is 0. Only the
    /// elements need be aligned.
    static buffer adopt(std::shared_ptr<memory_resource> resource, T* data, std::int64_t size) {
        buffer b;
        b.resource_ = std::move(resource);
        b.data_ = data;
        b.size_ = size;
        return b;
    }
    buffer(buffer&& other) noexcept
        : resource_(std::move(other.resource_)), data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    buffer& operator=(buffer&& other) noexcept {
        buffer(std::move(other)).swap(*this);
        return *this;
    }
    ~buffer() {
        if (data_) resource_->deallocate(data_, static_cast<std::size_t>(size_) * sizeof(T));
    }

    /// Returns the pointer and gives up ownership. The caller frees the memory through memory(). The buffer is empty
    /// afterwards.
    T* release() noexcept {
        size_ = 0;
        return std::exchange(data_, nullptr);
    }

    /// Keeps the first `size` elements and releases the others. Requires can_shrink() and size <= size().
    void shrink(std::int64_t size) noexcept {
        if (size == size_) return;
        resource_->shrink(data_, static_cast<std::size_t>(size_) * sizeof(T),
                          static_cast<std::size_t>(size) * sizeof(T));
        size_ = size;
    }

    T* data() { return data_; }
    T const* data() const { return data_; }
    std::int64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    array_view<T> view() & { return {data_, size_}; }
    array_view<T const> view() const& { return {data_, size_}; }
    array_view<T const> view() const&& = delete; ///< the view of a temporary buffer would dangle
    std::shared_ptr<memory_resource> const& memory() const { return resource_; }
    bool on_host() const { return !resource_ || resource_->space() == memory_space::host; }

    /// Element access for buffers in host memory. Undefined for device memory.
    T& operator[](std::int64_t i) { return data_[i]; }
    T const& operator[](std::int64_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    T const* begin() const { return data_; }
    T const* end() const { return data_ + size_; }

    void swap(buffer& other) noexcept {
        std::swap(resource_, other.resource_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

private:
    std::shared_ptr<memory_resource> resource_;
    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

} // namespace coppice::inline v0_1
