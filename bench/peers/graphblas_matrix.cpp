// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/graphblas_matrix.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/largest_and_count.hpp"
#include "bench/peers/graphblas_check.hpp"

namespace coppice::bench {
namespace {

extern "C" void merge_pairs(void* z, void const* x, void const* y) {
    *static_cast<largest_and_count*>(z) =
        merged(*static_cast<largest_and_count const*>(x), *static_cast<largest_and_count const*>(y));
}
extern "C" void times_pairs(void* z, void const* x, void const* y) {
    *static_cast<largest_and_count*>(z) =
        product(static_cast<largest_and_count const*>(x)->largest, static_cast<largest_and_count const*>(y)->largest);
}

} // namespace

struct graphblas_matrix::state {
    GrB_Index n = 0;
    GrB_Matrix a = nullptr, b = nullptr, c = nullptr, pairs = nullptr;
    GrB_Vector w = nullptr;
    double sum = 0;
    GrB_Type pair = nullptr;
    GrB_BinaryOp merge = nullptr, times = nullptr;
    GrB_Monoid monoid = nullptr;
    GrB_Semiring semiring = nullptr;

    /// An empty result of the given type.
    void clear(GrB_Type type = GrB_FP64) {
        GrB_Matrix_free(&c);
        check(GrB_Matrix_new(&c, type, n, n), "GrB_Matrix_new");
    }
    void finish() { check(GrB_Matrix_wait(c, GrB_MATERIALIZE), "GrB_Matrix_wait"); }
};

graphblas_matrix::graphblas_matrix(csr_view<double> a, int threads) : state_(new state) {
    start_graphblas();
    check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads), "setting the threads");
    state& s = *state_;
    s.n = GrB_Index(a.rows());
    std::vector<GrB_Index> const offsets(a.row_offsets().begin(), a.row_offsets().end());
    std::vector<GrB_Index> const indices(a.column_indices().begin(), a.column_indices().end());
    check(GrB_Matrix_import_FP64(&s.a, GrB_FP64, s.n, s.n, offsets.data(), indices.data(), a.values().data(),
                                 offsets.size(), indices.size(), indices.size(), GrB_CSR_FORMAT),
          "importing the matrix");
    check(GrB_Type_new(&s.pair, sizeof(largest_and_count)), "GrB_Type_new");
    check(GrB_BinaryOp_new(&s.merge, merge_pairs, s.pair, s.pair, s.pair), "GrB_BinaryOp_new");
    check(GrB_BinaryOp_new(&s.times, times_pairs, s.pair, s.pair, s.pair), "GrB_BinaryOp_new");
    largest_and_count none = largest_and_count_semiring::nothing();
    check(GrB_Monoid_new_UDT(&s.monoid, s.merge, &none), "GrB_Monoid_new");
    check(GrB_Semiring_new(&s.semiring, s.monoid, s.times), "GrB_Semiring_new");
    std::vector<largest_and_count> pairs(indices.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = {a.values()[std::int64_t(k)], 1};
    check(GrB_Matrix_import_UDT(&s.pairs, s.pair, s.n, s.n, offsets.data(), indices.data(), pairs.data(),
                                offsets.size(), indices.size(), indices.size(), GrB_CSR_FORMAT),
          "importing the pairs");
    check(GrB_Vector_new(&s.w, GrB_FP64, s.n), "GrB_Vector_new");
    for (GrB_Matrix m : {s.a, s.pairs}) check(GrB_Matrix_wait(m, GrB_MATERIALIZE), "GrB_Matrix_wait");
}

graphblas_matrix::~graphblas_matrix() {
    for (GrB_Matrix* m : {&state_->a, &state_->b, &state_->c, &state_->pairs}) GrB_Matrix_free(m);
    GrB_Vector_free(&state_->w);
    GrB_Semiring_free(&state_->semiring);
    GrB_Monoid_free(&state_->monoid);
    GrB_BinaryOp_free(&state_->merge);
    GrB_BinaryOp_free(&state_->times);
    GrB_Type_free(&state_->pair);
    delete state_;
}

