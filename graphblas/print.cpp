// SPDX-License-Identifier: BSD-3-Clause
// GxB_fprint: a description of an object for people, with its form in memory.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "device/device.hpp"
#include "tables.hpp"

namespace coppice::graphblas {
namespace {

/// Where and how much is printed.
struct printer {
    std::FILE* file;
    char const* name;
    int level;
    bool silent() const { return level <= GxB_SILENT; }
    bool lists_entries() const { return level >= GxB_SHORT; }
    /// Number of entries that are printed.
    index max_entries(index n) const {
        return level == GxB_SHORT || level == GxB_SHORT_VERBOSE ? std::min<index>(n, 30) : n;
    }
    int digits() const { return level >= GxB_SHORT_VERBOSE ? 15 : 6; }
};

template <class T>
T value_as(std::byte const* from) {
    T x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
void print_value(printer const& p, GrB_Type type, std::byte const* x) {
    switch (type->code) {
    case GrB_FP32_CODE:
        std::fprintf(p.file, "%.*g", p.digits(), double(value_as<float>(x)));
        return;
    case GrB_FP64_CODE:
        std::fprintf(p.file, "%.*g", p.digits(), value_as<double>(x));
        return;
    case GxB_FC32_CODE:
    case GxB_FC64_CODE: {
        GxB_FC64_t value;
        convert(GxB_FC64, &value, type, x, 1);
        std::fprintf(p.file, "%.*g%+.*gi", p.digits(), value.real(), p.digits(), value.imag());
        return;
    }
    case GrB_UINT64_CODE:
        std::fprintf(p.file, "%" PRIu64, value_as<std::uint64_t>(x));
        return;
    case GrB_UDT_CODE:
        std::fprintf(p.file, "value of %zu bytes", type->size);
        return;
    default: {
        std::int64_t value = 0;
        convert(GrB_INT64, &value, type, x, 1);
        std::fprintf(p.file, "%" PRId64, value);
    }
    }
}
char const* text_of(object_head const* object) {
    return object && object->text()[0] != '\0' ? object->text() : "without a name";
}

void print_entries(printer const& p, table& t, bool vector) {
    contents const data = entries_of(t);
    pattern const& where = *data.where;
    entry_cursor at(where, 0, vector);
    index const shown = p.max_entries(where.entries());
    for (index k = 0; k < shown; ++k) {
        at.move(k);
        if (vector)
            std::fprintf(p.file, "  (%" PRId64 ") ", at.i);
        else
            std::fprintf(p.file, "  (%" PRId64 ", %" PRId64 ") ", at.i, at.j);
        print_value(p, t.type, data.values->data() + std::size_t(k) * t.type->size);
        std::fputc('\n', p.file);
    }
    if (shown < where.entries()) std::fprintf(p.file, "  and %" PRId64 " other entries\n", where.entries() - shown);
}

char const* memory_of(table& t) {
    std::scoped_lock const lock(t.guard);
    if (!t.data.dense && !t.data.list.where) return "device";
    return t.device ? "host and device" : "host";
}
/// Forms of a table in memory, and their bytes.
void print_forms(printer const& p, table& t) {
    std::scoped_lock const lock(t.guard);
    stored const& data = t.data;
    auto const bytes_of = [](contents const& c) {
        return c.where
                   ? 8 * (c.where->list.size() + c.where->offsets.size() + c.where->indices.size()) + c.values->size()
                   : 0;
    };
    if (data.list.where)
        std::fprintf(p.file, "  %s list of entries, %" PRId64 " bytes\n",
                     data.list.where->hypersparse ? "hypersparse" : "sparse", bytes_of(data.list));
    if (data.dense)
        std::fprintf(p.file, "  %s, %" PRId64 " bytes\n", data.dense.flags ? "bitmap" : "full",
                     data.dense.values->size() + (data.dense.flags ? data.dense.flags->size() : 0));
    if (t.transposed.where) std::fprintf(p.file, "  transpose, %" PRId64 " bytes\n", bytes_of(t.transposed));
    if (t.device)
        std::fprintf(p.file, "  on the device:%s, %" PRId64 " bytes\n", device::names_of_forms(t).c_str(),
                     device::bytes_on_device(t));
    if (!t.changes.empty()) std::fprintf(p.file, "  %zu elements that wait for a merge\n", t.changes.size());
}

void print_table(printer const& p, table& t, bool vector) {
    index const entries = entry_count(t);
    char const* const memory = memory_of(t);
    if (vector)
        std::fprintf(p.file, "%s: vector of %" PRId64 ", type %s, %" PRId64 " entries, in %s memory\n", p.name,
                     t.columns, text_of(t.type), entries, memory);
    else
        std::fprintf(p.file, "%s: matrix, %" PRId64 " x %" PRId64 ", type %s, %" PRId64 " entries, in %s memory\n",
                     p.name, t.rows, t.columns, text_of(t.type), entries, memory);
    print_forms(p, t);
    if (p.lists_entries()) print_entries(p, t, vector);
}

void print(printer const& p, GrB_Vector_opaque& v) { print_table(p, v, true); }
void print(printer const& p, GrB_Matrix_opaque& a) { print_table(p, a, false); }
void print(printer const& p, GrB_Type_opaque& t) {
    std::fprintf(p.file, "%s: type %s, %zu bytes\n", p.name, text_of(&t), t.size);
}
void print(printer const& p, GrB_UnaryOp_opaque& op) {
    std::fprintf(p.file, "%s: unary operator %s, %s -> %s\n", p.name, text_of(&op), text_of(op.x), text_of(op.z));
}
void print(printer const& p, GrB_IndexUnaryOp_opaque& op) {
    std::fprintf(p.file, "%s: index-unary operator %s, (%s, indices, %s) -> %s\n", p.name, text_of(&op),
                 op.x ? text_of(op.x) : "any type", text_of(op.s), text_of(op.z));
}
void print(printer const& p, GrB_BinaryOp_opaque& op) {
    if (op.position != positional::none)
        std::fprintf(p.file, "%s: binary operator %s, indices -> %s\n", p.name, text_of(&op), text_of(op.z));
    else
        std::fprintf(p.file, "%s: binary operator %s, (%s, %s) -> %s, %s\n", p.name, text_of(&op), text_of(op.x),
                     text_of(op.y), text_of(op.z), op.loop ? "with a compiled loop" : "by its function");
}
void print(printer const& p, GrB_Monoid_opaque& m) {
    std::fprintf(p.file, "%s: monoid %s, operator %s, identity ", p.name, text_of(&m), text_of(m.op));
    print_value(p, m.op->z, static_cast<std::byte const*>(m.identity()));
    std::fputc('\n', p.file);
}
void print(printer const& p, GrB_Semiring_opaque& s) {
    std::fprintf(p.file, "%s: semiring %s, add %s, multiply %s\n", p.name, text_of(&s), text_of(s.add->op),
                 text_of(s.multiply));
}
void print(printer const& p, GrB_Descriptor_opaque& d) {
    std::fprintf(p.file, "%s: descriptor %s%s%s%s%s%s\n", p.name, text_of(&d), d.replace ? ", replace" : "",
                 d.complement ? ", complement" : "", d.structure ? ", structure" : "",
                 d.transpose0 ? ", first operand transposed" : "", d.transpose1 ? ", second operand transposed" : "");
}
void print(printer const& p, GrB_Scalar_opaque& s) {
    std::fprintf(p.file, "%s: scalar, type %s, ", p.name, text_of(s.type));
    if (s.present)
        print_value(p, s.type, s.value.data());
    else
        std::fputs("empty", p.file);
    std::fputc('\n', p.file);
}

template <class Object>
GrB_Info print_object(Object* object, char const* name, GxB_Print_Level level, std::FILE* file) {
    return guarded(nullptr, [&] {
        require_alive(object, "object");
        printer const p{file ? file : stdout, name ? name : "", int(level)};
        if (!p.silent()) print(p, *object);
        return GrB_SUCCESS;
    });
}

} // namespace

extern "C" {
#define COPPICE_PRINT(OBJECT)                                                                                          \
    GrB_Info GxB_##OBJECT##_fprint(GrB_##OBJECT object, char const* name, GxB_Print_Level level, FILE* file) {         \
        return print_object(object, name, level, file);                                                                \
    }
COPPICE_PRINT(Type)
COPPICE_PRINT(UnaryOp)
COPPICE_PRINT(IndexUnaryOp)
COPPICE_PRINT(BinaryOp)
COPPICE_PRINT(Monoid)
COPPICE_PRINT(Semiring)
COPPICE_PRINT(Descriptor)
COPPICE_PRINT(Scalar)
COPPICE_PRINT(Vector)
COPPICE_PRINT(Matrix)
#undef COPPICE_PRINT
} // extern "C"

} // namespace coppice::graphblas
