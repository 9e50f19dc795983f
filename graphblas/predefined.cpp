// SPDX-License-Identifier: BSD-3-Clause
// Definitions of the predefined objects, from the table that generate.py writes.
#include "operators.hpp"
#include "values.hpp"

using namespace coppice::graphblas;
using namespace coppice::graphblas::operators;

namespace {

template <class F, class Z, class T>
struct unary {
    static void one(void* z, void const* x) { *static_cast<Z*>(z) = F::call(*static_cast<T const*>(x)); }
    static void loop(void* z, void const* x, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k) static_cast<Z*>(z)[k] = F::call(static_cast<T const*>(x)[k]);
    }
};
template <class F, class Z, class T>
struct binary {
    static void one(void* z, void const* x, void const* y) {
        *static_cast<Z*>(z) = static_cast<Z>(F::call(*static_cast<T const*>(x), *static_cast<T const*>(y)));
    }
    static void loop(void* to, void const* x, std::int64_t sx, void const* y, std::int64_t sy, std::int64_t n) {
        auto* const z = static_cast<Z*>(to);
        auto const *const a = static_cast<T const*>(x), *const b = static_cast<T const*>(y);
        if (sx == 1 && sy == 1)
            for (std::int64_t k = 0; k < n; ++k) z[k] = static_cast<Z>(F::call(a[k], b[k]));
        else
            for (std::int64_t k = 0; k < n; ++k) z[k] = static_cast<Z>(F::call(a[k * sx], b[k * sy]));
    }
    static void fold(void* z, void const* x, std::int64_t n) {
        auto const* const a = static_cast<Z const*>(x);
        Z sum = a[0];
        for (std::int64_t k = 1; k < n; ++k) sum = static_cast<Z>(F::call(sum, a[k]));
        *static_cast<Z*>(z) = sum;
    }
};

template <class F, class T>
void index_value(void* z, void const*, GrB_Index i, GrB_Index j, void const* s) {
    *static_cast<T*>(z) = F::call(std::int64_t(i), std::int64_t(j), *static_cast<T const*>(s));
}
template <class F>
void condition(void* z, void const*, GrB_Index i, GrB_Index j, void const* s) {
    *static_cast<bool*>(z) = F::call(std::int64_t(i), std::int64_t(j), *static_cast<std::int64_t const*>(s));
}
template <class F>
constexpr bool uses_row = !std::is_same_v<F, colindex> && !std::is_same_v<F, colle> && !std::is_same_v<F, colgt>;
template <class F, class Z, class T>
void at_positions(void* to, std::int64_t const* i, std::int64_t const* j, bool in_row, std::int64_t n, void const* s) {
    auto* const z = static_cast<Z*>(to);
    T const y = *static_cast<T const*>(s);
    if (in_row)
        for (std::int64_t k = 0; k < n; ++k) z[k] = F::call(*i, j[k], y);
    else
        for (std::int64_t k = 0; k < n; ++k) z[k] = F::call(i[k], *j, y);
}
template <class F, class T>
void value_compare(void* z, void const* x, GrB_Index, GrB_Index, void const* s) {
    *static_cast<bool*>(z) = F::call(*static_cast<T const*>(x), *static_cast<T const*>(s));
}

template <class F, class T>
void compare_all(bool* z, void const* x, void const* s, std::int64_t n) {
    T const y = *static_cast<T const*>(s);
    for (std::int64_t k = 0; k < n; ++k) z[k] = F::call(static_cast<T const*>(x)[k], y);
}

/// Identities and terminal values by name.
template <class T>
constexpr T named_value(char const* name) {
    using limits = std::numeric_limits<T>;
    switch (name[0]) {
    case 'h':
        return limits::has_infinity ? limits::infinity() : limits::max();
    case 'l':
        return limits::has_infinity ? -limits::infinity() : limits::min();
    case 'o':
        if constexpr (std::is_integral_v<T>)
            if (name[3] == 's') return static_cast<T>(~std::uint64_t(0)); // "ones"
        return T(1);
    default:
        return T(0);
    }
}

template <class Object>
Object head(char const* name) {
    Object o;
    o.magic = live_object<Object>;
    o.predefined = true;
    o.constant_name = name;
    return o;
}

GrB_BinaryOp_opaque positional_operator(char const* name, positional p, GrB_Type type) {
    auto o = head<GrB_BinaryOp_opaque>(name);
    o.z = type;
    o.position = p;
    return o;
}
template <class T>
GrB_Monoid_opaque monoid(char const* name, GrB_BinaryOp op, char const* identity, char const* terminal) {
    auto o = head<GrB_Monoid_opaque>(name);
    o.op = op;
    new (o.small_identity) T(named_value<T>(identity));
    new (o.small_terminal) T(named_value<T>(terminal));
    o.any_is_terminal = terminal[0] == 'a';
    o.has_terminal = terminal[0] != 'n' && !o.any_is_terminal;
    return o;
}

} // namespace

// A predefined object is a function-local static, so that its definition may name others in any order; the handle is
// initialised when the library is loaded.
extern "C" {
#define COPPICE_OBJECT(KIND, NAME, ...)                                                                                \
    static GrB_##KIND##_opaque* make_##NAME() {                                                                        \
        static GrB_##KIND##_opaque object = __VA_ARGS__;                                                               \
        return &object;                                                                                                \
    }                                                                                                                  \
    GrB_##KIND NAME = make_##NAME();
