// SPDX-License-Identifier: BSD-3-Clause
// Suite `spmv` on CUDA: Coppice and cuSPARSE (after its preprocess step); repetitions alternate between buffers that
// exceed the cache; other schemes, other semirings, and the applications of section 3.6.2 of the source thesis.
#include <cmath>
#include <limits>

#include <cusparse.h>

#include "bench/cuda_timing.cuh"
#include "bench/peers/cusparse_check.cuh"
#include "bench/problems/spmv_problems.hpp"
#include "bench/row_maxima.hpp"
#include <coppice/algebra/transform.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::bench {
namespace {

/// y = beta y + alpha A x by cuSPARSE, prepared for one matrix and pair of vectors.
template <class T>
class cusparse_spmv {
    static constexpr cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

public:
    cusparse_spmv(cuda_executor const& exec, cusparseHandle_t handle, csr_view<T> a, T* x, T* y,
                  cusparseSpMVAlg_t algorithm)
        : handle_(handle), algorithm_(algorithm) {
        COPPICE_CUSPARSE_CHECK(
            cusparseCreateCsr(&matrix_, a.rows(), a.columns(), a.nonzeros(), const_cast<std::int32_t*>(a.offsets),
                              const_cast<std::int32_t*>(a.indices), const_cast<T*>(a.coefficients), CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
        COPPICE_CUSPARSE_CHECK(cusparseCreateDnVec(&x_, a.columns(), x, type));
        COPPICE_CUSPARSE_CHECK(cusparseCreateDnVec(&y_, a.rows(), y, type));
        std::size_t bytes = 0;
        COPPICE_CUSPARSE_CHECK(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_,
                                                       &beta_, y_, type, algorithm_, &bytes));
        storage_ = buffer<unsigned char>(exec, std::int64_t(bytes) + 1);
        COPPICE_CUSPARSE_CHECK(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_,
                                                       &beta_, y_, type, algorithm_, storage_.data()));
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
                                            type, algorithm_, storage_.data()));
    }

private:
    cusparseHandle_t handle_;
    cusparseSpMVAlg_t algorithm_;
    cusparseSpMatDescr_t matrix_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    T alpha_ = T(1.5), beta_ = T(0.5);
    buffer<unsigned char> storage_;
};

std::string version_of(cusparseHandle_t handle) {
    int v = 0;
    cusparseGetVersion(handle, &v);
    return text("cuSPARSE %d.%d.%d", v / 1000, v / 100 % 10, v % 100);
}

/// Largest difference between two device vectors, relative to the largest element.
template <class T>
double difference(cuda_executor const& exec, buffer<T> const& a, buffer<T> const& b) {
    auto const u = to_vector(exec, a), v = to_vector(exec, b);
    double largest = 0, scale = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        largest = std::max(largest, std::abs(double(u[i]) - v[i]));
        scale = std::max(scale, std::abs(double(v[i])));
    }
    return scale > 0 ? largest / scale : largest;
}

/// A user-defined semiring with the types and the cost of plus_times.
template <class T>
struct plus_times_of_a_user {
    struct sum_of {
        COPPICE_HD T identity() const { return T(0); }
        COPPICE_HD T operator()(T const& a, T const& b) const { return a + b; }
    };
    sum_of add{};
    COPPICE_HD T multiply(T const& a, T const& x, std::int64_t) const { return a * x; }
    COPPICE_HD T result(T const& sum) const { return sum; }
};

/// One matrix on the device, in as many copies as are needed to exceed the cache.
template <class T>
struct problem_on_device {
    cuda_executor const& exec;
    int copies;
    std::vector<csr<T>> matrices;
    std::vector<buffer<T>> xs, ys;
    std::vector<T> y;

    problem_on_device(cuda_executor const& e, csr<T> const& matrix)
        : exec(e), copies(copies_past_cache(spmv_bytes(matrix.view(), true))), y(std::size_t(matrix.rows()), T(0.25)) {
        std::vector<T> x(std::size_t(matrix.columns()));
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = T(std::sin(double(j)));
        for (int c = 0; c < copies; ++c) {
            matrices.push_back(exec.copy(matrix));
            xs.push_back(exec.copy(x));
            ys.push_back(exec.copy(y));
        }
    }
    std::size_t at(int r) const { return std::size_t(r % copies); }
    csr_view<T> view(int r) const { return matrices[at(r)].view(); }
    void refresh_y() { exec.copy_elements(y.data(), ys[0].data(), std::int64_t(y.size())); }
};

template <class T>
class problem_rows {
public:
    problem_rows(problem_on_device<T>& p, options const& o, std::string const& name)
        : p_(p), samples_(o.quick ? 3 : 21), batch_(o.quick ? 2 : std::max(10, 2 * p.copies)),
          name_(name + (sizeof(T) == 4 ? ", float" : ", double")) {}

