// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: matrices, and products over semirings.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>

#include <coppice/algebra/files/matrix_file.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/algebra/validate.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/c/c_handles.hpp>

namespace coppice::inline v0_1::c_interface {
namespace {

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();

/// Integers of the caller, in any memory, as 32-bit integers on the host, counted from 0.
template <class I>
std::vector<std::int32_t> read_integers(any_executor const& exec, char const* name, void const* from,
                                        std::int64_t count, std::int64_t base) {
    std::vector<I> given(static_cast<std::size_t>(count));
    std::visit([&](auto const& e) { e.copy_elements(static_cast<I const*>(from), given.data(), count); }, exec);
    std::vector<std::int32_t> result(given.size());
    for (std::size_t k = 0; k < given.size(); ++k) {
        std::int64_t const value = std::int64_t(given[k]);
        if (value < base || value - base > max_index)
            refuse(std::string(name) + "[" + std::to_string(k) + "]", std::to_string(value) + ", expected " +
                                                                          std::to_string(base) + " to " +
                                                                          std::to_string(max_index + base));
        result[k] = static_cast<std::int32_t>(value - base);
    }
    return result;
}

constexpr option_row matrix_rows[] = {{.name = "storage",
                                       .kind = option_kind::choice,
                                       .standard = "copy",
                                       .meaning = "copies the arrays, or uses them where they are",
                                       .choices = {"copy", "borrow"}},
                                      {.name = "base", .standard = "0", .meaning = "number of the first row", .max = 1},
                                      {.name = "order",
                                       .kind = option_kind::choice,
                                       .standard = "rows",
                                       .meaning = "whether rows or columns are compressed",
                                       .choices = {"rows", "columns"}}};

/// The arrays as the caller passes them.
struct given_arrays {
    std::int64_t rows, columns, nonzeros;
    coppice_type_t index_type;
    void const *offsets, *indices;
    coppice_type_t value_type;
    void const* values;

