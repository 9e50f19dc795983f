// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the SRCSR kernels on CPU threads: order, barriers, sizes of shared memory, and races (under the thread
// sanitizer). Split points are checked against a sequential walk.
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

// ----------------------------------------------------------------------------------------------------------- operators

/// Strings over a small alphabet, as a hash with length. Concatenation is associative and not commutative, so it
/// detects any change of order.
struct word {
    std::uint64_t hash;
    std::uint64_t power; ///< base to the power of the length
    friend bool operator==(word const&, word const&) = default;
};
word letter(std::uint64_t id) { return {id * 2654435761u + 1, 1000003}; }

struct concatenate {
    word identity() const { return {0, 1}; }
    word operator()(word const& a, word const& b) const { return {a.hash * b.power + b.hash, a.power * b.power}; }
};

// Accumulators of 4 and 8 bytes, so that partial sums are passed in slots.
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

/// An element of 12 bytes, whose size does not divide a granule of 16 bytes.
struct triple {
    std::int32_t words[3];
};
struct letter_along {
    word operator()(std::int32_t const& a, triple const& t, signed char const& c) const {
        return letter(std::uint64_t(a) * 31 + std::uint64_t(t.words[0] + t.words[2]) * 17 + std::uint64_t(c));
    }
};
struct letter_along_with_row {
    word operator()(std::int32_t const& a, triple const& t, signed char const& c, std::int64_t row) const {
        return letter(letter_along{}(a, t, c).hash + std::uint64_t(row));
    }
};

/// A large product, all bytes of which influence the sum.
template <int Words>
struct wide {
    std::uint64_t words[Words];
};
struct concatenate_wide : concatenate {
    using concatenate::operator();
    template <int Words>
    word operator()(word const& a, wide<Words> const& p) const {
        std::uint64_t sum = 0;
        for (std::uint64_t const v : p.words) sum = sum * 5 + v;
        return (*this)(a, letter(sum));
    }
};
template <int Words>
struct wide_letter {
    wide<Words> operator()(std::int64_t k) const {
        wide<Words> p{};
        for (int i = 0; i < Words; ++i) p.words[i] = std::uint64_t(k * 3 + i);
        return p;
    }
};
template <int Words>
struct wide_letter_with_row {
    wide<Words> operator()(std::int64_t k, std::int64_t row) const {
        auto p = wide_letter<Words>{}(k);
        p.words[Words - 1] += std::uint64_t(row);
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

/// Products and sums that are not default constructible and have an alignment above that of a granule.
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
/// Minimum of guarded values; NaN (which the comparison reports as an error) if one was included.
struct guarded_min : detail::guarded_adder<add_min<float>> {
    float result(detail::guarded<float> const& sum) const { return sum.value; }
};
/// Every second product is NaN, among them the first of many partial sums; every seventh is absent.
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
    return std::equal(a.words, a.words + Words, b.words);
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

/// Prefetches `own` and writes it with the sum; if Fetched has more than 8 bytes, it is read late.
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
        own[row].words[0] += 1000;
    }
};

// ---------------------------------------------------------------------------------------------- plans without a device

using offset = std::int32_t;

/// Replaces a device_flag.
struct flag_stand_in {
    int* answer;
    void write(bool yes) const { *answer = yes; }
};

/// Contents of a plan on CUDA.
struct plan {
    std::vector<offset> const& offsets;
    int threads;
    srcsr_scheme scheme;
    detail::partition_rule rule{};
    std::int64_t ranges = 0;
    std::vector<detail::path_point> splits{};
    std::vector<hand_over_slot> slots{}, heads{};
    int irregular = -1; ///< written by the kernel

    std::int64_t rows() const { return std::int64_t(offsets.size()) - 1; }
    std::int64_t nonzeros() const { return offsets.back(); }
};

