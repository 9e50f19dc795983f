// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Submatrices and composition of sparse matrices: extract, assign, subassign, resize, concat, split, kronecker, diag.
#pragma once

#include <vector>

#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class T, class I, class O>
struct selected_row_length {
    csr_view<T, I, O> a;
    index_map<I> rows;
    COPPICE_HD std::int64_t operator()(std::int64_t r) const {
        return std::int64_t(a.row_end(rows.at(r))) - std::int64_t(a.row_begin(rows.at(r)));
    }
};

/// Row r of A(rows, columns): the entries of row rows[r], at every position of their column in the list of columns.
template <class T, class I, class O>
struct extracted_rows {
    csr_view<T, I, O> a;
    index_map<I> rows, columns;
    std::int64_t entries; ///< of the selected rows
    std::int64_t work() const { return entries; }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t r, Emit& emit) const {
        std::int64_t const i = rows.at(r);
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const column = a.indices[k];
            if (!columns.sorted) {
                emit(std::int64_t(column), a.coefficients[k]);
                continue;
            }
            auto p = columns.find(column);
            if (columns.distinct)
                emit.when(p >= 0, std::int64_t(columns.positions[p >= 0 ? p : 0]), a.coefficients[k]);
            else if (p >= 0)
                for (; p < columns.count && columns.sorted[p] == column; ++p)
                    emit(std::int64_t(columns.positions[p]), a.coefficients[k]);
        }
    }
};

/// Maps column indices of A through a list.
template <class I>
struct mapped_columns {
    I const* list; ///< null for all
    I const* positions;
    COPPICE_HD I operator[](std::int64_t k) const { return list ? list[positions[k]] : positions[k]; }
};
/// View of the matrix that has the entries of A at (rows[r], columns[c]) and no others, with the interface of a
/// csr_view; its columns are sorted.
template <class T, class I, class O>
struct embedded_view {
    csr_view<T, I, O> a;
    index_map<I> rows;
    mapped_columns<I> indices;
    T const* coefficients = a.coefficients;

    COPPICE_HD O nonzeros() const { return a.nonzeros(); }
    COPPICE_HD O row_begin(std::int64_t i) const { return at(i, 0); }
    COPPICE_HD O row_end(std::int64_t i) const { return at(i, 1); }

private:
    COPPICE_HD O at(std::int64_t i, int next) const {
        if (!rows.sorted) return a.offsets[i + next];
        std::int64_t const p = rows.find(i);
        return p < 0 ? O(0) : a.offsets[rows.positions[p] + next];
    }
};

/// Row i of the matrix that has the entries of A at (rows[r], columns[c]) and no others.
template <class T, class I, class O>
struct embedded_rows {
    csr_view<T, I, O> a;
    index_map<I> rows, columns;
    std::int64_t work() const { return a.nonzeros(); }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        std::int64_t r = i;
        if (rows.sorted) {
            auto const p = rows.find(i);
            if (p < 0) return;
            r = rows.positions[p];
        }
        for (O k = a.row_begin(r); k < a.row_end(r); ++k) emit(columns.at(a.indices[k]), a.coefficients[k]);
    }
};

template <class I>
struct set_flags {
    I const* list;
    std::int8_t* flags;
    COPPICE_HD void operator()(std::int64_t k) const { flags[list[k]] = 1; }
};

/// Returns flags that are 1 for the listed indices of [0, bound); empty if all are listed.
template <executor Executor, class I>
buffer<std::int8_t> flags_of(Executor const& exec, index_map<I> const& map, std::int64_t bound) {
    if (!map.sorted) return {};
    buffer<std::int8_t> flags(exec, std::max<std::int64_t>(bound, 1));
    fill(exec, flags.view(), std::int8_t{0});
    for_each(exec, map.count, set_flags<I>{map.sorted, flags.data()});
    return flags;
}

