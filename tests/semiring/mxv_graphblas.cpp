// SPDX-License-Identifier: BSD-3-Clause
// mxv and vxm against SuiteSparse:GraphBLAS: every combination of mask, accumulator, descriptor and transposition.
#include <doctest/doctest.h>

#include "semiring/graphblas_session.hpp"
#include "semiring/mxv_problem.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

GrB_Semiring semiring_of_config(plus_times_float) { return GrB_PLUS_TIMES_SEMIRING_FP32; }
GrB_Semiring semiring_of_config(plus_minus_double) { return GxB_PLUS_MINUS_FP64; }
GrB_Semiring semiring_of_config(min_firstj_int32) { return GxB_MIN_FIRSTJ_INT32; }
GrB_Semiring semiring_of_config(or_and_bool) { return GrB_LOR_LAND_SEMIRING_BOOL; }
GrB_Semiring semiring_of_config(any_pair_int32) { return GxB_ANY_PAIR_INT32; }
GrB_Semiring semiring_of_config(times_plus_uint32) { return GxB_TIMES_PLUS_UINT32; }
GrB_Semiring semiring_of_config(plus_first_mixed) { return GxB_PLUS_FIRST_FP64; }

/// Returns w after the call by SuiteSparse:GraphBLAS.
template <class Config>
dense_vector<typename Config::W> by_graphblas(mxv_problem<Config> const& p, GrB_Matrix a, mxv_call const& c) {
    using W = typename Config::W;
    grb_vector const u = to_grb<typename Config::U>(p.u(c).view());
    grb_vector const w = to_grb<W>(p.w[p.orientation_of_w(c)].view());
    grb_vector mask;
    if (c.mask != mask_kind::none) mask = to_grb<typename Config::M>(p.mask(c).view());
    GrB_BinaryOp const accumulate = c.accumulate == accumulation::plus     ? grb_type<W>::plus()
                                    : c.accumulate == accumulation::min    ? grb_type<W>::min()
                                    : c.accumulate == accumulation::second ? grb_type<W>::second()
                                                                           : nullptr;
    GrB_Semiring const s = semiring_of_config(Config{});
    grb_desc const d(c.desc);
    if (c.vector_first)
        grb(GrB_vxm(w, mask, accumulate, s, u, a, d));
    else
        grb(GrB_mxv(w, mask, accumulate, s, a, u, d));
    return from_grb<W>(w);
}

template <class Config>
void check_calls(mxv_shape const& shape, std::uint64_t seed, std::size_t step) {
    CAPTURE(shape.name);
    host_executor const exec(2);
    mxv_problem<Config> const p(shape.lengths, shape.columns, seed);
    matrix_operand a(exec, p.a);
    a.prepare_transpose(exec);
    grb_matrix const g = to_grb(p.a.view());
    auto const calls = every_call();
    for (std::size_t k = seed % step; k < calls.size(); k += step) {
        CAPTURE(calls[k].text());
        auto const expected = by_graphblas(p, g, calls[k]);
        CHECK(same_entries(by_coppice(exec, p, a, calls[k]), expected));
        // Also checks the reference to which the CUDA program compares.
        CHECK(same_entries(by_definition(p, calls[k]), expected));
    }
}

} // namespace

TEST_CASE_TEMPLATE("mxv and vxm agree with SuiteSparse:GraphBLAS", Config, plus_times_float, plus_minus_double,
                   min_firstj_int32, or_and_bool, any_pair_int32, times_plus_uint32, plus_first_mixed) {
    start_graphblas();
    std::uint64_t seed = 100;
    for (auto const& shape : small_mxv_shapes()) check_calls<Config>(shape, seed++, 1);
    for (auto const& shape : large_mxv_shapes()) check_calls<Config>(shape, seed++, 131);
}
