// SPDX-License-Identifier: BSD-3-Clause
// Suite `tridiagonal` on CUDA, beyond single scalar systems: many right-hand sides, batches, bands, blocks,
// factorisations and sparse right-hand sides, compared with the routines of cuSPARSE in float. Repetitions alternate
// between buffers that exceed the cache.
#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "bench/cuda_timing.cuh"
#include "bench/problems/random_bands.hpp"
#include "bench/tridiagonal_cuda.cuh"
#include <coppice/solvers/compare/classical.hpp>
#include <coppice/solvers/compare/classical_catalogue.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>

namespace coppice::bench {
namespace {

template <class T>
struct real_of {
    using type = T;
};
template <class R>
struct real_of<std::complex<R>> {
    using type = R;
};
template <class T>
std::string name_of() {
    using real = typename real_of<T>::type;
    return std::string(std::is_same_v<T, real> ? "" : "complex ") + (sizeof(real) == 8 ? "double" : "float");
}
template <class T>
inline constexpr bool has_peers = std::is_same_v<T, float>;

/// Rows of one problem and the methods that measure them.
class cuda_problem {
public:
    cuda_problem(table& t, options const& o, cuda_executor const& exec, std::string name, std::int64_t rows,
                 std::string chart = {}, std::string axis = {}, double at = 0)
        : exec_(exec), table_(t), first_{"tridiagonal", "cuda", std::move(name)}, samples_(o.quick ? 3 : 7) {
        first_.rows = rows;
        first_.chart = std::move(chart);
        first_.axis = std::move(axis);
        first_.at = at;
    }
    ~cuda_problem() { table_.add(std::move(results_)); }
    cuda_problem(cuda_problem const&) = delete;

    /// Time of work(repetition) minus that of prepare(repetition), with which it begins.
    template <class Prepare, class Work>
    void peer(std::string const& method, int batch, Prepare const& prepare, Work const& work) {
        auto const alone = measure_queued(exec_, samples_, batch, prepare);
        auto time = measure_queued(exec_, samples_, batch, [&](int r) {
            prepare(r);
            if (work(r) != CUSPARSE_STATUS_SUCCESS) throw device_error(method + " failed");
        });
        time.median -= alone.median;
        time.fastest -= alone.fastest;
        add(method, time);
    }
    template <class Work>
    void coppice(std::string const& method, int batch, Work const& work) {
        add("coppice " + method, measure_queued(exec_, samples_, batch, work));
    }

private:
    void add(std::string const& method, timing const& time) {
        row r = first_;
        r.method = method;
        r.seconds = time.median;
        r.fastest = time.fastest;
        r.details = text("%.0f MRows/s", double(r.rows) / time.median * 1e-6);
        results_.push_back(r);
    }

    cuda_executor const& exec_;
    table& table_;
    row first_;
    int samples_;
    std::vector<row> results_;
};

/// `count` bands of `elements` random elements, the middle one shifted away from zero, and columns D and X.
template <class T>
struct bands_on_device {
    using real = typename real_of<T>::type;
    std::vector<buffer<T>> bands;
    buffer<T> d, x;