#define COPPICE_TYPE(NAME, C)                                                                                          \
    COPPICE_OBJECT(Type, NAME, [] {                                                                                    \
        auto o = head<GrB_Type_opaque>(#NAME);                                                                         \
        o.code = NAME##_CODE;                                                                                          \
        o.size = sizeof(C);                                                                                            \
        return o;                                                                                                      \
    }())
#define COPPICE_UNARY(NAME, F, Z, ZC, T, C)                                                                            \
    COPPICE_OBJECT(UnaryOp, NAME, [] {                                                                                 \
        auto o = head<GrB_UnaryOp_opaque>(#NAME);                                                                      \
        o.z = Z;                                                                                                       \
        o.x = T;                                                                                                       \
        o.function = unary<operators::F, ZC, C>::one;                                                                  \
        o.loop = unary<operators::F, ZC, C>::loop;                                                                     \
        o.identity = std::is_same_v<operators::F, operators::identity>;                                                \
        o.functor_name = #F;                                                                                           \
        return o;                                                                                                      \
    }())
#define COPPICE_BINARY(NAME, F, Z, ZC, T, C)                                                                           \
    COPPICE_OBJECT(BinaryOp, NAME, [] {                                                                                \
        auto o = head<GrB_BinaryOp_opaque>(#NAME);                                                                     \
        o.z = Z;                                                                                                       \
        o.x = o.y = T;                                                                                                 \
        o.function = binary<operators::F, ZC, C>::one;                                                                 \
        o.loop = binary<operators::F, ZC, C>::loop;                                                                    \
        if constexpr (std::is_same_v<ZC, C>) o.fold = binary<operators::F, ZC, C>::fold;                               \
        o.kind = functor::F;                                                                                           \
        o.functor_name = #F;                                                                                           \
        return o;                                                                                                      \
    }())
#define COPPICE_POSITIONAL(NAME, P, T) COPPICE_OBJECT(BinaryOp, NAME, positional_operator(#NAME, positional::P, T))
#define COPPICE_INDEX_UNARY(NAME, F, T, C)                                                                             \
    COPPICE_OBJECT(IndexUnaryOp, NAME, [] {                                                                            \
        auto o = head<GrB_IndexUnaryOp_opaque>(#NAME);                                                                 \
        o.z = o.s = T;                                                                                                 \
        o.function = index_value<operators::F, C>;                                                                     \
        o.positions = at_positions<operators::F, C, C>;                                                                \
        o.uses_row = uses_row<operators::F>;                                                                           \
        o.functor_name = #F;                                                                                           \
        return o;                                                                                                      \
    }())
#define COPPICE_POSITION_SELECT(NAME, F)                                                                               \
    COPPICE_OBJECT(IndexUnaryOp, NAME, [] {                                                                            \
        auto o = head<GrB_IndexUnaryOp_opaque>(#NAME);                                                                 \
        o.z = GrB_BOOL;                                                                                                \
        o.s = GrB_INT64;                                                                                               \
        o.function = condition<operators::F>;                                                                          \
        o.positions = at_positions<operators::F, bool, std::int64_t>;                                                  \
        o.is_condition = true;                                                                                         \
        o.uses_row = uses_row<operators::F>;                                                                           \
        o.functor_name = #F;                                                                                           \
        return o;                                                                                                      \
    }())
#define COPPICE_VALUE_COMPARE(NAME, F, T, C)                                                                           \
    COPPICE_OBJECT(IndexUnaryOp, NAME, [] {                                                                            \
        auto o = head<GrB_IndexUnaryOp_opaque>(#NAME);                                                                 \
        o.z = GrB_BOOL;                                                                                                \
        o.x = o.s = T;                                                                                                 \
        o.function = value_compare<operators::F, C>;                                                                   \
        o.loop = compare_all<operators::F, C>;                                                                         \
        o.functor_name = #F;                                                                                           \
        return o;                                                                                                      \
    }())
#define COPPICE_MONOID(NAME, OP, C, IDENTITY, TERMINAL)                                                                \
    COPPICE_OBJECT(Monoid, NAME, monoid<C>(#NAME, make_##OP(), #IDENTITY, #TERMINAL))
#define COPPICE_SEMIRING(NAME, MONOID, MULTIPLY)                                                                       \
    COPPICE_OBJECT(Semiring, NAME, [] {                                                                                \
        auto o = head<GrB_Semiring_opaque>(#NAME);                                                                     \
        o.add = make_##MONOID();                                                                                       \
        o.multiply = make_##MULTIPLY();                                                                                \
        return o;                                                                                                      \
    }())
#define COPPICE_DESCRIPTOR(NAME, REPLACE, COMPLEMENT, STRUCTURE, TRANSPOSE0, TRANSPOSE1)                               \
    COPPICE_OBJECT(Descriptor, NAME, [] {                                                                              \
        auto o = head<GrB_Descriptor_opaque>(#NAME);                                                                   \
        o.replace = REPLACE;                                                                                           \
        o.complement = COMPLEMENT;                                                                                     \
        o.structure = STRUCTURE;                                                                                       \
        o.transpose0 = TRANSPOSE0;                                                                                     \
        o.transpose1 = TRANSPOSE1;                                                                                     \
        return o;                                                                                                      \
    }())
#include "predefined.inc"

static GrB_Index all_indices_marker;
GrB_Index const* GrB_ALL = &all_indices_marker;
GrB_Global GrB_GLOBAL = [] {
    static GrB_Global_opaque object = head<GrB_Global_opaque>("Coppice");
    return &object;
}();
}
