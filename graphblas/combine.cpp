// SPDX-License-Identifier: BSD-3-Clause
// Values of results by a binary operator over the sources of their entries.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "values.hpp"

namespace coppice::graphblas {
namespace {

/// Numbers of the values of an operand for consecutive entries without sources.
class entry_numbers {
public:
    entry_numbers(pattern const& where, operand const& of, index first) : where_(where), numbered_(of.numbered) {
        if (numbered_ == value_of_entry::row)
            stored_ = std::upper_bound(where.offsets.begin(), where.offsets.end(), first) - where.offsets.begin() - 1;
    }
    /// Returns those of entries [first, last), which follow the ones of the call before; null if each is its own.
    index const* operator()(index first, index last) {
        if (numbered_ == value_of_entry::own) return nullptr;
        if (numbered_ == value_of_entry::column) return where_.indices.data() + first;
        for (index k = first; k < last;) {
            while (where_.offsets[stored_ + 1] <= k) ++stored_;
            index const end = std::min(last, where_.offsets[stored_ + 1]);
            std::fill(rows_.begin() + (k - first), rows_.begin() + (end - first), where_.row(stored_));
            k = end;
        }
        return rows_.data();
    }

private:
    pattern const& where_;
    value_of_entry numbered_;
    index stored_ = 0;
    std::array<index, block_size> rows_;
};

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

/// What a positional operator returns: the row or the column of an entry, counted from `base`.
struct position_rule {
    bool column;
    index base;