    void check() const {
        require_range("rows", rows, 0, max_index - 1);
        require_range("columns", columns, 0, max_index - 1);
        require_range("nonzeros", nonzeros, 0, max_index);
        require_range("index_type", index_type, COPPICE_INT32, COPPICE_INT64);
        require_range("value_type", value_type, COPPICE_FLOAT, COPPICE_COMPLEX_DOUBLE);
        require_pointer("offsets", static_cast<char const*>(offsets), size_of(index_type));
        if (nonzeros == 0) return;
        require_pointer("indices", static_cast<char const*>(indices), size_of(index_type));
        with_type(value_type, [&]<class T>(std::type_identity<T>) {
            require_pointer("values", static_cast<char const*>(values), alignof(T));
        });
    }
    std::vector<std::int32_t> integers(any_executor const& exec, char const* name, void const* from, std::int64_t count,
                                       std::int64_t base) const {
        return index_type == COPPICE_INT32 ? read_integers<std::int32_t>(exec, name, from, count, base)
                                           : read_integers<std::int64_t>(exec, name, from, count, base);
    }
};

/// Checks offsets and columns. The values are not read, so that one instance serves all types.
template <class Executor>
void require_valid(Executor const& exec, csr_view<float> pattern) {
    validate(exec, pattern);
}

/// A pattern on the host.
struct host_pattern {
    std::vector<std::int32_t> offsets, indices;
};

/// Compresses the other dimension: returns the transposed pattern, and the position of each of its nonzeros in `from`.
std::pair<host_pattern, std::vector<std::int32_t>> transpose_pattern(host_pattern const& from, std::int32_t columns) {
    host_executor const host(1);
    std::vector<std::int32_t> positions(from.indices.size());
    std::iota(positions.begin(), positions.end(), 0);
    auto const to = transpose(host, csr_view<std::int32_t>{static_cast<std::int32_t>(from.offsets.size() - 1), columns,
                                                           static_cast<std::int32_t>(positions.size()),
                                                           from.offsets.data(), from.indices.data(), positions.data()});
    return {{to_vector(host, to.row_offsets()), to_vector(host, to.column_indices())}, to_vector(host, to.values())};
}

/// Copies the values of the caller, which may be in any memory space, to memory of the executor, in the order of the
/// entries of the stored matrix. Waits for the copy.
template <class Executor>
buffer<std::byte> copy_values(Executor const& exec, held_matrix const& m, void const* values) {
    std::size_t const size = size_of(m.type);
    std::int64_t const bytes = std::int64_t(size) * m.nonzeros;
    buffer<std::byte> to(exec, bytes);
    auto const* from = static_cast<std::byte const*>(values);
    if (m.source.empty()) {
        exec.copy_elements(from, to.data(), bytes);
        exec.synchronize();
        return to;
    }
    std::vector<std::byte> given(static_cast<std::size_t>(bytes)), ordered(given.size());
    exec.copy_elements(from, given.data(), bytes);
    for (std::size_t k = 0; k < m.source.size(); ++k)
        std::memcpy(ordered.data() + k * size, given.data() + std::size_t(m.source[k]) * size, size);
    exec.copy_elements(ordered.data(), to.data(), bytes);
    return to;
}

void set_properties(held_matrix& m) {
    m.numbers = {{"rows", m.rows}, {"columns", m.columns}, {"nonzeros", m.nonzeros}};
    m.arrays = {{"row_offsets", {COPPICE_INT32, m.offsets, std::int64_t(m.rows) + 1}},
                {"column_indices", {COPPICE_INT32, m.indices, m.nonzeros}},
                {"values", {m.type, m.values, m.nonzeros}}};
}

void own_arrays(held_matrix& m, buffer<std::int32_t> offsets, buffer<std::int32_t> indices, buffer<std::byte> values) {
    m.own_offsets = std::move(offsets);
    m.own_indices = std::move(indices);
    m.own_values = std::move(values);
    m.offsets = m.own_offsets.data();
    m.indices = m.own_indices.data();
    m.values = m.own_values.data();
    set_properties(m);
}

template <class Executor>
void copy_arrays(Executor const& exec, held_matrix& m, given_arrays const& given, std::int64_t base, bool by_columns) {
    auto const& any = m.executor->executor;
    std::int64_t const compressed = by_columns ? given.columns : given.rows;
    host_pattern pattern{given.integers(any, "offsets", given.offsets, compressed + 1, base),
                         given.integers(any, "indices", given.indices, given.nonzeros, base)};
    static constexpr float no_value = 0; // not read
    require_valid(host_executor(1), {static_cast<std::int32_t>(compressed), by_columns ? m.rows : m.columns, m.nonzeros,
                                     pattern.offsets.data(), pattern.indices.data(), &no_value});
    if (by_columns) std::tie(pattern, m.source) = transpose_pattern(pattern, m.rows);
    auto values = copy_values(exec, m, given.values);
    own_arrays(m, exec.copy(pattern.offsets), exec.copy(pattern.indices), std::move(values));
}

template <class Executor>
void borrow_arrays(Executor const& exec, held_matrix& m, given_arrays const& given) {
    auto const& any = m.executor->executor;
    require_accessible(any, "offsets", given.offsets, given.rows + 1, size_of(COPPICE_INT32));
    require_accessible(any, "indices", given.indices, given.nonzeros, size_of(COPPICE_INT32));
    require_accessible(any, "values", given.values, given.nonzeros, 1);
    m.borrows = true;
    m.offsets = static_cast<std::int32_t const*>(given.offsets);
    m.indices = static_cast<std::int32_t const*>(given.indices);
    m.values = given.values;
    require_valid(exec, m.view<float>());
    set_properties(m);
}

std::shared_ptr<held_matrix> make_matrix(std::shared_ptr<held_executor> exec, given_arrays const& given,
                                         char const* options) {
    given.check();
    auto const chosen = options_of("coppice_matrix_create", matrix_rows, options);
    bool const borrows = chosen.choice("storage") == 1, by_columns = chosen.choice("order") == 1;
    std::int64_t const base = chosen.integer("base");
    if (borrows && (given.index_type != COPPICE_INT32 || base != 0 || by_columns))
        throw argument_error("storage=borrow is for COPPICE_INT32, base=0 and order=rows; use storage=copy");
    auto m = std::make_shared<held_matrix>();
    m->executor = std::move(exec);
    m->type = given.value_type;
    m->rows = static_cast<std::int32_t>(given.rows);
    m->columns = static_cast<std::int32_t>(given.columns);
    m->nonzeros = static_cast<std::int32_t>(given.nonzeros);
    std::visit(
        [&](auto const& e) {
            if (borrows)
                borrow_arrays(e, *m, given);
            else
                copy_arrays(e, *m, given, base, by_columns);
        },
        m->executor->executor);
    return m;
}

constexpr option_row read_rows[] = {
    {.name = "duplicates",
     .kind = option_kind::choice,
     .standard = "sum",
     .meaning = "how entries at the same position are combined",
     .choices = {"sum", "min", "max", "first", "last", "count"}}, // in the order of enum duplicates
    {.name = "renumber", .standard = "0", .meaning = "1: vertices of an edge list have names", .max = 1}};

/// The matrix of a file or generator, on the host.
template <class T>
csr<T> load_matrix(host_executor const& host, char const* path, matrix_read_options options) {
    if (!names_generator(path)) return read_matrix<T>(host, path, std::move(options));
    if constexpr (std::is_floating_point_v<T>) {
        auto const request = parse_generator(path);
        return generate<T>(host, request.kind, request.options);
    } else {
        refuse("value_type", "complex, expected COPPICE_FLOAT or COPPICE_DOUBLE for a generator");
    }
}

/// The same bytes, owned by the same memory resource.
template <class T>
buffer<std::byte> bytes_of(buffer<T> from) {
    auto const memory = from.memory();
    std::int64_t const bytes = from.size() * std::int64_t(sizeof(T));
    return buffer<std::byte>::adopt(memory, reinterpret_cast<std::byte*>(from.release()), bytes);
}

std::shared_ptr<held_matrix> read_matrix_of(std::shared_ptr<held_executor> exec, char const* path, coppice_type_t type,
                                            char const* options) {
    require_pointer("path", path);
    auto const chosen = options_of("coppice_matrix_read", read_rows, options);
    matrix_read_options const how{.duplicates = duplicates(chosen.choice("duplicates")),
                                  .renumber = chosen.integer("renumber") == 1};
    auto m = std::make_shared<held_matrix>();
    m->executor = std::move(exec);
    m->type = type;
    auto const keep = [&]<class T>(csr<T> a) {
        m->rows = a.rows();
        m->columns = a.columns();
        m->nonzeros = a.nonzeros();
        auto arrays = std::move(a).release();
        own_arrays(*m, std::move(arrays.offsets), std::move(arrays.indices), bytes_of(std::move(arrays.values)));
    };
    with_type(type, [&]<class T>(std::type_identity<T>) {
        std::visit(
            [&]<class Executor>(Executor const& e) {
                if constexpr (std::is_same_v<Executor, host_executor>)
                    keep(load_matrix<T>(e, path, how));
                else
                    keep(e.copy(load_matrix<T>(host_executor(), path, how)));
            },
            m->executor->executor);
    });
    return m;
}

void set_values(held_matrix& m, void const* values, std::int64_t count) {
    require_size("count", count, m.nonzeros);
    if (count == 0) return;
    with_type(m.type, [&]<class T>(std::type_identity<T>) {
        require_pointer("values", static_cast<char const*>(values), alignof(T));
    });
    if (m.borrows) {
        require_accessible(m.executor->executor, "values", values, count, 1);
        m.values = values;
    } else {
        m.own_values = std::visit([&](auto const& e) { return copy_values(e, m, values); }, m.executor->executor);
        m.values = m.own_values.data();
    }
    set_properties(m);
}

/// The plan of the matrix; it depends on the pattern and the size of a nonzero only.
srcsr_plan<std::int32_t> const& plan_of(held_matrix& m) {
    if (!m.plan)
        std::visit(
            [&](auto const& e) {
                m.plan.emplace(make_srcsr_plan(e, m.view<float>(),
                                               {.nonzero_bytes = int(size_of(m.type) + sizeof(std::int32_t))}));
            },
            m.executor->executor);
    return *m.plan;
}

template <class T>
T scalar_of(char const* name, void const* p, T standard) {
    if (!p) return standard;
    require_pointer(name, static_cast<char const*>(p), alignof(T));
    return *static_cast<T const*>(p);
}

void multiply(held_matrix& m, std::string_view semiring, void const* x, std::int64_t x_length, void* y,
              std::int64_t y_length, void const* alpha, void const* beta) {
    require_size("x_length", x_length, m.columns);
    require_size("y_length", y_length, m.rows);
    bool const usual = semiring == "plus-times";
    if (!usual && (alpha || beta))
        refuse(alpha ? "alpha" : "beta", "not NULL, expected NULL for the semiring \"" + std::string(semiring) + "\"");
    auto const& plan = plan_of(m);
    with_matrix(m, [&]<class Executor, class T>(Executor const& exec, csr_view<T> a) {
        auto const from = vector_of<T const>(*m.executor, "x", x, x_length);
        auto const to = vector_of<T>(*m.executor, "y", y, y_length);
        if (usual)
            spmv(exec, plan, a, from, to, scalar_of("alpha", alpha, T(1)), scalar_of("beta", beta, T(0)));
        else if constexpr (std::is_floating_point_v<T>)
            semiring_spmv(exec, plan, semiring, a, from, to);
        else
            refuse("semiring", "\"" + std::string(semiring) + "\", expected \"plus-times\" for a complex matrix");
    });
}

} // namespace
} // namespace coppice::inline v0_1::c_interface

