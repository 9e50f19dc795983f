// SPDX-License-Identifier: BSD-3-Clause
// User-defined values: without a default constructor, without conversions, sums whose result is of another type; and
// vectors of bool.
#include <doctest/doctest.h>

#include "sparse/sparse_problem.hpp"
#include "support/affine.hpp"
#include <coppice/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using I = std::int32_t;

/// A value that cannot be converted to a number.
struct label {
    int number;
};
struct to_label {
    COPPICE_HD label operator()(std::int32_t x) const { return {x}; }
};

/// An affine map without a default constructor.
struct strict_map {
    affine_map<> map;
    COPPICE_HD explicit strict_map(affine_map<> const& m) : map(m) {}
    COPPICE_HD friend bool operator==(strict_map const& f, strict_map const& g) { return f.map == g.map; }
};
struct to_strict {
    COPPICE_HD strict_map operator()(I x) const { return strict_map({std::uint32_t(x) + 2, std::uint32_t(3 * x)}); }
};
struct to_map {
    COPPICE_HD affine_map<> operator()(strict_map const& m) const { return m.map; }
};
struct compose_strict {
    COPPICE_HD strict_map identity() const { return strict_map(compose_maps<>{}.identity()); }
    COPPICE_HD strict_map operator()(strict_map const& f, strict_map const& g) const {
        return strict_map(compose_maps<>{}(f.map, g.map));
    }
};
/// Not associative with composition, so that both factors of a product are identified.
template <class Map>
struct mix_maps {
    COPPICE_HD Map operator()(Map const& f, Map const& g) const {
        if constexpr (std::is_same_v<Map, strict_map>)
            return Map(mix_maps<affine_map<>>{}(f.map, g.map));
        else
            return {f.a + 2 * g.b + 1, f.b + 5 * g.a};
    }
};
using strict_semiring = semiring_of<compose_strict, mix_maps<strict_map>>;
using map_semiring = semiring_of<compose_maps<>, mix_maps<affine_map<>>>;

/// Mean of the products, as a sum and a count.
struct sum_and_count {
    I sum, count;
};
struct add_mean {
    COPPICE_HD sum_and_count identity() const { return {0, 0}; }
    COPPICE_HD sum_and_count operator()(sum_and_count const& a, sum_and_count const& b) const {
        return {a.sum + b.sum, a.count + b.count};
    }
    COPPICE_HD sum_and_count operator()(sum_and_count const& a, I b) const { return {a.sum + b, a.count + 1}; }
    COPPICE_HD double result(sum_and_count const& a) const { return a.count > 0 ? double(a.sum) / a.count : 0; }
};

struct set_odd {
    I const* from;
    bool* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = from[i] % 2 != 0; }
};
struct is_odd {
    COPPICE_HD bool operator()(I x) const { return x % 2 != 0; }
};

template <class T, executor Executor>
std::vector<T> elements(Executor const& exec, dense_vector<T> const& v) {
    return to_vector(exec, v.values());
}

} // namespace

TEST_CASE_TEMPLATE("operands that an operator does not read may be of any type", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto a = random_sparse<std::int32_t>(40, 30, 0.2, 7), b = random_sparse<std::int32_t>(30, 50, 0.3, 8);
    std::fill(a.values.begin(), a.values.end(), 1);
    auto const labels_a = apply(exec, to_label{}, view_of(a.on(exec)));
    auto const labels_b = apply(exec, to_label{}, view_of(b.on(exec)));
    using count = semiring_of<add_plus<std::int32_t>, op::oneb<std::int32_t>>;
    auto const second =
        mxm(exec, semiring_of<add_plus<std::int32_t>, op::second<std::int32_t>>{}, labels_a, b.on(exec));
    CHECK(plain(exec, second) == by_definition(plus_times<std::int32_t>{}, a, b));
    std::fill(b.values.begin(), b.values.end(), 1);
    CHECK(plain(exec, mxm(exec, count{}, labels_a, labels_b)) == by_definition(plus_times<std::int32_t>{}, a, b));
    auto const ones = ewise_mult(exec, op::oneb<std::int32_t>{}, labels_a, labels_a);
    CHECK(plain(exec, ones) == a);

    buffer<label> const x(exec, 30); // never read
    auto y = exec.copy(std::vector<std::int32_t>(40));
    semiring_spmv(exec, make_srcsr_plan(exec, labels_a.view()), count{}, labels_a.view(), x.view(), y.view());
    auto const got = to_vector(exec, y);
    for (std::size_t i = 0; i < 40; ++i) CHECK(got[i] == a.offsets[i + 1] - a.offsets[i]);
}

