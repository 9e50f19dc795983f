// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/graphblas.md; the page contains the regions between the markers word for word.
#include <iostream>
#include <vector>
// [begin]
#include <coppice/graphblas.hpp>

// Distances from the vertices with an entry in d, along edges i -> j of length a_ij: d = min(d, d min.+ A).
void shortest_paths(coppice::host_executor const& exec, coppice::matrix_operand<float> const& a,
                    coppice::dense_vector_view<float> d) {
    for (int round = 1; round < a.rows(); ++round)
        vxm(exec, d, coppice::no_mask{}, coppice::op::min<float>{}, coppice::min_plus<float>{}, d, a);
}

// Breadth-first search: parent<!parent> = parent any.index A. Existing parents are kept, other reached vertices get
// one.
void search(coppice::host_executor const& exec, coppice::matrix_operand<float> const& a,
            coppice::dense_vector_view<std::int32_t> parent) {
    using a_parent = coppice::semiring_of<coppice::add_any<std::int32_t>, coppice::op::inner_index<std::int32_t>>;
    for (std::int64_t before = 0, reached = 1; reached > before;) {
        before = reached;
        vxm(exec, parent, parent, coppice::no_accumulator{}, a_parent{}, parent, a,
            {.structure = true, .complement = true});
        reached = entry_count(exec, parent);
    }
}
// [end]

namespace {

/// Edges 0 -> 1 -> 2 -> 3, a longer edge 0 -> 3, and an unreachable vertex 4.
coppice::csr<float> small_graph(coppice::host_executor const& exec) {
    return {5, 5, exec.copy(std::vector{0, 2, 3, 4, 4, 5}), exec.copy(std::vector{1, 3, 2, 3, 0}),
            exec.copy(std::vector{1.0f, 9.0f, 2.0f, 3.0f, 1.0f})};
}

template <class T>
int differences(char const* what, coppice::dense_vector<T> const& got, std::vector<T> const& expected) {
    int wrong = 0;
    for (std::int64_t i = 0; i < got.size(); ++i) {
        bool const none = expected[std::size_t(i)] < T(0);
        if (got.view().has(i) == none || (!none && got.values()[i] != expected[std::size_t(i)])) {
            std::cerr << what << " of " << i << " is wrong\n";
            ++wrong;
        }
    }
    return wrong;
}

} // namespace

int main() {
    coppice::host_executor exec;
    // clang-format off
// [begin]
auto graph = small_graph(exec);                   // a csr<float>
coppice::matrix_operand a(exec, graph);           // refers to the matrix and creates its plan
a.prepare_transpose(exec);                        // vxm runs along the rows of the transpose
coppice::dense_vector<float> d(exec, graph.rows());
d.values()[0] = 0;                                // an entry is a value ...
d.present()[0] = 1;                               // ... and a flag
shortest_paths(exec, a, d.view());
// [end]
    // clang-format on
    coppice::dense_vector<std::int32_t> parent(exec, graph.rows());
    parent.values()[0] = 0;
    parent.present()[0] = 1;
    search(exec, a, parent.view());
    return differences("distance", d, {0, 1, 3, 6, -1}) + differences("parent", parent, {0, 0, 1, 0, -1});
}
