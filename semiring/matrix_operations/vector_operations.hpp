// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Element-wise operations on sparse vectors. A sorted list is cut into ranges of indices, which stand as the rows of a
/// matrix, so that the lanes are those of matrices.
#pragma once

#include <algorithm>

#include <coppice/semiring/matrix_operations/sparse_vector.hpp>
#include <coppice/semiring/matrix_operations/submatrix.hpp>
#include <coppice/semiring/matrix_operations/tuples.hpp>
#include <coppice/semiring/spmv/mxv_lane.hpp>

namespace coppice {
namespace detail {

/// How many ranges the indices [0, n) are cut into for so many entries.
inline std::int64_t list_parts(std::int64_t entries, std::int64_t n) {
    constexpr std::int64_t entries_of_part = 64;
    return std::clamp<std::int64_t>(entries / entries_of_part, 1, std::max<std::int64_t>(n, 1));
}

/// Indices of each of these ranges, except the last ones.
COPPICE_HD constexpr std::int64_t part_width(std::int64_t n, std::int64_t parts) {
    return n / parts + (n % parts != 0 ? 1 : 0);
}

template <class I>
struct start_of_part {
    I const* indices;
    std::int64_t count, n, parts;
    std::int64_t* offsets;
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const width = part_width(n, parts);
        offsets[p] = p == parts ? count : lower_position(indices, 0, count, p * width);
    }
};

/// A vector as rows of ranges; borrows it and keeps what had to be made.
template <class T, class I>
class parted_list {
public:
    template <executor Executor>
    parted_list(Executor const& exec, sparse_vector<T, I> const& v, std::int64_t parts) : offsets_(exec, parts + 1) {
        auto const list = v.as_list(exec, indices_, values_);
        for_each(exec, parts + 1,
                 start_of_part<I>{list.indices.data(), list.entries(), v.size(), parts, offsets_.data()});
        view_ = {static_cast<I>(parts), static_cast<I>(v.size()), list.entries(),
                 offsets_.data(),       list.indices.data(),      list.values.data()};
    }
    csr_view<T, I, std::int64_t> view() const { return view_; }

private:
    buffer<I> indices_;
    buffer<T> values_;
    buffer<std::int64_t> offsets_;
    csr_view<T, I, std::int64_t> view_{};
};

/// The vector whose entries are the rows of a matrix, one after the other.
template <class T, class I, executor Executor>
sparse_vector<T, I> vector_of_rows(Executor const& exec, std::int64_t n, csr<T, I, std::int64_t>&& rows) {
    auto parts = std::move(rows).release();
    return {exec, n, std::move(parts.indices), std::move(parts.values)};
}

/// The mask of a vector: a look for every index, into flags or into a list.
template <class M, class I>
struct vector_mask {
    M const* values; ///< null where only the structure counts
    std::int8_t const* present;
    I const* indices; ///< where the mask is a list
    std::int64_t entries;
    bool listed;
    bool complement;

