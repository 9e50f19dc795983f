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

} // namespace

void convert(GrB_Type to_type, void* to, GrB_Type from_type, void const* from, index n) {
    if (n == 0) return;
    if (to_type == from_type || to_type->code == GrB_UDT_CODE)
        std::memcpy(to, from, std::size_t(n) * to_type->size);
    else
        conversions[position_of(to_type)][position_of(from_type)](to, from, n);
}

// Arrays of callers may not be aligned for a double_word.
void gather(void* to, void const* from, index const* positions, index n, std::size_t size) {
    if (size > 8 || !has_word(size)) {
        for (index k = 0; k < n; ++k) std::memcpy(at(to, k, size), at(from, positions[k], size), size);
        return;
    }
    with_word(size, [&]<class U>(U) {
        for (index k = 0; k < n; ++k) static_cast<U*>(to)[k] = static_cast<U const*>(from)[positions[k]];
    });
}

void scatter(void* to, void const* from, index const* positions, index n, std::size_t size) {
    if (size > 8 || !has_word(size)) {
        for (index k = 0; k < n; ++k) std::memcpy(at(to, positions[k], size), at(from, k, size), size);
        return;
    }
    with_word(size, [&]<class U>(U) {
        for (index k = 0; k < n; ++k) static_cast<U*>(to)[positions[k]] = static_cast<U const*>(from)[k];
    });
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
    if (op->positions) {
        for_ranges(n, task_size, [&](index first, index last) {
            index const zero = 0;
            if (!op->uses_row && !vector)
                return op->positions(at(made->data(), first, op->z->size), &zero, where.indices.data() + first, true,
                                     last - first, s);
            if (vector)
                return op->positions(at(made->data(), first, op->z->size), where.indices.data() + first, &zero, false,
                                     last - first, s);
            index stored =
                std::upper_bound(where.offsets.begin(), where.offsets.end(), first) - where.offsets.begin() - 1;
            for (index k = first; k < last; ++stored) {
                index const end = std::min(last, where.offsets[stored + 1]), row = where.row(stored);
                op->positions(at(made->data(), k, op->z->size), &row, where.indices.data() + k, true, end - k, s);
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
