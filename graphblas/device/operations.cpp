// SPDX-License-Identifier: BSD-3-Clause
// Operations as launches of kernels. Each makes new arrays and replaces the entries of the output at the end, so that
// operands may be the output, and an error changes nothing.
#include <algorithm>
#include <cstring>
#include <limits>

#include "attempt.hpp"
#include "device.hpp"
#include "texts.hpp"

namespace coppice::graphblas::device {
namespace {

constexpr index max_positions = index{1} << 28;
constexpr index positions_per_block = 256 * 4; ///< of kernels by position
constexpr index large = index{1} << 20;        ///< positions and entries from which a device is faster

index positions_of(table const& t) {
    index n = 0;
    return __builtin_mul_overflow(t.rows, t.columns, &n) ? std::numeric_limits<index>::max() : n;
}
/// Which forms a table has.
struct known_forms {
    bool only_device, dense;
};
known_forms forms_known(table& t) {
    std::scoped_lock const lock(t.guard);
    bool const host = t.data.dense || t.data.list.where;
    bool const dense = t.data.dense || (t.device && t.device->dense);
    return {!host, dense};
}
/// Whether an operation over these tables is large enough for the device: it has enough positions and entries, or
/// entries that only the device has.
bool is_large(std::initializer_list<table*> tables, index work = 0) {
    for (table* t : tables)
        if (t && forms_known(*t).only_device) return true;
    index entries = work;
    for (table* t : tables)
        if (t) entries += entry_count(*t);
    // Entries that are few among the positions are listed, which the host handles faster.
    index const positions = positions_of(**tables.begin());
    return entries >= large && (positions >= max_positions || entries >= positions / 64);
}
/// Operands of an operation with an output, null if there are fewer; only the entries of `read` count.
struct operands {
    table *a = nullptr, *b = nullptr, *read = nullptr;
};
/// Runs f, which computes an operation on the device, if the output, its mask and the operands are large enough.
template <class F>
bool attempt_output(output const& to, operands const& of, F const& f) {
    auto const is_large_enough = [&] {
        return is_large({&to.c, of.a, of.b, to.mask}, of.read ? entry_count(*of.read) : 0);
    };
    return attempt(to.operation, is_large_enough, f);
}
/// Whether tables of this shape are computed by position: vectors, and matrices that are stored so.
bool runs_by_position(std::initializer_list<table*> tables) {
    table& first = **tables.begin();
    if (positions_of(first) > max_positions) return false;
    if (first.rows == 1) return true;
    return std::any_of(tables.begin(), tables.end(), [](table* t) { return t && forms_known(*t).dense; });
}

position_argument argument_of(by_position const& p) {
    return {static_cast<unsigned char const*>(p.flags.get()), p.values.get()};
}
void copy_scalar(unsigned char (&to)[32], void const* value, GrB_Type type) {
    if (type->size > sizeof to) throw host_reason{"a value has more than 32 bytes"};
    std::memcpy(to, value, type->size);
}

/// Whether the output of an operation does not depend on its entries before.
bool replaces(output const& to) {
    bool const all_admitted = !to.mask && !to.s.complement;
    return !to.accum && (all_admitted || to.s.replace);
}

/// A launch whose result is stored by position.
class position_launch {
public:
    /// `t`: type of T, the result of the operator.
    position_launch(output const& to, char const* kernel, GrB_Type t) : to_(to) {
        if (positions_of(to.c) > max_positions) throw host_reason{"there are too many positions"};
        writer.define(kernel);
        writer.type("c_value", to.c.type);
        writer.type("t_value", t);
        if (to.accum) {
            writer.define("COPPICE_ACCUMULATES");
            writer.binary("accumulator", to.accum);
        }
        bool const by_value = to.mask && !to.s.structure;
        writer.type("mask_value", by_value ? to.mask->type : GrB_BOOL);
    }
    text_writer writer;
    arguments a = {};

