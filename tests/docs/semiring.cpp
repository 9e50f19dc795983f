// SPDX-License-Identifier: BSD-3-Clause
// The example of docs/guide/semiring.md; the page contains the regions between the markers word for word.
#include <coppice/generators.hpp>
#include <iostream>
// [begin]
#include <coppice/spmv.hpp>

// The largest entry of every row: a value and the column that it comes from.
struct candidate {
    float weight;
    std::int32_t column;
};

struct offer { // ⊗: one nonzero
    float const* weights;
    std::int32_t const* columns;
    COPPICE_HD candidate operator()(std::int64_t k) const { return {weights[k], columns[k]}; }
};
struct heavier { // ⊕: an identity, and a combination of two
    COPPICE_HD candidate identity() const { return {-1, -1}; }
    COPPICE_HD candidate operator()(candidate a, candidate b) const { return b.weight > a.weight ? b : a; }
};
struct keep_column { // what is written
    std::int32_t* largest;
    COPPICE_HD void operator()(std::int64_t row, candidate c) const { largest[row] = c.column; }
};
// [end]

int main() {
    coppice::host_executor exec;
    auto a = coppice::aniso1<float>(exec, 10, 10); // 3 on the diagonal: the largest entry of every row
    coppice::buffer<std::int32_t> largest(exec, a.rows());
    // clang-format off
// [begin]
auto plan = coppice::make_srcsr_plan(exec, a.view());
coppice::reduce_rows(exec, plan, offer{a.values().data(), a.column_indices().data()}, heavier{},
                     keep_column{largest.data()});
// [end]
    // clang-format on
    for (std::int32_t i = 0; i < a.rows(); ++i)
        if (largest[i] != i) {
            std::cerr << "row " << i << ": " << largest[i] << "\n";
            return 1;
        }
}
