// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Values whose type is known at run time: conversion, and operators over arrays of bytes.
#pragma once

#include <cstring>

#include <coppice/core/parallel.hpp>

#include "objects.hpp"

namespace coppice::graphblas {

inline constexpr index block_size = 256;    ///< values that are gathered, converted and combined at a time
inline constexpr index task_size = 1 << 14; ///< values of a task

/// Whether values of one type convert to the other: both are predefined, or both are the same user-defined type.
inline bool compatible(GrB_Type a, GrB_Type b) {
    return a == b || (a->code != GrB_UDT_CODE && b->code != GrB_UDT_CODE) ||
           (a->code == b->code && a->size == b->size && a->name && b->name && *a->name == *b->name);
}

/// Whether the result of an operator depends on its first, second operand.
inline bool uses_first(GrB_BinaryOp op) {
    return op->position == positional::none && op->kind != functor::second && op->kind != functor::pair;
}
inline bool uses_second(GrB_BinaryOp op) {
    return op->position == positional::none && op->kind != functor::first && op->kind != functor::pair;
}

/// Whether an operator may be called with any values, also at positions without an entry, and with its result in the
/// memory of an operand: only predefined operators are known to accept this.
template <class Operator>
bool accepts_any_value(Operator op) {
    return op->loop && op->predefined;
}
/// Whether the loop of an operator may run over all positions; `full`: each of them has an entry.
template <class Operator>
bool runs_by_position(Operator op, bool full) {
    return op->loop && (op->predefined || full);
}

/// The bits of a double-precision complex number.
struct double_word {
    std::uint64_t low, high;
};
inline bool has_word(std::size_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8 || size == sizeof(double_word);
}
/// Calls f(U{}) for the unsigned integers of `size` bytes; requires has_word().
template <class F>
void with_word(std::size_t size, F const& f) {
    switch (size) {
    case 1:
        return f(std::uint8_t{});
    case 2:
        return f(std::uint16_t{});
    case 4:
        return f(std::uint32_t{});
    case 8:
        return f(std::uint64_t{});
    default:
        return f(double_word{});
    }
}

/// Address of value k.
inline std::byte* at(void* values, index k, std::size_t size) {
    return static_cast<std::byte*>(values) + std::size_t(k) * size;
}
inline std::byte const* at(void const* values, index k, std::size_t size) {
    return static_cast<std::byte const*>(values) + std::size_t(k) * size;
}

/// Converts n values between compatible types.
void convert(GrB_Type to_type, void* to, GrB_Type from_type, void const* from, index n);
/// to[k] = from[positions[k]]
void gather(void* to, void const* from, index const* positions, index n, std::size_t size);
/// to[positions[k]] = from[k]
void scatter(void* to, void const* from, index const* positions, index n, std::size_t size);

std::shared_ptr<bytes> make_values(index n, std::size_t size);
/// Returns the values as another type; the same array if the types are equal.
std::shared_ptr<bytes const> as_type(GrB_Type to, GrB_Type from, std::shared_ptr<bytes const> values, index n);
/// Returns values[positions[k]] for all k.
std::shared_ptr<bytes const> gathered(bytes const& values, buffer<index> const& positions, std::size_t size);
/// Returns a flag for each value: whether it is not zero.
std::shared_ptr<bytes const> as_flags(GrB_Type from, std::shared_ptr<bytes const> values, index n);

/// Which value of an operand belongs to an entry without a source.
enum class value_of_entry { own, row, column };
/// Values of one type, or one value for all positions (stride 0). Entry k at (i, j) without a source has value k, i or
/// j.
struct operand {
    GrB_Type type = nullptr;
    void const* values = nullptr;
    index stride = 1;
    value_of_entry numbered = value_of_entry::own;
};

/// Row and column of entries in ascending order.
class entry_cursor {
public:
    entry_cursor(pattern const& where, index first_entry, bool vector);
    /// Moves to entry k, not before the last one.
    void move(index k);
    index i = 0, j = 0; ///< of a vector: its index, and 0

private:
    pattern const& where_;
    index stored_;
    bool vector_;
};

/// z[k] = op(x[first], y[second]) if both sources exist, otherwise the value of the one that exists. `from` null: both
/// exist, and the operands number them. Without `op`, z[k] = y[second] if both exist.
std::shared_ptr<bytes const> combine(pattern const& where, source const* from, operand x, operand y, GrB_BinaryOp op,
                                     GrB_Type z, bool vector);
std::shared_ptr<bytes const> apply_unary(GrB_UnaryOp op, GrB_Type x, bytes const& values, index n);
/// As apply_unary, for an index-unary operator; `s` is a value of its scalar type.
std::shared_ptr<bytes const> apply_index(GrB_IndexUnaryOp op, pattern const& where, GrB_Type x, bytes const& values,
                                         void const* s, bool vector);

/// Calls work(first, last) for ranges of [0, n), in parallel.
template <class Work>
void for_ranges(index n, index block, Work const& work) {
    coppice::detail::for_each_block(executor(), n, block, [&](index, index first, index last) { work(first, last); });
}

/// Temporary values of one type, aligned for every type.
class scratch {
public:
    scratch(GrB_Type type, index n) : memory_(std::size_t(n) * type->size / sizeof(std::max_align_t) + 1) {}
    void* data() { return memory_.data(); }
    void const* data() const { return memory_.data(); }

private:
    std::vector<std::max_align_t> memory_;
};

/// A block of equal values, for the loop of an operator: loops over two arrays are vectorised.
class repeated_value {
public:
    repeated_value(GrB_Type type, void const* value) : memory_(type, block_size) {
        for (index k = 0; k < block_size; ++k) std::memcpy(at(memory_.data(), k, type->size), value, type->size);
    }
    void const* data() const { return memory_.data(); }

private:
    scratch memory_;
};

} // namespace coppice::graphblas