    /// Computes all positions: launch(kernel) runs the kernels.
    template <class Launch>
    void run_with(Launch const& launch) {
        kernel const& k = compiled(writer.text());
        table& c = to_.c;
        auto made = std::make_shared<forms>();
        made->dense = std::make_unique<by_position>(by_position{c.rows, c.columns});
        by_position& result = *made->dense;
        a.positions = result.positions();
        a.rows = a.rows == 0 ? c.rows : a.rows;
        a.columns = c.columns;
        a.vector = to_.vector;
        bind_mask();
        by_position before;
        if (!replaces(to_) && entry_count(c) > 0) {
            before = positions_of_table(c);
            a.c = argument_of(before);
        }
        result.flags = make_array(a.positions, 1);
        result.values = make_array(a.positions, c.type->size);
        array const counter = make_zeros(1, sizeof(long));
        a.to_flags = static_cast<unsigned char*>(result.flags.get());
        a.to_values = result.values.get();
        a.counter = static_cast<long*>(counter.get());
        launch(k);
        the_device().download(&result.entries, counter.get(), sizeof(long));
        if (result.entries == result.positions()) result.flags = {};
        set_device_forms(c, std::move(made), c.rows, c.columns);
    }
    void run_positions() {
        run_with([&](kernel const& k) { run(k, 0, blocks_of(a.positions, positions_per_block), a); });
    }

private:
    void bind_mask() {
        a.complement = to_.s.complement;
        a.replace = to_.s.replace;
        if (!to_.mask) return;
        mask_ = positions_of_table(*to_.mask);
        a.has_mask = true;
        a.mask = argument_of(mask_);
        if (to_.s.structure) a.mask.values = nullptr;
    }
    output const& to_;
    by_position mask_;
};

/// Throws unless T is the output: without mask and accumulator.
void require_whole(output const& to) {
    if (!replaces(to) || to.mask || to.s.complement)
        throw host_reason{"a matrix by rows is changed by a mask or an accumulator"};
}

/// A kernel launch that computes a value for each entry of a list. The result is a list of the same entries, or of
/// those that the kernel selects.
class list_launch {
public:
    list_launch(char const* kernel, GrB_Type c, GrB_Type t, GrB_Type mask = GrB_BOOL) : type_(c) {
        writer.define(kernel);
        writer.type("c_value", c);
        writer.type("t_value", t);
        writer.type("mask_value", mask);
    }
    text_writer writer;
    arguments a = {};

