// SPDX-License-Identifier: BSD-3-Clause
// SpMM and SDDMM against their definitions, for every number of columns up to two groups.
#include <doctest/doctest.h>

#include "sparse/sparse_problem.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE_TEMPLATE("SpMM and SDDMM with few columns", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int32_t const rows = 300, columns = 170;
    auto const a = random_sparse<double>(rows, columns, 0.1, 1);
    auto const da = a.on(exec);
    auto const plan = make_srcsr_plan(exec, da.view());
    auto const small = [](std::int64_t i) { return double((i * 7 + 3) % 11); };
    for (std::int64_t k = 0; k < 17; ++k) {
        CAPTURE(k);
        std::vector<double> x, y(std::size_t(rows * k), 0), from_rows, expected;
        for (std::int64_t i = 0; i < columns * k; ++i) x.push_back(small(i));
        for (std::int64_t i = 0; i < rows * k; ++i) from_rows.push_back(small(i + 5));
        for (std::int32_t i = 0; i < rows; ++i)
            for (auto e = a.offsets[std::size_t(i)]; e < a.offsets[std::size_t(i) + 1]; ++e) {
                std::int64_t const c = a.indices[std::size_t(e)];
                double sum = 0;
                for (std::int64_t j = 0; j < k; ++j) {
                    y[std::size_t(i * k + j)] += a.values[std::size_t(e)] * x[std::size_t(c * k + j)];
                    sum += from_rows[std::size_t(i * k + j)] * x[std::size_t(c * k + j)];
                }
                expected.push_back(sum);
            }
        auto const dx = exec.copy(x), left = exec.copy(from_rows);
        buffer<double> dy(exec, rows * k), values(exec, da.nonzeros());
        thin_view<double const> const thin{dx.view(), k}, other{left.view(), k};
        spmm(exec, plan, plus_times<double>{}, da.view(), thin, thin_view<double>{dy.view(), k});
        CHECK(to_vector(exec, dy) == y);
        sddmm(exec, plus_times<double>{}, da.view(), other, thin, values.view());
        CHECK(to_vector(exec, values) == expected);
        if (k == 0) continue;
        CHECK_THROWS_AS(spmm(exec, plan, plus_times<double>{}, da.view(), other, thin_view<double>{dy.view(), k}),
                        dimension_error);
        CHECK_THROWS_AS(sddmm(exec, plus_times<double>{}, da.view(), other, thin, dy.view().slice(0, 1)),
                        dimension_error);
    }
}
