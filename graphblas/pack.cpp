// SPDX-License-Identifier: BSD-3-Clause
// GxB_*_pack_* and GxB_*_unpack_*: arrays of malloc() change their owner without a copy, if the storage is by rows.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "shared.hpp"
#include "tables.hpp"

namespace coppice::graphblas {
namespace {

/// An array of the caller: its address, which is NULL after it was taken, and its size in bytes.
struct caller_array {
    void** at;
    GrB_Index bytes;
    char const* what;
    template <class T>
    T const* data() const {
        return static_cast<T const*>(*at);
    }
};
template <class T>
caller_array array_of(T** at, GrB_Index bytes, char const* what) {
    require_pointer(at, what);
    return {reinterpret_cast<void**>(at), bytes, what};
}
void require_array(caller_array const& a, GrB_Index count, std::size_t size) {
    if (count > 0) require_pointer(*a.at, a.what);
    if (count > a.bytes / size)
        throw failure{GrB_INVALID_VALUE, std::string(a.what) + " has " + std::to_string(a.bytes) + " bytes, expected " +
                                             std::to_string(count) + " elements of " + std::to_string(size)};
}
[[noreturn]] void refuse(std::string const& what) { throw failure{GrB_INVALID_VALUE, what}; }

/// Returns the number of positions of a table.
index positions_of(table const& t) {
    index n = 0;
    if (__builtin_mul_overflow(t.rows, t.columns, &n)) refuse("the table is too large for an array of all positions");
    return n;
}

/// Takes ownership of an array. The memory is freed by free().
template <class T>
buffer<T> adopt(caller_array const& a, index count) {
    return buffer<T>::adopt(system_memory(), static_cast<T*>(std::exchange(*a.at, nullptr)), count);
}

/// Values of the caller: n of them, or one for all entries.
struct packed_values {
    caller_array array;
    std::size_t size;
    bool iso;
    void require(index n) const { require_array(array, GrB_Index(iso ? std::min<index>(n, 1) : n), size); }
    /// Returns the values in new memory.
    std::shared_ptr<bytes> copied(index n) const {
        auto made = make_values(n, size);
        std::byte const* const from = array.data<std::byte>();
        for (index k = 0; k < (iso ? n : 0); ++k) std::memcpy(made->data() + std::size_t(k) * size, from, size);
        if (!iso && n > 0) std::memcpy(made->data(), from, std::size_t(n) * size);
        return made;
    }
    /// Returns an owner into which take() moves the array, or which has the copies of a value. Throws before anything
    /// is taken.
    std::shared_ptr<bytes> prepared(index n) const { return iso ? copied(n) : std::make_shared<bytes>(); }
    void take(bytes& to, index n) const noexcept {
        if (iso)
            std::free(std::exchange(*array.at, nullptr));
        else
            to = adopt<std::byte>(array, n * index(size));
    }
};

void free_array(caller_array const& a) noexcept { std::free(std::exchange(*a.at, nullptr)); }

/// Compressed rows of the caller. A vector has one row and no array of offsets.
struct packed_rows {
    index rows, columns, entries;
    index const* offsets; ///< of the rows
    caller_array indices;
    bool jumbled;
};
/// Checks offsets and indices. Returns whether the columns of all rows ascend.
bool check_rows(packed_rows const& a) {
    if (a.offsets[0] != 0) refuse("offsets begin with " + std::to_string(a.offsets[0]) + ", expected 0");
    index const* const j = a.indices.data<index>();
    bool ascending = true;
    for (index r = 0; r < a.rows; ++r) {
        if (a.offsets[r] > a.offsets[r + 1] || a.offsets[r + 1] > a.entries)
            refuse("offset " + std::to_string(r + 1) + " is " + std::to_string(a.offsets[r + 1]) +
                   ", expected at least the one before and at most " + std::to_string(a.entries));
        for (index k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
            if (j[k] < 0 || j[k] >= a.columns)
                refuse("index [" + std::to_string(k) + "] is " + std::to_string(GrB_Index(j[k])) +
                       ", expected less than " + std::to_string(a.columns));
            ascending = ascending && (k == a.offsets[r] || j[k - 1] < j[k]);
        }
    }
    if (!ascending && !a.jumbled) refuse("the indices of a row do not ascend, and the matrix is not jumbled");
    return ascending;
}

/// Returns the entries in sorted rows, in new memory.
contents sorted_entries(packed_rows const& a, packed_values const& values) {
    std::vector<index> row(std::size_t(a.entries));
    for (index r = 0; r < a.rows; ++r) std::fill(row.begin() + a.offsets[r], row.begin() + a.offsets[r + 1], r);
    auto const made = build(a.rows, a.columns, row.data(), a.indices.data<index>(), a.entries);
    if (made.where->entries() != a.entries) refuse("a position has two entries");
    auto const copied = values.copied(a.entries);
    return {made.where, made.is_sorted ? copied : gathered(*copied, made.order, values.size)};
}

/// Replaces the entries by compressed rows. `offsets` is the array of the caller, if there is one.
void pack_rows(table& t, packed_rows const& a, caller_array const* offsets, packed_values const& values) {
    require_array(a.indices, GrB_Index(a.entries), sizeof(index));
    values.require(a.entries);
    if (!check_rows(a)) {
        set_entries(t, sorted_entries(a, values));
        if (offsets) free_array(*offsets);
        free_array(a.indices);
        return free_array(values.array);
    }
    auto const where = std::make_shared<pattern>();
    auto const owner = values.prepared(a.entries);
    where->rows = a.rows;
    where->columns = a.columns;
    if (!offsets) where->offsets = copy_of(executor(), array_view<index const>(a.offsets, 2));
    if (offsets) where->offsets = adopt<index>(*offsets, a.rows + 1);
    where->indices = adopt<index>(a.indices, a.entries);
    values.take(*owner, a.entries);
    set_entries(t, {where, owner});
}

/// Replaces the entries by an array of all positions, with flags unless the table is full.
void pack_positions(table& t, caller_array const* flags, GrB_Index entries, packed_values const& values) {
    index const n = positions_of(t);
    if (flags) require_array(*flags, GrB_Index(n), 1);
    values.require(n);
    std::uint8_t const* const given = flags ? flags->data<std::uint8_t>() : nullptr;
    if (given && std::any_of(given, given + n, [](std::uint8_t f) { return f > 1; }))
        refuse("a flag of the bitmap is neither 0 nor 1");
    if (given && count_flags(given, n) != index(entries))
        refuse("the bitmap has " + std::to_string(count_flags(given, n)) + " entries, expected " +
               std::to_string(entries));
    bool const as_list = t.type->code == GrB_UDT_CODE;
    grid to{t.rows, t.columns, given ? index(entries) : n, nullptr, as_list ? values.copied(n) : values.prepared(n)};
    if (given) to.flags = std::make_shared<buffer<std::uint8_t>>();
    if (as_list) { // user-defined types have no form by position
        if (given) *to.flags = copy_of(executor(), array_view<std::uint8_t const>(given, n));
        set_entries(t, to_list(to, t.type));
        if (flags) free_array(*flags);
        return free_array(values.array);
    }
    if (given) *to.flags = adopt<std::uint8_t>(*flags, n);
    values.take(*to.values, n);
    auto* const x = reinterpret_cast<std::uint8_t*>(to.values->data());
    for (index k = 0; t.type->code == GrB_BOOL_CODE && to.flags && k < n; ++k) x[k] &= (*to.flags)[k];
    set_forms(t, {{}, std::move(to)});
}

/// An array of an object that a table shares: it is moved out after the table has become empty, or copied before if
/// others share the object.
template <class T>
class output_owner {
public:
    output_owner(buffer<T>& from, bool shared) : from_(from) {
        if (shared) copy_ = copy_of(executor(), from);
        shared_ = shared;
    }
    template <class U>
    void give(U** to, GrB_Index* size) noexcept {
        buffer<T>& array = shared_ ? copy_ : from_;
        *size = GrB_Index(array.size()) * sizeof(T);
        *to = reinterpret_cast<U*>(array.release());
    }

private:
    buffer<T>& from_;
    buffer<T> copy_;
    bool shared_;
};
/// Number of owners of values that belong to a table.
long owners_in(table const& t, void const* values) {
    return (t.data.list.values.get() == values) + (t.data.dense.values.get() == values) +
           (t.transposed.values.get() == values);
}

buffer<index> all_offsets(pattern const& where) {
    buffer<index> offsets(executor(), where.rows + 1);
    index stored_row = 0;
    for (index r = 0; r < where.rows; ++r) {
        offsets[r] = where.offsets[stored_row];
        if (stored_row < where.list.size() && where.list[stored_row] == r) ++stored_row;
    }
    offsets[where.rows] = where.entries();
    return offsets;
}
/// Where the caller wants arrays, and their sizes in bytes.
template <class T>
struct output_array {
    T** at;
    GrB_Index* size;
};
template <class T>
output_array<T> output_of(T** at, GrB_Index* size) {
    require_pointer(at, "address of an array");
    require_pointer(size, "address of the size of an array");
    return {at, size};
}

/// Moves compressed rows of a table, or of its transpose, to the caller. Without `p` the offsets are dropped.
void unpack_rows(table& t, bool transposed, output_array<GrB_Index> const* p, output_array<GrB_Index> j,
                 output_array<void> x) {
    contents const entries = oriented(t, transposed);
    contents const nothing{empty_pattern(t.rows, t.columns), make_values(0, t.type->size)};
    auto& where = const_cast<pattern&>(*entries.where);
    auto& all_values = const_cast<bytes&>(*entries.values);
    bool const shared = entries.where.use_count() > 2;
    bool const shared_values = entries.values.use_count() > 1 + owners_in(t, entries.values.get());
    buffer<index> full_offsets = p && where.hypersparse ? all_offsets(where) : buffer<index>();
    output_owner<index> offsets(p && where.hypersparse ? full_offsets : where.offsets,
                                p && shared && !where.hypersparse);
    output_owner<index> indices(where.indices, shared);
    output_owner<std::byte> values(all_values, shared_values);
    set_entries(t, nothing);
    if (p) offsets.give(p->at, p->size);
    indices.give(j.at, j.size);
    values.give(x.at, x.size);
}

/// Moves values of all positions, and flags if `b` is not null, to the caller. Without flags the table is full.
void unpack_positions(table& t, output_array<std::int8_t> const* b, output_array<void> x) {
    stored const forms = forms_of(t);
    index const n = positions_of(t);
    if (!b && forms.entries() != n)
        refuse("the table has " + std::to_string(forms.entries()) + " entries, expected one at each of " +
               std::to_string(n) + " positions");
    if (t.type->code == GrB_UDT_CODE && forms.entries() != n)
        throw failure{GrB_NOT_IMPLEMENTED, "a bitmap of a user-defined type is not available, expected a full table"};
    grid dense = forms.dense;
    if (!dense)
        dense = forms.entries() == n
                    ? grid{t.rows, t.columns, n, nullptr, std::const_pointer_cast<bytes>(forms.list.values)}
                    : to_grid(forms.list, t.type);
    contents const nothing{empty_pattern(t.rows, t.columns), make_values(0, t.type->size)};
    if (b) add_flags(dense);
    // Owners in this function are `dense` and, unless the arrays are new, `forms` and the table. If an array has more
    // owners, another object shares it, and the caller gets a copy.
    long const own = 1 + (forms.list.values == dense.values) + (forms.dense.values == dense.values);
    bool const shared = dense.values.use_count() > own + owners_in(t, dense.values.get());
    bool const shared_flags = b && dense.flags.use_count() > (forms.dense.flags == dense.flags ? 3 : 1);
    buffer<std::uint8_t> none;
    output_owner<std::uint8_t> flags(b ? *dense.flags : none, shared_flags);
    output_owner<std::byte> values(*dense.values, shared);
    set_entries(t, nothing);
    if (b) flags.give(b->at, b->size);
    values.give(x.at, x.size);
}

void set_if(bool* to) {
    if (to) *to = false;
}
GrB_Index entries_in(table& t) { return GrB_Index(entry_count(t)); }

/// Checks the length of offsets, and returns compressed rows.
packed_rows rows_of_caller(caller_array const& p, caller_array const& j, index rows, index columns, bool jumbled) {
    require_array(p, GrB_Index(rows) + 1, sizeof(index));
    index const* const offsets = p.data<index>();
    if (offsets[rows] < 0) refuse("the last offset is negative");
    return {rows, columns, offsets[rows], offsets, j, jumbled};
}

GrB_Info pack_compressed(GrB_Matrix a, bool by_column, GrB_Index** p, GrB_Index** i, void** x, GrB_Index p_size,
                         GrB_Index i_size, GrB_Index x_size, bool iso, bool jumbled, GrB_Descriptor d) {
    return guarded(a, [&] {
        require_alive(a, "matrix");
        settings const unused(d);
        caller_array const offsets = array_of(p, p_size, "array of offsets");
        caller_array const indices = array_of(i, i_size, "array of indices");
        packed_values const values{array_of(x, x_size, "array of values"), a->type->size, iso};
        if (!by_column) {
            pack_rows(*a, rows_of_caller(offsets, indices, a->rows, a->columns, jumbled), &offsets, values);
            return GrB_SUCCESS;
        }
        // Storage is by rows: the columns are transposed, and then the arrays are freed.
        packed_rows const columns = rows_of_caller(offsets, indices, a->columns, a->rows, true);
        require_array(indices, GrB_Index(columns.entries), sizeof(index));
        values.require(columns.entries);
        if (!check_rows(columns) && !jumbled) refuse("the indices of a column do not ascend, and it is not jumbled");
        contents const sorted = sorted_entries(columns, values);
        auto const made = transpose(*sorted.where);
        set_entries(*a, {made.where, gathered(*sorted.values, made.from, a->type->size)});
        free_array(offsets);
        free_array(indices);
        free_array(values.array);
        return GrB_SUCCESS;
    });
}
GrB_Info unpack_compressed(GrB_Matrix a, bool by_column, GrB_Index** p, GrB_Index** i, void** x, GrB_Index* p_size,
                           GrB_Index* i_size, GrB_Index* x_size, bool* iso, bool* jumbled, GrB_Descriptor d) {
    return guarded(a, [&] {
        require_alive(a, "matrix");
        settings const unused(d);
        auto const offsets = output_of(p, p_size);
        unpack_rows(*a, by_column, &offsets, output_of(i, i_size), output_of(x, x_size));
        set_if(iso);
        set_if(jumbled);
        return GrB_SUCCESS;
    });
}
GrB_Info pack_dense(table* t, int8_t** b, void** x, GrB_Index b_size, GrB_Index x_size, bool iso, GrB_Index entries,
                    GrB_Descriptor d, bool bitmap) {
    settings const unused(d);
    packed_values const values{array_of(x, x_size, "array of values"), t->type->size, iso};
    if (!bitmap) return pack_positions(*t, nullptr, 0, values), GrB_SUCCESS;
    caller_array const flags = array_of(b, b_size, "bitmap");
    return pack_positions(*t, &flags, entries, values), GrB_SUCCESS;
}
GrB_Info unpack_dense(table* t, int8_t** b, void** x, GrB_Index* b_size, GrB_Index* x_size, bool* iso,
                      GrB_Index* entries, GrB_Descriptor d, bool bitmap) {
    settings const unused(d);
    GrB_Index const count = entries_in(*t);
    if (bitmap) {
        require_pointer(entries, "number of entries");
        auto const flags = output_of(b, b_size);
        unpack_positions(*t, &flags, output_of(x, x_size));
        *entries = count;
    } else {
        unpack_positions(*t, nullptr, output_of(x, x_size));
    }
    set_if(iso);
    return GrB_SUCCESS;
}

} // namespace

extern "C" {

#define COPPICE_PACK(NAME, BY_COLUMN)                                                                                  \
    GrB_Info GxB_Matrix_pack_##NAME(GrB_Matrix a, GrB_Index** p, GrB_Index** i, void** x, GrB_Index p_size,            \
                                    GrB_Index i_size, GrB_Index x_size, bool iso, bool jumbled, GrB_Descriptor d) {    \
        return pack_compressed(a, BY_COLUMN, p, i, x, p_size, i_size, x_size, iso, jumbled, d);                        \
    }                                                                                                                  \
    GrB_Info GxB_Matrix_unpack_##NAME(GrB_Matrix a, GrB_Index** p, GrB_Index** i, void** x, GrB_Index* p_size,         \
                                      GrB_Index* i_size, GrB_Index* x_size, bool* iso, bool* jumbled,                  \
                                      GrB_Descriptor d) {                                                              \
        return unpack_compressed(a, BY_COLUMN, p, i, x, p_size, i_size, x_size, iso, jumbled, d);                      \
    }
