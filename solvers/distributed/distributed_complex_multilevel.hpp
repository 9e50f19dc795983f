// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method for complex matrices over several ranks: distributed_multilevel of the real form.
///
/// The class holds a type-erased preconditioner of the real form, so that the levels are compiled for real numbers
/// only.
#pragma once

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/complex_form.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/levels/symmetry_over_ranks.hpp>
#include <coppice/solvers/distributed/rows/compact_indices.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>
#include <coppice/solvers/multilevel/complex_multilevel.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Copies the rows of a rank to the host.
template <executor Executor, class R>
complex_rows<R> complex_rows_of(Executor const& exec, rank_communicator const& comm,
                                distributed_csr<Executor, std::complex<R>> const& a) {
    auto const& own = a.own_block();
    auto const& others = a.couplings();
    auto const offsets = to_vector(exec, own.row_offsets()), columns = to_vector(exec, own.column_indices());
    auto const values = to_vector(exec, own.values());
    complex_rows<R> rows{a.begins(), a.begins()[std::size_t(comm.rank())]};
    auto const add = [&](std::int32_t column, std::complex<R> value) {
        rows.columns.push_back(column);
        rows.values.push_back({value.real(), value.imag()});
    };
    std::size_t other = 0;
    for (std::size_t i = 0; i < std::size_t(own.rows()); ++i) {
        for (auto k = std::size_t(offsets[i]); k < std::size_t(offsets[i + 1]); ++k) add(columns[k], values[k]);
        if (other < others.rows.size() && others.rows[other] == std::int32_t(i)) {
            for (auto k = std::size_t(others.offsets[other]); k < std::size_t(others.offsets[other + 1]); ++k)
                add(rows.local_column(others.columns[k]), others.values[k]);
            ++other;
        }
        rows.offsets.push_back(std::int32_t(rows.columns.size()));
    }
    return rows;
}

/// Preconditioner: complex_multilevel over all ranks. Aggregates do not cross rank boundaries.
template <executor Executor, class R>
class distributed_complex_multilevel {
public:
    using number = std::complex<R>;

    /// Collective. Throws the exceptions of complex_multilevel and of the multilevel method over ranks.
    distributed_complex_multilevel(Executor const& exec, rank_communicator const& comm,
                                   distributed_csr<Executor, number> const& a, chosen_options const& chosen,
                                   near_null_space<number> const& near)
        : comm_(comm), levels_(make(exec, a, chosen, near)) {}

    void apply(Executor const& exec, array_view<number const> r, array_view<number> z) const {
        auto const to = coppice::detail::as_elements(z);
        levels_.apply(exec, reals<R const>(r), reals<R>(z));
        if (!(factor_ == element(R(1))))
            for_each(exec, to.size(), multilevel_detail::scale_elements<R>{factor_, false, to.data(), to.data()});
    }
    /// z = M^-T r, as complex_multilevel::apply_transpose(). Collective. Allocates a vector.
    void apply_transpose(Executor const& exec, array_view<number const> r, array_view<number> z) const {
        using multilevel_detail::scale_elements;
        auto const from = coppice::detail::as_elements(r);
        auto const to = coppice::detail::as_elements(z);
        buffer<number> conjugated(exec, r.size());
        auto const temporary = coppice::detail::as_elements(conjugated.view());
        for_each(exec, from.size(), scale_elements<R>{element(R(1)), true, from.data(), temporary.data()});
        levels_.apply_transpose(exec, reals<R const>(array_view<number const>(conjugated.view())), reals<R>(z));
        for_each(exec, to.size(), scale_elements<R>{factor_, true, to.data(), to.data()});
    }
    bool replayable() const { return levels_.replayable(); } // not covered: devices only
    void refresh(Executor const&, csr_view<number>) {
        throw argument_error("the multilevel method of several ranks needs the rows of all ranks: call "
                             "refresh_distributed_preconditioner()");
    }
    /// Recomputes all values for new values on the same pattern. Collective. Throws refused_refresh on all ranks,
    /// before any change.
    void refresh(Executor const& exec, distributed_csr<Executor, number> const& a) {
        auto const host = set_up_executor(exec);
        auto const rows = complex_rows_of(exec, comm_, a);
        auto const factor = hermitian_ ? factor_ : factor_of_phases(host, comm_, rows, factor_);
        refresh_distributed_preconditioner(exec, levels_, real_form(exec, real_rows(host, rows, factor)));
        factor_ = factor; // that of a refused matrix is not stored
    }
    std::vector<finding> findings() const { return levels_.report().findings; }

private:
    using element = complex_pair<R>;

    template <class To, class From>
    static array_view<To> reals(array_view<From> x) {
        return {reinterpret_cast<To*>(x.data()), 2 * x.size()};
    }
    distributed_csr<Executor, R> real_form(Executor const& exec, row_block<R> const& rows) const {
        return {exec, comm_, rows.offsets, rows.columns, rows.values};
    }
    /// The options of the real form with `block` unknowns per point. Not Hermitian: a smoother that suits such
    /// matrices.
    option_values real_options(chosen_options const& chosen, int block) const {
        option_values options = chosen.all();
        std::string_view const smoother = chosen.text("smoother");
        if (!hermitian_ && smoother == "gauss-seidel") multilevel_detail::refuse_gauss_seidel();
        if (!hermitian_ && smoother == "auto") options.set("smoother", "jacobi");
        options.set("block", std::to_string(block));
        return options;
    }
    any_preconditioner<Executor, R> make(Executor const& exec, distributed_csr<Executor, number> const& a,
                                         chosen_options const& chosen, near_null_space<number> const& near) {
        auto const host = set_up_executor(exec);
        int const block = std::max(multilevel_entry::block_of(chosen, near.block, near.count), 1);
        auto const given = to_vector(exec, near.vectors);
        auto const rows = complex_rows_of(exec, comm_, a);
        multilevel_detail::require_complex_sizes(near_null_space<number>{block, near.count, near.vectors}, a.size());
        auto const of_rank =
            near.count > 0
                ? near_vectors_of(host, coppice::detail::as_elements(array_view<number const>(given)), near.count)
                : near_vectors_of(host, comm_, rows, block);
        auto const vectors = exec.copy(of_rank.elements);
        near_null_space<R> const of_form{2 * block, of_rank.count, vectors.view()};
        auto real = real_form(exec, real_rows(host, rows, factor_));
        hermitian_ = is_symmetric_over_ranks(exec, comm_, real);
        auto const options = real_options(chosen, 2 * block);
        if (!hermitian_) {
            factor_ = factor_of_phases(host, comm_, rows, factor_);
            real = real_form(exec, real_rows(host, rows, factor_));
        }
        auto made = make_distributed_preconditioner(exec, comm_, "multilevel", real, options, of_form);
        exec.synchronize(); // before the vectors are freed
        return made;
    }

    rank_communicator comm_;
    bool hermitian_ = false;
    element factor_{R(1)};
    any_preconditioner<Executor, R> levels_; ///< of the real form of factor_ A
};

} // namespace distributed
} // namespace coppice::inline v0_1
