// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Element-wise operations on sparse vectors. A sorted list is split into ranges of indices, which are treated as the
/// rows of a matrix, so that the lane code of matrices can be used.
#pragma once

#include <algorithm>

#include <coppice/semiring/matrix_operations/sparse_vector.hpp>
#include <coppice/semiring/matrix_operations/submatrix.hpp>
#include <coppice/semiring/matrix_operations/tuples.hpp>
#include <coppice/semiring/spmv/mxv_lane.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Number of ranges into which the indices [0, n) are split for this many entries.
inline std::int64_t list_ranges(std::int64_t entries, std::int64_t n) {
    constexpr std::int64_t entries_per_range = 64;
    return std::clamp<std::int64_t>(entries / entries_per_range, 1, std::max<std::int64_t>(n, 1));
}

/// Indices per range; the last ranges may be shorter.
COPPICE_HD constexpr std::int64_t range_width(std::int64_t n, std::int64_t ranges) {
    return n / ranges + (n % ranges != 0 ? 1 : 0);
}

template <class I>
struct start_of_range {
    I const* indices;
    std::int64_t count, n, ranges;
    std::int64_t* offsets;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const width = range_width(n, ranges);
        offsets[p] = p == ranges ? count : lower_position(indices, 0, count, p * width);
    }
};

/// A vector as a matrix with one row per range; borrows the vector and owns temporary arrays.
template <class T, class I>
class partitioned_list {
public:
    template <executor Executor>
    partitioned_list(Executor const& exec, sparse_vector<T, I> const& v, std::int64_t ranges)
        : offsets_(exec, ranges + 1) {
        auto const list = v.as_list(exec, indices_, values_);
        for_each(exec, ranges + 1,
                 start_of_range<I>{list.indices.data(), list.entries(), v.size(), ranges, offsets_.data()});
        view_ = {static_cast<I>(ranges), static_cast<I>(v.size()), list.entries(),
                 offsets_.data(),        list.indices.data(),      list.values.data()};
    }
    csr_view<T, I, std::int64_t> view() const { return view_; }

private:
    buffer<I> indices_;
    buffer<T> values_;
    buffer<std::int64_t> offsets_;
    csr_view<T, I, std::int64_t> view_{};
};

/// Returns the vector whose entries are those of all rows in order.
template <class T, class I, executor Executor>
sparse_vector<T, I> vector_of_rows(Executor const& exec, std::int64_t n, csr<T, I, std::int64_t>&& rows) {
    auto ranges = std::move(rows).release();
    return {exec, n, std::move(ranges.indices), std::move(ranges.values)};
}

/// Mask of a vector, queried per index in flags or by search in a list.
template <class M, class I>
struct vector_mask {
    M const* values; ///< null if only the structure counts
    std::int8_t const* present;
    I const* indices; ///< used if the mask is a list
    std::int64_t entries;
    bool is_list;
    bool complement;

    COPPICE_HD bool admits(std::int64_t j) const {
        std::int64_t at = j;
        bool entry = true;
        if (is_list) {
            std::int64_t const found = position_between(indices, std::int64_t{0}, entries, j);
            entry = found >= 0;
            at = entry ? found : 0;
        } else if (present) {
            entry = present[j] != 0;
        }
        return (entry && (!values || is_nonzero(values[at]))) != complement;
    }
    COPPICE_HD bool admits(std::int64_t, std::int64_t j) const { return admits(j); }
    struct cursor {
        vector_mask const* mask;
        COPPICE_HD bool admits(std::int64_t j) const { return mask->admits(j); }
    };
    COPPICE_HD cursor row(std::int64_t) const { return {this}; }
};

template <class M, class I>
vector_mask<M, I> mask_of(sparse_vector<M, I> const& m, descriptor const& d) {
    bool const list = m.format() == vector_format::list;
    auto const dense = m.dense();
    return {values_of_mask<M>(dense.values.data(), d),
            list ? nullptr : dense.present.data(),
            m.list().indices.data(),
            m.entries(),
            list,
            d.complement};
}
inline void require_length(no_mask, std::int64_t) {}
template <class M, class I>
void require_length(sparse_vector<M, I> const& m, std::int64_t n) {
    require_size("length of the mask", m.size(), n);
}

/// Positional operator on vectors, which are matrices with one column.
template <class Op>
struct op_on_column {
    static constexpr bool positional = true;
    Op op;
    COPPICE_NO_EXEC_CHECK
    template <class A, class B>
    COPPICE_HD constexpr auto operator()(A const& a, B const& b, element_positions const& at) const {
        return op(a, b, element_positions{at.first_column, 0, at.second_column, 0});
    }
};
template <class Op>
auto on_vectors(Op const& op) {
    if constexpr (is_positional_v<Op>)
        return op_on_column<Op>{op};
    else
        return op;
}

