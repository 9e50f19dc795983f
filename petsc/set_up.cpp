// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Set-up of PCType "coppice": a preconditioner for all ranks, or for the diagonal block of each.
#include <algorithm>
#include <functional>
#include <string>

#include <coppice/parts.hpp>

#include "petsc/aij_rows.hpp"
#include "petsc/pc_state.hpp"

namespace coppice::petsc {
namespace {

/// Near-null-space vectors of MatSetNearNullSpace(): their elements on this rank, one vector after the other.
struct near_vectors {
    std::vector<PetscScalar> elements{};
    int count = 0;
    std::vector<PetscObjectState> states{}; ///< the id of the null space, and the states of its vectors; empty: none
};

PetscErrorCode copy_near_null_space(Mat matrix, PetscInt rows, near_vectors& to) {
    PetscFunctionBegin;
    MatNullSpace space = nullptr;
    PetscCall(MatGetNearNullSpace(matrix, &space));
    if (!space) PetscFunctionReturn(0);
    PetscBool constant = PETSC_FALSE;
    PetscInt count = 0;
    Vec const* vectors = nullptr;
    PetscCall(MatNullSpaceGetVecs(space, &constant, &count, &vectors));
    PetscObjectId id = 0;
    PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(space), &id));
    to.states.push_back(PetscObjectState(id));
    to.count = int(count) + (constant ? 1 : 0);
    to.elements.assign(std::size_t(to.count) * std::size_t(rows), PetscScalar(1));
    PetscScalar* elements = to.elements.data() + (constant ? rows : 0);
    for (PetscInt k = 0; k < count; ++k) {
        PetscObjectState state = 0;
        PetscScalar const* of_vector = nullptr;
        PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(vectors[k]), &state));
        to.states.push_back(state);
        PetscCall(VecGetArrayRead(vectors[k], &of_vector));
        elements = std::copy_n(of_vector, rows, elements);
        PetscCall(VecRestoreArrayRead(vectors[k], &of_vector));
    }
    PetscFunctionReturn(0);
}
/// The same; a failed allocation is an error of this rank.
PetscErrorCode read_near_null_space(Mat matrix, PetscInt rows, near_vectors& to) {
    PetscFunctionBegin;
    PetscCall(guarded([&] { return copy_near_null_space(matrix, rows, to); }));
    PetscFunctionReturn(0);
}

/// The options of multilevel with the block size of the matrix, unless the option block is given.
option_values with_block_size(pc_state const& s, PetscInt block) {
    option_values options = s.choice.options;
    constexpr PetscInt largest = 32; // of the option
    if (s.choice.name == "multilevel" && block > 1 && block <= largest && !options.find("block"))
        options.set("block", std::to_string(block));
    return options;
}

/// The near-null-space vectors of multilevel, which has these options; without vectors, nothing.
near_null_space<PetscScalar> near_null_space_of(option_values const& options, near_vectors const& near) {
    if (near.count == 0) return {};
    option_value const* const given = options.find("block");
    return {given ? std::stoi(given->text) : 1, near.count,
            array_view<PetscScalar const>(near.elements.data(), std::int64_t(near.elements.size()))};
}

/// The preconditioner of a rank; multilevel with the block size of the matrix and the near-null-space vectors.
any_scalar_preconditioner make_for_block(pc_state const& s, csr_view<PetscScalar> a, PetscInt block,
                                         near_vectors const& near) {
    option_values const options = with_block_size(s, block);
    if (near.count > 0)
        return make_preconditioner(*s.exec, s.choice.name, a, options, near_null_space_of(options, near));
    return make_preconditioner(*s.exec, s.choice.name, a, options);
}

/// Whether only values have changed since the last set-up.
bool can_refresh(PC pc, near_vectors const& near) {
    pc_state const& s = state_of(pc);
    return s.made && !s.changed && near.states == s.near_states && pc->flag == SAME_NONZERO_PATTERN;
}

