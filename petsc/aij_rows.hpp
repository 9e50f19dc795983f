// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Views of the rows of a matrix of PETSc and of the elements of a Vec, without a copy where the types allow it.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <petscmat.h>

#include <coppice/parts.hpp>

#include "petsc/petsc_error.hpp"

namespace coppice::petsc {

static_assert(std::is_same_v<PetscReal, double> || std::is_same_v<PetscReal, float>,
              "coppice works in single and double precision");

/// 32-bit indices: those of PETSc, or a copy if PetscInt has 64 bits. Throws overflow_error if an index does not fit.
class indices_view {
public:
    template <class Index>
    indices_view(Index const* indices, std::int64_t count) {
        if constexpr (sizeof(Index) == sizeof(std::int32_t)) {
            data_ = indices;
        } else {
            copy_.reserve(std::size_t(count));
            for (std::int64_t k = 0; k < count; ++k)
                copy_.push_back(checked_cast<std::int32_t>(indices[k], "an index of the matrix"));
            data_ = copy_.data();
        }
    }
    std::int32_t const* data() const { return data_; }

private:
    std::int32_t const* data_ = nullptr;
    std::vector<std::int32_t> copy_;
};

/// PETSC_ERR_SUP if the matrix is not of this type.
inline PetscErrorCode require_type(Mat a, MatType expected) {
    PetscFunctionBegin;
    PetscBool is_expected = PETSC_FALSE;
    PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), expected, &is_expected));
    if (!is_expected) {
        MatType type = nullptr;
        PetscCall(MatGetType(a, &type));
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
                "coppice reads matrices of type aij, baij and sbaij; this one is of type %s (MatConvert() changes it)",
                type ? type : "none");
    }
    PetscFunctionReturn(0);
}

/// Calls use(csr_view) for a MATSEQAIJ and returns its PetscErrorCode; PETSC_ERR_SUP for other matrix types.
template <class Use>
PetscErrorCode with_rows(Mat a, Use&& use) {
    PetscFunctionBegin;
    PetscCall(require_type(a, MATSEQAIJ));
    PetscBool done = PETSC_FALSE;
    PetscInt rows = 0, columns = 0;
    PetscInt const *offsets = nullptr, *indices = nullptr;
    PetscScalar const* values = nullptr;
    PetscCall(MatGetSize(a, nullptr, &columns));
    PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &offsets, &indices, &done));
    if (!done) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "the rows of this matrix cannot be read");
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    PetscErrorCode const status = guarded([&]() -> PetscErrorCode {
        std::int64_t const count = rows > 0 ? std::int64_t(offsets[rows]) : 0;
        indices_view const from(offsets, std::int64_t(rows) + 1), in(indices, count);
        return use(csr_view<PetscScalar>{checked_cast<std::int32_t>(rows, "rows of the matrix"),
                                         checked_cast<std::int32_t>(columns, "columns of the matrix"),
                                         checked_cast<std::int32_t>(count, "nonzeros of the matrix"), from.data(),
                                         in.data(), values});
    });
    PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &offsets, &indices, &done));
    PetscCall(status);
    PetscFunctionReturn(0);
}

/// A matrix of type aij: the given one, or a copy of one of type baij or sbaij; other types are returned as they are.
class aij_matrix {
public:
    aij_matrix() = default;
    aij_matrix(aij_matrix const&) = delete;
    aij_matrix& operator=(aij_matrix const&) = delete;
    ~aij_matrix() { static_cast<void>(MatDestroy(&copy_)); }

    /// Collective.
    PetscErrorCode of(Mat a) {
        PetscFunctionBegin;
        PetscBool blocked = PETSC_FALSE;
        PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(a), &blocked, MATSEQBAIJ, MATMPIBAIJ,
                                            MATSEQSBAIJ, MATMPISBAIJ, ""));
        if (blocked) PetscCall(MatConvert(a, MATAIJ, MAT_INITIAL_MATRIX, &copy_));
        matrix_ = blocked ? copy_ : a;
        PetscFunctionReturn(0);
    }
    operator Mat() const { return matrix_; }

private:
    Mat matrix_ = nullptr, copy_ = nullptr;
};

/// The rows of this rank with global columns, sorted.
template <class T>
row_block<T> rows_with_global_columns(csr_view<T> own, csr_view<T> others, PetscInt const* global, PetscInt first) {
    row_block<T> rows;
    rows.first = first;
    auto const last = std::int64_t(first) + own.rows();
    auto const add_others = [&](std::int32_t i, bool before) {
        for (std::int32_t k = others.row_begin(i); k < others.row_end(i); ++k) {
            std::int64_t const column = global[others.indices[k]];
            if ((column < first) != before) continue;
            rows.columns.push_back(checked_cast<std::int32_t>(column, "an index of the matrix"));
            rows.values.push_back(others.coefficients[k]);
        }
    };
    static_cast<void>(checked_cast<std::int32_t>(last, "an index of the matrix"));
    for (std::int32_t i = 0; i < own.rows(); ++i) {
        add_others(i, true);
        for (std::int32_t k = own.row_begin(i); k < own.row_end(i); ++k) {
            rows.columns.push_back(std::int32_t(first) + own.indices[k]);
            rows.values.push_back(own.coefficients[k]);
        }
        add_others(i, false);
        rows.offsets.push_back(checked_cast<std::int32_t>(std::int64_t(rows.columns.size()), "nonzeros of the matrix"));
    }
    return rows;
}

/// Reads the rows of this rank of a MATMPIAIJ, with global columns. Not collective.
template <class T>
PetscErrorCode read_rows_of_rank(Mat a, row_block<T>& rows) {
    PetscFunctionBegin;
    PetscCall(require_type(a, MATMPIAIJ));
    Mat own = nullptr, others = nullptr;
    PetscInt const* global = nullptr;
    PetscInt first = 0, all_rows = 0, all_columns = 0;
    PetscCall(MatMPIAIJGetSeqAIJ(a, &own, &others, &global));
    PetscCall(MatGetOwnershipRange(a, &first, nullptr));
    PetscCall(with_rows(own, [&](csr_view<PetscScalar> block) {
        return with_rows(others, [&](csr_view<PetscScalar> rest) -> PetscErrorCode {
            rows = rows_with_global_columns(block, rest, global, first);
            return 0;
        });
    }));
    PetscCall(MatGetSize(a, &all_rows, &all_columns));
    rows.all_rows = all_rows;
    rows.all_columns = all_columns;
    PetscFunctionReturn(0);
}

/// Calls use(from, to) for the elements of two vectors on this rank and returns its PetscErrorCode.
template <class Use>
PetscErrorCode with_elements(Vec from, Vec to, Use&& use) {
    PetscFunctionBegin;
    PetscInt length = 0;
    PetscScalar const* read = nullptr;
    PetscScalar* written = nullptr;
    PetscCall(VecGetLocalSize(to, &length));
    PetscCall(VecGetArrayRead(from, &read));
    PetscCall(VecGetArrayWrite(to, &written));
    PetscErrorCode const status = guarded([&]() -> PetscErrorCode {
        return use(array_view<PetscScalar const>(read, length), array_view<PetscScalar>(written, length));
    });
    PetscCall(VecRestoreArrayWrite(to, &written));
    PetscCall(VecRestoreArrayRead(from, &read));
    PetscCall(status);
    PetscFunctionReturn(0);
}

} // namespace coppice::petsc
