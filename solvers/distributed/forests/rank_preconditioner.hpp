// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the preconditioners made of forests over ranks have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>

namespace coppice::inline v0_1::distributed {

/// The data of a preconditioner of all ranks on one of them, and what it computes: see rank_preconditioner.
template <executor Executor, class T>
struct rank_state {
    rank_communicator comm;
    std::int64_t rows; ///< of this rank

    rank_state(rank_communicator const& ranks, distributed_csr<Executor, T> const& a) : comm(ranks), rows(a.size()) {}
    rank_state(rank_state const&) = delete;
    rank_state& operator=(rank_state const&) = delete;
    virtual ~rank_state() = default;

    virtual void apply(Executor const& exec, array_view<T const> r, array_view<T> z) = 0; ///< r[rows], z[rows]
    virtual void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) = 0;
    virtual void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) = 0;
    virtual bool replayable() const = 0;
    virtual bool varies() const { return false; }
    virtual void begin_solve() {}
    virtual int count() const { return 1; } ///< of the factors
    virtual std::vector<finding> findings() const = 0;
};

/// A preconditioner of all ranks, as seen by one of them. Derived classes have constructors, which make the state, and
/// no data.
template <executor Executor, class T>
class rank_preconditioner {
public:
    /// z = M^-1 r. r[size] and z[size] are the blocks of this rank, in the order of the rows of A. `exec` is the
    /// executor of the constructor. Collective. Throws dimension_error for other sizes.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_sizes(r, z);
        state_->apply(exec, r, z);
    }
    /// z = M^-T r, unless the preconditioner varies(); otherwise as apply(). Allocates and waits.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_sizes(r, z);
        state_->apply_transpose(exec, r, z);
    }
    /// Reads the values of a matrix with the pattern of the first one. Forests, other patterns and all plans are
    /// reused; the result has the bits of a new preconditioner with these forests and patterns. Collective. Throws
    /// refused_refresh on all ranks, before any change, for another pattern and for values that are not finite.
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) { state_->refresh(exec, a); }
    /// Needs the rows of all ranks: throws argument_error.
    void refresh(Executor const&, csr_view<T>) {
        throw argument_error("a preconditioner of several ranks needs the rows of all ranks: call "
                             "refresh_distributed_preconditioner()");
    }
    bool replayable() const { return !varies() && state_->replayable(); }
    bool varies() const { return state_->varies(); }    ///< "alt-o" with several factors
    void begin_solve() const { state_->begin_solve(); } ///< if it varies(): the next call uses the first factor
    int factors() const { return state_->count(); }
    /// As of the class of one rank; equal on all ranks except for the times.
    std::vector<finding> findings() const { return state_->findings(); }

protected:
    rank_preconditioner() = default; ///< for derived classes, whose constructors set the state

    std::unique_ptr<rank_state<Executor, T>> state_{};

private:
    void require_sizes(array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, state_->rows);
        require_size("z of a preconditioner", z, state_->rows);
    }
};

/// Instantiates a derived class for an executor.
#define COPPICE_RANK_PRECONDITIONER(EXTERN, CLASS, EXECUTOR)                                                           \
    EXTERN template class CLASS<EXECUTOR, float>;                                                                      \
    EXTERN template class CLASS<EXECUTOR, double>;
/// Declares these instantiations for all executors.
#if defined(COPPICE_HAS_CUDA)
#define COPPICE_DECLARE_RANK_PRECONDITIONER(CLASS)                                                                     \
    COPPICE_RANK_PRECONDITIONER(extern, CLASS, host_executor)                                                          \
    COPPICE_RANK_PRECONDITIONER(extern, CLASS, cuda_executor)
#else
#define COPPICE_DECLARE_RANK_PRECONDITIONER(CLASS) COPPICE_RANK_PRECONDITIONER(extern, CLASS, host_executor)
#endif

} // namespace coppice::inline v0_1::distributed
