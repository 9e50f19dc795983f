// SPDX-License-Identifier: BSD-3-Clause
// The operations of the GraphBLAS C API. A vector is a matrix of one row, so that each operation exists once.
#include <algorithm>
#include <cstring>

#include <coppice/core/parallel.hpp>

#include "calls.hpp"
#include "device/device.hpp"
#include "folds.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "select.hpp"
#include "shared.hpp"

namespace coppice::graphblas {
namespace {

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

/// Returns the list of a table whose forms are known.
contents list_of(table& t, stored const& x) { return x.list.where ? x.list : entries_of(t); }

/// Returns the transpose in the form that exists.
stored transposed_forms(table& t) {
    stored const x = forms_of(t);
    if (x.dense) return {{}, transposed_grid(x.dense, t.type->size)};
    return {transposed_entries(t), {}};
}

// Products

/// A product with its semiring. `flipped`: the operator has the value of B first.
struct product_call {
    GrB_Semiring semiring;
    table &a, &b;
    bool a_transposed, b_transposed, flipped;
    GrB_Type z() const { return semiring->add->op->z; }
    /// Type of the operand of the operator that takes values of A, of B.
    GrB_Type x_type() const {
        if (is_inner_index()) return z();
        return flipped ? semiring->multiply->y : semiring->multiply->x;
    }
    GrB_Type y_type() const { return flipped ? semiring->multiply->x : semiring->multiply->y; }
    bool uses_x() const {
        return is_inner_index() || (flipped ? uses_second(semiring->multiply) : uses_first(semiring->multiply));
    }
    bool uses_y() const { return flipped ? uses_first(semiring->multiply) : uses_second(semiring->multiply); }
    /// Whether a product of a_ik and b_kj is k, or k + 1: the first operand if the values of A are its column indices.
    bool is_inner_index() const { return graphblas::is_inner_index(semiring->multiply); }
    /// Values of A in the type of the operator; null if it does not use them.
    std::shared_ptr<bytes const> x_values(contents const& x) const {
        if (is_inner_index()) return inner_indices(x.where->indices.data(), x.where->entries());
        return uses_x() ? as_type(x_type(), a.type, x.values, x.where->entries()) : nullptr;
    }
    std::shared_ptr<bytes const> y_values(contents const& y) const {
        return uses_y() ? as_type(y_type(), b.type, y.values, y.where->entries()) : nullptr;
    }
    grid x_grid(grid const& x) const {
        grid to = x;
        if (is_inner_index()) {
            auto const row = inner_indices(nullptr, x.columns);
            to.values = make_values(x.positions(), z()->size);
            for (index r = 0; r < x.rows && x.columns > 0; ++r)
                std::memcpy(at(to.values->data(), r * x.columns, z()->size), row->data(), std::size_t(row->size()));
        } else if (uses_x()) {
            to = grid_as_type(x_type(), a.type, x);
        }
        return to;
    }

private:
    /// Indices as results of the operator; null: 0, 1, 2, ...
    std::shared_ptr<bytes const> inner_indices(index const* indices, index n) const {
        auto const p = semiring->multiply->position;
        index const base = p == positional::firstj1 || p == positional::secondi1 ? 1 : 0;
        auto made = make_values(n, z()->size);
        auto const fill = [&](auto* to) {
            using T = std::remove_pointer_t<decltype(to)>;
            for_ranges(n, task_size, [&](index first, index last) {
                for (index k = first; k < last; ++k) to[k] = static_cast<T>((indices ? indices[k] : k) + base);
            });
        };
        if (z()->size == 4)
            fill(reinterpret_cast<std::int32_t*>(made->data()));
        else
            fill(reinterpret_cast<std::int64_t*>(made->data()));
        return made;
    }
};

/// Whether a square matrix has all entries of its diagonal and no others.
bool is_diagonal(pattern const& a) {
    if (a.hypersparse || a.rows != a.columns || a.entries() != a.rows) return false;
    for (index i = 0; i < a.rows; ++i)
        if (a.offsets[i] != i || a.indices[i] != i) return false;
    return true;
}
/// Product of two matrices, one of them diagonal: each entry of the other one has one product. Returns nothing for
/// other matrices.
std::optional<contents> scaled_product(product_call const& call, contents const& x, contents const& y) {
    GrB_BinaryOp const op = call.semiring->multiply;
    if (call.flipped || op->position != positional::none) return {};
    bool const scales_rows = is_diagonal(*x.where);
    if (!scales_rows && !is_diagonal(*y.where)) return {};
    pattern_pointer const where = scales_rows ? y.where : x.where;
    operand first{call.a.type, x.values->data()}, second{call.b.type, y.values->data()};
    if (scales_rows)
        first.numbered = value_of_entry::row;
    else
        second.numbered = value_of_entry::column;
    return contents{where, combine(*where, nullptr, first, second, op, call.z(), false)};
}

/// Product by structure and values, for any semiring.
contents structured_product(product_call const& call, index columns) {
    contents const x = oriented(call.a, call.a_transposed), y = oriented(call.b, call.b_transposed);
    if (auto scaled = scaled_product(call, x, y)) return *scaled;
    auto const product = multiply(x.where, y.where);
    // A single value replaces those that the operator does not use.
    auto const unused = make_values(1, sizeof(std::max_align_t));
    std::memset(unused->data(), 0, sizeof(std::max_align_t));
    auto const x_values = call.x_values(x), y_values = call.y_values(y);
    std::size_t const x_size = x_values ? call.x_type()->size : 0, y_size = y_values ? call.y_type()->size : 0;
    auto const selected = x_values && product.a_is_partial ? gathered(*x_values, product.from_a, x_size)
                          : x_values                       ? x_values
                                                           : unused;
    auto const* const second = y_values ? y_values->data() : unused->data();
    std::shared_ptr<bytes const> values;
    if (has_kernel(call.semiring, call.flipped) && product.c->entries() > 0)
        values =
            row_products(call.semiring, call.flipped, {*product.a, selected->data()}, {*product.b, second}, *product.c);
    else
        values =
            product_values({product, *x.where, call.semiring, selected->data(), second, x_size, y_size, call.flipped});
    return {restored_product(product, *x.where, columns), values};
}

/// Whether arrays over all columns are small compared with the entries.
bool fits_dense(pattern const& a) { return !a.hypersparse && a.columns / 64 <= a.entries() + 4096; }

/// Number of products of the two forms of a product of few rows.
struct product_work {
    double push, pull;
};
/// Number of entries of B in the rows that the entries of x select.
double selected_entries(stored const& x, pattern const& b) {
    index sum = 0;
    if (x.list.where)
        for (index const k : x.list.where->indices) sum += b.offsets[k + 1] - b.offsets[k];
    else
        for (index r = 0; r < x.dense.rows; ++r)
            for (index k = 0; k < x.dense.columns; ++k)
                if (!x.dense.flags || (*x.dense.flags)[r * x.dense.columns + k] != 0)
                    sum += b.offsets[k + 1] - b.offsets[k];
    return double(sum);
}
product_work work_of(product_call const& call, stored const& x, pattern const& b, mask_of_call const& mask,
                     bool ends_early) {
    index const rows = rows_of(call.a, call.a_transposed), inner = columns_of(call.a, call.a_transposed),
                columns = columns_of(call.b, call.b_transposed);
    double const entries = double(b.entries());
    bool const full = x.dense && !x.dense.flags;
    double push = double(x.entries()) * entries / double(std::max<index>(1, inner));
    if (!full && !call.b_transposed) push = selected_entries(x, b);
    double pull = double(mask.max_admitted(rows * columns)) * entries / double(std::max<index>(1, columns));
    if (ends_early) pull /= 4;
    double const positions = double(rows * columns);
    // Push also makes a list, or a value for each position, of what it found, so that pull is taken for equal products.
    return {push + std::min(push, positions) / 8, pull + positions / 16};
}
/// Whether the transpose of B is used: it exists, or products would have been faster with it by more than the time that
/// it takes to compute.
bool uses_transpose(table& b, double gain, index entries) {
    std::scoped_lock const lock(b.guard);
    if (b.transposed.where) return true;
    b.transpose_gain += index(std::min(gain, 1e18 / 64));
    return b.transpose_gain > entries;
}

constexpr index max_rows = 64; ///< of a product of few rows

/// Product of few rows by position: entries of A are added to columns, or a sum is computed for each column, whichever
/// is less work. Returns nothing if there is no kernel for these operands.
std::optional<stored> product_of_rows(product_call const& call, mask_of_call const& mask) {
    if (rows_of(call.a, call.a_transposed) > max_rows || !has_kernel(call.semiring, call.flipped)) return {};
    if (call.a.type->code == GrB_UDT_CODE || call.b.type->code == GrB_UDT_CODE) return {};
    contents const straight = entries_of(call.b);
    stored x = call.a_transposed ? transposed_forms(call.a) : forms_of(call.a);
    index const n = columns_of(call.b, call.b_transposed);
    if (!fits_dense(*straight.where) || n / 64 > straight.where->entries() + 4096) return {};
    bool const first =
        rows_of(call.a, call.a_transposed) == 1 &&
        (call.is_inner_index() || (call.a.type == call.x_type() && first_decides(call.semiring, call.flipped, x)));
    product_work const work =
        work_of(call, x, *straight.where, mask, first || has_terminal(call.semiring, call.flipped));
    bool pull = call.b_transposed;
    if ((work.pull < work.push) != pull &&
        uses_transpose(call.b, std::abs(work.pull - work.push), straight.where->entries()))
        pull = !pull;
    contents const y = pull == call.b_transposed ? straight : transposed_entries(call.b);
    if (!fits_dense(*y.where)) return {};
    auto const y_values = call.y_values(y);
    kernel_operand const second{*y.where, y_values ? y_values->data() : nullptr};
    if (!pull) {
        contents const list = call.a_transposed ? transposed_entries(call.a) : list_of(call.a, x);
        auto const values = call.x_values(list);
        kernel_operand const u{*list.where, values ? values->data() : nullptr};
        if (mask.prefers_list()) return push_product(call.semiring, call.flipped, first, u, second, mask.view());
        return push_product(call.semiring, call.flipped, first, u, second, mask.positions());
    }
    if (!x.dense) x.dense = to_grid(x.list, call.a.type);
    grid const dense = call.x_grid(x.dense);
    dense_operand const u{dense.rows, dense.columns, dense.flag_data(), call.uses_x() ? dense.values->data() : nullptr};
    if (mask.selects_list())
        return stored{pull_product(call.semiring, call.flipped, first, u, second, mask.view()), {}};
    stored made = pull_product(call.semiring, call.flipped, first, u, second, mask.positions());
    if (made.dense.entries < made.dense.positions() / 32) made = {to_list(made.dense, call.z()), {}};
    return made;
}

/// Product with few columns and an operand B by position: the transpose of a product of few rows. Returns nothing for
/// others.
std::optional<stored> product_of_columns(product_call const& call, mask_of_call const& mask) {
    if (!mask.is_absent() || columns_of(call.b, call.b_transposed) > max_rows || !forms_of(call.b).dense) return {};
    auto made =
        product_of_rows({call.semiring, call.b, call.a, !call.b_transposed, !call.a_transposed, !call.flipped}, mask);
    if (!made) return {};
    if (made->dense) return stored{{}, transposed_grid(made->dense, call.z()->size)};
    auto const [where, values] = transposed_values(*made->list.where, *made->list.values, call.z()->size);
    return stored{{where, values}, {}};
}

/// Product with a mask that selects entries, by a kernel that computes these only. Returns nothing if there is none for
/// these operands.
std::optional<contents> masked_product(product_call const& call, mask_of_call const& admitted) {
    if (!has_kernel(call.semiring, call.flipped) || admitted.is_absent() || admitted.complement()) return {};
    mask_view const mask = admitted.view();
    contents const x = oriented(call.a, call.a_transposed), y = entries_of(call.b);
    if (mask.where->hypersparse || !fits_dense(*x.where) || !fits_dense(*y.where)) return {};
    auto const x_values = call.x_values(x), y_values = call.y_values(y);
    kernel_operand const first{*x.where, x_values ? x_values->data() : nullptr},
        second{*y.where, y_values ? y_values->data() : nullptr};
    return call.b_transposed ? dot_product(call.semiring, call.flipped, first, second, mask)
                             : masked_row_product(call.semiring, call.flipped, first, second, mask);
}

/// C<mask> = accum(C, A B), where the operands may be transposed.
void multiply_tables(char const* name, table& c, table* mask, GrB_BinaryOp accum, product_call const& call,
                     settings const& s, bool vector) {
    GrB_BinaryOp const op = call.semiring->multiply;
    require_accumulator(c, accum, call.z());
    mask_of_call const admitted(mask, s, c.rows, c.columns);
    require_operands(op, call.flipped ? call.b.type : call.a.type, call.flipped ? call.a.type : call.b.type);
    require_same("inner dimension", rows_of(call.b, call.b_transposed), columns_of(call.a, call.a_transposed));
    require_same("number of rows of the output", c.rows, rows_of(call.a, call.a_transposed));
    require_same("number of columns of the output", c.columns, columns_of(call.b, call.b_transposed));
    if (device::multiply({name, c, mask, accum, s, vector},
                         {call.semiring, call.a, call.b, call.a_transposed, call.b_transposed, call.flipped}))
        return;
    auto product = product_of_rows(call, admitted);
    if (!product) product = product_of_columns(call, admitted);
    if (!product)
        if (auto masked = masked_product(call, admitted)) product = stored{*masked, {}};
    if (product && s.replace && !accum) // all other entries of C are deleted
        return set_forms(c, stored_as_type(c.type, call.z(), *product));
    finish(c, admitted, accum, s.replace, product ? *product : stored{structured_product(call, c.columns), {}},
           call.z(), c.rows == 1);
}

// Element-wise operations

/// Operand of an operator in the form by position. An operand that the operator does not use has zeros.
grid operand_grid(GrB_Type to, table const& from, grid const& values, bool used) {
    if (used || from.type == to) return grid_as_type(to, from.type, values);
    grid made = values;
    made.values = make_grid(values.rows, values.columns, to->size, true).values;
    return made;
}

/// T = op(A, B) if an operand has the form by position. Returns nothing if lists are merged faster.
std::optional<stored> combine_by_position(GrB_BinaryOp op, table& a, table& b, bool add, mask_of_call const& mask,
                                          bool vector) {
    if (a.type->code == GrB_UDT_CODE || b.type->code == GrB_UDT_CODE) return {};
    stored x = forms_of(a), y = forms_of(b);
    if (!x.dense && !y.dense) return {};
    if (!add) {
        auto const is_short = [](stored const& s) {
            return s.list.where && (!s.dense || s.dense.entries < s.dense.positions() / 16);
        };
        if (y.dense && is_short(x))
            return stored{combine_list_with_grid(op, x.list, a.type, y.dense, b.type, false, vector), {}};
        if (x.dense && is_short(y))
            return stored{combine_list_with_grid(op, y.list, b.type, x.dense, a.type, true, vector), {}};
        if (x.dense && mask.selects_list()) {
            contents const at_mask = grid_at_list(x.dense, a.type, mask.view());
            return stored{combine_list_with_grid(op, at_mask, a.type, y.dense, b.type, false, vector), {}};
        }
    }
    auto const is_full = [](stored const& s) { return s.dense && !s.dense.flags; };
    if (add && a.type == b.type && has_grid_update(a.type, op) && (is_full(x) || is_full(y)) &&
        is_full(x) != is_full(y)) {
        bool const flipped = !is_full(x);
        stored const& other = flipped ? x : y;
        if (other.list.where && other.entries() < a.rows * a.columns / 16) {
            grid made = flipped ? y.dense : x.dense;
            make_unique(made);
            update_at_source(made, a.type->size, {}, op, other.list, flipped);
            return stored{{}, made};
        }
    }
    bool const full = x.dense && !x.dense.flags && y.dense && !y.dense.flags;
    if (!runs_by_position(op, full) || (add && (op->x != op->z || op->y != op->z))) return {};
    grid const first = x.dense ? x.dense : to_grid(x.list, a.type),
               second = y.dense ? y.dense : to_grid(y.list, b.type);
    // Values of single entries count, whichever operand the operator uses.
    return stored{{},
                  combine_grids(op, operand_grid(op->x, a, first, add || uses_first(op)),
                                operand_grid(op->y, b, second, add || uses_second(op)), add)};
}

/// T = op(A, B) by merging lists.
contents combine_lists(GrB_BinaryOp op, GrB_Type x_type, contents const& x, GrB_Type y_type, contents const& y,
                       bool add, bool vector) {
    operand const first{x_type, x.values->data()}, second{y_type, y.values->data()};
    if (x.where == y.where || (x.where->is_full_row() && y.where->is_full_row()))
        return {x.where, combine(*x.where, nullptr, first, second, op, op->z, vector)};
    auto const made = add ? unite(*x.where, *y.where) : intersect(*x.where, *y.where);
    return {made.where, combine(*made.where, made.from.data(), first, second, op, op->z, vector)};
}

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
        device::output const to{add ? "GrB_eWiseAdd" : "GrB_eWiseMult", *c, mask, accum, s, vector};
        if (!s.transpose0 && !s.transpose1 && device::combine(to, op, *a, *b, add)) return GrB_SUCCESS;
        std::optional<stored> t;
        if (!s.transpose0 && !s.transpose1) t = combine_by_position(op, *a, *b, add, admitted, vector);
        if (!t)
            t = stored{combine_lists(op, a->type, oriented(*a, s.transpose0), b->type, oriented(*b, s.transpose1), add,
                                     vector),
                       {}};
        finish(*c, admitted, accum, s.replace, *t, op->z, vector);
        return GrB_SUCCESS;
    });
}

