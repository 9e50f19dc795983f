// SPDX-License-Identifier: BSD-3-Clause
// Sparse vectors against SuiteSparse:GraphBLAS: products by push and pull, element-wise operations, assignments.
#include <doctest/doctest.h>

#include "sparse/sparse_graphblas.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

host_executor const exec(2);

template <class T>
sparse_vector<T> random_vector(std::int64_t n, double density, std::uint64_t seed) {
    auto const row = random_sparse<T>(1, std::int32_t(n), density, seed);
    auto const m = row.on(exec);
    return {exec, n, exec.copy(m.column_indices()), exec.copy(m.values())};
}
template <class T>
grb_vector to_grb(sparse_vector<T> const& v) {
    auto const dense = v.to_dense(exec);
    return coppice::test::to_grb<T>(dense.view());
}
template <class T>
bool same(sparse_vector<T> const& got, GrB_Vector expected) {
    auto const a = got.to_dense(exec), b = from_grb<T>(expected);
    std::int64_t entries = 0;
    for (std::int64_t i = 0; i < got.size(); ++i) {
        bool const has = a.view().has(i);
        entries += has;
        if (has != (b.present()[i] != 0) || (has && a.values()[i] != b.values()[i])) return false;
    }
    return entries == got.entries();
}

/// Compares ours(w, mask, accumulator, descriptor) with theirs for every call; returns the number of differences.
template <class T, class Theirs, class Ours>
int differences(sparse_vector<T> const& w, sparse_vector<float> const& mask, Theirs const& theirs, Ours const& ours) {
    auto const gm = to_grb(mask);
    int wrong = 0;
    for (auto const& call : every_call()) {
        if (call.desc.transpose1) continue;
        grb_desc const gd(call.desc);
        auto const expected = to_grb(w);
        grb(theirs(GrB_Vector(expected), call.masked ? GrB_Vector(gm) : nullptr,
                   call.accumulated ? grb_type<T>::plus() : nullptr, GrB_Descriptor(gd)));
        auto result = exec.copy(w);
        if (call.masked && call.accumulated)
            ours(result, mask, op::plus<T>{}, call.desc);
        else if (call.masked)
            ours(result, mask, no_accumulator{}, call.desc);
        else if (call.accumulated)
            ours(result, no_mask{}, op::plus<T>{}, call.desc);
        else
            ours(result, no_mask{}, no_accumulator{}, call.desc);
        wrong += same(result, expected) ? 0 : 1;
    }
    return wrong;
}

} // namespace

TEST_CASE("mxv and vxm of sparse vectors agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    using T = double;
    std::int32_t const n = 60;
    auto const a = random_sparse<T>(n, n, 0.1, 1);
    auto const da = a.on(exec);
    auto const ga = coppice::test::to_grb(a);
    matrix_operand both(exec, da), rows_only(exec, da);
    both.prepare_transpose(exec);
    std::uint64_t seed = 10;
    for (double const u_density : {0.0, 0.02, 0.3, 1.0})
        for (double const m_density : {0.03, 0.5, 1.0}) {
            CAPTURE(u_density);
            CAPTURE(m_density);
            auto const u = random_vector<T>(n, u_density, seed++), w = random_vector<T>(n, m_density / 2, seed++);
            auto const m = random_vector<float>(n, m_density, seed++);
            auto const gu = to_grb(u);
            auto const s = plus_times<T>{};
            CHECK(differences(
                      w, m,
                      [&](auto W, auto M, auto acc, auto d) {
                          return GrB_mxv(W, M, acc, GrB_PLUS_TIMES_SEMIRING_FP64, ga, gu, d);
                      },
                      [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                          mxv(exec, W, M, acc, s, both, u, d);
                      }) == 0);
            // Only one orientation is available: pull for mxv, push for its transpose.
            CHECK(differences(
                      w, m,
                      [&](auto W, auto M, auto acc, auto d) {
                          return GrB_mxv(W, M, acc, GrB_PLUS_TIMES_SEMIRING_FP64, ga, gu, d);
                      },
                      [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                          mxv(exec, W, M, acc, s, rows_only, u, d);
                      }) == 0);
            CHECK(differences(
                      w, m,
                      [&](auto W, auto M, auto acc, auto) {
                          return GrB_vxm(W, M, acc, GxB_MIN_SECONDI_INT32, gu, ga, nullptr);
                      },
                      [&](auto& W, auto const& M, auto const& acc, auto const&) {
                          vxm(exec, W, M, acc, semiring_of<add_min<std::int32_t>, op::inner_index<std::int32_t>>{}, u,
                              both);
                      }) == 0);
        }
}

