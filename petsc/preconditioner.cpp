// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PCType "coppice": a preconditioner of the registry for the diagonal block of each rank; "multilevel" for all ranks.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <petsc/private/pcimpl.h>

#include <coppice/parts.hpp>
#include <coppice/preconditioner.hpp>

#include "mpi/mpi_transport.hpp"
#include "petsc/aij_rows.hpp"
#include "petsc/plugin.hpp"

namespace coppice::petsc {
namespace {

using any_scalar_preconditioner = any_preconditioner<host_executor, PetscScalar>;

constexpr bool is_complex = is_complex_number<PetscScalar>;

/// State of a PC. The ranks on one machine share its cores, so each uses one core by default.
struct pc_state {
    named_choice choice{is_complex ? "jacobi" : "forest", {}};
    PetscInt threads = 1;
    bool changed = true; ///< whether the choice has changed since the preconditioner was made
    std::optional<host_executor> exec{};
    std::unique_ptr<mpi::transport> ranks{}; ///< of a preconditioner over all ranks, which `made` then is
    std::optional<any_scalar_preconditioner> made{};
    std::optional<bool> symmetric{};             ///< whether the matrix of the last set-up is, once that was asked
    std::vector<PetscObjectState> near_states{}; ///< of the near null space of the last set-up
};

pc_state& state_of(PC pc) { return *static_cast<pc_state*>(pc->data); }

/// Returns the state of a PC of this type, null for other types.
PetscErrorCode find_state(PC pc, pc_state** state) {
    PetscFunctionBegin;
    PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
    PetscBool ours = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCCOPPICE, &ours));
    *state = ours ? &state_of(pc) : nullptr;
    PetscFunctionReturn(0);
}

std::string all_names() {
    std::string text;
    auto const add = [&](auto const& names) {
        for (std::string_view const name : names) text += (text.empty() ? "" : " ") + std::string(name);
    };
    if constexpr (is_complex)
        add(complex_preconditioner_names);
    else
        add(preconditioner_names);
    return text;
}

/// Returns the PETSc option of a registry option: "charge-period" becomes -pc_coppice_charge_period.
std::string option_key(std::string_view name) {
    std::string key = "-pc_coppice_" + std::string(name);
    for (char& c : key)
        if (&c > &key[0] && c == '-') c = '_';
    return key;
}

