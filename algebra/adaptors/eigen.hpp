// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptor for Eigen: views and copies of its matrices and vectors, and the reverse. Needs the headers of Eigen; no
/// other header of Coppice includes this one.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Eigen/SparseCore>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/from_arrays.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class A>
using eigen_csr_view = csr_view<typename A::Scalar, typename A::StorageIndex>;

/// The three arrays of a sparse matrix of Eigen as rows: those of the matrix if it is row major, else of its transpose.
template <class A>
eigen_csr_view<A> eigen_arrays(Eigen::SparseCompressedBase<A> const& a) {
    if (!a.isCompressed())
        throw argument_error("the sparse matrix of Eigen is not compressed; call makeCompressed() first");
    using index = typename A::StorageIndex;
    auto const outer = a.outerSize();
    if (outer > 0 && a.outerIndexPtr()[0] != 0)
        throw argument_error("the sparse matrix of Eigen is a block whose first offset is " +
                             std::to_string(a.outerIndexPtr()[0]) + ", expected 0; copy the block to a SparseMatrix");
    return {checked_cast<index>(outer, "number of rows"),
            checked_cast<index>(a.innerSize(), "number of columns"),
            checked_cast<index>(a.nonZeros(), "number of nonzeros"),
            a.outerIndexPtr(),
            a.innerIndexPtr(),
            a.valuePtr()};
}

} // namespace detail

/// View of a compressed, row major sparse matrix of Eigen (SparseMatrix, Map or Ref), without a copy. Valid until the
/// matrix is destroyed or its pattern changes. Throws argument_error if it is not compressed.
template <class A>
detail::eigen_csr_view<A> view_of_eigen(Eigen::SparseCompressedBase<A> const& a) {
    static_assert(A::IsRowMajor, "a column major matrix has no CSR view; use transposed_view_of_eigen or csr_of_eigen");
    return detail::eigen_arrays(a);
}
template <class T, int Options, class I>
csr_view<T, I> view_of_eigen(Eigen::SparseMatrix<T, Options, I> const&&) = delete; ///< the view would dangle

/// View of the transpose of a compressed, column major sparse matrix of Eigen, without a copy: its compressed columns
/// are the compressed rows of the transpose. A symmetric matrix is its own transpose. Otherwise as view_of_eigen().
template <class A>
detail::eigen_csr_view<A> transposed_view_of_eigen(Eigen::SparseCompressedBase<A> const& a) {
    static_assert(!A::IsRowMajor, "the view of a row major matrix is view_of_eigen");
    return detail::eigen_arrays(a);
}
template <class T, int Options, class I>
csr_view<T, I> transposed_view_of_eigen(Eigen::SparseMatrix<T, Options, I> const&&) = delete; ///< it would dangle

namespace detail {

/// Dense objects whose elements are in memory: no expressions.
template <class V>
concept eigen_object = bool(Eigen::internal::traits<V>::Flags& Eigen::DirectAccessBit);

template <class V>
auto eigen_elements(V& v) {
    if (v.size() > 0 && (v.innerStride() != 1 || (v.outerSize() > 1 && v.outerStride() != v.innerSize())))
        throw argument_error("the dense object of Eigen has gaps between its elements: inner stride " +
                             std::to_string(v.innerStride()) + ", outer stride " + std::to_string(v.outerStride()) +
                             "; copy it to a Matrix");
    return array_view<std::remove_pointer_t<decltype(v.data())>>(v.data(), std::int64_t(v.size()));
}

} // namespace detail

/// View of a dense vector or matrix of Eigen without gaps, without a copy; read-only if the object is const. The
/// columns of a column major matrix follow each other, as solve_columns() expects them. Throws argument_error if there
/// are gaps between rows or columns.
template <detail::eigen_object V>
auto view_of_eigen(Eigen::DenseBase<V>& v) {
    return detail::eigen_elements(v.derived());
}
template <detail::eigen_object V>
auto view_of_eigen(Eigen::DenseBase<V> const& v) {
    return detail::eigen_elements(v.derived());
}
template <class T, int R, int C, int O, int MR, int MC>
array_view<T> view_of_eigen(Eigen::Matrix<T, R, C, O, MR, MC> const&&) = delete; ///< the view would dangle

/// Copies a compressed sparse matrix of Eigen, row or column major, to a matrix in host memory. Rows are sorted if the
/// rows or columns of `a` are. Throws argument_error if it is not compressed.
template <class A>
csr<typename A::Scalar, typename A::StorageIndex> csr_of_eigen(host_executor const& exec,
                                                               Eigen::SparseCompressedBase<A> const& a) {
    auto const arrays = detail::eigen_arrays(a);
    if constexpr (A::IsRowMajor)
        return copy_of(exec, arrays);
    else
        return transpose(exec, arrays);
}

/// A matrix in host memory as a read-only matrix of Eigen, without a copy. Valid as long as the arrays of `a`. Requires
/// sorted rows without duplicates, on which Eigen relies: see has_sorted_columns().
template <class T, class I>
Eigen::Map<Eigen::SparseMatrix<T, Eigen::RowMajor, I> const> eigen_map(csr_view<T, I> a) {
    return {a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, a.coefficients};
}
template <class T, class I>
auto eigen_map(csr<T, I> const& a) {
    return eigen_map(a.view());
}
template <class T, class I>
void eigen_map(csr<T, I> const&&) = delete; ///< the map of a temporary matrix would dangle

/// Elements in host memory as a vector of Eigen, without a copy.
template <class T>
Eigen::Map<std::conditional_t<std::is_const_v<T>, Eigen::Vector<std::remove_const_t<T>, Eigen::Dynamic> const,
                              Eigen::Vector<T, Eigen::Dynamic>>>
eigen_map(array_view<T> v) {
    return {v.data(), Eigen::Index(v.size())};
}

/// Copies a matrix in host memory to a compressed sparse matrix of Eigen. Unsorted rows are sorted. Throws matrix_error
/// if a row contains a column twice.
template <int Options = Eigen::RowMajor, class T, class I>
Eigen::SparseMatrix<T, Options, I> to_eigen(host_executor const& exec, csr_view<T, I> a) {
    if (has_sorted_columns(exec, a)) return Eigen::SparseMatrix<T, Options, I>(eigen_map(a));
    auto const sorted = sort_columns(exec, a);
    if (!has_sorted_columns(exec, sorted.view()))
        throw matrix_error("a row holds a column twice, expected every entry once; sum duplicates first");
    return Eigen::SparseMatrix<T, Options, I>(eigen_map(sorted));
}
template <int Options = Eigen::RowMajor, class T, class I>
Eigen::SparseMatrix<T, Options, I> to_eigen(host_executor const& exec, csr<T, I> const& a) {
    return to_eigen<Options>(exec, a.view());
}

} // namespace coppice::inline v0_1
