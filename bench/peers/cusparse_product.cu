// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/cusparse_product.hpp"

#include "bench/peers/cusparse_check.cuh"
#include <coppice/core/memory.hpp>

namespace coppice::bench {
namespace {

/// A matrix descriptor of cuSPARSE.
class described {
public:
    described(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, std::int32_t const* offsets,
              std::int32_t const* indices, double const* values) {
        COPPICE_CUSPARSE_CHECK(cusparseCreateCsr(
            &matrix_, rows, columns, nonzeros, const_cast<std::int32_t*>(offsets), const_cast<std::int32_t*>(indices),
            const_cast<double*>(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    }
    explicit described(csr_view<double> a)
        : described(a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, a.coefficients) {}
    described(described const&) = delete;
    ~described() { cusparseDestroySpMat(matrix_); }
    operator cusparseSpMatDescr_t() const { return matrix_; }

private:
    cusparseSpMatDescr_t matrix_ = nullptr;
};

struct product_state {
    cusparseSpGEMMDescr_t of = nullptr;
    product_state() { COPPICE_CUSPARSE_CHECK(cusparseSpGEMM_createDescr(&of)); }
    product_state(product_state const&) = delete;
    ~product_state() { cusparseSpGEMM_destroyDescr(of); }
};

} // namespace

std::int64_t cusparse_product(cuda_executor const& exec, csr_view<double> a, csr_view<double> b) {
    auto const handle = handle_on(exec);
    double const one = 1, zero = 0;
    auto const plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    auto const algorithm = CUSPARSE_SPGEMM_ALG2;
    buffer<std::int32_t> offsets(exec, std::int64_t(a.rows()) + 1);
    described const left(a), right(b), product(a.rows(), b.columns(), 0, offsets.data(), nullptr, nullptr);
    product_state const state;
    std::size_t bytes = 0;
    auto const estimate = [&](void* memory) {
        COPPICE_CUSPARSE_CHECK(cusparseSpGEMM_workEstimation(handle, plain, plain, &one, left, right, &zero, product,
                                                             CUDA_R_64F, algorithm, state.of, &bytes, memory));
    };
    estimate(nullptr);
    buffer<unsigned char> first(exec, std::int64_t(bytes) + 1);
    estimate(first.data());
    std::size_t third_bytes = 0;
    auto const bound = [&](void* memory) {
        COPPICE_CUSPARSE_CHECK(cusparseSpGEMM_estimateMemory(handle, plain, plain, &one, left, right, &zero, product,
                                                             CUDA_R_64F, algorithm, state.of, 1.0f, &third_bytes,
                                                             memory, &bytes));
    };
    bound(nullptr);
    buffer<unsigned char> third(exec, std::int64_t(third_bytes) + 1);
    bound(third.data());
    auto const compute = [&](void* memory) {
        COPPICE_CUSPARSE_CHECK(cusparseSpGEMM_compute(handle, plain, plain, &one, left, right, &zero, product,
                                                      CUDA_R_64F, algorithm, state.of, &bytes, memory));
    };
    buffer<unsigned char> second(exec, std::int64_t(bytes) + 1);
    compute(second.data());
    std::int64_t rows = 0, columns = 0, nonzeros = 0;
    COPPICE_CUSPARSE_CHECK(cusparseSpMatGetSize(product, &rows, &columns, &nonzeros));
    buffer<std::int32_t> indices(exec, nonzeros);
    buffer<double> values(exec, nonzeros);
    COPPICE_CUSPARSE_CHECK(cusparseCsrSetPointers(product, offsets.data(), indices.data(), values.data()));
    COPPICE_CUSPARSE_CHECK(
        cusparseSpGEMM_copy(handle, plain, plain, &one, left, right, &zero, product, CUDA_R_64F, algorithm, state.of));
    exec.synchronize();
    return nonzeros;
}

} // namespace coppice::bench
