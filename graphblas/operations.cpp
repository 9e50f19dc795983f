// SPDX-License-Identifier: BSD-3-Clause
// The operations of the GraphBLAS C API. A vector is a matrix of one row, so that each operation exists once.
#include <algorithm>
#include <cstring>

#include <coppice/core/parallel.hpp>

#include "folds.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "shared.hpp"
#include "tables.hpp"

namespace coppice::graphblas {
namespace {

constexpr bool is_vector(GrB_Vector) { return true; }
constexpr bool is_vector(GrB_Matrix) { return false; }

/// Checks what every operation with mask and accumulator has: output, mask, accumulator, descriptor.
template <class Output, class Mask>
settings checked(Output c, Mask mask, GrB_BinaryOp accum, GrB_Descriptor d) {
    require_alive(c, "output");
    require_alive_or_null(mask, "mask");
    require_alive_or_null(accum, "accumulator");
    return settings(d);
}

/// Checks the types of operands; null: none. As in SuiteSparse:GraphBLAS, an operand that a predefined operator does
/// not use may have any type.
void require_operands(GrB_BinaryOp op, GrB_Type x, GrB_Type y) {
    if (x && uses_first(op)) require_compatible(op->x, x, "first operand of the operator");
    if (y && uses_second(op)) require_compatible(op->y, y, "second operand of the operator");
}

/// Operator of an argument that is a binary operator, a monoid or a semiring; `add`: of its monoid.
GrB_BinaryOp operator_of(GrB_BinaryOp op, bool) {
    require_alive(op, "operator");
    return op;
}
GrB_BinaryOp operator_of(GrB_Monoid monoid, bool) {
    require_alive(monoid, "monoid");
    return monoid->op;
}
GrB_BinaryOp operator_of(GrB_Semiring semiring, bool add) {
    require_alive(semiring, "semiring");
    return add ? semiring->add->op : semiring->multiply;
}

index rows_of(table const& t, bool transposed) { return transposed ? t.columns : t.rows; }
index columns_of(table const& t, bool transposed) { return transposed ? t.rows : t.columns; }

/// A list of indices of the caller. The indices are checked after sizes and types, as in SuiteSparse:GraphBLAS.
class caller_list {
public:
    caller_list(GrB_Index const* indices, GrB_Index count, index bound, char const* what) : bound_(bound), what_(what) {
        require_pointer(indices, what);
        view_ = {indices == GrB_ALL ? nullptr : reinterpret_cast<index const*>(indices),
                 indices == GrB_ALL ? bound : index(count)};
    }
    index count() const { return view_.count; }
    /// Throws unless all indices are in range.
    index_list checked() const {
        for (index k = 0; view_.indices && k < view_.count; ++k)
            if (view_.indices[k] < 0 || view_.indices[k] >= bound_)
                throw failure{GrB_INDEX_OUT_OF_BOUNDS, std::string(what_) + " [" + std::to_string(k) + "] is " +
                                                           std::to_string(GrB_Index(view_.indices[k])) +
                                                           ", expected less than " + std::to_string(bound_)};
        return view_;
    }

private:
    index_list view_;
    index bound_;
    char const* what_;
};

// Products

/// Values of an operand in the type of the operator; one value for all entries if the operator does not use them.
struct product_operand {
    product_operand(contents const& from, GrB_Type type, GrB_Type to, bool used) {
        if (used) {
            size = to->size;
            values = as_type(to, type, from.values, from.where->entries());
        } else {
            auto const zeros = make_values(1, sizeof(std::max_align_t));
            std::memset(zeros->data(), 0, sizeof(std::max_align_t));
            values = zeros;
        }
    }
    std::shared_ptr<bytes const> values;
    std::size_t size = 0;
};

/// A product with its semiring. `flipped`: the operator has the value of B first.
struct product_call {
    GrB_Semiring semiring;
    table &a, &b;
    bool a_transposed, b_transposed, flipped;
    GrB_Type z() const { return semiring->add->op->z; }
    /// Type of the operand of the operator that takes values of A, of B.
    GrB_Type x_type() const { return flipped ? semiring->multiply->y : semiring->multiply->x; }
    GrB_Type y_type() const { return flipped ? semiring->multiply->x : semiring->multiply->y; }
    bool uses_x() const { return flipped ? uses_second(semiring->multiply) : uses_first(semiring->multiply); }
    bool uses_y() const { return flipped ? uses_first(semiring->multiply) : uses_second(semiring->multiply); }
};

/// Product by structure and values, for any semiring.
contents structured_product(product_call const& call, index columns) {
    contents const x = oriented(call.a, call.a_transposed), y = oriented(call.b, call.b_transposed);
    auto const product = multiply(x.where, y.where);
    product_operand const x_values(x, call.a.type, call.x_type(), call.uses_x()),
        y_values(y, call.b.type, call.y_type(), call.uses_y());
    auto const selected = product.a_is_partial && x_values.size > 0
                              ? gathered(*x_values.values, product.from_a, x_values.size)
                              : x_values.values;
    std::shared_ptr<bytes const> values;
    if (has_kernel(call.semiring, call.flipped) && product.c->entries() > 0)
        values = row_products(call.semiring, call.flipped, {*product.a, selected->data()},
                              {*product.b, y_values.values->data()}, *product.c);
    else
        values = product_values({product, *x.where, call.semiring, selected->data(), y_values.values->data(),
                                 x_values.size, y_values.size, call.flipped});
    return {restored_product(product, *x.where, columns), values};
}

/// Whether arrays over all columns are small compared with the entries.
bool fits_dense(pattern const& a) { return !a.hypersparse && a.columns / 64 <= a.entries() + 4096; }

/// Product of a row, or with a mask that selects entries, by a kernel that computes admitted entries only. Returns
/// nothing if there is none for these operands.
std::optional<contents> masked_product(product_call const& call, mask_view const& mask) {
    if (!has_kernel(call.semiring, call.flipped)) return {};
    bool const row = rows_of(call.a, call.a_transposed) == 1;
    if (!row && (!mask.where || mask.complement || mask.where->hypersparse)) return {};
    contents const x = oriented(call.a, call.a_transposed), straight = entries_of(call.b);
    bool const pull = row && call.b_transposed && x.where->entries() >= x.where->columns / 8;
    bool const dots = !row && call.b_transposed;
    contents const y = pull || dots || !call.b_transposed ? straight : transposed_entries(call.b);
    if (!fits_dense(*x.where) || !fits_dense(*y.where)) return {};
    auto const x_values = call.uses_x() ? as_type(call.x_type(), call.a.type, x.values, x.where->entries()) : nullptr;
    auto const y_values = call.uses_y() ? as_type(call.y_type(), call.b.type, y.values, y.where->entries()) : nullptr;
    kernel_operand const first{*x.where, x_values ? x_values->data() : nullptr},
        second{*y.where, y_values ? y_values->data() : nullptr};
    if (pull) return pull_product(call.semiring, call.flipped, first, second, mask);
    if (row) return push_product(call.semiring, call.flipped, first, second, mask);
    return dots ? dot_product(call.semiring, call.flipped, first, second, mask)
                : masked_row_product(call.semiring, call.flipped, first, second, mask);
}

/// C<mask> = accum(C, A B), where the operands may be transposed.
void multiply_tables(table& c, table* mask, GrB_BinaryOp accum, product_call const& call, settings const& s) {
    GrB_BinaryOp const op = call.semiring->multiply;
    require_accumulator(c, accum, call.z());
    mask_of_call const admitted(mask, s, c.rows, c.columns);
    require_operands(op, call.flipped ? call.b.type : call.a.type, call.flipped ? call.a.type : call.b.type);
    require_same("inner dimension", rows_of(call.b, call.b_transposed), columns_of(call.a, call.a_transposed));
    require_same("number of rows of the output", c.rows, rows_of(call.a, call.a_transposed));
    require_same("number of columns of the output", c.columns, columns_of(call.b, call.b_transposed));
    auto const masked = masked_product(call, admitted.view());
    if (masked && s.replace && !accum) // all other entries of C are deleted
        return set_entries(c, {masked->where, as_type(c.type, call.z(), masked->values, masked->where->entries())});
    finish(c, admitted, accum, s.replace, masked ? *masked : structured_product(call, c.columns), call.z(),
           c.rows == 1);
}

// Element-wise operations

template <class Table, class Op>
GrB_Info elementwise(Table c, Table mask, GrB_BinaryOp accum, Op operator_argument, Table a, Table b, GrB_Descriptor d,
                     bool add) {
    return guarded(c, [&] {
        settings s = checked(c, mask, accum, d);
        GrB_BinaryOp const op = operator_of(operator_argument, add);
        require_alive(a, "first operand");
        require_alive(b, "second operand");
        constexpr bool vector = std::is_same_v<Table, GrB_Vector>;
        if (vector) s.transpose0 = s.transpose1 = false;
        require_accumulator(*c, accum, op->z);
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        require_operands(op, a->type, b->type);
        if (add) {
            require_compatible(op->z, a->type, "first operand");
            require_compatible(op->z, b->type, "second operand");
        }
        for (auto const& [t, transposed] : {std::pair{a, s.transpose0}, std::pair{b, s.transpose1}}) {
            require_same("number of rows of an operand", rows_of(*t, transposed), c->rows);
            require_same("number of columns of an operand", columns_of(*t, transposed), c->columns);
        }
        contents const x = oriented(*a, s.transpose0), y = oriented(*b, s.transpose1);
        operand const first{a->type, x.values->data()}, second{b->type, y.values->data()};
        contents t;
        if (x.where == y.where || (x.where->is_full_row() && y.where->is_full_row())) {
            t = {x.where, combine(*x.where, nullptr, first, second, op, op->z, vector)};
        } else {
            auto const made = add ? unite(*x.where, *y.where) : intersect(*x.where, *y.where);
            t = {made.where, combine(*made.where, made.from.data(), first, second, op, op->z, vector)};
        }
        finish(*c, admitted, accum, s.replace, t, op->z, vector);
        return GrB_SUCCESS;
    });
}

// Apply and select

/// The operand of apply or select: its entries, after checks of its shape.
template <class Table>
contents checked_operand(Table c, Table a, bool transposed) {
    bool const transposed_result = transposed && !is_vector(a);
    require_same("number of rows of the operand", rows_of(*a, transposed_result), c->rows);
    require_same("number of columns of the operand", columns_of(*a, transposed_result), c->columns);
    return oriented(*a, transposed_result);
}

template <class Table>
GrB_Info apply_op(Table c, Table mask, GrB_BinaryOp accum, GrB_UnaryOp op, Table a, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(op, "operator");
        require_alive(a, "operand");
        require_accumulator(*c, accum, op->z);
        require_compatible(op->x, a->type, "operand");
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        contents const x = checked_operand(c, a, s.transpose0);
        auto const values =
            op->identity && op->x == a->type ? x.values : apply_unary(op, a->type, *x.values, x.where->entries());
        finish(*c, admitted, accum, s.replace, {x.where, values}, op->z, is_vector(c));
        return GrB_SUCCESS;
    });
}