COPPICE_PACK(CSR, false)
COPPICE_PACK(CSC, true)
#undef COPPICE_PACK

#define COPPICE_PACK(OBJECT, R)                                                                                        \
    GrB_Info GxB_##OBJECT##_pack_Full##R(GrB_##OBJECT a, void** x, GrB_Index x_size, bool iso, GrB_Descriptor d) {     \
        return guarded(a, [&] {                                                                                        \
            require_alive(a, "output");                                                                                \
            return pack_dense(a, nullptr, x, 0, x_size, iso, 0, d, false);                                             \
        });                                                                                                            \
    }                                                                                                                  \
    GrB_Info GxB_##OBJECT##_unpack_Full##R(GrB_##OBJECT a, void** x, GrB_Index* x_size, bool* iso, GrB_Descriptor d) { \
        return guarded(a, [&] {                                                                                        \
            require_alive(a, "operand");                                                                               \
            return unpack_dense(a, nullptr, x, nullptr, x_size, iso, nullptr, d, false);                               \
        });                                                                                                            \
    }                                                                                                                  \
    GrB_Info GxB_##OBJECT##_pack_Bitmap##R(GrB_##OBJECT a, int8_t** b, void** x, GrB_Index b_size, GrB_Index x_size,   \
                                           bool iso, GrB_Index nvals, GrB_Descriptor d) {                              \
        return guarded(a, [&] {                                                                                        \
            require_alive(a, "output");                                                                                \
            return pack_dense(a, b, x, b_size, x_size, iso, nvals, d, true);                                           \
        });                                                                                                            \
    }                                                                                                                  \
    GrB_Info GxB_##OBJECT##_unpack_Bitmap##R(GrB_##OBJECT a, int8_t** b, void** x, GrB_Index* b_size,                  \
                                             GrB_Index* x_size, bool* iso, GrB_Index* nvals, GrB_Descriptor d) {       \
        return guarded(a, [&] {                                                                                        \
            require_alive(a, "operand");                                                                               \
            return unpack_dense(a, b, x, b_size, x_size, iso, nvals, d, true);                                         \
        });                                                                                                            \
    }