/// Constant value at every admitted position of the region.
template <class T, class I, class Mask>
struct constant_rows {
    T value;
    std::int64_t columns;
    Mask mask;
    region inside;
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        if (inside.rows && inside.rows[i] == 0) return;
        if constexpr (is_matrix_mask_v<Mask>) {
            if (!mask.complement) {
                for (auto k = mask.m.row_begin(i); k < mask.m.row_end(i); ++k)
                    if (mask.counts(k) && inside.has(i, mask.m.indices[k]))
                        emit(std::int64_t(mask.m.indices[k]), value);
                return;
            }
        }
        auto cursor = mask.row(i);
        for (std::int64_t j = 0; j < columns; ++j)
            if (inside.has(i, j) && cursor.admits(j)) emit(j, value);
    }
};

template <class Rows>
decltype(auto) as_list(Rows const& list) {
    if constexpr (std::is_same_v<Rows, all_indices>)
        return (list);
    else
        return array_view(list);
}

/// Rows and columns of an assignment: their lists, and a flag for each covered index.
template <class I>
class assigned_submatrix {
public:
    template <executor Executor, class Rows, class Columns>
    assigned_submatrix(Executor const& exec, Rows const& rows, Columns const& columns, I row_count, I column_count)
        : row_count_(row_count), column_count_(column_count), rows_(exec, as_list(rows), row_count, "row"),
          columns_(exec, as_list(columns), column_count, "column"), row_map_(rows_.map_for(exec, row_count)),
          row_flags_(flags_of(exec, rows_.map(), row_count)),
          column_flags_(flags_of(exec, columns_.map(), column_count)) {}

    region covered(bool mask_inside_only) const { return {row_flags_.data(), column_flags_.data(), mask_inside_only}; }

    /// Throws argument_error for an index that occurs twice, dimension_error unless `a` has the shape of the submatrix.
    template <class T, class O>
    void require_source(csr_view<T, I, O> a) const {
        require_arrays(a);
        rows_.require_distinct("rows");
        columns_.require_distinct("columns");
        require_size("rows that are assigned", a.rows(), rows_.map().size());
        require_size("columns that are assigned", a.columns(), columns_.map().size());
    }

    /// Calls write(t) with the matrix of full shape that has the entries of `a` in this submatrix and no others. It is
    /// a view of `a` if the column list is sorted, otherwise a new matrix.
    template <executor Executor, class T, class O, class Write>
    auto with_embedded(Executor const& exec, csr_view<T, I, O> a, Write const& write) const {
        if (columns_.is_increasing())
            return write(embedded_view<T, I, O>{a, row_map_, {columns_.map().list, a.indices}});
        auto const made = embed(exec, a);
        return write(made.view());
    }
    /// Returns that matrix.
    template <executor Executor, class T, class O>
    csr<T, I, O> embed(Executor const& exec, csr_view<T, I, O> a) const {
        embedded_rows<T, I, O> const lanes{a, row_map_, columns_.map()};
        return columns_.is_increasing() ? build_rows<T, I, O>(exec, row_count_, column_count_, lanes)
                                        : build_sorted_rows<T, I, O>(exec, row_count_, column_count_, lanes);
    }

private:
    I row_count_, column_count_;
    prepared_list<I> rows_, columns_;
    index_map<I> row_map_;
    buffer<std::int8_t> row_flags_, column_flags_;
};

} // namespace detail

/// Returns A(rows, columns) (GrB_extract): lists of indices in any order, with repetition, or all_indices{}. Throws
/// argument_error for an index outside the matrix.
template <executor Executor, class T, class I, class O, class Rows, class Columns>
csr<T, I, O> extract(Executor const& exec, csr_view<T, I, O> a, Rows const& rows, Columns const& columns) {
    require_arrays(a);
    detail::prepared_list<I> r(exec, detail::as_list(rows), a.rows(), "row"),
        c(exec, detail::as_list(columns), a.columns(), "column");
    std::int64_t const entries = r.map().list ? reduce(exec, r.map().size(), std::int64_t{0},
                                                       detail::selected_row_length<T, I, O>{a, r.map()}, plus{})
                                              : std::int64_t(a.nonzeros());
    detail::extracted_rows<T, I, O> const lanes{a, r.map(), c.map_for(exec, entries), entries};
    I const m = static_cast<I>(r.map().size()), n = static_cast<I>(c.map().size());
    return c.is_increasing() ? detail::build_rows<T, I, O>(exec, m, n, lanes)
                             : detail::build_sorted_rows<T, I, O>(exec, m, n, lanes);
}

