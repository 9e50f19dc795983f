// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <coppice/core/parallel.hpp>

#include "device/device.hpp"
#include "region.hpp"
#include "select.hpp"

namespace coppice::graphblas {

void keep_message(object_head* object, std::string const& message) noexcept {
    // Nothing is written to memory that is no object, or no longer one.
    if (!object || !is_live(first_word(object)) || object->predefined) return;
    try {
        object->message = std::make_unique<std::string>(message);
    } catch (...) {
        // not covered: no memory for the message of an error
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
    contents const& old = t.data.list;
    index const distinct = made.where->entries();
    auto const last = [&](index e) { return made.is_sorted ? e : made.order[made.starts[e + 1] - 1]; };
    if (!old.where->hypersparse && old.where->entries() > 0) {
        row_changes changes;
        list_search search(*old.where);
        for (index r = 0; r < made.where->stored_rows(); ++r) {
            if (made.where->offsets[r] == made.where->offsets[r + 1]) continue;
            for (index e = made.where->offsets[r]; e < made.where->offsets[r + 1]; ++e) {
                index const at = search.find(made.where->row(r), made.where->indices[e]);
                if (at >= 0) changes.removed.push_back(at);
                if (t.changes[std::size_t(last(e))].removed) continue;
                changes.added_columns.push_back(made.where->indices[e]);
                changes.added_from.push_back(last(e));
            }
            changes.close(made.where->row(r));
        }
        return spliced(old, size, changes, t.changed_values.data());
    }
    buffer<index> values_of(executor(), distinct);
    for (index e = 0; e < distinct; ++e) values_of[e] = last(e);
    auto const set = write(*old.where, *made.where, {}, true, false);
    auto const values = make_values(distinct, size);
    gather(values->data(), t.changed_values.data(), values_of.data(), distinct, size);
    contents to{set.where, combine(*set.where, set.from.data(), {t.type, old.values->data()}, {t.type, values->data()},
                                   nullptr, t.type, false)};
    if (!removed) return to;
    buffer<std::uint8_t> keep(executor(), set.where->entries());
    for (index k = 0; k < keep.size(); ++k) {
        index const from = set.from[k].second;
        keep[k] = from >= 0 && t.changes[std::size_t(last(from))].removed ? 0 : 1;
    }
    return selected(to, size, keep.data());
}

/// Copies entries from the device that the host lacks, for a caller that holds the guard.
void bring_back(table& t) {
    if (!t.data.dense && !t.data.list.where) t.data = device::downloaded(t);
}
/// Merges pending changes, for a caller that holds the guard. Only tables in list form have pending changes: grids are
/// changed immediately.
void merge_changes(table& t) {
    bring_back(t);
    if (t.changes.empty()) return;
    t.data = {with_changes(t), {}};
    t.transposed = {};
    t.device = {};
    t.changes.clear();
    t.changed_values.clear();
}
/// entries_of() for a caller that holds the guard.
contents const& list_of(table& t) {
    merge_changes(t);
    if (!t.data.list.where) t.data.list = to_list(t.data.dense, t.type);
    return t.data.list;
}

} // namespace

contents entries_of(table& t) {
    std::scoped_lock const lock(t.guard);
    return list_of(t);
}

contents transposed_entries(table& t) {
    std::scoped_lock const lock(t.guard);
    contents const& data = list_of(t);
    if (!t.transposed.where) {
        auto [where, values] = transposed_values(*data.where, *data.values, t.type->size);
        t.transposed = {std::move(where), std::move(values)};
    }
    return t.transposed;
}

stored forms_of(table& t) {
    std::scoped_lock const lock(t.guard);
    merge_changes(t);
    return t.data;
}

index entry_count(table& t) {
    std::scoped_lock const lock(t.guard);
    if (!t.data.dense && !t.data.list.where) return device::entries_on_device(t);
    merge_changes(t);
    return t.data.entries();
}

std::byte const* find_element(table& t, index row, index column) {
    bool by_position = false;
    {
        std::scoped_lock const lock(t.guard);
        merge_changes(t);
        by_position = bool(t.data.dense);
    }
    // Other calls that only read may add a form, but do not change this one. A search under the lock takes twice as
    // long, because searches of consecutive calls do not overlap.
    std::size_t const size = t.type->size;
    if (!by_position) {
        contents const& list = t.data.list; // the number of positions may exceed an index
        index const k = find_entry(*list.where, row, column);
        return k < 0 ? nullptr : at(list.values->data(), k, size);
    }
    grid const& dense = t.data.dense;
    index const k = row * t.columns + column;
    return dense.flags && (*dense.flags)[k] == 0 ? nullptr : at(dense.values->data(), k, size);
}

void set_forms(table& t, stored data) noexcept {
    std::scoped_lock const lock(t.guard);
    t.rows = data.dense ? data.dense.rows : data.list.where->rows;
    t.columns = data.dense ? data.dense.columns : data.list.where->columns;
    t.data = std::move(data);
    // The values of a list of all positions are those of a grid.
    contents const& list = t.data.list;
    if (!t.data.dense && suits_grid(t.type, t.rows, t.columns, list.where->entries()) &&
        list.where->entries() == t.rows * t.columns)
        t.data.dense = to_grid(list, t.type);
    t.device = {};
    t.transposed = {};
    t.transpose_gain = 0;
    t.changes.clear();
    t.changed_values.clear();
}

namespace {

/// Prepares a change in place: the only form is a grid with its own arrays.
void own_grid(table& t, bool with_flags) {
    t.data.list = {};
    t.transposed = {};
    t.device = {};
    make_unique(t.data.dense);
    if (with_flags) add_flags(t.data.dense);
}
/// Changes one element of a grid.
void change_grid(table& t, index at, void const* value) {
    own_grid(t, !value);
    grid& g = t.data.dense;
    if (g.flags) {
        std::uint8_t& flag = (*g.flags)[at];
        g.entries += (value ? 1 : 0) - flag;
        flag = value ? 1 : 0;
    }
    if (value) std::memcpy(g.values->data() + std::size_t(at) * t.type->size, value, t.type->size);
}

} // namespace

void change_element(table& t, index row, index column, void const* value) {
    std::scoped_lock const lock(t.guard);
    std::size_t const size = t.type->size;
    bring_back(t);
    t.device = {};
    if (t.data.dense) return change_grid(t, row * t.columns + column, value);
    if (t.changes.empty()) {
        contents const& list = t.data.list;
        index const at = find_entry(*list.where, row, column);
        if (at < 0 && !value) return;
        if (at >= 0 && value) {
            if (list.values.use_count() > 1)
                t.data.list.values = std::make_shared<bytes>(copy_of(executor(), *list.values));
            t.transposed = {};
            std::memcpy(const_cast<std::byte*>(list.values->data()) + std::size_t(at) * size, value, size);
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

mask_of_call::mask_of_call(table* mask, settings const& s, index rows, index columns)
    : mask_(mask), complement_(s.complement), by_value_(mask && !s.structure) {
    if (!mask) return;
    if (by_value_ && mask->type->code == GrB_UDT_CODE)
        throw failure{GrB_DOMAIN_MISMATCH,
                      "the mask has a user-defined type, which does not convert to bool: expected a "
                      "predefined type or GrB_STRUCTURE"};
    require_same("number of rows of the mask", mask->rows, rows);
    require_same("number of columns of the mask", mask->columns, columns);
}
mask_view mask_of_call::view() const {
    if (!mask_) return {nullptr, nullptr, complement_};
    if (!forms().list.where) forms_.list = entries_of(*mask_);
    contents const& list = forms_.list;
    if (by_value_ && !flags_) flags_ = as_flags(mask_->type, list.values, list.where->entries());
    auto const* const flags = flags_ ? reinterpret_cast<std::uint8_t const*>(flags_->data()) : nullptr;
    return {list.where.get(), flags, complement_, list.where};
}
position_mask mask_of_call::positions() const {
    if (!mask_) return {nullptr, complement_};
    auto flags = flags_of(forms(), mask_->type, by_value_);
    return {flags ? flags->data() : nullptr, complement_, flags};
}
index mask_of_call::max_admitted(index positions) const {
    if (!mask_) return complement_ ? 0 : positions;
    if (by_value_ && complement_) return positions;
    return complement_ ? positions - forms().entries() : forms().entries();
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

stored stored_as_type(GrB_Type to, GrB_Type from, stored const& t) {
    if (to == from) return t;
    if (t.dense) return {{}, grid_as_type(to, from, t.dense)};
    return {{t.list.where, as_type(to, from, t.list.values, t.list.where->entries())}, {}};
}

namespace {

/// Whether an update of C in place is faster than a merge of lists: C is stored by position, or it has many entries, or
/// merges of its list have taken the time of a conversion.
bool updates_grid(table& c, GrB_BinaryOp accum, index entries) {
    if (!has_grid_update(c.type, accum)) return false;
    std::scoped_lock const lock(c.guard);
    if (c.data.dense) return true;
    index const own = c.data.list.where->entries();
    if (!suits_grid(c.type, c.rows, c.columns, index{1} << 40)) return false; // too many positions
    index const positions = c.rows * c.columns;
    c.list_work += own + entries;
    if (positions > (index{1} << 32) || (c.list_work < positions / 2 && own < positions / 16)) return false;
    c.list_work = 0;
    c.data.dense = to_grid(c.data.list, c.type);
    return true;
}

/// Returns to a list if an update has removed most of the entries. Without memory for the list, the grid remains.
void prefer_list(table& c) noexcept {
    grid const& g = c.data.dense;
    if (g.entries >= g.positions() / 64) return;
    try {
        c.data.list = to_list(g, c.type);
        c.data.dense = {};
    } catch (std::exception const&) {
    }
}

/// C<mask> = accum(C, T) in place.
void update_table(table& c, mask_of_call const& mask, GrB_BinaryOp accum, bool replace, GrB_Type type, stored const& t,
                  void const* single) {
    stored converted = single ? t : stored_as_type(c.type, type, t);
    bool const at_mask = mask.selects_list() && !replace;
    bool const at_source = !at_mask && accum && !replace && converted.list.where;
    if (!at_mask && !at_source && !single && !converted.dense) converted.dense = to_grid(converted.list, c.type);
    source_values const from{single || (converted.dense && !at_source) ? nullptr : &converted.list,
                             converted.dense ? &converted.dense : nullptr, single};
    bool const removes = replace || (!accum && !single && !(converted.dense && !converted.dense.flags));
    mask_view const entries = at_mask ? mask.view() : mask_view{};
    position_mask const positions = at_mask ? position_mask{} : mask.positions();
    std::scoped_lock const lock(c.guard);
    own_grid(c, removes);
    if (at_mask)
        update_at_mask(c.data.dense, c.type->size, entries, accum, from);
    else if (at_source)
        update_at_source(c.data.dense, c.type->size, positions, accum, converted.list);
    else
        update_all(c.data.dense, c.type->size, positions, accum, replace, from);
    if (removes) prefer_list(c);
}

/// Returns the form of T that has less to do.
stored preferred(stored const& t) {
    if (!t.dense || !t.list.where) return t;
    return t.dense.entries > t.dense.positions() / 16 ? stored{{}, t.dense} : stored{t.list, {}};
}
/// Returns the entries of T that the mask admits.
stored admitted_entries(mask_of_call const& mask, stored const& t, GrB_Type type) {
    if (mask.is_absent()) return t;
    if (t.dense && mask.selects_list()) return {grid_at_list(t.dense, type, mask.view()), {}};
    if (t.dense) {
        grid const made = masked_grid(t.dense, mask.positions());
        return made.entries < made.positions() / 32 ? stored{to_list(made, type), {}} : stored{{}, made};
    }
    if (mask.has_positions()) return {masked_list(t.list, type, mask.positions()), {}};
    mask_view const entries = mask.view();
    if (entries.where == t.list.where.get() && !entries.values && !entries.complement) return t;
    return {selected(t.list, type->size, admitted_flags(*t.list.where, entries).data()), {}};
}

} // namespace

void finish(table& c, mask_of_call const& mask, GrB_BinaryOp accum, bool replace, stored const& given, GrB_Type type,
            bool vector) {
    if (mask.is_absent() && !accum) return set_forms(c, stored_as_type(c.type, type, given));
    stored const t = preferred(given);
    if ((replace && !accum) || forms_of(c).entries() == 0)
        return set_forms(c, stored_as_type(c.type, type, admitted_entries(mask, t, type)));
    if (updates_grid(c, accum, t.list.where ? t.entries() : 0))
        return update_table(c, mask, accum, replace, type, t, nullptr);
    contents const old = entries_of(c), now = t.list.where ? t.list : to_list(t.dense, type);
    operand const x{c.type, old.values->data()}, y{type, now.values->data()};
    if (mask.is_absent() && (old.where == now.where || (old.where->is_full_row() && now.where->is_full_row())))
        return set_entries(c, {now.where, combine(*now.where, nullptr, x, y, accum, c.type, vector)});
    auto const written = write(*old.where, *now.where, mask.view(), accum != nullptr, replace);
    set_entries(c, {written.where, combine(*written.where, written.from.data(), x, y, accum, c.type, vector)});
}

bool assign_at_positions(table& w, index_list positions, GrB_BinaryOp accum, stored const& t, GrB_Type type) {
    if (!forms_of(w).dense || !has_grid_update(w.type, accum) || type->code == GrB_UDT_CODE) return false;
    if (!is_distinct(positions, w.columns)) return false;
    stored from = stored_as_type(w.type, type, t);
    if (!from.dense) from.dense = to_grid(from.list, w.type);
    bool const removes = !accum && from.dense.flags;
    std::scoped_lock const lock(w.guard);
    own_grid(w, removes);
    update_at_positions(w.data.dense, w.type->size, positions.indices, accum, from.dense);
    if (removes) prefer_list(w);
    return true;
}

bool assign_everywhere(table& c, mask_of_call const& mask, GrB_BinaryOp accum, bool replace, GrB_Type type,
                       void const* value) {
    if (c.type->code == GrB_UDT_CODE || type->code == GrB_UDT_CODE) return false;
    bool const fits = suits_grid(c.type, c.rows, c.columns, index{1} << 26);
    scratch single(c.type, 1);
    convert(c.type, single.data(), type, value, 1);
    if (mask.is_absent() && !accum) {
        if (fits) set_forms(c, {{}, constant_grid(c.rows, c.columns, c.type, single.data())});
        return fits;
    }
    bool const all_new = (replace && !accum) || forms_of(c).entries() == 0;
    if (!all_new && updates_grid(c, accum, mask.selects_list() ? mask.max_admitted(0) : 0)) {
        update_table(c, mask, accum, replace, c.type, {}, single.data());
        return true;
    }
    if (mask.selects_list()) {
        mask_view const entries = mask.view();
        index const n = entries.where->entries();
        grid const constants = constant_grid(1, n, type, value);
        contents const at_mask{entries.owner, constants.values};
        finish(c, mask, accum, replace, {at_mask, {}}, type, c.rows == 1);
        return true;
    }
    if (!all_new || !fits) return false;
    set_forms(c, admitted_entries(mask, {{}, constant_grid(c.rows, c.columns, c.type, single.data())}, c.type));
    return true;
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
