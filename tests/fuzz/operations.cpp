// SPDX-License-Identifier: BSD-3-Clause
// Operations on small matrices and graphs that are made of arbitrary bytes, compared with their definitions.
//
//   coppice_fuzz_operations                              all targets, 20000 executions each
//   coppice_fuzz_operations TARGET|all [EXECUTIONS [SEED]]
//
// With -DCOPPICE_LIBFUZZER the same targets are LLVMFuzzerTestOneInput (clang -fsanitize=fuzzer); the environment
// variable COPPICE_FUZZ_TARGET chooses one, otherwise the first byte of the input.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <coppice/banded.hpp>
#include <coppice/bfs.hpp>
#include <coppice/core/error.hpp>
#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/sparse.hpp>
#include <coppice/sssp.hpp>

namespace {

using coppice::csr;
using coppice::host_executor;
using dense = std::vector<std::vector<double>>;

[[noreturn]] void die(std::string const& why) {
    std::fprintf(stderr, "coppice_fuzz_operations: %s\n", why.c_str());
    std::abort();
}

/// Numbers from the bytes of an input; zeros after its end.
class source {
public:
    explicit source(std::string_view bytes) : bytes_(bytes) {}
    bool empty() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        auto const first = static_cast<std::uint8_t>(bytes_.front());
        bytes_.remove_prefix(1);
        return first;
    }
    /// In [0, count).
    int below(int count) { return byte() % count; }
    std::string_view rest() { return std::exchange(bytes_, {}); }
    /// A small integer, so that sums of products are exact.
    double integer() { return double(int(byte() % 15) - 7); }
    /// A value of any magnitude, or one of any bits.
    double any() {
        switch (below(8)) {
        case 0:
            return 0;
        case 1:
            return std::ldexp(integer(), 40 * (below(21) - 10));
        case 2: {
            std::uint64_t word = 0;
            for (int k = 0; k < 8; ++k) word = word << 8 | byte();
            double value;
            std::memcpy(&value, &word, sizeof value);
            return value;
        }
        default:
            return integer() + double(byte()) / 256;
        }
    }

private:
    std::string_view bytes_;
};

host_executor const& one_thread() {
    static host_executor const exec{1};
    return exec;
}

dense zeros(int rows, int columns) { return dense(std::size_t(rows), std::vector<double>(std::size_t(columns))); }
double& at(dense& a, int i, int j) { return a[std::size_t(i)][std::size_t(j)]; }
double at(dense const& a, int i, int j) { return a[std::size_t(i)][std::size_t(j)]; }

/// Entries of a random matrix, duplicates included.
coppice::coo<double> entries(source& in, int rows, int columns, int count) {
    coppice::coo<double> a{rows, columns};
    for (int k = 0; k < count && rows > 0 && columns > 0; ++k) a.add(in.below(rows), in.below(columns), in.integer());
    return a;
}
dense summed(coppice::coo<double> const& a) {
    dense d = zeros(a.rows, a.columns);
    for (std::size_t k = 0; k < a.values.size(); ++k) at(d, a.row_indices[k], a.column_indices[k]) += a.values[k];
    return d;
}
void require_equal(csr<double> const& a, dense const& d, char const* what) {
    dense found = zeros(a.rows(), a.columns());
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            if (k > a.row_offsets()[i] && a.column_indices()[k - 1] >= a.column_indices()[k])
                die(std::string(what) + ": columns are not sorted");
            at(found, i, a.column_indices()[k]) = a.values()[k];
        }
    if (found != d) die(std::string(what) + ": differs from the definition");
}

// ------------------------------------------------------------------------------------------------------------- targets

/// Any text as the name of a preconditioner with options: it is made, or refused with a message.
void options(source& in) {
    static auto const grid = coppice::generate<double>(one_thread(), "laplace2d", {.nx = 5});
    static constexpr char const* words[] = {
        "forest", "ilu0", "multilevel", "rounds=",     "ties=hash", "omega=",         ",", "=", "nan", "1e9",
        "-1",     "mos",  "first=",     "tridiagonal", "direct",    "charge-period=", " "};
    std::string text(
        coppice::preconditioner_catalogue[std::size_t(in.byte()) % coppice::preconditioner_catalogue.size()].name);
    for (int k = in.below(6); k > 0; --k)
        text += in.below(2) ? std::string(words[in.below(int(std::size(words)))]) : std::string(1, char(in.byte()));
    coppice::make_preconditioner(one_thread(), text, grid.view());
}

