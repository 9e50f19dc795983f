// SPDX-License-Identifier: BSD-3-Clause
// Suite `reference`: the fixed set of figures that bench/results/ stores for each version and machine. An entry that
// throws, or that begins after the time limit, is a row without a time whose note has the reason.
#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bench.hpp"
#include "bench/problems/graph_problems.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/bfs.hpp>
#include <coppice/centrality.hpp>
#include <coppice/communities.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/sparse.hpp>
#include <coppice/sssp.hpp>

namespace coppice::bench {
namespace {

template <class T>
constexpr char const* type_text = sizeof(T) == 8 ? "double" : "float";

/// Sizes and times of one measured figure.
struct figure {
    std::int64_t rows = 0, nonzeros = 0;
    timing time{};
    double bytes = 0; ///< minimum traffic, 0 if it is not counted
    std::string details{};
};

template <class Executor>
class reference_set {
public:
    reference_set(table& t, options const& o, Executor const& exec) : table_(t), options_(o), exec_(exec) {}

    Executor const& exec() const { return exec_; }
    bool quick() const { return options_.quick; }
    static constexpr bool on_host = std::is_same_v<Executor, host_executor>;
    /// The size for this backend: host, device, or that of a quick run.
    std::int64_t size(std::int64_t host, std::int64_t device, std::int64_t quick) const {
        return options_.quick ? quick : on_host ? host : device;
    }

    void add(std::string const& name, std::function<figure()> const& entry) {
        if (!table_.selects(name)) return;
        row r{.suite = "reference", .backend = backend_of(exec_), .problem = name, .method = "coppice"};
        if (table_.is_late()) {
            r.details = fmt::format("not measured: the limit of {} s was reached", options_.limit);
        } else {
            try {
                set(r, entry());
            } catch (std::exception const& problem) {
                r.details = fmt::format("failed: {}", problem.what());
            }
        }
        table_.add({std::move(r)});
    }

    /// Seconds of one call of `work(call)`. On a device calls are queued for some milliseconds between two waits, so
    /// that the time of the device is measured and not that of the launch.
    template <class Work>
    timing timed(Work const& work) const {
        work(0);
        detail::stopwatch watch(exec_);
        work(1);
        double const one = watch.lap();
        int const queued = on_host ? 1 : int(std::clamp(4e-3 / std::max(one, 1e-6), 1.0, 100.0));
        auto time = measure(options_.quick ? 3 : 21, [&](int r) {
            for (int k = 0; k < queued; ++k) work(r * queued + k);
            exec_.synchronize();
        });
        return {time.median / queued, time.fastest / queued, time.scatter};
    }

    template <class T>
    csr<T> matrix(std::string const& generator) const {
        return exec_.copy(make_graph_problem<T>({"", generator.c_str()}));
    }
    template <class T>
    buffer<T> random(std::int64_t n, std::uint64_t seed, double shift = 0) const {
        std::vector<T> values(static_cast<std::size_t>(n));
        random_stream const stream(seed, 7);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = T(shift + stream.uniform(i, -1.0, 1.0));
        return exec_.copy(values);
    }

private:
    static void set(row& r, figure const& f) {
        r.rows = f.rows;
        r.nonzeros = f.nonzeros;
        r.seconds = f.time.median;
        r.fastest = f.time.fastest;
        r.scatter = f.time.scatter;
        r.bytes = f.bytes;
        r.details = f.details;
    }

