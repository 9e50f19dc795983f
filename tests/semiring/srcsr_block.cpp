// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the SRCSR kernels on CPU threads: order, barriers, sizes of shared memory, and (under the thread
// sanitizer) races. Where the path is cut: by brute force.
#include <coppice/semiring/reduce_rows/srcsr_block.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <random>

#include "support/affine.hpp"
#include "support/block_stand_in.hpp"
#include "support/patterns.hpp"
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>
#include <coppice/semiring/spmv/mxv_lane.hpp>

using namespace coppice;
using test::block_runner;
using test::named_lengths;

namespace {

// ------------------------------------------------------------------------------------------------------------
// operators

/// Strings over a small alphabet, as a hash with length: concatenation, the most order-sensitive operator there is.
struct word {
    std::uint64_t hash;
    std::uint64_t power; ///< of the base, to the length
    friend bool operator==(word const&, word const&) = default;
};
word letter(std::uint64_t id) { return {id * 2654435761u + 1, 1000003}; }

struct concatenate {
    word identity() const { return {0, 1}; }
    word operator()(word const& a, word const& b) const { return {a.hash * b.power + b.hash, a.power * b.power}; }
};

// Accumulators of 4 and 8 bytes, so that parts of rows travel in slots.
using small_compose = test::compose_maps<std::uint16_t, 65521>;
using compose_8 = test::compose_maps<std::uint32_t>;

template <class Add>
struct opaque_affine {
    typename Add::map operator()(std::int64_t k) const { return {decltype(Add::map::a)(k % 30000 + 2), 7}; }
};
struct opaque_letter {
    word operator()(std::int64_t k) const { return letter(std::uint64_t(k)); }
};
struct opaque_letter_with_row {
    word operator()(std::int64_t k, std::int64_t row) const { return letter(std::uint64_t(k * 97 + row)); }
};

/// An element of 12 bytes, which fits no granule of 16.
struct triple {
    std::int32_t part[3];
};
struct letter_along {
    word operator()(std::int32_t const& a, triple const& t, signed char const& c) const {
        return letter(std::uint64_t(a) * 31 + std::uint64_t(t.part[0] + t.part[2]) * 17 + std::uint64_t(c));
    }
};
struct letter_along_with_row {
    word operator()(std::int32_t const& a, triple const& t, signed char const& c, std::int64_t row) const {
        return letter(letter_along{}(a, t, c).hash + std::uint64_t(row));
    }
};

/// A product of many bytes, which all count.
template <int Words>
struct wide {
    std::uint64_t part[Words];
};
struct concatenate_wide : concatenate {
    using concatenate::operator();
    template <int Words>
    word operator()(word const& a, wide<Words> const& p) const {
        std::uint64_t sum = 0;
        for (std::uint64_t const v : p.part) sum = sum * 5 + v;
        return (*this)(a, letter(sum));
    }
};
template <int Words>
struct wide_letter {
    wide<Words> operator()(std::int64_t k) const {
        wide<Words> p{};
        for (int i = 0; i < Words; ++i) p.part[i] = std::uint64_t(k * 3 + i);
        return p;
    }
};
template <int Words>
struct wide_letter_with_row {
    wide<Words> operator()(std::int64_t k, std::int64_t row) const {
        auto p = wide_letter<Words>{}(k);
        p.part[Words - 1] += std::uint64_t(row);
        return p;
    }
};

/// The same product in two layouts.
template <bool Split>
struct tagged {
    double value;
    std::int32_t column;
    std::int16_t tag;
};

} // namespace

template <>
struct coppice::shared_layout<tagged<true>>
    : coppice::split_members<&tagged<true>::value, &tagged<true>::column, &tagged<true>::tag> {};

