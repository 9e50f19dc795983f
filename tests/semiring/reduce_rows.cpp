// SPDX-License-Identifier: BSD-3-Clause
// reduce_rows against a sequential fold, on every executor.
#include <coppice/semiring/reduce_rows/srcsr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "support/affine.hpp"
#include "support/executors.hpp"
#include "support/patterns.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using affine = affine_map<>;
using compose = compose_maps<>;

struct affine_of_nonzero {
    std::int32_t const* columns;
    COPPICE_HD affine operator()(std::int64_t k) const {
        return {static_cast<std::uint32_t>(columns[k] * 31 + 2), static_cast<std::uint32_t>(k % 1000 + 1)};
    }
};
struct affine_of_nonzero_and_row {
    std::int32_t const* columns;
    COPPICE_HD affine operator()(std::int64_t k, std::int64_t row) const {
        return {static_cast<std::uint32_t>(columns[k] * 31 + 2), static_cast<std::uint32_t>((k + 7 * row) % 1000 + 1)};
    }
};
struct store_affine {
    affine* y;
    std::int32_t* stores;
    COPPICE_HD void operator()(std::int64_t row, affine const& sum) const {
        y[row] = sum;
        stores[row] += 1; // one store per row: no data race
    }
};

/// Three types: 32-bit products, a pair as accumulator, a 64-bit result.
struct smallest_two {
    std::int32_t first;
    std::int32_t second;
};
struct keep_smallest_two {
    COPPICE_HD smallest_two identity() const { return {INT32_MAX, INT32_MAX}; }
    COPPICE_HD smallest_two operator()(smallest_two const& s, std::int32_t v) const {
        return v < s.first ? smallest_two{v, s.first} : v < s.second ? smallest_two{s.first, v} : s;
    }
    COPPICE_HD smallest_two operator()(smallest_two const& s, smallest_two const& t) const {
        return (*this)((*this)(s, t.first), t.second);
    }
};
struct scrambled_column {
    std::int32_t const* columns;
    COPPICE_HD std::int32_t operator()(std::int64_t k) const { return (columns[k] * 7919 + 13) % 10007; }
};
struct store_difference {
    std::int64_t* y;
    COPPICE_HD void operator()(std::int64_t row, smallest_two const& s) const {
        y[row] = std::int64_t(s.second) - s.first;
    }
};

struct float_product {
    float const* values;
    std::int32_t const* columns;
    float const* x;
    COPPICE_HD float operator()(std::int64_t k) const { return values[k] * x[columns[k]]; }
};
struct store_float {
    float* y;
    COPPICE_HD void operator()(std::int64_t row, float sum) const { y[row] = sum; }
};

template <class Multiply>
affine fold_row(plain_csr<float> const& a, Multiply const& multiply, std::int64_t row) {
    affine sum = compose{}.identity();
    for (std::int32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        if constexpr (std::is_invocable_v<Multiply, std::int64_t, std::int64_t>)
            sum = compose{}(sum, multiply(k, row));
        else
            sum = compose{}(sum, multiply(k));
    }
    return sum;
}

template <class Multiply, class Executor>
void check_range(Executor const& exec, plain_csr<float> const& plain, row_range range) {
    auto const a = plain.on(exec);
    auto const plan = make_srcsr_plan(exec, a.view());
    std::int64_t const rows = a.rows();
    buffer<affine> y(exec, rows);
    buffer<std::int32_t> stores(exec, rows);
    fill(exec, stores.view(), 0);
    fill(exec, y.view(), compose{}.identity());
    reduce_rows(exec, plan, range, Multiply{a.column_indices().data()}, compose{},
                store_affine{y.data(), stores.data()});
    auto const got = to_vector(exec, y);
    auto const count = to_vector(exec, stores);
    Multiply const multiply{plain.indices.data()};
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        bool const inside = i >= range.first && i < range.last;
        affine const expected = inside ? fold_row(plain, multiply, i) : compose{}.identity();
        if (count[i] != (inside ? 1 : 0) || !(got[i] == expected)) ++wrong;
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE_TEMPLATE("every row is the ordered fold of its nonzeros, stored once", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : hard_row_lengths(1)) {
        CAPTURE(shape.name);
        auto const a = random_matrix<float>(shape.lengths, 1000, 2);
        check_range<affine_of_nonzero>(exec, a, {0, a.rows});
        check_range<affine_of_nonzero_and_row>(exec, a, {0, a.rows});
    }
}

