// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/isa.hpp>

#include <algorithm>
#include <cstdlib>

namespace coppice::inline v0_1 {

#if defined(COPPICE_ISA_NATIVE) // one copy, compiled for the machine that built it
int isa_level() { return COPPICE_ISA_NATIVE > 0 ? COPPICE_ISA_NATIVE : 1; }
#else
int isa_level() {
    static int const level = [] {
        int best = 1;
#if defined(__x86_64__)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) best = 3;
        if (best == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512cd"))
            best = 4;
#endif
        if (char const* const wish = std::getenv("COPPICE_ISA")) best = std::min(best, std::max(1, std::atoi(wish)));
        return best;
    }();
    return level;
}
#endif

} // namespace coppice::inline v0_1