/// C<mask>(rows, columns) = C(rows, columns) ⊙ A (GrB_assign): the mask has the shape of C; `replace` deletes
/// masked-out entries in all of C. Throws argument_error for an index that occurs twice in a list.
template <executor Executor, class C, class T, class I, class O, class Mask, class Accumulator, class Rows,
          class Columns>
void assign(Executor const& exec, csr<C, I, O>& c, Mask const& mask, Accumulator const& accumulator,
            csr_view<T, I, O> a, Rows const& rows, Columns const& columns, descriptor const& d = {}) {
    auto const m = detail::view_of_mask(mask);
    detail::require_shape(m, c.rows(), c.columns());
    detail::assigned_submatrix<I> const submatrix(exec, rows, columns, c.rows(), c.columns());
    submatrix.require_source(a);
    c = submatrix.with_embedded(exec, a, [&](auto const& t) {
        return detail::write_rows(exec, c.view(), detail::mask_of(m, d), accumulator, t, d.replace,
                                  submatrix.covered(false));
    });
}

/// `C(rows, columns)<mask> = C(rows, columns) ⊙ A` (GxB_subassign): the mask has the shape of A, and entries outside
/// the rows and columns do not change.
template <executor Executor, class C, class T, class I, class O, class Mask, class Accumulator, class Rows,
          class Columns>
void subassign(Executor const& exec, csr<C, I, O>& c, Mask const& mask, Accumulator const& accumulator,
               csr_view<T, I, O> a, Rows const& rows, Columns const& columns, descriptor const& d = {}) {
    auto const m = detail::view_of_mask(mask);
    detail::require_shape(m, a.rows(), a.columns());
    detail::assigned_submatrix<I> const submatrix(exec, rows, columns, c.rows(), c.columns());
    submatrix.require_source(a);
    auto const inside = submatrix.covered(true);
    auto const written = [&](auto const& mask_of_c) {
        return submatrix.with_embedded(exec, a, [&](auto const& t) {
            return detail::write_rows(exec, c.view(), detail::mask_of(mask_of_c, d), accumulator, t, d.replace, inside);
        });
    };
    if constexpr (std::is_same_v<std::remove_const_t<decltype(m)>, no_mask>) {
        c = written(m);
    } else {
        auto const wide = submatrix.embed(exec, m);
        c = written(wide.view());
    }
}

/// C<mask>(rows, columns) = C(rows, columns) ⊙ value, at every position that the mask admits (GrB_assign of a scalar).
/// The cost is that of the mask's entries if it is not complemented, otherwise that of all positions of rows and
/// columns.
template <executor Executor, class C, class T, class I, class O, class Mask, class Accumulator, class Rows,
          class Columns>
requires std::is_convertible_v<T, C>
void assign_scalar(Executor const& exec, csr<C, I, O>& c, Mask const& mask, Accumulator const& accumulator, T value,
                   Rows const& rows, Columns const& columns, descriptor const& d = {}) {
    auto const m = detail::view_of_mask(mask);
    detail::require_shape(m, c.rows(), c.columns());
    detail::assigned_submatrix<I> const submatrix(exec, rows, columns, c.rows(), c.columns());
    auto const inside = submatrix.covered(false);
    auto const reader = detail::mask_of(m, d);
    auto const t = detail::build_rows<T, I, O>(
        exec, c.rows(), c.columns(),
        detail::constant_rows<T, I, std::remove_const_t<decltype(reader)>>{value, c.columns(), reader, inside});
    c = detail::write_rows(exec, c.view(), reader, accumulator, t.view(), d.replace, inside);
}

namespace detail {

/// Rows from first_row on and columns [first_column, last_column) of A, shifted to begin at 0; rows outside A are
/// empty.
template <class T, class I, class O>
struct window_rows {
    csr_view<T, I, O> a;
    std::int64_t first_row, first_column, last_column;
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t r, Emit& emit) const {
        std::int64_t const i = first_row + r;
        if (i >= a.rows()) return;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            if (std::int64_t const j = a.indices[k]; j >= first_column && j < last_column)
                emit(j - first_column, a.coefficients[k]);
    }
};

