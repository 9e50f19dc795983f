// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Structural phase of the operations: where the entries of a result are, and which entries of the operands they come
/// from. It does not depend on value types, so that the sparse operations of the library are instantiated once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::graphblas {

using index = std::int64_t;
using bytes = buffer<std::byte>;

host_executor const& executor();

/// What the device has of a pattern, which does not change after tables share it. A pattern that is made of another one
/// has none.
class device_copy {
public:
    device_copy() = default;
    device_copy(device_copy&&) noexcept {}
    device_copy& operator=(device_copy&&) noexcept {
        what = {};
        return *this;
    }
    std::shared_ptr<void const> what = {};
};

/// Positions of the entries of a rows x columns matrix, sorted by row and column. If `hypersparse`, only the rows of
/// `list` have entries and offsets; otherwise all rows have offsets. A vector of size n is a 1 x n matrix.
struct pattern {
    index rows = 0, columns = 0;
    bool hypersparse = false;
    buffer<index> list, offsets, indices;
    mutable device_copy on_device = {}; ///< for device/forms.cpp, which has a mutex for it

    index entries() const { return indices.size(); }
    index stored_rows() const { return hypersparse ? list.size() : rows; }
    index row(index stored) const { return hypersparse ? list[stored] : stored; }
    /// Whether it has an entry at every position of its only row.
    bool is_full_row() const { return rows == 1 && !hypersparse && indices.size() == columns; }
};
using pattern_pointer = std::shared_ptr<pattern const>;

pattern_pointer empty_pattern(index rows, index columns);
/// Returns the position of entry (row, column), -1 if there is none.
index find_entry(pattern const& a, index row, index column);

/// Entries of two operands that an entry of a result comes from; -1: none.
struct source {
    index first = -1, second = -1;
};
struct merged {
    pattern_pointer where;
    buffer<source> from;
};
/// Result with one operand.
struct gathered_entries {
    pattern_pointer where;
    buffer<index> from;
};

/// Mask of an operation. Without `where` it admits every position.
struct mask_view {
    pattern const* where = nullptr;
    std::uint8_t const* values = nullptr; ///< null: structural
    bool complement = false;
    pattern_pointer owner = {}; ///< of `where`
    bool is_absent() const { return !where && !complement; }
};

/// A list of indices; null: all. The pointer of an empty list is not null.
struct index_list {
    index_list() = default;
    index_list(index const* list, index length) : indices(list), count(length) {}
    explicit index_list(std::vector<index> const& list) : count(index(list.size())) {
        static index const nothing = 0;
        indices = list.empty() ? &nothing : list.data();
    }
    index const* indices = nullptr;
    index count = 0; ///< of a list
};

/// Whether every index is larger than the one before; also for all.
bool ascends(index_list list);
/// Whether no index occurs twice; all are below `bound`.
bool is_distinct(index_list list, index bound);

/// Entry of a list at ascending positions.
class list_search {
public:
    explicit list_search(pattern const& where) : where_(where) {}
    /// Returns the entry at row and column, -1 if there is none. Not before the position of the call before.
    index find(index row, index column);

private:
    pattern const& where_;
    index stored_ = 0, row_ = -1, next_ = 0, end_ = 0;
};

merged unite(pattern const& a, pattern const& b);
merged intersect(pattern const& a, pattern const& b);
/// C<mask> = C ⊙ T: sources are entries of C and T.
merged write(pattern const& c, pattern const& t, mask_view const& mask, bool accumulate, bool replace);
/// C<mask>(rows, columns) = C(rows, columns) ⊙ A; the mask has the shape of C.
merged assign(pattern const& c, pattern const& a, index_list rows, index_list columns, mask_view const& mask,
              bool accumulate, bool replace);
/// As assign(), with one value for all positions: `second` is 0 where it is assigned.
merged assign_value(pattern const& c, index_list rows, index_list columns, mask_view const& mask, bool accumulate,
                    bool replace);
gathered_entries extract(pattern const& a, index_list rows, index_list columns);
gathered_entries transpose(pattern const& a);
/// Returns the transpose with its values, of `size` bytes: a copy if it has one row or column.
std::pair<pattern_pointer, std::shared_ptr<bytes>> transposed_values(pattern const& a, bytes const& values,
                                                                     std::size_t size);
/// Returns a matrix of `size` rows and columns with the entries of a vector on diagonal k.
pattern_pointer diagonal_pattern(pattern const& vector, index size, index k);
/// Returns the entries with a nonzero flag.
gathered_entries select(pattern const& a, std::uint8_t const* keep);
merged kronecker(pattern const& a, pattern const& b);
/// A matrix of tuples. If these are sorted without repetitions, each of them is an entry. Otherwise `starts` has, for
/// each entry, the first of its tuples in `order`.
struct built {
    pattern_pointer where;
    buffer<index> order, starts;
    bool is_sorted = true;
};
built build(index rows, index columns, index const* row_indices, index const* column_indices, index count);

/// Structure of a product A B. Inner indices without a row of B are dropped, and if B has few columns with entries,
/// they are renumbered.
struct product_structure {
    pattern_pointer a, b, c;      ///< rows of `a` and `c` are the stored rows of A
    buffer<index> from_a;         ///< entries of A; empty: all, in their order
    buffer<index> inner, columns; ///< original indices; empty: not renumbered
    bool a_is_partial = false;    ///< whether from_a applies
};
product_structure multiply(pattern_pointer const& a, pattern_pointer const& b);
/// As multiply(), without `c`.
product_structure prepare_product(pattern_pointer const& a, pattern_pointer const& b);
/// Returns the pattern of C with original rows and columns.
pattern_pointer restored_product(product_structure const& product, pattern const& a, index columns);
/// Makes a pattern hypersparse or not, so that memory depends on the entries.
pattern_pointer normalised(pattern&& a);

} // namespace coppice::graphblas
