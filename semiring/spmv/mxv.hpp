// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrix times vector and vector times matrix with GraphBLAS semantics, over the generic SpMV.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <coppice/core/memory_range.hpp>
#include <coppice/semiring/spmv/matrix_operand.hpp>
#include <coppice/semiring/spmv/mxv_lane.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Whether two arrays share a byte of memory.
template <class A, class B>
bool overlap(array_view<A> a, array_view<B> b) {
    return coppice::overlap(range_of("", a), range_of("", b));
}
template <class A, class B>
bool overlap(dense_vector_view<A> a, dense_vector_view<B> b) {
    return overlap(a.values, b.values) || overlap(a.values, b.present) || overlap(a.present, b.values) ||
           overlap(a.present, b.present);
}

/// An input that stays valid while the kernels write w: the input itself, or a copy if it shares memory with w.
template <class T>
class stable_input {
public:
    template <executor Executor, class W>
    stable_input(Executor const& exec, dense_vector_view<T const> v, dense_vector_view<W> w) : view_(v) {
        if (!overlap(v, w)) return;
        values_ = copy_of(exec, v.values);
        if (!v.is_full()) present_ = copy_of(exec, v.present);
        view_ = {values_.view(), present_.view()};
    }
    dense_vector_view<T const> view() const { return view_; }

private:
    buffer<T> values_;
    buffer<std::int8_t> present_;
    dense_vector_view<T const> view_;
};

template <class Mask>
struct is_mask : std::is_same<Mask, no_mask> {};
template <class M>
struct is_mask<dense_vector_view<M>> : std::true_type {};

/// An accumulator takes (element of w, result), or is absent.
template <class Accumulator, class W, class Z>
concept accumulator_of = std::is_same_v<Accumulator, no_accumulator> || requires {
    typename Accumulator::domain;
} || std::is_invocable_v<Accumulator const&, W const&, Z const&>;

/// Throws as require_flags(), except that a mask with presence flags needs no values: each of its entries counts.
template <class M>
void require_mask_arrays(dense_vector_view<M> mask) {
    if (mask.values.data() || mask.size() == 0) return require_flags(mask, "the mask");
    if (mask.is_full()) throw argument_error("the mask has neither values nor presence flags, expected one of them");
    require_size("the mask: presence flags", static_cast<std::int64_t>(mask.present.size()), mask.size());
}

/// Throws argument_error if w has no presence flags but may have missing entries. With an accumulator and without
/// `replace`, a full w stays full.
template <class W, class Accumulator>
void require_flags_for_missing_entries(dense_vector_view<W> w, Accumulator const&, bool deletes) {
    if (!w.is_full() || w.size() == 0 || (!std::is_same_v<Accumulator, no_accumulator> && !deletes)) return;
    throw argument_error("w is a full vector, but the product may have no entry in some rows: give w presence flags, "
                         "or an accumulator without `replace`");
}

/// Throws argument_error if the output shares memory with an array of the matrix.
template <class W, class T>
void require_outside(dense_vector_view<W> w, array_view<T> of_matrix) {
    if (overlap(w.values, of_matrix) || overlap(w.present, of_matrix))
        throw argument_error("the output w of a product shares memory with its matrix");
}

/// Whether reduce_rows calls store.wants(row) before it begins a row. On CUDA it computes products first.
template <class Executor>
inline constexpr bool checks_mask_before_row_v = std::is_same_v<Executor, host_executor>;

/// Product along the rows of one orientation, for a mask that admits every row or a mask_reader. `MaskedProducts`:
/// whether products skip masked-out rows; the result is the same.
template <bool VectorFirst, bool MaskedProducts, executor Executor, class Mask, class Semiring, class Orientation,
          class U, class Writer>
void multiply_rows(Executor const& exec, Orientation const& a, Mask mask, Semiring const& s,
                   dense_vector_view<U const> u, Writer const& write) {
    using product = product_with<VectorFirst, Semiring, U>;
    using guarded_adder_type = guarded_adder<std::remove_cvref_t<decltype(s.add)>>;
    auto const along = [&a](auto const& f) { return along_nonzeros{f, a.matrix.coefficients, a.matrix.indices}; };
    product const multiply{s, u.values.data()};
    guarded_product<product> const guard{multiply, u.present.data()};
    using offset_type = typename std::remove_cvref_t<decltype(a.matrix)>::offset_type;
    store_entry<Semiring, offset_type, Mask, Writer> const store{s, a.matrix.offsets, mask, write};
    if constexpr (MaskedProducts)
        reduce_rows(exec, a.plan, along(masked_product<guarded_product<product>, Mask>{guard, mask}),
                    guarded_adder_type{s.add}, store);
    else if (!u.is_full())
        reduce_rows(exec, a.plan, along(guard), guarded_adder_type{s.add}, store);
    else
        reduce_rows(exec, a.plan, along(multiply), s.add, store);
}

