// SPDX-License-Identifier: BSD-3-Clause
// Objects of the GraphBLAS C API: creation, release, wait, error, and GrB_init.
#include <atomic>
#include <cstring>

#include <coppice/core/parallel.hpp>
#include <coppice/version.h>

#include "cached_memory.hpp"
#include "definitions.hpp"
#include "device/device.hpp"
#include "select.hpp"
#include "shared.hpp"
#include "tables.hpp"

namespace coppice::graphblas {
namespace {

enum class library_state { off, nonblocking, blocking };
std::atomic<library_state> state{library_state::off};

/// Removes a new object unless it was released to the caller.
template <class Object>
class new_object {
public:
    new_object() : object_(object_store<Object>::make()) {}
    ~new_object() {
        if (object_) object_store<Object>::remove(object_);
    }
    new_object(new_object const&) = delete;
    Object* operator->() { return object_; }
    void release_to(Object** to) { *to = std::exchange(object_, nullptr); }

private:
    Object* object_;
};

/// Creates an object: fill(object) may throw; *to is NULL after an error.
template <class Object, class Fill>
GrB_Info create(Object** to, Fill const& fill) {
    return guarded(nullptr, [&] {
        require_pointer(to, "address of the new object");
        *to = nullptr;
        new_object<Object> made;
        fill(*made.operator->());
        made.release_to(to);
        return GrB_SUCCESS;
    });
}

void set_name(object_head& object, char const* name) {
    if (name) object.name = std::make_unique<std::string>(name);
}
void require_size_of_table(GrB_Index n, char const* what) {
    if (n > GrB_INDEX_MAX + 1)
        throw failure{GrB_INVALID_VALUE, std::string(what) + " is " + std::to_string(n) + ", expected at most 2^60"};
}
void require_type(GrB_Type type, char const* what) { require_alive(type, what); }

void initialise_table(table& t, GrB_Type type, index rows, index columns) {
    t.type = type;
    t.rows = rows;
    t.columns = columns;
    t.orientation = default_orientation();
    t.data.list = {empty_pattern(rows, columns), make_values(0, type->size)};
}
void duplicate(table& to, table& from) {
    to.type = from.type;
    to.rows = from.rows;
    to.columns = from.columns;
    to.orientation = from.orientation;
    entry_count(from); // merges changes
    std::scoped_lock const lock(from.guard);
    to.data = from.data;
    to.device = from.device;
}
template <class Table>
GrB_Info clear(Table t) {
    return guarded(t, [&] {
        require_alive(t, "output");
        set_entries(*t, {empty_pattern(t->rows, t->columns), make_values(0, t->type->size)});
        return GrB_SUCCESS;
    });
}
void resize_table(table& t, GrB_Index rows, GrB_Index columns) {
    require_size_of_table(rows, "number of rows");
    require_size_of_table(columns, "number of columns");
    set_entries(t, resized(entries_of(t), t.type->size, index(rows), index(columns)));
}

/// Releases an object; predefined ones stay, and a freed or foreign handle is an error.
template <class Object>
GrB_Info release(Object** handle) {
    if (!handle || !*handle) return GrB_SUCCESS;
    return guarded(nullptr, [&] {
        require_alive(*handle, "object");
        if ((*handle)->predefined) return GrB_SUCCESS;
        object_store<Object>::remove(*handle);
        *handle = nullptr;
        return GrB_SUCCESS;
    });
}
template <class Object>
GrB_Info wait_for(Object* object, int mode) {
    return guarded(nullptr, [&] {
        require_alive(object, "object");
        if (mode != GrB_COMPLETE && mode != GrB_MATERIALIZE)
            throw failure{GrB_INVALID_VALUE, "mode of GrB_wait is " + std::to_string(mode) +
                                                 ", expected GrB_COMPLETE or "
                                                 "GrB_MATERIALIZE"};
        if constexpr (std::is_base_of_v<table, Object>) entry_count(*object);
        return GrB_SUCCESS;
    });
}
template <class Object>
GrB_Info error_of(char const** text, Object* object) {
    return guarded(nullptr, [&] {
        require_pointer(text, "address of the string");
        *text = "";
        require_alive(object, "object");
        if (object->message) *text = object->message->c_str();
        return GrB_SUCCESS;
    });
}

/// Compiles the definition of an operator, if it has one. Without a compiler its function serves; a definition without
/// a function is then an error.
template <class Function, class Operator>
void use_definition(operator_kind kind, definition const& of, Function function, Operator& o) {
    o.function = function;
    if (!of.text) return require_pointer(reinterpret_cast<void const*>(function), "function");
    compiled_operator const made = compile_definition(kind, of);
    if (made.function) {
        o.definition = std::make_unique<std::string>(of.text);
        o.function = reinterpret_cast<Function>(made.function);
        if constexpr (!std::is_same_v<Operator, GrB_IndexUnaryOp_opaque>)
            o.loop = reinterpret_cast<decltype(o.loop)>(made.loop);
        return;
    }
    if (!function) throw failure{GrB_NULL_POINTER, "function is NULL, and its definition: " + made.failure};
    o.message = std::make_unique<std::string>("the function is used, its definition is not: " + made.failure);
}

GrB_Info new_unary(GrB_UnaryOp* op, GxB_unary_function function, GrB_Type z, GrB_Type x, char const* name,
                   char const* text) {
    return create(op, [&](GrB_UnaryOp_opaque& o) {
        if (!text) require_pointer(reinterpret_cast<void const*>(function), "function");
        require_type(z, "type of the result");
        require_type(x, "type of the operand");
        use_definition(operator_kind::unary, {name, text, z, x, nullptr}, function, o);
        o.z = z;
        o.x = x;
        set_name(o, name);
    });
}
GrB_Info new_binary(GrB_BinaryOp* op, GxB_binary_function function, GrB_Type z, GrB_Type x, GrB_Type y,
                    char const* name, char const* text) {
    return create(op, [&](GrB_BinaryOp_opaque& o) {
        if (!text) require_pointer(reinterpret_cast<void const*>(function), "function");
        require_type(z, "type of the result");
        require_type(x, "type of the first operand");
        require_type(y, "type of the second operand");
        use_definition(operator_kind::binary, {name, text, z, x, y}, function, o);
        o.z = z;
        o.x = x;
        o.y = y;
        set_name(o, name);
    });
}
GrB_Info new_index_unary(GrB_IndexUnaryOp* op, GxB_index_unary_function function, GrB_Type z, GrB_Type x, GrB_Type s,
                         char const* name, char const* text) {
    return create(op, [&](GrB_IndexUnaryOp_opaque& o) {
        if (!text) require_pointer(reinterpret_cast<void const*>(function), "function");
        require_type(z, "type of the result");
        require_type(x, "type of the operand");
        require_type(s, "type of the scalar");
        use_definition(operator_kind::index_unary, {name, text, z, x, s}, function, o);
        o.z = z;
        o.x = x;
        o.s = s;
        set_name(o, name);
    });
}
GrB_Info new_type(GrB_Type* type, std::size_t size, char const* name, char const* text) {
    return create(type, [&](GrB_Type_opaque& o) {
        if (size == 0) throw failure{GrB_INVALID_VALUE, "size of the type is 0, expected at least 1"};
        o.size = size;
        o.constant_name = "user-defined";
        set_name(o, name);
        if (text) o.definition = std::make_unique<std::string>(text);
    });
}

/// Stores a value of a monoid. Large values of user-defined types have separate memory.
void store_value(std::byte* small, std::unique_ptr<std::byte[]>& large, void const* value, std::size_t size) {
    if (size > sizeof GrB_Monoid_opaque::small_identity) {
        large = std::make_unique<std::byte[]>(size);
        std::memcpy(large.get(), value, size);
    } else {
        std::memcpy(small, value, size);
    }
}
GrB_Info new_monoid(GrB_Monoid* monoid, GrB_BinaryOp op, argument const& identity, argument const* terminal) {
    return create(monoid, [&](GrB_Monoid_opaque& o) {
        require_alive(op, "operator");
        if (op->position != positional::none || op->x != op->y || op->x != op->z)
            throw failure{GrB_DOMAIN_MISMATCH, "the operator of a monoid has different types, expected T x T -> T"};
        o.op = op;
        auto const value_of = [&](argument const& a, char const* what) {
            if (a.kind == argument::typed && a.type != op->z)
                throw failure{GrB_DOMAIN_MISMATCH,
                              std::string(what) + " has type " + a.type->text() + ", expected " + op->z->text()};
            return converted_value(a, op->z, what);
        };
        converted_value const x = value_of(identity, "identity");
        store_value(o.small_identity, o.large_identity, x.data(), op->z->size);
        if (!terminal) return;
        converted_value const y = value_of(*terminal, "terminal value");
        store_value(o.small_terminal, o.large_terminal, y.data(), op->z->size);
        o.has_terminal = true;
    });
}

/// Stores count(object) in *n.
template <class Object, class Count>
GrB_Info count_of(GrB_Index* n, Object* object, char const* what, Count const& count) {
    return guarded(object, [&] {
        require_pointer(n, "result");
        require_alive(object, what);
        *n = GrB_Index(count(*object));
        return GrB_SUCCESS;
    });
}

} // namespace

bool is_initialised() { return state.load(std::memory_order_relaxed) != library_state::off; }
int blocking_mode() { return state.load() == library_state::blocking ? GrB_BLOCKING : GrB_NONBLOCKING; }

GrB_Info Monoid_new(GrB_Monoid* monoid, GrB_BinaryOp op, argument identity) {
    return new_monoid(monoid, op, identity, nullptr);
}
GrB_Info Monoid_terminal_new(GrB_Monoid* monoid, GrB_BinaryOp op, argument identity, argument terminal) {
    return new_monoid(monoid, op, identity, &terminal);
}

extern "C" {

GrB_Info GrB_init(int mode) {
    if (mode != GrB_NONBLOCKING && mode != GrB_BLOCKING) return GrB_INVALID_VALUE;
    if (!device::read_environment().empty()) return GrB_INVALID_VALUE;
    auto off = library_state::off;
    auto const on = mode == GrB_BLOCKING ? library_state::blocking : library_state::nonblocking;
    return state.compare_exchange_strong(off, on) ? GrB_SUCCESS : GrB_INVALID_VALUE;
}
GrB_Info GrB_finalize(void) {
    state = library_state::off;
    default_orientation() = GrB_ROWMAJOR;
    release_cached_memory();
    return GrB_SUCCESS;
}
GrB_Info GrB_getVersion(unsigned int* version, unsigned int* subversion) {
    if (!version || !subversion) return GrB_NULL_POINTER;
    *version = GRB_VERSION;
    *subversion = GRB_SUBVERSION;
    return GrB_SUCCESS;
}

GrB_Info GrB_Type_new(GrB_Type* type, size_t size) { return new_type(type, size, nullptr, nullptr); }
GrB_Info GxB_Type_new(GrB_Type* type, size_t size, char const* name, char const* text) {
    return new_type(type, size, name, text);
}
GrB_Info GrB_UnaryOp_new(GrB_UnaryOp* op, GxB_unary_function f, GrB_Type z, GrB_Type x) {
    return new_unary(op, f, z, x, nullptr, nullptr);
}
GrB_Info GxB_UnaryOp_new(GrB_UnaryOp* op, GxB_unary_function f, GrB_Type z, GrB_Type x, char const* name,
                         char const* text) {
    return new_unary(op, f, z, x, name, text);
}
GrB_Info GrB_BinaryOp_new(GrB_BinaryOp* op, GxB_binary_function f, GrB_Type z, GrB_Type x, GrB_Type y) {
    return new_binary(op, f, z, x, y, nullptr, nullptr);
}
GrB_Info GxB_BinaryOp_new(GrB_BinaryOp* op, GxB_binary_function f, GrB_Type z, GrB_Type x, GrB_Type y, char const* name,
                          char const* text) {
    return new_binary(op, f, z, x, y, name, text);
}
GrB_Info GrB_IndexUnaryOp_new(GrB_IndexUnaryOp* op, GxB_index_unary_function f, GrB_Type z, GrB_Type x, GrB_Type s) {
    return new_index_unary(op, f, z, x, s, nullptr, nullptr);
}
GrB_Info GxB_IndexUnaryOp_new(GrB_IndexUnaryOp* op, GxB_index_unary_function f, GrB_Type z, GrB_Type x, GrB_Type s,
                              char const* name, char const* text) {
    return new_index_unary(op, f, z, x, s, name, text);
}
GrB_Info GrB_Semiring_new(GrB_Semiring* semiring, GrB_Monoid add, GrB_BinaryOp multiply) {
    return create(semiring, [&](GrB_Semiring_opaque& o) {
        require_alive(add, "monoid");
        require_alive(multiply, "operator");
        if (multiply->z != add->op->z)
            throw failure{GrB_DOMAIN_MISMATCH, std::string("the result of the operator has type ") +
                                                   multiply->z->text() + ", expected that of the monoid, " +
                                                   add->op->z->text()};
        o.add = add;
        o.multiply = multiply;
    });
}
GrB_Info GrB_Descriptor_new(GrB_Descriptor* d) {
    return create(d, [](GrB_Descriptor_opaque&) {});
}
GrB_Info GrB_Descriptor_set(GrB_Descriptor d, int field, int value) {
    return guarded(d, [&] {
        require_alive(d, "descriptor");
        if (d->predefined) throw failure{GrB_INVALID_VALUE, "a predefined descriptor does not change"};
        auto const refuse = [&]() -> failure {
            return {GrB_INVALID_VALUE, "field " + std::to_string(field) + " of a descriptor does not take the value " +
                                           std::to_string(value)};
        };
        if (field == GrB_OUTP && (value == GrB_DEFAULT || value == GrB_REPLACE)) {
            d->replace = value == GrB_REPLACE;
        } else if (field == GrB_MASK && (value == GrB_DEFAULT || value == GrB_COMP || value == GrB_STRUCTURE ||
                                         value == GrB_COMP_STRUCTURE)) {
            // The settings of the mask are combined; GrB_DEFAULT resets both.
            d->complement = value != GrB_DEFAULT && (d->complement || value == GrB_COMP || value == GrB_COMP_STRUCTURE);
            d->structure =
                value != GrB_DEFAULT && (d->structure || value == GrB_STRUCTURE || value == GrB_COMP_STRUCTURE);
        } else if ((field == GrB_INP0 || field == GrB_INP1) && (value == GrB_DEFAULT || value == GrB_TRAN)) {
            (field == GrB_INP0 ? d->transpose0 : d->transpose1) = value == GrB_TRAN;
        } else {
            throw refuse();
        }
        return GrB_SUCCESS;
    });
}

GrB_Info GrB_Scalar_new(GrB_Scalar* s, GrB_Type type) {
    return create(s, [&](GrB_Scalar_opaque& o) {
        require_type(type, "type");
        o.type = type;
        o.orientation = default_orientation();
        o.value.resize(type->size);
    });
}
GrB_Info GrB_Scalar_dup(GrB_Scalar* s, GrB_Scalar t) {
    return create(s, [&](GrB_Scalar_opaque& o) {
        require_alive(t, "scalar");
        o.type = t->type;
        o.orientation = t->orientation;
        o.present = t->present;
        o.value = t->value;
    });
}
GrB_Info GrB_Scalar_clear(GrB_Scalar s) {
    return guarded(s, [&] {
        require_alive(s, "scalar");
        s->present = false;
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Scalar_nvals(GrB_Index* n, GrB_Scalar s) {
    return count_of(n, s, "scalar", [](auto& t) { return t.present ? 1 : 0; });
}

GrB_Info GrB_Vector_new(GrB_Vector* w, GrB_Type type, GrB_Index n) {
    return create(w, [&](GrB_Vector_opaque& o) {
        require_type(type, "type");
        require_size_of_table(n, "size");
        initialise_table(o, type, 1, index(n));
    });
}
GrB_Info GrB_Matrix_new(GrB_Matrix* c, GrB_Type type, GrB_Index rows, GrB_Index columns) {
    return create(c, [&](GrB_Matrix_opaque& o) {
        require_type(type, "type");
        require_size_of_table(rows, "number of rows");
        require_size_of_table(columns, "number of columns");
        initialise_table(o, type, index(rows), index(columns));
    });
}
GrB_Info GrB_Vector_dup(GrB_Vector* w, GrB_Vector u) {
    return create(w, [&](GrB_Vector_opaque& o) {
        require_alive(u, "vector");
        duplicate(o, *u);
    });
}
GrB_Info GrB_Matrix_dup(GrB_Matrix* c, GrB_Matrix a) {
    return create(c, [&](GrB_Matrix_opaque& o) {
        require_alive(a, "matrix");
        duplicate(o, *a);
    });
}
GrB_Info GrB_Matrix_diag(GrB_Matrix* c, GrB_Vector v, int64_t k) {
    return create(c, [&](GrB_Matrix_opaque& o) {
        require_alive(v, "vector");
        GrB_Index const distance = k < 0 ? 0 - GrB_Index(k) : GrB_Index(k); // defined for INT64_MIN
        GrB_Index const size = GrB_Index(v->columns) + distance;
        require_size_of_table(size, "number of rows");
        index const n = index(size);
        contents const x = entries_of(*v);
        initialise_table(o, v->type, n, n);
        o.data.list = {diagonal_pattern(*x.where, n, k), x.values};
    });
}
GrB_Info GrB_Vector_clear(GrB_Vector w) { return clear(w); }
GrB_Info GrB_Matrix_clear(GrB_Matrix c) { return clear(c); }
GrB_Info GrB_Vector_size(GrB_Index* n, GrB_Vector u) {
    return count_of(n, u, "vector", [](auto& t) { return t.columns; });
}
GrB_Info GrB_Vector_nvals(GrB_Index* n, GrB_Vector u) {
    return count_of(n, u, "vector", [](auto& t) { return entry_count(t); });
}
GrB_Info GrB_Matrix_nrows(GrB_Index* n, GrB_Matrix a) {
    return count_of(n, a, "matrix", [](auto& t) { return t.rows; });
}
GrB_Info GrB_Matrix_ncols(GrB_Index* n, GrB_Matrix a) {
    return count_of(n, a, "matrix", [](auto& t) { return t.columns; });
}
GrB_Info GrB_Matrix_nvals(GrB_Index* n, GrB_Matrix a) {
    return count_of(n, a, "matrix", [](auto& t) { return entry_count(t); });
}
GrB_Info GrB_Vector_resize(GrB_Vector w, GrB_Index n) {
    return guarded(w, [&] {
        require_alive(w, "vector");
        resize_table(*w, 1, n);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_resize(GrB_Matrix c, GrB_Index rows, GrB_Index columns) {
    return guarded(c, [&] {
        require_alive(c, "matrix");
        resize_table(*c, rows, columns);
        return GrB_SUCCESS;
    });
}

#define COPPICE_LIFETIME(OBJECT)                                                                                       \
    GrB_Info GrB_##OBJECT##_free(GrB_##OBJECT* object) { return release(object); }                                     \
    GrB_Info GrB_##OBJECT##_wait(GrB_##OBJECT object, int mode) { return wait_for(object, mode); }                     \
    GrB_Info GrB_##OBJECT##_error(char const** text, GrB_##OBJECT object) { return error_of(text, object); }
COPPICE_LIFETIME(Type)
COPPICE_LIFETIME(UnaryOp)
COPPICE_LIFETIME(IndexUnaryOp)
COPPICE_LIFETIME(BinaryOp)
COPPICE_LIFETIME(Monoid)
COPPICE_LIFETIME(Semiring)
COPPICE_LIFETIME(Descriptor)
COPPICE_LIFETIME(Scalar)
COPPICE_LIFETIME(Vector)
COPPICE_LIFETIME(Matrix)
#undef COPPICE_LIFETIME

} // extern "C"
} // namespace coppice::graphblas