/// Computes the split points and kinds under the stand-in.
plan make_plan(std::vector<offset> const& offsets, int threads, std::int64_t work, srcsr_scheme scheme,
               int lane_chunk = 32, int given_capacity = 0) {
    plan p{offsets, threads, scheme};
    srcsr_tuning tuning{};
    tuning.work_per_block = work;
    int capacity = given_capacity;
    if (capacity == 0 && p.rows() > 0)
        capacity = detail::range_capacity(tuning, p.rows(), p.nonzeros(), threads * detail::range_items);
    std::int64_t const slack = threads * detail::range_items - work;
    p.rule = {work, scheme == srcsr_scheme::adaptive ? slack : 0, threads, lane_chunk, capacity};
    p.ranges = (p.rows() + p.nonzeros() + work - 1) / work;
    p.splits.resize(std::size_t(p.ranges) + 1);
    p.slots.resize(std::size_t(p.ranges), {{1, 1}}); // the kernel must clear them
    constexpr int partition_threads = 64;
    constexpr int ranges_a_block = detail::ranges_of_partition_block<test::block_stand_in>(partition_threads);
    static block_runner blocks(partition_threads, sizeof(detail::path_point) * partition_threads /
                                                      detail::lane_group<test::block_stand_in>::lanes);
    detail::partition_job<offset, flag_stand_in> const job{
        p.offsets.data(), p.rows(), p.nonzeros(), p.rule, p.ranges, p.splits.data(), p.slots.data(), {&p.irregular}};
    blocks.run(int(2 + p.ranges / ranges_a_block), [&](auto const& block, int b, std::byte* shared) {
        detail::partition_block(block, b, job, reinterpret_cast<detail::path_point*>(shared));
    });
    p.heads.resize(std::size_t(p.ranges));
    return p;
}

// ---------------------------------------------------------------------------------------------- kernels on CPU threads

