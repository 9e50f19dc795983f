// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Chooses at run time among copies of a host kernel compiled for several instruction sets.
///
/// A source listed with coppice_isa_sources() in CMake is compiled once per level and defines its functions in
/// namespace coppice::COPPICE_ISA. The dispatching source declares them with COPPICE_ISA_DECLARE and calls
/// COPPICE_ISA_SELECT. Such sources keep to plain pointers and lane code: an inline function of a library that is
/// compiled for AVX-512 there must not become the copy that the linker keeps for everyone.
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
#if defined(COPPICE_ISA_WITHOUT_V3) // a build may leave levels out: COPPICE_ISA_LEVELS in CMake
#define COPPICE_ISA_V3(...)
#else
#define COPPICE_ISA_V3(...) ::coppice::isa_level() >= 3 ? &::coppice::isa_v3::__VA_ARGS__:
#endif
#if defined(COPPICE_ISA_WITHOUT_V4)
#define COPPICE_ISA_V4(...)
#else
#define COPPICE_ISA_V4(...) ::coppice::isa_level() >= 4 ? &::coppice::isa_v4::__VA_ARGS__:
#endif
/// The function of that name, which may be a template-id, of the best level that this machine has.
#define COPPICE_ISA_SELECT(...)                                                                                        \
    (COPPICE_ISA_V4(__VA_ARGS__) COPPICE_ISA_V3(__VA_ARGS__) & ::coppice::isa_base::__VA_ARGS__)
#else
#define COPPICE_ISA_DECLARE(...)                                                                                       \
    namespace isa_base {                                                                                               \
    __VA_ARGS__                                                                                                        \
    }
#define COPPICE_ISA_SELECT(...) (&::coppice::isa_base::__VA_ARGS__)
#endif

namespace coppice {

/// 4 on a machine with AVX-512 (x86-64-v4), 3 with AVX2 and FMA (x86-64-v3), else 1. The environment variable
/// COPPICE_ISA=1|3|4 lowers it, for tests of the slower copies.
int isa_level();

} // namespace coppice
