// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations on tables that are stored by position: bitmap and full form. Their cost is that of the list of entries
/// where one operand is a list, otherwise one pass over the positions.
#pragma once

#include <optional>

#include "values.hpp"

namespace coppice::graphblas {

/// Whether the form by position takes a bounded multiple of the memory of the entries.
bool suits_grid(GrB_Type type, index rows, index columns, index entries);
/// Returns a grid without entries, or of `full` form, whose values are zero.
grid make_grid(index rows, index columns, std::size_t size, bool full);
grid to_grid(contents const& from, GrB_Type type);
contents to_list(grid const& from, GrB_Type type);
grid constant_grid(index rows, index columns, GrB_Type type, void const* value);
/// Returns the transpose; values have `size` bytes.
grid transposed_grid(grid const& from, std::size_t size);
/// Returns the grid with values of another type; it shares the flags.
grid grid_as_type(GrB_Type to, GrB_Type from, grid const& values);
/// Makes this the only owner of its arrays.
void make_unique(grid& of);
/// Gives a full grid flags.
void add_flags(grid& of);
/// Counts flags.
index count_flags(std::uint8_t const* flags, index n);

/// A mask by position. Without flags it admits all positions, or none if it is complemented.
struct position_mask {
    std::uint8_t const* flags = nullptr;
    bool complement = false;
    std::shared_ptr<buffer<std::uint8_t> const> owner = {}; ///< of `flags`, which are 0 or 1
    bool admits(index k) const { return flags ? (flags[k] != 0) != complement : !complement; }
};
/// Flags of positions with an entry, and if `by_value` a value that is not zero; null: all positions.
std::shared_ptr<buffer<std::uint8_t> const> flags_of(stored const& mask, GrB_Type type, bool by_value);

/// Values to write in the type of the output: of a list, of a grid, or one value for all positions.
struct source_values {
    contents const* list = nullptr;
    grid const* dense = nullptr;
    void const* single = nullptr;
};
/// Whether update_grid() applies: the accumulator has one predefined type, that of the output.
bool has_grid_update(GrB_Type c, GrB_BinaryOp accum);
/// C<mask> = accum(C, T) in place, at entries of a mask that is a list and not complemented.
void update_at_mask(grid& c, std::size_t size, mask_view const& mask, GrB_BinaryOp accum, source_values const& t);
/// C<mask> = accum(C, T) in place, at the entries of T, with an accumulator and without GrB_REPLACE.
/// `flipped`: accum(T, C).
void update_at_source(grid& c, std::size_t size, position_mask const& mask, GrB_BinaryOp accum, contents const& t,
                      bool flipped = false);
/// C(positions) = accum(C(positions), T) in place for a row T with a value for each of these positions, which are
/// distinct.
void update_at_positions(grid& c, std::size_t size, index const* positions, GrB_BinaryOp accum, grid const& t);
/// C<mask> = accum(C, T) in place, at all positions. T is not a list.
void update_all(grid& c, std::size_t size, position_mask const& mask, GrB_BinaryOp accum, bool replace,
                source_values const& t);

/// Returns the entries that the mask admits.
grid masked_grid(grid const& from, position_mask const& mask);
contents masked_list(contents const& from, GrB_Type type, position_mask const& mask);
/// Returns the entries of the grid at entries of a mask that is not complemented.
contents grid_at_list(grid const& from, GrB_Type type, mask_view const& mask);
/// T = op(x, y) at positions of both, or of one of them if `add`. The operands have the types of the operator.
grid combine_grids(GrB_BinaryOp op, grid const& x, grid const& y, bool add);
/// T = op(x, y) with one value for an operand.
grid combine_bound(GrB_BinaryOp op, grid const& a, void const* bound, bool first);
/// T = op(x, y) at entries of the list and of the grid. `flipped`: the list is y.
contents combine_list_with_grid(GrB_BinaryOp op, contents const& list, GrB_Type list_type, grid const& dense,
                                GrB_Type dense_type, bool flipped, bool vector);
grid apply_to_grid(GrB_UnaryOp op, GrB_Type type, grid const& a);
/// Whether apply_to_grid() applies to a grid of values of a type.
bool runs_by_position(GrB_IndexUnaryOp op, GrB_Type type);
grid apply_to_grid(GrB_IndexUnaryOp op, grid const& a, void const* s, bool vector);
/// Returns the entries with a nonzero value in a grid of the same entries, of a type of one byte.
grid selected_grid(grid const& a, grid const& keep);
/// Returns the entries at the given positions of a row.
grid gather_grid(grid const& from, std::size_t size, index const* positions, index count);
/// Folds the entries of each column of a full grid, in the order of the rows: a full row.
grid fold_columns(GrB_BinaryOp op, grid const& a);
/// Values in which positions without an entry have the identity.
std::shared_ptr<bytes const> values_with_identity(grid const& a, std::size_t size, void const* identity);

} // namespace coppice::graphblas