namespace {

struct concatenate_tagged : concatenate {
    using concatenate::operator();
    template <bool Split>
    word operator()(word const& a, tagged<Split> const& p) const {
        return (*this)(a, letter(std::uint64_t(p.value) * 11 + std::uint64_t(p.column) * 3 + std::uint64_t(p.tag)));
    }
};
template <bool Split>
struct tagged_letter {
    tagged<Split> operator()(std::int64_t k) const { return {double(k), std::int32_t(k % 77), std::int16_t(k % 5)}; }
};

/// Neither products nor sums can be made from nothing, and both ask for an alignment above that of a granule.
struct alignas(32) strict_word {
    word w;
    explicit strict_word(word value) : w(value) {}
    friend bool operator==(strict_word const& a, strict_word const& b) { return a.w == b.w; }
};
struct concatenate_strict {
    strict_word identity() const { return strict_word({0, 1}); }
    strict_word operator()(strict_word const& a, strict_word const& b) const {
        return strict_word(concatenate{}(a.w, b.w));
    }
};
struct alignas(32) aligned_element {
    std::int32_t value;
};
struct strict_along {
    strict_word operator()(aligned_element const& e, signed char const& c) const {
        return strict_word(letter(std::uint64_t(e.value * 3 + c)));
    }
};
struct opaque_strict {
    strict_word operator()(std::int64_t k) const { return strict_word(letter(std::uint64_t(k))); }
};

/// A result smaller than the accumulator.
struct hash_of_word : concatenate {
    std::uint32_t result(word const& w) const { return std::uint32_t(w.hash ^ w.hash >> 32); }
};
/// The smallest of guarded values; NaN, which the comparison finds wrong, where one got in.
struct guarded_min : detail::guarded_adder<add_min<float>> {
    float result(detail::guarded<float> const& sum) const { return sum.value; }
};
/// Every second product is NaN, among them the first of many parts; every seventh is absent.
struct often_nan {
    detail::guarded<float> operator()(std::int64_t k) const {
        if (k % 7 == 3) return {0, detail::entry_state::none};
        return {k % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : float(k % 1000), detail::entry_state::present};
    }
};
struct often_nan_with_row {
    detail::guarded<float> operator()(std::int64_t k, std::int64_t) const { return often_nan{}(k); }
};
struct nan_along {
    detail::guarded<float> operator()(std::int32_t const& a) const { return often_nan{}(a); }
};
/// The same for arg-max.
struct arg_max_hash : add_arg_max<float> {
    float result(pair const& best) const { return best.value + 1000 * float(best.column % 100); }
};
struct often_nan_with_column {
    value_and_column<float> operator()(std::int64_t k) const { return {often_nan{}(k).value, std::int32_t(k)}; }
};
/// A result larger than product and accumulator.
struct wide_result : compose_8 {
    wide<6> result(map const& m) const { return {{m.a, m.b, 1, 2, 3, 4}}; }
};
template <int Words>
bool operator==(wide<Words> const& a, wide<Words> const& b) {
    return std::equal(a.part, a.part + Words, b.part);
}

// -------------------------------------------------------------------------------------------------------------- stores

template <class Result>
struct record {
    Result* y;
    int* stores;
    void operator()(std::int64_t row, Result const& sum) const {
        y[row] = sum;
        ++stores[row];
    }
};

/// Reads `own` ahead and writes it with the sum; Fetched of more than 8 bytes is read late.
template <class Result, class Fetched>
struct record_and_read {
    Result* y;
    int* stores;
    Fetched* own;
    Fetched fetch(std::int64_t row) const { return own[row]; }
    void operator()(std::int64_t row, Result const& sum, Fetched const& fetched) const {
        y[row] = sum;
        ++stores[row];
        own[row] = fetched;
        own[row].part[0] += 1000;
    }
};

// ------------------------------------------------------------------------------------------------------------ the plan

using offset = std::int32_t;

/// Stands for a device_note.
struct note {
    int* answer;
    void write(bool yes) const { *answer = yes; }
};

/// What a plan on CUDA holds.
struct plan {
    std::vector<offset> const& offsets;
    int threads;
    srcsr_scheme scheme;
    detail::partition_rule rule{};
    std::int64_t shares = 0;
    std::vector<detail::path_point> cuts{};
    std::vector<hand_over_slot> slots{}, heads{};
    int irregular = -1; ///< what the kernel noted