TEST_CASE_TEMPLATE("values need no default constructor", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // a band, whose rows are shifted copies of each other, and an irregular matrix
    plain_matrix<I> band{60, 60};
    for (I i = 0; i < 60; ++i) {
        for (I j = std::max(0, i - 2); j < std::min(60, i + 3); ++j) {
            band.indices.push_back(j);
            band.values.push_back(i * j % 7);
        }
        band.offsets.push_back(I(band.indices.size()));
    }
    auto const read = [&](auto const& a) { return plain(exec, apply(exec, to_map{}, a.view())); };
    for (auto const& numbers : {band, random_sparse<I>(60, 60, 0.4, 9)}) {
        auto const there = numbers.on(exec);
        auto const a = apply(exec, to_strict{}, there.view());
        auto const b = apply(exec, to_map{}, a.view());
        CHECK(read(mxm(exec, strict_semiring{}, a, a)) ==
              by_definition(map_semiring{}, plain(exec, b), plain(exec, b)));
        descriptor const structure{.structure = true};
        CHECK(read(masked_mxm(exec, strict_semiring{}, a, a, a, structure)) ==
              plain(exec, masked_mxm(exec, map_semiring{}, b, b, b, structure)));
        CHECK_THROWS_AS(masked_mxm(exec, map_semiring{}, b, b, b), argument_error); // an aggregate has no zero
        std::vector<I> reversed(60);
        for (I i = 0; i < 60; ++i) reversed[std::size_t(i)] = 59 - i;
        auto const order = exec.copy(reversed);
        CHECK(read(extract(exec, a.view(), all_indices{}, array_view<I const>(order.view()))) ==
              plain(exec, extract(exec, b.view(), all_indices{}, array_view<I const>(order.view()))));

        std::vector<I> entries;
        for (I i = 0; i < 60; i += 3) entries.push_back(i);
        sparse_vector<I> const thirds(exec, 60, exec.copy(entries), exec.copy(entries));
        auto const u = apply(exec, to_strict{}, thirds);
        auto const v = apply(exec, to_map{}, u);
        sparse_vector<strict_map> w(exec, 60);
        sparse_vector<affine_map<>> x(exec, 60);
        mxv(exec, w, no_mask{}, no_accumulator{}, strict_semiring{}, matrix_operand(exec, a), u);
        mxv(exec, x, no_mask{}, no_accumulator{}, map_semiring{}, matrix_operand(exec, b), v);
        auto const got = apply(exec, to_map{}, w).to_dense(exec), expected = x.to_dense(exec);
        CHECK(to_vector(exec, got.present()) == to_vector(exec, expected.present()));
        CHECK(elements(exec, got) == elements(exec, expected));
        CHECK(w.to_dense(exec).size() == 60);
    }
}

TEST_CASE_TEMPLATE("the result of an adder is that of a sum in every product", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using mean = semiring_of<add_mean, op::times<I>>;
    auto const a = random_sparse<I>(30, 20, 0.4, 10), b = random_sparse<I>(20, 25, 0.3, 11);
    auto const there = a.on(exec), times = b.on(exec);
    auto const sums = by_definition(plus_times<I>{}, a, b);
    auto const counts = by_definition(semiring_of<add_plus<I>, op::oneb<I>>{}, a, b);
    plain_matrix<double> expected{sums.rows, sums.columns, sums.offsets, sums.indices, {}};
    for (std::size_t k = 0; k < sums.values.size(); ++k)
        expected.values.push_back(double(sums.values[k]) / counts.values[k]);
    csr<double> const product = mxm(exec, mean{}, there, times);
    CHECK(plain(exec, product) == expected);
    csr<double> const masked = masked_mxm(exec, mean{}, there, times, product, descriptor{.structure = true});
    CHECK(plain(exec, masked) == expected);

    std::vector<double> means;
    for (std::size_t i = 0; i < 30; ++i) {
        double sum = 0;
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) sum += a.values[std::size_t(k)];
        means.push_back(a.offsets[i] < a.offsets[i + 1] ? sum / (a.offsets[i + 1] - a.offsets[i]) : 0);
    }
    auto const ones = exec.copy(std::vector<I>(20, 1));
    auto y = exec.copy(std::vector<double>(30, -1.0)), z = exec.copy(std::vector<double>(30, -1.0));
    auto const plan = make_srcsr_plan(exec, there.view());
    semiring_spmv(exec, plan, mean{}, there.view(), ones.view(), y.view());
    CHECK(to_vector(exec, y) == means);
    spmm(exec, plan, mean{}, there.view(), thin_view<I const>{ones.view(), 1}, thin_view<double>{z.view(), 1});
    CHECK(to_vector(exec, z) == means);
}

TEST_CASE_TEMPLATE("vectors and matrices of bool", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_sparse<I>(50, 40, 0.1, 12);
    auto const b = apply(exec, is_odd{}, view_of(a.on(exec)));
    std::vector<I> numbers(40);
    for (I j = 0; j < 40; ++j) numbers[std::size_t(j)] = j * j % 3;
    auto const from = exec.copy(numbers);
    buffer<bool> x(exec, 40), y(exec, 50);
    for_each(exec, 40, set_odd{from.data(), x.data()});
    semiring_spmv(exec, make_srcsr_plan(exec, b.view()), or_and<bool>{}, b.view(), x.view(), y.view());
    auto const got = host_executor(1).copy(y);
    for (std::size_t i = 0; i < 50; ++i) {
        bool any = false;
        for (auto k = std::size_t(a.offsets[i]); k < std::size_t(a.offsets[i + 1]); ++k)
            any = any || (a.values[k] % 2 != 0 && numbers[std::size_t(a.indices[k])] % 2 != 0);
        CHECK(got[std::int64_t(i)] == any);
    }
}
