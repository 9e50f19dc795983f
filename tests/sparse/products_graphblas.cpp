// SPDX-License-Identifier: BSD-3-Clause
// mxm against SuiteSparse:GraphBLAS: every combination of mask, accumulator, descriptor and transposition.
#include <doctest/doctest.h>

#include "sparse/sparse_graphblas.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

struct plus_times_double {
    using T = double;
    static auto semiring() { return plus_times<double>{}; }
    static GrB_Semiring grb_semiring() { return GrB_PLUS_TIMES_SEMIRING_FP64; }
};
struct min_plus_int {
    using T = std::int32_t;
    static auto semiring() { return min_plus<std::int32_t>{}; }
    static GrB_Semiring grb_semiring() { return GrB_MIN_PLUS_SEMIRING_INT32; }
};
struct or_and_bool {
    using T = bool;
    static auto semiring() { return or_and<bool>{}; }
    static GrB_Semiring grb_semiring() { return GrB_LOR_LAND_SEMIRING_BOOL; }
};
struct any_pair_long {
    using T = std::int64_t;
    static auto semiring() { return semiring_of<add_any<T>, op::oneb<T>>{}; }
    static GrB_Semiring grb_semiring() { return GxB_ANY_PAIR_INT64; }
};
struct min_index_float {
    using T = float;
    static auto semiring() { return semiring_of<add_min<std::int32_t>, op::inner_index<std::int32_t>>{}; }
    static GrB_Semiring grb_semiring() { return GxB_MIN_FIRSTJ_INT32; }
};

struct shape {
    std::int32_t rows, inner, columns;
    double density;
};

} // namespace

TEST_CASE_TEMPLATE("mxm agrees with SuiteSparse:GraphBLAS", Config, plus_times_double, min_plus_int, or_and_bool,
                   any_pair_long, min_index_float) {
    using T = typename Config::T;
    start_graphblas();
    host_executor const exec(2);
    std::uint64_t seed = 11;
    for (auto const [rows, inner, columns, density] :
         {shape{37, 23, 41, 0.15}, shape{90, 130, 110, 0.2}, shape{8, 300, 9000, 0.01}, shape{1, 1, 1, 1.0}}) {
        auto const calls = every_call();
        std::size_t const step = columns > 1000 ? 29 : columns > 100 ? 7 : 1;
        for (std::size_t n = seed % step; n < calls.size(); n += step) {
            auto const& d = calls[n].desc;
            CAPTURE(n);
            auto const a = d.transpose0 ? random_sparse<T>(inner, rows, density, seed)
                                        : random_sparse<T>(rows, inner, density, seed);
            auto const b = d.transpose1 ? random_sparse<T>(columns, inner, density, seed + 1)
                                        : random_sparse<T>(inner, columns, density, seed + 1);
            auto const m = random_sparse<float>(rows, columns, n % 2 == 0 ? density : density / 8, seed + 2);
            auto const c = random_sparse<T>(rows, columns, density, seed + 3);
            seed += 4;

            auto const expected = to_grb(c), ga = to_grb(a), gb = to_grb(b);
            auto const gm = to_grb(m);
            grb_desc const gd(d);
            grb(GrB_mxm(expected, calls[n].masked ? GrB_Matrix(gm) : nullptr,
                        calls[n].accumulated ? grb_type<T>::plus() : nullptr, Config::grb_semiring(), ga, gb, gd));

            auto const da = a.on(exec), db = b.on(exec);
            auto const dm = m.on(exec);
            auto result = c.on(exec);
            auto const run = [&](auto const& mask, auto const& accumulate) {
                mxm(exec, result, mask, accumulate, Config::semiring(), da.view(), db.view(), d);
            };
            if (calls[n].masked && calls[n].accumulated)
                run(dm.view(), allow_rounding(op::plus<T>{}));
            else if (calls[n].masked)
                run(dm.view(), no_accumulator{});
            else if (calls[n].accumulated)
                run(no_mask{}, allow_rounding(op::plus<T>{}));
            else
                run(no_mask{}, no_accumulator{});
            CHECK(plain(exec, result) == from_grb_matrix<T>(expected));
        }
    }
}
