// SPDX-License-Identifier: BSD-3-Clause
// GrB_extract, GrB_assign and GxB_subassign. A vector is a matrix of one row, so that each operation exists once.
#include <algorithm>
#include <optional>

#include <coppice/core/parallel.hpp>

#include "calls.hpp"
#include "device/device.hpp"
#include "region.hpp"
#include "shared.hpp"

namespace coppice::graphblas {
namespace {

contents extracted(contents const& x, GrB_Type type, index_list rows, index_list columns) {
    auto const made = extract(*x.where, rows, columns);
    return {made.where, gathered(*x.values, made.from, type->size)};
}

/// Keeps the last of equal indices of a list, as if they were assigned one after the other.
struct distinct_list {
    std::vector<index> indices, positions;
    explicit distinct_list(index_list list) {
        std::vector<index> order(std::size_t(list.count));
        for (index k = 0; k < list.count; ++k) order[std::size_t(k)] = k;
        std::stable_sort(order.begin(), order.end(),
                         [&](index a, index b) { return list.indices[a] < list.indices[b]; });
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (k + 1 < order.size() && list.indices[order[k]] == list.indices[order[k + 1]]) continue;
            indices.push_back(list.indices[order[k]]);
            positions.push_back(order[k]);
        }
    }
    index_list list() const { return index_list(indices); }
    index_list selected() const { return index_list(positions); }
};
bool repeats(index_list list) {
    if (!list.indices) return false;
    bool sorted = true;
    for (index k = 0; k + 1 < list.count && sorted; ++k) sorted = list.indices[k] < list.indices[k + 1];
    if (sorted) return false;
    std::vector<index> copy(list.indices, list.indices + list.count);
    std::sort(copy.begin(), copy.end());
    return std::adjacent_find(copy.begin(), copy.end()) != copy.end();
}

/// C<mask>(I, J) = accum(C(I, J), A) for entries; returns those of C.
contents assigned(contents const& c, GrB_Type c_type, contents const& a, GrB_Type a_type, index_list rows,
                  index_list columns, mask_view const& mask, GrB_BinaryOp accum, bool replace, bool vector) {
    if (repeats(rows) || repeats(columns)) {
        std::optional<distinct_list> i, j;
        if (rows.indices) i.emplace(rows);
        if (columns.indices) j.emplace(columns);
        contents const selected =
            extracted(a, a_type, i ? i->selected() : index_list{}, j ? j->selected() : index_list{});
        return assigned(c, c_type, selected, a_type, i ? i->list() : rows, j ? j->list() : columns, mask, accum,
                        replace, vector);
    }
    auto const made = assign(*c.where, *a.where, rows, columns, mask, accum != nullptr, replace);
    return {made.where, combine(*made.where, made.from.data(), {c_type, c.values->data()}, {a_type, a.values->data()},
                                accum, c_type, vector)};
}

/// Which entries mask and GrB_REPLACE concern: all of C (GrB_assign), or those of C(I, J) (GxB_subassign).
enum class scope { whole, region };

/// C<mask>(I, J) = accum(C(I, J), A), or with scope::region C(I, J)<mask>; returns the entries of C.
contents assigned_in(scope reach, contents const& c, GrB_Type c_type, contents const& a, GrB_Type a_type,
                     index_list rows, index_list columns, mask_view const& mask, GrB_BinaryOp accum, bool replace,
                     bool vector) {
    if (reach == scope::whole) return assigned(c, c_type, a, a_type, rows, columns, mask, accum, replace, vector);
    contents const old = extracted(c, c_type, rows, columns);
    auto const made = write(*old.where, *a.where, mask, accum != nullptr, replace);
    contents const now{made.where, combine(*made.where, made.from.data(), {c_type, old.values->data()},
                                           {a_type, a.values->data()}, accum, c_type, vector)};
    return assigned(c, c_type, now, c_type, rows, columns, {}, nullptr, false, vector);
}
mask_of_call checked_mask(scope reach, table* mask, settings const& s, table const& c, caller_list const& rows,
                          caller_list const& columns) {
    if (reach == scope::whole) return mask_of_call(mask, s, c.rows, c.columns);
    return mask_of_call(mask, s, rows.count(), columns.count());
}

/// A mask of C(I, J): that of the call, or the submatrix of one that concerns all of C.
struct region_mask {
    region_mask(scope reach, mask_view const& given, index_list rows, index_list columns) : view(given) {
        if (reach == scope::region || !given.where) return;
        auto const selected = extract(*given.where, rows, columns);
        view.owner = selected.where;
        view.where = selected.where.get();
        if (!given.values) return;
        flags = buffer<std::uint8_t>(executor(), selected.from.size());
        gather(flags.data(), given.values, selected.from.data(), selected.from.size(), 1);
        view.values = flags.data();
    }
    mask_view view;
    buffer<std::uint8_t> flags = {};
};
/// Whether an assignment changes no entries outside of C(I, J): GrB_REPLACE deletes those that the mask does not admit.
bool stays_in_region(scope reach, mask_of_call const& mask, bool replace) {
    return reach == scope::region || !replace || mask.is_absent();
}

void assign_table(scope reach, table& c, table* mask, GrB_BinaryOp accum, table& a, caller_list const& rows,
                  caller_list const& columns, settings const& s, bool vector) {
    bool const transposed_result = s.transpose0 && !vector;
    require_accumulator(c, accum, a.type);
    require_same("number of rows that are assigned", rows_of(a, transposed_result), rows.count());
    require_same("number of columns that are assigned", columns_of(a, transposed_result), columns.count());
    mask_of_call const admitted = checked_mask(reach, mask, s, c, rows, columns);
    if (rows.is_all() && columns.is_all()) {
        if (device::assign({"GrB_assign", c, mask, accum, s, vector}, a)) return;
        stored const x = transposed_result ? stored{transposed_entries(a), {}} : forms_of(a);
        return finish(c, admitted, accum, s.replace, x, a.type, vector);
    }
    device::runs_on_host("GrB_assign");
    if (vector && admitted.is_absent() && assign_at_positions(c, columns.checked(), accum, forms_of(a), a.type)) return;
    index_list const i = rows.checked(), j = columns.checked();
    contents const x = oriented(a, transposed_result);
    if (stays_in_region(reach, admitted, s.replace)) {
        region_mask const mask_of_region(reach, admitted.view(), i, j);
        auto const update = [&](pattern const& before) {
            return write(before, *x.where, mask_of_region.view, accum != nullptr, s.replace);
        };
        if (update_region(c, i, j, update, {a.type, x.values->data()}, accum, vector)) return;
    }
    set_entries(c,
                assigned_in(reach, entries_of(c), c.type, x, a.type, i, j, admitted.view(), accum, s.replace, vector));
}

/// Values for all positions of C(I, J), which replace those of C.
contents assigned_value(contents const& c, GrB_Type c_type, GrB_Type type, void const* value, index_list rows,
                        index_list columns, mask_view const& mask, GrB_BinaryOp accum, bool replace, bool vector) {
    auto const made = assign_value(*c.where, rows, columns, mask, accum != nullptr, replace);
    return {made.where, combine(*made.where, made.from.data(), {c_type, c.values->data()}, {type, value, 0}, accum,
                                c_type, vector)};
}

/// The distinct indices of a list, in ascending order.
std::vector<index> sorted_set(index_list list) {
    std::vector<index> set(list.indices, list.indices + (list.indices ? list.count : 0));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
}

/// What an assignment of one value changes, and how.
struct region_call {
    table& c;
    scope reach;
    mask_view mask;
    GrB_BinaryOp accum;
    bool replace, vector;
};
/// Assigns one value to C(I, J) by update_region(). `free_order`: no mask has the shape of C(I, J), so that neither the
/// order of the indices nor their repetitions matter.
bool assign_in_region(region_call const& call, index_list rows, index_list columns, bool free_order, operand value) {
    std::vector<index> row_set, column_set;
    if (free_order) {
        row_set = sorted_set(rows);
        column_set = sorted_set(columns);
        if (rows.indices) rows = index_list(row_set);
        if (columns.indices) columns = index_list(column_set);
    }
    region_mask const mask(call.reach, call.mask, rows, columns);
    auto const update = [&](pattern const& before) {
        return assign_value(before, {}, {}, mask.view, call.accum != nullptr, call.replace);
    };
    return update_region(call.c, rows, columns, update, value, call.accum, call.vector);
}

void assign_constant(scope reach, table& c, table* mask, GrB_BinaryOp accum, argument value, caller_list const& rows,
                     caller_list const& columns, settings const& s, bool vector) {
    GrB_Type const given = value.kind == argument::typed ? value.type
                           : value.kind == argument::scalar
                               ? (require_alive(value.object, "scalar"), value.object->type)
                               : c.type;
    require_argument(value, c.type, "scalar");
    require_accumulator(c, accum, given);
    converted_value const x(value, given, "scalar");
    mask_of_call const admitted = checked_mask(reach, mask, s, c, rows, columns);
    index_list const i = rows.checked(), j = columns.checked();
    bool const all = rows.is_all() && columns.is_all();
    if (x.present() && all && device::assign({"GrB_assign", c, mask, accum, s, vector}, given, x.data())) return;
    if (!x.present() || !all) device::runs_on_host("GrB_assign");
    if (x.present() && all && assign_everywhere(c, admitted, accum, s.replace, given, x.data())) return;
    if (vector && x.present() && !all && admitted.is_absent() && given->code != GrB_UDT_CODE) {
        // GCC 12 destroys a temporary of the condition twice if its construction throws.
        stored const constant{{}, constant_grid(1, j.count, given, x.data())};
        if (assign_at_positions(c, j, accum, constant, given)) return;
    }
    mask_view const view = admitted.view();
    if (x.present() && !all && stays_in_region(reach, admitted, s.replace)) {
        operand const single{given, x.data(), 0};
        bool const free_order = reach == scope::whole || admitted.is_absent();
        if (assign_in_region({c, reach, view, accum, s.replace, vector}, i, j, free_order, single)) return;
    }
    contents const old = entries_of(c);
    if (!x.present()) {
        contents const nothing{empty_pattern(rows.count(), columns.count()), make_values(0, given->size)};
        return set_entries(c, assigned_in(reach, old, c.type, nothing, given, i, j, view, accum, s.replace, vector));
    }
    if (reach == scope::whole || all)
        return set_entries(c, assigned_value(old, c.type, given, x.data(), i, j, view, accum, s.replace, vector));
    contents const inner = extracted(old, c.type, i, j);
    contents const now = assigned_value(inner, c.type, given, x.data(), {}, {}, view, accum, s.replace, vector);
    set_entries(c, assigned(old, c.type, now, c.type, i, j, {}, nullptr, false, vector));
}

/// Row or column `at` of C, with mask and accumulator: the row of C or of its transpose is assigned as a vector.
void assign_line(scope reach, table& c, table* mask, GrB_BinaryOp accum, table& u, GrB_Index at, bool column,
                 GrB_Index const* list, GrB_Index count, settings const& s) {
    index const lines = column ? c.columns : c.rows, length = column ? c.rows : c.columns;
    if (at >= GrB_Index(lines))
        throw failure{GrB_INVALID_INDEX, "row or column " + std::to_string(at) + " is assigned, expected less than " +
                                             std::to_string(lines)};
    caller_list const positions(list, count, length, "list of indices");
    require_accumulator(c, accum, u.type);
    require_same("number of elements that are assigned", u.columns, positions.count());
    mask_of_call const admitted(mask, s, 1, reach == scope::whole ? length : positions.count());
    index_list const where = positions.checked();
    index const line = index(at);
    if (stays_in_region(reach, admitted, s.replace)) {
        region_mask const within(reach, admitted.view(), {}, where);
        contents const x = entries_of(u);
        // A column is the transpose of a vector, which has the same values.
        pattern_pointer const from = column ? transpose(*x.where).where : x.where;
        mask_view view = within.view;
        if (column && view.where) view.owner = transpose(*view.where).where;
        if (column && view.where) view.where = view.owner.get();
        auto const update = [&](pattern const& before) {
            return write(before, *from, view, accum != nullptr, s.replace);
        };
        index_list const single{&line, 1};
        if (update_region(c, column ? where : single, column ? single : where, update, {u.type, x.values->data()},
                          accum, false))
            return;
    }
    contents const all = oriented(c, column);
    contents const old = extracted(all, c.type, {&line, 1}, {});
    contents const now =
        assigned_in(reach, old, c.type, entries_of(u), u.type, {}, where, admitted.view(), accum, s.replace, true);
    contents const written = assigned(all, c.type, now, c.type, {&line, 1}, {}, {}, nullptr, false, false);
    if (!column) return set_entries(c, written);
    auto const [from, values] = transposed_values(*written.where, *written.values, c.type->size);
    set_entries(c, {from, values});
}

GrB_Info assign_vector(scope reach, GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index const* i,
                       GrB_Index ni, GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        require_alive(u, "operand");
        assign_table(reach, *w, mask, accum, *u, caller_list(GrB_ALL, 0, 1, "rows"),
                     caller_list(i, ni, w->columns, "list of indices"), s, true);
        return GrB_SUCCESS;
    });
}
GrB_Info assign_matrix(scope reach, GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_Matrix a, GrB_Index const* i,
                       GrB_Index ni, GrB_Index const* j, GrB_Index nj, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(a, "operand");
        assign_table(reach, *c, mask, accum, *a, caller_list(i, ni, c->rows, "list of rows"),
                     caller_list(j, nj, c->columns, "list of columns"), s, false);
        return GrB_SUCCESS;
    });
}
GrB_Info assign_row_or_column(scope reach, GrB_Matrix c, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u,
                              GrB_Index at, bool column, GrB_Index const* list, GrB_Index count, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(u, "operand");
        assign_line(reach, *c, mask, accum, *u, at, column, list, count, s);
        return GrB_SUCCESS;
    });
}
GrB_Info assign_to_vector(scope reach, GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, argument x, index_array i,
                          GrB_Index ni, GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        assign_constant(reach, *w, mask, accum, x, caller_list(GrB_ALL, 0, 1, "rows"),
                        caller_list(i, ni, w->columns, "list of indices"), s, true);
        return GrB_SUCCESS;
    });
}
GrB_Info assign_to_matrix(scope reach, GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, argument x, index_array i,
                          GrB_Index ni, index_array j, GrB_Index nj, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        assign_constant(reach, *c, mask, accum, x, caller_list(i, ni, c->rows, "list of rows"),
                        caller_list(j, nj, c->columns, "list of columns"), s, false);
        return GrB_SUCCESS;
    });
}

} // namespace