/// Type of a scalar that the operator does not use, which is not checked.
GrB_Type type_of_unused(argument& value) {
    if (value.kind == argument::user) value = typed_argument(GrB_INT8, value.data);
    if (value.kind == argument::scalar) require_alive(value.object, "scalar");
    return value.kind == argument::scalar ? value.object->type : value.type;
}

/// Applies op(value, a) if `first`, otherwise op(a, value).
template <class Table>
GrB_Info apply_bound(Table c, Table mask, GrB_BinaryOp accum, GrB_BinaryOp op, argument value, Table a,
                     GrB_Descriptor d, bool first) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(op, "operator");
        require_alive(a, "operand");
        require_accumulator(*c, accum, op->z);
        bool const by_position = op->position != positional::none;
        GrB_Type const type = by_position ? op->z : first ? op->x : op->y;
        require_operands(op, first ? nullptr : a->type, first ? a->type : nullptr);
        bool const used = first ? uses_first(op) : uses_second(op);
        GrB_Type const bound_type = used ? type : type_of_unused(value);
        converted_value const bound(value, bound_type, "scalar");
        bound.require_present("scalar");
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        contents const x = checked_operand(c, a, first ? s.transpose1 : s.transpose0);
        operand const constant{bound_type, bound.data(), 0}, entries{a->type, x.values->data()};
        auto const values =
            combine(*x.where, nullptr, first ? constant : entries, first ? entries : constant, op, op->z, is_vector(c));
        finish(*c, admitted, accum, s.replace, {x.where, values}, op->z, is_vector(c));
        return GrB_SUCCESS;
    });
}

