// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The arrays of SuiteSparse:GraphBLAS matrices and vectors: memory, types, unpacking and packing. Needs GraphBLAS.h,
/// version 7.4 or newer; programs link the library themselves.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <coppice/core/memory.hpp>
#include <coppice/semiring/graphblas/graphblas_header.hpp>

namespace coppice::inline v0_1 {
namespace detail {

class malloc_memory final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        void* const p = std::aligned_alloc(block_alignment, (bytes / block_alignment + 1) * block_alignment);
        if (!p) throw memory_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
        return p;
    }
    void deallocate(void* pointer, std::size_t) noexcept override { std::free(pointer); }
    memory_space space() const noexcept override { return memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { std::memmove(host_to, from, bytes); }
};

} // namespace detail

/// Returns a resource for host memory that free() frees, as GraphBLAS (started by GrB_init) does.
/// Arrays allocated by an executor host_executor{threads, graphblas_memory()} can be moved to GraphBLAS without a copy.
inline std::shared_ptr<memory_resource> graphblas_memory() {
    static auto const memory = std::make_shared<detail::malloc_memory>();
    return memory;
}

/// Returns the GraphBLAS type of a built-in T. Values of other types need a user-defined GrB_Type of the same size.
template <class T>
GrB_Type graphblas_type() {
    if constexpr (std::is_same_v<T, bool>)
        return GrB_BOOL;
    else if constexpr (std::is_same_v<T, std::int8_t>)
        return GrB_INT8;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return GrB_UINT8;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return GrB_INT16;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return GrB_UINT16;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return GrB_INT32;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return GrB_UINT32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return GrB_INT64;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return GrB_UINT64;
    else if constexpr (std::is_same_v<T, float>)
        return GrB_FP32;
    else if constexpr (std::is_same_v<T, double>)
        return GrB_FP64;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return GxB_FC32;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return GxB_FC64;
    else
        static_assert(!sizeof(T), "user-defined value types need their GrB_Type as last argument");
}

namespace detail {

inline void require_graphblas(GrB_Info info, char const* what) {
    if (info == GrB_SUCCESS) return;
    if (info == GrB_OUT_OF_MEMORY) throw memory_error(std::string("GraphBLAS has no memory to ") + what);
    throw argument_error("GraphBLAS failed to " + std::string(what) + ": GrB_Info " + std::to_string(int(info)));
}

/// Throws argument_error unless a GraphBLAS object holds values of the requested type.
inline void require_type(GrB_Type held, GrB_Type requested, std::size_t bytes) {
    std::size_t held_bytes = 0;
    require_graphblas(GxB_Type_size(&held_bytes, held), "read the size of a type");
    if (held != requested || held_bytes != bytes)
        throw argument_error("the GraphBLAS object holds values of another type (" + std::to_string(held_bytes) +
                             " bytes) than requested (" + std::to_string(bytes) + " bytes)");
}

/// Wraps elements that GraphBLAS allocated into a buffer, which takes ownership.
template <class T, class From>
buffer<T> adopt_from_graphblas(From*& pointer, std::int64_t size) {
    static_assert(alignof(T) <= alignof(std::max_align_t), "GraphBLAS aligns values as malloc() does");
    return buffer<T>::adopt(graphblas_memory(), reinterpret_cast<T*>(std::exchange(pointer, nullptr)), size);
}

/// Whether the arrays of an unpacked object are only read and then returned, or taken over.
enum class unpack_for { reading, taking };

/// Shape and format of a GraphBLAS object before its arrays are unpacked.
struct graphblas_shape {
    std::int64_t rows = 0, columns = 0, entries = 0;
    int format = 0; ///< GxB_HYPERSPARSE, GxB_SPARSE, GxB_BITMAP or GxB_FULL
};
inline graphblas_shape shape_of(GrB_Matrix a, GrB_Type type, std::size_t value_bytes) {
    GrB_Type held = nullptr;
    require_graphblas(GxB_Matrix_type(&held, a), "read the type of a matrix");
    require_type(held, type, value_bytes);
    GrB_Index sizes[3]{};
    require_graphblas(GrB_Matrix_nrows(&sizes[0], a), "count rows");
    require_graphblas(GrB_Matrix_ncols(&sizes[1], a), "count columns");
    require_graphblas(GrB_Matrix_nvals(&sizes[2], a), "count entries"); // also completes pending operations
    graphblas_shape s{std::int64_t(sizes[0]), std::int64_t(sizes[1]), std::int64_t(sizes[2])};
    require_graphblas(GxB_Matrix_Option_get(a, GxB_SPARSITY_STATUS, &s.format), "read the form of a matrix");
    return s;
}

/// Holds the arrays of a GrB_Matrix while they are unpacked. For reading, the destructor packs them again. A matrix
/// without entries is not unpacked.
class unpacked_matrix {
public:
    unpacked_matrix(GrB_Matrix a, GrB_Type type, std::size_t value_bytes, unpack_for purpose)
        : owner_(purpose == unpack_for::reading ? a : nullptr) {
        graphblas_shape const shape = shape_of(a, type, value_bytes);
        rows = shape.rows;
        columns = shape.columns;
        nonzeros = shape.entries;
        if (nonzeros == 0) return;
        // Without a pointer for `iso`, GraphBLAS expands an iso-valued matrix to one value per entry.
        require_graphblas(GxB_Matrix_unpack_CSR(a, &offsets, &indices, &values, &offset_bytes_, &index_bytes_,
                                                &value_bytes_, owner_ ? &iso : nullptr, &jumbled_, nullptr),
                          "unpack a matrix");
    }
    unpacked_matrix(unpacked_matrix const&) = delete;
    unpacked_matrix& operator=(unpacked_matrix const&) = delete;
    ~unpacked_matrix() {
        if (owner_ && nonzeros > 0)
            GxB_Matrix_pack_CSR(owner_, &offsets, &indices, &values, offset_bytes_, index_bytes_, value_bytes_, iso,
                                jumbled_, nullptr);
        std::free(offsets); // null if they were taken over or packed
        std::free(indices);
        std::free(values);
    }

    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t nonzeros = 0;
    bool iso = false; ///< all values are equal to values[0]
    GrB_Index* offsets = nullptr;
    GrB_Index* indices = nullptr;
    void* values = nullptr;

private:
    GrB_Matrix owner_;
    GrB_Index offset_bytes_ = 0, index_bytes_ = 0, value_bytes_ = 0;
    bool jumbled_ = false;
};

/// The arrays of an unpacked GrB_Vector: values and flags; no flags if every element is an entry.
class unpacked_vector {
public:
    unpacked_vector(GrB_Vector v, GrB_Type type, std::size_t value_bytes, unpack_for purpose)
        : owner_(purpose == unpack_for::reading ? v : nullptr) {
        GrB_Type held = nullptr;
        require_graphblas(GxB_Vector_type(&held, v), "read the type of a vector");
        require_type(held, type, value_bytes);
        GrB_Index n = 0;
        require_graphblas(GrB_Vector_size(&n, v), "read the length of a vector");
        require_graphblas(GrB_Vector_nvals(&entries_, v), "count entries");
        size = static_cast<std::int64_t>(n);
        entries = static_cast<std::int64_t>(entries_);
        if (entries == 0) return;
        bool* const iso_pointer = owner_ ? &iso : nullptr;
        require_graphblas(is_full() ? GxB_Vector_unpack_Full(v, &values, &value_bytes_, iso_pointer, nullptr)
                                    : GxB_Vector_unpack_Bitmap(v, &present, &values, &flag_bytes_, &value_bytes_,
                                                               iso_pointer, &entries_, nullptr),
                          "unpack a vector");
    }
    unpacked_vector(unpacked_vector const&) = delete;
    unpacked_vector& operator=(unpacked_vector const&) = delete;
    ~unpacked_vector() {
        if (owner_ && entries > 0) {
            if (is_full())
                GxB_Vector_pack_Full(owner_, &values, value_bytes_, iso, nullptr);
            else
                GxB_Vector_pack_Bitmap(owner_, &present, &values, flag_bytes_, value_bytes_, iso, entries_, nullptr);
        }
        std::free(present); // null if they were taken over or packed
        std::free(values);
    }