    std::int64_t rows() const { return std::int64_t(offsets.size()) - 1; }
    std::int64_t nonzeros() const { return offsets.back(); }
};

/// Makes the cuts and kinds under the stand-in.
plan make_plan(std::vector<offset> const& offsets, int threads, std::int64_t work, srcsr_scheme scheme,
               int lane_stretch = 32, int given_capacity = 0) {
    plan p{offsets, threads, scheme};
    srcsr_tuning tuning{};
    tuning.work_per_block = work;
    int capacity = given_capacity;
    if (capacity == 0 && p.rows() > 0)
        capacity = detail::share_capacity(tuning, p.rows(), p.nonzeros(), threads * detail::share_items);
    std::int64_t const room = threads * detail::share_items - work;
    p.rule = {work, scheme == srcsr_scheme::adaptive ? room : 0, threads, lane_stretch, capacity};
    p.shares = (p.rows() + p.nonzeros() + work - 1) / work;
    p.cuts.resize(std::size_t(p.shares) + 1);
    p.slots.resize(std::size_t(p.shares), {{1, 1}}); // which the kernel empties
    constexpr int partition_threads = 64;
    constexpr int a_block = detail::shares_of_partition_block<test::block_stand_in>(partition_threads);
    static block_runner blocks(partition_threads, sizeof(detail::path_point) * partition_threads /
                                                      detail::lane_group<test::block_stand_in>::lanes);
    detail::partition_job<offset, note> const job{p.offsets.data(), p.rows(),      p.nonzeros(),   p.rule,
                                                  p.shares,         p.cuts.data(), p.slots.data(), {&p.irregular}};
    blocks.run(int(2 + p.shares / a_block), [&](auto const& block, int b, std::byte* shared) {
        detail::partition_block(block, b, job, reinterpret_cast<detail::path_point*>(shared));
    });
    p.heads.resize(std::size_t(p.shares));
    return p;
}

// ------------------------------------------------------------------------------------------------------------ the runs

template <template <class, class> class Reading = detail::read_in_rounds, class Multiply, class Add, class Store>
void launch(plan& p, row_range range, Multiply const& multiply, Add const& add, Store const& store) {
    using accumulator = accumulator_t<Add>;
    auto const sizes = detail::size_launch<Multiply, Add>(p.threads, p.rule.capacity);
    std::vector<accumulator> carries(std::size_t(2 * p.shares), add.identity());
    detail::srcsr_job<offset> const job{p.offsets.data(), p.cuts.data(),  p.slots.data(),
                                        p.heads.data(),   carries.data(), p.shares,
                                        p.rows(),         p.nonzeros(),   p.rule.work_per_block,
                                        range.first,      range.last,     p.threads * detail::share_items,
                                        sizes.tile_steps, sizes.capacity, p.scheme};
    detail::ordered_parts const combine{};
    block_runner blocks(p.threads, std::size_t(sizes.shared_bytes));
    blocks.run(int(p.shares), [&](auto const& block, int s, std::byte* shared) {
        detail::srcsr_block<Reading<Multiply, Add>>(block, s, job, multiply, add, store, combine,
                                                    reinterpret_cast<unsigned char*>(shared));
    });
    if (p.scheme != srcsr_scheme::balanced_postprocess) return;
    int const grid = int((p.shares + p.threads - 1) / p.threads);
    block_runner second(p.threads, std::size_t(detail::srcsr_types<Multiply, Add>::totals_bytes(p.threads)));
    second.run(grid, [&](auto const& block, int b, std::byte* shared) {
        detail::srcsr_postprocess_block(block, std::int64_t(b) * p.threads, job, multiply, add, store, combine,
                                        reinterpret_cast<unsigned char*>(shared));
    });
}

template <class Multiply, class Add>
detail::result_t<Add> fold_row(plan const& p, Multiply const& multiply, Add const& add, std::int64_t row) {
    auto sum = add.identity();
    for (std::int64_t k = p.offsets[std::size_t(row)]; k < p.offsets[std::size_t(row) + 1]; ++k)
        sum = detail::accumulate(add, sum, detail::multiply_nonzero(multiply, k, row));
    return detail::result_of(add, sum);
}

/// Runs the kernels over rows of `range` and compares with a sequential fold: every row inside stored once, no other.
template <template <class, class> class Reading = detail::read_in_rounds, class Multiply, class Add>
void check_range(plan& p, row_range range, Multiply const& multiply, Add const& add) {
    using result = detail::result_t<Add>;
    auto const n = std::size_t(p.rows());
    std::vector<result> y(n, detail::result_of(add, add.identity()));
    std::vector<int> stores(n, 0);
    launch<Reading>(p, range, multiply, add, record<result>{y.data(), stores.data()});
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < p.rows(); ++i) {
        bool const inside = i >= range.first && i < range.last;
        if (stores[std::size_t(i)] != (inside ? 1 : 0)) ++wrong;
        if (inside && !(y[std::size_t(i)] == fold_row(p, multiply, add, i))) ++wrong;
    }
    CHECK(wrong == 0);
    if (p.scheme == srcsr_scheme::adaptive)
        CHECK(std::all_of(p.slots.begin(), p.slots.end(), [](auto const& slot) { return slot.half[1] == 0; }));
}

