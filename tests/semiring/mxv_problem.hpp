// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random problems for mxv and vxm, and their results by the definition of the GraphBLAS C API.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/executors.hpp"
#include "support/patterns.hpp"
#include <coppice/semiring/spmv/mxv.hpp>

namespace coppice::test {

/// A semiring under test and its definition in plain C++. A, U, W and M are the types of matrix, input, output and
/// mask.
template <class T>
struct same_types {
    using A = T;
    using U = T;
    using W = T;
    using Z = T; ///< type of products and sums
    using M = std::int32_t;
};
struct plus_times_float : same_types<float> {
    static auto semiring() { return plus_times<float>{}; }
    static float multiply(float a, float u, std::int64_t) { return a * u; }
    static float add(float a, float b) { return a + b; }
};
struct plus_minus_double : same_types<double> {
    using M = double;
    static auto semiring() { return semiring_of<add_plus<double>, op::minus<double>>{}; }
    static double multiply(double a, double u, std::int64_t) { return a - u; }
    static double add(double a, double b) { return a + b; }
};
struct min_firstj_int32 : same_types<std::int32_t> {
    using M = float;
    static auto semiring() { return semiring_of<add_min<std::int32_t>, op::inner_index<std::int32_t>>{}; }
    static std::int32_t multiply(std::int32_t, std::int32_t, std::int64_t k) { return static_cast<std::int32_t>(k); }
    static std::int32_t add(std::int32_t a, std::int32_t b) { return std::min(a, b); }
};
struct or_and_bool : same_types<bool> {
    using M = bool;
    static auto semiring() { return or_and<bool>{}; }
    static bool multiply(bool a, bool u, std::int64_t) { return a && u; }
    static bool add(bool a, bool b) { return a || b; }
};
struct xor_and_bool : same_types<bool> {
    using M = bool;
    static auto semiring() { return semiring_of<add_xor<bool>, op::logical_and<bool>>{}; }
    static bool multiply(bool a, bool u, std::int64_t) { return a && u; }
    static bool add(bool a, bool b) { return a != b; }
};
struct any_pair_int32 : same_types<std::int32_t> {
    static auto semiring() { return semiring_of<add_any<std::int32_t>, op::oneb<std::int32_t>>{}; }
    static std::int32_t multiply(std::int32_t, std::int32_t, std::int64_t) { return 1; }
    static std::int32_t add(std::int32_t a, std::int32_t) { return a; }
};
struct times_plus_uint32 : same_types<std::uint32_t> {
    static auto semiring() { return semiring_of<add_times<std::uint32_t>, op::plus<std::uint32_t>>{}; }
    static std::uint32_t multiply(std::uint32_t a, std::uint32_t u, std::int64_t) { return a + u; }
    static std::uint32_t add(std::uint32_t a, std::uint32_t b) { return a * b; }
};
/// Four different types: typecasting in GraphBLAS.
struct plus_first_mixed {
    using A = float;
    using U = std::int32_t;
    using Z = double;
    using W = std::int64_t;
    using M = std::int8_t;
    static auto semiring() { return semiring_of<add_plus<double>, op::first<double>>{}; }
    static double multiply(double a, double, std::int64_t) { return a; }
    static double add(double a, double b) { return a + b; }
};

/// Accumulators under test: how an old element of w and the new result are combined.
enum class accumulation { none, plus, min, second };

template <class T>
struct chosen_accumulator {
    accumulation which;
    template <class Z>
    COPPICE_HD T operator()(T const& w, Z const& z) const {
        T const t = static_cast<T>(z);
        return which == accumulation::plus ? static_cast<T>(w + t) : which == accumulation::min && w < t ? w : t;
    }
};

enum class mask_kind { none, full, bitmap };

/// One call of mxv or vxm.
struct mxv_call {
    bool vector_first = false; ///< vxm
    bool transposed = false;
    bool full_u = false;
    mask_kind mask = mask_kind::none;
    accumulation accumulate = accumulation::none;
    descriptor desc{};