template <template <class, class> class Reading = detail::read_in_rounds, class Multiply, class Add, class Store>
void launch(plan& p, row_range range, Multiply const& multiply, Add const& add, Store const& store) {
    using accumulator = accumulator_t<Add>;
    auto const sizes = detail::size_launch<Multiply, Add>(p.threads, p.rule.capacity);
    std::vector<accumulator> carries(std::size_t(2 * p.ranges), add.identity());
    detail::srcsr_job<offset> const job{p.offsets.data(), p.splits.data(), p.slots.data(),
                                        p.heads.data(),   carries.data(),  p.ranges,
                                        p.rows(),         p.nonzeros(),    p.rule.work_per_block,
                                        range.first,      range.last,      p.threads * detail::range_items,
                                        sizes.tile_steps, sizes.capacity,  p.scheme};
    detail::ordered_combine const combine{};
    block_runner blocks(p.threads, std::size_t(sizes.shared_bytes));
    blocks.run(int(p.ranges), [&](auto const& block, int s, std::byte* shared) {
        detail::srcsr_block<Reading<Multiply, Add>>(block, s, job, multiply, add, store, combine,
                                                    reinterpret_cast<unsigned char*>(shared));
    });
    if (p.scheme != srcsr_scheme::balanced_postprocess) return;
    int const grid = int((p.ranges + p.threads - 1) / p.threads);
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

/// Runs the kernels over rows of `range` and compares with a sequential fold: every row inside is stored once, no other
/// row is stored.
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

/// Patterns with lengths around `work` path steps per range, of about ten ranges each, since a barrier of CPU threads
/// is slow.
std::vector<named_lengths> patterns(std::int64_t work) {
    std::mt19937_64 random(5);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    auto const repeat = [&](std::int64_t length, std::int64_t ranges) {
        return std::vector<std::int64_t>(std::size_t(ranges * work / (length + 1) + 1), length);
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

/// Patterns to test types with: whole rows, rows split once and often.
std::vector<named_lengths> few_patterns(std::int64_t work) {
    auto const all = patterns(work);
    std::vector<named_lengths> few;
    for (auto const& shape : all)
        if (shape.name == "rows of five" || shape.name == "several long rows" || shape.name == "mostly empty")
            few.push_back(shape);
    return few;
}

constexpr srcsr_scheme ordered_schemes[]{srcsr_scheme::adaptive, srcsr_scheme::balanced_postprocess};

/// Runs given patterns with both ordered schemes over all rows.
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

/// Arrays along the nonzeros that begin `shift` elements after an address that is a multiple of 64.
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

// ---------------------------------------------------------------------------------------------- tests of the partition

/// Returns every point of the path, by a walk.
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
    // The mean row length is misleading here: the search must go far in either direction.
    std::vector<std::int64_t> front(4000, 0), back(4000, 0), middle(4000, 1);
    front.front() = back.back() = 3000;
    middle[2000] = 5000;
    for (int i = 0; i < 100; ++i) front[std::size_t(i)] += i;
    all.insert(all.end(), {front, back, middle});
    return all;
}

} // namespace

TEST_CASE("split points equal those of a sequential walk") {
    using group_type = detail::lane_group<test::block_stand_in>;
    constexpr int groups = warp_lanes / group_type::lanes;
    constexpr std::int64_t max_whole_row[]{0, 1, 3, 20, 100000};
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
            std::int64_t const step = i * stride, longest = max_whole_row[i % 5];
            auto expected = points[std::size_t(std::min(step, steps))];
            if (expected.row < rows && expected.nonzero > offsets[std::size_t(expected.row)] &&
                lengths[std::size_t(expected.row)] <= longest)
                expected = {expected.row + 1, offsets[std::size_t(expected.row) + 1]};
            detail::partition_job<offset, flag_stand_in> const job{
                offsets.data(), rows, nonzeros, {1, longest, warp_lanes, 1, 1}, steps, nullptr, nullptr, {}};
            auto const split = job.find_split(group_type{block}, step);
            bool const inside = expected.row < rows && expected.nonzero > offsets[std::size_t(expected.row)];
            if (!same(detail::point_of(split), expected) || (detail::kind_of(split) != 0) != inside) ++wrong;
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("kinds of ranges, their sizes, and the ranges of a split row") {
    constexpr int threads = 64;
    for (auto const& lengths : partition_patterns())
        for (std::int64_t const work : {13, 64, 640})
            for (srcsr_scheme const scheme : ordered_schemes) {
                auto const offsets = offsets_of(lengths);
                if (offsets.back() / work > 60) continue;
                auto const p = make_plan(offsets, threads, work, scheme, 4);
                CAPTURE(work);
                std::vector<std::vector<std::int64_t>> ranges_of(lengths.size()); // ranges with nonzeros of a row
                for (std::int64_t s = 0; s < p.ranges; ++s) {
                    auto const from = detail::point_of(p.splits[std::size_t(s)]);
                    auto const to = detail::point_of(p.splits[std::size_t(s) + 1]);
                    int const kind = detail::kind_of(p.splits[std::size_t(s)]);
                    auto const begin = [&](std::int64_t row) { return offsets[std::size_t(row)]; };
                    REQUIRE(to.row - from.row + to.nonzero - from.nonzero <= threads * detail::range_items);
                    bool const first = from.row < p.rows() && from.nonzero > begin(from.row);
                    bool const last = to.row < p.rows() && to.nonzero > begin(to.row);
                    REQUIRE(bool(kind & detail::range_splits_first) == first);
                    REQUIRE(bool(kind & detail::range_splits_last) == last);
                    std::int64_t longest = 0;
                    for (std::int64_t row = from.row; row < to.row; ++row)
                        longest = std::max(longest, lengths[std::size_t(row)]);
                    std::int64_t lanes = 1;
                    while (lanes < 32 && (to.row - from.row) * lanes * 2 <= threads) lanes *= 2;
                    bool const of_rows =
                        !first && !last && to.nonzero - from.nonzero <= p.rule.capacity && longest <= 4 * lanes;
                    REQUIRE(bool(kind & detail::range_of_whole_rows) == of_rows);
                    for (std::int64_t row = from.row; row < to.row; ++row) ranges_of[std::size_t(row)].push_back(s);
                    if (last) ranges_of[std::size_t(to.row)].push_back(s);
                }
                bool all_of_rows = true, none_of_rows = true;
                for (std::int64_t s = 0; s < p.ranges; ++s)
                    (detail::kind_of(p.splits[std::size_t(s)]) & detail::range_of_whole_rows ? none_of_rows
                                                                                             : all_of_rows) = false;
                if (all_of_rows || none_of_rows) REQUIRE(p.irregular == int(none_of_rows));
                REQUIRE(p.irregular >= 0);
                for (std::int64_t row = 0; row < p.rows(); ++row) {
                    auto const& held_by = ranges_of[std::size_t(row)];
                    REQUIRE(!held_by.empty());
                    if (held_by.size() == 1) continue;
                    auto const range = detail::ranges_of_row(offsets.data(), row, work);
                    REQUIRE(range.first == held_by.front());
                    REQUIRE(range.last == held_by.back());
                    REQUIRE(std::int64_t(held_by.size()) == range.last - range.first + 1);
                }
            }
}

// ------------------------------------------------------------------------------------------ tests of the kernel bodies

TEST_CASE("opaque products, with and without the row; partial sums of 4, 8 and 16 bytes") {
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
        // Ranges that fill the available memory exactly: 25 rows of five.
        auto const offsets = offsets_of(std::vector<std::int64_t>(100, 5));
        auto p = make_plan(offsets, 32, 150, srcsr_scheme::adaptive, 32, 125);
        REQUIRE(bool(detail::kind_of(p.splits[1]) & detail::range_of_whole_rows));
        check_range(p, {0, 100}, along(letter_along{}), concatenate{});
    }
}

namespace {

template <class, class>
using read_at_once = detail::read_at_once;

} // namespace

TEST_CASE("ranges along the path with the read policy read_at_once") {
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
    check_few(wide_letter<13>{}, concatenate_wide{}, 64, 640);           // 624 steps per tile
    check_few(wide_letter_with_row<100>{}, concatenate_wide{}, 32, 200); // 81 steps per tile
}

TEST_CASE("products in either layout") {
    static_assert(shared_layout<tagged<true>>::bytes == 14);
    check_few(tagged_letter<false>{}, concatenate_tagged{}, 32, 120);
    check_few(tagged_letter<true>{}, concatenate_tagged{}, 32, 120);
}

TEST_CASE("NaN is ignored by min and arg-max at every split point") {
    arrays const all;
    check_all(often_nan{}, guarded_min{}, 32, 130);
    check_few(often_nan_with_row{}, guarded_min{}, 64, 200);
    check_few(along_nonzeros{nan_along{}, all.a->all + 1}, guarded_min{}, 32, 150);
    check_few(often_nan_with_column{}, arg_max_hash{}, 32, 130);
}

TEST_CASE("types without default constructor, and alignments above 16") {
    arrays const all;
    check_few(opaque_strict{}, concatenate_strict{}, 32, 120);
    check_few(along_nonzeros{strict_along{}, all.d->all + 1, all.c->all + 1}, concatenate_strict{}, 32, 120);
}

TEST_CASE("results smaller and larger than the accumulator") {
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
            for (std::size_t i = 0; i < n; ++i) own[i].words[0] = i;
            launch(p, {0, p.rows()}, opaque_letter{}, concatenate{},
                   record_and_read<word, Fetched>{y.data(), stores.data(), own.data()});
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (stores[i] != 1 || own[i].words[0] != i + 1000 ||
                    !(y[i] == fold_row(p, opaque_letter{}, concatenate{}, std::int64_t(i))))
                    ++wrong;
            CHECK(wrong == 0);
        }
    }
}

/// Selects two rows of three.
struct record_some : record<word> {
    bool wants(std::int64_t row) const { return row % 3 != 0; }
};

} // namespace

TEST_CASE("a store is called for the rows that it selects") {
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
                bool const selected = i % 3 != 0;
                auto const expected =
                    selected ? fold_row(p, opaque_letter{}, concatenate{}, std::int64_t(i)) : word{42, 42};
                if (stores[i] != (selected ? 1 : 0) || !(y[i] == expected)) ++wrong;
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("a store fetches the data of its row") {
    check_fetching<wide<1>>(); // read before the tile
    check_fetching<wide<3>>(); // read after it
}

TEST_CASE("row ranges clip block ranges and keep split rows intact; a plan is reusable") {
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