COPPICE_PACK(Vector, )
COPPICE_PACK(Matrix, R)
#undef COPPICE_PACK

GrB_Info GxB_Vector_pack_CSC(GrB_Vector v, GrB_Index** i, void** x, GrB_Index i_size, GrB_Index x_size, bool iso,
                             GrB_Index nvals, bool jumbled, GrB_Descriptor d) {
    return guarded(v, [&] {
        require_alive(v, "output");
        settings const unused(d);
        caller_array const indices = array_of(i, i_size, "array of indices");
        packed_values const values{array_of(x, x_size, "array of values"), v->type->size, iso};
        if (nvals > GrB_Index(v->columns)) refuse("there are more entries than positions");
        index const offsets[2] = {0, index(nvals)};
        pack_rows(*v, {1, v->columns, index(nvals), offsets, indices, jumbled}, nullptr, values);
        return GrB_SUCCESS;
    });
}
GrB_Info GxB_Vector_unpack_CSC(GrB_Vector v, GrB_Index** i, void** x, GrB_Index* i_size, GrB_Index* x_size, bool* iso,
                               GrB_Index* nvals, bool* jumbled, GrB_Descriptor d) {
    return guarded(v, [&] {
        require_alive(v, "operand");
        settings const unused(d);
        require_pointer(nvals, "number of entries");
        GrB_Index const count = entries_in(*v);
        unpack_rows(*v, false, nullptr, output_of(i, i_size), output_of(x, x_size));
        *nvals = count;
        set_if(iso);
        set_if(jumbled);
        return GrB_SUCCESS;
    });
}

} // extern "C"
} // namespace coppice::graphblas