    bool along_transpose() const { return vector_first != transposed; }
    std::string text() const {
        return std::string(vector_first ? "vxm" : "mxv") + (transposed ? " transposed" : "") +
               (full_u ? " full u" : " bitmap u") + " mask " + std::to_string(int(mask)) + " accumulation " +
               std::to_string(int(accumulate)) + (desc.structure ? " structure" : "") +
               (desc.complement ? " complement" : "") + (desc.replace ? " replace" : "");
    }
};

/// All combinations of the properties of a call.
inline std::vector<mxv_call> every_call() {
    std::vector<mxv_call> all;
    for (int bits = 0; bits < 64; ++bits)
        for (auto const mask : {mask_kind::none, mask_kind::full, mask_kind::bitmap})
            for (auto const a : {accumulation::none, accumulation::plus, accumulation::min, accumulation::second}) {
                mxv_call c{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, mask, a, {}};
                c.desc.structure = (bits & 8) != 0;
                c.desc.complement = (bits & 16) != 0;
                c.desc.replace = (bits & 32) != 0;
                (c.vector_first ? c.desc.transpose1 : c.desc.transpose0) = c.transposed;
                all.push_back(c);
            }
    return all;
}

template <class T>
T small_value(std::mt19937_64& random) {
    int const v = int(random() % 9) - 4;
    return static_cast<T>(std::is_unsigned_v<T> && !std::is_same_v<T, bool> ? v + 4 : v);
}

template <class T>
dense_vector<T> random_vector(std::int64_t n, bool full, std::mt19937_64& random) {
    host_executor const host(1);
    dense_vector<T> v(host, n);
    for (std::int64_t i = 0; i < n; ++i) {
        v.values()[i] = small_value<T>(random);
        v.present()[i] = full || random() % 5 < 3 ? 1 : 0;
    }
    return full ? dense_vector<T>(std::move(v.values())) : std::move(v);
}

/// A matrix with distinct sorted columns, since GraphBLAS has no duplicates.
template <class T>
csr<T> random_pattern(std::vector<std::int64_t> const& row_lengths, std::int32_t columns, std::mt19937_64& random) {
    host_executor const host(1);
    auto const with_duplicates = random_matrix<float>(row_lengths, columns, random());
    std::vector<std::int32_t> offsets{0}, indices;
    for (std::int32_t i = 0; i < with_duplicates.rows; ++i) {
        auto const* const all = with_duplicates.indices.data();
        std::vector<std::int32_t> row(all + with_duplicates.offsets[std::size_t(i)],
                                      all + with_duplicates.offsets[std::size_t(i) + 1]);
        std::sort(row.begin(), row.end());
        indices.insert(indices.end(), row.begin(), std::unique(row.begin(), row.end()));
        offsets.push_back(static_cast<std::int32_t>(indices.size()));
    }
    buffer<T> values(host, std::int64_t(indices.size()));
    for (T& v : values) v = small_value<T>(random);
    return {with_duplicates.rows, columns, host.copy(offsets), host.copy(indices), std::move(values)};
}

/// Inputs of all calls, on the host. Vectors along rows and columns are stored in pairs: [0] has the length of a column
/// (rows of the matrix), [1] that of a row.
template <class Config>
struct mxv_problem {
    csr<typename Config::A> a{};
    dense_vector<typename Config::U> full_u[2]{}, bitmap_u[2]{};
    dense_vector<typename Config::M> full_mask[2]{}, bitmap_mask[2]{};
    dense_vector<typename Config::W> w[2]{};

    mxv_problem(std::vector<std::int64_t> const& row_lengths, std::int32_t columns, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        a = random_pattern<typename Config::A>(row_lengths, columns, random);
        for (int orientation = 0; orientation < 2; ++orientation) {
            std::int64_t const n = orientation == 0 ? a.rows() : a.columns();
            full_u[orientation] = random_vector<typename Config::U>(n, true, random);
            bitmap_u[orientation] = random_vector<typename Config::U>(n, false, random);
            full_mask[orientation] = random_vector<typename Config::M>(n, true, random);
            bitmap_mask[orientation] = random_vector<typename Config::M>(n, false, random);
            w[orientation] = random_vector<typename Config::W>(n, false, random);
        }
    }

