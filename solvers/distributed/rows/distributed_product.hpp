// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products C = A B of sparse matrices over any semiring, distributed by contiguous blocks of rows. A rank receives the
/// rows of B that the columns of its rows of A select, and multiplies alone. Ranks are threads, devices or processes.
///
///     auto const c = mxm_distributed(exec, comm, min_plus<double>{}, a, b);   // collective; own rows, global columns
///
///     auto const plan = make_product_plan_distributed(exec, comm, a, b);      // structure, once per pattern
///     auto const c = mxm_distributed(exec, comm, plan, s, a, b);              // again and again, for new values
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/semiring/spgemm/product.hpp>
#include <coppice/solvers/distributed/rows/fetched_rows.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// A semiring that is called with local positions and multiplies at global ones.
template <class Semiring, class I>
struct at_global_positions {
    decltype(Semiring::add) add;
    Semiring s;
    I const* inner; ///< global index of each row of B that this rank has
    std::int64_t first_row;
    static constexpr bool positional = coppice::detail::is_positional_v<Semiring>;
    static constexpr bool allows_rounding = coppice::detail::allows_rounding_v<Semiring>;

    COPPICE_NO_EXEC_CHECK
    template <class A, class X>
    COPPICE_HD auto multiply(A const& a, X const& x, element_positions const& at) const requires positional {
        return s.multiply(a, x,
                          element_positions{first_row + at.first_row, std::int64_t(inner[at.first_column]),
                                            std::int64_t(inner[at.second_row]), at.second_column});
    }
    COPPICE_NO_EXEC_CHECK
    template <class A, class X>
    COPPICE_HD auto multiply(A const& a, X const& x, std::int64_t column) const {
        return s.multiply(a, x, std::int64_t(inner[column]));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Sum>
    COPPICE_HD auto result(Sum const& sum) const {
        return s.result(sum);
    }
};

template <class O>
struct narrow_begin {
    std::int64_t const* from;
    O* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = O(from[i]); }
};

/// The factors of a product on one rank: its rows of A, whose columns are positions in `inner`, and these rows of B.
/// Both keep the order of columns and rows, so that sums are folded in the order of the whole matrices. All arrays are
/// in memory of the executor of the constructor.
template <class I, class O>
class product_factors {
public:
    template <executor Executor, class A, class B>
    product_factors(Executor const& exec, rank_communicator const& comm, csr_view<A, I, O> a, csr_view<B, I, O> b)
        : product_factors(exec, comm, checked_begins(exec, comm, a, b), a, b) {}

    template <class A>
    csr_view<A, I, O> left(csr_view<A, I, O> a) const {
        require_size("rows of A, as in the plan", a.rows(), rows_);
        require_size("nonzeros of A, as in the plan", a.nonzeros(), columns_.positions.size());
        return {a.rows(), I(inner().size()), a.nonzeros(), a.offsets, columns_.positions.data(), a.coefficients};
    }
    /// The values of the rows of B that this rank needs. Collective.
    template <executor Executor, class B>
    buffer<B> fetch_values(Executor const& exec, rank_communicator const& comm, csr_view<B, I, O> b) const {
        require_size("nonzeros of B, as in the plan", b.nonzeros(), b_nonzeros_);
        return rows_of_b_.template fetch<B>(exec, comm, stored_element<B>{b.coefficients});
    }
    template <class B>
    csr_view<B, I, O> right(B const* values) const {
        return {I(inner().size()), b_columns_, O(b_indices_.size()), b_offsets_.data(), b_indices_.data(), values};
    }
    template <class Semiring>
    at_global_positions<Semiring, I> globally(Semiring const& s) const {
        return {s.add, s, inner().data(), first_row_};
    }
    /// Global indices of the rows of B that this rank has, ascending.
    buffer<I> const& inner() const { return columns_.distinct; }

private:
    struct distribution {
        std::vector<std::int64_t> b_begins;
        std::int64_t first_row;
    };
    template <executor Executor, class A, class B>
    product_factors(Executor const& exec, rank_communicator const& comm, distribution const& of, csr_view<A, I, O> a,
                    csr_view<B, I, O> b)
        : rows_(a.rows()), first_row_(of.first_row), b_columns_(b.columns()), b_nonzeros_(b.nonzeros()),
          columns_(number_indices(exec, a.column_indices())),
          rows_of_b_(exec, comm, of.b_begins, to_vector(exec, inner()), b.offsets),
          b_offsets_(exec, inner().size() + 1),
          b_indices_(rows_of_b_.template fetch<I>(exec, comm, stored_element<I>{b.indices})) {
        checked_cast<O>(b_indices_.size(), "number of nonzeros of B that a rank receives");
        for_each(exec, b_offsets_.size(), narrow_begin<O>{rows_of_b_.begin().data(), b_offsets_.data()});
    }

