// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bitwise equality of matrices.
#pragma once

#include <cstring>

#include <coppice/algebra/csr.hpp>

namespace coppice::test {

template <class T>
bool same_bits(buffer<T> const& a, buffer<T> const& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

/// For matrices in host memory.
template <class T, class I, class O>
bool same_bits(csr<T, I, O> const& a, csr<T, I, O> const& b) {
    return a.rows() == b.rows() && a.columns() == b.columns() && same_bits(a.row_offsets(), b.row_offsets()) &&
           same_bits(a.column_indices(), b.column_indices()) && same_bits(a.values(), b.values());
}

} // namespace coppice::test