    bool is_full() const { return entries == size; }

    std::int64_t size = 0;
    std::int64_t entries = 0;
    bool iso = false; ///< all values are equal to values[0]
    std::int8_t* present = nullptr;
    void* values = nullptr;

private:
    GrB_Vector owner_;
    GrB_Index entries_ = 0, flag_bytes_ = 0, value_bytes_ = 0;
};

/// Owns a new GraphBLAS object until it is returned to the caller.
template <class Handle, GrB_Info (*Free)(Handle*)>
class new_graphblas_object {
public:
    new_graphblas_object() = default;
    new_graphblas_object(new_graphblas_object const&) = delete;
    new_graphblas_object& operator=(new_graphblas_object const&) = delete;
    ~new_graphblas_object() { Free(&handle_); }
    Handle* address() { return &handle_; }
    operator Handle() const { return handle_; }
    Handle release() { return std::exchange(handle_, nullptr); }

private:
    Handle handle_ = nullptr;
};

/// Throws argument_error unless GraphBLAS may free the buffer.
inline void require_movable(bool from_there) {
    if (!from_there)
        throw argument_error("an array to be moved to GraphBLAS must be allocated by graphblas_memory(); to_graphblas "
                             "copies any array");
}
template <class T>
void require_movable(buffer<T> const& b) {
    require_movable(b.empty() || b.memory() == graphblas_memory());
}

/// Array to be packed: GraphBLAS sets the pointer to null when it takes ownership; otherwise the destructor frees it.
template <class As, class T>
class packed_array {
public:
    explicit packed_array(buffer<T>&& from)
        : bytes_(static_cast<GrB_Index>(from.size()) * sizeof(T)), pointer_(reinterpret_cast<As*>(from.release())) {}
    packed_array(packed_array const&) = delete;
    packed_array& operator=(packed_array const&) = delete;
    ~packed_array() { std::free(pointer_); }
    As** address() { return &pointer_; }
    GrB_Index bytes() const { return bytes_; }

private:
    GrB_Index bytes_;
    As* pointer_;
};

} // namespace detail
} // namespace coppice::inline v0_1