extern "C" {

GrB_Info GrB_Vector_extract(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index const* i,
                            GrB_Index ni, GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        require_alive(u, "operand");
        require_pointer(i, "list of indices");
        require_accumulator(*w, accum, u->type);
        require_same("number of indices", i == GrB_ALL ? u->columns : index(ni), w->columns);
        mask_of_call const admitted(mask, s, 1, w->columns);
        caller_list const columns(i, ni, u->columns, "list of indices");
        index_list const positions = columns.checked();
        device::output const to{"GrB_extract", *w, mask, accum, s, true};
        if (columns.is_all() ? device::assign(to, *u) : device::gather(to, *u, positions.indices)) return GrB_SUCCESS;
        grid const dense = forms_of(*u).dense;
        stored t;
        if (columns.is_all())
            t = forms_of(*u);
        else if (dense && positions.count >= dense.positions() / 16)
            t.dense = gather_grid(dense, u->type->size, positions.indices, positions.count);
        else
            t.list = extracted(entries_of(*u), u->type, {}, positions);
        finish(*w, admitted, accum, s.replace, t, u->type, true);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_extract(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_Matrix a, GrB_Index const* i,
                            GrB_Index ni, GrB_Index const* j, GrB_Index nj, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(a, "operand");
        require_pointer(i, "list of rows");
        require_pointer(j, "list of columns");
        require_accumulator(*c, accum, a->type);
        index const m = rows_of(*a, s.transpose0), n = columns_of(*a, s.transpose0);
        require_same("number of rows that are extracted", i == GrB_ALL ? m : index(ni), c->rows);
        require_same("number of columns that are extracted", j == GrB_ALL ? n : index(nj), c->columns);
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        caller_list const rows(i, ni, m, "list of rows"), columns(j, nj, n, "list of columns");
        device::runs_on_host("GrB_extract");
        contents const t = extracted(oriented(*a, s.transpose0), a->type, rows.checked(), columns.checked());
        finish(*c, admitted, accum, s.replace, {t, {}}, a->type, false);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Col_extract(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Matrix a, GrB_Index const* i,
                         GrB_Index ni, GrB_Index j, GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        require_alive(a, "operand");
        require_pointer(i, "list of rows");
        bool const transposed_result = !s.transpose0; // column j is row j of the transpose
        index const m = columns_of(*a, transposed_result), n = rows_of(*a, transposed_result);
        if (j >= GrB_Index(n))
            throw failure{GrB_INVALID_INDEX,
                          "column " + std::to_string(j) + " is extracted, expected less than " + std::to_string(n)};
        require_accumulator(*w, accum, a->type);
        require_same("number of rows that are extracted", i == GrB_ALL ? m : index(ni), w->columns);
        mask_of_call const admitted(mask, s, 1, w->columns);
        caller_list const rows(i, ni, m, "list of rows");
        index const line = index(j);
        device::runs_on_host("GrB_extract");
        contents const t = extracted(oriented(*a, transposed_result), a->type, {&line, 1}, rows.checked());
        finish(*w, admitted, accum, s.replace, {t, {}}, a->type, true);
        return GrB_SUCCESS;
    });
}

#define COPPICE_ASSIGN(NAME, SCOPE)                                                                                    \
    GrB_Info NAME(Vector)(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index const* i,         \
                          GrB_Index ni, GrB_Descriptor d) {                                                            \
        return assign_vector(SCOPE, w, mask, accum, u, i, ni, d);                                                      \
    }                                                                                                                  \
    GrB_Info NAME(Matrix)(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_Matrix a, GrB_Index const* i,         \
                          GrB_Index ni, GrB_Index const* j, GrB_Index nj, GrB_Descriptor d) {                          \
        return assign_matrix(SCOPE, c, mask, accum, a, i, ni, j, nj, d);                                               \
    }                                                                                                                  \
    GrB_Info NAME(Col)(GrB_Matrix c, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index const* i,            \
                       GrB_Index ni, GrB_Index j, GrB_Descriptor d) {                                                  \
        return assign_row_or_column(SCOPE, c, mask, accum, u, j, true, i, ni, d);                                      \
    }                                                                                                                  \
    GrB_Info NAME(Row)(GrB_Matrix c, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index i,                   \
                       GrB_Index const* j, GrB_Index nj, GrB_Descriptor d) {                                           \
        return assign_row_or_column(SCOPE, c, mask, accum, u, i, false, j, nj, d);                                     \
    }
#define COPPICE_ASSIGN_NAME(OBJECT) GrB_##OBJECT##_assign
#define COPPICE_SUBASSIGN_NAME(OBJECT) GxB_##OBJECT##_subassign
COPPICE_ASSIGN(COPPICE_ASSIGN_NAME, scope::whole)
COPPICE_ASSIGN(COPPICE_SUBASSIGN_NAME, scope::region)
#undef COPPICE_ASSIGN
#undef COPPICE_ASSIGN_NAME
#undef COPPICE_SUBASSIGN_NAME

} // extern "C"

GrB_Info Vector_assign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, argument x, index_array i, GrB_Index ni,
                       GrB_Descriptor d) {
    return assign_to_vector(scope::whole, w, mask, accum, x, i, ni, d);
}
GrB_Info Matrix_assign(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, argument x, index_array i, GrB_Index ni,
                       index_array j, GrB_Index nj, GrB_Descriptor d) {
    return assign_to_matrix(scope::whole, c, mask, accum, x, i, ni, j, nj, d);
}
GrB_Info Vector_subassign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, argument x, index_array i, GrB_Index ni,
                          GrB_Descriptor d) {
    return assign_to_vector(scope::region, w, mask, accum, x, i, ni, d);
}
GrB_Info Matrix_subassign(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, argument x, index_array i, GrB_Index ni,
                          index_array j, GrB_Index nj, GrB_Descriptor d) {
    return assign_to_matrix(scope::region, c, mask, accum, x, i, ni, j, nj, d);
}

} // namespace coppice::graphblas
