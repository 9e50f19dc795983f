// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/cusparse_ilu.hpp"

#include <string>
#include <utility>

#include "bench/peers/cusparse_check.cuh"
#include <coppice/algebra/transform.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>

namespace coppice::bench {
namespace {

/// A triangle of the factors, prepared for solves.
class triangle {
public:
    triangle(cuda_executor const& exec, csr_view<double> factors, cusparseFillMode_t fill, cusparseDiagType_t diagonal,
             double* x, double* y) {
        auto const handle = handle_on(exec);
        COPPICE_CUSPARSE_CHECK(cusparseCreateCsr(
            &matrix_, factors.rows(), factors.columns(), factors.nonzeros(), const_cast<std::int32_t*>(factors.offsets),
            const_cast<std::int32_t*>(factors.indices), const_cast<double*>(factors.coefficients), CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        COPPICE_CUSPARSE_CHECK(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
        COPPICE_CUSPARSE_CHECK(
            cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
        COPPICE_CUSPARSE_CHECK(cusparseCreateDnVec(&x_, factors.rows(), x, CUDA_R_64F));
        COPPICE_CUSPARSE_CHECK(cusparseCreateDnVec(&y_, factors.rows(), y, CUDA_R_64F));
        COPPICE_CUSPARSE_CHECK(cusparseSpSV_createDescr(&plan_));
        std::size_t bytes = 0;
        COPPICE_CUSPARSE_CHECK(cusparseSpSV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_, y_,
                                                       CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, plan_, &bytes));
        storage_ = buffer<unsigned char>(exec, std::int64_t(bytes) + 1);
        COPPICE_CUSPARSE_CHECK(cusparseSpSV_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_, y_,
                                                     CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, plan_, storage_.data()));
    }
    triangle(triangle&& o) noexcept
        : matrix_(std::exchange(o.matrix_, nullptr)), x_(std::exchange(o.x_, nullptr)),
          y_(std::exchange(o.y_, nullptr)), plan_(std::exchange(o.plan_, nullptr)), storage_(std::move(o.storage_)) {}
    ~triangle() {
        if (plan_) cusparseSpSV_destroyDescr(plan_);
        if (matrix_) cusparseDestroySpMat(matrix_);
        if (x_) cusparseDestroyDnVec(x_);
        if (y_) cusparseDestroyDnVec(y_);
    }
    void solve(cuda_executor const& exec, double const* x, double* y) const {
        COPPICE_CUSPARSE_CHECK(cusparseDnVecSetValues(x_, const_cast<double*>(x)));
        COPPICE_CUSPARSE_CHECK(cusparseDnVecSetValues(y_, y));
        COPPICE_CUSPARSE_CHECK(cusparseSpSV_solve(handle_on(exec), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_,
                                                  y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, plan_));
    }

private:
    static constexpr double one = 1;

    cusparseSpMatDescr_t matrix_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    cusparseSpSVDescr_t plan_ = nullptr;
    buffer<unsigned char> storage_{};
};

/// A copy of A whose values are replaced by those of its factors.
csr<double> factorise(cuda_executor const& exec, csr_view<double> a) {
    csr<double> factors{a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
                        copy_of(exec, a.values())};
    auto const handle = handle_on(exec);
    cusparseMatDescr_t description = nullptr;
    csrilu02Info_t info = nullptr;
    COPPICE_CUSPARSE_CHECK(cusparseCreateMatDescr(&description));
    COPPICE_CUSPARSE_CHECK(cusparseCreateCsrilu02Info(&info));
    int const n = a.rows(), nonzeros = a.nonzeros();
    double* const values = factors.values().data();
    std::int32_t const *offsets = factors.row_offsets().data(), *columns = factors.column_indices().data();
    int bytes = 0, row = -1;
    COPPICE_CUSPARSE_CHECK(
        cusparseDcsrilu02_bufferSize(handle, n, nonzeros, description, values, offsets, columns, info, &bytes));
    buffer<unsigned char> storage(exec, bytes + 1);
    auto const policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    COPPICE_CUSPARSE_CHECK(cusparseDcsrilu02_analysis(handle, n, nonzeros, description, values, offsets, columns, info,
                                                      policy, storage.data()));
    COPPICE_CUSPARSE_CHECK(
        cusparseDcsrilu02(handle, n, nonzeros, description, values, offsets, columns, info, policy, storage.data()));
    bool const zero = cusparseXcsrilu02_zeroPivot(handle, info, &row) == CUSPARSE_STATUS_ZERO_PIVOT;
    cusparseDestroyCsrilu02Info(info);
    cusparseDestroyMatDescr(description);
    if (zero) throw matrix_error("row " + std::to_string(row) + " has a zero pivot in ILU(0) of cuSPARSE");
    return factors;
}

class ilu0 {
public:
    ilu0(cuda_executor const& exec, csr_view<double> a)
        : factors_(factorise(exec, a)), between_(exec, a.rows()), after_(exec, a.rows()),
          lower_(exec, factors_.view(), CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT, after_.data(),
                 between_.data()),
          upper_(exec, factors_.view(), CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT, between_.data(),
                 after_.data()) {}
    void apply(cuda_executor const& exec, array_view<double const> r, array_view<double> z) const {
        lower_.solve(exec, r.data(), between_.data());
        upper_.solve(exec, between_.data(), z.data());
    }

private:
    csr<double> factors_;
    mutable buffer<double> between_, after_;
    triangle lower_, upper_;
};

} // namespace

any_preconditioner<cuda_executor, double> cusparse_ilu0(cuda_executor const& exec, csr_view<double> a) {
    handle_on(exec);
    detail::stopwatch watch(exec);
    ilu0 factors(exec, a);
    return {std::move(factors), preconditioner_report{"cuSPARSE ILU(0)", watch.lap(), {}, {}}};
}

} // namespace coppice::bench