/// Common implementation of mxv and vxm. `a` is the matrix whose compressed rows are reduced, with its plan: A itself
/// or its transpose.
template <bool VectorFirst, executor Executor, class W, class Mask, class Accumulator, class Semiring,
          class Orientation, class U>
void multiply_vector(Executor const& exec, dense_vector_view<W> w, Mask const& mask, Accumulator const& accumulator,
                     Semiring const& s, Orientation const& a, dense_vector_view<U const> u, descriptor const& d) {
    using result = decltype(result_of_sum(s, s.add.identity()));
    static_assert(!std::is_const_v<W>, "the output w of a product is written: dense_vector_view<T>, not <T const>");
    static_assert(is_mask<Mask>::value, "a mask is a dense_vector_view or no_mask{}");
    static_assert(accumulator_of<Accumulator, W, result>,
                  "an accumulator takes (element of w, result of the product), or is no_accumulator{}");

    require_wide_result<Semiring, result, W>();
    require_size("length of w", w.size(), a.matrix.rows());
    require_size("length of u", u.size(), a.matrix.columns());
    require_flags(w, "w");
    require_flags(u, "u");
    require_outside(w, a.matrix.values());
    require_outside(w, a.matrix.column_indices());
    require_outside(w, a.matrix.row_offsets());
    entry_writer<W, Accumulator> const write{w.values.data(), w.present.data(), accumulator};

    if constexpr (std::is_same_v<Mask, no_mask>) {
        require_flags_for_missing_entries(w, accumulator, d.complement && d.replace);
        if (d.complement) { // the complement of no mask admits nothing
            if (d.replace && !w.is_full()) fill(exec, w.present, std::int8_t{0});
            return;
        }
        stable_input<U> const input(exec, u, w);
        multiply_rows<VectorFirst, false>(exec, a, every_row{}, s, input.view(), write);
    } else {
        using M = typename Mask::value_type;
        require_size("length of the mask", mask.size(), a.matrix.rows());
        require_mask_arrays(mask);
        require_flags_for_missing_entries(w, accumulator, d.replace);
        stable_input<U> const input(exec, u, w);
        dense_vector_view<M const> given = mask;
        if (!given.values.data()) given.values = {};
        stable_input<M> const stable_mask(exec, given, w);
        dense_vector_view<M const> const m = stable_mask.view();
        mask_reader<M> const reader{values_of_mask<M>(m.values.data(), d), m.present.data(), d.complement};
        if (d.replace && !w.is_full())
            for_each(exec, w.size(), delete_left_out<mask_reader<M>>{reader, w.present.data()});
        multiply_rows<VectorFirst, !checks_mask_before_row_v<Executor>>(exec, a, reader, s, input.view(), write);
    }
}

} // namespace detail

/// w<mask> = w ⊙ (A ⊕.⊗ u), GrB_mxv; include/coppice/graphblas.hpp documents the contract. Shapes for A[rows, columns]:
/// u[columns], w[rows], mask[rows]. If d.transpose0, A is replaced by its transpose.
template <executor Executor, class W, class Mask, class Accumulator, semiring Semiring, class T, class I, class O,
          class U>
void mxv(Executor const& exec, dense_vector_view<W> w, Mask const& mask, Accumulator const& accumulator,
         Semiring const& s, matrix_operand<T, I, O> const& a, dense_vector_view<U> u, descriptor const& d = {}) {
    detail::multiply_vector<false>(exec, w, mask, accumulator, s, a.along(d.transpose0),
                                   dense_vector_view<std::remove_const_t<U> const>(u), d);
}

/// w<mask> = w ⊙ (u ⊕.⊗ A), GrB_vxm; include/coppice/graphblas.hpp documents the contract. Shapes for A[rows, columns]:
/// u[rows], w[columns], mask[columns]. If d.transpose1, A is replaced by its transpose.
template <executor Executor, class W, class Mask, class Accumulator, semiring Semiring, class T, class I, class O,
          class U>
void vxm(Executor const& exec, dense_vector_view<W> w, Mask const& mask, Accumulator const& accumulator,
         Semiring const& s, dense_vector_view<U> u, matrix_operand<T, I, O> const& a, descriptor const& d = {}) {
    detail::multiply_vector<true>(exec, w, mask, accumulator, s, a.along(!d.transpose1),
                                  dense_vector_view<std::remove_const_t<U> const>(u), d);
}

} // namespace coppice::inline v0_1