void graphblas_matrix::square(std::string const& semiring, bool masked) {
    state& s = *state_;
    s.clear();
    GrB_Semiring const over = semiring == "min-plus" ? GrB_MIN_PLUS_SEMIRING_FP64 : GrB_PLUS_TIMES_SEMIRING_FP64;
    check(GrB_mxm(s.c, masked ? s.a : nullptr, nullptr, over, s.a, s.a, masked ? GrB_DESC_S : nullptr), "GrB_mxm");
    s.finish();
}
void graphblas_matrix::square_of_pairs() {
    state& s = *state_;
    s.clear(s.pair);
    check(GrB_mxm(s.c, nullptr, nullptr, s.semiring, s.pairs, s.pairs, nullptr), "GrB_mxm");
    s.finish();
}
void graphblas_matrix::add_transposed() {
    state& s = *state_;
    s.clear();
    check(GrB_Matrix_eWiseAdd_BinaryOp(s.c, nullptr, nullptr, GrB_PLUS_FP64, s.a, s.a, GrB_DESC_T1), "GrB_eWiseAdd");
    s.finish();
}
void graphblas_matrix::multiply_transposed() {
    state& s = *state_;
    s.clear();
    check(GrB_Matrix_eWiseMult_BinaryOp(s.c, nullptr, nullptr, GrB_TIMES_FP64, s.a, s.a, GrB_DESC_T1), "GrB_eWiseMult");
    s.finish();
}
void graphblas_matrix::select_above(double threshold) {
    state& s = *state_;
    s.clear();
    check(GrB_Matrix_select_FP64(s.c, nullptr, nullptr, GrB_VALUEGT_FP64, s.a, threshold, nullptr), "GrB_select");
    s.finish();
}
void graphblas_matrix::reduce_rows() {
    state& s = *state_;
    check(GrB_Matrix_reduce_Monoid(s.w, nullptr, nullptr, GrB_PLUS_MONOID_FP64, s.a, nullptr), "GrB_reduce");
    check(GrB_Vector_wait(s.w, GrB_MATERIALIZE), "GrB_Vector_wait");
}
void graphblas_matrix::reduce_all() {
    check(GrB_Matrix_reduce_FP64(&state_->sum, nullptr, GrB_PLUS_MONOID_FP64, state_->a, nullptr), "GrB_reduce");
}
void graphblas_matrix::apply_scaled(double factor) {
    state& s = *state_;
    s.clear();
    check(GrB_Matrix_apply_BinaryOp2nd_FP64(s.c, nullptr, nullptr, GrB_TIMES_FP64, s.a, factor, nullptr), "GrB_apply");
    s.finish();
}
void graphblas_matrix::extract(std::vector<std::int64_t> const& list) {
    state& s = *state_;
    std::vector<GrB_Index> const at(list.begin(), list.end());
    GrB_Matrix_free(&s.c);
    check(GrB_Matrix_new(&s.c, GrB_FP64, at.size(), at.size()), "GrB_Matrix_new");
    check(GrB_Matrix_extract(s.c, nullptr, nullptr, s.a, at.data(), at.size(), at.data(), at.size(), nullptr),
          "GrB_extract");
    s.finish();
}
void graphblas_matrix::prepare_assign(std::vector<std::int64_t> const& list) {
    state& s = *state_;
    extract(list);
    GrB_Matrix_free(&s.b);
    s.b = std::exchange(s.c, nullptr);
    check(GrB_Matrix_dup(&s.c, s.a), "GrB_Matrix_dup");
    s.finish();
}
void graphblas_matrix::assign(std::vector<std::int64_t> const& list) {
    state& s = *state_;
    std::vector<GrB_Index> const at(list.begin(), list.end());
    check(GrB_Matrix_assign(s.c, nullptr, nullptr, s.b, at.data(), at.size(), at.data(), at.size(), nullptr),
          "GrB_assign");
    s.finish();
}
void graphblas_matrix::transpose() {
    state& s = *state_;
    s.clear();
    check(GrB_transpose(s.c, nullptr, nullptr, s.a, nullptr), "GrB_transpose");
    s.finish();
}
std::int64_t graphblas_matrix::entries() const {
    GrB_Index count = 0;
    check(GrB_Matrix_nvals(&count, state_->c), "GrB_Matrix_nvals");
    return std::int64_t(count);
}

} // namespace coppice::bench
