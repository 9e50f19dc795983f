// SPDX-License-Identifier: BSD-3-Clause
// Schemes, segmented reductions, plans, workspaces and types of reduce_rows, on every executor, against a sequential
// fold. The host has one scheme and one reduction and ignores the options; the same cases check that.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(COPPICE_TEST_CUDA)
#include <cuda_runtime_api.h>
#endif

#include "support/affine.hpp"
#include "support/executors.hpp"
#include "support/patterns.hpp"
#include <coppice/semiring/spmv/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

constexpr srcsr_scheme ordered_schemes[]{srcsr_scheme::adaptive, srcsr_scheme::balanced_postprocess};
constexpr srcsr_scheme all_schemes[]{srcsr_scheme::adaptive, srcsr_scheme::balanced_postprocess,
                                     srcsr_scheme::balanced_atomic};

template <class Executor>
constexpr bool is_cuda_v = std::is_same_v<Executor, cuda_executor>;

// ----------------------------------------------------------------------------------------------------------- operators

/// `T` determines the size of the accumulator: 8 or 16 bytes.
template <class T>
using affine = affine_map<T>;
template <class T>
using compose = compose_maps<T>;

/// ⊗ along the nonzeros, with and without the row.
template <class T>
struct map_of {
    COPPICE_HD affine<T> operator()(float value, std::int32_t column) const {
        return {static_cast<T>(column * 31 + 2), static_cast<T>((value + 1) * 1000)};
    }
};
template <class T>
struct map_of_row {
    COPPICE_HD affine<T> operator()(float value, std::int32_t column, std::int64_t row) const {
        return {static_cast<T>(column * 31 + 2), static_cast<T>((value + 1) * 1000) + static_cast<T>(row % 100)};
    }
};

template <class Result>
struct store_once {
    Result* y;
    std::int32_t* stores;
    COPPICE_HD void operator()(std::int64_t row, Result const& sum) const {
        y[row] = sum;
        stores[row] += 1;
    }
};

// ------------------------------------------------------------------------------------------------ calls of reduce_rows

/// Calls reduce_rows with one reduction and block size. The host has neither.
template <segmented_reduction Reduction, int Threads, class O, class Multiply, class Add, class Store>
void reduce_by(host_executor const& exec, srcsr_plan<O> const& plan, row_range range, Multiply const& multiply,
               Add const& add, Store const& store) {
    reduce_rows(exec, plan, range, multiply, add, store);
}
#if defined(COPPICE_TEST_CUDA)
template <segmented_reduction Reduction, int Threads, class O, class Multiply, class Add, class Store>
void reduce_by(cuda_executor const& exec, srcsr_plan<O> const& plan, row_range range, Multiply const& multiply,
               Add const& add, Store const& store) {
    reduce_rows<Reduction, Threads>(exec, plan, range, multiply, add, store);
}
#endif

template <class Multiply, class Add>
auto fold_row(std::int64_t begin, std::int64_t end, Multiply const& multiply, Add const& add, std::int64_t row) {
    auto sum = add.identity();
    for (std::int64_t k = begin; k < end; ++k)
        sum = detail::accumulate(add, sum, detail::multiply_nonzero(multiply, k, row));
    return detail::result_of(add, sum);
}

/// Reduces the rows of `range` over arrays of `a` by `f`. Counts the rows whose result is not the ordered fold of their
/// nonzeros, or that are not stored exactly once, or are stored outside the range.
template <segmented_reduction Reduction = segmented_reduction::warp_transposed, int Threads = srcsr_default_threads,
          class Executor, class I, class O, class F, class Add>