    /// work(r) queues repetition r.
    template <class Work>
    void measure(std::string const& method, bool reads_y, Work const& work, std::string const& details = "") {
        auto const time = measure_queued(p_.exec, samples_, batch_, work);
        auto const a = p_.matrices[0].view();
        rows.push_back({"spmv", "cuda", name_, method, "", a.rows(), a.nonzeros(), time.median, time.fastest,
                        spmv_bytes(a, reads_y), 0, details});
    }
    std::vector<row> rows;

private:
    problem_on_device<T>& p_;
    int samples_, batch_;
    std::string name_;
};

/// y = 0.5 y + 1.5 A x by both libraries, in the same run.
template <class T>
void measure_product(problem_on_device<T>& p, problem_rows<T>& out, cusparseHandle_t handle) {
    auto const plans_for = [&](srcsr_options const& options) {
        std::vector<srcsr_plan<std::int32_t>> plans;
        for (auto const& m : p.matrices) plans.push_back(make_srcsr_plan(p.exec, m.view(), options));
        return plans;
    };
    auto const product = [&](std::vector<srcsr_plan<std::int32_t>> const& plans, int r) {
        spmv(p.exec, plans[p.at(r)], p.view(r), p.xs[p.at(r)].view(), p.ys[p.at(r)].view(), T(1.5), T(0.5));
    };
    auto const plans = plans_for({});
    out.measure(
        "coppice plus-times, beta 0.5", true, [&](int r) { product(plans, r); }, plans[0].reason);
    for (auto const algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
        std::vector<cusparse_spmv<T>> peers;
        for (int c = 0; c < p.copies; ++c)
            peers.emplace_back(p.exec, handle, p.view(c), p.xs[p.at(c)].data(), p.ys[p.at(c)].data(), algorithm);
        // The same product by both libraries, each on a new y.
        p.refresh_y();
        peers[0].multiply();
        auto const reference = p.exec.copy(p.ys[0]);
        p.refresh_y();
        product(plans, 0);
        double const deviation = difference(p.exec, p.ys[0], reference);
        out.measure(
            version_of(handle) + (algorithm == CUSPARSE_SPMV_CSR_ALG1 ? " CSR_ALG1" : " CSR_ALG2"), true,
            [&](int r) { peers[p.at(r)].multiply(); }, text("difference %.1e", deviation));
    }
    for (auto const scheme : {srcsr_scheme::balanced_postprocess, srcsr_scheme::balanced_atomic}) {
        auto const others = plans_for({.scheme = scheme});
        out.measure("coppice " + std::string(srcsr_scheme_names[std::size_t(scheme)]), true,
                    [&](int r) { product(others, r); });
    }
    out.measure("coppice plan", false, [&](int r) { make_srcsr_plan(p.exec, p.view(r)); });
}

/// Other semirings and the applications of section 3.6.2.
template <class T>
void measure_others(problem_on_device<T>& p, problem_rows<T>& out) {
    std::vector<srcsr_plan<std::int32_t>> plans;
    for (auto const& m : p.matrices) plans.push_back(make_srcsr_plan(p.exec, m.view()));
    for (char const* name : {"plus-times", "min-plus", "max-second", "arg-max"})
        out.measure(std::string("coppice ") + name, false, [&](int r) {
            semiring_spmv(p.exec, plans[p.at(r)], name, p.view(r), p.xs[p.at(r)].view(), p.ys[p.at(r)].view());
        });
    out.measure("coppice, plus-times of a user", false, [&](int r) {
        semiring_spmv(p.exec, plans[p.at(r)], plus_times_of_a_user<T>{}, p.view(r), p.xs[p.at(r)].view(),
                      p.ys[p.at(r)].view());
    });
    out.measure("coppice max1", false, [&](int r) { max1(p.exec, plans[p.at(r)], p.view(r), p.ys[p.at(r)].view()); });
    out.measure("coppice max1-with-column", false,
                [&](int r) { max1_with_column(p.exec, plans[p.at(r)], p.view(r), p.ys[p.at(r)].view()); });
    buffer<std::int32_t> columns(p.exec, 2 * std::int64_t(p.y.size()));
    out.measure("coppice arg-max1", false,
                [&](int r) { arg_max<1>(p.exec, plans[p.at(r)], p.view(r), columns.view()); });
    out.measure("coppice arg-max2", false,
                [&](int r) { arg_max<2>(p.exec, plans[p.at(r)], p.view(r), columns.view()); });
}

void measure_problem(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle,
                     spmv_problem const& problem) {
    {
        problem_on_device<float> p(exec, problem.matrix);
        problem_rows<float> out(p, o, problem.name);
        measure_product(p, out, handle);
        measure_others(p, out);
        t.add(std::move(out.rows));
    }
    problem_on_device<double> p(exec, convert_values<double>(host_executor{}, problem.matrix.view()));
    problem_rows<double> out(p, o, problem.name);
    measure_product(p, out, handle);
    t.add(std::move(out.rows));
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
