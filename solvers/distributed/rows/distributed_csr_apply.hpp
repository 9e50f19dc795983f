// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_csr.hpp. Included by the two sources that instantiate them.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <coppice/core/parallel.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Memory for products of complex matrices, which would allocate on CUDA without it.
template <class T, executor Executor>
buffer<std::byte> product_workspace(Executor const& exec, srcsr_plan<std::int32_t> const& plan) {
    if constexpr (is_complex_number<T>)
        return buffer<std::byte>(exec, plan.template workspace<element_t<T>>());
    else
        return {};
}

/// Copies the values of the own block from those of all entries, without those at the positions `outer`, ascending.
template <class T>
struct take_own_values {
    T const* values;
    std::int32_t const* outer;
    std::int64_t count;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t before = 0, end = count; // number of j with outer[j] - j <= k
        while (before < end) {
            std::int64_t const middle = (before + end) / 2;
            if (outer[middle] - middle <= k)
                before = middle + 1;
            else
                end = middle;
        }
        to[k] = values[k + before];
    }
};

template <class T>
struct add_to_rows {
    T* y;
    std::int32_t const* rows;
    COPPICE_HD void operator()(std::int64_t row, T sum) const { y[rows[row]] += sum; }
};

/// Some rows of a rank, with their entries in columns of the halo.
template <executor Executor, class T>
struct halo_rows {
    buffer<std::int32_t> rows{}, offsets{}, columns{};
    buffer<T> values{};
    srcsr_plan<std::int32_t> plan{};
    mutable buffer<std::byte> workspace{};
    std::int64_t halo_size = 0;

    halo_rows() = default;
    halo_rows(Executor const& exec, buffer<std::int32_t> of, buffer<std::int32_t> begin, buffer<std::int32_t> positions,
              buffer<T> entries, std::int64_t halo)
        : rows(std::move(of)), offsets(std::move(begin)), columns(std::move(positions)), values(std::move(entries)),
          halo_size(halo) {
        plan = make_srcsr_plan(exec, view());
        workspace = product_workspace<T>(exec, plan);
    }
    halo_rows copy(Executor const& exec) const {
        return {exec,     copy_of(exec, rows), copy_of(exec, offsets), copy_of(exec, columns), copy_of(exec, values),
                halo_size};
    }
    csr_view<T> view() const {
        return {std::int32_t(rows.size()),
                std::int32_t(halo_size),
                std::int32_t(values.size()),
                offsets.data(),
                columns.data(),
                values.data()};
    }
    /// Calls store(k, the product of the k-th row with the halo).
    template <class Store>
    void reduce(Executor const& exec, T const* halo, Store const& store) const {
        if (rows.size() == 0) return;
        detail::multiply_stored<T, std::int32_t, T> const product{halo};
        reduce_rows(exec, plan, along_nonzeros{product, values.data(), columns.data()}, add_plus<T>{}, store,
                    workspace.view());
    }
};

template <class T>
struct multiply_at_row {
    T const* values;
    std::int32_t const* columns;
    std::int32_t const* rows; ///< of the columns, in x
    T const* x;
    COPPICE_HD T operator()(std::int64_t k) const { return values[k] * x[rows[columns[k]]]; }
};

/// Positions of the values that other ranks send for the rows of this rank, as rows with entries 1: their order is that
/// of the ranks.
template <class T, executor Executor>
halo_rows<Executor, T> received_by_row(Executor const& exec, std::vector<std::int32_t> const& row_of) {
    std::vector<std::int32_t> positions(row_of.size()), rows, offsets{0};
    std::iota(positions.begin(), positions.end(), 0);
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::int32_t p, std::int32_t q) { return row_of[std::size_t(p)] < row_of[std::size_t(q)]; });
    for (std::int32_t const p : positions) {
        std::int32_t const row = row_of[std::size_t(p)];
        if (rows.empty() || rows.back() != row) {
            rows.push_back(row);
            offsets.push_back(offsets.back());
        }
        ++offsets.back();
    }
    return {exec,
            exec.copy(rows),
            exec.copy(offsets),
            exec.copy(positions),
            exec.copy(std::vector<T>(positions.size(), T(1))),
            std::int64_t(positions.size())};
}