    table& table_;
    options const& options_;
    Executor exec_;
};

// -------------------------------------------------------------------------------------------------------------
// products

template <class T, class Set>
void add_spmv(Set& all, std::string const& name, std::string const& generator, char const* semiring) {
    all.add(fmt::format("spmv: {}, {}, {}", name, type_text<T>, semiring), [&] {
        auto const a = all.template matrix<T>(generator);
        auto const x = all.template random<T>(a.columns(), 1);
        buffer<T> y(all.exec(), a.rows());
        auto const plan = make_srcsr_plan(all.exec(), a.view());
        auto const time =
            all.timed([&](int) { semiring_spmv(all.exec(), plan, semiring, a.view(), x.view(), y.view()); });
        double const bytes = double(a.nonzeros()) * (sizeof(T) + 4) + double(a.rows()) * (sizeof(T) + 4) +
                             double(a.columns()) * sizeof(T);
        return figure{a.rows(), a.nonzeros(), time, bytes, {}};
    });
}
template <class Set>
void add_products(Set& all) {
    auto const plane = fmt::format("laplace2d,nx={}", all.size(1000, 2000, 20));
    auto const plane_name = fmt::format("5-point {}^2", all.size(1000, 2000, 20));
    auto const grid = fmt::format("laplace3d,nx={}", all.size(100, 200, 6));
    auto const grid_name = fmt::format("7-point {}^3", all.size(100, 200, 6));
    auto const power = fmt::format("rmat,scale={}", all.size(18, 20, 7));
    auto const power_name = fmt::format("R-MAT {}", all.size(18, 20, 7));
    for (char const* semiring : {"plus-times", "min-plus"}) {
        add_spmv<float>(all, plane_name, plane, semiring);
        add_spmv<double>(all, plane_name, plane, semiring);
    }
    add_spmv<double>(all, grid_name, grid, "plus-times");
    add_spmv<float>(all, power_name, power, "plus-times");
}

// --------------------------------------------------------------------------------------------------------- direct
// solves

/// Bands and columns of random numbers, with the middle band shifted by `shift`.
template <class T>
struct random_system {
    buffer<T> lower, diagonal, upper, d, x;