template <executor Executor, class Operator, class A, class B, class I, class Single>
auto merge(Executor const& exec, Operator const& on_entries, sparse_vector<A, I> const& a, sparse_vector<B, I> const& b,
           Single const& single) {
    auto const op = on_vectors(on_entries);
    using Op = std::remove_const_t<decltype(op)>;
    require_size("length of the second vector", b.size(), a.size());
    using Z = operator_result_t<Op, A, B>;
    std::int64_t const ranges = list_ranges(a.entries() + b.entries(), a.size());
    partitioned_list<A, I> const x(exec, a, ranges);
    partitioned_list<B, I> const y(exec, b, ranges);
    using rows = merged_rows<A, B, I, std::int64_t, Op, Single>;
    return vector_of_rows(exec, a.size(),
                          build_rows<Z, I, std::int64_t>(exec, x.view().rows(), x.view().columns(),
                                                         rows{x.view(), y.view(), op, single}));
}

/// Computes w<mask> = w ⊙ t for t inside a region.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void write_vector(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulate,
                  sparse_vector<T, I> const& t, bool replace, region const& inside) {
    std::int64_t const ranges = list_ranges(w.entries() + t.entries(), w.size());
    partitioned_list<W, I> const x(exec, w, ranges);
    partitioned_list<T, I> const y(exec, t, ranges);
    using rows = written_rows<W, csr_view<T, I, std::int64_t>, I, std::int64_t, Mask, Accumulator>;
    w = vector_of_rows(exec, w.size(),
                       build_rows<W, I, std::int64_t>(exec, x.view().rows(), x.view().columns(),
                                                      rows{x.view(), y.view(), mask, accumulate, replace, inside}));
}

/// Applies f(x) or f(x, index) to entries of rows.
template <class F>
struct at_index {
    F f;
    COPPICE_NO_EXEC_CHECK
    template <class A>
    COPPICE_HD auto operator()(A const& a, std::int64_t, std::int64_t j) const {
        require_wide_operator<F, A>();
        if constexpr (std::is_invocable_v<F const&, A const&, std::int64_t>) {
            static_assert(
                takes_index_v<F, 1>,
                "an operator of two parameters is called with a value and its index: the second is an integer");
            return f(a, j);
        } else {
            return f(a);
        }
    }
};

template <class W, class I, class M, class Accumulator>
struct assign_at_mask {
    dense_vector_view<W> w;
    I const* indices;
    M const* values;
    W value;
    Accumulator accumulate;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t k) const {
        if (values && !is_nonzero(values[k])) return;
        std::int64_t const i = indices[k];
        entry_writer<W, Accumulator> const write{w.values.data(), w.present.data(), accumulate};
        write(i, true, value);
    }
};
template <class I, class M>
struct is_new_at_mask {
    std::int8_t const* present;
    I const* indices;
    M const* values;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        return present && present[indices[k]] == 0 && (!values || is_nonzero(values[k])) ? 1 : 0;
    }
};

template <class T, class Mask>
struct constant_entries {
    T value;
    std::int64_t n, width;
    Mask mask;
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t p, Emit& emit) const {
        std::int64_t const first = p * width, last = n - first > width ? first + width : n;
        for (std::int64_t j = first; j < last; ++j)
            if (mask.admits(0, j)) emit(j, value);
    }
};

template <class T, class I>
struct find_in_list {
    list_view<T, I> list;
    COPPICE_HD std::int64_t operator()(std::int64_t index) const {
        return position_between(list.indices.data(), std::int64_t{0}, list.entries(), index);
    }
};
template <class T, class I>
struct is_entry {
    find_in_list<T, I> find;
    I const* requested;
    COPPICE_HD bool operator()(std::int64_t k) const { return find(requested[k]) >= 0; }
};
template <class T, class I>
struct gather_entry {
    find_in_list<T, I> find;
    I const* requested;
    I* indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        indices[position] = static_cast<I>(k);
        values[position] = find.list.values[find(requested[k])];
    }
};
template <class T, class I>
struct embed_entry {
    list_view<T, I> from;
    I const* to;
    I* indices;
    COPPICE_HD void operator()(std::int64_t k) const { indices[k] = to[from.indices[k]]; }
};

template <class I>
struct is_below {
    I const* indices;
    std::int64_t n;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return std::int64_t(indices[k]) < n ? 1 : 0; }
};

} // namespace detail

/// w<mask, replace> = w ⊙ t: output of an operation on vectors; see update() of matrices. The mask is no_mask{} or a
/// sparse_vector; it is searched for the entries of w and t only, so that the cost does not depend on its length.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void update(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
            sparse_vector<T, I> const& t, descriptor const& d = {}) {
    require_size("length of the result", t.size(), w.size());
    detail::require_length(mask, w.size());
    detail::write_vector(exec, w, detail::mask_of(mask, d), accumulator, t, d.replace, {});
}

