// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/graphblas_peer.hpp"

#include <cstdint>
#include <vector>

#include "bench/peers/graphblas_check.hpp"

namespace coppice::bench {
namespace {

struct pair {
    float value;
    std::int32_t column;
};
extern "C" void larger(void* z, void const* x, void const* y) {
    auto const& a = *static_cast<pair const*>(x);
    auto const& b = *static_cast<pair const*>(y);
    *static_cast<pair*>(z) = b.value > a.value ? b : a;
}
extern "C" void times(void* z, void const* x, void const* y) {
    auto const& a = *static_cast<pair const*>(x);
    auto const& b = *static_cast<pair const*>(y);
    *static_cast<pair*>(z) = {a.value * b.value, a.column};
}

} // namespace

struct graphblas_spmv::state {
    GrB_Matrix a = nullptr;
    GrB_Vector u = nullptr, w = nullptr;
    // The same matrix as pairs of value and column, for the user-defined semiring.
    GrB_Type pair_type = nullptr;
    GrB_BinaryOp larger_op = nullptr, times_op = nullptr;
    GrB_Monoid larger_monoid = nullptr;
    GrB_Semiring arg_max = nullptr;
    GrB_Matrix pairs = nullptr;
    GrB_Vector pair_u = nullptr, pair_w = nullptr;
};

std::string graphblas_spmv::version() {
    return "SuiteSparse:GraphBLAS " + std::to_string(GxB_IMPLEMENTATION_MAJOR) + "." +
           std::to_string(GxB_IMPLEMENTATION_MINOR);
}

graphblas_spmv::graphblas_spmv(csr_view<float> a, array_view<float const> x, int threads) : state_(new state) {
    start_graphblas();
    check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads), "setting the threads");
    GrB_Index const rows = GrB_Index(a.rows()), columns = GrB_Index(a.columns());
    std::vector<GrB_Index> offsets(a.row_offsets().begin(), a.row_offsets().end());
    std::vector<GrB_Index> indices(a.column_indices().begin(), a.column_indices().end());
    check(GrB_Matrix_import_FP32(&state_->a, GrB_FP32, rows, columns, offsets.data(), indices.data(), a.values().data(),
                                 offsets.size(), indices.size(), indices.size(), GrB_CSR_FORMAT),
          "importing the matrix");
    check(GrB_Vector_new(&state_->u, GrB_FP32, columns), "GrB_Vector_new");
    check(GrB_Vector_new(&state_->w, GrB_FP32, rows), "GrB_Vector_new");

    check(GrB_Type_new(&state_->pair_type, sizeof(pair)), "GrB_Type_new");
    check(GrB_BinaryOp_new(&state_->larger_op, larger, state_->pair_type, state_->pair_type, state_->pair_type),
          "GrB_BinaryOp_new");
    check(GrB_BinaryOp_new(&state_->times_op, times, state_->pair_type, state_->pair_type, state_->pair_type),
          "GrB_BinaryOp_new");
    pair const lowest{-3e38f, -1};
    check(GrB_Monoid_new_UDT(&state_->larger_monoid, state_->larger_op, const_cast<pair*>(&lowest)), "GrB_Monoid_new");
    check(GrB_Semiring_new(&state_->arg_max, state_->larger_monoid, state_->times_op), "GrB_Semiring_new");
    std::vector<pair> pairs(indices.size());
    for (std::size_t k = 0; k < pairs.size(); ++k)
        pairs[k] = {a.values()[std::int64_t(k)], a.column_indices()[std::int64_t(k)]};
    check(GrB_Matrix_import_UDT(&state_->pairs, state_->pair_type, rows, columns, offsets.data(), indices.data(),
                                pairs.data(), offsets.size(), indices.size(), indices.size(), GrB_CSR_FORMAT),
          "importing the pairs");
    check(GrB_Vector_new(&state_->pair_u, state_->pair_type, columns), "GrB_Vector_new");
    check(GrB_Vector_new(&state_->pair_w, state_->pair_type, rows), "GrB_Vector_new");
    for (std::int64_t j = 0; j < x.size(); ++j) {
        check(GrB_Vector_setElement_FP32(state_->u, x[j], GrB_Index(j)), "GrB_Vector_setElement");
        pair p{x[j], static_cast<std::int32_t>(j)};
        check(GrB_Vector_setElement_UDT(state_->pair_u, &p, GrB_Index(j)), "GrB_Vector_setElement");
    }
    for (GrB_Vector v : {state_->u, state_->pair_u}) check(GrB_Vector_wait(v, GrB_MATERIALIZE), "GrB_Vector_wait");
    for (GrB_Matrix m : {state_->a, state_->pairs}) check(GrB_Matrix_wait(m, GrB_MATERIALIZE), "GrB_Matrix_wait");
}

graphblas_spmv::~graphblas_spmv() {
    GrB_Matrix_free(&state_->a);
    GrB_Matrix_free(&state_->pairs);
    for (GrB_Vector* v : {&state_->u, &state_->w, &state_->pair_u, &state_->pair_w}) GrB_Vector_free(v);
    GrB_Semiring_free(&state_->arg_max);
    GrB_Monoid_free(&state_->larger_monoid);
    GrB_BinaryOp_free(&state_->larger_op);
    GrB_BinaryOp_free(&state_->times_op);
    GrB_Type_free(&state_->pair_type);
    delete state_;
}

void graphblas_spmv::multiply(std::string const& semiring) {
    GrB_Semiring const s = semiring == "plus-times" ? GrB_PLUS_TIMES_SEMIRING_FP32
                           : semiring == "min-plus" ? GrB_MIN_PLUS_SEMIRING_FP32
                                                    : GrB_MAX_SECOND_SEMIRING_FP32;
    check(GrB_mxv(state_->w, nullptr, nullptr, s, state_->a, state_->u, nullptr), "GrB_mxv");
    check(GrB_Vector_wait(state_->w, GrB_MATERIALIZE), "GrB_Vector_wait");
}

void graphblas_spmv::multiply_arg_max() {
    check(GrB_mxv(state_->pair_w, nullptr, nullptr, state_->arg_max, state_->pairs, state_->pair_u, nullptr),
          "GrB_mxv");
    check(GrB_Vector_wait(state_->pair_w, GrB_MATERIALIZE), "GrB_Vector_wait");
}

} // namespace coppice::bench
