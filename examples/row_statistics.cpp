// SPDX-License-Identifier: BSD-3-Clause
// User-defined operators: mean and variance of the coefficients of every row in one pass. The type of the result
// differs from that of the products. On the host lambdas can be used; for CUDA the three are function objects with
// COPPICE_HD.
#include <coppice/generators.hpp>
#include <coppice/spmv.hpp>

#include <cmath>
#include <iostream>
#include <vector>

/// Count, mean, and sum of squared differences from the mean. They can be merged without cancellation (Chan and others,
/// 1979).
struct moments {
    double count, mean, squares;
};
struct merge_moments {
    moments identity() const { return {0, 0, 0}; }
    moments operator()(moments const& a, moments const& b) const {
        double const count = a.count + b.count, difference = b.mean - a.mean;
        if (count == 0) return a;
        return {count, a.mean + difference * b.count / count,
                a.squares + b.squares + difference * difference * a.count * b.count / count};
    }
};

int main() {
    coppice::host_executor const exec;
    auto const a = coppice::generate(exec, "aniso1", {.nx = 50, .ny = 50});
    auto const plan = coppice::make_srcsr_plan(exec, a.view());
    double const* const values = a.values().data();
    std::vector<double> mean(std::size_t(a.rows())), deviation(mean.size());

    coppice::reduce_rows(
        exec, plan,
        [=](std::int64_t k) {
            return moments{1, values[k], 0};
        },
        merge_moments{},
        [&](std::int64_t row, moments const& m) {
            mean[std::size_t(row)] = m.mean;
            deviation[std::size_t(row)] = m.count > 1 ? std::sqrt(m.squares / (m.count - 1)) : 0;
        });

    // Computes the first row again, from the definition.
    double sum = 0, squares = 0, count = 0;
    for (auto k = a.row_offsets()[0]; k < a.row_offsets()[1]; ++k, ++count) sum += values[k];
    for (auto k = a.row_offsets()[0]; k < a.row_offsets()[1]; ++k)
        squares += (values[k] - sum / count) * (values[k] - sum / count);
    double const expected = std::sqrt(squares / (count - 1));
    std::cout << "row 0: mean " << mean[0] << ", deviation " << deviation[0] << "\n";
    return std::abs(mean[0] - sum / count) < 1e-14 && std::abs(deviation[0] - expected) < 1e-14 ? 0 : 1;
}