std::vector<offset> offsets_of(std::vector<std::int64_t> const& lengths) {
    std::vector<offset> offsets{0};
    for (std::int64_t const length : lengths) offsets.push_back(offset(offsets.back() + length));
    return offsets;
}

/// Patterns at the edges of shares of `work` path steps; each of some ten shares, since a barrier of CPU threads is
/// slow.
std::vector<named_lengths> patterns(std::int64_t work) {
    std::mt19937_64 random(5);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    auto const repeat = [&](std::int64_t length, std::int64_t shares) {
        return std::vector<std::int64_t>(std::size_t(shares * work / (length + 1) + 1), length);
    };
    std::vector<std::int64_t> several{0, 3 * work, 3, 0, 2 * work + 7, 0, 0, 6 * work, 1};
    std::vector<std::int64_t> power, sparse(std::size_t(5 * work), 0);
    for (std::int64_t steps = 0; steps < 8 * work; steps += power.back() + 1) {
        double const u = std::uniform_real_distribution<double>(1e-3, 1)(random);
        power.push_back(std::min<std::int64_t>(3 * work, std::int64_t(2 * std::pow(u, -1.2)) - 2));
    }
    for (int i = 0; i < 30; ++i) sparse[std::size_t(draw(0, 5 * work - 1))] = draw(0, 40);
    return {
        {"one nonzero", {1}},
        {"one empty row", {0}},
        {"empty rows only", repeat(0, 3)},
        {"rows of five", repeat(5, 3)},
        {"rows of eight", repeat(8, 3)},
        {"rows of twenty", repeat(20, 3)},
        {"a row fills a share", repeat(work - 1, 4)},
        {"a row and a step more", repeat(work, 4)},
        {"one row", {7 * work + 3}},
        {"one row over many shares", {0, 21 * work, 0}},
        {"several long rows", several},
        {"power law", power},
        {"mostly empty", sparse},
    };
}

/// The patterns that a type can go wrong on: whole rows, rows cut once and often.
std::vector<named_lengths> few_patterns(std::int64_t work) {
    auto const all = patterns(work);
    std::vector<named_lengths> few;
    for (auto const& shape : all)
        if (shape.name == "rows of five" || shape.name == "several long rows" || shape.name == "mostly empty")
            few.push_back(shape);
    return few;
}

