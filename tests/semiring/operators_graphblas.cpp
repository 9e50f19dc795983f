// SPDX-License-Identifier: BSD-3-Clause
// Binary operators and monoids against SuiteSparse:GraphBLAS: values, identities, terminals.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "semiring/graphblas_session.hpp"
#include <coppice/semiring/operators/operators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Values at the limits of a type and between; signed integers are small enough that sums and products do not overflow.
template <class T>
std::vector<T> edges() {
    if constexpr (std::is_same_v<T, bool>)
        return {};
    else if constexpr (std::is_integral_v<T>)
        return {T(0), T(1), T(2), T(3), T(7), T(-1), T(-2), T(100)};
    else
        return {T(0),
                T(-0.0),
                T(1),
                T(-1),
                T(2.5),
                T(-7),
                T(1e9),
                std::numeric_limits<T>::infinity(),
                -std::numeric_limits<T>::infinity(),
                std::numeric_limits<T>::quiet_NaN()};
}

/// Whether two values are equal; all NaN are considered equal.
template <class T>
bool same_value(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b;
}

template <class T>
struct all_pairs {
    std::vector<entry<T>> a, b; // std::vector<bool> does not store bools

    all_pairs() {
        std::vector<entry<T>> values;
        if constexpr (std::is_same_v<T, bool>) {
            values = {{false, true}, {true, true}};
        } else {
            for (T const v : edges<T>()) values.push_back({v, true});
            if constexpr (std::is_integral_v<T>)
                for (T const v : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()})
                    values.push_back({v, true});
        }
        for (auto const& p : values)
            for (auto const& q : values) {
                a.push_back(p);
                b.push_back(q);
            }
    }
};

/// Known differences between C++ and SuiteSparse:GraphBLAS.
enum class known_difference { none, beyond_a_byte, on_infinite_exponent };

template <class T>
bool is_known_difference(known_difference where, T b) {
    if constexpr (std::is_integral_v<T> && sizeof(T) > 1) // GraphBLAS takes the shift as an 8-bit number
        if (where == known_difference::beyond_a_byte) return std::int64_t(b) > 127 || std::int64_t(b) < -128;
    if constexpr (std::is_floating_point_v<T>) {
        return where == known_difference::on_infinite_exponent && !std::isfinite(b); // undefined in C
    }
    return false;
}

template <class T, class Op>
void check_operator(Op const& op, GrB_BinaryOp reference, known_difference where = known_difference::none) {
    using Z = std::invoke_result_t<Op const&, T, T>;
    all_pairs<T> const pairs;
    GrB_Index const n = pairs.a.size();
    grb_vector u, v, w;
    grb(GrB_Vector_new(u.address(), grb_type<T>::type(), n));
    grb(GrB_Vector_new(v.address(), grb_type<T>::type(), n));
    grb(GrB_Vector_new(w.address(), grb_type<Z>::type(), n));
    for (GrB_Index i = 0; i < n; ++i) {
        grb(grb_type<T>::set(u, pairs.a[i].value, i));
        grb(grb_type<T>::set(v, pairs.b[i].value, i));
    }
    grb(GrB_Vector_eWiseMult_BinaryOp(w, nullptr, nullptr, reference, u, v, nullptr));
    for (GrB_Index i = 0; i < n; ++i) {
        T const a = pairs.a[i].value, b = pairs.b[i].value;
        if (is_known_difference(where, b)) continue;
        Z expected{};
        grb(grb_type<Z>::get(&expected, w, i));
        CAPTURE(a);
        CAPTURE(b);
        CHECK(same_value(op(a, b), expected));
    }
}

template <class T, class Op>
void check_unary(Op const& op, GrB_UnaryOp reference) {
    all_pairs<T> const pairs; // each value occurs as the second of some pair
    GrB_Index const n = pairs.b.size();
    grb_vector u, w;
    grb(GrB_Vector_new(u.address(), grb_type<T>::type(), n));
    grb(GrB_Vector_new(w.address(), grb_type<T>::type(), n));
    for (GrB_Index i = 0; i < n; ++i) grb(grb_type<T>::set(u, pairs.b[i].value, i));
    grb(GrB_Vector_apply(w, nullptr, nullptr, reference, u, nullptr));
    for (GrB_Index i = 0; i < n; ++i) {
        T expected{};
        grb(grb_type<T>::get(&expected, w, i));
        CAPTURE(pairs.b[i].value);
        CHECK(same_value(op(pairs.b[i].value), expected));
    }
}