/// A^T x of the rows of a rank.
template <executor Executor, class T>
class transposed_rows {
public:
    /// y = A^T x. `outer`: the entries in columns of other ranks. Collective.
    void multiply(Executor const& exec, rank_communicator const& comm, halo_plan const& halo, csr_view<T> own,
                  halo_rows<Executor, T> const& outer, array_view<T const> x, array_view<T> y) {
        if (own.rows() > 0) own_.multiply(exec, own, x.data(), detail::store_value<T>{y.data()});
        if (!halo.any) return;
        if (!received_rows_) {
            received_rows_ = received_by_row<T>(exec, halo.send_rows);
            sent_ = buffer<T>(exec, outer.halo_size);
            received_ = buffer<T>(exec, std::int64_t(halo.send_rows.size()));
        }
        if (outer.rows.size() > 0) {
            auto const m = outer_.of(exec, outer.view());
            reduce_rows(exec, outer_.plan(), multiply_at_row<T>{m.coefficients, m.indices, outer.rows.data(), x.data()},
                        add_plus<T>{}, detail::store_value<T>{sent_.data()});
        }
        exchange(exec, comm, halo.receive_begin, static_cast<T const*>(sent_.data()), halo.send_begin,
                 received_.data());
        received_rows_->reduce(exec, received_.data(), add_to_rows<T>{y.data(), received_rows_->rows.data()});
    }
    /// Call it if values of A change.
    void clear() {
        own_.clear();
        outer_.clear();
    }

private:
    detail::transposed_matrix<Executor, T, std::int32_t> own_{}, outer_{};
    std::optional<halo_rows<Executor, T>> received_rows_{};
    buffer<T> sent_{}, received_{};
};

/// Splits the entries of a rank by the owner of their column; on the host.
template <class T>
struct split_rows {
    std::vector<std::int64_t> begin{}; ///< [ranks + 1] first row of each rank
    std::vector<std::int32_t> needs{}; ///< columns of other ranks, ascending
    std::vector<std::int32_t> own_offsets{0}, own_columns{};
    std::vector<T> own_values{};
    std::vector<std::int32_t> outer{};                           ///< rows with entries in columns of other ranks
    std::vector<std::int32_t> outer_offsets{0}, outer_columns{}; ///< positions in `needs`
    std::vector<T> outer_values{};
    std::vector<std::int32_t> outer_entries{}; ///< positions of outer_values in the given order

    split_rows(host_executor const& exec, rank_communicator const& comm, std::vector<std::int32_t> const& offsets,
               std::vector<std::int32_t> const& columns, std::vector<T> const& values) {
        if (offsets.empty()) throw dimension_error("distributed_csr: no offsets, expected one more than rows");
        require_size("columns of distributed_csr", columns, offsets.back());
        require_size("values of distributed_csr", values, offsets.back());
        if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
            throw matrix_error("distributed_csr: offsets must begin with 0 and not decrease");
        auto const rows = std::int32_t(offsets.size() - 1);
        begin = offsets_of_ranks(comm, rows);
        std::int64_t const first = begin[std::size_t(comm.rank())], end = first + rows;
        compact_columns const compact(exec, array_view<std::int32_t const>(columns), index_outside{first, end},
                                      "distributed_csr", begin.back());
        needs = compact.distinct;
        own_columns.reserve(columns.size());
        own_values.reserve(columns.size());
        for (std::int32_t i = 0; i < rows; ++i) {
            for (auto k = std::size_t(offsets[std::size_t(i)]); k < std::size_t(offsets[std::size_t(i) + 1]); ++k) {
                std::int32_t const c = columns[k];
                if (c >= first && c < end) {
                    own_columns.push_back(std::int32_t(c - first));
                    own_values.push_back(values[k]);
                } else {
                    if (outer.empty() || outer.back() != i) {
                        outer.push_back(i);
                        outer_offsets.push_back(outer_offsets.back());
                    }
                    outer_columns.push_back(compact(c));
                    outer_values.push_back(values[k]);
                    outer_entries.push_back(std::int32_t(k));
                    ++outer_offsets.back();
                }
            }
            own_offsets.push_back(std::int32_t(own_columns.size()));
        }
    }
};

} // namespace distributed

