// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/sparse.md; the page contains the regions between the markers word for word.
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>
// [begin]
#include <coppice/sparse.hpp>
using namespace coppice;

/// Returns a vector of length n with one entry.
template <class T>
sparse_vector<T> one_entry(host_executor const& exec, std::int64_t n, std::int32_t at, T value) {
    return {exec, n, exec.copy(std::vector{at}), exec.copy(std::vector{value})};
}

/// Breadth-first search: the number of edges from the source to each vertex.
sparse_vector<std::int32_t> levels(host_executor const& exec, matrix_operand<float> const& a, std::int32_t source) {
    using any_pair = semiring_of<add_any<std::int32_t>, op::oneb<std::int32_t>>;
    auto frontier = one_entry<std::int32_t>(exec, a.rows(), source, 1);
    sparse_vector<std::int32_t> level(exec, a.rows());
    level.make_bitmap(exec); // single elements are set later
    for (std::int32_t depth = 0; frontier.entries() > 0; ++depth) {
        // level<frontier> = depth;   frontier<!level, replace> = frontier any.pair A
        assign_scalar(exec, level, frontier, no_accumulator{}, depth, {.structure = true});
        vxm(exec, frontier, level, no_accumulator{}, any_pair{}, frontier, a,
            {.replace = true, .structure = true, .complement = true});
    }
    return level;
}

/// Shortest paths by Bellman and Ford, along the edges of vertices whose distance decreased. Lengths are not negative.
sparse_vector<float> distances(host_executor const& exec, matrix_operand<float> const& a, std::int32_t source) {
    float const far = std::numeric_limits<float>::infinity();
    auto distance = one_entry(exec, a.rows(), source, 0.0f), changed = exec.copy(distance);
    while (changed.entries() > 0) {
        // reached = changed min.+ A;   vertices with smaller distances continue
        sparse_vector<float> reached(exec, a.rows());
        vxm(exec, reached, no_mask{}, no_accumulator{}, min_plus<float>{}, changed, a);
        auto const nearer = ewise_union(exec, op::lt<float>{}, reached, far, distance, far);
        update(exec, reached, nearer, no_accumulator{}, reached, {.replace = true});
        update(exec, distance, no_mask{}, op::min<float>{}, reached);
        changed = std::move(reached);
    }
    return distance;
}

/// Triangles of an undirected graph: paths i > k > j whose ends are adjacent.
std::int64_t triangles(host_executor const& exec, csr_view<float> a) {
    using plus_pair = semiring_of<add_plus<std::int64_t>, op::oneb<std::int64_t>>;
    auto const below = [](float, std::int64_t i, std::int64_t j) { return j < i; };
    auto const lower = select_entries(exec, below, a);
    // C<L> = L plus.pair L: computed only at the entries of L
    auto const plan = make_masked_product_plan(exec, lower.view(), lower.view(), lower.view(), {.structure = true});
    auto const paths = mxm(exec, plan, plus_pair{}, lower.view(), lower.view());
    return reduce_to_scalar(exec, add_plus<std::int64_t>{}, paths.view());
}

/// PageRank of a graph in which every vertex has an outgoing edge.
sparse_vector<double> pagerank(host_executor const& exec, csr_view<double> a, int rounds) {
    double const n = a.rows(), follow = 0.85;
    auto row_scale = reduce_to_vector(exec, add_plus<double>{}, a);
    for (double& s : row_scale.values()) s = follow / s;
    auto const scale = diag(exec, row_scale.view()); // every row of `step` sums to 0.85
    auto const step = mxm(exec, plus_times<double>{}, scale.view(), a);
    matrix_operand operand(exec, step);
    operand.prepare_transpose(exec);
    sparse_vector<double> rank(exec, a.rows()), start(exec, a.rows());
    assign_scalar(exec, start, no_mask{}, no_accumulator{}, (1 - follow) / n);
    assign_scalar(exec, rank, no_mask{}, no_accumulator{}, 1 / n);
    for (int round = 0; round < rounds; ++round) {
        auto next = exec.copy(start); // next += rank A
        vxm(exec, next, no_mask{}, op::plus<double>{}, plus_times<double>{}, rank, operand);
        rank = std::move(next);
    }
    return rank;
}

