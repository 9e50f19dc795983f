// SPDX-License-Identifier: BSD-3-Clause
#include "values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <coppice/core/parallel.hpp>

#include "operators.hpp"

namespace coppice::graphblas {
namespace {

template <class To, class From>
void convert_values(void* to, void const* from, index n) {
    for (index k = 0; k < n; ++k) static_cast<To*>(to)[k] = converted<To>(static_cast<From const*>(from)[k]);
}
using conversion = void (*)(void*, void const*, index);
template <class... Types>
struct type_list {};
using predefined_types = type_list<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                   std::uint32_t, std::int64_t, std::uint64_t, float, double, GxB_FC32_t, GxB_FC64_t>;
constexpr std::size_t type_count = 13;
/// Position of a predefined type in the list above.
std::size_t position_of(GrB_Type type) {
    return std::size_t(type->code >= GxB_FC32_CODE ? type->code - GxB_FC32_CODE + GrB_FP64_CODE : type->code - 1);
}
template <class To, class... From>
constexpr std::array<conversion, type_count> conversions_to(type_list<From...>) {
    return {convert_values<To, From>...};
}
template <class... To>
constexpr std::array<std::array<conversion, type_count>, type_count> all_conversions(type_list<To...>) {
    return {conversions_to<To>(predefined_types{})...};
}
constexpr auto conversions = all_conversions(predefined_types{});

template <class T>
void gather_as(void* to, void const* from, index const* positions, index n) {
    for (index k = 0; k < n; ++k) static_cast<T*>(to)[k] = static_cast<T const*>(from)[positions[k]];
}
template <class T>
void scatter_as(void* to, void const* from, index const* positions, index n) {
    for (index k = 0; k < n; ++k) static_cast<T*>(to)[positions[k]] = static_cast<T const*>(from)[k];
}
/// to[positions[k]] = from[k]
void scatter(void* to, void const* from, index const* positions, index n, std::size_t size) {
    switch (size) {
    case 1:
        return scatter_as<std::uint8_t>(to, from, positions, n);
    case 2:
        return scatter_as<std::uint16_t>(to, from, positions, n);
    case 4:
        return scatter_as<std::uint32_t>(to, from, positions, n);
    case 8:
        return scatter_as<std::uint64_t>(to, from, positions, n);
    default:
        for (index k = 0; k < n; ++k)
            std::memcpy(static_cast<std::byte*>(to) + std::size_t(positions[k]) * size,
                        static_cast<std::byte const*>(from) + std::size_t(k) * size, size);
    }
}

std::byte* at(void* values, index k, std::size_t size) {
    return static_cast<std::byte*>(values) + std::size_t(k) * size;
}
std::byte const* at(void const* values, index k, std::size_t size) {
    return static_cast<std::byte const*>(values) + std::size_t(k) * size;
}

/// An operand of an operator: gathered values, converted to the type of the operator.
class gathered_operand {
public:
    gathered_operand(operand from, GrB_Type to)
        : from_(from), to_(to), gathered_(from.type, block_size), converted_(to, block_size) {}
    /// Returns the values at these positions; `stride` is set to that of the result.
    void const* operator()(index const* positions, index n, index& stride) {
        stride = from_.stride;
        index const count = stride == 0 ? 1 : n;
        void const* values = from_.values;
        if (stride != 0) {
            gather(gathered_.data(), from_.values, positions, n, from_.type->size);
            values = gathered_.data();
        }
        if (from_.type == to_ || from_.type->code == GrB_UDT_CODE) return values;
        convert(to_, converted_.data(), from_.type, values, count);
        return converted_.data();
    }

private:
    operand from_;
    GrB_Type to_;
    scratch gathered_, converted_;
};

/// Entries of a block by their sources.
struct sorted_block {
    std::array<index, block_size> entry, first, second;
    index count = 0;
    void add(index k, index p, index q) {
        entry[std::size_t(count)] = k;
        first[std::size_t(count)] = p;
        second[std::size_t(count++)] = q;
    }
};

/// Values of the results of a positional operator.
void positional_values(positional op, GrB_Type z, pattern const& where, sorted_block const& block, entry_cursor& cursor,
                       void* to) {
    static_cast<void>(where);
    for (index k = 0; k < block.count; ++k) {
        cursor.move(block.entry[std::size_t(k)]);
        bool const column = op == positional::firstj || op == positional::firstj1 || op == positional::secondj ||
                            op == positional::secondj1;
        bool const from_one = op == positional::firsti1 || op == positional::firstj1 || op == positional::secondi1 ||
                              op == positional::secondj1;
        index const value = (column ? cursor.j : cursor.i) + (from_one ? 1 : 0);
        if (z->code == GrB_INT32_CODE)
            static_cast<std::int32_t*>(to)[k] = std::int32_t(value);
        else
            static_cast<std::int64_t*>(to)[k] = value;
    }
}

/// Combines entries on one thread.
class combiner {
public:
    combiner(pattern const& where, operand x, operand y, GrB_BinaryOp op, GrB_Type z, bool vector, void* to)
        : where_(where), x_(x), y_(y), op_(op), z_(z), vector_(vector), to_(to),
          first_(used(x, op && uses_first(op)), op && op->x ? op->x : x.type),
          second_(used(y, op && uses_second(op)), op && op->y ? op->y : y.type), result_(op ? op->z : z, block_size),
          converted_(z, block_size), single_x_(x, z), single_y_(y, z) {}