// Apply and select

template <class Table>
void require_shape(Table c, Table a, bool transposed) {
    bool const transposed_result = transposed && !is_vector(a);
    require_same("number of rows of the operand", rows_of(*a, transposed_result), c->rows);
    require_same("number of columns of the operand", columns_of(*a, transposed_result), c->columns);
}
/// The operand of apply or select: its entries, after checks of its shape.
template <class Table>
contents checked_operand(Table c, Table a, bool transposed) {
    require_shape(c, a, transposed);
    return oriented(*a, transposed && !is_vector(a));
}

/// As checked_operand(), in the forms that exist, for a shape that has been checked. If the mask selects few entries of
/// a grid, only these are returned.
template <class Table>
stored checked_forms(Table c, Table a, bool transposed, mask_of_call const& mask) {
    if (transposed && !is_vector(a)) return {checked_operand(c, a, true), {}};
    stored x = forms_of(*a);
    if (!x.dense) return x;
    if (mask.selects_list()) return {grid_at_list(x.dense, a->type, mask.view()), {}};
    if (x.list.where && x.dense.entries < x.dense.positions() / 16) return {x.list, {}};
    return {{}, x.dense};
}

/// Applies a predefined operator T -> T to the values of a table that is its own operand, if nothing shares them.
bool apply_to_itself(table& t, GrB_UnaryOp op) {
    if (!accepts_any_value(op) || op->x != t.type || op->z != t.type) return false;
    std::scoped_lock const lock(t.guard);
    stored& data = t.data;
    bool const has_list = data.list.where != nullptr;
    if (!t.changes.empty() || has_list == bool(data.dense)) return false;
    if ((has_list ? data.list.values.use_count() : data.dense.values.use_count()) > 1) return false;
    auto* const values = has_list ? const_cast<std::byte*>(data.list.values->data()) : data.dense.values->data();
    for_ranges(has_list ? data.list.where->entries() : data.dense.positions(), task_size, [&](index first, index last) {
        auto* const x = at(values, first, t.type->size);
        op->loop(x, x, last - first);
    });
    t.transposed = {};
    t.device = {};
    return true;
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
        require_shape(c, a, s.transpose0);
        if (device::apply({"GrB_apply", *c, mask, accum, s, is_vector(c)}, op, *a)) return GrB_SUCCESS;
        bool const own = c == a && admitted.is_absent() && !accum && (is_vector(c) || !s.transpose0);
        if (own && apply_to_itself(*c, op)) return GrB_SUCCESS;
        stored x = checked_forms(c, a, s.transpose0, admitted);
        bool const changes = !op->identity || op->x != a->type;
        if (x.dense && !runs_by_position(op, !x.dense.flags)) x = {entries_of(*a), {}};
        if (x.dense && changes) x.dense = apply_to_grid(op, a->type, x.dense);
        if (!x.dense && changes) x.list.values = apply_unary(op, a->type, *x.list.values, x.entries());
        finish(*c, admitted, accum, s.replace, x, op->z, is_vector(c));
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
        require_shape(c, a, first ? s.transpose1 : s.transpose0);
        if (device::apply({"GrB_apply", *c, mask, accum, s, is_vector(c)}, op, bound.data(), *a, first))
            return GrB_SUCCESS;
        stored x = checked_forms(c, a, first ? s.transpose1 : s.transpose0, admitted);
        if (x.dense && (!runs_by_position(op, !x.dense.flags) || !used)) x = {entries_of(*a), {}};
        if (x.dense) {
            GrB_Type const type_of_entries = first ? op->y : op->x;
            bool const entries_used = first ? uses_second(op) : uses_first(op);
            x.dense = combine_bound(op, operand_grid(type_of_entries, *a, x.dense, entries_used), bound.data(), first);
        } else {
            operand const constant{bound_type, bound.data(), 0}, entries{a->type, x.list.values->data()};
            x.list.values = combine(*x.list.where, nullptr, first ? constant : entries, first ? entries : constant, op,
                                    op->z, is_vector(c));
        }
        finish(*c, admitted, accum, s.replace, x, op->z, is_vector(c));
        return GrB_SUCCESS;
    });
}