TEST_CASE_TEMPLATE("a range of rows does not change the other rows", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : hard_row_lengths(3)) {
        CAPTURE(shape.name);
        auto const a = random_matrix<float>(shape.lengths, 500, 4);
        std::int64_t const n = a.rows;
        for (row_range const range : {row_range{0, n / 2}, row_range{n / 3, n}, row_range{n / 3, n / 3}})
            check_range<affine_of_nonzero_and_row>(exec, a, range);
        CHECK_THROWS_AS(check_range<affine_of_nonzero>(exec, a, {-1, n}), argument_error);
        CHECK_THROWS_AS(check_range<affine_of_nonzero>(exec, a, {0, n + 1}), argument_error);
    }
}

TEST_CASE_TEMPLATE("product, accumulator and result may be three types", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : hard_row_lengths(5)) {
        CAPTURE(shape.name);
        auto const plain = random_matrix<float>(shape.lengths, 1000, 6);
        auto const a = plain.on(exec);
        buffer<std::int64_t> y(exec, a.rows());
        reduce_rows(exec, make_srcsr_plan(exec, a.view()), scrambled_column{a.column_indices().data()},
                    keep_smallest_two{}, store_difference{y.data()});
        auto const got = to_vector(exec, y);
        std::int64_t wrong = 0;
        for (std::int32_t i = 0; i < plain.rows; ++i) {
            std::vector<std::int64_t> all{INT32_MAX, INT32_MAX};
            for (std::int32_t k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
                all.push_back((plain.indices[k] * 7919 + 13) % 10007);
            std::nth_element(all.begin(), all.begin() + 1, all.end());
            std::int64_t const first = *std::min_element(all.begin(), all.begin() + 2);
            if (got[i] != all[1] - first) ++wrong;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE_TEMPLATE("floating-point sums are bitwise equal on every run and close to the exact sum", Where,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    auto const all = hard_row_lengths(7);
    auto const power_law =
        std::find_if(all.begin(), all.end(), [](auto const& each) { return each.name == "power law"; });
    REQUIRE(power_law != all.end());
    auto const plain = random_matrix<float>(all.back().lengths, 1000, 8);
    auto const power = random_matrix<float>(power_law->lengths, 1000, 9);
    for (auto const* m : {&plain, &power}) {
        auto const a = m->on(exec);
        std::vector<float> x(1000);
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::sin(float(j));
        auto const dx = exec.copy(x);
        auto const plan = make_srcsr_plan(exec, a.view());
        std::vector<float> before;
        for (int run = 0; run < 3; ++run) {
            buffer<float> y(exec, a.rows());
            reduce_rows(exec, plan, float_product{a.values().data(), a.column_indices().data(), dx.data()},
                        add_plus<float>{}, store_float{y.data()});
            auto const got = to_vector(exec, y);
            if (run > 0) CHECK(std::memcmp(got.data(), before.data(), got.size() * sizeof(float)) == 0);
            before = got;
        }
        for (std::int32_t i = 0; i < m->rows; ++i) {
            double sum = 0, magnitude = 0;
            for (std::int32_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
                double const p = double(m->values[k]) * x[static_cast<std::size_t>(m->indices[k])];
                sum += p;
                magnitude += std::abs(p);
            }
            REQUIRE(std::abs(before[static_cast<std::size_t>(i)] - sum) <= 1e-5 * magnitude + 1e-12);
        }
    }
}

#if !defined(COPPICE_TEST_CUDA)
namespace {

/// Selects every third row.
struct store_some : store_affine {
    COPPICE_HD bool wants(std::int64_t row) const { return row % 3 == 1; }
};

} // namespace

TEST_CASE_TEMPLATE("rows that the store does not select are unchanged", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : hard_row_lengths(15)) {
        CAPTURE(shape.name);
        auto const plain = random_matrix<float>(shape.lengths, 1000, 16);
        auto const a = plain.on(exec);
        buffer<affine> y(exec, a.rows());
        buffer<std::int32_t> stores(exec, a.rows());
        fill(exec, stores.view(), 0);
        reduce_rows(exec, make_srcsr_plan(exec, a.view()), affine_of_nonzero{a.column_indices().data()}, compose{},
                    store_some{{y.data(), stores.data()}});
        auto const got = to_vector(exec, y);
        auto const count = to_vector(exec, stores);
        affine_of_nonzero const multiply{plain.indices.data()};
        std::int64_t wrong = 0;
        for (std::int32_t i = 0; i < plain.rows; ++i) {
            bool const selected = i % 3 == 1;
            if (count[std::size_t(i)] != (selected ? 1 : 0)) ++wrong;
            if (selected && !(got[std::size_t(i)] == fold_row(plain, multiply, i))) ++wrong;
        }
        CHECK(wrong == 0);
    }
}

namespace {

/// Or over flags; 1 is terminal.
struct any_flag {
    int identity() const { return 0; }
    int operator()(int a, int b) const { return a | b; }
    bool terminal(int a) const { return a == 1; }
};

} // namespace

TEST_CASE("a row stops early at a terminal value, with the same result") {
    for (auto const& shape : hard_row_lengths(17)) {
        CAPTURE(shape.name);
        host_executor const exec(1);
        auto const plain = random_matrix<float>(shape.lengths, 1000, 18);
        auto const a = plain.on(exec);
        std::vector<int> y(std::size_t(plain.rows), -1);
        std::int64_t requested = 0;
        auto const flag = [&](std::int64_t k) { return plain.values[std::size_t(k)] > 0.5f ? 1 : 0; }; // a quarter
        reduce_rows(
            exec, make_srcsr_plan(exec, a.view()),
            [&](std::int64_t k) {
                ++requested;
                return flag(k);
            },
            any_flag{}, [&](std::int64_t row, int sum) { y[std::size_t(row)] = sum; });
        std::int64_t wrong = 0;
        for (std::int32_t i = 0; i < plain.rows; ++i) {
            int expected = 0;
            for (std::int32_t k = plain.offsets[std::size_t(i)]; k < plain.offsets[std::size_t(i) + 1]; ++k)
                expected |= flag(k);
            wrong += y[std::size_t(i)] == expected ? 0 : 1;
        }
        CHECK(wrong == 0);
        if (shape.lengths == std::vector<std::int64_t>{100000}) CHECK(requested < 1000); // a row in few chunks
    }
}

TEST_CASE("a row is bitwise equal alone, in a range and in the whole matrix") {
    host_executor const exec(2);
    auto const plain = random_matrix<float>(hard_row_lengths(19)[12].lengths, 1000, 20);
    auto const a = plain.on(exec);
    std::vector<float> x(1000);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::sin(float(j));
    auto const plan = make_srcsr_plan(exec, a.view());
    float_product const multiply{a.values().data(), a.column_indices().data(), x.data()};
    buffer<float> whole(exec, a.rows()), from_ranges(exec, a.rows());
    reduce_rows(exec, plan, multiply, add_plus<float>{}, store_float{whole.data()});
    for (std::int64_t i = 0; i < a.rows(); i += i % 100 + 1)
        reduce_rows(exec, plan, row_range{i, std::min<std::int64_t>(a.rows(), i + i % 100 + 1)}, multiply,
                    add_plus<float>{}, store_float{from_ranges.data()});
    CHECK(std::memcmp(whole.data(), from_ranges.data(), std::size_t(a.rows()) * sizeof(float)) == 0);
}

TEST_CASE("the result does not depend on the number of threads") {
    auto const plain = random_matrix<float>(hard_row_lengths(11)[12].lengths, 1000, 12);
    std::vector<float> x(1000, 0.1f);
    std::vector<float> reference;
    for (int threads : {1, 2, 3, 7}) {
        host_executor const exec(threads);
        auto const a = plain.on(exec);
        buffer<float> y(exec, a.rows());
        reduce_rows(exec, make_srcsr_plan(exec, a.view()),
                    float_product{a.values().data(), a.column_indices().data(), x.data()}, add_plus<float>{},
                    store_float{y.data()});
        auto const got = to_vector(exec, y);
        if (threads > 1) CHECK(std::memcmp(got.data(), reference.data(), got.size() * sizeof(float)) == 0);
        reference = got;
    }
}

TEST_CASE("lambdas can be operators on the host") {
    host_executor const exec(2);
    auto const plain = random_matrix<double>({3, 0, 2, 7}, 10, 13);
    auto const a = plain.on(exec);
    std::vector<double> longest(4);
    reduce_rows(
        exec, make_srcsr_plan(exec, a.view()), [&](std::int64_t k) { return std::abs(plain.values[std::size_t(k)]); },
        adder_of([](double p, double q) { return p > q ? p : q; }, 0.0),
        [&](std::int64_t row, double m) { longest[std::size_t(row)] = m; });
    for (std::size_t i = 0; i < 4; ++i) {
        double m = 0;
        for (int k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
            m = std::max(m, std::abs(plain.values[std::size_t(k)]));
        CHECK(longest[i] == m);
    }
}

TEST_CASE("64-bit offsets with 32-bit columns") {
    host_executor const exec(2);
    auto const plain = random_matrix<float, std::int32_t, std::int64_t>({3, 0, 2, 7000, 1}, 10, 13);
    auto const a = plain.on(exec);
    std::vector<float> x(10, 1.0f), y(5);
    reduce_rows(exec, make_srcsr_plan(exec, a.view()),
                float_product{a.values().data(), a.column_indices().data(), x.data()}, add_plus<float>{},
                store_float{y.data()});
    for (std::size_t i = 0; i < 5; ++i) {
        double sum = 0;
        for (std::int64_t k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k) sum += plain.values[std::size_t(k)];
        CHECK(y[i] == doctest::Approx(sum).epsilon(1e-4));
    }
}
#endif

#if !defined(COPPICE_TEST_CUDA)
namespace {

/// A sum without a default constructor.
struct explicit_sum {
    std::int64_t value;
    explicit explicit_sum(std::int64_t v) : value(v) {}
};
struct add_explicit {
    explicit_sum identity() const { return explicit_sum(0); }
    explicit_sum operator()(explicit_sum a, explicit_sum b) const { return explicit_sum(a.value + b.value); }
};

} // namespace

TEST_CASE("a sum on the host needs no default constructor") {
    host_executor const exec(2);
    std::vector<std::int32_t> offsets{0}; // rows of different lengths
    for (std::int32_t i = 0; i < 500; ++i) offsets.push_back(offsets.back() + i * 7 % 5);
    auto const plan = make_srcsr_plan(exec, array_view<std::int32_t const>(offsets));
    std::vector<std::int64_t> sums(500, -1);
    reduce_rows(
        exec, plan, [](std::int64_t k) { return explicit_sum(k); }, add_explicit{},
        [&](std::int64_t row, explicit_sum sum) { sums[std::size_t(row)] = sum.value; });
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::int64_t expected = 0;
        for (std::int64_t k = offsets[i]; k < offsets[i + 1]; ++k) expected += k;
        CHECK(sums[i] == expected);
    }
}
#endif