    void operator()(source const* from, index begin, index end) {
        entry_cursor cursor(where_, begin, vector_);
        for (index k = begin; k < end;) {
            sorted_block both, only_x, only_y;
            index const last = std::min(end, k + block_size);
            for (; k < last; ++k) {
                source const s = from ? from[k] : source{k, k};
                if (s.first >= 0 && s.second >= 0 && op_)
                    both.add(k, s.first, s.second);
                else if (s.second >= 0)
                    only_y.add(k, 0, s.second);
                else
                    only_x.add(k, s.first, 0);
            }
            if (both.count > 0) combine_both(both, cursor);
            copy_single(single_x_, only_x, only_x.first.data());
            copy_single(single_y_, only_y, only_y.second.data());
        }
    }

private:
    /// An operand that the operator does not use may have any type: a zero replaces it.
    static operand used(operand const& from, bool is_used) {
        static std::int64_t const zero[2] = {0, 0};
        return is_used ? from : operand{GrB_INT64, zero, 0};
    }
    void combine_both(sorted_block const& block, entry_cursor& cursor) {
        index const n = block.count;
        if (op_->position != positional::none) {
            positional_values(op_->position, op_->z, where_, block, cursor, result_.data());
        } else {
            index sx = 1, sy = 1;
            void const* const x = first_(block.first.data(), n, sx);
            void const* const y = second_(block.second.data(), n, sy);
            if (op_->loop)
                op_->loop(result_.data(), x, sx, y, sy, n);
            else
                for (index k = 0; k < n; ++k)
                    op_->function(at(result_.data(), k, op_->z->size), at(x, k * sx, op_->x->size),
                                  at(y, k * sy, op_->y->size));
        }
        void const* values = result_.data();
        if (op_->z != z_ && z_->code != GrB_UDT_CODE) {
            convert(z_, converted_.data(), op_->z, values, n);
            values = converted_.data();
        }
        scatter(to_, values, block.entry.data(), n, z_->size);
    }
    void copy_single(gathered_operand& from, sorted_block const& block, index const* positions) {
        if (block.count == 0) return;
        index stride = 1;
        void const* const values = from(positions, block.count, stride);
        if (stride != 0) return scatter(to_, values, block.entry.data(), block.count, z_->size);
        for (index k = 0; k < block.count; ++k)
            std::memcpy(at(to_, block.entry[std::size_t(k)], z_->size), values, z_->size);
    }