constexpr srcsr_scheme ordered_schemes[]{srcsr_scheme::adaptive, srcsr_scheme::balanced_postprocess};

/// Given patterns, both ordered schemes, all rows.
template <class Multiply, class Add>
void check_on(std::vector<named_lengths> const& shapes, Multiply const& multiply, Add const& add, int threads,
              std::int64_t work) {
    for (auto const& shape : shapes) {
        CAPTURE(shape.name);
        auto const offsets = offsets_of(shape.lengths);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto p = make_plan(offsets, threads, work, scheme);
            check_range(p, {0, p.rows()}, multiply, add);
        }
    }
}

template <class Multiply, class Add>
void check_all(Multiply const& multiply, Add const& add, int threads, std::int64_t work) {
    check_on(patterns(work), multiply, add, threads, work);
}
template <class Multiply, class Add>
void check_few(Multiply const& multiply, Add const& add, int threads, std::int64_t work) {
    check_on(few_patterns(work), multiply, add, threads, work);
}

/// Arrays along the nonzeros that begin `shift` elements behind an address that is a multiple of 64.
struct arrays {
    template <class T>
    struct alignas(64) line {
        T all[16 * 1024];
    };

    std::unique_ptr<line<std::int32_t>> a = std::make_unique<line<std::int32_t>>();
    std::unique_ptr<line<triple>> b = std::make_unique<line<triple>>();
    std::unique_ptr<line<signed char>> c = std::make_unique<line<signed char>>();
    std::unique_ptr<line<aligned_element>> d = std::make_unique<line<aligned_element>>();

    arrays() {
        std::mt19937 random(3);
        for (int i = 0; i < 16 * 1024; ++i) {
            a->all[i] = std::int32_t(random() % 1000);
            b->all[i] = {{std::int32_t(random() % 1000), 0, std::int32_t(random() % 50)}};
            c->all[i] = static_cast<signed char>(random() % 100);
            d->all[i] = {std::int32_t(random() % 1000)};
        }
    }
};

// -------------------------------------------------------------------------------------------------------- the
// partition

/// Every point of the path, by walking it.
std::vector<detail::path_point> walk_path(std::vector<offset> const& offsets) {
    std::vector<detail::path_point> points{{0, 0}};
    std::int64_t k = 0;
    for (std::int64_t row = 0; row + 1 < std::int64_t(offsets.size());) {
        if (k < offsets[std::size_t(row) + 1])
            ++k;
        else
            ++row;
        points.push_back({row, k});
    }
    return points;
}
bool same(detail::path_point a, detail::path_point b) { return a.row == b.row && a.nonzero == b.nonzero; }

std::vector<std::vector<std::int64_t>> partition_patterns() {
    std::mt19937_64 random(11);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    std::vector<std::vector<std::int64_t>> all{{0}, {1}, {5000}, std::vector<std::int64_t>(300, 0)};
    for (int i = 0; i < 40; ++i) {
        std::vector<std::int64_t> lengths(std::size_t(draw(1, 60)));
        std::int64_t const longest = draw(0, 30);
        for (auto& length : lengths) length = draw(0, 3) == 0 ? draw(0, longest) : draw(0, 2);
        all.push_back(lengths);
    }
    // The mean says nothing about these: the search has far to go in either direction.
    std::vector<std::int64_t> front(4000, 0), back(4000, 0), middle(4000, 1);
    front.front() = back.back() = 3000;
    middle[2000] = 5000;
    for (int i = 0; i < 100; ++i) front[std::size_t(i)] += i;
    all.insert(all.end(), {front, back, middle});
    return all;
}

} // namespace