/// Validation of damaged arrays: they are accepted if and only if they satisfy the rules of CSR storage.
void validation(source& in) {
    int const rows = in.below(6), columns = in.below(6);
    std::vector<int> offsets(std::size_t(std::max(0, rows + 1 + (in.below(8) == 0 ? in.below(3) - 1 : 0))));
    for (auto& offset : offsets) offset = in.below(10) - (in.below(10) == 0);
    if (in.below(2)) std::sort(offsets.begin(), offsets.end());
    if (!offsets.empty() && in.below(4)) offsets[0] = 0;
    std::vector<int> indices(std::size_t(in.below(10)));
    for (auto& column : indices) column = in.below(std::max(1, columns)) - (in.below(12) == 0) + (in.below(12) == 0);
    if (!offsets.empty() && in.below(4)) indices.resize(std::size_t(std::max(0, offsets.back())));
    std::vector<double> const values(indices.size(), 1.0);
    bool good = int(offsets.size()) == rows + 1 && offsets.front() == 0 && offsets.back() == int(indices.size()) &&
                std::is_sorted(offsets.begin(), offsets.end()) &&
                std::all_of(indices.begin(), indices.end(), [&](int j) { return 0 <= j && j < columns; });
    bool accepted = true;
    try {
        coppice::csr_from_arrays(one_thread(), rows, columns, offsets, indices, values);
    } catch (coppice::error const&) {
        accepted = false;
    }
    // A column that occurs twice in a row may be refused.
    for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) {
        std::vector<int> row(indices.begin() + offsets[i], indices.begin() + offsets[i + 1]);
        std::sort(row.begin(), row.end());
        if (std::adjacent_find(row.begin(), row.end()) != row.end()) return;
    }
    if (accepted != good)
        die(accepted ? "validation: arrays that break the rules are accepted" : "validation: good arrays are refused");
}

/// Conversions and operations against dense matrices; all numbers are small integers, so that they are exact.
void sparse(source& in) {
    auto const& exec = one_thread();
    int const n = 1 + in.below(7), m = 1 + in.below(7), k = 1 + in.below(7);
    auto const a_entries = entries(in, n, m, in.below(24)), b_entries = entries(in, m, k, in.below(24)),
               c_entries = entries(in, n, m, in.below(24));
    auto const a = coppice::to_csr(exec, a_entries), b = coppice::to_csr(exec, b_entries),
               c = coppice::to_csr(exec, c_entries);
    auto const da = summed(a_entries), db = summed(b_entries), dc = summed(c_entries);
    require_equal(a, da, "to_csr");
    require_equal(coppice::to_csr(exec, coppice::to_coo(exec, a.view())), da, "to_coo");
    dense product = zeros(n, k), transposed = zeros(m, n), sum = zeros(n, m), multiplied = zeros(n, m);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            for (int l = 0; l < k; ++l) at(product, i, l) += at(da, i, j) * at(db, j, l);
            at(transposed, j, i) = at(da, i, j);
            at(sum, i, j) = at(da, i, j) + at(dc, i, j);
            at(multiplied, i, j) = at(da, i, j) * at(dc, i, j);
        }
    require_equal(coppice::mxm(exec, coppice::plus_times<double>{}, a.view(), b.view()), product, "mxm");
    require_equal(coppice::transpose(exec, a.view()), transposed, "transpose");
    require_equal(coppice::ewise_add(exec, coppice::op::plus<double>{}, a.view(), c.view()), sum, "ewise_add");
    require_equal(coppice::ewise_mult(exec, coppice::op::times<double>{}, a.view(), c.view()), multiplied,
                  "ewise_mult");
}

struct tridiagonal_system {
    std::vector<double> lower, diagonal, upper, d, x;
    tridiagonal_system(source& in, std::size_t n) : lower(n), diagonal(n), upper(n), d(n), x(n) {
        for (auto* band : {&lower, &diagonal, &upper, &d})
            for (auto& value : *band) value = in.any();
    }
    /// Whether |A x - d| <= 100 epsilon (|A| |x| + |d|) in maximum norms. Below the normal numbers errors are absolute.
    bool is_solved() const {
        using wide = long double;
        wide residual = 0, norm = 0, largest_x = 0, largest_d = 0;
        auto const n = x.size();
        for (std::size_t i = 0; i < n; ++i) {
            wide r = wide(diagonal[i]) * x[i] - d[i], row = std::fabs(wide(diagonal[i]));
            if (i > 0) r += wide(lower[i]) * x[i - 1], row += std::fabs(wide(lower[i]));
            if (i + 1 < n) r += wide(upper[i]) * x[i + 1], row += std::fabs(wide(upper[i]));
            residual = std::max(residual, std::fabs(r));
            norm = std::max(norm, row);
            largest_x = std::max(largest_x, std::fabs(wide(x[i])));
            largest_d = std::max(largest_d, std::fabs(wide(d[i])));
        }
        wide const bound = 100 * std::numeric_limits<double>::epsilon() * (norm * largest_x + largest_d);
        return residual <= bound + 1e-290L * (1 + norm + largest_x);
    }
};