template <class Table>
GrB_Info apply_with_index(Table c, Table mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op, Table a, argument value,
                          GrB_Descriptor d, bool selects) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(op, "operator");
        require_alive(a, "operand");
        require_accumulator(*c, accum, selects ? a->type : op->z);
        if (op->x) require_compatible(op->x, a->type, "operand");
        if (selects) require_compatible(GrB_BOOL, op->z, "result of the operator");
        converted_value const scalar(value, op->s, "scalar");
        scalar.require_present("scalar");
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        contents const x = checked_operand(c, a, s.transpose0);
        auto values = apply_index(op, *x.where, a->type, *x.values, scalar.data(), is_vector(c));
        if (!selects) {
            finish(*c, admitted, accum, s.replace, {x.where, values}, op->z, is_vector(c));
            return GrB_SUCCESS;
        }
        auto const flags = as_flags(op->z, values, x.where->entries());
        auto const selected = select(*x.where, reinterpret_cast<std::uint8_t const*>(flags->data()));
        finish(*c, admitted, accum, s.replace, {selected.where, gathered(*x.values, selected.from, a->type->size)},
               a->type, is_vector(c));
        return GrB_SUCCESS;
    });
}

// Reductions

void require_fold(GrB_BinaryOp op) {
    if (op->position != positional::none || op->x != op->y || op->x != op->z)
        throw failure{GrB_DOMAIN_MISMATCH, "the operator of a reduction has different types, expected T x T -> T"};
}