    bands_on_device(cuda_executor const& exec, int count, std::int64_t elements, std::int64_t rhs_elements, real shift,
                    std::uint64_t seed)
        : d(exec, rhs_elements), x(exec, rhs_elements) {
        for (int b = 0; b < count; ++b) {
            bands.emplace_back(exec, elements);
            draw(exec, reals_of(bands.back()), 16 * seed + std::uint64_t(b), b == count / 2 ? shift : real(0));
        }
        draw(exec, reals_of(d), 16 * seed + 15);
    }
    /// Real and imaginary parts.
    static array_view<real> reals_of(buffer<T>& of) {
        return {reinterpret_cast<real*>(of.data()), of.size() * std::int64_t(sizeof(T) / sizeof(real))};
    }
    T* at(int b) { return bands[std::size_t(b)].data(); }
    band_matrix<T> blocks(std::int64_t block_rows, int n) {
        return block_tridiagonal_view<T>{block_rows, n, at(0), at(1), at(2)};
    }
};

/// Copies of a problem's data, one per repetition in rotation.
template <class T>
class rotated {
public:
    rotated(cuda_executor const& exec, int bands, std::int64_t elements, std::int64_t rhs_elements,
            typename real_of<T>::type shift) {
        double const bytes = double(bands * elements + 2 * rhs_elements) * sizeof(T);
        for (int c = 0; c < std::min(8, copies_past_cache(bytes)); ++c)
            copies_.emplace_back(exec, bands, elements, rhs_elements, shift, std::uint64_t(c) + 1);
    }
    bands_on_device<T>& operator[](int r) { return copies_[std::size_t(r) % copies_.size()]; }

private:
    std::vector<bands_on_device<T>> copies_;
};

/// A solve by solve_bands of the system of the repetition.
template <class T, class Matrix>
void measure_solve(cuda_problem& problem, cuda_executor const& exec, std::string const& method, int batch,
                   rotated<T>& data, Matrix const& matrix, std::int64_t columns, band_options const& how) {
    auto const first = matrix(data[0]);
    buffer<std::byte> space(exec, bands_workspace(exec, first, columns, how));
    problem.coppice(method, batch, [&](int r) {
        auto const a = matrix(data[r]);
        solve_bands(exec, a, columns_view<T const>(data[r].d.data(), a.size, columns),
                    columns_view<T>(data[r].x.data(), a.size, columns), space.view(), how);
    });
}

template <class T>
void measure_many_rhs(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle, int n,
                      int columns) {
    std::string const name = text("right-hand sides: %d, %d rows, %s", columns, n, name_of<T>().c_str());
    if (!t.wants(name)) return;
    cuda_problem problem(t, o, exec, name, std::int64_t(n) * columns,
                         text("one system of %d rows, %s", n, name_of<T>().c_str()), "right-hand sides", columns);
    rotated<T> data(exec, 3, n, std::int64_t(n) * columns, 0);
    auto const matrix = [&](bands_on_device<T>& b) { return b.blocks(n, 1); };
    int const batch = 4;
    measure_solve(problem, exec, "automatic, partial pivoting", batch, data, matrix, columns, {});
    if constexpr (has_peers<T>) {
        auto const prepare = [&](int r) { exec.copy_elements(data[r].d.data(), data[r].x.data(), data[r].d.size()); };
        std::size_t bytes = 0;
        auto& b = data[0];
        cusparseSgtsv2_bufferSizeExt(handle, n, columns, b.at(0), b.at(1), b.at(2), b.x.data(), n, &bytes);
        buffer<std::byte> space(exec, std::int64_t(bytes) + 1);
        problem.peer("cuSPARSE gtsv2", batch, prepare, [&](int r) {
            return cusparseSgtsv2(handle, n, columns, data[r].at(0), data[r].at(1), data[r].at(2), data[r].x.data(), n,
                                  space.data());
        });
        cusparseSgtsv2_nopivot_bufferSizeExt(handle, n, columns, b.at(0), b.at(1), b.at(2), b.x.data(), n, &bytes);
        buffer<std::byte> other(exec, std::int64_t(bytes) + 1);
        problem.peer("cuSPARSE gtsv2_nopivot", batch, prepare, [&](int r) {
            return cusparseSgtsv2_nopivot(handle, n, columns, data[r].at(0), data[r].at(1), data[r].at(2),
                                          data[r].x.data(), n, other.data());
        });
    }
}

/// Other libraries on a batch. They overwrite their input, so they work on copies.
void measure_batch_peers(cuda_problem& problem, cuda_executor const& exec, cusparseHandle_t handle,
                         rotated<float>& data, int systems, int each, int batch) {
    std::int64_t const n = std::int64_t(systems) * each;
    std::vector<buffer<float>> copy;
    for (int b = 0; b < 4; ++b) copy.emplace_back(exec, n);
    auto const at = [&](int b) { return copy[std::size_t(b)].data(); };
    auto const prepare = [&](int r) {
        for (int b = 0; b < 3; ++b) exec.copy_elements(data[r].at(b), at(b), n);
        exec.copy_elements(data[r].d.data(), at(3), n);
    };
    std::size_t bytes = 0;
    cusparseSgtsv2StridedBatch_bufferSizeExt(handle, each, at(0), at(1), at(2), at(3), systems, each, &bytes);
    buffer<std::byte> strided(exec, std::int64_t(bytes) + 1);
    problem.peer("cuSPARSE gtsv2StridedBatch", batch, prepare, [&](int) {
        return cusparseSgtsv2StridedBatch(handle, each, at(0), at(1), at(2), at(3), systems, each, strided.data());
    });
    char const* const names[] = {"cuThomas", "LU", "QR"};
    for (int const algorithm : {0, 1}) {
        cusparseSgtsvInterleavedBatch_bufferSizeExt(handle, algorithm, each, at(0), at(1), at(2), at(3), systems,
                                                    &bytes);
        buffer<std::byte> space(exec, std::int64_t(bytes) + 1);
        problem.peer(text("cuSPARSE gtsvInterleavedBatch, %s", names[algorithm]), batch, prepare, [&](int) {
            return cusparseSgtsvInterleavedBatch(handle, algorithm, each, at(0), at(1), at(2), at(3), systems,
                                                 space.data());
        });
    }
}

template <class T>
void measure_batch(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle, int systems,
                   int each) {
    std::string const name = text("batch of %d x %d, %s", systems, each, name_of<T>().c_str());
    if (!t.wants(name)) return;
    std::int64_t const n = std::int64_t(systems) * each;
    cuda_problem problem(t, o, exec, name, n);
    rotated<T> data(exec, 3, n, n, 3); // the interleaved routines read the same random numbers in their order
    int const batch = 8;
    measure_solve(problem, exec, "partial pivoting", batch, data,
                  [&](bands_on_device<T>& b) { return band_matrix<T>::batch(b.blocks(n, 1), systems); }, 1, {});
    measure_solve(problem, exec, "interleaved, partial pivoting", batch, data,
                  [&](bands_on_device<T>& b) { return band_matrix<T>::interleaved_batch(b.blocks(n, 1), systems); }, 1,
                  {});
    if constexpr (has_peers<T>) measure_batch_peers(problem, exec, handle, data, systems, each, batch);
    for (auto const& row : classical::catalogue) {
        // They store a system in shared memory; methods with partitions need up to 25 elements per row.
        if (each > (row.which < classical::first_partitioned ? 2048 : 512)) continue;
        problem.coppice(row.title, batch, [&](int r) {
            tridiagonal_view<T> const rows{n, data[r].at(0), data[r].at(1), data[r].at(2)};
            solve_classical(exec, rows, systems, array_view<T const>(data[r].d.view()), data[r].x.view(),
                            {row.which, 128});
        });
    }
}

template <class T>
void measure_variable_batch(table& t, options const& o, cuda_executor const& exec, int systems) {
    std::vector<std::int64_t> ends{0};
    for (int k = 0; k < systems; ++k) ends.push_back(ends.back() + 100 + k * 7919ll % 901);
    std::string const name = text("batch of %d x 100 to 1000, %s", systems, name_of<T>().c_str());
    if (!t.wants(name)) return;
    cuda_problem problem(t, o, exec, name, ends.back());
    rotated<T> data(exec, 3, ends.back(), ends.back(), 0);
    auto const offsets = exec.copy(ends);
    measure_solve(problem, exec, "partial pivoting", 8, data,
                  [&](bands_on_device<T>& b) {
                      return band_matrix<T>::batch(b.blocks(ends.back(), 1),
                                                   array_view<std::int64_t const>(offsets.view()), 1000);
                  },
                  1, {});
}

/// Banded systems with `reach` bands on each side of the diagonal.
template <class T>
void measure_banded(table& t, options const& o, cuda_executor const& exec, int reach, int n) {
    std::string const name = text("%d bands, %d rows, %s", 2 * reach + 1, n, name_of<T>().c_str());
    if (!t.wants(name)) return;
    cuda_problem problem(t, o, exec, name, n, text("%d bands, one system, %s", 2 * reach + 1, name_of<T>().c_str()),
                         "rows", n);
    rotated<T> data(exec, 1, (2ll * reach + 1) * n, n, 0);
    measure_solve(problem, exec, "partial pivoting", 4, data,
                  [&](bands_on_device<T>& b) {
                      return band_matrix<T>(banded_view<T>{n, reach, reach, b.at(0)});
                  },
                  1, {});
}

/// Pentadiagonal systems as blocks of 2; cuSPARSE takes them as bands and uses QR.
void measure_pentadiagonal_batch(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle,
                                 int systems, int each) {
    std::string const name = text("pentadiagonal batch of %d x %d, float", systems, each);
    if (!t.wants(name)) return;
    std::int64_t const n = std::int64_t(systems) * each;
    cuda_problem problem(t, o, exec, name, n);
    rotated<float> blocks(exec, 3, 2 * n, n, 0);
    measure_solve(problem, exec, "blocks of 2, partial pivoting", 4, blocks,
                  [&](bands_on_device<float>& b) { return band_matrix<float>::batch(b.blocks(n / 2, 2), systems); }, 1,
                  {});
    bands_on_device<float> bands(exec, 5, n, n, 0, 1);
    std::vector<buffer<float>> copy;
    for (int b = 0; b < 6; ++b) copy.emplace_back(exec, n);
    auto const at = [&](int b) { return copy[std::size_t(b)].data(); };
    std::size_t bytes = 0;
    cusparseSgpsvInterleavedBatch_bufferSizeExt(handle, 0, each, at(0), at(1), at(2), at(3), at(4), at(5), systems,
                                                &bytes);
    buffer<std::byte> space(exec, std::int64_t(bytes) + 1);
    problem.peer(
        "cuSPARSE gpsvInterleavedBatch, QR", 4,
        [&](int) {
            for (int b = 0; b < 5; ++b) exec.copy_elements(bands.at(b), at(b), n);
            exec.copy_elements(bands.d.data(), at(5), n);
        },
        [&](int) {
            return cusparseSgpsvInterleavedBatch(handle, 0, each, at(0), at(1), at(2), at(3), at(4), at(5), systems,
                                                 space.data());
        });
}

template <class T>
void measure_blocks(table& t, options const& o, cuda_executor const& exec, int rows, int n, band_options how) {
    if (!(how.cyclic && n == 1)) how.method = band_method::chain;
    std::string const kind = how.cyclic ? "cyclic " : how.operation != matrix_operation::none ? "transposed " : "";
    std::string const name = kind + text("blocks of %d, %d rows, ", n, rows) + name_of<T>();
    if (!t.wants(name)) return;
    cuda_problem problem(t, o, exec, name, rows, kind + text("blocks, %d rows, ", rows) + name_of<T>(),
                         "rows of a block", n);
    rotated<T> data(exec, 3, std::int64_t(rows) * n, rows, 0);
    measure_solve(
        problem, exec, "partial pivoting", 2, data, [&](bands_on_device<T>& b) { return b.blocks(rows / n, n); }, 1,
        how);
}

/// Additional cost of a report if one attempt suffices.
template <class T>
void measure_report(table& t, options const& o, cuda_executor const& exec, int n) {
    std::string const name = text("what a report costs, %d rows, ", n) + name_of<T>();
    if (!t.wants(name)) return;
    cuda_problem problem(t, o, exec, name, n, "with a report, " + name_of<T>(), "rows", n);
    rotated<T> data(exec, 3, n, n, 0);
    auto const matrix = [&](bands_on_device<T>& b) { return b.blocks(n, 1); };
    measure_solve(problem, exec, "without", 8, data, matrix, 1, {});
    buffer<std::byte> space(exec, bands_workspace(exec, matrix(data[0]), 1, {}, true));
    buffer<solve_report> report(exec, 1);
    problem.coppice("with", 8, [&](int r) {
        solve_bands(exec, matrix(data[r]), columns_view<T const>(data[r].d.data(), n, 1),
                    columns_view<T>(data[r].x.data(), n, 1), space.view(), {}, report.view());
    });
}

/// Factorised once; solves from dense right-hand sides and from sparse ones with three entries each.
void measure_factored(table& t, options const& o, cuda_executor const& exec, int n, int columns) {
    std::string const name = text("factorised, right-hand sides: %d, %d rows, float", columns, n);
    if (!t.wants(name)) return;
    cuda_problem problem(t, o, exec, name, std::int64_t(n) * columns, text("factorised, %d rows, float", n),
                         "right-hand sides", columns);
    bands_on_device<float> data(exec, 3, n, std::int64_t(n) * columns, 3, 1);
    auto const a = data.blocks(n, 1);
    buffer<std::byte> factor(exec, bands_factor_bytes(exec, a));
    factorise_bands(exec, a, factor.view());
    array_view<std::byte const> const saved(factor.view());
    columns_view<float> const x(data.x.data(), n, columns);
    buffer<std::byte> space(
        exec, std::max(factored_workspace(exec, a, columns), factored_sparse_workspace(exec, a, columns)));
    problem.coppice("dense sides", 2, [&](int) {
        solve_factored_bands(exec, a, saved, columns_view<float const>(data.d.data(), n, columns), x, space.view());
    });
    std::vector<std::int32_t> offsets{0}, rows;
    for (std::int64_t c = 0; c < columns; ++c) {
        for (std::int64_t k = 0; k < 3; ++k) rows.push_back(std::int32_t((c * 7919 + k * 104729) % n));
        offsets.push_back(std::int32_t(rows.size()));
    }
    auto const o_device = exec.copy(offsets), r_device = exec.copy(rows);
    auto const v_device = exec.copy(std::vector<float>(rows.size(), 1));
    sparse_columns_view<float> const sparse{
        n, columns, o_device.data(), r_device.data(), v_device.data(), std::int64_t(rows.size())};
    problem.coppice("sparse sides", 2, [&](int) { solve_factored_sparse(exec, a, saved, sparse, x, space.view()); });
    buffer<std::byte> other(exec, sparse_to_dense_workspace(exec, a, columns));
    problem.coppice("sparse sides, not factorised before", 2,
                    [&](int) { solve_sparse_to_dense(exec, a, sparse, x, other.view()); });
}

} // namespace

void tridiagonal_classes_cuda(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle) {
    int const n = 1 << (o.quick ? 12 : 22);
    for (int const columns : {1, 4, 32}) measure_many_rhs<float>(t, o, exec, handle, n, columns);
    measure_many_rhs<double>(t, o, exec, handle, n, 16);
    measure_batch<float>(t, o, exec, handle, 64, n / 64);
    measure_batch<float>(t, o, exec, handle, 512, std::min(512, n / 512));
    measure_batch<float>(t, o, exec, handle, 512, n / 512);
    measure_batch<float>(t, o, exec, handle, n / 512, 512);
    measure_batch<float>(t, o, exec, handle, n / 64, 64);
    measure_batch<double>(t, o, exec, handle, 512, n / 512);
    measure_variable_batch<float>(t, o, exec, n / 512);
    for (int const rows : {n >> 10, n >> 6, n, n << 3}) measure_banded<float>(t, o, exec, 2, rows);
    for (int const reach : {2, 4}) measure_banded<double>(t, o, exec, reach, n);
    measure_banded<float>(t, o, exec, 3, n);
    measure_pentadiagonal_batch(t, o, exec, handle, 64, n / 256);
    for (bool const cyclic : {false, true})
        for (int const block : {1, 2, 3, 4, 8})
            measure_blocks<float>(t, o, exec, n / block * block, block, {.cyclic = cyclic});
    for (int const block : {1, 2, 4, 8}) measure_blocks<double>(t, o, exec, n, block, {});
    for (int const block : {1, 2, 4}) {
        measure_blocks<float>(t, o, exec, n, block, {.operation = matrix_operation::transposed});
        measure_blocks<std::complex<float>>(t, o, exec, n, block, {});
        measure_blocks<std::complex<double>>(t, o, exec, n, block, {});
    }
    measure_blocks<std::complex<float>>(t, o, exec, n, 1, {.operation = matrix_operation::conjugate_transposed});
    for (int const columns : {4, 16, 64}) measure_factored(t, o, exec, n / 4, columns);
    for (int const rows : {n >> 10, n >> 6, n >> 2, n}) measure_report<float>(t, o, exec, rows);
    for (int const rows : {n >> 10, n}) measure_report<double>(t, o, exec, rows);
}

} // namespace coppice::bench