/// Returns the selected entries of a grid, as a list if they are few.
stored sparse_or_grid(table const& of, grid const& a, grid const& keep) {
    grid const made = selected_grid(a, keep);
    return made.entries < made.positions() / 32 ? stored{to_list(made, of.type), {}} : stored{{}, made};
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
        require_shape(c, a, s.transpose0);
        device::output const to{selects ? "GrB_select" : "GrB_apply", *c, mask, accum, s, is_vector(c)};
        if (device::apply(to, op, scalar.data(), *a, selects)) return GrB_SUCCESS;
        stored const forms = checked_forms(c, a, s.transpose0, admitted);
        if (forms.dense && runs_by_position(op, a->type) && (!selects || op->z->size == 1)) {
            grid const made = apply_to_grid(op, forms.dense, scalar.data(), is_vector(c));
            finish(*c, admitted, accum, s.replace, selects ? sparse_or_grid(*a, forms.dense, made) : stored{{}, made},
                   selects ? a->type : op->z, is_vector(c));
            return GrB_SUCCESS;
        }
        contents const x = list_of(*a, forms);
        if (selects && op->is_condition && !is_vector(c)) {
            std::int64_t number = 0;
            std::memcpy(&number, scalar.data(), sizeof number);
            contents const t = selected_ranges(x, a->type->size, op, number);
            finish(*c, admitted, accum, s.replace, {t, {}}, a->type, false);
            return GrB_SUCCESS;
        }
        auto values = apply_index(op, *x.where, a->type, *x.values, scalar.data(), is_vector(c));
        if (!selects) {
            finish(*c, admitted, accum, s.replace, {{x.where, values}, {}}, op->z, is_vector(c));
            return GrB_SUCCESS;
        }
        auto const flags = as_flags(op->z, values, x.where->entries());
        contents const t = selected(x, a->type->size, reinterpret_cast<std::uint8_t const*>(flags->data()));
        finish(*c, admitted, accum, s.replace, {t, {}}, a->type, is_vector(c));
        return GrB_SUCCESS;
    });
}