template <class A, class B, class I, class O, class Op>
struct kronecker_rows {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Op op;
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        std::int64_t const ia = i / b.rows(), ib = i % b.rows();
        for (O p = a.row_begin(ia); p < a.row_end(ia); ++p)
            for (O q = b.row_begin(ib); q < b.row_end(ib); ++q) {
                std::int64_t const column = std::int64_t(a.indices[p]) * b.columns() + b.indices[q];
                if constexpr (is_positional_v<Op>)
                    emit(column, op(a.coefficients[p], b.coefficients[q],
                                    element_positions{ia, a.indices[p], ib, b.indices[q]}));
                else
                    emit(column, apply(op, a.coefficients[p], b.coefficients[q], column));
            }
    }
};

template <class T>
struct diagonal_rows {
    dense_vector_view<T const> v;
    std::int64_t k;
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        std::int64_t const at = k >= 0 ? i : i + k;
        if (at >= 0 && at < v.size() && v.has(at)) emit(i + k, v.values[at]);
    }
};

/// Copies row i of a tile into the composed matrix.
template <class T, class I, class O>
struct tile_row {
    csr_view<T, I, O> tile;
    std::int64_t first_column;
    O* next;
    I* indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t i) const {
        O to = next[i];
        for (O k = tile.row_begin(i); k < tile.row_end(i); ++k, ++to) {
            indices[to] = static_cast<I>(first_column + tile.indices[k]);
            values[to] = tile.coefficients[k];
        }
        next[i] = to;
    }
};
template <class T, class I, class O>
struct add_tile_length {
    csr_view<T, I, O> tile;
    std::int64_t* lengths;
    COPPICE_HD void operator()(std::int64_t i) const {
        lengths[i] += std::int64_t(tile.row_end(i)) - std::int64_t(tile.row_begin(i));
    }
};

} // namespace detail

/// Returns A with another size; entries outside it are dropped (GrB_Matrix_resize).
template <executor Executor, class T, class I, class O>
csr<T, I, O> resize(Executor const& exec, csr_view<T, I, O> a, I rows, I columns) {
    require_arrays(a);
    if (rows < 0 || columns < 0) throw argument_error("resize: a matrix has no negative size");
    return detail::build_rows<T, I, O>(exec, rows, columns, detail::window_rows<T, I, O>{a, 0, 0, columns});
}

/// Returns the Kronecker product with ⊗ = op (GrB_kronecker). Throws overflow_error if a size does not fit.
template <executor Executor, class Op, class A, class B, class I, class O>
auto kronecker(Executor const& exec, Op const& op, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    require_arrays(a);
    require_arrays(b);
    auto const product = [](auto to, std::int64_t x, std::int64_t y, char const* what) {
        return checked_cast<decltype(to)>(checked_product(x, y, what), what);
    };
    I const rows = product(I(), a.rows(), b.rows(), "rows of a Kronecker product");
    I const columns = product(I(), a.columns(), b.columns(), "columns of a Kronecker product");
    product(O(), a.nonzeros(), b.nonzeros(), "entries of a Kronecker product");
    using Z = detail::operator_result_t<Op, A, B>;
    return detail::build_rows<Z, I, O>(exec, rows, columns, detail::kronecker_rows<A, B, I, O, Op>{a, b, op});
}

/// Returns the square matrix with the entries of v on diagonal k (above the main diagonal if k > 0; GrB_Matrix_diag).
template <class I = std::int32_t, class O = I, executor Executor, class T>
csr<std::remove_const_t<T>, I, O> diag(Executor const& exec, dense_vector_view<T> v, std::int64_t k = 0) {
    using U = std::remove_const_t<T>;
    char const* const what = "rows of a diagonal matrix";
    I const n = checked_cast<I>(checked_sum(v.size(), k < 0 ? checked_product(k, -1, what) : k, what), what);
    return detail::build_rows<U, I, O>(exec, n, n, detail::diagonal_rows<U>{v, k});
}