PetscErrorCode set_from_options(PC pc, PetscOptionItems* PetscOptionsObject) {
    PetscFunctionBegin;
    pc_state& s = state_of(pc);
    char text[256];
    PetscBool given = PETSC_FALSE;
    PetscOptionsHeadBegin(PetscOptionsObject, "Coppice preconditioner options");
    PetscCall(PetscOptionsString("-pc_coppice_type", all_names().c_str(), "PCCoppiceSetType", s.choice.name.c_str(),
                                 text, sizeof text, &given));
    if (given) PetscCall(PCCoppiceSetType(pc, text));
    PetscInt threads = s.threads;
    PetscCall(PetscOptionsBoundedInt("-pc_coppice_threads", "cores of a rank; 0 takes all", nullptr, threads, &threads,
                                     nullptr, 0));
    s.changed = s.changed || threads != s.threads;
    s.threads = threads;
    for (option_row const& row : preconditioner_row_of(s.choice.name).options) {
        option_value const* const now = s.choice.options.find(row.name);
        std::string const meaning = std::string(row.meaning) + "; " + expected_of(row);
        std::string const value = now ? now->text : std::string(row.standard);
        PetscCall(PetscOptionsString(option_key(row.name).c_str(), meaning.c_str(), "PCCoppiceSetOption", value.c_str(),
                                     text, sizeof text, &given));
        if (given) PetscCall(PCCoppiceSetOption(pc, std::string(row.name).c_str(), text));
    }
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

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

/// Whether one preconditioner couples all ranks, instead of one for the block of each.
bool is_over_ranks(pc_state const& s, int ranks) { return !is_complex && ranks > 1 && s.choice.name == "multilevel"; }

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
PetscErrorCode set_up_over_ranks([[maybe_unused]] PC pc, [[maybe_unused]] Mat matrix) {
    PetscFunctionBegin;
    if constexpr (!is_complex_number<T>) {
        pc_state& s = state_of(pc);
        row_block<T> rows;
        near_vectors near;
        PetscInt size = 1, local = 0;
        PetscCall(MatGetBlockSize(pc->pmat, &size));
        PetscCall(MatGetLocalSize(matrix, &local, nullptr));
        PetscErrorCode read = read_near_null_space(pc->pmat, local, near);
        if (!read)
            read = with_rows_of_rank(matrix,
                                     [&](csr_view<T> own, csr_view<T> others, PetscInt const* global, PetscInt first) {
                                         rows = rows_with_global_columns(own, others, global, first);
                                         return PetscErrorCode(0);
                                     });
        PetscCall(guarded([&]() -> PetscErrorCode {
            if (!s.ranks)
                s.ranks = std::make_unique<mpi::transport>(PetscObjectComm(reinterpret_cast<PetscObject>(pc)));
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
    }
    PetscFunctionReturn(0);
}

/// If the set-up fails on one rank, all ranks return the error, so that none waits for another.
PetscErrorCode set_up(PC pc) {
    PetscFunctionBegin;
    MPI_Comm const comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
    PetscMPIInt rank = 0, ranks = 1;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    pc_state& s = state_of(pc);
    s.symmetric.reset();
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

/// PETSc does not repeat a set-up that failed as long as the matrix is the same.
PetscErrorCode require_made(PC pc) {
    PetscFunctionBegin;
    PetscCheck(state_of(pc).made, PETSC_COMM_SELF, PETSC_ERR_ORDER,
               "coppice: there is no preconditioner, because the last set-up for this matrix failed");
    PetscFunctionReturn(0);
}

PetscErrorCode apply(PC pc, Vec r, Vec z) {
    PetscFunctionBegin;
    PetscCall(require_made(pc));
    pc_state const& s = state_of(pc);
    PetscCall(
        with_elements(r, z, [&](array_view<PetscScalar const> from, array_view<PetscScalar> to) -> PetscErrorCode {
            s.made->apply(*s.exec, from, to);
            return 0;
        }));
    PetscFunctionReturn(0);
}

/// Over all ranks M^T = M if the matrix is symmetric; its transpose is not available otherwise.
PetscErrorCode require_symmetric(PC pc) {
    PetscFunctionBegin;
    pc_state& s = state_of(pc);
    if (!s.symmetric) {
        PetscBool symmetric = PETSC_FALSE;
        PetscCall(MatIsSymmetric(pc->pmat, 0, &symmetric));
        s.symmetric = symmetric == PETSC_TRUE;
    }
    PetscCheck(*s.symmetric, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "coppice: over several ranks the transpose of the preconditioner %s is available for symmetric matrices "
               "only",
               s.choice.name.c_str());
    PetscFunctionReturn(0);
}

PetscErrorCode apply_transpose(PC pc, Vec r, Vec z) {
    PetscFunctionBegin;
    PetscCall(require_made(pc));
    pc_state& s = state_of(pc);
    PetscMPIInt ranks = 1;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &ranks));
    if (is_over_ranks(s, ranks)) {
        PetscCall(require_symmetric(pc));
        PetscCall(apply(pc, r, z));
        PetscFunctionReturn(0);
    }
    PetscCall(
        with_elements(r, z, [&](array_view<PetscScalar const> from, array_view<PetscScalar> to) -> PetscErrorCode {
            s.made->apply_transpose(*s.exec, from, to);
            return 0;
        }));
    PetscFunctionReturn(0);
}

/// Restarts the cycle of a varying preconditioner at the begin of a solve, but not if it is used as a block of another
/// preconditioner, which is a solve of KSPPREONLY.
PetscErrorCode begin_solve(PC pc, KSP ksp, Vec, Vec) {
    PetscFunctionBegin;
    PetscCall(require_made(pc));
    PetscBool only_applied = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPPREONLY, &only_applied));
    if (!only_applied) state_of(pc).made->begin_solve();
    PetscFunctionReturn(0);
}

PetscErrorCode view(PC pc, PetscViewer viewer) {
    PetscFunctionBegin;
    pc_state const& s = state_of(pc);
    PetscBool ascii = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (!ascii) PetscFunctionReturn(0);
    PetscMPIInt ranks = 1;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &ranks));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  coppice type: %s, %s\n", s.choice.name.c_str(),
                                     is_over_ranks(s, ranks) ? "over all ranks"
                                     : ranks > 1             ? "a block a rank"
                                                             : "one block"));
    if (!s.made) PetscFunctionReturn(0);
    preconditioner_report const report = s.made->report();
    for (auto const& [name, value] : report.options.entries())
        PetscCall(PetscViewerASCIIPrintf(viewer, "    %s: %s\n", name.c_str(), value.text.c_str()));
    if (ranks > 1 && !report.findings.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  found on rank 0\n"));
    for (finding const& f : report.findings)
        PetscCall(PetscViewerASCIIPrintf(viewer, "    %s: %g\n", std::string(f.key).c_str(), f.value));
    if (s.made->varies()) PetscCall(PetscViewerASCIIPrintf(viewer, "    another one at every call: for KSPFGMRES\n"));
    PetscFunctionReturn(0);
}

