// SPDX-License-Identifier: BSD-3-Clause
// Suite `algebra`: products of sparse matrices and element-wise operations; on the host also by SuiteSparse:GraphBLAS.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#if defined(COPPICE_HAS_CUDA)
#include "bench/peers/cusparse_product.hpp"
#endif
#include "bench/largest_and_count.hpp"
#include "bench/peers/graphblas_matrix.hpp"
#include "bench/peers/graphblas_peer.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/sparse.hpp>

namespace coppice::bench {
namespace {

[[maybe_unused]] std::vector<graph_problem> device_problems(bool quick) {
    if (quick) return {{"grid 40^2", "laplace2d,nx=40"}};
    return {{"Erdos-Renyi 2^17", "rmat,scale=17,edge_factor=8,a=0.25,b=0.25,c=0.25,d=0.25"},
            {"grid 2000^2", "laplace2d,nx=2000"},
            {"R-MAT 18", "rmat,scale=18,edge_factor=4"}};
}
std::vector<graph_problem> problems(bool quick) {
    if (quick) return {{"grid 40^2", "laplace2d,nx=40"}, {"R-MAT 8", "rmat,scale=8"}};
    return {{"Erdos-Renyi 2^17", "rmat,scale=17,edge_factor=8,a=0.25,b=0.25,c=0.25,d=0.25"},
            {"grid 1500^2", "laplace2d,nx=1500"},
            {"R-MAT 14", "rmat,scale=14"}};
}

struct above {
    double threshold;
    bool operator()(double value) const { return value > threshold; }
};

/// Adds the operations on one matrix to a table, each with its peer.
class operations {
public:
    operations(table& t, std::string matrix, csr_view<double> a, std::string backend, bool quick)
        : table_(t), matrix_(std::move(matrix)), a_(a), backend_(std::move(backend)), repetitions_(quick ? 1 : 5) {}

    template <class Work>
    void alone(std::string const& operation, Work const& work, std::string const& details = "") {
        if (wants(operation)) table_.add({measured(operation, "coppice", work, details)});
    }
    /// Measures the same operation of another library.
    template <class Work>
    void by(std::string const& peer, std::string const& operation, Work const& work) {
        if (wants(operation)) table_.add({measured(operation, peer, work)});
    }
    template <class Peer, class Work>
    void against(std::string const& operation, Peer const& peer, Work const& work) {
        if (wants(operation))
            table_.add({measured(operation, graphblas_spmv::version(), peer), measured(operation, "coppice", work)});
    }
    /// The same for operations that modify their input: the preparation of each library is not timed.
    template <class PreparePeer, class Peer, class Prepare, class Work>
    void against(std::string const& operation, PreparePeer const& prepare_peer, Peer const& peer,
                 Prepare const& prepare, Work const& work) {
        if (wants(operation))
            table_.add({measured(operation, graphblas_spmv::version(), peer, "", prepare_peer),
                        measured(operation, "coppice", work, "", prepare)});
    }

private:
    static constexpr double short_operation = 5e-3; ///< seconds; shorter operations are repeated more often

    bool wants(std::string const& operation) const { return table_.wants(matrix_ + ": " + operation); }

    struct nothing_to_prepare {
        void operator()() const {}
    };
    template <class Work, class Prepare = nothing_to_prepare>
    row measured(std::string const& operation, std::string const& method, Work const& work,
                 std::string const& details = "", Prepare const& prepare = {}) {
        auto const timed = [&](int repetitions) {
            return measure(
                repetitions, [&](int) { prepare(); }, [&](int) { work(); });
        };
        timing t = timed(repetitions_);
        // Threads of the previous method may spin for some milliseconds.
        if (t.median < short_operation && repetitions_ > 1) t = timed(100);
        return {"algebra",
                backend_,
                matrix_ + ": " + operation,
                method,
                "",
                a_.rows(),
                a_.nonzeros(),
                t.median,
                t.fastest,
                0,
                0,
                details};
    }

    table& table_;
    std::string matrix_;
    csr_view<double> a_;
    std::string backend_;
    int repetitions_;
};

#if defined(COPPICE_HAS_CUDA)
/// Piecewise constant prolongator for aggregates of 2 x 2 points of a square grid.
csr<double> prolongator_of_squares(std::int64_t points) {
    std::int64_t const half = (points + 1) / 2;
    coo<double> p{std::int32_t(points * points), std::int32_t(half * half)};
    for (std::int64_t i = 0; i < points * points; ++i)
        p.add(std::int32_t(i), std::int32_t(i / points / 2 * half + i % points / 2), 1.0);
    return to_csr(host_executor{}, p);
}

void add_products(operations& all, cuda_executor const& exec, csr_view<double> a) {
    for (char const* semiring : {"plus-times", "min-plus"})
        all.alone(std::string("A A, ") + semiring, [&] {
            mxm(exec, make_product_plan(exec, a, a), semiring, a, a);
            exec.synchronize();
        });
    all.alone("plan of A A", [&] { make_product_plan(exec, a, a); });
    all.by("cuSPARSE SpGEMM, algorithm 2", "A A, plus-times", [&] { cusparse_product(exec, a, a); });
}
/// The Galerkin product P^T A P of a grid.
void add_galerkin(operations& all, cuda_executor const& exec, csr_view<double> a) {
    auto const points = std::int64_t(std::lround(std::sqrt(double(a.rows()))));
    auto const p = exec.copy(prolongator_of_squares(points));
    auto const r = transpose(exec, p.view());
    auto const product = [&](csr_view<double> left, csr_view<double> right) {
        return mxm(exec, make_product_plan(exec, left, right), "plus-times", left, right);
    };
    all.alone("P^T A P, aggregates of 2 x 2", [&] {
        auto const ap = product(a, p.view());
        product(r.view(), ap.view());
        exec.synchronize();
    });
}
#endif

struct times_factor {
    double factor;
    double operator()(double value) const { return value * factor; }
};

/// Index lists: every second index of [0, n), and all indices in random order.
std::vector<std::int64_t> second_indices(std::int64_t n) {
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < n; i += 2) list.push_back(i);
    return list;
}
std::vector<std::int64_t> shuffled_indices(std::int64_t n) {
    std::vector<std::int64_t> list(static_cast<std::size_t>(n));
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), std::mt19937_64(1));
    return list;
}