/// A tridiagonal system of any values: if the report is ok, the backward error is small.
void tridiagonal(source& in) {
    auto const n = std::int64_t(1 + in.below(90));
    tridiagonal_system s(in, std::size_t(n));
    coppice::solve_report report{};
    coppice::tridiagonal_view<double> const a{n, s.lower.data(), s.diagonal.data(), s.upper.data()};
    coppice::solve_bands(
        one_thread(), coppice::band_matrix<double>(a), coppice::columns_view<double const>{s.d.data(), n, 1},
        coppice::columns_view<double>{s.x.data(), n, 1}, {}, coppice::array_view<coppice::solve_report>(&report, 1));
    if (report.status == coppice::solve_status::ok && !s.is_solved())
        die("tridiagonal: a solution that is reported as ok has a large error");
}

/// Levels, distances and components of a small graph by textbook loops.
void graph(source& in) {
    auto const& exec = one_thread();
    int const n = 1 + in.below(12);
    coppice::coo<float> edges{n, n};
    for (int k = in.below(40); k > 0; --k) {
        int const u = in.below(n), v = in.below(n);
        float const length = float(1 + in.below(9));
        edges.add(u, v, length);
        edges.add(v, u, length);
    }
    auto const smaller = [](float x, float y) { return std::min(x, y); };
    auto const a = coppice::to_csr(exec, edges, smaller);
    int const start = in.below(n);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> distance(std::size_t(n), infinity), steps(distance);
    distance[std::size_t(start)] = steps[std::size_t(start)] = 0;
    for (int round = 0; round < n; ++round)
        for (std::size_t k = 0; k < edges.values.size(); ++k) {
            auto const u = std::size_t(edges.row_indices[k]), v = std::size_t(edges.column_indices[k]);
            distance[v] = std::min(distance[v], distance[u] + edges.values[k]);
            steps[v] = std::min(steps[v], steps[u] + 1);
        }
    auto const found = coppice::sssp(exec, a.view(), start);
    auto const levels = coppice::bfs(exec, coppice::graph_view(a.view()), start);
    auto const components = coppice::connected_components(exec, coppice::graph_view(a.view()));
    for (int v = 0; v < n; ++v) {
        auto const u = std::size_t(v);
        if (found.distances.data()[v] != distance[u]) die("sssp: another distance");
        if (levels.levels.data()[v] != (steps[u] == infinity ? -1 : int(steps[u]))) die("bfs: another level");
        if ((components.labels.data()[v] == components.labels.data()[start]) != (steps[u] < infinity))
            die("components: another component");
    }
}

struct target {
    char const* name;
    void (*run)(source&);
};
constexpr target targets[] = {{"options", options},
                              {"validation", validation},
                              {"sparse", sparse},
                              {"tridiagonal", tridiagonal},
                              {"graph", graph}};

void execute(target const& t, std::string_view input) {
    source in(input);
    try {
        t.run(in);
    } catch (coppice::error const&) { // refused with a message
    }
}

} // namespace

#if defined(COPPICE_LIBFUZZER)
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    static char const* const name = std::getenv("COPPICE_FUZZ_TARGET");
    auto const* chosen = &targets[data[0] % std::size(targets)];
    for (auto const& t : targets)
        if (name && std::string_view(t.name) == name) chosen = &t;
    execute(*chosen, {reinterpret_cast<char const*>(data) + 1, size - 1});
    return 0;
}
#else
int main(int argc, char** argv) {
    std::string const which = argc > 1 ? argv[1] : "all";
    std::int64_t const executions = argc > 2 ? std::atoll(argv[2]) : 20000;
    std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    bool known = false;
    for (auto const& t : targets) {
        if (which != "all" && which != t.name) continue;
        known = true;
        std::string input;
        for (std::int64_t k = 0; k < executions; ++k) {
            input.resize(random() % 400);
            for (auto& byte : input) byte = char(random() >> 56);
            execute(t, input);
        }
        std::printf("%s: %lld executions\n", t.name, static_cast<long long>(executions));
        std::fflush(stdout);
    }
    if (known) return 0;
    std::fprintf(stderr, "unknown target %s; expected all", which.c_str());
    for (auto const& t : targets) std::fprintf(stderr, ", %s", t.name);
    std::fprintf(stderr, "\n");
    return 2;
}
#endif
