// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Converts exceptions of the library to PETSc errors.
#pragma once

#include <exception>
#include <new>

#include <petscsys.h>

#include <coppice/core/error.hpp>

namespace coppice::petsc {

inline PetscErrorCode code_of(error_code code) {
    switch (code) {
    case error_code::dimension_mismatch:
        return PETSC_ERR_ARG_SIZ;
    case error_code::invalid_matrix:
        return PETSC_ERR_ARG_INCOMP;
    case error_code::overflow:
        return PETSC_ERR_ARG_OUTOFRANGE;
    case error_code::out_of_memory:
        return PETSC_ERR_MEM;
    case error_code::device:
        return PETSC_ERR_GPU;
    case error_code::backend_unavailable:
        return PETSC_ERR_SUP;
    default:
        return PETSC_ERR_ARG_WRONG;
    }
}

/// Calls work(), which returns a PetscErrorCode. An exception becomes a PETSc error of this rank with its message.
template <class Work>
PetscErrorCode guarded(Work&& work) {
    try {
        return work();
    } catch (error const& e) {
        SETERRQ(PETSC_COMM_SELF, code_of(e.code()), "coppice: %s", e.what());
    } catch (std::bad_alloc const&) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "coppice: out of memory");
    } catch (std::exception const& e) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "coppice: %s", e.what());
    }
}

} // namespace coppice::petsc