/// a ⊕ b, a ⊗ b and related operations on vectors of equal length: see those of matrices. Operators of three arguments
/// receive the index.
template <executor Executor, class Op, class A, class B, class I>
auto ewise_add(Executor const& exec, Op const& op, sparse_vector<A, I> const& a, sparse_vector<B, I> const& b) {
    return detail::merge(exec, op, a, b, detail::keep_single{});
}
template <executor Executor, class Op, class A, class B, class I>
auto ewise_mult(Executor const& exec, Op const& op, sparse_vector<A, I> const& a, sparse_vector<B, I> const& b) {
    return detail::merge(exec, op, a, b, detail::drop_single{});
}
template <executor Executor, class Op, class A, class B, class I>
auto ewise_union(Executor const& exec, Op const& op, sparse_vector<A, I> const& a, std::type_identity_t<A> missing_a,
                 sparse_vector<B, I> const& b, std::type_identity_t<B> missing_b) {
    return detail::merge(exec, op, a, b, detail::fill_single<A, B>{missing_a, missing_b});
}

/// Computes f(u_i) or f(u_i, i) for every entry (GrB_apply).
template <executor Executor, class F, class T, class I>
auto apply(Executor const& exec, F const& f, sparse_vector<T, I> const& u) {
    detail::partitioned_list<T, I> const x(exec, u, detail::list_ranges(u.entries(), u.size()));
    auto mapped = apply(exec, detail::at_index<F>{f}, x.view());
    return detail::vector_of_rows(exec, u.size(), std::move(mapped));
}

/// Returns the entries with keep(u_i) or keep(u_i, i) (GrB_select).
template <executor Executor, class Keep, class T, class I>
sparse_vector<T, I> select_entries(Executor const& exec, Keep const& keep, sparse_vector<T, I> const& u) {
    detail::partitioned_list<T, I> const x(exec, u, detail::list_ranges(u.entries(), u.size()));
    return detail::vector_of_rows(exec, u.size(), select_entries(exec, detail::at_index<Keep>{keep}, x.view()));
}

/// Folds all entries by a monoid; returns its identity if there are none. Waits.
template <executor Executor, adder Add, class T, class I>
auto reduce_to_scalar(Executor const& exec, Add const& add, sparse_vector<T, I> const& u) {
    buffer<I> indices;
    buffer<T> values;
    auto const list = u.as_list(exec, indices, values);
    return detail::result_of(add, reduce(exec, list.entries(), add.identity(),
                                         detail::element_as_sum<T, Add>{list.values.data(), add}, add));
}

/// Returns u(list): entry k is entry list[k] of u (GrB_extract). Throws argument_error for an index outside u.
template <executor Executor, class T, class I>
sparse_vector<T, I> extract(Executor const& exec, sparse_vector<T, I> const& u,
                            std::type_identity_t<array_view<I const>> requested) {
    detail::prepared_list<I> const checked(exec, requested, u.size(), "index");
    buffer<I> indices, found(exec, requested.size());
    buffer<T> values, gathered(exec, requested.size());
    detail::find_in_list<T, I> const find{u.as_list(exec, indices, values)};
    std::int64_t const count =
        select(exec, requested.size(), detail::is_entry<T, I>{find, requested.data()},
               detail::gather_entry<T, I>{find, requested.data(), found.data(), gathered.data()});
    return {exec, requested.size(), copy_of(exec, found.view().slice(0, count)),
            copy_of(exec, gathered.view().slice(0, count))};
}

namespace detail {

/// Returns the vector of length n with the entries of u at list[index].
template <executor Executor, class T, class I>
sparse_vector<T, I> embed(Executor const& exec, sparse_vector<T, I> const& u, array_view<I const> list,
                          std::int64_t n) {
    buffer<I> indices, positions(exec, u.entries());
    buffer<T> values;
    auto const from = u.as_list(exec, indices, values);
    for_each(exec, from.entries(), embed_entry<T, I>{from, list.data(), positions.data()});
    buffer<T> values_of_entries = copy_of(exec, from.values);
    sort_by_key(exec, positions.view(), values_of_entries.view());
    return {exec, n, std::move(positions), std::move(values_of_entries)};
}

} // namespace detail

