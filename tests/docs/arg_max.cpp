// SPDX-License-Identifier: BSD-3-Clause
// Row maxima of docs/guide/semiring.md; the page contains the regions between the markers word for word.
#include <coppice/csr.hpp>
#include <iostream>
// [begin]
#include <coppice/arg_max.hpp>
#include <coppice/spmv.hpp>

struct coefficient { // max1: the largest a_ij of a row
    float const* values;
    COPPICE_HD float operator()(std::int64_t k) const { return values[k]; }
};
struct column_times_coefficient { // max1-with-column: the largest j a_ij
    float const* values;
    std::int32_t const* columns;
    COPPICE_HD float operator()(std::int64_t k) const { return float(columns[k]) * values[k]; }
};
struct store_value {
    float* y;
    COPPICE_HD void operator()(std::int64_t row, float largest) const { y[row] = largest; }
};
// [end]

int main() {
    coppice::host_executor exec;
    // row 0: 1 5 5; row 1: empty; row 2: 2 3 NaN (columns 2, 0, 1)
    std::vector<std::int32_t> const offsets{0, 3, 3, 6}, columns{0, 1, 2, 2, 0, 1};
    std::vector<float> const values{1, 5, 5, 2, 3, std::nanf("")};
    coppice::csr<float> const a(3, 3, exec.copy(offsets), exec.copy(columns), exec.copy(values));
    coppice::buffer<float> max1(exec, 3), max1_with_column(exec, 3);
    coppice::buffer<coppice::value_and_column<float>> best(exec, 6);
    auto const plan = coppice::make_srcsr_plan(exec, a.view());
    // clang-format off
// [begin]
coppice::reduce_rows(exec, plan, coefficient{a.values().data()}, coppice::add_max<float>{}, store_value{max1.data()});
coppice::reduce_rows(exec, plan, column_times_coefficient{a.values().data(), a.column_indices().data()},
                     coppice::add_max<float>{}, store_value{max1_with_column.data()});
coppice::arg_max_n<2>(exec, plan, a.view(), best.view());  // best[2 * i], best[2 * i + 1]: value and column
// [end]
    // clang-format on
    bool const right = max1[0] == 5 && max1[2] == 3 && max1_with_column[0] == 10 && max1_with_column[2] == 4 &&
                       best[0].column == 1 && best[1].column == 2 && best[2].column == -1 && best[4].column == 0 &&
                       best[5].column == 2 && best[5].value == 2;
    if (!right) std::cerr << "wrong maxima\n";
    return right ? 0 : 1;
}
