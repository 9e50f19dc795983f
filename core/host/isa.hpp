// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Run-time selection among copies of a host kernel that are compiled for several instruction sets.
///
/// A source listed with coppice_isa_sources() in CMake is compiled once per level and defines its functions in
/// namespace coppice::COPPICE_ISA. The dispatching source declares them with COPPICE_ISA_DECLARE and calls
/// COPPICE_ISA_SELECT. Such sources use plain pointers and lane code only: an inline library function that is compiled
/// for AVX-512 must not become the copy that the linker selects for the whole program.
#pragma once

#if defined(__x86_64__)
#define COPPICE_ISA_DECLARE(...)                                                                                       \
    namespace isa_base {                                                                                               \
    __VA_ARGS__                                                                                                        \
    }                                                                                                                  \
    namespace isa_v3 {                                                                                                 \
    __VA_ARGS__                                                                                                        \
    }                                                                                                                  \
    namespace isa_v4 {                                                                                                 \
    __VA_ARGS__                                                                                                        \
    }
#if defined(COPPICE_ISA_WITHOUT_V3) // a build may omit levels: COPPICE_ISA_LEVELS in CMake
#define COPPICE_ISA_V3(...)
#else
#define COPPICE_ISA_V3(...) ::coppice::isa_level() >= 3 ? &::coppice::isa_v3::__VA_ARGS__:
#endif
#if defined(COPPICE_ISA_WITHOUT_V4)
#define COPPICE_ISA_V4(...)
#else
#define COPPICE_ISA_V4(...) ::coppice::isa_level() >= 4 ? &::coppice::isa_v4::__VA_ARGS__:
#endif
/// Selects the function of that name (or template-id) for the highest level that this machine supports.
#define COPPICE_ISA_SELECT(...)                                                                                        \
    (COPPICE_ISA_V4(__VA_ARGS__) COPPICE_ISA_V3(__VA_ARGS__) & ::coppice::isa_base::__VA_ARGS__)
#else
#define COPPICE_ISA_DECLARE(...)                                                                                       \
    namespace isa_base {                                                                                               \
    __VA_ARGS__                                                                                                        \
    }
#define COPPICE_ISA_SELECT(...) (&::coppice::isa_base::__VA_ARGS__)
#endif

namespace coppice::inline v0_1 {

/// Returns 4 on a machine with AVX-512 (x86-64-v4), 3 with AVX2 and FMA (x86-64-v3), else 1. The environment variable
/// COPPICE_ISA=1|3|4 lowers the level, for tests. A build with COPPICE_ISA_LEVELS=native has one level and returns it.
int isa_level();

} // namespace coppice::inline v0_1
