// SPDX-License-Identifier: BSD-3-Clause
// Elements, tuples, arrays and serialised forms of scalars, vectors and matrices.
#include <algorithm>
#include <cstring>

#include <coppice/core/parallel.hpp>

#include "device/device.hpp"
#include "shared.hpp"
#include "tables.hpp"

namespace coppice::graphblas {
namespace {

void require_position(GrB_Index at, index bound, char const* what) {
    if (at >= GrB_Index(bound))
        throw failure{GrB_INVALID_INDEX, std::string(what) + " is " + std::to_string(at) + ", expected less than " +
                                             std::to_string(bound)};
}

GrB_Info set_element(table* t, argument const& x, GrB_Index row, GrB_Index column) {
    if (x.kind == argument::scalar) require_alive(x.object, "value");
    bool const removes = x.kind == argument::scalar && !x.object->present;
    require_position(row, t->rows, "row");
    require_position(column, t->columns, "column");
    if (!removes) require_argument(x, t->type, "value");
    if (removes)
        change_element(*t, index(row), index(column), nullptr);
    else
        change_element(*t, index(row), index(column), converted_value(x, t->type, "value").data());
    return GrB_SUCCESS;
}

/// Stores a value of a type into an output argument.
void store(argument const& x, GrB_Type type, void const* value) {
    if (x.kind == argument::scalar) {
        convert(x.object->type, x.object->value.data(), type, value, 1);
        x.object->present = true;
    } else {
        convert(x.kind == argument::user ? type : x.type, x.data, type, value, 1);
    }
}
void require_output(argument const& x, GrB_Type type) {
    if (x.kind != argument::scalar) require_pointer(x.data, "result");
    if (x.kind == argument::scalar) require_alive(x.object, "result");
    if (x.kind == argument::user && type->code != GrB_UDT_CODE)
        throw failure{GrB_DOMAIN_MISMATCH,
                      "the result is given by an address, expected an object of a user-defined type"};
    if (x.kind != argument::user)
        require_compatible(x.kind == argument::scalar ? x.object->type : x.type, type, "result");
}

GrB_Info extract_element(argument const& x, table* t, GrB_Index row, GrB_Index column) {
    require_position(row, t->rows, "row");
    require_position(column, t->columns, "column");
    require_output(x, t->type);
    std::byte const* const value = find_element(*t, index(row), index(column));
    if (!value) {
        if (x.kind == argument::scalar) x.object->present = false;
        return x.kind == argument::scalar ? GrB_SUCCESS : GrB_NO_VALUE;
    }
    store(x, t->type, value);
    return GrB_SUCCESS;
}

/// Type of an array argument; `user`: the type of user-defined values.
GrB_Type type_of_array(argument const& x, GrB_Type user) {
    if (x.kind != argument::user) return x.type;
    if (user->code != GrB_UDT_CODE)
        throw failure{GrB_DOMAIN_MISMATCH, "the values are given by an address, expected a user-defined type"};
    return user;
}

/// Folds tuples of equal position by `dup`, in their order; without it a repetition is an error. Values are n values of
/// `from`, or one value if `single`.
contents tuples_to_contents(table const& t, index const* rows, index const* columns, index n, GrB_Type from,
                            std::byte const* values, bool single, GrB_BinaryOp dup) {
    auto made = build(t.rows, t.columns, rows, columns, n);
    index const entries = made.where->entries();
    if (made.is_sorted && !single) {
        GrB_Type const type = dup ? dup->z : t.type; // values pass through the type of the operator
        auto const given = make_values(n, type->size);
        for_ranges(n, task_size, [&](index first, index last) {
            convert(type, at(given->data(), first, type->size), from, at(values, first, from->size), last - first);
        });
        return {made.where, as_type(t.type, type, given, n)};
    }
    if (single || !dup) {
        if (!single && entries < n)
            throw failure{GrB_INVALID_VALUE, std::to_string(n - entries) + " of " + std::to_string(n) +
                                                 " tuples repeat a position, and there is no operator for duplicates"};
        buffer<index> first(executor(), entries);
        for (index e = 0; e < entries; ++e) first[e] = single ? 0 : made.order[made.starts[e]];
        auto const given = make_values(entries, from->size);
        gather(given->data(), values, first.data(), entries, from->size);
        return {made.where, as_type(t.type, from, given, entries)};
    }
    GrB_Type const type = dup->z;
    auto const given = make_values(n, type->size);
    convert(type, given->data(), from, values, n);
    auto const folded = make_values(entries, type->size);
    for_ranges(entries, 1024, [&](index first, index last) {
        scratch sum(type, 1);
        for (index e = first; e < last; ++e) {
            std::byte* const to = folded->data() + std::size_t(e) * type->size;
            for (index k = made.starts[e]; k < made.starts[e + 1]; ++k) {
                std::byte const* const value = given->data() + std::size_t(made.order[k]) * type->size;
                if (k == made.starts[e]) {
                    std::memcpy(to, value, type->size);
                } else {
                    std::memcpy(sum.data(), to, type->size);
                    dup->function(to, sum.data(), value);
                }
            }
        }
    });
    return {made.where, as_type(t.type, type, folded, entries)};
}

/// Checks a build and replaces the entries of the empty table. `rows` is null for a vector.
GrB_Info build_table(table* t, index_array rows, index_array columns, argument const& x, GrB_Index n, GrB_BinaryOp dup,
                     bool single) {
    require_pointer(columns, "list of indices");
    require_alive_or_null(dup, "operator for duplicates");
    if (entry_count(*t) > 0) throw failure{GrB_OUTPUT_NOT_EMPTY, "the output of build has entries, expected none"};
    GrB_Type const from = single ? x.object->type : type_of_array(x, t->type);
    require_compatible(t->type, from, "values");
    if (dup) {
        if (dup->position != positional::none || dup->x != dup->y || dup->x != dup->z)
            throw failure{GrB_DOMAIN_MISMATCH, "the operator for duplicates has different types, expected T x T -> T"};
        require_compatible(dup->x, from, "operand of the operator for duplicates");
        require_compatible(t->type, dup->z, "result of the operator for duplicates");
    }
    if (n > GrB_INDEX_MAX) throw failure{GrB_INVALID_VALUE, "number of tuples is too large"};
    if (!single) require_pointer(x.data, "values");
    std::vector<GrB_Index> zeros;
    if (!rows) {
        zeros.resize(std::size_t(n));
        rows = zeros.data();
    }
    for (GrB_Index k = 0; k < n; ++k)
        if (rows[k] >= GrB_Index(t->rows) || columns[k] >= GrB_Index(t->columns))
            throw failure{GrB_INDEX_OUT_OF_BOUNDS, "tuple " + std::to_string(k) + " is at (" + std::to_string(rows[k]) +
                                                       ", " + std::to_string(columns[k]) + "), outside of " +
                                                       std::to_string(t->rows) + " x " + std::to_string(t->columns)};
    void const* const values = single ? x.object->value.data() : x.data;
    set_entries(*t,
                tuples_to_contents(*t, reinterpret_cast<index const*>(rows), reinterpret_cast<index const*>(columns),
                                   index(n), from, static_cast<std::byte const*>(values), single, dup));
    return GrB_SUCCESS;
}

/// Writes offsets, or the major index of each entry.
void export_major(pattern const& where, bool offsets, GrB_Index* to) {
    if (!offsets) {
        for_ranges(where.stored_rows(), 1 << 12, [&](index first, index last) {
            for (index r = first; r < last; ++r)
                std::fill(to + where.offsets[r], to + where.offsets[r + 1], GrB_Index(where.row(r)));
        });
        return;
    }
    index row = 0; // the next one without an offset
    for (index r = 0; r < where.stored_rows(); ++r)
        for (; row <= where.row(r); ++row) to[row] = GrB_Index(where.offsets[r]);
    for (; row <= where.rows; ++row) to[row] = GrB_Index(where.entries());
}
void export_indices(pattern const& where, GrB_Index* to) {
    for_ranges(where.entries(), task_size, [&](index first, index last) {
        std::copy(where.indices.begin() + first, where.indices.begin() + last, to + first);
    });
}
void export_values(GrB_Type to_type, void* to, GrB_Type from_type, bytes const& from, index n) {
    for_ranges(n, task_size, [&](index first, index last) {
        convert(to_type, at(to, first, to_type->size), from_type, at(from.data(), first, from_type->size),
                last - first);
    });
}

/// Rows and columns of all positions; arrays may be null.
void number_positions(GrB_Index* rows, GrB_Index* columns, table const& t, index entries) {
    for_ranges(entries, 1 << 14, [&](index first, index last) {
        for (index k = first; rows && k < last; ++k) rows[k] = GrB_Index(k / t.columns);
        for (index k = first; columns && k < last; ++k) columns[k] = GrB_Index(t.rows == 1 ? k : k % t.columns);
    });
}
GrB_Info extract_tuples(GrB_Index* rows, GrB_Index* columns, argument const& x, GrB_Index* n, table* t) {
    require_pointer(n, "number of tuples");
    GrB_Type const type = type_of_array(x, t->type);
    if (x.data) require_compatible(type, t->type, "values");
    if (x.data && type == t->type &&
        device::download_full_values(*t, x.data, index(std::min(*n, GrB_Index(GrB_INDEX_MAX))))) {
        index const entries = t->rows * t->columns;
        number_positions(rows, columns, *t, entries);
        *n = GrB_Index(entries);
        return GrB_SUCCESS;
    }
    stored const forms = forms_of(*t);
    if (*n < GrB_Index(forms.entries()) && (rows || columns || x.data))
        throw failure{GrB_INSUFFICIENT_SPACE, "there is space for " + std::to_string(*n) + " tuples, expected " +
                                                  std::to_string(forms.entries())};
    if (forms.dense && !forms.dense.flags) {
        number_positions(rows, columns, *t, forms.entries());
        if (x.data) export_values(type, x.data, t->type, *forms.dense.values, forms.entries());
        *n = GrB_Index(forms.entries());
        return GrB_SUCCESS;
    }
    contents const data = entries_of(*t);
    pattern const& where = *data.where;
    if (rows) export_major(where, false, rows);
    if (columns) export_indices(where, columns);
    if (x.data) export_values(type, x.data, t->type, *data.values, where.entries());
    *n = GrB_Index(where.entries());
    return GrB_SUCCESS;
}

// Import and export

void require_format(int format) {
    if (format != GrB_CSR_FORMAT && format != GrB_CSC_FORMAT && format != GrB_COO_FORMAT)
        throw failure{GrB_INVALID_VALUE, "format is " + std::to_string(format) +
                                             ", expected GrB_CSR_FORMAT, "
                                             "GrB_CSC_FORMAT or GrB_COO_FORMAT"};
}
/// Import and export do not convert values.
void require_type_of_values(GrB_Type got, GrB_Type expected) {
    if (got != expected)
        throw failure{GrB_DOMAIN_MISMATCH, std::string("values have type ") + got->text() +
                                               ", expected that of the matrix, " + expected->text()};
}
void require_length(GrB_Index got, GrB_Index expected, char const* what, GrB_Info code) {
    if (got < expected)
        throw failure{code, std::string(what) + " has " + std::to_string(got) + " elements, expected " +
                                std::to_string(expected)};
}

/// Returns the major index of each entry of compressed rows or columns.
std::vector<GrB_Index> expanded_offsets(index_array offsets, GrB_Index count, GrB_Index i_length) {
    if (offsets[0] != 0)
        throw failure{GrB_INVALID_VALUE, "offsets begin with " + std::to_string(offsets[0]) + ", expected 0"};
    for (GrB_Index r = 0; r < count; ++r)
        if (offsets[r] > offsets[r + 1] || offsets[r + 1] > i_length)
            throw failure{GrB_INVALID_VALUE,
                          "offset " + std::to_string(r + 1) + " is " + std::to_string(offsets[r + 1]) +
                              ", expected at least the one before and at most the number of indices"};
    std::vector<GrB_Index> major;
    major.resize(std::size_t(offsets[count]));
    for (GrB_Index r = 0; r < count; ++r)
        std::fill(major.begin() + std::ptrdiff_t(offsets[r]), major.begin() + std::ptrdiff_t(offsets[r + 1]), r);
    return major;
}

GrB_Index offsets_length(table const& a, index entries, int format) {
    return format == GrB_COO_FORMAT ? GrB_Index(entries) : GrB_Index(format == GrB_CSR_FORMAT ? a.rows : a.columns) + 1;
}

// Serialised form: this header, then list of rows, offsets, indices and values.
struct blob_header {
    std::uint64_t magic, type_code, type_size, rows, columns, hypersparse, stored_rows, entries;
};
constexpr std::uint64_t blob_magic = 0x31424f4c42504f43; // "COPBLOB1"
std::uint64_t blob_size(blob_header const& h) {
    return sizeof h + 8 * ((h.hypersparse ? h.stored_rows : 0) + h.stored_rows + 1 + h.entries) +
           h.entries * h.type_size;
}
blob_header header_of(table const& a, contents const& x) {
    return {blob_magic,
            std::uint64_t(a.type->code),
            a.type->size,
            std::uint64_t(a.rows),
            std::uint64_t(a.columns),
            x.where->hypersparse ? 1u : 0u,
            std::uint64_t(x.where->stored_rows()),
            std::uint64_t(x.where->entries())};
}
[[noreturn]] void refuse_blob(char const* what) {
    throw failure{GrB_INVALID_OBJECT, std::string("serialised matrix: ") + what};
}

/// Copies indices and checks that they are sorted without duplicates in [0, bound).
buffer<index> read_indices(std::byte const*& from, std::uint64_t count) {
    buffer<index> to(executor(), index(count));
    if (count > 0) std::memcpy(to.data(), from, count * sizeof(index));
    from += count * sizeof(index);
    return to;
}
bool sorted_within(index const* first, index const* last, index bound) {
    for (index const* k = first; k != last; ++k)
        if (*k < 0 || *k >= bound || (k != first && k[-1] >= *k)) return false;
    return true;
}
contents read_blob(blob_header const& h, std::byte const* from) {
    pattern where;
    where.rows = index(h.rows);
    where.columns = index(h.columns);
    where.hypersparse = h.hypersparse != 0;
    if (where.hypersparse) where.list = read_indices(from, h.stored_rows);
    where.offsets = read_indices(from, h.stored_rows + 1);
    where.indices = read_indices(from, h.entries);
    if (!sorted_within(where.list.begin(), where.list.end(), where.rows)) refuse_blob("rows are not sorted");
    if (where.offsets[0] != 0 || where.offsets[index(h.stored_rows)] != index(h.entries)) refuse_blob("wrong offsets");
    for (index r = 0; r < index(h.stored_rows); ++r)
        if (where.offsets[r] > where.offsets[r + 1] || where.offsets[r + 1] > index(h.entries))
            refuse_blob("offsets are not sorted");
    for (index r = 0; r < index(h.stored_rows); ++r)
        if (!sorted_within(where.indices.data() + where.offsets[r], where.indices.data() + where.offsets[r + 1],
                           where.columns))
            refuse_blob("columns of a row are not sorted");
    auto values = make_values(index(h.entries), h.type_size);
    if (h.entries > 0) std::memcpy(values->data(), from, h.entries * h.type_size);
    // Other bytes than 0 and 1 are no values of bool.
    if (h.type_code == GrB_BOOL_CODE)
        for (std::uint64_t k = 0; k < h.entries; ++k)
            if (std::to_integer<unsigned>(from[k]) > 1) refuse_blob("a value of GrB_BOOL is neither 0 nor 1");
    return {std::make_shared<pattern>(std::move(where)), std::move(values)};
}
GrB_Type predefined_type(std::uint64_t code) {
    for (GrB_Type t : {GrB_BOOL, GrB_INT8, GrB_INT16, GrB_INT32, GrB_INT64, GrB_UINT8, GrB_UINT16, GrB_UINT32,
                       GrB_UINT64, GrB_FP32, GrB_FP64, GxB_FC32, GxB_FC64})
        if (std::uint64_t(t->code) == code) return t;
    return nullptr;
}

} // namespace

GrB_Info Scalar_setElement(GrB_Scalar s, argument x) {
    return guarded(s, [&] {
        require_alive(s, "scalar");
        converted_value const value(x, s->type, "value");
        std::memcpy(s->value.data(), value.data(), s->type->size);
        s->present = true;
        return GrB_SUCCESS;
    });
}
GrB_Info Scalar_extractElement(argument x, GrB_Scalar s) {
    return guarded(s, [&] {
        require_alive(s, "scalar");
        require_output(x, s->type);
        if (!s->present) return GrB_NO_VALUE;
        store(x, s->type, s->value.data());
        return GrB_SUCCESS;
    });
}

GrB_Info Vector_setElement(GrB_Vector w, argument x, GrB_Index i) {
    return guarded(w, [&] {
        require_alive(w, "vector");
        return set_element(w, x, 0, i);
    });
}
GrB_Info Matrix_setElement(GrB_Matrix c, argument x, GrB_Index i, GrB_Index j) {
    return guarded(c, [&] {
        require_alive(c, "matrix");
        return set_element(c, x, i, j);
    });
}
GrB_Info Vector_extractElement(argument x, GrB_Vector u, GrB_Index i) {
    return guarded(u, [&] {
        require_alive(u, "vector");
        return extract_element(x, u, 0, i);
    });
}
GrB_Info Matrix_extractElement(argument x, GrB_Matrix a, GrB_Index i, GrB_Index j) {
    return guarded(a, [&] {
        require_alive(a, "matrix");
        return extract_element(x, a, i, j);
    });
}
GrB_Info Vector_build(GrB_Vector w, index_array i, argument x, GrB_Index n, GrB_BinaryOp dup) {
    return guarded(w, [&] {
        require_alive(w, "vector");
        return build_table(w, nullptr, i, x, n, dup, false);
    });
}
GrB_Info Matrix_build(GrB_Matrix c, index_array i, index_array j, argument x, GrB_Index n, GrB_BinaryOp dup) {
    return guarded(c, [&] {
        require_alive(c, "matrix");
        require_pointer(i, "list of rows");
        return build_table(c, i, j, x, n, dup, false);
    });
}
GrB_Info Vector_extractTuples(GrB_Index* i, argument x, GrB_Index* n, GrB_Vector u) {
    return guarded(u, [&] {
        require_alive(u, "vector");
        return extract_tuples(nullptr, i, x, n, u);
    });
}
GrB_Info Matrix_extractTuples(GrB_Index* i, GrB_Index* j, argument x, GrB_Index* n, GrB_Matrix a) {
    return guarded(a, [&] {
        require_alive(a, "matrix");
        return extract_tuples(i, j, x, n, a);
    });
}

GrB_Info Matrix_import(GrB_Matrix* a, GrB_Type type, GrB_Index rows, GrB_Index columns, index_array p, index_array i,
                       argument x, GrB_Index p_length, GrB_Index i_length, GrB_Index x_length, int format) {
    GrB_Matrix made = nullptr;
    GrB_Info info = guarded(nullptr, [&] {
        require_pointer(a, "address of the new object");
        *a = nullptr;
        require_alive(type, "type");
        require_pointer(p, "first array");
        require_pointer(i, "second array");
        require_pointer(x.data, "values");
        require_format(format);
        require_type_of_values(type_of_array(x, type), type);
        return GrB_Matrix_new(&made, type, rows, columns);
    });
    if (info != GrB_SUCCESS) return info;
    info = guarded(nullptr, [&] {
        std::vector<GrB_Index> major;
        GrB_Index n = i_length;
        if (format == GrB_COO_FORMAT) {
            n = std::min(p_length, i_length);
        } else {
            GrB_Index const lines = format == GrB_CSR_FORMAT ? rows : columns;
            require_length(p_length, lines + 1, "array of offsets", GrB_INVALID_VALUE);
            major = expanded_offsets(p, lines, i_length);
            n = major.size();
        }
        require_length(x_length, n, "array of values", GrB_INVALID_VALUE);
        GrB_Index const* const outer = format == GrB_COO_FORMAT ? p : major.data();
        GrB_Index dummy = 0;
        GrB_Index const* const given = n == 0 ? &dummy : outer;
        return build_table(made, format == GrB_CSC_FORMAT ? i : given, format == GrB_CSC_FORMAT ? given : i, x, n,
                           nullptr, false);
    });
    if (info != GrB_SUCCESS)
        GrB_Matrix_free(&made);
    else
        *a = made;
    return info;
}
GrB_Info Matrix_export(GrB_Index* p, GrB_Index* i, argument x, GrB_Index* p_length, GrB_Index* i_length,
                       GrB_Index* x_length, int format, GrB_Matrix a) {
    return guarded(a, [&] {
        require_pointer(p, "first array");
        require_pointer(i, "second array");
        require_pointer(x.data, "values");
        require_pointer(p_length, "length of the first array");
        require_pointer(i_length, "length of the second array");
        require_pointer(x_length, "length of the values");
        require_alive(a, "matrix");
        require_format(format);
        GrB_Type const type = type_of_array(x, a->type);
        require_type_of_values(type, a->type);
        index const n = entries_of(*a).where->entries();
        GrB_Index const p_count = offsets_length(*a, n, format);
        require_length(*p_length, p_count, "first array", GrB_INSUFFICIENT_SPACE);
        require_length(*i_length, GrB_Index(n), "second array", GrB_INSUFFICIENT_SPACE);
        require_length(*x_length, GrB_Index(n), "array of values", GrB_INSUFFICIENT_SPACE);
        contents const from = oriented(*a, format == GrB_CSC_FORMAT);
        export_major(*from.where, format != GrB_COO_FORMAT, p);
        export_indices(*from.where, i);
        export_values(type, x.data, a->type, *from.values, n);
        *p_length = p_count;
        *i_length = *x_length = GrB_Index(n);
        return GrB_SUCCESS;
    });
}

extern "C" {

GrB_Info GxB_Vector_build_Scalar(GrB_Vector w, GrB_Index const* i, GrB_Scalar s, GrB_Index n) {
    return guarded(w, [&] {
        require_alive(w, "vector");
        require_alive(s, "scalar");
        if (!s->present) throw failure{GrB_EMPTY_OBJECT, "scalar is empty, expected a value"};
        return build_table(w, nullptr, i, scalar_argument(s), n, nullptr, true);
    });
}
GrB_Info GxB_Matrix_build_Scalar(GrB_Matrix c, GrB_Index const* i, GrB_Index const* j, GrB_Scalar s, GrB_Index n) {
    return guarded(c, [&] {
        require_alive(c, "matrix");
        require_alive(s, "scalar");
        require_pointer(i, "list of rows");
        if (!s->present) throw failure{GrB_EMPTY_OBJECT, "scalar is empty, expected a value"};
        return build_table(c, i, j, scalar_argument(s), n, nullptr, true);
    });
}
GrB_Info GrB_Vector_removeElement(GrB_Vector w, GrB_Index i) {
    return guarded(w, [&] {
        require_alive(w, "vector");
        require_position(i, w->columns, "index");
        change_element(*w, 0, index(i), nullptr);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_removeElement(GrB_Matrix c, GrB_Index i, GrB_Index j) {
    return guarded(c, [&] {
        require_alive(c, "matrix");
        require_position(i, c->rows, "row");
        require_position(j, c->columns, "column");
        change_element(*c, index(i), index(j), nullptr);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_exportSize(GrB_Index* p_length, GrB_Index* i_length, GrB_Index* x_length, int format,
                               GrB_Matrix a) {
    return guarded(a, [&] {
        require_pointer(p_length, "length of the first array");
        require_pointer(i_length, "length of the second array");
        require_pointer(x_length, "length of the values");
        require_alive(a, "matrix");
        require_format(format);
        index const n = entries_of(*a).where->entries();
        *p_length = offsets_length(*a, n, format);
        *i_length = *x_length = GrB_Index(n);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_exportHint(int* format, GrB_Matrix a) {
    return guarded(a, [&] {
        require_pointer(format, "format");
        require_alive(a, "matrix");
        *format = GrB_CSR_FORMAT;
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_serializeSize(GrB_Index* size, GrB_Matrix a) {
    return guarded(a, [&] {
        require_pointer(size, "size");
        require_alive(a, "matrix");
        *size = blob_size(header_of(*a, entries_of(*a)));
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_serialize(void* blob, GrB_Index* size, GrB_Matrix a) {
    return guarded(a, [&] {
        require_pointer(blob, "blob");
        require_pointer(size, "size");
        require_alive(a, "matrix");
        contents const x = entries_of(*a);
        blob_header const h = header_of(*a, x);
        require_length(*size, blob_size(h), "blob", GrB_INSUFFICIENT_SPACE);
        auto* to = static_cast<std::byte*>(blob);
        auto const append = [&](void const* from, std::size_t count) {
            if (count > 0) std::memcpy(to, from, count);
            to += count;
        };
        append(&h, sizeof h);
        append(x.where->list.data(), std::size_t(x.where->list.size()) * 8);
        append(x.where->offsets.data(), std::size_t(x.where->offsets.size()) * 8);
        append(x.where->indices.data(), std::size_t(x.where->indices.size()) * 8);
        append(x.values->data(), std::size_t(x.where->entries()) * a->type->size);
        *size = blob_size(h);
        return GrB_SUCCESS;
    });
}
GrB_Info GrB_Matrix_deserialize(GrB_Matrix* c, GrB_Type type, void const* blob, GrB_Index size) {
    GrB_Matrix made = nullptr;
    GrB_Info const info = guarded(nullptr, [&] {
        require_pointer(c, "address of the new object");
        *c = nullptr;
        require_pointer(blob, "blob");
        require_alive_or_null(type, "type");
        blob_header h;
        if (size < sizeof h) refuse_blob("it is shorter than its header");
        std::memcpy(&h, blob, sizeof h);
        constexpr std::uint64_t limit = std::uint64_t(1) << 60;
        if (h.magic != blob_magic) refuse_blob("it does not begin as one of Coppice");
        if (h.rows > limit || h.columns > limit || h.stored_rows > size / 8 || h.entries > size / 8 ||
            h.type_size > size || h.type_size == 0 || (!h.hypersparse && h.stored_rows != h.rows))
            refuse_blob("wrong sizes");
        if (h.entries > 0 && h.type_size > size / h.entries) refuse_blob("wrong sizes");
        if (size < blob_size(h)) refuse_blob("it is shorter than its header gives");
        GrB_Type const stored = h.type_code == GrB_UDT_CODE ? type : predefined_type(h.type_code);
        if (!stored && h.type_code == GrB_UDT_CODE)
            throw failure{GrB_NULL_POINTER, "the matrix has a user-defined type, expected the type as an argument"};
        if (!stored || std::uint64_t(stored->code) != h.type_code || stored->size != h.type_size ||
            (type && type != stored))
            throw failure{GrB_DOMAIN_MISMATCH, "the matrix has another type than the one that was given"};
        contents data = read_blob(h, static_cast<std::byte const*>(blob) + sizeof h);
        GrB_Info const created = GrB_Matrix_new(&made, stored, h.rows, h.columns);
        if (created == GrB_SUCCESS) set_entries(*made, std::move(data));
        return created;
    });
    if (info == GrB_SUCCESS) *c = made;
    return info;
}

} // extern "C"
} // namespace coppice::graphblas