    template <class Set>
    random_system(Set const& all, std::int64_t elements, std::int64_t rhs_elements, double shift, std::uint64_t seed)
        : lower(all.template random<T>(elements, 4 * seed)),
          diagonal(all.template random<T>(elements, 4 * seed + 1, shift)),
          upper(all.template random<T>(elements, 4 * seed + 2)), d(all.template random<T>(rhs_elements, 4 * seed + 3)),
          x(all.exec(), rhs_elements) {}
    tridiagonal_view<T> view(std::int64_t n) const { return {n, lower.data(), diagonal.data(), upper.data()}; }
};

/// solve_bands over `systems` whose data together exceed the caches; `matrix(system)` returns the view of one.
template <class T, class Set, class Matrix>
figure solve_figure(Set const& all, std::vector<random_system<T>>& systems, std::int64_t columns, band_options const& o,
                    Matrix const& matrix) {
    band_matrix<T> const first = matrix(systems.front());
    buffer<std::byte> space(all.exec(), bands_workspace(all.exec(), first, columns, o));
    auto const time = all.timed([&](int call) {
        auto& s = systems[std::size_t(call) % systems.size()];
        solve_bands(all.exec(), matrix(s), columns_view<T const>{s.d.data(), first.size, columns},
                    columns_view<T>{s.x.data(), first.size, columns}, space.view(), o);
    });
    return {first.size, 0, time, 0, fmt::format("{:.1f} MRows/s", double(first.size * columns) / time.median * 1e-6)};
}
/// Number of copies that exceed an L2 cache of 60 MB several times.
inline int copies_of(double bytes) { return int(std::clamp(2.5e8 / bytes, 1.0, 16.0)); }

template <class T, class Set, class Matrix>
void add_solve(Set& all, std::string const& name, std::int64_t elements, std::int64_t rows, std::int64_t columns,
               double shift, band_options const& o, Matrix const& matrix) {
    all.add(fmt::format("{}, {}", name, type_text<T>), [&] {
        double const bytes = double(3 * elements + 2 * rows * columns) * sizeof(T);
        std::vector<random_system<T>> systems;
        for (int k = 0; k < copies_of(bytes); ++k)
            systems.emplace_back(all, elements, rows * columns, shift, std::uint64_t(k) + 1);
        return solve_figure(all, systems, columns, o, matrix);
    });
}
template <class T, class Set>
void add_tridiagonal(Set& all, int power) {
    std::int64_t const n = std::int64_t(1) << power;
    add_solve<T>(all, fmt::format("tridiagonal: RPTS, 2^{}", power), n, n, 1, 0, {},
                 [=](random_system<T> const& s) { return band_matrix<T>(s.view(n)); });
}
template <class T, class Set>
void add_batch(Set& all, std::int64_t systems, std::int64_t each) {
    std::int64_t const n = systems * each;
    add_solve<T>(all, fmt::format("tridiagonal: {} systems of {}", systems, each), n, n, 1, 3, {},
                 [=](random_system<T> const& s) { return band_matrix<T>::batch(s.view(n), systems); });
}
template <class Set>
void add_tridiagonals(Set& all) {
    for (int const power : all.quick() ? std::vector<int>{10} : std::vector<int>{12, 16, 20, 22}) {
        add_tridiagonal<float>(all, power);
        add_tridiagonal<double>(all, power);
    }
    add_batch<float>(all, all.size(2048, 8192, 8), all.size(512, 512, 32));
    add_solve<double>(
        all, "tridiagonal: 8 right-hand sides", all.size(1 << 18, 1 << 20, 1 << 8), all.size(1 << 18, 1 << 20, 1 << 8),
        8, 3, {}, [n = all.size(1 << 18, 1 << 20, 1 << 8)](auto const& s) { return band_matrix<double>(s.view(n)); });
}

template <class Set>
void add_factored(Set& all, std::int64_t n, std::int64_t columns) {
    all.add(fmt::format("direct: factorised tridiagonal, {} rows, {} columns, double", n, columns), [&] {
        random_system<double> s(all, n, n * columns, 3, 1);
        band_matrix<double> const a(s.view(n));
        buffer<std::byte> factor(all.exec(), bands_factor_bytes(all.exec(), a));
        factorise_bands(all.exec(), a, factor.view());
        buffer<std::byte> space(all.exec(), factored_workspace(all.exec(), a, columns));
        array_view<std::byte const> const saved(factor.view());
        auto const time = all.timed([&](int) {
            solve_factored_bands(all.exec(), a, saved, columns_view<double const>{s.d.data(), n, columns},
                                 columns_view<double>{s.x.data(), n, columns}, space.view());
        });
        return figure{n, 0, time, 0, {}};
    });
}
template <class Set>
void add_direct(Set& all) {
    std::int64_t const n = all.size(1 << 17, 1 << 20, 1 << 9);
    for (int const block : {2, 4, 8})
        for (bool const cyclic : {false, true}) {
            if (cyclic && block != 4) continue;
            add_solve<double>(all, fmt::format("direct: {}blocks of {}, {} rows", cyclic ? "cyclic " : "", block, n),
                              n * block, n, 1, 3, {.cyclic = cyclic}, [=](random_system<double> const& s) {
                                  return band_matrix<double>(block_tridiagonal_view<double>{
                                      n / block, block, s.lower.data(), s.diagonal.data(), s.upper.data()});
                              });
        }
    // Two bands on either side; two of the three buffers of a system are not read.
    add_solve<double>(all, fmt::format("direct: pentadiagonal, {} rows", n), 5 * n, n, 1, 0, {},
                      [=](random_system<double> const& s) {
                          return band_matrix<double>(banded_view<double>{n, 2, 2, s.diagonal.data()});
                      });
    add_solve<double>(all, fmt::format("direct: cyclic tridiagonal, {} rows", n), n, n, 1, 3, {.cyclic = true},
                      [=](random_system<double> const& s) { return band_matrix<double>(s.view(n)); });
    add_factored(all, n, 16);
}

// -----------------------------------------------------------------------------------------------------------
// iterations

template <class Set>
void add_krylov(Set& all, std::string const& method, std::string const& preconditioner, std::int64_t nx) {
    all.add(fmt::format("krylov: iteration of {}, {}, 5-point {}^2, double", method, preconditioner, nx), [&] {
        using executor_type = std::decay_t<decltype(all.exec())>;
        auto const a = all.template matrix<double>(fmt::format("laplace2d,nx={}", nx));
        csr_operator<executor_type, double> const op(all.exec(), a.view());
        auto const m = make_preconditioner(all.exec(), preconditioner, a.view());
        auto const b = all.template random<double>(a.rows(), 3);
        auto const zero = all.exec().copy(std::vector<double>(std::size_t(a.rows()), 0.0));
        buffer<double> x(all.exec(), a.rows());
        int const iterations = int(all.size(60, 240, 30));
        krylov_result result;
        auto time = all.timed([&](int) {
            all.exec().copy_elements(zero.data(), x.data(), a.rows());
            result = solve(all.exec(), method, op, m, b.view(), x.view(),
                           {.tolerance = 0, .max_iterations = iterations, .restart = 30});
        });
        int const made = std::max(1, int(result.iterations));
        return figure{a.rows(),
                      a.nonzeros(),
                      {time.median / made, time.fastest / made, time.scatter},
                      0,
                      fmt::format("solves of {} iterations", made)};
    });
}
template <class Set>
void add_iterations(Set& all) {
    std::vector<std::int64_t> const sizes = all.quick()    ? std::vector<std::int64_t>{30}
                                            : Set::on_host ? std::vector<std::int64_t>{100, 1000}
                                                           : std::vector<std::int64_t>{100, 1000, 2000};
    for (auto const nx : sizes) add_krylov(all, "cg", "none", nx);
    for (char const* method : {"bicgstab", "gmres"}) add_krylov(all, method, "none", all.size(1000, 1000, 30));
    add_krylov(all, "cg", "forest", all.size(1000, 1000, 30));
}

template <class Set>
void add_multilevel(Set& all, std::string const& name, std::string const& generator, char const* method) {
    using executor_type = std::decay_t<decltype(all.exec())>;
    all.add("multilevel: set-up, " + name, [&] {
        auto const a = all.template matrix<double>(generator);
        auto const time = all.timed([&](int) { make_preconditioner(all.exec(), "multilevel", a.view()); });
        return figure{a.rows(), a.nonzeros(), time, 0, {}};
    });
    all.add("multilevel: solve to 1e-8, " + name, [&] {
        auto const a = all.template matrix<double>(generator);
        csr_operator<executor_type, double> const op(all.exec(), a.view());
        auto const m = make_preconditioner(all.exec(), "multilevel", a.view());
        auto const b = all.template random<double>(a.rows(), 3);
        auto const zero = all.exec().copy(std::vector<double>(std::size_t(a.rows()), 0.0));
        buffer<double> x(all.exec(), a.rows());
        krylov_result result;
        auto const time = all.timed([&](int) {
            all.exec().copy_elements(zero.data(), x.data(), a.rows());
            result = solve(all.exec(), method, op, m, b.view(), x.view(), {.tolerance = 1e-8, .max_iterations = 500});
        });
        return figure{a.rows(), a.nonzeros(), time, 0,
                      fmt::format("{} iterations, {}", result.iterations, to_string(result.reason))};
    });
}
template <class Set>
void add_multilevels(Set& all) {
    auto const plane = all.size(500, 2000, 30), space = all.size(60, 160, 8);
    add_multilevel(all, fmt::format("5-point {}^2", plane), fmt::format("laplace2d,nx={}", plane), "cg");
    add_multilevel(all, fmt::format("rotated 45 {}^2", plane), fmt::format("rotated,nx={},angle=45,ratio=0.01", plane),
                   "cg");
    add_multilevel(all, fmt::format("convection {}^2", plane), fmt::format("convection,nx={}", plane), "bicgstab");
    add_multilevel(all, fmt::format("7-point {}^3", space), fmt::format("laplace3d,nx={}", space), "cg");
}

template <class Set>
void add_preconditioners(Set& all) {
    auto const nx = all.size(500, 1000, 20);
    for (char const* name : {"forest", "ilu0", "isai"}) {
        auto const problem = fmt::format("{}, 5-point {}^2, double", name, nx);
        auto const generator = fmt::format("laplace2d,nx={}", nx);
        all.add("preconditioner: set-up, " + problem, [&] {
            auto const a = all.template matrix<double>(generator);
            auto const time = all.timed([&](int) { make_preconditioner(all.exec(), name, a.view()); });
            return figure{a.rows(), a.nonzeros(), time, 0, {}};
        });
        all.add("preconditioner: apply, " + problem, [&] {
            auto const a = all.template matrix<double>(generator);
            auto const m = make_preconditioner(all.exec(), name, a.view());
            auto const x = all.template random<double>(a.rows(), 1);
            buffer<double> y(all.exec(), a.rows());
            auto const time = all.timed([&](int) { m.apply(all.exec(), x.view(), y.view()); });
            return figure{a.rows(), a.nonzeros(), time, 0, {}};
        });
    }
}

// -------------------------------------------------------------------------------------------------- algebra and graphs

template <class Set>
void add_algebra(Set& all) {
    auto const nx = all.size(1000, 2000, 20), scale = all.size(14, 18, 6);
    struct problem {
        std::string name, generator;
    };
    std::vector<problem> const problems{
        {fmt::format("5-point {}^2", nx), fmt::format("laplace2d,nx={}", nx)},
        {fmt::format("R-MAT {}", scale), fmt::format("rmat,scale={},edge_factor=4", scale)}};
    for (auto const& p : problems) {
        all.add("algebra: A A, " + p.name, [&] {
            auto const a = all.template matrix<double>(p.generator);
            auto const time = all.timed([&](int) {
                mxm(all.exec(), make_product_plan(all.exec(), a.view(), a.view()), "plus-times", a.view(), a.view());
            });
            return figure{a.rows(), a.nonzeros(), time, 0, {}};
        });
        all.add("algebra: transpose, " + p.name, [&] {
            auto const a = all.template matrix<double>(p.generator);
            auto const time = all.timed([&](int) { transpose(all.exec(), a.view()); });
            return figure{a.rows(), a.nonzeros(), time, 0, {}};
        });
    }
}

/// A graph without self-loops whose weights are integers from 1 to 64, equal in both directions.
inline csr<float> weighted_graph(std::string const& generator) {
    auto const directed = make_graph_problem<float>({"", generator.c_str()});
    auto a = symmetrised_weights(host_executor{}, directed.view());
    auto const view = a.view();
    for (std::int32_t u = 0; u < a.rows(); ++u)
        for (auto k = view.row_begin(u); k < view.row_end(u); ++k) {
            auto const v = view.indices[k];
            std::uint64_t const pair = std::uint64_t(std::min(u, v)) << 32 | std::uint64_t(std::max(u, v));
            a.values()[k] = float(1 + (mix_bits(pair) >> 58));
        }
    return a;
}

template <class Set>
void add_graph(Set& all, std::string const& name, std::string const& generator, bool with_communities) {
    std::optional<csr<float>> made; // by the first entry that is measured
    vertex_id source = 0;
    auto const graph = [&]() -> csr_view<float> {
        if (!made) {
            auto const on_host = weighted_graph(generator);
            for (source = 0;
                 source + 1 < on_host.rows() && on_host.view().row_begin(source) == on_host.view().row_end(source);)
                ++source;
            made = all.exec().copy(on_host);
        }
        return made->view();
    };
    auto const add = [&](char const* algorithm, auto const& run) {
        all.add(fmt::format("graph: {}, {}", algorithm, name), [&] {
            auto const a = graph();
            auto const time = all.timed([&](int) { run(a); });
            return figure{a.rows(), a.nonzeros(), time, 0, {}};
        });
    };
    auto const& exec = all.exec();
    add("bfs", [&](csr_view<float> a) { bfs(exec, graph_view(a), source, {.incoming = graph_view(a)}); });
    add("sssp", [&](csr_view<float> a) { sssp(exec, a, source, {.parents = false}); });
    add("components", [&](csr_view<float> a) { connected_components(exec, graph_view(a)); });
    if (with_communities) {
        add("pagerank",
            [&](csr_view<float> a) { pagerank<float>(exec, graph_view(a), graph_view(a), {.tolerance = 1e-4}); });
        add("triangles", [&](csr_view<float> a) { count_triangles(exec, graph_view(a)); });
        add("core numbers", [&](csr_view<float> a) { core_numbers(exec, graph_view(a)); });
        add("communities", [&](csr_view<float> a) { louvain(exec, a); });
    }
    add("spanning forest", [&](csr_view<float> a) { minimum_spanning_forest(exec, a); });
    add("linear forest", [&](csr_view<float> a) { extract_forest(exec, a, parallel_factor(exec, a, {})); });
}
template <class Set>
void add_graphs(Set& all) {
    auto const scale = all.size(16, 20, 7), nx = all.size(700, 2000, 20);
    add_graph(all, fmt::format("R-MAT {}", scale), fmt::format("rmat,scale={}", scale), true);
    add_graph(all, fmt::format("grid {}^2", nx), fmt::format("laplace2d,nx={}", nx), false);
}

template <class Executor>
void reference(table& t, options const& o, Executor const& exec) {
    reference_set<Executor> all(t, o, exec);
    add_products(all);
    add_tridiagonals(all);
    add_direct(all);
    add_iterations(all);
    add_multilevels(all);
    add_preconditioners(all);
    add_algebra(all);
    add_graphs(all);
}

} // namespace

void reference_host(table& t, options const& o) { reference(t, o, host_executor(o.threads)); }
#if defined(COPPICE_HAS_CUDA)
void reference_cuda(table& t, options const& o) { reference(t, o, cuda_executor{}); }
#endif

} // namespace coppice::bench