/// Adds the operations that extract or assign submatrices or read every entry once.
void add_submatrices(operations& all, host_executor const& exec, csr_view<double> a, graphblas_matrix& peer) {
    all.against(
        "sum of all", [&] { peer.reduce_all(); }, [&] { reduce_to_scalar(exec, add_plus<double>{}, a); });
    all.against(
        "2 A", [&] { peer.apply_scaled(2); }, [&] { apply(exec, times_factor{2}, a); });
    auto const second = second_indices(a.rows()), shuffled = shuffled_indices(a.rows());
    std::vector<std::int32_t> const list(second.begin(), second.end()), order(shuffled.begin(), shuffled.end());
    all.against(
        "A(list, list), every second index", [&] { peer.extract(second); }, [&] { extract(exec, a, list, list); });
    all.against(
        "A(list, list), all shuffled", [&] { peer.extract(shuffled); }, [&] { extract(exec, a, order, order); });
    auto const submatrix = extract(exec, a, list, list);
    csr<double> c;
    all.against(
        "C(list, list) = B, every second index", [&] { peer.prepare_assign(second); }, [&] { peer.assign(second); },
        [&] {
            c = csr<double>(a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
                            copy_of(exec, a.values()));
        },
        [&] { assign(exec, c, no_mask{}, no_accumulator{}, submatrix.view(), list, list); });
}

void add_comparisons(operations& all, host_executor const& exec, csr_view<double> a) {
    graphblas_matrix peer(a, exec.threads());
    for (std::string const semiring : {"plus-times", "min-plus"})
        all.against(
            "A A, " + semiring, [&] { peer.square(semiring); }, [&] { mxm(exec, semiring, a, a); });
    all.against(
        "A A, user type", [&] { peer.square_of_pairs(); }, [&] { mxm(exec, largest_and_count_semiring{}, a, a); });
    all.against(
        "A A where A", [&] { peer.square("plus-times", true); },
        [&] { masked_mxm(exec, plus_times<double>{}, a, a, a, {.structure = true}); });
    auto const plan = make_product_plan(exec, a, a);
    buffer<double> values(exec, plan.nonzeros());
    all.alone(
        "A A by a plan that is kept", [&] { product_values(exec, plan, plus_times<double>{}, a, a, values.view()); },
        fmt::format("{} entries", plan.nonzeros()));
    all.against(
        "A + A^T", [&] { peer.add_transposed(); },
        [&] {
            auto const transposed = transpose(exec, a);
            ewise_add(exec, op::plus<double>{}, a, transposed.view());
        });
    all.against(
        "A * A^T, element by element", [&] { peer.multiply_transposed(); },
        [&] {
            auto const transposed = transpose(exec, a);
            ewise_mult(exec, op::times<double>{}, a, transposed.view());
        });
    all.against(
        "select a_ij > 0.5", [&] { peer.select_above(0.5); }, [&] { select_entries(exec, above{0.5}, a); });
    all.against(
        "sums of rows", [&] { peer.reduce_rows(); }, [&] { reduce_to_vector(exec, add_plus<double>{}, a); });
    all.against(
        "transpose", [&] { peer.transpose(); }, [&] { transpose(exec, a); });
    add_submatrices(all, exec, a, peer);
}

} // namespace

void algebra_host(table& t, options const& o) {
    host_executor const exec(o.threads);
    for (graph_problem const& p : problems(o.quick)) {
        if (!t.wants_some_of(p.name)) continue;
        auto const a = make_graph_problem<double>(p);
        operations all(t, p.name, a.view(), "host", o.quick);
        add_comparisons(all, exec, a.view());
    }
}
#if defined(COPPICE_HAS_CUDA)
void algebra_cuda(table& t, options const& o) {
    cuda_executor const exec;
    for (graph_problem const& p : device_problems(o.quick)) {
        if (!t.wants_some_of(p.name)) continue;
        auto const a = exec.copy(make_graph_problem<double>(p));
        operations all(t, p.name, a.view(), "cuda", o.quick);
        add_products(all, exec, a.view());
        if (std::string_view(p.generator).starts_with("laplace2d")) add_galerkin(all, exec, a.view());
    }
}
#endif

} // namespace coppice::bench