TEST_CASE("element-wise operations on vectors agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    using T = std::int32_t;
    std::int64_t const n = 900;
    std::uint64_t seed = 100;
    op::minus<T> const minus;
    std::vector<std::int32_t> list;
    for (int k = 0; k < n; ++k) list.push_back(int((k * 7) % n)); // a permutation
    array_view<std::int32_t const> const at = array_view<std::int32_t const>(list).slice(100, 50);
    std::vector<GrB_Index> const wide(list.begin(), list.end());
    for (double const density : {0.003, 0.04, 0.5, 1.0}) {
        CAPTURE(density);
        auto const u = random_vector<T>(n, density, seed++), v = random_vector<T>(n, 0.03, seed++),
                   w = random_vector<T>(n, 0.02, seed++);
        auto const m = random_vector<float>(n, 0.05, seed++);
        auto const gu = to_grb(u), gv = to_grb(v);
        CHECK(differences(
                  w, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_eWiseAdd_BinaryOp(W, M, acc, GrB_MINUS_INT32, gu, gv, d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      update(exec, W, M, acc, ewise_add(exec, minus, u, v), d);
                  }) == 0);
        CHECK(differences(
                  w, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_eWiseMult_BinaryOp(W, M, acc, GrB_MINUS_INT32, gu, gv, d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      update(exec, W, M, acc, ewise_mult(exec, minus, u, v), d);
                  }) == 0);
        CHECK(differences(
                  w, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_select_INT32(W, M, acc, GrB_VALUEGT_INT32, gu, 2, d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      update(exec, W, M, acc,
                             select_entries(
                                 exec, [](T x) { return x > 2; }, u),
                             d);
                  }) == 0);
        CHECK(differences(
                  w, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_apply_IndexOp_INT32(W, M, acc, GrB_ROWINDEX_INT32, gu, 5, d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      update(exec, W, M, acc,
                             apply(
                                 exec, [](T, std::int64_t i) { return T(i + 5); }, u),
                             d);
                  }) == 0);
        CHECK(differences(
                  w, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_extract(W, M, acc, gu, wide.data(), GrB_Index(n), d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      update(exec, W, M, acc, extract(exec, u, list), d);
                  }) == 0);
        auto const shorter = random_vector<T>(50, density, seed++);
        auto const gp = to_grb(shorter);
        CHECK(differences(
                  u, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_assign(W, M, acc, gp, wide.data() + 100, 50, d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      assign(exec, W, M, acc, shorter, at, d);
                  }) == 0);
        CHECK(differences(
                  u, random_vector<float>(50, 0.5, 77),
                  [&](auto W, auto M, auto acc, auto d) {
                      return GxB_Vector_subassign(W, M, acc, gp, wide.data() + 100, 50, d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      subassign(exec, W, M, acc, shorter, at, d);
                  }) == 0);
        CHECK(differences(
                  u, m,
                  [&](auto W, auto M, auto acc, auto d) {
                      return GrB_Vector_assign_INT32(W, M, acc, 8, GrB_ALL, GrB_Index(n), d);
                  },
                  [&](auto& W, auto const& M, auto const& acc, auto const& d) {
                      assign_scalar(exec, W, M, acc, 8, d);
                  }) == 0);
        T sum = 0;
        grb(GrB_Vector_reduce_INT32(&sum, nullptr, GrB_PLUS_MONOID_INT32, gu, nullptr));
        CHECK(reduce_to_scalar(exec, add_plus<T>{}, u) == sum);
        auto const resized = to_grb(u);
        grb(GrB_Vector_resize(resized, 333));
        CHECK(same(resize(exec, u, 333), resized));
    }
}

TEST_CASE("a vector has the format that its density determines") {
    sparse_vector<double> v(exec, 6400);
    CHECK(v.format() == vector_format::list);
    auto const first = [](std::int64_t count) {
        buffer<std::int32_t> indices(exec, count);
        buffer<double> values(exec, count);
        for (std::int64_t k = 0; k < count; ++k) {
            indices[k] = std::int32_t(k);
            values[k] = 1;
        }
        return sparse_vector<double>(exec, 6400, std::move(indices), std::move(values));
    };
    CHECK(first(400).format() == vector_format::list);
    CHECK(first(401).format() == vector_format::bitmap);
    CHECK(first(6400).format() == vector_format::full);
    auto const keep = [](std::int64_t count) { return [count](double, std::int64_t i) { return i < count; }; };
    auto hovers = first(500);
    update(exec, hovers, select_entries(exec, keep(3), hovers), no_accumulator{}, hovers,
           {.replace = true, .structure = true});
    CHECK(hovers.entries() == 3);
    CHECK(hovers.format() == vector_format::list);
    CHECK_THROWS_AS(sparse_vector<double>(exec, 5, exec.copy(std::vector<std::int32_t>{1, 1}),
                                          exec.copy(std::vector<double>{1, 2})),
                    matrix_error);
    CHECK_THROWS_AS(
        sparse_vector<double>(exec, 5, exec.copy(std::vector<std::int32_t>{5}), exec.copy(std::vector<double>{1})),
        matrix_error);
}
