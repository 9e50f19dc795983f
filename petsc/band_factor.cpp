// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// MatSolverType "coppice": LU of tridiagonal and banded MATSEQAIJ by the chain solver, for repeated solves.
#include <algorithm>
#include <array>
#include <cstddef>

#include <petsc/private/matimpl.h>

#include <coppice/banded.hpp>

#include "petsc/aij_rows.hpp"
#include "petsc/plugin.hpp"

namespace coppice::petsc {
namespace {

/// Bands of a matrix, and the factorisations of the matrix and of its transpose.
class band_factors {
public:
    band_factors(int threads, std::int64_t rows, int below, int above)
        : exec_(threads), below_(below), above_(above), bands_(exec_, rows * (below + above + 1)), rows_(rows) {}

    /// Factorises new values. Returns the row of the first column without a pivot, or -1.
    std::int64_t factorise(csr_view<PetscScalar> a) {
        std::fill_n(bands_.data(), bands_.size(), PetscScalar(0));
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k)
                bands_.data()[(a.indices[k] - i + below_) * rows_ + i] += a.coefficients[k];
        factors_ = {};
        std::int64_t singular = -1;
        factor_of(matrix_operation::none, &singular);
        return singular;
    }
    void solve(matrix_operation operation, array_view<PetscScalar const> d, array_view<PetscScalar> x) {
        band_options const options{.operation = operation};
        buffer<std::byte> const& factor = factor_of(operation, nullptr);
        std::int64_t const needed = factored_workspace(exec_, matrix(), 1, options);
        if (workspace_.size() < needed) workspace_ = buffer<std::byte>(exec_, needed);
        solve_factored_bands(exec_, matrix(), factor.view(), {d.data(), rows_, 1}, {x.data(), rows_, 1},
                             workspace_.view(), options);
    }
    int below() const { return below_; }
    int above() const { return above_; }

private:
    band_matrix<PetscScalar> matrix() const {
        PetscScalar const* const at = bands_.data();
        if (below_ == 1 && above_ == 1) return tridiagonal_view<PetscScalar>{rows_, at, at + rows_, at + 2 * rows_};
        return banded_view<PetscScalar>{rows_, below_, above_, at};
    }
    /// The factorisation of op(A), computed when it is first used.
    buffer<std::byte> const& factor_of(matrix_operation operation, std::int64_t* singular) {
        buffer<std::byte>& factor = factors_[operation == matrix_operation::none ? 0 : 1];
        if (factor.empty()) {
            band_options const options{.operation = operation};
            factor = buffer<std::byte>(exec_, bands_factor_bytes(exec_, matrix(), options));
            factorise_bands(exec_, matrix(), factor.view(), options,
                            singular && rows_ > 0 ? array_view<std::int64_t>(singular, 1) : array_view<std::int64_t>());
        }
        return factor;
    }

    host_executor exec_;
    int below_, above_;
    buffer<PetscScalar> bands_;
    std::int64_t rows_;
    std::array<buffer<std::byte>, 2> factors_{}; ///< of A and of its transpose
    buffer<std::byte> workspace_{};
};

band_factors& factors_of(Mat f) { return *static_cast<band_factors*>(f->data); }

/// Number of bands below and above the diagonal.
std::array<std::int64_t, 2> bandwidths(csr_view<PetscScalar> a) {
    std::int64_t below = 0, above = 0;
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k) {
            below = std::max<std::int64_t>(below, i - a.indices[k]);
            above = std::max<std::int64_t>(above, a.indices[k] - i);
        }
    return {below, above};
}

PetscErrorCode factor_numeric(Mat f, Mat a, MatFactorInfo const*) {
    PetscFunctionBegin;
    f->factorerrortype = MAT_FACTOR_NOERROR;
    PetscCall(with_rows(a, [&](csr_view<PetscScalar> rows) -> PetscErrorCode {
        auto const [below, above] = bandwidths(rows);
        PetscCheck(
            below <= factors_of(f).below() && above <= factors_of(f).above(), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
            "coppice: the matrix has %lld bands below and %lld above the diagonal, and the symbolic "
            "factorisation is for at most %d and %d",
            static_cast<long long>(below), static_cast<long long>(above), factors_of(f).below(), factors_of(f).above());
        std::int64_t const singular = factors_of(f).factorise(rows);
        if (singular < 0) return 0;
        PetscCheck(!a->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
                   "coppice: the matrix is singular, a column has no pivot; its row is %lld",
                   static_cast<long long>(singular));
        f->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
        f->factorerror_zeropivot_row = PetscInt(singular);
        return 0;
    }));
    f->assembled = f->preallocated = PETSC_TRUE;
    PetscFunctionReturn(0);
}

