// SPDX-License-Identifier: BSD-3-Clause
// Suite `spmv` on CUDA: Coppice and cuSPARSE (after its preprocess step), rotated buffers past the cache.
#include <cmath>
#include <limits>

#include <cusparse.h>

#include "bench/cuda_timing.cuh"
#include "bench/spmv_problems.hpp"
#include "semiring/spmv.hpp"

namespace coppice::bench {
namespace {

void check(cusparseStatus_t status, char const* call) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw device_error(std::string(call) + " failed: " + cusparseGetErrorString(status));
}
#define COPPICE_CUSPARSE_CHECK(call) check((call), #call)

/// y = beta y + alpha A x by cuSPARSE, prepared for one matrix and pair of vectors.
class cusparse_spmv {
public:
    cusparse_spmv(cuda_executor const& exec, cusparseHandle_t handle, csr_view<float> a, float* x, float* y,
                  cusparseSpMVAlg_t algorithm)
        : handle_(handle), algorithm_(algorithm) {
        COPPICE_CUSPARSE_CHECK(
            cusparseCreateCsr(&matrix_, a.rows(), a.columns(), a.nonzeros(), const_cast<std::int32_t*>(a.offsets),
                              const_cast<std::int32_t*>(a.indices), const_cast<float*>(a.coefficients),
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        COPPICE_CUSPARSE_CHECK(cusparseCreateDnVec(&x_, a.columns(), x, CUDA_R_32F));
        COPPICE_CUSPARSE_CHECK(cusparseCreateDnVec(&y_, a.rows(), y, CUDA_R_32F));
        std::size_t bytes = 0;
        COPPICE_CUSPARSE_CHECK(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_,
                                                       &beta_, y_, CUDA_R_32F, algorithm_, &bytes));
        storage_ = buffer<unsigned char>(exec, std::int64_t(bytes) + 1);
        COPPICE_CUSPARSE_CHECK(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_,
                                                       &beta_, y_, CUDA_R_32F, algorithm_, storage_.data()));
    }
    cusparse_spmv(cusparse_spmv&& o) noexcept
        : handle_(o.handle_), algorithm_(o.algorithm_), matrix_(std::exchange(o.matrix_, nullptr)),
          x_(std::exchange(o.x_, nullptr)), y_(std::exchange(o.y_, nullptr)), storage_(std::move(o.storage_)) {}
    ~cusparse_spmv() {
        if (matrix_) cusparseDestroySpMat(matrix_);
        if (x_) cusparseDestroyDnVec(x_);
        if (y_) cusparseDestroyDnVec(y_);
    }
    void multiply() {
        COPPICE_CUSPARSE_CHECK(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_, y_,
                                            CUDA_R_32F, algorithm_, storage_.data()));
    }

private:
    cusparseHandle_t handle_;
    cusparseSpMVAlg_t algorithm_;
    cusparseSpMatDescr_t matrix_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    float alpha_ = 1.5f, beta_ = 0.5f;
    buffer<unsigned char> storage_;
};

std::string version_of(cusparseHandle_t handle) {
    int v = 0;
    cusparseGetVersion(handle, &v);
    return text("cuSPARSE %d.%d.%d", v / 1000, v / 100 % 10, v % 100);
}

/// Largest difference between two device vectors, relative to the largest element.
double difference(cuda_executor const& exec, buffer<float> const& a, buffer<float> const& b) {
    auto const u = to_vector(exec, a), v = to_vector(exec, b);
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        most = std::max(most, std::abs(double(u[i]) - v[i]));
        scale = std::max(scale, std::abs(double(v[i])));
    }
    return scale > 0 ? most / scale : most;
}