// Reductions

void require_fold(GrB_BinaryOp op) {
    if (op->position != positional::none || op->x != op->y || op->x != op->z)
        throw failure{GrB_DOMAIN_MISMATCH, "the operator of a reduction has different types, expected T x T -> T"};
}

/// `monoid`: op is that of a monoid, so that its order is free.
GrB_Info reduce_rows(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, bool monoid, GrB_Matrix a,
                     GrB_Descriptor d) {
    settings const s = checked(w, mask, accum, d);
    require_alive(a, "operand");
    require_fold(op);
    require_accumulator(*w, accum, op->z);
    require_compatible(op->z, a->type, "operand");
    require_same("size of the output", w->columns, rows_of(*a, s.transpose0));
    mask_of_call const admitted(mask, s, 1, w->columns);
    if (monoid && device::reduce_rows({"GrB_reduce", *w, mask, accum, s, true}, op, *a, s.transpose0))
        return GrB_SUCCESS;
    grid const dense = forms_of(*a).dense;
    if (s.transpose0 && dense && !dense.flags && dense.rows > 0 && op->loop) {
        grid const sums = fold_columns(op, grid_as_type(op->z, a->type, dense));
        finish(*w, admitted, accum, s.replace, {{}, sums}, op->z, true);
        return GrB_SUCCESS;
    }
    contents const x = oriented(*a, s.transpose0);
    auto const values = as_type(op->z, a->type, x.values, x.where->entries());
    finish(*w, admitted, accum, s.replace, {fold_rows(op, *x.where, *values), {}}, op->z, true);
    return GrB_SUCCESS;
}

