// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PCType "coppice": a preconditioner of the registry, for all ranks (couples_ranks()) or for the diagonal block of
/// each.
#include <string>

#include "petsc/aij_rows.hpp"
#include "petsc/pc_state.hpp"
#include "petsc/plugin.hpp"

namespace coppice::petsc {
namespace {

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

PetscErrorCode apply_transpose(PC pc, Vec r, Vec z) {
    PetscFunctionBegin;
    PetscCall(require_made(pc));
    pc_state& s = state_of(pc);
    // By name, not by varies() of the block of a rank, so that the ranks agree: a block of few rows has one forest.
    PetscCheck(!preconditioner_row_of(s.choice.name).varies, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "coppice: preconditioner %s changes from call to call and has no transpose; use another preconditioner",
               s.choice.name.c_str());
    PetscCall(
        with_elements(r, z, [&](array_view<PetscScalar const> from, array_view<PetscScalar> to) -> PetscErrorCode {
            auto const work = [&] { s.made->apply_transpose(*s.exec, from, to); };
            // The first call allocates; a failure on one rank is then an error on all.
            if (s.ranks && !s.transposed)
                s.ranks->run(work);
            else
                work();
            s.transposed = true;
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
    if (s.made->varies()) PetscCall(PetscViewerASCIIPrintf(viewer, "    changes from call to call: for KSPFGMRES\n"));
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