    /// Checks on the owner of the rows, before others receive them.
    template <executor Executor, class A, class B>
    static distribution checked_begins(Executor const& exec, rank_communicator const& comm, csr_view<A, I, O> a,
                                       csr_view<B, I, O> b) {
        struct shape {
            std::int64_t a_rows, a_columns, b_rows, b_columns;
        };
        coppice::detail::require_sorted_columns(exec, a, "first matrix of a product");
        if (!coppice::detail::is_same_pattern(a, b))
            coppice::detail::require_sorted_columns(exec, b, "second matrix of a product");
        distribution of{{0}, 0};
        auto const shapes = comm.gather(shape{a.rows(), a.columns(), b.rows(), b.columns()});
        for (std::size_t p = 0; p < shapes.size(); ++p) {
            if (int(p) < comm.rank()) of.first_row += shapes[p].a_rows;
            of.b_begins.push_back(of.b_begins.back() + shapes[p].b_rows);
            require_size("columns of the first matrix of a product, on each rank", shapes[p].a_columns,
                         shapes[0].a_columns);
            require_size("columns of the second matrix of a product, on each rank", shapes[p].b_columns,
                         shapes[0].b_columns);
        }
        require_size("rows of the second matrix of a product, on all ranks", of.b_begins.back(), a.columns());
        return of;
    }

    std::int64_t rows_, first_row_;
    I b_columns_;
    std::int64_t b_nonzeros_;
    numbered_indices<I> columns_; ///< of the rows of A, as positions in `inner`
    fetched_rows rows_of_b_;
    buffer<O> b_offsets_;
    buffer<I> b_indices_;
};

} // namespace distributed

/// Symbolic phase of a distributed product: the rows of B that the rank needs, and the structure of its rows of C.
/// Reusable while the patterns of A, B and mask do not change. Move-only; in memory of the executor.
template <class I = std::int32_t, class O = I>
struct distributed_product_plan {
    distributed::product_factors<I, O> factors;
    product_plan<I, O> product; ///< offsets and global columns of the rows of C of this rank
};

/// make_product_plan() of a product whose rows are distributed. `a`: the rows of A of this rank, with global columns;
/// `b`: its rows of B. Rank 0 has the first rows, and so on; blocks may be empty, and A and B may be divided
/// differently. Rows of B that the columns of A select are received, once, by each rank that reads them.
///
/// Host and CUDA; arrays are in memory of the executor. Memory of a rank: a copy of the received rows of B and of the
/// rows that it sends, the indices of its rows of A (on CUDA six times that much during the call), and what a product
/// on one rank needs, on the host including one accumulator for each column of B and thread. Collective. Throws
/// dimension_error, on all ranks, if shapes disagree; matrix_error, on this rank, for columns that are not sorted or
/// repeated; overflow_error, on this rank, if the rows that it has or receives have more entries than O can count.
template <executor Executor, class A, class B, class I, class O>
distributed_product_plan<I, O> make_product_plan_distributed(Executor const& exec, rank_communicator const& comm,
                                                             csr_view<A, I, O> a, csr_view<B, I, O> b) {
    distributed::product_factors<I, O> factors(exec, comm, a, b);
    auto product = make_product_plan(exec, factors.left(a), factors.template right<B>(nullptr));
    return {std::move(factors), std::move(product)};
}
/// The same for the entries that a mask admits, as make_masked_product_plan(). `mask`: its rows of this rank, in the
/// blocks of A, with the columns of B.
template <executor Executor, class A, class B, class M, class I, class O>
distributed_product_plan<I, O> make_masked_product_plan_distributed(Executor const& exec, rank_communicator const& comm,
                                                                    csr_view<A, I, O> a, csr_view<B, I, O> b,
                                                                    csr_view<M, I, O> mask, descriptor const& d = {}) {
    detail::require_shape(mask, a.rows(), b.columns());
    detail::require_sorted_columns(exec, mask, "mask of a product");
    distributed::product_factors<I, O> factors(exec, comm, a, b);
    auto product = make_masked_product_plan(exec, factors.left(a), factors.template right<B>(nullptr), mask, d);
    return {std::move(factors), std::move(product)};
}

