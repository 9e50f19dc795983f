// SPDX-License-Identifier: BSD-3-Clause
#include "folds.hpp"

#include <algorithm>
#include <cstring>

namespace coppice::graphblas {
namespace {

/// Folds n > 0 values one after the other.
void fold_in_order(GrB_BinaryOp op, std::byte const* values, index n, void* to) {
    if (op->fold) return op->fold(to, values, n);
    std::size_t const size = op->z->size;
    scratch sum(op->z, 1);
    std::memcpy(to, values, size);
    for (index k = 1; k < n; ++k) {
        std::memcpy(sum.data(), to, size); // the function may write its result before it reads
        op->function(to, sum.data(), values + std::size_t(k) * size);
    }
}

constexpr index lanes = 256;

/// Folds n > 0 values. A predefined operator folds by lanes, so that its loop is vectorised.
void fold_range(GrB_BinaryOp op, std::byte const* values, index n, void* to) {
    std::size_t const size = op->z->size;
    if (!accepts_any_value(op) || n < 2 * lanes) return fold_in_order(op, values, n, to);
    scratch partial(op->z, lanes);
    auto* const sums = static_cast<std::byte*>(partial.data());
    std::memcpy(sums, values, lanes * size);
    for (index k = lanes; k < n; k += lanes)
        op->loop(sums, sums, 1, values + std::size_t(k) * size, 1, std::min(lanes, n - k));
    fold_in_order(op, sums, lanes, to);
}

} // namespace

bool fold_values(GrB_BinaryOp op, std::byte const* values, index n, void* to) {
    if (n == 0) return false;
    std::size_t const size = op->z->size;
    constexpr index block = 1 << 15;
    index const blocks = (n + block - 1) / block;
    auto const partial = make_values(blocks, size);
    for_ranges(n, block, [&](index first, index last) {
        fold_range(op, values + std::size_t(first) * size, last - first,
                   partial->data() + std::size_t(first / block) * size);
    });
    fold_range(op, partial->data(), blocks, to);
    return true;
}

contents fold_rows(GrB_BinaryOp op, pattern const& where, bytes const& values) {
    std::size_t const size = op->z->size;
    buffer<index> rows(executor(), where.stored_rows() + 1); // with entries; written without a branch
    index count = 0;
    for (index r = 0; r < where.stored_rows(); ++r) {
        rows[count] = r;
        count += where.offsets[r] < where.offsets[r + 1] ? 1 : 0;
    }
    pattern to;
    to.rows = 1;
    to.columns = where.rows;
    to.offsets = buffer<index>(executor(), 2);
    to.offsets[0] = 0;
    to.offsets[1] = count;
    to.indices = buffer<index>(executor(), count);
    auto made = make_values(count, size);
    for_ranges(count, 1024, [&](index first, index last) {
        for (index k = first; k < last; ++k) {
            index const r = rows[k];
            to.indices[k] = where.row(r);
            fold_in_order(op, values.data() + std::size_t(where.offsets[r]) * size,
                          where.offsets[r + 1] - where.offsets[r], made->data() + std::size_t(k) * size);
        }
    });
    return {std::make_shared<pattern>(std::move(to)), std::move(made)};
}

} // namespace coppice::graphblas