    int orientation_of_w(mxv_call const& c) const { return c.along_transpose() ? 1 : 0; }
    auto const& u(mxv_call const& c) const { return (c.full_u ? full_u : bitmap_u)[1 - orientation_of_w(c)]; }
    auto const& mask(mxv_call const& c) const {
        return (c.mask == mask_kind::full ? full_mask : bitmap_mask)[orientation_of_w(c)];
    }
};

/// Matrix shapes: rows x columns, and numbers of nonzeros per row.
struct mxv_shape {
    std::string name;
    std::vector<std::int64_t> lengths;
    std::int32_t columns;
};
inline std::vector<mxv_shape> small_mxv_shapes() {
    std::vector<std::int64_t> mixed;
    for (int i = 0; i < 61; ++i) mixed.push_back(i % 3 == 0 ? 0 : i % 7);
    std::vector<std::int64_t> dense(40, 1);
    dense[17] = 700;
    return {{"mixed 61 x 45", mixed, 45},
            {"one row", {9}, 30},
            {"one column", {1, 0, 1, 1, 0}, 1},
            {"no nonzeros", std::vector<std::int64_t>(12, 0), 8},
            {"one dense row 40 x 90", dense, 90}};
}
/// Shapes that are split into many chunks or blocks.
inline std::vector<mxv_shape> large_mxv_shapes() {
    std::vector<mxv_shape> all;
    for (auto const& s : hard_row_lengths(77))
        if (s.name == "many empty rows" || s.name == "one dense row" || s.name == "power law" || s.name == "stencil")
            all.push_back({s.name, s.lengths, 6000});
    return all;
}

/// Returns w after the call, by the definition: t_i = ⊕ over the entries of row i whose column has an entry in u, then
/// z from w and t by the accumulator, then the mask.
template <class Config>
dense_vector<typename Config::W> by_definition(mxv_problem<Config> const& p, mxv_call const& c) {
    using W = typename Config::W;
    using Z = typename Config::Z;
    auto const a = p.a.view();
    auto const& u = p.u(c);
    std::int64_t const n = c.along_transpose() ? a.columns() : a.rows();
    std::vector<entry<Z>> t(std::size_t(n), entry<Z>{Z(), false});
    for (std::int64_t row = 0; row < a.rows(); ++row)
        for (auto k = a.row_begin(row); k < a.row_end(row); ++k) {
            std::int64_t const column = a.indices[k];
            std::int64_t const out = c.along_transpose() ? column : row;
            std::int64_t const inner = c.along_transpose() ? row : column;
            if (!u.view().has(inner)) continue;
            Z const coefficient = static_cast<Z>(a.coefficients[k]);
            Z const x = static_cast<Z>(u.values()[inner]);
            Z const product =
                c.vector_first ? Config::multiply(x, coefficient, inner) : Config::multiply(coefficient, x, inner);
            entry<Z>& sum = t[std::size_t(out)];
            sum = {sum.present ? Config::add(sum.value, product) : product, true};
        }
    host_executor const host(1);
    dense_vector<W> w = host.copy(p.w[p.orientation_of_w(c)]);
    for (std::int64_t i = 0; i < n; ++i) {
        bool admitted = true;
        if (c.mask != mask_kind::none) {
            auto const m = p.mask(c).view();
            admitted = m.has(i) && (c.desc.structure || m.values[i] != typename Config::M(0));
        }
        if (c.desc.complement) admitted = !admitted;
        auto const [value, result] = t[std::size_t(i)];
        if (!admitted) {
            if (c.desc.replace) w.present()[i] = 0;
        } else if (c.accumulate == accumulation::none) {
            w.present()[i] = result;
            w.values()[i] = static_cast<W>(value);
        } else if (result) {
            W const old = w.values()[i];
            w.values()[i] = w.present()[i] ? chosen_accumulator<W>{c.accumulate}(old, value) : static_cast<W>(value);
            w.present()[i] = 1;
        }
    }
    return w;
}

/// Calls mxv or vxm as specified by `c`.
template <class Config, class Executor, class Matrix, class W, class Mask, class U>
void call_product(Executor const& exec, mxv_call const& c, Matrix const& a, dense_vector_view<W> w, Mask const& mask,
                  dense_vector_view<U> u) {
    auto const run = [&](auto const& accumulator) {
        if (c.vector_first)
            vxm(exec, w, mask, accumulator, Config::semiring(), u, a, c.desc);
        else
            mxv(exec, w, mask, accumulator, Config::semiring(), a, u, c.desc);
    };
    if (c.accumulate == accumulation::none)
        run(no_accumulator{});
    else
        run(chosen_accumulator<W>{c.accumulate});
}

/// Returns w after the call, by the library.
template <class Config, class Executor, class Matrix>
dense_vector<typename Config::W> by_coppice(Executor const& exec, mxv_problem<Config> const& p, Matrix const& a,
                                            mxv_call const& c) {
    auto const u = exec.copy(p.u(c));
    auto w = exec.copy(p.w[p.orientation_of_w(c)]);
    if (c.mask == mask_kind::none) {
        call_product<Config>(exec, c, a, w.view(), no_mask{}, u.view());
    } else {
        auto const mask = exec.copy(p.mask(c));
        call_product<Config>(exec, c, a, w.view(), mask.view(), u.view());
    }
    return host_executor(1).copy(w);
}

/// Whether both have the same entries with the same values.
template <class T>
bool same_entries(dense_vector<T> const& v, dense_vector<T> const& w) {
    if (v.size() != w.size()) return false;
    for (std::int64_t i = 0; i < v.size(); ++i)
        if (v.view().has(i) != w.view().has(i) || (v.view().has(i) && v.values()[i] != w.values()[i])) return false;
    return true;
}

} // namespace coppice::test