GrB_Info reduce_rows(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix a,
                     GrB_Descriptor d) {
    settings const s = checked(w, mask, accum, d);
    require_alive(a, "operand");
    require_fold(op);
    require_accumulator(*w, accum, op->z);
    require_compatible(op->z, a->type, "operand");
    require_same("size of the output", w->columns, rows_of(*a, s.transpose0));
    mask_of_call const admitted(mask, s, 1, w->columns);
    contents const x = oriented(*a, s.transpose0);
    auto const values = as_type(op->z, a->type, x.values, x.where->entries());
    finish(*w, admitted, accum, s.replace, fold_rows(op, *x.where, *values), op->z, true);
    return GrB_SUCCESS;
}

/// Folds all entries into memory of the type of the operator; returns false if there are none.
bool fold_table(GrB_BinaryOp op, table& a, scratch& to) {
    contents const x = entries_of(a);
    index const n = x.where->entries();
    auto const values = as_type(op->z, a.type, x.values, n);
    return fold_values(op, values->data(), n, to.data());
}

template <class Table>
GrB_Info reduce_to_value(argument c, GrB_BinaryOp accum, GrB_Monoid monoid, Table a, GrB_Descriptor d) {
    return guarded(nullptr, [&] {
        require_pointer(c.data, "result");
        require_alive_or_null(accum, "accumulator");
        require_alive(monoid, "monoid");
        require_alive(a, "operand");
        settings const s(d);
        GrB_BinaryOp const op = monoid->op;
        GrB_Type const type = c.kind == argument::user ? op->z : c.type;
        if (c.kind == argument::user && op->z->code != GrB_UDT_CODE)
            throw failure{GrB_DOMAIN_MISMATCH,
                          "the result is given by an address, expected a monoid of a user-defined type"};
        require_compatible(op->z, a->type, "operand");
        require_accumulator(type, accum, op->z);
        scratch sum(op->z, 1);
        if (!fold_table(op, *a, sum)) std::memcpy(sum.data(), monoid->identity(), op->z->size);
        accumulate(type, c.data, accum, op->z, sum.data());
        return GrB_SUCCESS;
    });
}

