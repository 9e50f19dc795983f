// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Arguments of the kernels. The library and the kernels, which contain the text of this file, both compile it.
#pragma once

namespace coppice::graphblas::device {

constexpr long push_task_entries = 2048; ///< longer rows of a product by the entries of X are divided among blocks

/// Entries by position: flags null: all positions have one; values null: there is no such operand.
struct position_argument {
    unsigned char const* flags;
    void const* values;
};
/// Entries of a matrix by rows.
struct list_argument {
    long const* offsets;
    int const* indices;
    void const* values;
};
struct arguments {
    long positions;      ///< number of positions that the kernel computes
    long rows, columns;  ///< of the output; of a list of entries: rows of its matrix
    long inner;          ///< positions of a row of the operand of a product
    position_argument c; ///< the output before the operation
    position_argument x, y, mask;
    list_argument where;            ///< positions are entries of this matrix, unless its offsets are null
    list_argument a, b;             ///< operands of products and searches
    long const* numbers;            ///< positions of a gather; results of a scan
    int const* row_list;            ///< rows that the kernel computes; null: all
    long first_length, last_length; ///< rows whose number of entries is outside are skipped
    long* counter;                  ///< number of entries of the result
    unsigned char* to_flags;
    void* to_values;
    long* to_offsets;
    int* to_indices;
    bool has_mask, complement, replace, vector, add;
    alignas(16) unsigned char scalar[32], terminal[32];
};

} // namespace coppice::graphblas::device