template <executor Executor, class T>
struct distributed_csr<Executor, T>::state {
    using element = element_t<T>;

    rank_communicator comm;
    distributed::shared_halo_plan<Executor> plan_of_halo;
    distributed::halo<Executor, element> halo;
    csr<T> own;
    srcsr_plan<std::int32_t> plan;
    distributed::halo_rows<Executor, element> outer;
    buffer<std::int32_t> outer_entries;
    std::vector<std::int64_t> begins;
    entries_of_others couplings;
    mutable buffer<std::byte> workspace; ///< of products with `own`
    distributed::transposed_rows<Executor, element> transposed{};

    state(Executor const& exec, rank_communicator const& of, distributed::split_rows<T> const& rows)
        : comm(of), plan_of_halo(std::make_shared<distributed::placed_halo_plan<Executor> const>(
                        exec, distributed::halo_plan(comm, rows.begin, rows.needs))),
          halo(exec, comm, plan_of_halo),
          own(std::int32_t(rows.own_offsets.size() - 1), std::int32_t(rows.own_offsets.size() - 1),
              exec.copy(rows.own_offsets), exec.copy(rows.own_columns), exec.copy(rows.own_values)),
          plan(make_srcsr_plan(exec, own.view())),
          outer(exec, exec.copy(rows.outer), exec.copy(rows.outer_offsets), exec.copy(rows.outer_columns),
                copy_of(exec, detail::as_elements(array_view<T const>(rows.outer_values))),
                std::int64_t(rows.needs.size())),
          outer_entries(exec.copy(rows.outer_entries)),
          begins(rows.begin), couplings{rows.outer, rows.outer_offsets, rows.outer_columns, rows.outer_values},
          workspace(distributed::product_workspace<T>(exec, plan)) {
        for (std::int32_t& column : couplings.columns) column = rows.needs[std::size_t(column)];
    }
    state(Executor const& exec, state const& from)
        : comm(from.comm), plan_of_halo(from.plan_of_halo), halo(exec, comm, plan_of_halo),
          own(from.own.rows(), from.own.columns(), copy_of(exec, from.own.row_offsets()),
              copy_of(exec, from.own.column_indices()), copy_of(exec, from.own.values())),
          plan(make_srcsr_plan(exec, own.view())), outer(from.outer.copy(exec)),
          outer_entries(copy_of(exec, from.outer_entries)), begins(from.begins), couplings(from.couplings),
          workspace(distributed::product_workspace<T>(exec, plan)) {}

    array_view<element> own_values() { return detail::as_elements(own.values().view()); }
    /// y = A x for the own block.
    void multiply_own(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        if (own.rows() == 0) return;
        if constexpr (is_complex_number<T>)
            spmv(exec, plan, own.view(), x, y, spmv_scalar_t<T, T>(1), spmv_scalar_t<T, T>(0), workspace.view());
        else
            spmv(exec, plan, own.view(), x, y);
    }
};

template <executor Executor, class T>
distributed_csr<Executor, T>::distributed_csr(Executor const& exec, rank_communicator const& comm,
                                              std::vector<std::int32_t> const& offsets,
                                              std::vector<std::int32_t> const& columns, std::vector<T> const& values)
    : state_(std::make_unique<state>(
          exec, comm, distributed::split_rows<T>(distributed::set_up_executor(exec), comm, offsets, columns, values))) {
}
template <executor Executor, class T>
distributed_csr<Executor, T>::distributed_csr(std::unique_ptr<state> of) : state_(std::move(of)) {}
template <executor Executor, class T>
distributed_csr<Executor, T>::distributed_csr(distributed_csr&&) noexcept = default;
template <executor Executor, class T>
distributed_csr<Executor, T>& distributed_csr<Executor, T>::operator=(distributed_csr&&) noexcept = default;
template <executor Executor, class T>
distributed_csr<Executor, T>::~distributed_csr() = default;