void measure_problem(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle,
                     spmv_problem const& p) {
    int const copies = copies_past_cache(spmv_bytes(p.matrix.view(), true));
    std::vector<csr<float>> matrices;
    std::vector<buffer<float>> xs, ys;
    std::vector<float> x(std::size_t(p.matrix.columns())), y(std::size_t(p.matrix.rows()), 0.25f);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::sin(float(j));
    for (int c = 0; c < copies; ++c) {
        matrices.push_back(exec.copy(p.matrix));
        xs.push_back(exec.copy(x));
        ys.push_back(exec.copy(y));
    }
    auto const at = [&](int r) { return std::size_t(r % copies); };
    int const samples = o.quick ? 3 : 21, batch = o.quick ? 2 : std::max(10, 2 * copies);
    csr_view<float> const a = matrices[0].view();
    std::vector<row> rows;
    auto const add = [&](std::string const& method, timing const& time, bool reads_y, std::string const& note = "") {
        rows.push_back({"spmv", "cuda", p.name + ", float", method, "", a.rows(), a.nonzeros(), time.median,
                        time.fastest, spmv_bytes(a, reads_y), 0, note});
    };
    std::vector<srcsr_plan<std::int32_t>> plans;
    for (auto const& m : matrices) plans.push_back(make_srcsr_plan(exec, m.view()));

    add("coppice plus-times, beta 0.5",
        measure_queued(exec, samples, batch,
                       [&](int r) {
                           spmv(exec, plans[at(r)], matrices[at(r)].view(), xs[at(r)].view(), ys[at(r)].view(), 1.5f,
                                0.5f);
                       }),
        true);
    {
        std::vector<cusparse_spmv> peers;
        for (std::size_t c = 0; c < std::size_t(copies); ++c)
            peers.emplace_back(exec, handle, matrices[c].view(), xs[c].data(), ys[c].data(), CUSPARSE_SPMV_CSR_ALG1);
        auto const time = measure_queued(exec, samples, batch, [&](int r) { peers[at(r)].multiply(); });
        // The same product from both, on fresh y.
        exec.copy_elements(y.data(), ys[0].data(), std::int64_t(y.size()));
        peers[0].multiply();
        auto const reference = exec.copy(ys[0]);
        exec.copy_elements(y.data(), ys[0].data(), std::int64_t(y.size()));
        spmv(exec, plans[0], a, xs[0].view(), ys[0].view(), 1.5f, 0.5f);
        double const apart = difference(exec, ys[0], reference);
        add(version_of(handle) + " CSR_ALG1", time, true, text("difference %.1e", apart));
    }
    {
        std::vector<cusparse_spmv> peers;
        for (std::size_t c = 0; c < std::size_t(copies); ++c)
            peers.emplace_back(exec, handle, matrices[c].view(), xs[c].data(), ys[c].data(), CUSPARSE_SPMV_CSR_ALG2);
        add(version_of(handle) + " CSR_ALG2",
            measure_queued(exec, samples, batch, [&](int r) { peers[at(r)].multiply(); }), true);
    }
    for (char const* name : {"plus-times", "min-plus", "max-second", "arg-max"})
        add(std::string("coppice ") + name,
            measure_queued(exec, samples, batch,
                           [&](int r) {
                               semiring_spmv(exec, plans[at(r)], name, matrices[at(r)].view(), xs[at(r)].view(),
                                             ys[at(r)].view());
                           }),
            false);
    add("coppice plan",
        measure_queued(exec, samples, batch, [&](int r) { make_srcsr_plan(exec, matrices[at(r)].view()); }), false);
    t.add(std::move(rows));
}

} // namespace

void spmv_cuda(table& t, options const& o) {
    cuda_executor const exec;
    t.remark(device_text(exec) + text("; copy ceiling %.0f GB/s at 1 GiB, %.0f at 16 MiB",
                                      copy_ceiling(exec, std::int64_t(1) << 30) * 1e-9,
                                      copy_ceiling(exec, std::int64_t(1) << 24) * 1e-9));
    cusparseHandle_t handle = nullptr;
    COPPICE_CUSPARSE_CHECK(cusparseCreate(&handle));
    COPPICE_CUSPARSE_CHECK(cusparseSetStream(handle, exec.stream()));
    for (std::string const& name : spmv_problem_names(true, o.quick))
        if (t.wants(name)) measure_problem(t, o, exec, handle, make_spmv_problem(name, true, o.quick));
    cusparseDestroy(handle);
}

} // namespace coppice::bench