template <class Table, class Op>
GrB_Info reduce_to_scalar_object(GrB_Scalar c, GrB_BinaryOp accum, Op monoid, Table a, GrB_Descriptor d) {
    return guarded(c, [&] {
        require_alive(c, "output");
        require_alive_or_null(accum, "accumulator");
        GrB_BinaryOp const op = operator_of(monoid, true);
        require_alive(a, "operand");
        settings const s(d);
        require_fold(op);
        require_compatible(op->z, a->type, "operand");
        require_accumulator(c->type, accum, op->z);
        scratch sum(op->z, 1);
        if (!fold_table(op, *a, sum)) {
            if (!accum) c->present = false;
            return GrB_SUCCESS;
        }
        if (!c->present) require_compatible(c->type, op->z, "result");
        accumulate(c->type, c->value.data(), c->present ? accum : nullptr, op->z, sum.data());
        c->present = true;
        return GrB_SUCCESS;
    });
}

// Extract and assign

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
        indices.reserve(1);
        positions.reserve(1);
    }
    index_list list() const { return {indices.data(), index(indices.size())}; }
    index_list selected() const { return {positions.data(), index(positions.size())}; }
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

void assign_table(table& c, table* mask, GrB_BinaryOp accum, table& a, caller_list const& rows,
                  caller_list const& columns, settings const& s, bool vector) {
    bool const transposed_result = s.transpose0 && !vector;
    require_accumulator(c, accum, a.type);
    require_same("number of rows that are assigned", rows_of(a, transposed_result), rows.count());
    require_same("number of columns that are assigned", columns_of(a, transposed_result), columns.count());
    mask_of_call const admitted(mask, s, c.rows, c.columns);
    set_entries(c, assigned(entries_of(c), c.type, oriented(a, transposed_result), a.type, rows.checked(),
                            columns.checked(), admitted.view(), accum, s.replace, vector));
}

void assign_constant(table& c, table* mask, GrB_BinaryOp accum, argument value, caller_list const& rows,
                     caller_list const& columns, settings const& s, bool vector) {
    GrB_Type const given = value.kind == argument::typed ? value.type
                           : value.kind == argument::scalar
                               ? (require_alive(value.object, "scalar"), value.object->type)
                               : c.type;
    require_argument(value, c.type, "scalar");
    require_accumulator(c, accum, given);
    converted_value const x(value, given, "scalar");
    mask_of_call const admitted(mask, s, c.rows, c.columns);
    index_list const i = rows.checked(), j = columns.checked();
    contents const old = entries_of(c);
    if (!x.present()) {
        contents const nothing{empty_pattern(rows.count(), columns.count()), make_values(0, given->size)};
        return set_entries(c, assigned(old, c.type, nothing, given, i, j, admitted.view(), accum, s.replace, vector));
    }
    auto const made = assign_value(*old.where, i, j, admitted.view(), accum != nullptr, s.replace);
    set_entries(c, {made.where, combine(*made.where, made.from.data(), {c.type, old.values->data()},
                                        {given, x.data(), 0}, accum, c.type, vector)});
}