    explicit position_rule(positional op)
        : column(op == positional::firstj || op == positional::firstj1 || op == positional::secondj ||
                 op == positional::secondj1),
          base(op == positional::firsti1 || op == positional::firstj1 || op == positional::secondi1 ||
               op == positional::secondj1) {}
};

/// Values of the results of a positional operator.
void positional_values(positional op, GrB_Type z, sorted_block const& block, entry_cursor& cursor, void* to) {
    position_rule const rule(op);
    for (index k = 0; k < block.count; ++k) {
        cursor.move(block.entry[std::size_t(k)]);
        index const value = (rule.column ? cursor.j : cursor.i) + rule.base;
        if (z->code == GrB_INT32_CODE)
            static_cast<std::int32_t*>(to)[k] = std::int32_t(value);
        else
            static_cast<std::int64_t*>(to)[k] = value;
    }
}

/// An operand that the operator does not use may have any type: a zero replaces it.
operand used(operand const& from, bool is_used) {
    static std::int64_t const zero[2] = {0, 0};
    return is_used ? from : operand{GrB_INT64, zero, 0};
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
        entry_numbers x_numbers(where_, x_, begin), y_numbers(where_, y_, begin);
        for (index k = begin; k < end;) {
            sorted_block both, only_x, only_y;
            index const block = k, last = std::min(end, k + block_size);
            index const *const p = from ? nullptr : x_numbers(k, last), *const q = from ? nullptr : y_numbers(k, last);
            for (; k < last; ++k) {
                source const s = from ? from[k] : source{p ? p[k - block] : k, q ? q[k - block] : k};
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
    void combine_both(sorted_block const& block, entry_cursor& cursor) {
        index const n = block.count;
        if (op_->position != positional::none) {
            positional_values(op_->position, op_->z, block, cursor, result_.data());
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

/// One operand of a loop over entries without sources, a block at a time: its values, or a copy in the type of the
/// operator.
class block_operand {
public:
    block_operand(pattern const& where, operand from, GrB_Type to, index first)
        : from_(from), to_(to), numbers_(where, from, first), gathered_(from.type, block_size),
          converted_(to, block_size) {
        if (from.stride != 0) return;
        convert(to, gathered_.data(), from.type, from.values, 1);
        constant_.emplace(to, gathered_.data());
    }
    void const* operator()(index first, index last) {
        if (constant_) return constant_->data();
        std::size_t const size = from_.type->size;
        index const* const numbers = numbers_(first, last);
        void const* values = at(from_.values, numbers ? 0 : first, size);
        if (numbers) {
            gather(gathered_.data(), values, numbers, last - first, size);
            values = gathered_.data();
        }
        if (from_.type == to_ || to_->code == GrB_UDT_CODE) return values;
        convert(to_, converted_.data(), from_.type, values, last - first);
        return converted_.data();
    }

private:
    operand from_;
    GrB_Type to_;
    entry_numbers numbers_;
    scratch gathered_, converted_;
    std::optional<repeated_value> constant_;
};

/// z[k] = op(x, y) for entries [begin, end), all of which have both operands.
void combine_in_order(pattern const& where, operand x, operand y, GrB_BinaryOp op, GrB_Type z, void* to, index begin,
                      index end) {
    block_operand first(where, used(x, uses_first(op)), op->x, begin),
        second(where, used(y, uses_second(op)), op->y, begin);
    bool const converts = op->z != z && z->code != GrB_UDT_CODE;
    scratch result(op->z, converts ? block_size : 1);
    for (index k = begin; k < end; k += block_size) {
        index const last = std::min(end, k + block_size);
        void* const values = converts ? result.data() : at(to, k, z->size);
        op->loop(values, first(k, last), 1, second(k, last), 1, last - k);
        if (converts) convert(z, at(to, k, z->size), op->z, values, last - k);
    }
}

/// Results of a positional operator for entries [begin, end).
template <class T>
void positions_in_order(pattern const& where, positional op, bool vector, T* z, index begin, index end) {
    position_rule const rule(op);
    if (vector || rule.column) { // the column of an element of a vector is 0
        for (index k = begin; k < end; ++k) z[k] = T((vector && rule.column ? 0 : where.indices[k]) + rule.base);
        return;
    }
    entry_cursor at(where, begin, false);
    for (index k = begin; k < end; ++k) {
        at.move(k);
        z[k] = T(at.i + rule.base);
    }
}

/// Entries [begin, end) with sources, of one predefined type. The loops have no branches, which would not be predicted:
/// a value is also read, and the operator called, where a source is missing.
template <class U>
void combine_sources(source const* from, U const* x, index sx, U const* y, index sy, GrB_BinaryOp op, U* z, index begin,
                     index end) {
    std::array<U, block_size> a, b, c;
    U const none{};
    if (!x) x = &none, sx = 0; // an operand without entries
    if (!y) y = &none, sy = 0;
    for (index first = begin; first < end; first += block_size) {
        auto const n = std::size_t(std::min(block_size, end - first));
        source const* const s = from + first;
        for (std::size_t k = 0; k < n; ++k) {
            a[k] = x[std::max<index>(s[k].first, 0) * sx];
            b[k] = y[std::max<index>(s[k].second, 0) * sy];
        }
        if (op) op->loop(c.data(), a.data(), 1, b.data(), 1, index(n));
        U const* const both = op ? c.data() : b.data();
        for (std::size_t k = 0; k < n; ++k) {
            std::array<U const*, 3> const choices{a.data(), b.data(), both};
            auto const choice = std::size_t(s[k].second >= 0) + std::size_t((s[k].first | s[k].second) >= 0);
            z[first + index(k)] = choices[choice][k];
        }
    }
}
/// Whether combine_sources() applies.
bool has_one_type(operand const& x, operand const& y, GrB_BinaryOp op, GrB_Type z) {
    if (z->code == GrB_UDT_CODE || x.type != z || y.type != z) return false;
    return !op || (accepts_any_value(op) && op->x == z && op->y == z && op->z == z);
}

} // namespace

std::shared_ptr<bytes const> combine(pattern const& where, source const* from, operand x, operand y, GrB_BinaryOp op,
                                     GrB_Type z, bool vector) {
    auto made = make_values(where.entries(), z->size);
    bool const in_order = !from && op && op->loop, one_type = from && has_one_type(x, y, op, z);
    bool const positions = !from && op && op->position != positional::none && op->z == z;
    for_ranges(where.entries(), task_size, [&](index first, index last) {
        if (positions && z->code == GrB_INT32_CODE)
            return positions_in_order(where, op->position, vector, reinterpret_cast<std::int32_t*>(made->data()), first,
                                      last);
        if (positions)
            return positions_in_order(where, op->position, vector, reinterpret_cast<std::int64_t*>(made->data()), first,
                                      last);
        if (in_order) return combine_in_order(where, x, y, op, z, made->data(), first, last);
        if (!one_type) return combiner(where, x, y, op, z, vector, made->data())(from, first, last);
        with_word(z->size, [&]<class U>(U) {
            combine_sources(from, static_cast<U const*>(x.values), x.stride, static_cast<U const*>(y.values), y.stride,
                            op, reinterpret_cast<U*>(made->data()), first, last);
        });
    });
    return made;
}

} // namespace coppice::graphblas