PetscErrorCode reset(PC pc) {
    PetscFunctionBegin;
    state_of(pc).made.reset();
    PetscFunctionReturn(0);
}

PetscErrorCode destroy(PC pc) {
    PetscFunctionBegin;
    delete static_cast<pc_state*>(pc->data);
    pc->data = nullptr;
    PetscFunctionReturn(0);
}

} // namespace

PetscErrorCode create_preconditioner(PC pc) {
    PetscFunctionBegin;
    PetscCall(guarded([&]() -> PetscErrorCode {
        pc->data = new pc_state;
        return 0;
    }));
    pc->ops->setup = set_up;
    pc->ops->apply = apply;
    pc->ops->applytranspose = apply_transpose;
    pc->ops->presolve = begin_solve;
    pc->ops->setfromoptions = set_from_options;
    pc->ops->view = view;
    pc->ops->reset = reset;
    pc->ops->destroy = destroy;
    PetscFunctionReturn(0);
}

} // namespace coppice::petsc

PetscErrorCode PCCoppiceSetType(PC pc, char const name[]) {
    using namespace coppice;
    PetscFunctionBegin;
    petsc::pc_state* s = nullptr;
    PetscCall(petsc::find_state(pc, &s));
    if (!s) PetscFunctionReturn(0);
    PetscCall(petsc::guarded([&]() -> PetscErrorCode {
        named_choice choice = parse_choice(name);
        auto const& rows = preconditioner_row_of(choice.name).options;
        if (choice.name == s->choice.name)
            for (auto const& [key, value] : s->choice.options.entries())
                if (!choice.options.find(key)) choice.options.set(key, value);
        chosen_options("preconditioner \"" + choice.name + "\"", rows, choice.options);
        s->choice = std::move(choice);
        s->changed = true;
        return 0;
    }));
    PetscFunctionReturn(0);
}

PetscErrorCode PCCoppiceSetOption(PC pc, char const name[], char const value[]) {
    using namespace coppice;
    PetscFunctionBegin;
    petsc::pc_state* s = nullptr;
    PetscCall(petsc::find_state(pc, &s));
    if (!s) PetscFunctionReturn(0);
    PetscCall(petsc::guarded([&]() -> PetscErrorCode {
        option_values options = s->choice.options;
        options.set(name, value);
        chosen_options("preconditioner \"" + s->choice.name + "\"", preconditioner_row_of(s->choice.name).options,
                       options);
        s->choice.options = std::move(options);
        s->changed = true;
        return 0;
    }));
    PetscFunctionReturn(0);
}

PetscErrorCode PCCoppiceGetFinding(PC pc, char const name[], double* value) {
    using namespace coppice;
    PetscFunctionBegin;
    petsc::pc_state* s = nullptr;
    PetscCall(petsc::find_state(pc, &s));
    PetscCheck(s && s->made, PETSC_COMM_SELF, PETSC_ERR_ORDER, "a PC of type coppice finds figures in PCSetUp()");
    PetscCall(petsc::guarded([&]() -> PetscErrorCode {
        *value = s->made->report().number(name);
        return 0;
    }));
    PetscFunctionReturn(0);
}