/// w<mask>(list) = w(list) ⊙ u (GrB_assign): the mask has the length of w. Throws argument_error for an index that
/// occurs twice.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void assign(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
            sparse_vector<T, I> const& u, std::type_identity_t<array_view<I const>> list, descriptor const& d = {}) {
    require_size("elements that are assigned", u.size(), list.size());
    detail::require_length(mask, w.size());
    detail::prepared_list<I> const checked(exec, list, w.size(), "index");
    checked.require_distinct("elements");
    auto const flags = detail::flags_of(exec, checked.map(), w.size());
    detail::write_vector(exec, w, detail::mask_of(mask, d), accumulator, detail::embed(exec, u, list, w.size()),
                         d.replace, detail::region{nullptr, flags.data(), false});
}

/// `w(list)<mask> = w(list) ⊙ u` (GxB_subassign): the mask has the length of u, and entries outside the list do not
/// change.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void subassign(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
               sparse_vector<T, I> const& u, std::type_identity_t<array_view<I const>> list, descriptor const& d = {}) {
    require_size("elements that are assigned", u.size(), list.size());
    detail::require_length(mask, u.size());
    detail::prepared_list<I> const checked(exec, list, w.size(), "index");
    checked.require_distinct("elements");
    auto const flags = detail::flags_of(exec, checked.map(), w.size());
    detail::region const inside{nullptr, flags.data(), true};
    auto const t = detail::embed(exec, u, list, w.size());
    if constexpr (std::is_same_v<Mask, no_mask>) {
        detail::write_vector(exec, w, detail::mask_of(mask, d), accumulator, t, d.replace, inside);
    } else {
        auto const wide = detail::embed(exec, mask, list, w.size());
        detail::write_vector(exec, w, detail::mask_of(wide, d), accumulator, t, d.replace, inside);
    }
}

/// w<mask> = w ⊙ value at every element that the mask admits (GrB_assign of a scalar to all). O(entries of the mask) if
/// the mask is a list, not complemented, and w is a bitmap or full.
template <executor Executor, class W, class I, class Mask, class Accumulator>
void assign_scalar(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
                   std::type_identity_t<W> value, descriptor const& d = {}) {
    detail::require_length(mask, w.size());
    if constexpr (!std::is_same_v<Mask, no_mask>) {
        using M = typename Mask::value_type;
        if (mask.format() == vector_format::list && w.format() != vector_format::list && !d.complement && !d.replace) {
            auto const at = mask.list();
            M const* const values = detail::values_of_mask<M>(at.values.data(), d);
            auto const to = w.dense();
            std::int64_t const made =
                reduce(exec, at.entries(), std::int64_t{0},
                       detail::is_new_at_mask<I, M>{to.present.data(), at.indices.data(), values}, plus{});
            for_each(exec, at.entries(),
                     detail::assign_at_mask<W, I, M, Accumulator>{to, at.indices.data(), values, value, accumulator});
            w.add_entries(made);
            return;
        }
    }
    auto const reader = detail::mask_of(mask, d);
    std::int64_t const ranges = detail::list_ranges(w.size(), w.size()), width = detail::range_width(w.size(), ranges);
    using rows = detail::constant_entries<W, std::remove_const_t<decltype(reader)>>;
    auto const t = detail::vector_of_rows(exec, w.size(),
                                          detail::build_rows<W, I, std::int64_t>(exec, static_cast<I>(ranges),
                                                                                 static_cast<I>(w.size()),
                                                                                 rows{value, w.size(), width, reader}));
    detail::write_vector(exec, w, reader, accumulator, t, d.replace, {});
}

/// Makes the vector of the tuples (indices[k], values[k]) in any order; duplicates as for matrices (GrB_Vector_build).
template <executor Executor, class T, class I, class Op>
sparse_vector<T, I> build_vector(Executor const& exec, std::int64_t n, array_view<I const> indices,
                                 array_view<T const> values, Op const& duplicates) {
    buffer<I> const zeros = [&] {
        buffer<I> z(exec, indices.size());
        fill(exec, z.view(), I(0));
        return z;
    }();
    auto built = build(exec, I(1), checked_cast<I>(n, "length of a vector"), zeros.view(), indices, values, duplicates);
    auto ranges = std::move(built).release();
    return {exec, n, std::move(ranges.indices), std::move(ranges.values)};
}

/// Returns u with another length; entries outside it are dropped (GrB_Vector_resize).
template <executor Executor, class T, class I>
sparse_vector<T, I> resize(Executor const& exec, sparse_vector<T, I> const& u, std::int64_t n) {
    buffer<I> indices;
    buffer<T> values;
    auto const list = u.as_list(exec, indices, values);
    std::int64_t const count =
        reduce(exec, list.entries(), std::int64_t{0}, detail::is_below<I>{list.indices.data(), n}, plus{});
    return {exec, n, copy_of(exec, list.indices.slice(0, count)), copy_of(exec, list.values.slice(0, count))};
}

} // namespace coppice::inline v0_1