/// Connected components of an undirected graph: the smallest vertex of each.
sparse_vector<std::int32_t> components(host_executor const& exec, matrix_operand<float> const& a) {
    using smallest = semiring_of<add_min<std::int32_t>, op::first<std::int32_t>>;
    sparse_vector<std::int32_t> label(exec, a.rows());
    assign_scalar(exec, label, no_mask{}, no_accumulator{}, 0);
    label = apply(
        exec, [](std::int32_t, std::int64_t i) { return std::int32_t(i); }, label);
    for (bool changes = true; changes;) {
        auto before = exec.copy(label); // label = min(label, label min.first A)
        vxm(exec, label, no_mask{}, op::min<std::int32_t>{}, smallest{}, before, a);
        auto const differs = ewise_mult(exec, op::ne<std::int32_t>{}, before, label);
        changes = reduce_to_scalar(exec, add_or<bool>{}, differs);
    }
    return label;
}
// [end]

namespace {

/// Two triangles 0 1 2 and 1 2 3 with a tail 3 - 4, and a pair 5 - 6; edge i - j has length i + j.
template <class T>
csr<T> graph(host_executor const& exec) {
    std::vector<std::int32_t> rows, columns;
    std::vector<T> lengths;
    for (auto const& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {5, 6}})
        for (bool const swapped : {false, true}) {
            rows.push_back(swapped ? j : i);
            columns.push_back(swapped ? i : j);
            lengths.push_back(T(i + j));
        }
    return build(exec, 7, 7, array_view<std::int32_t const>(rows), array_view<std::int32_t const>(columns),
                 array_view<T const>(lengths), no_duplicates{});
}

template <class T>
int differences(char const* what, sparse_vector<T> const& got, std::vector<T> const& expected) {
    auto const dense = got.to_dense(host_executor(1));
    int wrong = 0;
    for (std::int64_t i = 0; i < got.size(); ++i) {
        T const want = expected[std::size_t(i)];
        bool const right = want < T(0) ? !dense.view().has(i)
                                       : dense.view().has(i) && std::abs(double(dense.values()[i] - want)) < 1e-6;
        if (!right) std::cerr << what << ' ' << i << " is wrong\n";
        wrong += right ? 0 : 1;
    }
    return wrong;
}

} // namespace

int main() {
    host_executor const exec(2);
    auto const a = graph<float>(exec);
    matrix_operand both(exec, a, a); // symmetric: its own transpose
    int wrong = differences<std::int32_t>("level", levels(exec, both, 0), {0, 1, 1, 2, 3, -1, -1}) +
                differences<float>("distance", distances(exec, both, 0), {0, 1, 2, 5, 12, -1, -1}) +
                differences<std::int32_t>("component", components(exec, both), {0, 0, 0, 0, 0, 5, 5});
    wrong += triangles(exec, a.view()) == 2 ? 0 : 1;

    auto const weights = graph<double>(exec);
    auto const rank = pagerank(exec, weights.view(), 200).to_dense(exec);
    std::vector<double> expected(7, 1.0 / 7);
    auto const w = weights.view();
    for (int round = 0; round < 200; ++round) {
        std::vector<double> next(7, 0.15 / 7);
        for (std::int32_t i = 0; i < 7; ++i) {
            double sum = 0;
            for (auto k = w.row_begin(i); k < w.row_end(i); ++k) sum += w.coefficients[k];
            for (auto k = w.row_begin(i); k < w.row_end(i); ++k)
                next[std::size_t(w.indices[k])] += 0.85 * expected[std::size_t(i)] * w.coefficients[k] / sum;
        }
        expected = next;
    }
    wrong += differences<double>("rank", sparse_vector<double>(exec, exec.copy(rank)), expected);
    return wrong == 0 ? 0 : 1;
}