/// Composes one matrix from tiles in row-major order (GxB_Matrix_concat). Heights must agree along a row of tiles,
/// widths along a column (dimension_error).
template <executor Executor, class T, class I, class O>
csr<T, I, O> concat(Executor const& exec, std::vector<csr_view<T, I, O>> const& tiles, std::size_t tile_columns) {
    if (tile_columns == 0 || tiles.empty() || tiles.size() % tile_columns != 0)
        throw argument_error("concat: " + std::to_string(tiles.size()) + " tiles do not fill rows of " +
                             std::to_string(tile_columns));
    std::int64_t rows = 0, columns = 0;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        require_arrays(tiles[t]);
        require_size("rows of tile " + std::to_string(t), tiles[t].rows(), tiles[t - t % tile_columns].rows());
        require_size("columns of tile " + std::to_string(t), tiles[t].columns(), tiles[t % tile_columns].columns());
        if (t % tile_columns == 0) rows = checked_sum(rows, tiles[t].rows(), "rows of a composed matrix");
        if (t < tile_columns) columns = checked_sum(columns, tiles[t].columns(), "columns of a composed matrix");
    }
    I const row_count = checked_cast<I>(rows, "rows of a composed matrix");
    I const column_count = checked_cast<I>(columns, "columns of a composed matrix");
    buffer<std::int64_t> lengths(exec, rows);
    fill(exec, lengths.view(), std::int64_t{0});
    auto const each = [&](auto const& body) {
        std::int64_t row = 0, column = 0;
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            body(tiles[t], row, column);
            column += tiles[t].columns();
            if ((t + 1) % tile_columns != 0) continue;
            row += tiles[t].rows();
            column = 0;
        }
    };
    each([&](csr_view<T, I, O> tile, std::int64_t row, std::int64_t) {
        for_each(exec, tile.rows(), detail::add_tile_length<T, I, O>{tile, lengths.data() + row});
    });
    buffer<O> offsets(exec, rows + 1);
    std::int64_t const total = exclusive_scan(exec, rows, detail::stored_degree<std::int64_t>{lengths.data()},
                                              detail::store_offset<O>{offsets.data()}, std::int64_t{0});
    fill(exec, offsets.view().slice(rows, 1), checked_cast<O>(total, "entries of a composed matrix"));
    buffer<I> indices(exec, total);
    buffer<T> values(exec, total);
    buffer<O> next = copy_of(exec, offsets.view());
    each([&](csr_view<T, I, O> tile, std::int64_t row, std::int64_t column) {
        for_each(exec, tile.rows(),
                 detail::tile_row<T, I, O>{tile, column, next.data() + row, indices.data(), values.data()});
    });
    return {row_count, column_count, std::move(offsets), std::move(indices), std::move(values)};
}

/// Splits A into tiles of these heights and widths, in row-major order (GxB_Matrix_split). Throws dimension_error
/// unless they add up to the size of A.
template <executor Executor, class T, class I, class O>
std::vector<csr<T, I, O>> split(Executor const& exec, csr_view<T, I, O> a, std::vector<I> const& heights,
                                std::vector<I> const& widths) {
    std::int64_t rows = 0, columns = 0;
    for (I const h : heights) rows = checked_sum(rows, h, "sum of the tile heights");
    for (I const w : widths) columns = checked_sum(columns, w, "sum of the tile widths");
    require_arrays(a);
    require_size("sum of the tile heights", rows, a.rows());
    require_size("sum of the tile widths", columns, a.columns());
    std::vector<csr<T, I, O>> tiles;
    std::int64_t row = 0;
    for (I const h : heights) {
        std::int64_t column = 0;
        for (I const w : widths) {
            if (h < 0 || w < 0) throw argument_error("split: a tile has no negative size");
            tiles.push_back(
                detail::build_rows<T, I, O>(exec, h, w, detail::window_rows<T, I, O>{a, row, column, column + w}));
            column += w;
        }
        row += h;
    }
    return tiles;
}

} // namespace coppice::inline v0_1