TEST_CASE("cuts of the path are where walking it leads") {
    using group_type = detail::lane_group<test::block_stand_in>;
    constexpr int groups = warp_lanes / group_type::lanes;
    constexpr std::int64_t longest_whole[]{0, 1, 3, 20, 100000};
    block_runner warps(warp_lanes);
    for (auto const& lengths : partition_patterns()) {
        auto const offsets = offsets_of(lengths);
        auto const points = walk_path(offsets);
        auto const rows = std::int64_t(lengths.size());
        std::int64_t const nonzeros = offsets.back(), steps = rows + nonzeros;
        REQUIRE(std::int64_t(points.size()) == steps + 1);
        std::int64_t const stride = steps > 1000 ? 37 : 1;
        std::atomic<std::int64_t> wrong = 0;
        warps.run(int((steps + 2) / stride / groups + 1), [&](auto const& block, int b, std::byte*) {
            std::int64_t const i = std::int64_t(b) * groups + block.thread() / group_type::lanes;
            std::int64_t const step = i * stride, longest = longest_whole[i % 5];
            auto expected = points[std::size_t(std::min(step, steps))];
            if (expected.row < rows && expected.nonzero > offsets[std::size_t(expected.row)] &&
                lengths[std::size_t(expected.row)] <= longest)
                expected = {expected.row + 1, offsets[std::size_t(expected.row) + 1]};
            detail::partition_job<offset, note> const job{
                offsets.data(), rows, nonzeros, {1, longest, warp_lanes, 1, 1}, steps, nullptr, nullptr, {}};
            auto const cut = job.find_cut(group_type{block}, step);
            bool const inside = expected.row < rows && expected.nonzero > offsets[std::size_t(expected.row)];
            if (!same(detail::point_of(cut), expected) || (detail::kind_of(cut) != 0) != inside) ++wrong;
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("kinds of shares, their sizes, and the shares of a cut row") {
    constexpr int threads = 64;
    for (auto const& lengths : partition_patterns())
        for (std::int64_t const work : {13, 64, 640})
            for (srcsr_scheme const scheme : ordered_schemes) {
                auto const offsets = offsets_of(lengths);
                if (offsets.back() / work > 60) continue;
                auto const p = make_plan(offsets, threads, work, scheme, 4);
                CAPTURE(work);
                std::vector<std::vector<std::int64_t>> shares_of(lengths.size()); // that hold a part of each row
                for (std::int64_t s = 0; s < p.shares; ++s) {
                    auto const from = detail::point_of(p.cuts[std::size_t(s)]);
                    auto const to = detail::point_of(p.cuts[std::size_t(s) + 1]);
                    int const kind = detail::kind_of(p.cuts[std::size_t(s)]);
                    auto const begin = [&](std::int64_t row) { return offsets[std::size_t(row)]; };
                    REQUIRE(to.row - from.row + to.nonzero - from.nonzero <= threads * detail::share_items);
                    bool const first = from.row < p.rows() && from.nonzero > begin(from.row);
                    bool const last = to.row < p.rows() && to.nonzero > begin(to.row);
                    REQUIRE(bool(kind & detail::share_cuts_first) == first);
                    REQUIRE(bool(kind & detail::share_cuts_last) == last);
                    std::int64_t longest = 0;
                    for (std::int64_t row = from.row; row < to.row; ++row)
                        longest = std::max(longest, lengths[std::size_t(row)]);
                    std::int64_t lanes = 1;
                    while (lanes < 32 && (to.row - from.row) * lanes * 2 <= threads) lanes *= 2;
                    bool const of_rows =
                        !first && !last && to.nonzero - from.nonzero <= p.rule.capacity && longest <= 4 * lanes;
                    REQUIRE(bool(kind & detail::share_of_rows) == of_rows);
                    for (std::int64_t row = from.row; row < to.row; ++row) shares_of[std::size_t(row)].push_back(s);
                    if (last) shares_of[std::size_t(to.row)].push_back(s);
                }
                bool all_of_rows = true, none_of_rows = true;
                for (std::int64_t s = 0; s < p.shares; ++s)
                    (detail::kind_of(p.cuts[std::size_t(s)]) & detail::share_of_rows ? none_of_rows : all_of_rows) =
                        false;
                if (all_of_rows || none_of_rows) REQUIRE(p.irregular == int(none_of_rows));
                REQUIRE(p.irregular >= 0);
                for (std::int64_t row = 0; row < p.rows(); ++row) {
                    auto const& held_by = shares_of[std::size_t(row)];
                    REQUIRE(!held_by.empty());
                    if (held_by.size() == 1) continue;
                    auto const range = detail::shares_of_row(offsets.data(), row, work);
                    REQUIRE(range.first == held_by.front());
                    REQUIRE(range.last == held_by.back());
                    REQUIRE(std::int64_t(held_by.size()) == range.last - range.first + 1);
                }
            }
}

// ---------------------------------------------------------------------------------------------------------- the bodies

TEST_CASE("opaque products, with and without the row; parts of 4, 8 and 16 bytes") {
    check_few(opaque_affine<small_compose>{}, small_compose{}, 64, 200);
    check_all(opaque_affine<compose_8>{}, compose_8{}, 64, 640);
    check_all(opaque_letter{}, concatenate{}, 64, 300);
    check_few(opaque_letter_with_row{}, concatenate{}, 32, 100);
}

TEST_CASE("products along the nonzeros, with and without the row, from any first address") {
    arrays const all;
    for (int const shift : {0, 1, 3}) {
        CAPTURE(shift);
        auto const along = [&](auto const& f) {
            return along_nonzeros{f, all.a->all + shift, all.b->all + shift, all.c->all + shift};
        };
        if (shift > 0) check_few(along(letter_along{}), concatenate{}, 32, 150);
        if (shift != 1) check_all(along(letter_along_with_row{}), concatenate{}, 64, 300);
        // Shares that fill the memory they have to the last element: 25 rows of five.
        auto const offsets = offsets_of(std::vector<std::int64_t>(100, 5));
        auto p = make_plan(offsets, 32, 150, srcsr_scheme::adaptive, 32, 125);
        REQUIRE(bool(detail::kind_of(p.cuts[1]) & detail::share_of_rows));
        check_range(p, {0, 100}, along(letter_along{}), concatenate{});
    }
}

namespace {

template <class, class>
using read_at_once = detail::read_at_once;

} // namespace

TEST_CASE("shares along the path that are read at once") {
    arrays const all;
    auto const multiply = along_nonzeros{letter_along{}, all.a->all + 1, all.b->all + 1, all.c->all + 1};
    for (auto const& shape : patterns(300)) {
        CAPTURE(shape.name);
        auto const offsets = offsets_of(shape.lengths);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto p = make_plan(offsets, 32, 300, scheme);
            check_range<read_at_once>(p, {0, p.rows()}, multiply, concatenate{});
        }
    }
}

TEST_CASE("large products, tile after tile") {
    static_assert(detail::srcsr_types<wide_letter<3>, concatenate_wide>::one_tile);
    static_assert(!detail::srcsr_types<wide_letter<13>, concatenate_wide>::one_tile);
    static_assert(!detail::srcsr_types<wide_letter<100>, concatenate_wide>::one_tile);
    check_few(wide_letter<3>{}, concatenate_wide{}, 32, 100);
    check_few(wide_letter<13>{}, concatenate_wide{}, 64, 640);           // 624 steps a tile
    check_few(wide_letter_with_row<100>{}, concatenate_wide{}, 32, 200); // 81 steps a tile
}

TEST_CASE("products in either layout") {
    static_assert(shared_layout<tagged<true>>::bytes == 14);
    check_few(tagged_letter<false>{}, concatenate_tagged{}, 32, 120);
    check_few(tagged_letter<true>{}, concatenate_tagged{}, 32, 120);
}

TEST_CASE("NaN is ignored by min and arg-max wherever a row is cut") {
    arrays const all;
    check_all(often_nan{}, guarded_min{}, 32, 130);
    check_few(often_nan_with_row{}, guarded_min{}, 64, 200);
    check_few(along_nonzeros{nan_along{}, all.a->all + 1}, guarded_min{}, 32, 150);
    check_few(often_nan_with_column{}, arg_max_hash{}, 32, 130);
}

TEST_CASE("types that cannot be made from nothing, and alignments above sixteen") {
    arrays const all;
    check_few(opaque_strict{}, concatenate_strict{}, 32, 120);
    check_few(along_nonzeros{strict_along{}, all.d->all + 1, all.c->all + 1}, concatenate_strict{}, 32, 120);
}

TEST_CASE("results smaller and larger than what is added") {
    check_few(opaque_letter{}, hash_of_word{}, 32, 120);
    check_few(opaque_affine<compose_8>{}, wide_result{}, 32, 120);
}

namespace {

template <class Fetched>
void check_fetching() {
    for (auto const& shape : few_patterns(130)) {
        CAPTURE(shape.name);
        auto const offsets = offsets_of(shape.lengths);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto p = make_plan(offsets, 32, 130, scheme);
            auto const n = std::size_t(p.rows());
            std::vector<word> y(n, word{42, 42});
            std::vector<int> stores(n, 0);
            std::vector<Fetched> own(n);
            for (std::size_t i = 0; i < n; ++i) own[i].part[0] = i;
            launch(p, {0, p.rows()}, opaque_letter{}, concatenate{},
                   record_and_read<word, Fetched>{y.data(), stores.data(), own.data()});
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (stores[i] != 1 || own[i].part[0] != i + 1000 ||
                    !(y[i] == fold_row(p, opaque_letter{}, concatenate{}, std::int64_t(i))))
                    ++wrong;
            CHECK(wrong == 0);
        }
    }
}

/// Wants two rows of three.
struct record_some : record<word> {
    bool wants(std::int64_t row) const { return row % 3 != 0; }
};

} // namespace

TEST_CASE("a store is called for the rows that it wants") {
    for (auto const& shape : few_patterns(130)) {
        CAPTURE(shape.name);
        auto const offsets = offsets_of(shape.lengths);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto p = make_plan(offsets, 32, 130, scheme);
            auto const n = std::size_t(p.rows());
            std::vector<word> y(n, word{42, 42});
            std::vector<int> stores(n, 0);
            launch(p, {0, p.rows()}, opaque_letter{}, concatenate{}, record_some{{y.data(), stores.data()}});
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i) {
                bool const wanted = i % 3 != 0;
                auto const expected =
                    wanted ? fold_row(p, opaque_letter{}, concatenate{}, std::int64_t(i)) : word{42, 42};
                if (stores[i] != (wanted ? 1 : 0) || !(y[i] == expected)) ++wrong;
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("what a store reads of its own is the row's") {
    check_fetching<wide<1>>(); // ahead of the tile
    check_fetching<wide<3>>(); // behind it
}

TEST_CASE("ranges of rows clip shares and leave cut rows whole; a plan serves again") {
    arrays const all;
    constexpr std::int64_t work = 100;
    auto const multiply = along_nonzeros{letter_along_with_row{}, all.a->all + 1, all.b->all + 1, all.c->all + 1};
    for (auto const& shape : patterns(work)) {
        CAPTURE(shape.name);
        auto const offsets = offsets_of(shape.lengths);
        std::int64_t const n = std::int64_t(shape.lengths.size());
        std::int64_t const longest =
            std::max_element(shape.lengths.begin(), shape.lengths.end()) - shape.lengths.begin();
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto p = make_plan(offsets, 32, work, scheme);
            for (row_range const range : {row_range{0, n}, row_range{n / 3, n - n / 4}, row_range{longest, longest + 1},
                                          row_range{0, longest}, row_range{longest + 1, n}, row_range{0, n}}) {
                if (range.first == range.last) continue;
                check_range(p, range, multiply, concatenate{});
                if (range.first > 0) check_range(p, range, opaque_affine<compose_8>{}, compose_8{});
            }
        }
    }
}