/// Makes the preconditioner for the block of this rank, or refreshes it if only values have changed.
PetscErrorCode set_up_block(PC pc, Mat matrix) {
    PetscFunctionBegin;
    pc_state& s = state_of(pc);
    Mat block = nullptr;
    PetscCall(MatGetDiagonalBlock(matrix, &block));
    near_vectors near;
    PetscInt size = 1, rows = 0;
    PetscCall(MatGetBlockSize(pc->pmat, &size));
    PetscCall(MatGetLocalSize(block, &rows, nullptr));
    if (s.choice.name == "multilevel") PetscCall(read_near_null_space(pc->pmat, rows, near));
    PetscCall(with_rows(block, [&](csr_view<PetscScalar> a) -> PetscErrorCode {
        if (can_refresh(pc, near)) {
            s.made->refresh(*s.exec, a);
            return 0;
        }
        s.made.reset();
        s.exec.emplace(int(s.threads));
        s.made = make_for_block(s, a, size, near);
        s.near_states = near.states;
        s.changed = false;
        return 0;
    }));
    PetscFunctionReturn(0);
}

/// Refreshes the preconditioner of all ranks; returns false if the matrix needs a new one. Collective.
template <class T>
bool refreshed(pc_state& s, distributed_csr<host_executor, T> const& a) {
    try {
        refresh_distributed_preconditioner(*s.exec, *s.made, a);
        return true;
    } catch (refused_refresh const&) { // on all ranks
        return false;
    }
}

/// Makes the preconditioner of all ranks, or refreshes it if only values have changed. Collective: a failure on one
/// rank is an error on all.
template <class T>
PetscErrorCode set_up_over_ranks(PC pc, Mat matrix) {
    PetscFunctionBegin;
    pc_state& s = state_of(pc);
    row_block<T> rows;
    near_vectors near;
    PetscInt size = 1, local = 0;
    PetscCall(MatGetBlockSize(pc->pmat, &size));
    PetscCall(MatGetLocalSize(matrix, &local, nullptr));
    PetscErrorCode read = s.choice.name == "multilevel" ? read_near_null_space(pc->pmat, local, near) : 0;
    if (!read) read = read_rows_of_rank(matrix, rows);
    PetscCall(guarded([&]() -> PetscErrorCode {
        if (!s.ranks) s.ranks = std::make_unique<mpi::transport>(PetscObjectComm(reinterpret_cast<PetscObject>(pc)));
        s.ranks->run([&] {
            if (read) throw argument_error("the rows of the matrix or its near null space cannot be read");
            rank_communicator const comm(*s.ranks);
            bool const refreshes = comm.all_reduce(int(can_refresh(pc, near)), std::logical_and{}) != 0;
            if (!refreshes) {
                s.made.reset();
                s.exec.emplace(int(s.threads));
            }
            distributed_csr<host_executor, T> const a(*s.exec, comm, rows.offsets, rows.columns, rows.values);
            if (refreshes && refreshed(s, a)) return;
            s.made.reset();
            option_values const options = with_block_size(s, size);
            s.made = make_distributed_preconditioner(*s.exec, comm, s.choice.name, a, options,
                                                     near_null_space_of(options, near));
        });
        s.near_states = near.states;
        s.changed = false;
        return 0;
    }));
    PetscFunctionReturn(0);
}

} // namespace

PetscErrorCode set_up(PC pc) {
    PetscFunctionBegin;
    MPI_Comm const comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
    PetscMPIInt rank = 0, ranks = 1;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    pc_state& s = state_of(pc);
    s.transposed = false;
    aij_matrix matrix;
    PetscCall(matrix.of(pc->pmat));
    PetscErrorCode const status =
        is_over_ranks(s, ranks) ? set_up_over_ranks<PetscScalar>(pc, matrix) : set_up_block(pc, matrix);
    int failed = status ? rank : ranks;
    if (ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MIN, comm));
    if (failed < ranks) s.made.reset(); // all ranks make it anew, or none
    PetscCall(status);
    PetscCheck(failed == ranks, PETSC_COMM_SELF, PETSC_ERR_LIB, "coppice: the set-up failed on rank %d", failed);
    PetscFunctionReturn(0);
}

} // namespace coppice::petsc