PetscErrorCode factor_symbolic(Mat f, Mat a, IS, IS, MatFactorInfo const*) {
    PetscFunctionBegin;
    PetscInt threads = 1;
    PetscCall(PetscOptionsGetInt(nullptr, reinterpret_cast<PetscObject>(a)->prefix, "-mat_coppice_threads", &threads,
                                 nullptr));
    delete static_cast<band_factors*>(f->data);
    f->data = nullptr;
    PetscCall(with_rows(a, [&](csr_view<PetscScalar> rows) -> PetscErrorCode {
        auto const [below, above] = bandwidths(require_square(rows, "a band factorisation"));
        PetscCheck(
            std::max(below, above) <= largest_block, PETSC_COMM_SELF, PETSC_ERR_SUP,
            "coppice factorises matrices of up to %d bands on either side; this one has %lld below and %lld above "
            "the diagonal",
            largest_block, static_cast<long long>(below), static_cast<long long>(above));
        bool const tridiagonal = below <= 1 && above <= 1;
        f->data =
            new band_factors(int(threads), rows.rows(), tridiagonal ? 1 : int(below), tridiagonal ? 1 : int(above));
        return 0;
    }));
    f->ops->lufactornumeric = factor_numeric;
    PetscFunctionReturn(0);
}

template <matrix_operation operation>
PetscErrorCode solve(Mat f, Vec b, Vec x) {
    PetscFunctionBegin;
    PetscCall(with_elements(b, x, [&](array_view<PetscScalar const> d, array_view<PetscScalar> to) -> PetscErrorCode {
        factors_of(f).solve(operation, d, to);
        return 0;
    }));
    PetscFunctionReturn(0);
}

PetscErrorCode view(Mat f, PetscViewer viewer) {
    PetscFunctionBegin;
    PetscBool ascii = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (ascii && f->data)
        PetscCall(PetscViewerASCIIPrintf(viewer, "coppice: %d bands below and %d above the diagonal\n",
                                         factors_of(f).below(), factors_of(f).above()));
    PetscFunctionReturn(0);
}

/// For PCView(). A factorisation by the chain solver has no number of nonzeros.
PetscErrorCode info(Mat, MatInfoType, MatInfo* counts) {
    *counts = {};
    return 0;
}

PetscErrorCode destroy(Mat f) {
    PetscFunctionBegin;
    delete static_cast<band_factors*>(f->data);
    f->data = nullptr;
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(f), "MatFactorGetSolverType_C", nullptr));
    PetscFunctionReturn(0);
}

PetscErrorCode solver_type(Mat, MatSolverType* type) {
    *type = MATSOLVERCOPPICE;
    return 0;
}

} // namespace

PetscErrorCode create_band_factor(Mat a, MatFactorType type, Mat* factor) {
    PetscFunctionBegin;
    Mat f = nullptr;
    PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &f));
    PetscCall(MatSetSizes(f, a->rmap->n, a->cmap->n, a->rmap->N, a->cmap->N));
    PetscCall(PetscStrallocpy(MATSOLVERCOPPICE, &reinterpret_cast<PetscObject>(f)->type_name));
    PetscCall(MatSetUp(f));
    f->factortype = type;
    f->trivialsymbolic = f->canuseordering = PETSC_FALSE;
    f->ops->lufactorsymbolic = factor_symbolic;
    f->ops->solve = solve<matrix_operation::none>;
    f->ops->solvetranspose = solve<matrix_operation::transposed>;
    f->ops->getinfo = info;
    f->ops->view = view;
    f->ops->destroy = destroy;
    PetscCall(PetscFree(f->solvertype));
    PetscCall(PetscStrallocpy(MATSOLVERCOPPICE, &f->solvertype));
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(f), "MatFactorGetSolverType_C", solver_type));
    *factor = f;
    PetscFunctionReturn(0);
}

} // namespace coppice::petsc