    COPPICE_HD bool admits(std::int64_t j) const {
        std::int64_t at = j;
        bool entry = true;
        if (listed) {
            std::int64_t const found = position_between(indices, std::int64_t{0}, entries, j);
            entry = found >= 0;
            at = entry ? found : 0;
        } else if (present) {
            entry = present[j] != 0;
        }
        return (entry && (!values || values[at] != M(0))) != complement;
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
    return {d.structure ? nullptr : dense.values.data(),
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

/// An operator that asks for positions, on vectors, which are matrices of one column.
template <class Op>
struct op_on_column {
    static constexpr bool positional = true;
    Op op;
    COPPICE_NO_EXEC_CHECK
    template <class A, class B>
    COPPICE_HD constexpr auto operator()(A const& a, B const& b, meeting const& at) const {
        return op(a, b, meeting{at.first_column, 0, at.second_column, 0});
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
    std::int64_t const parts = list_parts(a.entries() + b.entries(), a.size());
    parted_list<A, I> const x(exec, a, parts);
    parted_list<B, I> const y(exec, b, parts);
    using rows = merged_rows<A, B, I, std::int64_t, Op, Single>;
    return vector_of_rows(exec, a.size(),
                          build_rows<Z, I, std::int64_t>(exec, x.view().rows(), x.view().columns(),
                                                         rows{x.view(), y.view(), op, single}));
}

/// w<mask> = w ⊙ t with t inside a region.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void write_vector(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulate,
                  sparse_vector<T, I> const& t, bool replace, region const& inside) {
    std::int64_t const parts = list_parts(w.entries() + t.entries(), w.size());
    parted_list<W, I> const x(exec, w, parts);
    parted_list<T, I> const y(exec, t, parts);
    using rows = written_rows<W, csr_view<T, I, std::int64_t>, I, std::int64_t, Mask, Accumulator>;
    w = vector_of_rows(exec, w.size(),
                       build_rows<W, I, std::int64_t>(exec, x.view().rows(), x.view().columns(),
                                                      rows{x.view(), y.view(), mask, accumulate, replace, inside}));
}

/// f(x) or f(x, index) as an operation on rows.
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
        if (values && values[k] == M(0)) return;
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
        return present && present[indices[k]] == 0 && (!values || values[k] != M(0)) ? 1 : 0;
    }
};

template <class T, class Mask>
struct constant_entries {
    T value;
    std::int64_t n, width;
    Mask mask;
    template <class Emit>
    COPPICE_HD void visit(std::int64_t p, Emit& emit) const {
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
struct is_listed {
    find_in_list<T, I> find;
    I const* wanted;
    COPPICE_HD bool operator()(std::int64_t k) const { return find(wanted[k]) >= 0; }
};
template <class T, class I>
struct take_listed {
    find_in_list<T, I> find;
    I const* wanted;
    I* indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        indices[position] = static_cast<I>(k);
        values[position] = find.list.values[find(wanted[k])];
    }
};
template <class T, class I>
struct spread_entry {
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

/// w<mask, replace> = w ⊙ t: how an operation on vectors writes its result; see update() of matrices. The mask is
/// no_mask{} or a sparse_vector; it is looked up, so that a long one costs a short t nothing.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void update(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
            sparse_vector<T, I> const& t, descriptor const& d = {}) {
    require_size("length of the result", t.size(), w.size());
    detail::require_length(mask, w.size());
    detail::write_vector(exec, w, detail::mask_of(mask, d), accumulator, t, d.replace, {});
}

/// a ⊕ b, a ⊗ b and their like on vectors of one length: see those of matrices. Operators of three arguments are given
/// the index.
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

/// f(u_i) or f(u_i, i) for every entry (GrB_apply).
template <executor Executor, class F, class T, class I>
auto apply(Executor const& exec, F const& f, sparse_vector<T, I> const& u) {
    detail::parted_list<T, I> const x(exec, u, detail::list_parts(u.entries(), u.size()));
    auto mapped = apply(exec, detail::at_index<F>{f}, x.view());
    return detail::vector_of_rows(exec, u.size(), std::move(mapped));
}

/// The entries with keep(u_i) or keep(u_i, i) (GrB_select).
template <executor Executor, class Keep, class T, class I>
sparse_vector<T, I> select_entries(Executor const& exec, Keep const& keep, sparse_vector<T, I> const& u) {
    detail::parted_list<T, I> const x(exec, u, detail::list_parts(u.entries(), u.size()));
    return detail::vector_of_rows(exec, u.size(), select_entries(exec, detail::at_index<Keep>{keep}, x.view()));
}

/// All entries folded by a monoid; its identity where there are none. Waits.
template <executor Executor, adder Add, class T, class I>
auto reduce_to_scalar(Executor const& exec, Add const& add, sparse_vector<T, I> const& u) {
    buffer<I> indices;
    buffer<T> values;
    auto const list = u.as_list(exec, indices, values);
    return detail::result_of(add, reduce(exec, list.entries(), add.identity(),
                                         detail::element_as_sum<T, Add>{list.values.data(), add}, add));
}

/// u(list): entry k is that of index list[k] (GrB_extract); argument_error for an index outside of u.
template <executor Executor, class T, class I>
sparse_vector<T, I> extract(Executor const& exec, sparse_vector<T, I> const& u,
                            std::type_identity_t<array_view<I const>> wanted) {
    detail::prepared_list<I> const checked(exec, wanted, u.size(), "index");
    buffer<I> indices, found(exec, wanted.size());
    buffer<T> values, taken(exec, wanted.size());
    detail::find_in_list<T, I> const find{u.as_list(exec, indices, values)};
    std::int64_t const count = select(exec, wanted.size(), detail::is_listed<T, I>{find, wanted.data()},
                                      detail::take_listed<T, I>{find, wanted.data(), found.data(), taken.data()});
    return {exec, wanted.size(), copy_of(exec, found.view().slice(0, count)),
            copy_of(exec, taken.view().slice(0, count))};
}

namespace detail {

/// The vector of length n with the entries of u at list[index].
template <executor Executor, class T, class I>
sparse_vector<T, I> spread(Executor const& exec, sparse_vector<T, I> const& u, array_view<I const> list,
                           std::int64_t n) {
    buffer<I> indices, places(exec, u.entries());
    buffer<T> values;
    auto const from = u.as_list(exec, indices, values);
    for_each(exec, from.entries(), spread_entry<T, I>{from, list.data(), places.data()});
    buffer<T> moved = copy_of(exec, from.values);
    sort_by_key(exec, places.view(), moved.view());
    return {exec, n, std::move(places), std::move(moved)};
}

} // namespace detail

/// w<mask>(list) = w(list) ⊙ u (GrB_assign): the mask has the length of w. An index that occurs twice is an
/// argument_error.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void assign(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
            sparse_vector<T, I> const& u, std::type_identity_t<array_view<I const>> list, descriptor const& d = {}) {
    require_size("elements that are assigned", u.size(), list.size());
    detail::require_length(mask, w.size());
    detail::prepared_list<I> const checked(exec, list, w.size(), "index");
    checked.require_distinct("elements");
    auto const flags = detail::flags_of(exec, checked.map(), w.size());
    detail::write_vector(exec, w, detail::mask_of(mask, d), accumulator, detail::spread(exec, u, list, w.size()),
                         d.replace, detail::region{nullptr, flags.data(), false});
}

/// `w(list)<mask> = w(list) ⊙ u` (GxB_subassign): the mask has the length of u, and nothing outside of the list
/// changes.
template <executor Executor, class W, class T, class I, class Mask, class Accumulator>
void subassign(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
               sparse_vector<T, I> const& u, std::type_identity_t<array_view<I const>> list, descriptor const& d = {}) {
    require_size("elements that are assigned", u.size(), list.size());
    detail::require_length(mask, u.size());
    detail::prepared_list<I> const checked(exec, list, w.size(), "index");
    checked.require_distinct("elements");
    auto const flags = detail::flags_of(exec, checked.map(), w.size());
    detail::region const inside{nullptr, flags.data(), true};
    auto const t = detail::spread(exec, u, list, w.size());
    if constexpr (std::is_same_v<Mask, no_mask>) {
        detail::write_vector(exec, w, detail::mask_of(mask, d), accumulator, t, d.replace, inside);
    } else {
        auto const wide = detail::spread(exec, mask, list, w.size());
        detail::write_vector(exec, w, detail::mask_of(wide, d), accumulator, t, d.replace, inside);
    }
}

/// w<mask> = w ⊙ value at every element that the mask admits (GrB_assign of a scalar to all). With a mask that is a
/// list and not complemented, into a bitmap, this costs O(entries of the mask).
template <executor Executor, class W, class I, class Mask, class Accumulator>
void assign_scalar(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
                   std::type_identity_t<W> value, descriptor const& d = {}) {
    detail::require_length(mask, w.size());
    if constexpr (!std::is_same_v<Mask, no_mask>) {
        using M = typename Mask::value_type;
        if (mask.format() == vector_format::list && w.format() != vector_format::list && !d.complement && !d.replace) {
            auto const at = mask.list();
            M const* const values = d.structure ? nullptr : at.values.data();
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
    std::int64_t const parts = detail::list_parts(w.size(), w.size()), width = detail::part_width(w.size(), parts);
    using rows = detail::constant_entries<W, std::remove_const_t<decltype(reader)>>;
    auto const t = detail::vector_of_rows(exec, w.size(),
                                          detail::build_rows<W, I, std::int64_t>(exec, static_cast<I>(parts),
                                                                                 static_cast<I>(w.size()),
                                                                                 rows{value, w.size(), width, reader}));
    detail::write_vector(exec, w, reader, accumulator, t, d.replace, {});
}

/// The vector of the tuples (indices[k], values[k]) in any order; duplicates as for matrices (GrB_Vector_build).
template <executor Executor, class T, class I, class Op>
sparse_vector<T, I> build_vector(Executor const& exec, std::int64_t n, array_view<I const> indices,
                                 array_view<T const> values, Op const& duplicates) {
    buffer<I> const zeros = [&] {
        buffer<I> z(exec, indices.size());
        fill(exec, z.view(), I(0));
        return z;
    }();
    auto built = build(exec, I(1), checked_cast<I>(n, "length of a vector"), zeros.view(), indices, values, duplicates);
    auto parts = std::move(built).release();
    return {exec, n, std::move(parts.indices), std::move(parts.values)};
}

/// u of another length: what has no place any more is gone (GrB_Vector_resize).
template <executor Executor, class T, class I>
sparse_vector<T, I> resize(Executor const& exec, sparse_vector<T, I> const& u, std::int64_t n) {
    buffer<I> indices;
    buffer<T> values;
    auto const list = u.as_list(exec, indices, values);
    std::int64_t const kept =
        reduce(exec, list.entries(), std::int64_t{0}, detail::is_below<I>{list.indices.data(), n}, plus{});
    return {exec, n, copy_of(exec, list.indices.slice(0, kept)), copy_of(exec, list.values.slice(0, kept))};
}

} // namespace coppice