/// Row or column `at` of C, with mask and accumulator: the row of C or of its transpose is assigned as a vector.
void assign_line(table& c, table* mask, GrB_BinaryOp accum, table& u, GrB_Index at, bool column, GrB_Index const* list,
                 GrB_Index count, settings const& s) {
    index const lines = column ? c.columns : c.rows, length = column ? c.rows : c.columns;
    if (at >= GrB_Index(lines))
        throw failure{GrB_INVALID_INDEX, "row or column " + std::to_string(at) + " is assigned, expected less than " +
                                             std::to_string(lines)};
    caller_list const positions(list, count, length, "list of indices");
    require_accumulator(c, accum, u.type);
    require_same("number of elements that are assigned", u.columns, positions.count());
    mask_of_call const admitted(mask, s, 1, length);
    index_list const where = positions.checked();
    contents const all = oriented(c, column);
    index const line = index(at);
    contents const old = extracted(all, c.type, {&line, 1}, {});
    contents const now =
        assigned(old, c.type, entries_of(u), u.type, {}, where, admitted.view(), accum, s.replace, true);
    contents const written = assigned(all, c.type, now, c.type, {&line, 1}, {}, {}, nullptr, false, false);
    if (!column) return set_entries(c, written);
    auto const transposed_result = transpose(*written.where);
    set_entries(c, {transposed_result.where, gathered(*written.values, transposed_result.from, c.type->size)});
}

template <class Op>
GrB_Info kronecker_product(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, Op operator_argument, GrB_Matrix a,
                           GrB_Matrix b, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        GrB_BinaryOp const op = operator_of(operator_argument, false);
        require_alive(a, "first operand");
        require_alive(b, "second operand");
        require_accumulator(*c, accum, op->z);
        require_operands(op, a->type, b->type);
        if (op->position != positional::none)
            throw failure{GrB_NOT_IMPLEMENTED, "GrB_kronecker with a positional operator is not available"};
        auto const product = [](index x, index y) {
            index to = 0;
            if (__builtin_mul_overflow(x, y, &to)) throw failure{GrB_DIMENSION_MISMATCH, "the product is too large"};
            return to;
        };
        require_same("number of rows of the output", c->rows,
                     product(rows_of(*a, s.transpose0), rows_of(*b, s.transpose1)));
        require_same("number of columns of the output", c->columns,
                     product(columns_of(*a, s.transpose0), columns_of(*b, s.transpose1)));
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        contents const x = oriented(*a, s.transpose0), y = oriented(*b, s.transpose1);
        auto const made = kronecker(*x.where, *y.where);
        auto const values = combine(*made.where, made.from.data(), {a->type, x.values->data()},
                                    {b->type, y.values->data()}, op, op->z, false);
        finish(*c, admitted, accum, s.replace, {made.where, values}, op->z, false);
        return GrB_SUCCESS;
    });
}

} // namespace

extern "C" {

GrB_Info GrB_mxm(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_Semiring semiring, GrB_Matrix a, GrB_Matrix b,
                 GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(semiring, "semiring");
        require_alive(a, "first operand");
        require_alive(b, "second operand");
        multiply_tables(*c, mask, accum, {semiring, *a, *b, s.transpose0, s.transpose1, false}, s);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_vxm(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Semiring semiring, GrB_Vector u, GrB_Matrix a,
                 GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        require_alive(semiring, "semiring");
        require_alive(u, "first operand");
        require_alive(a, "second operand");
        multiply_tables(*w, mask, accum, {semiring, *u, *a, false, s.transpose1, false}, s);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_mxv(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Semiring semiring, GrB_Matrix a, GrB_Vector u,
                 GrB_Descriptor d) {
    return guarded(w, [&] { // w' = u' A'
        settings const s = checked(w, mask, accum, d);
        require_alive(semiring, "semiring");
        require_alive(a, "first operand");
        require_alive(u, "second operand");
        multiply_tables(*w, mask, accum, {semiring, *u, *a, false, !s.transpose0, true}, s);
        return GrB_SUCCESS;
    });
}

#define COPPICE_ELEMENTWISE(KIND)                                                                                      \
    GrB_Info GrB_Vector_eWiseAdd_##KIND(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_##KIND op,              \
                                        GrB_Vector u, GrB_Vector v, GrB_Descriptor d) {                                \
        return elementwise(w, mask, accum, op, u, v, d, true);                                                         \
    }                                                                                                                  \
    GrB_Info GrB_Vector_eWiseMult_##KIND(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_##KIND op,             \
                                         GrB_Vector u, GrB_Vector v, GrB_Descriptor d) {                               \
        return elementwise(w, mask, accum, op, u, v, d, false);                                                        \
    }                                                                                                                  \
    GrB_Info GrB_Matrix_eWiseAdd_##KIND(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_##KIND op,              \
                                        GrB_Matrix a, GrB_Matrix b, GrB_Descriptor d) {                                \
        return elementwise(c, mask, accum, op, a, b, d, true);                                                         \
    }                                                                                                                  \
    GrB_Info GrB_Matrix_eWiseMult_##KIND(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_##KIND op,             \
                                         GrB_Matrix a, GrB_Matrix b, GrB_Descriptor d) {                               \
        return elementwise(c, mask, accum, op, a, b, d, false);                                                        \
    }                                                                                                                  \
    GrB_Info GrB_Matrix_kronecker_##KIND(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_##KIND op,             \
                                         GrB_Matrix a, GrB_Matrix b, GrB_Descriptor d) {                               \
        return kronecker_product(c, mask, accum, op, a, b, d);                                                         \
    }
