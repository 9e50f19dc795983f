// SPDX-License-Identifier: BSD-3-Clause
// More than 2^31 nonzeros in the structure: only the offsets are stored; products are computed from the nonzero's
// number.
#include <doctest/doctest.h>

#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/semiring/reduce_rows/srcsr.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Nonzeros [first, next). Combining it with the interval that follows directly extends it; any other combination gives
/// `broken`. A row is correct exactly if each of its nonzeros was processed once and in order.
struct interval {
    std::int64_t first;
    std::int64_t next;
};
constexpr std::int64_t none = -1, broken = -2;

struct append {
    COPPICE_HD interval identity() const { return {none, none}; }
    COPPICE_HD interval operator()(interval const& a, std::int64_t k) const {
        std::int64_t const first = a.first == none ? k : a.first;
        return {first, a.first == none || a.next == k ? k + 1 : broken};
    }
    COPPICE_HD interval operator()(interval const& a, interval const& b) const {
        if (a.first == none) return b;
        if (b.first == none) return a;
        return {a.first, a.next == b.first ? b.next : broken};
    }
};
struct number {
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return k; }
};
struct keep {
    interval* y;
    COPPICE_HD void operator()(std::int64_t row, interval const& s) const { y[row] = s; }
};

} // namespace

TEST_CASE_TEMPLATE("64-bit offsets past 2^31 nonzeros", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    // Long rows first, so that the following rows are beyond 2^31: short, empty, and one more long row.
    std::vector<std::int64_t> offsets{0};
    for (int i = 0; i < 2049; ++i) offsets.push_back(offsets.back() + (1 << 20) + i % 3);
    for (int i = 0; i < 5000; ++i) offsets.push_back(offsets.back() + (i % 7 == 0 ? 0 : i % 50));
    offsets.push_back(offsets.back() + 100000);
    for (int i = 0; i < 3000; ++i) offsets.push_back(offsets.back());
    REQUIRE(offsets[2049] > std::int64_t(1) << 31);
    std::int64_t const rows = std::int64_t(offsets.size()) - 1;

    auto const on_device = exec.copy(offsets);
    auto const plan = make_srcsr_plan(exec, on_device.view());
    CHECK(plan.nonzeros == offsets.back());
    buffer<interval> y(exec, rows);
    auto const check = [&](std::int64_t first, std::int64_t last) {
        fill(exec, y.view(), interval{7, 7});
        reduce_rows(exec, plan, row_range{first, last}, number{}, append{}, keep{y.data()});
        auto const got = to_vector(exec, y);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
            std::int64_t const begin = offsets[std::size_t(i)], end = offsets[std::size_t(i) + 1];
            interval const expected = i < first || i >= last ? interval{7, 7}
                                      : begin == end         ? interval{none, none}
                                                             : interval{begin, end};
            if (got[std::size_t(i)].first != expected.first || got[std::size_t(i)].next != expected.next) ++wrong;
        }
        CHECK(wrong == 0);
    };
    if (!sanitized) check(0, rows); // 2^31 products; the range has those beyond
    check(2040, rows - 100);
}