std::int64_t count_wrong(Executor const& exec, srcsr_plan<O> const& plan, csr<float, I, O> const& a,
                         plain_csr<float, I, O> const& plain, row_range range, F const& f, Add const& add) {
    using result = detail::result_t<Add>;
    buffer<result> y(exec, a.rows());
    buffer<std::int32_t> stores(exec, a.rows());
    fill(exec, stores.view(), 0);
    fill(exec, y.view(), add.identity());
    reduce_by<Reduction, Threads>(exec, plan, range, along_nonzeros{f, a.values().data(), a.column_indices().data()},
                                  add, store_once<result>{y.data(), stores.data()});
    auto const got = to_vector(exec, y);
    auto const count = to_vector(exec, stores);
    along_nonzeros const multiply{f, plain.values.data(), plain.indices.data()};
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        auto const row = static_cast<std::int64_t>(i);
        bool const inside = row >= range.first && row < range.last;
        if (count[i] != (inside ? 1 : 0)) ++wrong;
        result const expected =
            inside ? fold_row(plain.offsets[i], plain.offsets[i + 1], multiply, add, row) : add.identity();
        if (!(got[i] == expected)) ++wrong;
    }
    return wrong;
}

srcsr_options options_for(srcsr_scheme scheme, int threads = srcsr_default_threads, std::int64_t work = 0) {
    srcsr_options options;
    options.scheme = scheme;
    options.tuning.threads = threads;
    options.tuning.work_per_block = work;
    return options;
}

/// Difficult patterns, and several rows that span many ranges.
std::vector<named_lengths> patterns(std::uint64_t seed) {
    auto all = hard_row_lengths(seed);
    std::vector<std::int64_t> giants(3000, 2);
    for (std::size_t const i : {0u, 1u, 700u, 1500u, 2999u}) giants[i] = 30000 + static_cast<std::int64_t>(i);
    all.push_back({"several giants", giants});
    return all;
}

