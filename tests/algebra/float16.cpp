// SPDX-License-Identifier: BSD-3-Clause
// Two-byte floating-point types compared with their definition: all values, and both sides of every rounding boundary.
#include <coppice/algebra/float16.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/executors.hpp"
#include <coppice/core/parallel.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Value of a number with one sign bit, `exponent` exponent bits and `fraction` fraction bits, from the definition.
double by_definition(unsigned bits, int exponent, int fraction) {
    int const bias = (1 << (exponent - 1)) - 1;
    int const e = int(bits >> fraction) & ((1 << exponent) - 1);
    double const f = double(bits & ((1u << fraction) - 1));
    double const sign = bits >> (exponent + fraction) ? -1.0 : 1.0;
    if (e == (1 << exponent) - 1) return f == 0 ? sign * HUGE_VAL : std::nan("");
    return sign * (e == 0 ? std::ldexp(f, 1 - bias - fraction)
                          : std::ldexp(f + std::ldexp(1.0, fraction), e - bias - fraction));
}

template <class T>
struct to_float {
    float* out;
    COPPICE_HD void operator()(std::int64_t i) const {
        T value;
        value.bits = static_cast<std::uint16_t>(i);
        out[i] = value;
    }
};
template <class T>
struct from_float {
    float const* in;
    std::uint16_t* out;
    COPPICE_HD void operator()(std::int64_t i) const { out[i] = T(in[i]).bits; }
};

template <class T, class Executor>
void check(Executor const& exec, int exponent, int fraction) {
    buffer<float> wide(exec, 65536);
    for_each(exec, 65536, to_float<T>{wide.data()});
    auto const values = to_vector(exec, wide);
    int wrong = 0;
    for (unsigned b = 0; b < 65536; ++b) {
        double const expected = by_definition(b, exponent, fraction);
        bool const same = std::isnan(expected)
                              ? std::isnan(values[b])
                              : values[b] == float(expected) && std::signbit(values[b]) == std::signbit(expected);
        wrong += same ? 0 : 1;
    }
    CHECK(wrong == 0);

    // Every number, every midpoint between neighbours, and the floats next to a midpoint. Rounding is monotone, so no
    // float in between can have another result.
    unsigned const infinity = ((1u << exponent) - 1) << fraction;
    std::vector<float> from;
    std::vector<std::uint16_t> expected;
    auto const expect = [&](float value, unsigned bits) {
        from.push_back(value);
        expected.push_back(std::uint16_t(bits));
        from.push_back(-value);
        expected.push_back(std::uint16_t(bits | 0x8000u));
    };
    for (unsigned b = 0; b < infinity; ++b) {
        double const low = by_definition(b, exponent, fraction);
        // The successor of the largest number if the exponent range were larger.
        double const high = b + 1 < infinity ? by_definition(b + 1, exponent, fraction)
                                             : 2 * by_definition(infinity - (1u << fraction), exponent, fraction);
        float const middle = float((low + high) / 2);
        REQUIRE(double(middle) == (low + high) / 2);
        expect(float(low), b);
        expect(middle, b % 2 == 0 ? b : b + 1);
        expect(std::nextafter(middle, 0.0f), b);
        expect(std::nextafter(middle, HUGE_VALF), b + 1);
    }
    expect(HUGE_VALF, infinity);
    expect(std::numeric_limits<float>::max(), infinity);
    expect(std::numeric_limits<float>::denorm_min(), 0);
    auto const device_from = exec.copy(from);
    buffer<std::uint16_t> narrow(exec, std::int64_t(from.size()));
    for_each(exec, std::int64_t(from.size()), from_float<T>{device_from.data(), narrow.data()});
    CHECK(to_vector(exec, narrow) == expected);

    std::uint32_t const nans[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0x7fffffffu, 0xff800001u};
    for (std::uint32_t const n : nans) CHECK(std::isnan(float(T(std::bit_cast<float>(n)))));
}

} // namespace

TEST_CASE_TEMPLATE("float16 is binary16, rounded to nearest even", Where, COPPICE_TEST_EXECUTORS) {
    check<float16>(Where::exec(), 5, 10);
}
TEST_CASE_TEMPLATE("bfloat16 is the upper half of a float, rounded to nearest even", Where, COPPICE_TEST_EXECUTORS) {
    check<bfloat16>(Where::exec(), 8, 7);
}

#if defined(COPPICE_TEST_CUDA)
namespace {
struct cuda_bits {
    float const* in;
    int* wrong;
    __device__ void operator()(std::int64_t i) const {
        bool const half = __half_as_ushort(__float2half_rn(in[i])) == float16(in[i]).bits;
        bool const brain = __bfloat16_as_ushort(__float2bfloat16_rn(in[i])) == bfloat16(in[i]).bits;
        if (!half || !brain) wrong[i] = 1;
    }
};
} // namespace
TEST_CASE("the bits are those of __half and __nv_bfloat16") {
    cuda_executor const exec;
    std::vector<float> values;
    for (std::uint32_t b = 0; b < 0x7f800000u; b += 977) {
        values.push_back(std::bit_cast<float>(b));
        values.push_back(-std::bit_cast<float>(b));
    }
    auto const in = exec.copy(values);
    buffer<int> wrong(exec, in.size());
    fill(exec, wrong.view(), 0);
    for_each(exec, in.size(), cuda_bits{in.data(), wrong.data()});
    std::int64_t count = 0;
    for (int const w : to_vector(exec, wrong)) count += w;
    CHECK(count == 0);
}
#endif