template <executor Executor, class T>
std::int64_t distributed_csr<Executor, T>::size() const {
    return state_->own.rows();
}
template <executor Executor, class T>
std::int64_t distributed_csr<Executor, T>::halo() const {
    return state_->outer.halo_size;
}
template <executor Executor, class T>
std::int64_t distributed_csr<Executor, T>::outer_rows() const {
    return state_->outer.rows.size();
}
template <executor Executor, class T>
csr<T> const& distributed_csr<Executor, T>::own_block() const {
    return state_->own;
}

template <executor Executor, class T>
auto distributed_csr<Executor, T>::couplings() const -> entries_of_others const& {
    return state_->couplings;
}
template <executor Executor, class T>
std::vector<std::int64_t> const& distributed_csr<Executor, T>::begins() const {
    return state_->begins;
}
template <executor Executor, class T>
void distributed_csr<Executor, T>::set_values(Executor const& exec, array_view<T const> values) {
    using element = element_t<T>;
    auto const& entries = state_->outer_entries;
    auto& outer = state_->outer.values;
    require_size("values of distributed_csr", values, state_->own.nonzeros() + entries.size());
    element const* const from = detail::as_elements(values).data();
    for_each(exec, state_->own.nonzeros(),
             distributed::take_own_values<element>{from, entries.data(), entries.size(), state_->own_values().data()});
    for_each(exec, entries.size(), detail::gather_at<element, std::int32_t>{from, entries.data(), outer.data()});
    state_->couplings.values = to_vector(exec, detail::as_numbers<T>(outer.view()));
    state_->transposed.clear();
}
template <executor Executor, class T>
void distributed_csr<Executor, T>::copy_values(Executor const& exec, distributed_csr const& from) {
    state const& other = *from.state_;
    require_size("values of distributed_csr in its own block", other.own.nonzeros(), state_->own.nonzeros());
    require_size("values of distributed_csr in columns of other ranks", other.outer.values.size(),
                 state_->outer.values.size());
    exec.copy_elements(other.own.values().data(), state_->own.values().data(), state_->own.nonzeros());
    exec.copy_elements(other.outer.values.data(), state_->outer.values.data(), state_->outer.values.size());
    state_->couplings.values = other.couplings.values;
    state_->transposed.clear();
}
template <executor Executor, class T>
distributed_csr<Executor, T> distributed_csr<Executor, T>::copy(Executor const& exec) const {
    return distributed_csr(std::make_unique<state>(exec, *state_));
}
template <executor Executor, class T>
bool distributed_csr<Executor, T>::replayable() const {
    return state_->halo.replayable();
}

template <executor Executor, class T>
void distributed_csr<Executor, T>::apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
    require_size("length of x", x, size());
    require_size("length of y", y, size());
    auto const to = detail::as_elements(y);
    state_->halo.start(exec, detail::as_elements(x).data());
    state_->multiply_own(exec, x, y);
    state_->halo.finish(exec);
    auto const& outer = state_->outer;
    outer.reduce(exec, state_->halo.values(), distributed::add_to_rows<element_t<T>>{to.data(), outer.rows.data()});
}

template <executor Executor, class T>
void distributed_csr<Executor, T>::apply_transpose(Executor const& exec, array_view<T const> x, array_view<T> y) const {
    require_size("length of x", x, size());
    require_size("length of y", y, size());
    state_->transposed.multiply(exec, state_->comm, state_->plan_of_halo->plan, detail::as_elements(state_->own.view()),
                                state_->outer, detail::as_elements(x), detail::as_elements(y));
}

} // namespace coppice::inline v0_1