COPPICE_ELEMENTWISE(Semiring)
COPPICE_ELEMENTWISE(Monoid)
COPPICE_ELEMENTWISE(BinaryOp)
#undef COPPICE_ELEMENTWISE

GrB_Info GrB_Vector_apply(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_UnaryOp op, GrB_Vector u,
                          GrB_Descriptor d) {
    return apply_op(w, mask, accum, op, u, d);
}
GrB_Info GrB_Matrix_apply(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_UnaryOp op, GrB_Matrix a,
                          GrB_Descriptor d) {
    return apply_op(c, mask, accum, op, a, d);
}

GrB_Info GrB_Matrix_reduce_Monoid(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Matrix a,
                                  GrB_Descriptor d) {
    return guarded(w, [&] { return reduce_rows(w, mask, accum, operator_of(monoid, true), a, d); });
}
GrB_Info GrB_Matrix_reduce_BinaryOp(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix a,
                                    GrB_Descriptor d) {
    return guarded(w, [&] { return reduce_rows(w, mask, accum, operator_of(op, true), a, d); });
}
GrB_Info GrB_Vector_reduce_Monoid_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Vector u,
                                         GrB_Descriptor d) {
    return reduce_to_scalar_object(s, accum, monoid, u, d);
}
GrB_Info GrB_Vector_reduce_BinaryOp_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Vector u,
                                           GrB_Descriptor d) {
    return reduce_to_scalar_object(s, accum, op, u, d);
}
GrB_Info GrB_Matrix_reduce_Monoid_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Matrix a,
                                         GrB_Descriptor d) {
    return reduce_to_scalar_object(s, accum, monoid, a, d);
}
GrB_Info GrB_Matrix_reduce_BinaryOp_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix a,
                                           GrB_Descriptor d) {
    return reduce_to_scalar_object(s, accum, op, a, d);
}

GrB_Info GrB_transpose(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_Matrix a, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(a, "operand");
        require_accumulator(*c, accum, a->type);
        mask_of_call const admitted(mask, s, c->rows, c->columns);
        contents const x = checked_operand(c, a, !s.transpose0);
        finish(*c, admitted, accum, s.replace, x, a->type, false);
        return GrB_SUCCESS;
    });
}

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
        finish(*w, admitted, accum, s.replace, extracted(entries_of(*u), u->type, {}, columns.checked()), u->type,
               true);
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
        finish(*c, admitted, accum, s.replace,
               extracted(oriented(*a, s.transpose0), a->type, rows.checked(), columns.checked()), a->type, false);
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
        finish(*w, admitted, accum, s.replace,
               extracted(oriented(*a, transposed_result), a->type, {&line, 1}, rows.checked()), a->type, true);
        return GrB_SUCCESS;
    });
}