/// Folds all entries into memory of the type of the operator; returns false if there are none. `monoid` may be null.
bool fold_table(GrB_BinaryOp op, table& a, GrB_Monoid monoid, scratch& to) {
    bool any = false;
    if (monoid && device::reduce("GrB_reduce", monoid, a, to.data(), &any)) return any;
    void const* const identity = monoid ? monoid->identity() : nullptr;
    stored const x = forms_of(a);
    if (x.entries() == 0) return false;
    if (x.dense && (!x.dense.flags || (identity && op->loop && 8 * x.dense.entries > x.dense.positions()))) {
        grid const values = grid_as_type(op->z, a.type, x.dense);
        auto const all = identity ? values_with_identity(values, op->z->size, identity) : values.values;
        return fold_values(op, all->data(), x.dense.positions(), to.data());
    }
    contents const list = list_of(a, x);
    auto const values = as_type(op->z, a.type, list.values, x.entries());
    return fold_values(op, values->data(), x.entries(), to.data());
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
        if (!fold_table(op, *a, monoid, sum)) std::memcpy(sum.data(), monoid->identity(), op->z->size);
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
        GrB_Monoid whole = nullptr;
        if constexpr (std::is_same_v<Op, GrB_Monoid>) whole = monoid;
        require_alive(a, "operand");
        settings const s(d);
        require_fold(op);
        require_compatible(op->z, a->type, "operand");
        require_accumulator(c->type, accum, op->z);
        scratch sum(op->z, 1);
        if (!fold_table(op, *a, whole, sum)) {
            if (!accum) c->present = false;
            return GrB_SUCCESS;
        }
        if (!c->present) require_compatible(c->type, op->z, "result");
        accumulate(c->type, c->value.data(), c->present ? accum : nullptr, op->z, sum.data());
        c->present = true;
        return GrB_SUCCESS;
    });
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
        device::runs_on_host("GrB_kronecker");
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
        multiply_tables("GrB_mxm", *c, mask, accum, {semiring, *a, *b, s.transpose0, s.transpose1, false}, s, false);
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
        multiply_tables("GrB_vxm", *w, mask, accum, {semiring, *u, *a, false, s.transpose1, false}, s, true);
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
        multiply_tables("GrB_mxv", *w, mask, accum, {semiring, *u, *a, false, !s.transpose0, true}, s, true);
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
    return guarded(w, [&] { return reduce_rows(w, mask, accum, operator_of(monoid, true), true, a, d); });
}
GrB_Info GrB_Matrix_reduce_BinaryOp(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix a,
                                    GrB_Descriptor d) {
    return guarded(w, [&] { return reduce_rows(w, mask, accum, operator_of(op, true), false, a, d); });
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
        require_shape(c, a, !s.transpose0);
        device::runs_on_host("GrB_transpose");
        stored const x = s.transpose0 ? forms_of(*a) : transposed_forms(*a);
        finish(*c, admitted, accum, s.replace, x, a->type, false);
        return GrB_SUCCESS;
    });
}

} // extern "C"

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