    /// `where`: entries that are computed. Returns them, or those that were found if `selects`.
    by_rows run_entries(by_rows const& where, bool vector, bool selects, index per_block = positions_per_block) {
        kernel const& k = compiled(writer.text());
        a.positions = where.entries;
        a.rows = where.rows;
        a.columns = where.columns;
        a.where = list_of(where);
        a.vector = vector;
        array const flags = make_array(where.entries, 1), values = make_array(where.entries, type_->size);
        a.to_flags = static_cast<unsigned char*>(flags.get());
        a.to_values = values.get();
        run(k, 0, (where.entries + per_block - 1) / per_block, a);
        if (selects) return compacted(where, flags, values, type_->size);
        by_rows to = where;
        to.values = values;
        return to;
    }

private:
    GrB_Type type_;
};

void store_list(table& c, by_rows const& made) {
    auto f = std::make_shared<forms>();
    f->straight = std::make_unique<by_rows>(made);
    array const& last = made.offsets; // a failed kernel is noticed before the output changes
    index entries = 0;
    the_device().download(&entries, static_cast<index const*>(last.get()) + made.rows, sizeof entries);
    if (entries != made.entries) throw host_reason{"the device returned an inconsistent list"};
    set_device_forms(c, std::move(f), c.rows, c.columns);
}

} // namespace

bool combine(output const& to, GrB_BinaryOp op, table& a, table& b, bool add) {
    return attempt_output(to, {.a = &a, .b = &b}, [&] {
        auto const write = [&](text_writer& w) {
            w.define("COPPICE_PAIRS");
            if (add) w.define("COPPICE_ADDS");
            w.type("x_value", a.type);
            w.type("y_value", b.type);
            w.binary("operation", op);
        };
        if (runs_by_position({&to.c, &a, &b, to.mask})) {
            position_launch l(to, "COPPICE_POSITIONS", op->z);
            write(l.writer);
            by_position const x = positions_of_table(a), y = positions_of_table(b);
            l.a.x = argument_of(x);
            l.a.y = argument_of(y);
            return l.run_positions();
        }
        require_whole(to);
        by_rows const x = rows_of_table(a, {}), y = rows_of_table(b, {});
        list_launch l(add ? "COPPICE_UNION" : "COPPICE_POSITIONS", to.c.type, op->z);
        write(l.writer);
        l.a.x.values = x.values.get();
        l.a.y.values = y.values.get();
        l.a.a = list_of(x);
        l.a.b = list_of(y);
        if (!add) return store_list(to.c, l.run_entries(x, to.vector, true));
        kernel const& k = compiled(l.writer.text());
        array const only_y = make_array(y.entries, 1);
        l.a.positions = y.entries;
        l.a.rows = x.rows;
        l.a.to_flags = static_cast<unsigned char*>(only_y.get());
        run(structure_kernels(8), 4, blocks_of(y.entries), l.a);
        by_rows made{x.rows, x.columns};
        index added = 0;
        array const numbers = scanned(only_y, y.entries, added);
        made.entries = x.entries + added;
        made.offsets = make_array(x.rows + 1, sizeof(index));
        made.indices = make_array(made.entries, sizeof(int));
        made.values = make_array(made.entries, to.c.type->size);
        l.a.positions = x.entries;
        l.a.x.flags = l.a.to_flags;
        l.a.numbers = static_cast<long const*>(numbers.get());
        l.a.to_offsets = static_cast<long*>(made.offsets.get());
        l.a.to_indices = static_cast<int*>(made.indices.get());
        l.a.to_values = made.values.get();
        run(k, 0, blocks_of(std::max(x.entries + y.entries, x.rows + 1)), l.a);
        store_list(to.c, made);
    });
}

namespace {

/// T = f(entry of A): `write` adds the operator, `fill` its scalar.
template <class Write, class Fill>
void map_entries(output const& to, table& a, bool selects, GrB_Type t, Write const& write, Fill const& fill) {
    bool const transposed = to.s.transpose0 && !to.vector;
    if (!transposed && runs_by_position({&to.c, &a, to.mask})) {
        position_launch l(to, "COPPICE_POSITIONS", t);
        l.writer.type("x_value", a.type);
        write(l.writer);
        by_position const x = positions_of_table(a);
        l.a.x = argument_of(x);
        fill(l.a);
        return l.run_positions();
    }
    require_whole(to);
    list_launch l("COPPICE_POSITIONS", to.c.type, t);
    l.writer.type("x_value", a.type);
    write(l.writer);
    by_rows const x = rows_of_table(a, {transposed});
    l.a.x.values = x.values.get();
    fill(l.a);
    store_list(to.c, l.run_entries(x, to.vector, selects));
}

} // namespace

bool apply(output const& to, GrB_UnaryOp op, table& a) {
    return attempt_output(to, {.a = &a}, [&] {
        auto const write = [&](text_writer& w) {
            w.define("COPPICE_UNARY");
            w.unary(op);
        };
        map_entries(to, a, false, op->z, write, [](arguments&) {});
    });
}
bool apply(output const& to, GrB_BinaryOp op, void const* value, table& a, bool first) {
    return attempt_output(to, {.a = &a}, [&] {
        if (first ? !uses_first(op) : !uses_second(op)) throw host_reason{"the operator does not use the scalar"};
        if (first && to.s.transpose1 != to.s.transpose0)
            throw host_reason{"the operand of a bound operator is transposed"};
        auto const write = [&](text_writer& w) {
            w.define(first ? "COPPICE_BOUND_FIRST" : "COPPICE_BOUND_SECOND");
            w.binary("operation", op);
        };
        map_entries(to, a, false, op->z, write,
                    [&](arguments& l) { copy_scalar(l.scalar, value, first ? op->x : op->y); });
    });
}
bool apply(output const& to, GrB_IndexUnaryOp op, void const* value, table& a, bool selects) {
    return attempt_output(to, {.a = &a}, [&] {
        auto const write = [&](text_writer& w) {
            w.define(selects ? "COPPICE_SELECT" : "COPPICE_INDEX");
            w.index_unary(op, a.type);
        };
        map_entries(to, a, selects, selects ? a.type : op->z, write,
                    [&](arguments& l) { copy_scalar(l.scalar, value, op->s); });
    });
}

bool assign(output const& to, table& a) {
    return attempt_output(to, {.a = &a}, [&] {
        if (to.s.transpose0 && !to.vector) throw host_reason{"the operand is transposed"};
        if (!runs_by_position({&to.c, &a, to.mask})) throw host_reason{"the matrix is stored by rows"};
        map_entries(
            to, a, false, a.type, [](text_writer&) {}, [](arguments&) {});
    });
}
bool assign(output const& to, GrB_Type type, void const* value) {
    return attempt_output(to, {}, [&] {
        bool const fills = replaces(to) && !to.mask && !to.s.complement; // every position gets an entry
        if (!(fills && positions_of(to.c) <= max_positions) && !runs_by_position({&to.c, to.mask}))
            throw host_reason{"the matrix is stored by rows"};
        position_launch l(to, "COPPICE_POSITIONS", type);
        l.writer.define("COPPICE_SCALAR");
        copy_scalar(l.a.scalar, value, type);
        l.run_positions();
    });
}
bool gather(output const& to, table& u, index const* positions) {
    return attempt_output(to, {.a = &u}, [&] {
        if (!runs_by_position({&u})) throw host_reason{"there are too many positions"};
        position_launch l(to, "COPPICE_POSITIONS", u.type);
        l.writer.type("x_value", u.type);
        l.writer.define("COPPICE_GATHER");
        by_position const x = positions_of_table(u);
        array const numbers = make_array(to.c.columns, sizeof(index));
        the_device().upload(numbers.get(), positions, std::size_t(to.c.columns) * sizeof(index));
        l.a.x = argument_of(x);
        l.a.numbers = static_cast<long const*>(numbers.get());
        l.run_positions();
    });
}

namespace {

/// Runs the kernels of products: rows of B by their lengths, so that long rows have more threads. Rows of x times.
void run_products(kernel const& k, arguments a, by_rows const& b, index rows_of_x) {
    struct tier {
        std::size_t entry;
        int lanes;
        index first, last, count;
        void* list;
    };
    constexpr index all = std::numeric_limits<index>::max();
    tier const tiers[] = {{2, 256, long_rows::many, all, b.tiers.long_count, b.tiers.longest.get()},
                          {1, 32, long_rows::few, long_rows::many, b.tiers.middle_count, b.tiers.middle.get()},
                          {0, 4, 0, long_rows::few, b.rows, nullptr}};
    for (tier const& t : tiers) {
        if (t.count == 0) continue;
        a.rows = t.count;
        a.row_list = static_cast<int const*>(t.list);
        a.first_length = t.first;
        a.last_length = t.last;
        index const per_block = 256 / t.lanes;
        run(k, t.entry, (t.count * rows_of_x + per_block - 1) / per_block, a);
    }
}

/// T = X B' by position: `write` adds the operator.
template <class Write>
void pull(output const& to, GrB_Type t, table& b, needs const& of_b, by_position const* x, GrB_BinaryOp add,
          GrB_Monoid monoid, Write const& write) {
    position_launch l(to, "COPPICE_PRODUCT", t);
    l.writer.type("y_value", b.type);
    l.writer.monoid(add, monoid);
    write(l.writer);
    by_rows const rows = rows_of_table(b, of_b);
    if (x) l.a.x = argument_of(*x);
    l.a.inner = rows.columns;
    l.a.b = list_of(rows);
    l.run_with([&](kernel const& k) { run_products(k, l.a, rows, to.c.rows); });
}

/// Whether a list of the entries is at hand without a transposition on the host.
bool has_list(table& t, bool transposed) {
    if (!transposed) return true;
    std::scoped_lock const lock(t.guard);
    return t.transposed.where || (t.device && t.device->transposed);
}

GrB_BinaryOp checked_multiply(product const& p) {
    GrB_BinaryOp const op = p.semiring->multiply;
    if (op->z != p.semiring->add->op->z) throw host_reason{"the operators of the semiring have different types"};
    return op;
}
bool uses_b(product const& p) {
    return p.flipped ? uses_first(p.semiring->multiply) : uses_second(p.semiring->multiply);
}
bool uses_a(product const& p) {
    return p.flipped ? uses_second(p.semiring->multiply) : uses_first(p.semiring->multiply);
}
void write_product(text_writer& w, product const& p) {
    if (p.flipped) w.define("COPPICE_FLIPPED");
    w.type("x_value", p.a.type);
    w.binary("operation", checked_multiply(p));
}

constexpr index max_rows_by_position = 64; ///< of a product that is computed at all its positions

/// Whether C<M> = A B' is computed at the entries of M only, and is the output.
bool suits_dots(output const& to, product const& p) {
    if (to.vector || p.flipped || !to.mask || to.s.complement || to.accum) return false;
    if (runs_by_position({&to.c, to.mask}) && to.c.rows <= max_rows_by_position) return false;
    return to.s.replace || entry_count(to.c) == 0;
}
void dots(output const& to, product const& p) {
    bool const by_value = !to.s.structure;
    list_launch l("COPPICE_DOTS", to.c.type, p.semiring->add->op->z, by_value ? to.mask->type : GrB_BOOL);
    l.writer.type("y_value", p.b.type);
    l.writer.monoid(p.semiring->add->op, p.semiring->add);
    write_product(l.writer, p);
    by_rows const mask = rows_of_table(*to.mask, {false, by_value});
    by_rows const a = rows_of_table(p.a, {p.a_transposed, uses_a(p)});
    by_rows const b = rows_of_table(p.b, {!p.b_transposed, uses_b(p)});
    l.a.has_mask = by_value;
    l.a.mask = {nullptr, mask.values.get()};
    l.a.a = list_of(a);
    l.a.b = list_of(b);
    store_list(to.c, l.run_entries(mask, false, true, 256 / 8));
}

/// T = X B by the entries of X, for a monoid whose folds do not depend on the order. Returns false if pull is faster.
bool push(output const& to, product const& p, by_position const& x) {
    GrB_BinaryOp const add = p.semiring->add->op;
    text_writer w;
    w.define("COPPICE_PUSH");
    w.type("t_value", add->z);
    w.type("y_value", p.b.type);
    w.type("mask_value", to.mask && !to.s.structure ? to.mask->type : GrB_BOOL);
    if (!has_list(p.b, p.b_transposed) || !w.identity(add, checked_multiply(p))) return false;
    w.binary("addition", add);
    write_product(w, p);
    by_rows const b = rows_of_table(p.b, {p.b_transposed, uses_b(p)});
    kernel const& k = compiled(w.text());
    arguments l = {};
    l.positions = x.positions();
    l.inner = x.columns;
    l.columns = to.c.columns;
    l.x = argument_of(x);
    l.b = list_of(b);
    array const counters = make_zeros(2, sizeof(long)); // products; tasks of long rows
    l.counter = static_cast<long*>(counters.get());
    index products = x.flags ? 0 : b.entries * x.rows;
    if (x.flags && x.entries > 0) {
        run(k, 1, blocks_of(l.positions, positions_per_block), l);
        the_device().download(&products, counters.get(), sizeof products);
    }
    // An addition at a random position takes about as long as four entries that pull reads.
    index const loss = 4 * products - (b.entries + b.rows) * x.rows;
    if (loss > 0 && has_list(p.b, !p.b_transposed)) return false;
    if (loss > 0) { // until it would have paid to transpose B, which the host does
        std::scoped_lock const lock(p.b.guard);
        p.b.transpose_gain += loss;
        if (p.b.transpose_gain > 4 * b.entries * x.rows) return false;
    }
    by_position mask;
    if (to.mask) mask = positions_of_table(*to.mask);
    l.has_mask = to.mask != nullptr;
    l.complement = to.s.complement;
    l.mask = argument_of(mask);
    if (to.s.structure) l.mask.values = nullptr;
    by_position sums{to.c.rows, to.c.columns};
    sums.flags = make_array(sums.positions(), 1);
    sums.values = make_array(sums.positions() + 4, add->z->size); // small values change with the word around them
    constexpr index max_blocks = 1024;
    index const tasks = 2 * products / push_task_entries; // at most, since only longer rows have tasks
    array const long_rows = make_array(2 * tasks, sizeof(long));
    l.to_flags = static_cast<unsigned char*>(sums.flags.get());
    l.to_values = sums.values.get();
    l.to_offsets = static_cast<long*>(long_rows.get());
    arguments of_fill = l;
    of_fill.positions = sums.positions();
    run(k, 0, blocks_of(of_fill.positions, positions_per_block), of_fill);
    if (products > 0) run(k, 2, blocks_of(l.positions), l);
    run(k, 3, std::min(tasks, max_blocks), l);
    position_launch result(to, "COPPICE_POSITIONS", add->z);
    result.writer.type("x_value", add->z);
    result.a.x = argument_of(sums);
    result.run_positions();
    return true;
}

} // namespace

bool multiply(output const& to, product const& p) {
    return attempt_output(to, {.a = &p.a, .read = &p.b}, [&] {
        if (suits_dots(to, p)) return dots(to, p);
        if (to.c.rows > max_rows_by_position)
            throw host_reason{"a product of matrices has no mask that selects its entries"};
        if (std::max(positions_of(p.a), positions_of(to.c)) > max_positions)
            throw host_reason{"there are too many positions"};
        if (p.a_transposed) throw host_reason{"the first operand is transposed"};
        by_position const x = positions_of_table(p.a);
        if (push(to, p, x)) return;
        pull(to, p.semiring->add->op->z, p.b, {!p.b_transposed, uses_b(p), true}, &x, p.semiring->add->op,
             p.semiring->add, [&](text_writer& w) { write_product(w, p); });
    });
}

bool reduce_rows(output const& to, GrB_BinaryOp op, table& a, bool transposed) {
    return attempt_output(to, {.read = &a}, [&] {
        if (transposed && a.rows <= max_rows_by_position && runs_by_position({&a})) {
            position_launch l(to, "COPPICE_POSITIONS", op->z);
            l.writer.define("COPPICE_COLUMNS");
            l.writer.type("x_value", a.type);
            l.writer.monoid(op, nullptr);
            by_position const x = positions_of_table(a);
            l.a.x = argument_of(x);
            l.a.inner = x.positions();
            return l.run_positions();
        }
        pull(to, op->z, a, {transposed, true, true}, nullptr, op, nullptr, [&](text_writer& w) {
            w.type("x_value", GrB_BOOL);
            w.second_of(op->z);
        });
    });
}

namespace {

/// The kernel that folds values of a type by a monoid.
kernel const& fold_of(GrB_Monoid monoid, GrB_Type x) {
    text_writer w;
    w.define("COPPICE_FOLD");
    w.type("t_value", monoid->op->z);
    w.type("x_value", x);
    w.monoid(monoid->op, monoid);
    return compiled(w.text());
}

} // namespace

bool reduce(char const* operation, GrB_Monoid monoid, table& a, void* to, bool* any) {
    return attempt(
        operation, [&] { return is_large({&a}); },
        [&] {
            GrB_Type const z = monoid->op->z;
            by_position x;
            by_rows list;
            arguments l = {};
            if (runs_by_position({&a})) {
                x = positions_of_table(a);
                l.x = argument_of(x);
                l.positions = x.positions();
            } else {
                list = rows_of_table(a, {});
                l.x.values = list.values.get();
                l.positions = list.entries;
            }
            index const blocks = std::clamp<index>(l.positions / 4096, 1, 1024);
            array const flags = make_array(blocks, 1), values = make_array(blocks, z->size);
            array const flag = make_array(1, 1), value = make_array(1, z->size);
            l.to_flags = static_cast<unsigned char*>(flags.get());
            l.to_values = values.get();
            run(fold_of(monoid, a.type), 0, blocks, l);
            l.x = {l.to_flags, values.get()};
            l.positions = blocks;
            l.to_flags = static_cast<unsigned char*>(flag.get());
            l.to_values = value.get();
            run(fold_of(monoid, z), 0, 1, l);
            unsigned char found = 0;
            scratch sum(z, 1);
            the_device().download(&found, flag.get(), 1);
            the_device().download(sum.data(), value.get(), z->size);
            std::memcpy(to, sum.data(), z->size);
            *any = found != 0;
        });
}

} // namespace coppice::graphblas::device