GrB_Info GrB_Vector_assign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index const* i,
                           GrB_Index ni, GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        require_alive(u, "operand");
        assign_table(*w, mask, accum, *u, caller_list(GrB_ALL, 0, 1, "rows"),
                     caller_list(i, ni, w->columns, "list of indices"), s, true);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_assign(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, GrB_Matrix a, GrB_Index const* i,
                           GrB_Index ni, GrB_Index const* j, GrB_Index nj, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(a, "operand");
        assign_table(*c, mask, accum, *a, caller_list(i, ni, c->rows, "list of rows"),
                     caller_list(j, nj, c->columns, "list of columns"), s, false);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Col_assign(GrB_Matrix c, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index const* i,
                        GrB_Index ni, GrB_Index j, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(u, "operand");
        assign_line(*c, mask, accum, *u, j, true, i, ni, s);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Row_assign(GrB_Matrix c, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index i,
                        GrB_Index const* j, GrB_Index nj, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        require_alive(u, "operand");
        assign_line(*c, mask, accum, *u, i, false, j, nj, s);
        return GrB_SUCCESS;
    });
}

} // extern "C"

GrB_Info Vector_assign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, argument x, index_array i, GrB_Index ni,
                       GrB_Descriptor d) {
    return guarded(w, [&] {
        settings const s = checked(w, mask, accum, d);
        assign_constant(*w, mask, accum, x, caller_list(GrB_ALL, 0, 1, "rows"),
                        caller_list(i, ni, w->columns, "list of indices"), s, true);
        return GrB_SUCCESS;
    });
}
GrB_Info Matrix_assign(GrB_Matrix c, GrB_Matrix mask, GrB_BinaryOp accum, argument x, index_array i, GrB_Index ni,
                       index_array j, GrB_Index nj, GrB_Descriptor d) {
    return guarded(c, [&] {
        settings const s = checked(c, mask, accum, d);
        assign_constant(*c, mask, accum, x, caller_list(i, ni, c->rows, "list of rows"),
                        caller_list(j, nj, c->columns, "list of columns"), s, false);
        return GrB_SUCCESS;
    });
}

#define COPPICE_BOUND(TABLE)                                                                                           \
    GrB_Info TABLE##_apply_BinaryOp1st(GrB_##TABLE c, GrB_##TABLE mask, GrB_BinaryOp accum, GrB_BinaryOp op,           \
                                       argument x, GrB_##TABLE a, GrB_Descriptor d) {                                  \
        return apply_bound(c, mask, accum, op, x, a, d, true);                                                         \
    }                                                                                                                  \
    GrB_Info TABLE##_apply_BinaryOp2nd(GrB_##TABLE c, GrB_##TABLE mask, GrB_BinaryOp accum, GrB_BinaryOp op,           \
                                       GrB_##TABLE a, argument y, GrB_Descriptor d) {                                  \
        return apply_bound(c, mask, accum, op, y, a, d, false);                                                        \
    }                                                                                                                  \
    GrB_Info TABLE##_apply_IndexOp(GrB_##TABLE c, GrB_##TABLE mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op,           \
                                   GrB_##TABLE a, argument y, GrB_Descriptor d) {                                      \
        return apply_with_index(c, mask, accum, op, a, y, d, false);                                                   \
    }                                                                                                                  \
    GrB_Info TABLE##_select(GrB_##TABLE c, GrB_##TABLE mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op, GrB_##TABLE a,   \
                            argument y, GrB_Descriptor d) {                                                            \
        return apply_with_index(c, mask, accum, op, a, y, d, true);                                                    \
    }                                                                                                                  \
    GrB_Info TABLE##_reduce(argument c, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_##TABLE a, GrB_Descriptor d) {      \
        return reduce_to_value(c, accum, monoid, a, d);                                                                \
    }
COPPICE_BOUND(Vector)
COPPICE_BOUND(Matrix)
#undef COPPICE_BOUND

} // namespace coppice::graphblas