using namespace coppice::c_interface;

coppice_status_t coppice_matrix_create(coppice_executor_t executor, int64_t rows, int64_t columns, int64_t nonzeros,
                                       coppice_type_t index_type, void const* offsets, void const* indices,
                                       coppice_type_t value_type, void const* values, char const* options,
                                       coppice_matrix_t* matrix) {
    return guarded("coppice_matrix_create", [&] {
        require_pointer("matrix", matrix);
        given_arrays const given{rows, columns, nonzeros, index_type, offsets, indices, value_type, values};
        give_handle(matrix, make_matrix(find_handle<held_executor>("executor", executor), given, options));
    });
}

coppice_status_t coppice_matrix_read(coppice_executor_t executor, char const* path, coppice_type_t value_type,
                                     char const* options, coppice_matrix_t* matrix) {
    return guarded("coppice_matrix_read", [&] {
        require_pointer("matrix", matrix);
        auto exec = find_handle<held_executor>("executor", executor);
        give_handle(matrix, read_matrix_of(std::move(exec), path, value_type, options));
    });
}

coppice_status_t coppice_matrix_set_values(coppice_matrix_t matrix, void const* values, int64_t count) {
    return guarded("coppice_matrix_set_values",
                   [&] { set_values(*find_handle<held_matrix>("matrix", matrix), values, count); });
}

coppice_status_t coppice_spmv(coppice_matrix_t matrix, char const* semiring, void const* x, int64_t x_length, void* y,
                              int64_t y_length, void const* alpha, void const* beta) {
    return guarded("coppice_spmv", [&] {
        auto const m = find_handle<held_matrix>("matrix", matrix);
        require_pointer("semiring", semiring);
        multiply(*m, semiring, x, x_length, y, y_length, alpha, beta);
    });
}
