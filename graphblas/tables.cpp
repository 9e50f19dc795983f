// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <cstring>

#include <coppice/core/parallel.hpp>

namespace coppice::graphblas {

void keep_message(object_head* object, std::string const& message) noexcept {
    // Nothing is written to memory that is no object, or no longer one.
    if (!object || !is_live(first_word(object)) || object->predefined) return;
    try {
        object->message = std::make_unique<std::string>(message);
    } catch (...) {
        object->message.reset();
    }
}

void require_compatible(GrB_Type to, GrB_Type from, char const* what) {
    if (!compatible(to, from))
        throw failure{GrB_DOMAIN_MISMATCH, std::string(what) + ": type " + from->text() + " does not convert to " +
                                               to->text() + ", expected the same type or two predefined ones"};
}
void require_same(char const* what, index got, index expected) {
    if (got != expected)
        throw failure{GrB_DIMENSION_MISMATCH,
                      std::string(what) + " is " + std::to_string(got) + ", expected " + std::to_string(expected)};
}

settings::settings(GrB_Descriptor d) {
    if (!d) return;
    require_alive(d, "descriptor");
    replace = d->replace;
    complement = d->complement;
    structure = d->structure;
    transpose0 = d->transpose0;
    transpose1 = d->transpose1;
}

namespace {

/// Returns the entries with the changes applied, the last of each position.
contents with_changes(table const& t) {
    index const n = index(t.changes.size());
    std::size_t const size = t.type->size;
    std::vector<index> rows(t.changes.size()), columns(t.changes.size());
    bool removed = false;
    for (std::size_t k = 0; k < t.changes.size(); ++k) {
        rows[k] = t.changes[k].row;
        columns[k] = t.changes[k].column;
        removed = removed || t.changes[k].removed;
    }
    auto const made = build(t.rows, t.columns, rows.data(), columns.data(), n);
    index const distinct = made.where->entries();
    buffer<index> last(executor(), distinct);
    for (index e = 0; e < distinct; ++e) last[e] = made.order[made.starts[e + 1] - 1];
    auto const set = write(*t.data.where, *made.where, {}, true, false);
    auto const values = make_values(distinct, size);
    gather(values->data(), t.changed_values.data(), last.data(), distinct, size);
    contents to{set.where, combine(*set.where, set.from.data(), {t.type, t.data.values->data()},
                                   {t.type, values->data()}, nullptr, t.type, false)};
    if (!removed) return to;
    buffer<std::uint8_t> keep(executor(), set.where->entries());
    for (index k = 0; k < keep.size(); ++k) {
        index const from = set.from[k].second;
        keep[k] = from >= 0 && t.changes[std::size_t(last[from])].removed ? 0 : 1;
    }
    auto const selected = select(*to.where, keep.data());
    return {selected.where, gathered(*to.values, selected.from, size)};
}

/// entries_of() for a caller that holds the guard.
contents const& merge_changes(table& t) {
    if (!t.changes.empty()) {
        t.data = with_changes(t);
        t.transposed = {};
        t.changes.clear();
        t.changed_values.clear();
    }
    return t.data;
}

} // namespace

contents entries_of(table& t) {
    std::scoped_lock const lock(t.guard);
    return merge_changes(t);
}

contents transposed_entries(table& t) {
    std::scoped_lock const lock(t.guard);
    contents const& data = merge_changes(t);
    if (!t.transposed.where) {
        auto const transposed_result = transpose(*data.where);
        t.transposed = {transposed_result.where, gathered(*data.values, transposed_result.from, t.type->size)};
    }
    return t.transposed;
}

void set_entries(table& t, contents data) noexcept {
    std::scoped_lock const lock(t.guard);
    t.rows = data.where->rows;
    t.columns = data.where->columns;
    t.data = std::move(data);
    t.transposed = {};
    t.changes.clear();
    t.changed_values.clear();
}

void change_element(table& t, index row, index column, void const* value) {
    std::scoped_lock const lock(t.guard);
    std::size_t const size = t.type->size;
    if (t.changes.empty()) {
        index const at = find_entry(*t.data.where, row, column);
        if (at < 0 && !value) return;
        if (at >= 0 && value && t.data.values.use_count() == 1) {
            t.transposed = {};
            std::memcpy(const_cast<std::byte*>(t.data.values->data()) + std::size_t(at) * size, value, size);
            return;
        }
    }
    std::size_t const used = t.changed_values.size();
    t.changed_values.resize(used + size);
    if (value) std::memcpy(t.changed_values.data() + used, value, size);
    try {
        t.changes.push_back({row, column, !value});
    } catch (...) {
        t.changed_values.resize(used);
        throw;
    }
}

mask_of_call::mask_of_call(table* mask, settings const& s, index rows, index columns) : complement_(s.complement) {
    if (!mask) return;
    if (!s.structure && mask->type->code == GrB_UDT_CODE)
        throw failure{GrB_DOMAIN_MISMATCH,
                      "the mask has a user-defined type, which does not convert to bool: expected a "
                      "predefined type or GrB_STRUCTURE"};
    require_same("number of rows of the mask", mask->rows, rows);
    require_same("number of columns of the mask", mask->columns, columns);
    data_ = entries_of(*mask);
    if (!s.structure) flags_ = as_flags(mask->type, data_.values, data_.where->entries());
}

void require_accumulator(GrB_Type c, GrB_BinaryOp accum, GrB_Type t) {
    if (!accum) return require_compatible(c, t, "result");
    if (accum->position != positional::none)
        throw failure{GrB_DOMAIN_MISMATCH, "the accumulator is a positional operator, expected one of two values"};
    require_compatible(c, accum->z, "result of the accumulator");
    if (uses_first(accum)) require_compatible(accum->x, c, "first operand of the accumulator");
    if (uses_second(accum)) require_compatible(accum->y, t, "second operand of the accumulator");
}

void accumulate(GrB_Type c_type, void* c, GrB_BinaryOp accum, GrB_Type t_type, void const* t) {
    if (!accum) return convert(c_type, c, t_type, t, 1);
    scratch x(accum->x, 1), y(accum->y, 1), z(accum->z, 1);
    if (uses_first(accum)) convert(accum->x, x.data(), c_type, c, 1);
    if (uses_second(accum)) convert(accum->y, y.data(), t_type, t, 1);
    accum->function(z.data(), x.data(), y.data());
    convert(c_type, c, accum->z, z.data(), 1);
}

void finish(table& c, mask_of_call const& mask, GrB_BinaryOp accum, bool replace, contents const& t, GrB_Type type,
            bool vector) {
    if (mask.is_absent() && !accum)
        return set_entries(c, {t.where, as_type(c.type, type, t.values, t.where->entries())});
    contents const old = entries_of(c);
    operand const x{c.type, old.values->data()}, y{type, t.values->data()};
    if (mask.is_absent() && (old.where == t.where || (old.where->is_full_row() && t.where->is_full_row())))
        return set_entries(c, {t.where, combine(*t.where, nullptr, x, y, accum, c.type, vector)});
    auto const written = write(*old.where, *t.where, mask.view(), accum != nullptr, replace);
    set_entries(c, {written.where, combine(*written.where, written.from.data(), x, y, accum, c.type, vector)});
}

void require_argument(argument const& a, GrB_Type type, char const* what) {
    switch (a.kind) {
    case argument::typed:
        return require_compatible(type, a.type, what);
    case argument::scalar:
        require_alive(a.object, what);
        return require_compatible(type, a.object->type, what);
    case argument::user:
        if (type->code != GrB_UDT_CODE)
            throw failure{GrB_DOMAIN_MISMATCH, std::string(what) +
                                                   " is given by an address, expected a user-defined type, not " +
                                                   type->text()};
    }
}

converted_value::converted_value(argument const& from, GrB_Type to, char const* what) : memory_(to, 1) {
    require_argument(from, to, what);
    if (from.kind == argument::scalar) {
        present_ = from.object->present;
        if (present_) convert(to, memory_.data(), from.object->type, from.object->value.data(), 1);
        return;
    }
    require_pointer(from.data, what);
    convert(to, memory_.data(), from.kind == argument::user ? to : from.type, from.data, 1);
}
void converted_value::require_present(char const* what) const {
    if (!present_) throw failure{GrB_EMPTY_OBJECT, std::string(what) + " is an empty GrB_Scalar, expected a value"};
}

} // namespace coppice::graphblas