    pattern const& where_;
    operand x_, y_;
    GrB_BinaryOp op_;
    GrB_Type z_;
    bool vector_;
    void* to_;
    gathered_operand first_, second_;
    scratch result_, converted_;
    gathered_operand single_x_, single_y_;
};

} // namespace

void convert(GrB_Type to_type, void* to, GrB_Type from_type, void const* from, index n) {
    if (n == 0) return;
    if (to_type == from_type || to_type->code == GrB_UDT_CODE)
        std::memcpy(to, from, std::size_t(n) * to_type->size);
    else
        conversions[position_of(to_type)][position_of(from_type)](to, from, n);
}

void gather(void* to, void const* from, index const* positions, index n, std::size_t size) {
    switch (size) {
    case 1:
        return gather_as<std::uint8_t>(to, from, positions, n);
    case 2:
        return gather_as<std::uint16_t>(to, from, positions, n);
    case 4:
        return gather_as<std::uint32_t>(to, from, positions, n);
    case 8:
        return gather_as<std::uint64_t>(to, from, positions, n);
    default:
        for (index k = 0; k < n; ++k) std::memcpy(at(to, k, size), at(from, positions[k], size), size);
    }
}

std::shared_ptr<bytes> make_values(index n, std::size_t size) {
    return std::make_shared<bytes>(executor(), checked_product(n, index(size), "bytes of the values"));
}

std::shared_ptr<bytes const> as_type(GrB_Type to, GrB_Type from, std::shared_ptr<bytes const> values, index n) {
    if (to == from || to->code == GrB_UDT_CODE) return values;
    auto made = make_values(n, to->size);
    for_ranges(n, task_size, [&](index first, index last) {
        convert(to, at(made->data(), first, to->size), from, at(values->data(), first, from->size), last - first);
    });
    return made;
}

std::shared_ptr<bytes const> gathered(bytes const& values, buffer<index> const& positions, std::size_t size) {
    auto made = make_values(positions.size(), size);
    for_ranges(positions.size(), task_size, [&](index first, index last) {
        gather(at(made->data(), first, size), values.data(), positions.data() + first, last - first, size);
    });
    return made;
}

std::shared_ptr<bytes const> as_flags(GrB_Type from, std::shared_ptr<bytes const> values, index n) {
    return from->size == 1 && from->code != GrB_UDT_CODE ? values : as_type(GrB_BOOL, from, values, n);
}

entry_cursor::entry_cursor(pattern const& where, index first_entry, bool vector) : where_(where), vector_(vector) {
    auto const& offsets = where.offsets;
    stored_ = std::upper_bound(offsets.begin(), offsets.end(), first_entry) - offsets.begin() - 1;
}
void entry_cursor::move(index k) {
    if (vector_) {
        i = where_.indices[k];
        return;
    }
    while (where_.offsets[stored_ + 1] <= k) ++stored_;
    i = where_.row(stored_);
    j = where_.indices[k];
}

std::shared_ptr<bytes const> combine(pattern const& where, source const* from, operand x, operand y, GrB_BinaryOp op,
                                     GrB_Type z, bool vector) {
    auto made = make_values(where.entries(), z->size);
    for_ranges(where.entries(), task_size,
               [&](index first, index last) { combiner(where, x, y, op, z, vector, made->data())(from, first, last); });
    return made;
}

std::shared_ptr<bytes const> apply_unary(GrB_UnaryOp op, GrB_Type x, bytes const& values, index n) {
    auto made = make_values(n, op->z->size);
    for_ranges(n, task_size, [&](index first, index last) {
        scratch converted(op->x, block_size);
        for (index k = first; k < last; k += block_size) {
            index const count = std::min(block_size, last - k);
            void const* from = at(values.data(), k, x->size);
            if (x != op->x && x->code != GrB_UDT_CODE) {
                convert(op->x, converted.data(), x, from, count);
                from = converted.data();
            }
            void* const to = at(made->data(), k, op->z->size);
            if (op->loop)
                op->loop(to, from, count);
            else
                for (index e = 0; e < count; ++e) op->function(at(to, e, op->z->size), at(from, e, op->x->size));
        }
    });
    return made;
}

std::shared_ptr<bytes const> apply_index(GrB_IndexUnaryOp op, pattern const& where, GrB_Type x, bytes const& values,
                                         void const* s, bool vector) {
    index const n = where.entries();
    auto made = make_values(n, op->z->size);
    GrB_Type const type = op->x ? op->x : x;
    if (op->loop && type == x) {
        for_ranges(n, task_size, [&](index first, index last) {
            op->loop(reinterpret_cast<bool*>(made->data()) + first, at(values.data(), first, x->size), s, last - first);
        });
        return made;
    }
    if (op->positions && !vector) {
        std::int64_t offset = 0;
        std::memcpy(&offset, s, sizeof offset);
        for_ranges(n, task_size, [&](index first, index last) {
            auto* const z = reinterpret_cast<bool*>(made->data());
            index row = std::upper_bound(where.offsets.begin(), where.offsets.end(), first) - where.offsets.begin() - 1;
            for (index k = first; k < last; ++row) {
                index const end = std::min(last, where.offsets[row + 1]);
                op->positions(z + k, where.row(row), where.indices.data() + k, end - k, offset);
                k = end;
            }
        });
        return made;
    }
    for_ranges(n, task_size, [&](index first, index last) {
        scratch converted(type, 1);
        entry_cursor cursor(where, first, vector);
        for (index k = first; k < last; ++k) {
            cursor.move(k);
            void const* from = at(values.data(), k, x->size);
            if (x != type && x->code != GrB_UDT_CODE) {
                convert(type, converted.data(), x, from, 1);
                from = converted.data();
            }
            op->function(at(made->data(), k, op->z->size), from, GrB_Index(cursor.i), GrB_Index(cursor.j), s);
        }
    });
    return made;
}

} // namespace coppice::graphblas