#define COPPICE_TEST_OPERATORS(T, NAME)                                                                                \
    check_operator<T>(op::first<T>{}, GrB_FIRST_##NAME);                                                               \
    check_operator<T>(op::second<T>{}, GrB_SECOND_##NAME);                                                             \
    check_operator<T>(op::oneb<T>{}, GrB_ONEB_##NAME);                                                                 \
    check_operator<T>(op::plus<T>{}, GrB_PLUS_##NAME);                                                                 \
    check_operator<T>(op::minus<T>{}, GrB_MINUS_##NAME);                                                               \
    check_operator<T>(op::times<T>{}, GrB_TIMES_##NAME);                                                               \
    check_operator<T>(op::div<T>{}, GrB_DIV_##NAME);                                                                   \
    check_operator<T>(op::min<T>{}, GrB_MIN_##NAME);                                                                   \
    check_operator<T>(op::max<T>{}, GrB_MAX_##NAME);                                                                   \
    check_operator<T>(op::logical_or<T>{}, GxB_LOR_##NAME);                                                            \
    check_operator<T>(op::logical_and<T>{}, GxB_LAND_##NAME);                                                          \
    check_operator<T>(op::logical_xor<T>{}, GxB_LXOR_##NAME);                                                          \
    check_operator<T>(op::eq<T>{}, GrB_EQ_##NAME);                                                                     \
    check_operator<T>(op::ne<T>{}, GrB_NE_##NAME);                                                                     \
    check_operator<T>(op::lt<T>{}, GrB_LT_##NAME);                                                                     \
    check_operator<T>(op::gt<T>{}, GrB_GT_##NAME);                                                                     \
    check_operator<T>(op::le<T>{}, GrB_LE_##NAME);                                                                     \
    check_operator<T>(op::ge<T>{}, GrB_GE_##NAME);                                                                     \
    check_operator<T>(op::rminus<T>{}, GxB_RMINUS_##NAME);                                                             \
    check_operator<T>(op::rdiv<T>{}, GxB_RDIV_##NAME);                                                                 \
    check_operator<T>(op::pow<T>{}, GxB_POW_##NAME);                                                                   \
    check_operator<T>(op::iseq<T>{}, GxB_ISEQ_##NAME);                                                                 \
    check_operator<T>(op::isne<T>{}, GxB_ISNE_##NAME);                                                                 \
    check_operator<T>(op::islt<T>{}, GxB_ISLT_##NAME);                                                                 \
    check_operator<T>(op::isgt<T>{}, GxB_ISGT_##NAME);                                                                 \
    check_operator<T>(op::isle<T>{}, GxB_ISLE_##NAME);                                                                 \
    check_operator<T>(op::isge<T>{}, GxB_ISGE_##NAME);                                                                 \
    check_unary<T>(op::identity<T>{}, GrB_IDENTITY_##NAME);                                                            \
    check_unary<T>(op::abs<T>{}, GrB_ABS_##NAME);                                                                      \
    check_unary<T>(op::ainv<T>{}, GrB_AINV_##NAME);                                                                    \
    check_unary<T>(op::minv<T>{}, GrB_MINV_##NAME);                                                                    \
    check_unary<T>(op::lnot<T>{}, GxB_LNOT_##NAME)

#define COPPICE_TEST_BITWISE(T, NAME)                                                                                  \
    check_operator<T>(op::bor<T>{}, GrB_BOR_##NAME);                                                                   \
    check_operator<T>(op::band<T>{}, GrB_BAND_##NAME);                                                                 \
    check_operator<T>(op::bxor<T>{}, GrB_BXOR_##NAME);                                                                 \
    check_operator<T>(op::bxnor<T>{}, GrB_BXNOR_##NAME);                                                               \
    check_operator<T>(op::bget<T>{}, GxB_BGET_##NAME);                                                                 \
    check_operator<T>(op::bset<T>{}, GxB_BSET_##NAME);                                                                 \
    check_operator<T>(op::bclr<T>{}, GxB_BCLR_##NAME);                                                                 \
    check_operator<T>(op::bshift<T>{}, GxB_BSHIFT_##NAME, known_difference::beyond_a_byte);                            \
    check_unary<T>(op::bnot<T>{}, GrB_BNOT_##NAME)

#define COPPICE_TEST_FLOATING(T, NAME)                                                                                 \
    check_operator<T>(op::atan2<T>{}, GxB_ATAN2_##NAME);                                                               \
    check_operator<T>(op::hypot<T>{}, GxB_HYPOT_##NAME);                                                               \
    check_operator<T>(op::fmod<T>{}, GxB_FMOD_##NAME);                                                                 \
    check_operator<T>(op::remainder<T>{}, GxB_REMAINDER_##NAME);                                                       \
    check_operator<T>(op::ldexp<T>{}, GxB_LDEXP_##NAME, known_difference::on_infinite_exponent);                       \
    check_operator<T>(op::copysign<T>{}, GxB_COPYSIGN_##NAME)

/// Checks the monoid's identity, its terminal value if GraphBLAS has one, and its sum of a few values.
template <class T, class Add>
void check_monoid(Add const& add, GrB_Monoid reference, std::vector<entry<T>> const& values) {
    T identity{};
    grb(GxB_Monoid_identity(&identity, reference));
    CHECK(add.identity() == identity);

    bool has_terminal = false;
    T terminal{};
    grb(GxB_Monoid_terminal(&has_terminal, &terminal, reference));
    CHECK(detail::has_terminal_v<Add> == has_terminal);
    if constexpr (detail::has_terminal_v<Add>) {
        CHECK(add.terminal(terminal));
        CHECK_FALSE(add.terminal(identity));
        for (auto const& v : values) CHECK(add(terminal, v.value) == terminal);
    }

    for (std::size_t n = 1; n <= values.size(); ++n) {
        grb_vector v;
        grb(GrB_Vector_new(v.address(), grb_type<T>::type(), n));
        T sum = add.identity();
        for (std::size_t i = 0; i < n; ++i) {
            grb(grb_type<T>::set(v, values[i].value, i));
            sum = add(sum, values[i].value);
        }
        T expected{};
        grb(grb_type<T>::reduce(&expected, reference, v));
        CHECK(same_value(sum, expected));
    }
}

template <class T>
std::vector<entry<T>> few_values() {
    if constexpr (std::is_same_v<T, bool>)
        return {{true, true}, {true, true}, {false, true}, {true, true}};
    else
        return {{T(3), true}, {T(2), true}, {T(5), true}, {T(1), true}, {T(7), true}};
}

#define COPPICE_TEST_MONOIDS(T, NAME)                                                                                  \
    check_monoid<T>(add_plus<T>{}, GrB_PLUS_MONOID_##NAME, few_values<T>());                                           \
    check_monoid<T>(add_times<T>{}, GrB_TIMES_MONOID_##NAME, few_values<T>());                                         \
    check_monoid<T>(add_min<T>{}, GrB_MIN_MONOID_##NAME, few_values<T>());                                             \
    check_monoid<T>(add_max<T>{}, GrB_MAX_MONOID_##NAME, few_values<T>())

} // namespace

TEST_CASE("binary operators agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    COPPICE_TEST_OPERATORS(std::int8_t, INT8);
    COPPICE_TEST_OPERATORS(std::int32_t, INT32);
    COPPICE_TEST_OPERATORS(std::int64_t, INT64);
    COPPICE_TEST_OPERATORS(std::uint32_t, UINT32);
    COPPICE_TEST_OPERATORS(float, FP32);
    COPPICE_TEST_OPERATORS(double, FP64);
    COPPICE_TEST_BITWISE(std::int8_t, INT8);
    COPPICE_TEST_BITWISE(std::int32_t, INT32);
    COPPICE_TEST_BITWISE(std::int64_t, INT64);
    COPPICE_TEST_BITWISE(std::uint32_t, UINT32);
    COPPICE_TEST_FLOATING(float, FP32);
    COPPICE_TEST_FLOATING(double, FP64);
    check_unary<bool>(op::lnot<bool>{}, GrB_LNOT);
    check_operator<bool>(op::logical_xnor<bool>{}, GrB_LXNOR);
    check_operator<bool>(op::logical_xor<bool>{}, GrB_LXOR);
    check_operator<bool>(op::first<bool>{}, GrB_FIRST_BOOL);
    check_operator<bool>(op::plus<bool>{}, GrB_PLUS_BOOL);
    check_operator<bool>(op::times<bool>{}, GrB_TIMES_BOOL);
    check_operator<bool>(op::min<bool>{}, GrB_MIN_BOOL);
    check_operator<bool>(op::le<bool>{}, GrB_LE_BOOL);
}

TEST_CASE("min and max, as operators and as monoids, ignore a NaN operand") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    auto const check = [nan](auto const& min, auto const& max) {
        CHECK(min(1, nan) == 1);
        CHECK(min(nan, 1) == 1);
        CHECK(max(1, nan) == 1);
        CHECK(max(nan, 1) == 1);
        CHECK(std::isnan(min(nan, nan)));
        CHECK(std::isnan(max(nan, nan)));
        CHECK(min(1, 2) == 1);
        CHECK(min(2, 1) == 1);
        CHECK(max(1, 2) == 2);
        CHECK(max(2, 1) == 2);
    };
    check(op::min<double>{}, op::max<double>{});
    check(add_min<double>{}, add_max<double>{});
    using pair = value_and_column<double>;
    add_arg_max<double> const larger;
    CHECK(larger(pair{nan, 3}, pair{1, 5}) == pair{1, 5});
    CHECK(larger(pair{1, 3}, pair{nan, 5}) == pair{1, 3});
    CHECK(larger(pair{nan, 3}, pair{nan, 5}) == larger.identity());
}

TEST_CASE("monoids agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    COPPICE_TEST_MONOIDS(std::int8_t, INT8);
    COPPICE_TEST_MONOIDS(std::int32_t, INT32);
    COPPICE_TEST_MONOIDS(std::int64_t, INT64);
    COPPICE_TEST_MONOIDS(std::uint32_t, UINT32);
    COPPICE_TEST_MONOIDS(float, FP32);
    COPPICE_TEST_MONOIDS(double, FP64);
    check_monoid<std::uint32_t>(add_bor<std::uint32_t>{}, GxB_BOR_UINT32_MONOID, few_values<std::uint32_t>());
    check_monoid<std::uint32_t>(add_band<std::uint32_t>{}, GxB_BAND_UINT32_MONOID, few_values<std::uint32_t>());
    check_monoid<std::uint32_t>(add_bxor<std::uint32_t>{}, GxB_BXOR_UINT32_MONOID, few_values<std::uint32_t>());
    check_monoid<std::uint32_t>(add_bxnor<std::uint32_t>{}, GxB_BXNOR_UINT32_MONOID, few_values<std::uint32_t>());
    check_monoid<bool>(add_or<bool>{}, GrB_LOR_MONOID_BOOL, few_values<bool>());
    check_monoid<bool>(add_and<bool>{}, GrB_LAND_MONOID_BOOL, few_values<bool>());
    check_monoid<bool>(add_xor<bool>{}, GrB_LXOR_MONOID_BOOL, few_values<bool>());
    check_monoid<bool>(add_xnor<bool>{}, GrB_LXNOR_MONOID_BOOL, few_values<bool>());
}

TEST_CASE("any is the first product, and every product is terminal") {
    add_any<float> const any;
    CHECK_FALSE(any.terminal(any.identity()));
    auto const three = detail::accumulate(any, any.identity(), 3.0f);
    CHECK(any.terminal(three));
    CHECK(any(three, detail::accumulate(any, any.identity(), 4.0f)).value == 3.0f);
    CHECK(any(any.identity(), three).value == 3.0f);
}