/// Returns the rows of C = A B of this rank over a semiring, for values on the patterns of the plan: entries
/// ⊕_k a_ik ⊗ b_kj, folded from the identity of ⊕ in ascending k. Bits: those of mxm() on one rank, for any number of
/// ranks and threads; ⊕ need not commute, and a semiring that reads positions receives global ones. On devices, kernels
/// are chosen by the mean lengths of rows, and nvcc fuses multiplication and addition in some of them: the last digits
/// of sums of rounded products may then differ from those of one device. Collective. Throws dimension_error, on this
/// rank, if the numbers of nonzeros are not those of the plan.
template <executor Executor, semiring Semiring, class A, class B, class I, class O>
auto mxm_distributed(Executor const& exec, rank_communicator const& comm, distributed_product_plan<I, O> const& plan,
                     Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    auto const& factors = plan.factors;
    auto const left = factors.left(a);
    auto const values = factors.fetch_values(exec, comm, b);
    return mxm(exec, plan.product, factors.globally(s), left, factors.right(values.data()));
}
/// The same without a plan, in one pass over the products if mxm() of one rank needs one.
template <executor Executor, semiring Semiring, class A, class B, class I, class O>
auto mxm_distributed(Executor const& exec, rank_communicator const& comm, Semiring const& s, csr_view<A, I, O> a,
                     csr_view<B, I, O> b) {
    distributed::product_factors<I, O> const factors(exec, comm, a, b);
    auto const values = factors.fetch_values(exec, comm, b);
    return detail::product_of_sorted(exec, factors.globally(s), factors.left(a), factors.right(values.data()));
}
/// The rows of this rank of masked_mxm(); `mask` as for make_masked_product_plan_distributed().
template <executor Executor, semiring Semiring, class A, class B, class M, class I, class O>
auto masked_mxm_distributed(Executor const& exec, rank_communicator const& comm, Semiring const& s, csr_view<A, I, O> a,
                            csr_view<B, I, O> b, csr_view<M, I, O> mask, descriptor const& d = {}) {
    if constexpr (std::is_base_of_v<host_executor, Executor>) {
        if (!d.complement) {
            detail::require_shape(mask, a.rows(), b.columns());
            detail::require_sorted_columns(exec, mask, "mask of a product");
            distributed::product_factors<I, O> const factors(exec, comm, a, b);
            auto const values = factors.fetch_values(exec, comm, b);
            auto const product = factors.globally(s);
            using Z = detail::semiring_result_t<decltype(product), A, B>;
            return detail::product_inside_mask<Z>(exec, factors.left(a), factors.right(values.data()),
                                                  detail::mask_of(mask, d), product);
        }
    }
    return mxm_distributed(exec, comm, make_masked_product_plan_distributed(exec, comm, a, b, mask, d), s, a, b);
}

COPPICE_ACCEPT_OWNERS(make_product_plan_distributed)
COPPICE_ACCEPT_OWNERS(make_masked_product_plan_distributed)
COPPICE_ACCEPT_OWNERS(mxm_distributed)
COPPICE_ACCEPT_OWNERS(masked_mxm_distributed)

/// The rows of this rank of a product over the semiring with that name (semiring_names) by a plan, whose arrays become
/// those of the product. T is float or double. Throws argument_error, on all ranks, for an unknown name.
template <executor Executor, class T>
csr<T> mxm_distributed(Executor const& exec, rank_communicator const& comm, distributed_product_plan<>&& plan,
                       std::string_view name, csr_view<T> a, csr_view<T> b);

#define COPPICE_DISTRIBUTED_PRODUCTS(PREFIX, EXECUTOR, T)                                                              \
    PREFIX template distributed_product_plan<> make_product_plan_distributed(                                          \
        EXECUTOR const&, rank_communicator const&, csr_view<T>, csr_view<T>);                                          \
    PREFIX template distributed_product_plan<> make_masked_product_plan_distributed(                                   \
        EXECUTOR const&, rank_communicator const&, csr_view<T>, csr_view<T>, csr_view<T>, descriptor const&);          \
    PREFIX template csr<T> mxm_distributed(EXECUTOR const&, rank_communicator const&, distributed_product_plan<>&&,    \
                                           std::string_view, csr_view<T>, csr_view<T>)

COPPICE_DISTRIBUTED_PRODUCTS(extern, host_executor, float);
COPPICE_DISTRIBUTED_PRODUCTS(extern, host_executor, double);
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_PRODUCTS(extern, cuda_executor, float);
COPPICE_DISTRIBUTED_PRODUCTS(extern, cuda_executor, double);
#endif

} // namespace coppice::inline v0_1