template <segmented_reduction Reduction, class Executor>
void check_reduction(Executor const& exec) {
    CAPTURE(segmented_reduction_names[static_cast<std::size_t>(Reduction)]);
    for (auto const& shape : patterns(21)) {
        CAPTURE(shape.name);
        auto const plain = random_matrix<float>(shape.lengths, 1000, 22);
        auto const a = plain.on(exec);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            row_range const all{0, a.rows()};
            CHECK(count_wrong<Reduction>(exec, plan, a, plain, all, map_of_row<std::uint32_t>{},
                                         compose<std::uint32_t>{}) == 0);
            CHECK(count_wrong<Reduction>(exec, plan, a, plain, all, map_of<std::uint64_t>{},
                                         compose<std::uint64_t>{}) == 0);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("each ordered scheme with each segmented reduction keeps the order", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check_reduction<segmented_reduction::warp_transposed>(exec);
    check_reduction<segmented_reduction::raking>(exec);
    check_reduction<segmented_reduction::raking_memoize>(exec);
    check_reduction<segmented_reduction::warp_scans>(exec);
}

TEST_CASE_TEMPLATE("other block sizes, other range lengths, 64-bit offsets", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : patterns(23)) {
        CAPTURE(shape.name);
        auto const plain = random_matrix<float, std::int32_t, std::int64_t>(shape.lengths, 1000, 24);
        auto const a = plain.on(exec);
        row_range const all{0, a.rows()};
        auto const f = map_of_row<std::uint32_t>{};
        auto const add = compose<std::uint32_t>{};
        for (srcsr_scheme const scheme : ordered_schemes)
            for (std::int64_t const work : {0, 37, 640}) {
                CAPTURE(work);
                auto const small = make_srcsr_plan(exec, a.view(), options_for(scheme, 64, work));
                CHECK(count_wrong<segmented_reduction::warp_transposed, 64>(exec, small, a, plain, all, f, add) == 0);
                auto const large = make_srcsr_plan(exec, a.view(), options_for(scheme, 256, 4 * work));
                CHECK(count_wrong<segmented_reduction::warp_transposed, 256>(exec, large, a, plain, all, f, add) == 0);
            }
    }
}

TEST_CASE_TEMPLATE("ranges of rows under every ordered scheme; a plan serves many calls", Where,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : patterns(25)) {
        CAPTURE(shape.name);
        auto const plain = random_matrix<float>(shape.lengths, 1000, 26);
        auto const a = plain.on(exec);
        std::int64_t const n = a.rows();
        std::int64_t const longest =
            std::max_element(shape.lengths.begin(), shape.lengths.end()) - shape.lengths.begin();
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            for (row_range const range :
                 {row_range{0, n}, row_range{n / 3, n - n / 4}, row_range{0, longest}, row_range{longest, n},
                  row_range{std::min(longest + 1, n), n}, row_range{longest, std::min(longest + 1, n)},
                  row_range{n / 2, n / 2}, row_range{0, n}}) {
                CHECK(count_wrong(exec, plan, a, plain, range, map_of_row<std::uint32_t>{}, compose<std::uint32_t>{}) ==
                      0);
                CHECK(count_wrong(exec, plan, a, plain, range, map_of<std::uint64_t>{}, compose<std::uint64_t>{}) == 0);
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------- floating sums

namespace {

/// y = beta y + alpha A x in double, and the sum of magnitudes of each row.
template <class T>
struct reference {
    std::vector<double> y, magnitude;
    reference(plain_csr<T> const& a, std::vector<T> const& x, std::vector<T> const& y0, double alpha, double beta,
              row_range range) {
        for (std::int32_t i = 0; i < a.rows; ++i) {
            double sum = 0, size = 0;
            for (std::int32_t k = a.offsets[std::size_t(i)]; k < a.offsets[std::size_t(i) + 1]; ++k) {
                double const p = double(a.values[std::size_t(k)]) * double(x[std::size_t(a.indices[std::size_t(k)])]);
                sum += p;
                size += std::abs(p);
            }
            double const old = double(y0[std::size_t(i)]);
            bool const inside = i >= range.first && i < range.last;
            y.push_back(inside ? (beta == 0 ? 0.0 : beta * old) + alpha * sum : old);
            magnitude.push_back(size + std::abs(beta == 0 ? 0.0 : beta * old));
        }
    }
    std::int64_t wrong(std::vector<T> const& got) const {
        double const tolerance = 64 * double(std::numeric_limits<T>::epsilon());
        std::int64_t count = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            bool const near = std::abs(double(got[i]) - y[i]) <= tolerance * magnitude[i] * 4 ||
                              (std::isnan(double(got[i])) && std::isnan(y[i]));
            if (!near) ++count;
        }
        return count;
    }
};

template <class T>
std::vector<T> wave(std::size_t n, double step) {
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = T(std::sin(step * double(i + 1)));
    return v;
}

template <class T, class Executor>
void check_spmv(Executor const& exec) {
    T const nan = std::numeric_limits<T>::quiet_NaN();
    auto const x = wave<T>(1000, 0.1);
    auto const device_x = exec.copy(x);
    for (auto const& shape : patterns(27)) {
        CAPTURE(shape.name);
        auto plain = random_matrix<T>(shape.lengths, 1000, 28);
        auto a = plain.on(exec);
        auto const n = shape.lengths.size();
        row_range const all{0, a.rows()};
        for (srcsr_scheme const scheme : all_schemes) {
            CAPTURE(srcsr_scheme_names[static_cast<std::size_t>(scheme)]);
            auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            auto const y0 = wave<T>(n, 0.7);
            auto y = exec.copy(y0);
            spmv(exec, plan, a.view(), device_x.view(), y.view(), T(2), T(0.5));
            CHECK(reference<T>(plain, x, y0, 2, 0.5, all).wrong(to_vector(exec, y)) == 0);
            auto nothing = exec.copy(std::vector<T>(n, nan)); // beta = 0 does not read y
            spmv(exec, plan, a.view(), device_x.view(), nothing.view());
            CHECK(reference<T>(plain, x, y0, 1, 0, all).wrong(to_vector(exec, nothing)) == 0);
            row_range const range{a.rows() / 3, a.rows() - a.rows() / 4};
            auto of_range = exec.copy(y0);
            along_nonzeros const along{detail::multiply_stored<T, std::int32_t, T>{device_x.data()}, a.values().data(),
                                       a.column_indices().data()};
            reduce_rows(exec, plan, range, along, add_plus<T>{},
                        detail::store_scaled<T, T>{of_range.data(), T(1), T(-1)});
            CHECK(reference<T>(plain, x, y0, 1, -1, range).wrong(to_vector(exec, of_range)) == 0);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("y = beta y + alpha A x under every scheme", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check_spmv<float>(exec);
    check_spmv<double>(exec);
}

TEST_CASE_TEMPLATE("ordered schemes are bitwise reproducible, and new values need no new plan", Where,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    auto const x = exec.copy(wave<float>(1000, 0.1));
    for (auto const& shape : patterns(29)) {
        CAPTURE(shape.name);
        auto plain = random_matrix<float>(shape.lengths, 1000, 30);
        auto a = plain.on(exec);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            for (int values = 0; values < 2; ++values) {
                std::vector<float> first;
                for (int run = 0; run < 5; ++run) {
                    buffer<float> y(exec, a.rows());
                    spmv(exec, plan, a.view(), x.view(), y.view());
                    auto const got = to_vector(exec, y);
                    if (run == 0) {
                        first = got;
                        row_range const all{0, a.rows()};
                        CHECK(reference<float>(plain, wave<float>(1000, 0.1), first, 1, 0, all).wrong(got) == 0);
                    } else if (!got.empty()) {
                        CHECK(std::memcmp(got.data(), first.data(), got.size() * sizeof(float)) == 0);
                    }
                }
                for (float& v : plain.values) v = v * 3 - 1;
                exec.copy_elements(plain.values.data(), a.values().data(),
                                   static_cast<std::int64_t>(plain.values.size()));
            }
        }
    }
}

TEST_CASE_TEMPLATE("the kernel for irregular patterns is used once the flag is set, with bitwise equal results", Where,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    constexpr bool cuda = is_cuda_v<std::remove_const_t<decltype(exec)>>;
    auto const x = exec.copy(wave<double>(1000, 0.1));
    for (auto const& shape : patterns(33)) {
        CAPTURE(shape.name);
        auto const a = random_matrix<double>(shape.lengths, 1000, 34).on(exec);
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            exec.synchronize();
            if (shape.name == "one long row") CHECK(plan.irregular.is_set() == cuda);
            if (shape.name == "stencil") CHECK_FALSE(plan.irregular.is_set());
            std::vector<double> y[2];
            for (auto& got : y) {
                buffer<double> device_y(exec, a.rows());
                spmv(exec, plan, a.view(), x.view(), device_y.view());
                got = to_vector(exec, device_y);
                plan.irregular = {};
            }
            CHECK((y[0].empty() || std::memcmp(y[0].data(), y[1].data(), y[0].size() * sizeof(double)) == 0));
        }
    }
}

TEST_CASE_TEMPLATE("the scheme that a plan reports; a store without atomics", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    auto const plain = random_matrix<float>({3, 0, 5000, 2}, 100, 31);
    auto const a = plain.on(exec);
    auto const plan = make_srcsr_plan(exec, a.view(), options_for(srcsr_scheme::balanced_atomic));
    auto const product = [&] {
        return count_wrong(exec, plan, a, plain, {0, 4}, map_of<std::uint32_t>{}, compose<std::uint32_t>{});
    };
    if constexpr (is_cuda_v<std::remove_const_t<decltype(exec)>>) {
        CHECK(plan.scheme == srcsr_scheme::balanced_atomic);
        CHECK_FALSE(plan.reason.empty());
        CHECK_THROWS_AS(product(), argument_error);
        auto const other = make_srcsr_plan(exec, a.view(), options_for(srcsr_scheme::adaptive, 64));
        CHECK_THROWS_AS(count_wrong(exec, other, a, plain, {0, 4}, map_of<std::uint32_t>{}, compose<std::uint32_t>{}),
                        argument_error);
        CHECK_THROWS_AS(make_srcsr_plan(exec, a.view(), options_for(srcsr_scheme::adaptive, 100)), argument_error);
        CHECK_THROWS_AS(make_srcsr_plan(exec, a.view(), options_for(srcsr_scheme::adaptive, 128, -1)), argument_error);
        CHECK_THROWS_AS(make_srcsr_plan(exec, a.view(), options_for(srcsr_scheme::adaptive, 128, 1281)),
                        argument_error);
    } else {
        CHECK(plan.scheme == srcsr_scheme::adaptive); // the option is ignored
        CHECK(product() == 0);
    }
}

TEST_CASE_TEMPLATE("no rows, no nonzeros, no arrays", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (std::size_t const rows : {0u, 1u, 5000u}) {
        CAPTURE(rows);
        auto const offsets = exec.copy(std::vector<std::int32_t>(rows + 1, 0));
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto const plan =
                make_srcsr_plan(exec, array_view<std::int32_t const>(offsets.view()), options_for(scheme));
            buffer<affine<std::uint32_t>> y(exec, std::int64_t(rows));
            buffer<std::int32_t> stores(exec, std::int64_t(rows));
            fill(exec, stores.view(), 0);
            float const* const no_values = nullptr;
            std::int32_t const* const no_columns = nullptr;
            reduce_rows(exec, plan, along_nonzeros{map_of<std::uint32_t>{}, no_values, no_columns},
                        compose<std::uint32_t>{}, store_once<affine<std::uint32_t>>{y.data(), stores.data()});
            std::int64_t wrong = 0;
            for (auto const& map : to_vector(exec, y))
                if (!(map == compose<std::uint32_t>{}.identity())) ++wrong;
            for (std::int32_t const count : to_vector(exec, stores))
                if (count != 1) ++wrong;
            CHECK(wrong == 0);
        }
    }
    auto const none = make_srcsr_plan(exec, array_view<std::int32_t const>{});
    CHECK(none.rows() == 0);
    reduce_rows(exec, none,
                along_nonzeros{map_of<std::uint32_t>{}, (float const*)nullptr, (std::int32_t const*)nullptr},
                compose<std::uint32_t>{}, store_once<affine<std::uint32_t>>{nullptr, nullptr});
}

// ---------------------------------------------------------------------------------------------------------- workspaces

TEST_CASE_TEMPLATE("the caller's workspace", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    constexpr bool on_cuda = is_cuda_v<std::remove_const_t<decltype(exec)>>;
    auto const plain = random_matrix<float>({3, 0, 50000, 2, 70000}, 100, 32);
    auto const a = plain.on(exec);
    using large = affine<std::uint64_t>;
    buffer<large> y(exec, 5);
    buffer<std::int32_t> stores(exec, 5);
    for (srcsr_scheme const scheme : ordered_schemes) {
        auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
        std::int64_t const bytes = plan.template workspace<large>();
        CHECK(plan.template workspace<double>() == 0);
        CHECK((bytes > 0) == on_cuda);
        buffer<std::byte> memory(exec, bytes + 32);
        auto const run = [&](std::int64_t first, std::int64_t size) {
            fill(exec, stores.view(), 0);
            reduce_rows(exec, plan,
                        along_nonzeros{map_of<std::uint64_t>{}, a.values().data(), a.column_indices().data()},
                        compose<std::uint64_t>{}, store_once<large>{y.data(), stores.data()},
                        array_view<std::byte>{memory.data() + first, size});
            along_nonzeros const multiply{map_of<std::uint64_t>{}, plain.values.data(), plain.indices.data()};
            auto const got = to_vector(exec, y);
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < 5; ++i)
                if (!(got[i] == fold_row(plain.offsets[i], plain.offsets[i + 1], multiply, compose<std::uint64_t>{},
                                         std::int64_t(i))))
                    ++wrong;
            return wrong;
        };
        CHECK(run(0, bytes + 32) == 0);
        CHECK(run(16, bytes + 16) == 0);
        CHECK(run(0, 0) == 0); // memory of the pool
        if constexpr (on_cuda) {
            CHECK(run(0, bytes) == 0);
            CHECK_THROWS_AS(run(8, bytes), argument_error);
            CHECK_THROWS_AS(run(0, bytes - 1), argument_error);
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- types

namespace {

/// A base set of types; each of the following changes one of them.
struct pack {
    std::uint32_t a;
    std::uint16_t b;
};
struct compose_packs : compose<std::uint32_t> {
    using compose<std::uint32_t>::operator();
    template <class Product>
    COPPICE_HD affine<std::uint32_t> operator()(affine<std::uint32_t> const& f, Product const& p) const {
        return (*this)(f, affine<std::uint32_t>{p.a, p.b});
    }
};
struct pack_of {
    COPPICE_HD pack operator()(float value, std::int32_t column) const {
        return {static_cast<std::uint32_t>(column * 31 + 2), static_cast<std::uint16_t>((value + 1) * 1000)};
    }
};

// The same members, declared to be stored in separate arrays.
struct split_pack {
    std::uint32_t a;
    std::uint16_t b;
};
struct split_pack_of {
    COPPICE_HD split_pack operator()(float value, std::int32_t column) const {
        auto const p = pack_of{}(value, column);
        return {p.a, p.b};
    }
};

// Products of 112 bytes; and products with 32-byte alignment that are not default constructible.
struct wide_pack {
    std::uint32_t a;
    std::uint32_t padding[26];
    std::uint32_t b;
};
struct wide_pack_of {
    COPPICE_HD wide_pack operator()(float value, std::int32_t column) const {
        auto const p = pack_of{}(value, column);
        return {p.a, {}, p.b};
    }
};
struct alignas(32) strict_pack {
    std::uint32_t a;
    std::uint32_t b;
    COPPICE_HD strict_pack(std::uint32_t first, std::uint32_t second) : a(first), b(second) {}
};
struct strict_pack_of {
    COPPICE_HD strict_pack operator()(float value, std::int32_t column) const {
        auto const p = pack_of{}(value, column);
        return {p.a, p.b};
    }
};

/// Another accumulator type: 24 bytes, a count in addition to the map, not default constructible.
struct counted_map {
    affine<std::uint64_t> map;
    std::int64_t count;
    COPPICE_HD counted_map(affine<std::uint64_t> m, std::int64_t n) : map(m), count(n) {}
    COPPICE_HD friend bool operator==(counted_map const& x, counted_map const& y) {
        return x.map == y.map && x.count == y.count;
    }
};
struct compose_counted {
    COPPICE_HD counted_map identity() const { return {{1, 0}, 0}; }
    COPPICE_HD counted_map operator()(counted_map const& f, counted_map const& g) const {
        return {compose<std::uint64_t>{}(f.map, g.map), f.count + g.count};
    }
    COPPICE_HD counted_map operator()(counted_map const& f, pack const& p) const {
        return (*this)(f, counted_map{{p.a, p.b}, 1});
    }
};

/// Another result type: two bytes of the sum.
struct two_bytes_of_packs : compose_packs {
    COPPICE_HD std::uint16_t result(affine<std::uint32_t> const& f) const {
        return static_cast<std::uint16_t>(f.a ^ f.b);
    }
};

/// ⊗ by nonzero number, evaluated before the fold and stored in shared memory, so that layout and size matter.
template <class F>
struct by_number {
    F f;
    float const* values;
    std::int32_t const* columns;
    COPPICE_HD auto operator()(std::int64_t k) const { return f(values[k], columns[k]); }
};

template <class F, class Add, class Executor>
void check_types(Executor const& exec) {
    using result = detail::result_t<Add>;
    for (auto const& shape : patterns(33)) {
        CAPTURE(shape.name);
        auto const plain = random_matrix<float>(shape.lengths, 1000, 34);
        auto const a = plain.on(exec);
        auto const n = a.rows();
        for (srcsr_scheme const scheme : ordered_schemes) {
            auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            // The result type need not be default constructible, so y is initialised with the result of an empty row.
            std::vector<result> const empty(std::size_t(n), detail::result_of(Add{}, Add{}.identity()));
            auto y = exec.copy(empty);
            buffer<std::int32_t> stores(exec, n);
            fill(exec, stores.view(), 0);
            reduce_rows(exec, plan, by_number<F>{F{}, a.values().data(), a.column_indices().data()}, Add{},
                        store_once<result>{y.data(), stores.data()});
            std::vector<result> got = empty;
            exec.copy_elements(y.data(), got.data(), n);
            auto const count = to_vector(exec, stores);
            by_number<F> const multiply{F{}, plain.values.data(), plain.indices.data()};
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < got.size(); ++i)
                if (count[i] != 1 ||
                    !(got[i] == fold_row(plain.offsets[i], plain.offsets[i + 1], multiply, Add{}, std::int64_t(i))))
                    ++wrong;
            CHECK(wrong == 0);
        }
    }
}

} // namespace

template <>
struct coppice::shared_layout<split_pack> : coppice::split_members<&split_pack::a, &split_pack::b> {};

TEST_CASE_TEMPLATE("product, accumulator, result and layout change one by one", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check_types<pack_of, compose_packs>(exec);
    check_types<split_pack_of, compose_packs>(exec);  // the layout
    check_types<wide_pack_of, compose_packs>(exec);   // the product
    check_types<strict_pack_of, compose_packs>(exec); // the product
    check_types<pack_of, compose_counted>(exec);      // the accumulator
    check_types<pack_of, two_bytes_of_packs>(exec);   // the result
}

// -------------------------------------------------------------------------------------------------------------- graphs

#if defined(COPPICE_TEST_CUDA)
namespace {

/// Captures the work that `queue` submits and returns a graph to launch.
class captured {
public:
    template <class Queue>
    captured(cuda_executor const& exec, Queue const& queue) : exec_(exec) {
        REQUIRE(cudaStreamBeginCapture(exec.stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
        queue();
        REQUIRE(cudaStreamEndCapture(exec.stream(), &graph_) == cudaSuccess);
        REQUIRE(cudaGraphInstantiate(&launchable_, graph_, 0) == cudaSuccess);
    }
    ~captured() {
        cudaGraphExecDestroy(launchable_);
        cudaGraphDestroy(graph_);
    }
    captured(captured const&) = delete;
    captured& operator=(captured const&) = delete;
    void launch() const { REQUIRE(cudaGraphLaunch(launchable_, exec_.stream()) == cudaSuccess); }

private:
    cuda_executor exec_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t launchable_ = nullptr;
};

} // namespace

// The host queues nothing, so there is nothing to capture.
TEST_CASE("a product is captured into a CUDA graph and replayed with other data") {
    auto const exec = on_cuda::exec();
    for (auto const& shape : patterns(35)) {
        if (shape.lengths.empty()) continue;
        CAPTURE(shape.name);
        auto plain = random_matrix<float>(shape.lengths, 1000, 36);
        auto const a = plain.on(exec);
        auto const n = shape.lengths.size();
        row_range const all{0, a.rows()};
        auto x = exec.copy(wave<float>(1000, 1));
        for (srcsr_scheme const scheme : all_schemes) {
            CAPTURE(srcsr_scheme_names[static_cast<std::size_t>(scheme)]);
            auto const plan = make_srcsr_plan(exec, a.view(), options_for(scheme));
            auto y = exec.copy(std::vector<float>(n, 0.0f));
            captured const graph(exec, [&] { spmv(exec, plan, a.view(), x.view(), y.view(), 1.0f, 0.5f); });
            std::vector<float> old(n, 0.0f);
            for (int replay = 0; replay < 3; ++replay) {
                auto const now = wave<float>(1000, 0.1 + replay);
                exec.copy_elements(now.data(), x.data(), 1000);
                graph.launch();
                auto const got = to_vector(exec, y);
                CHECK(reference<float>(plain, now, old, 1, 0.5, all).wrong(got) == 0);
                old = got;
            }
        }
        // Sums of more than 8 bytes, with the caller's workspace; the columns change.
        using large = affine<std::uint64_t>;
        auto const plan = make_srcsr_plan(exec, a.view());
        buffer<std::byte> memory(exec, plan.workspace<large>());
        buffer<large> y(exec, a.rows());
        buffer<std::int32_t> stores(exec, a.rows());
        auto columns = exec.copy(plain.indices);
        captured const graph(exec, [&] {
            reduce_rows(exec, plan, along_nonzeros{map_of<std::uint64_t>{}, a.values().data(), columns.data()},
                        compose<std::uint64_t>{}, store_once<large>{y.data(), stores.data()}, memory.view());
        });
        for (int replay = 0; replay < 3; ++replay) {
            for (auto& column : plain.indices) column = (column + 1) % 1000;
            exec.copy_elements(plain.indices.data(), columns.data(), static_cast<std::int64_t>(plain.indices.size()));
            fill(exec, stores.view(), 0);
            graph.launch();
            auto const got = to_vector(exec, y);
            along_nonzeros const multiply{map_of<std::uint64_t>{}, plain.values.data(), plain.indices.data()};
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (!(got[i] == fold_row(plain.offsets[i], plain.offsets[i + 1], multiply, compose<std::uint64_t>{},
                                         std::int64_t(i))))
                    ++wrong;
            CHECK(wrong == 0);
        }
    }
}
#endif
