// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The functions of cuDSS that the sparse direct solver calls. cuDSS is a proprietary library of NVIDIA; it is loaded
/// while the program runs, if it is found, and nothing of it is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <coppice/core/config.hpp>

struct CUstream_st; // cudaStream_t points to it

namespace coppice::inline v0_1::detail::cudss {

// Own declarations of the subset that is used here, after the documentation of cuDSS 1.0.0
// (https://docs.nvidia.com/cuda/cudss). Version 0 numbers options differently and has other arguments.
inline constexpr int supported_major_version = 1;

// Opaque objects.
using handle = void*;
using config = void*;
using data = void*;
using matrix = void*;

enum status : int {
    success,
    not_initialised,
    allocation_failed,
    invalid_value,
    not_supported,
    execution_failed,
    internal_error,
    refinement_failed
};
enum property : int { major_version, minor_version, patch_level };
enum phase : int {
    analysis = 3, ///< order and symbolic factorisation
    factorisation = 4,
    solution = 1008 ///< permutations, forward, diagonal and backward substitution, refinement
};
enum config_parameter : int { solve_mode = 4, superpanels = 20, deterministic = 24 }; // each an int
enum data_parameter : int {
    info,                  ///< int32: 0, or the row (from 1) of the first pivot that a definite matrix cannot have
    factor_nonzeros,       ///< int64; after the analysis
    replaced_pivots,       ///< int32; after the factorisation
    memory_estimates = 13, ///< 16 times int64, in bytes; [1]: the peak of device memory
    operations = 26        ///< int64; after the analysis
};
enum matrix_type : int { general, symmetric, hermitian, positive_symmetric, positive_hermitian };
enum matrix_view : int { full, lower };
enum solve_mode_value : int { normal, transposed };
// Values of cudaDataType_t.
enum element_type : int { real_64 = 1, complex_64 = 5, integer_32 = 10 };
// First members of the enumerations of index bases and layouts.
inline constexpr int base_zero = 0, column_major = 0;

/// The functions, if the library was found.
struct library {
    status (*get_property)(int, int*) = nullptr;
    status (*create)(handle*) = nullptr;
    status (*destroy)(handle) = nullptr;
    status (*set_stream)(handle, CUstream_st*) = nullptr;
    status (*config_create)(config*) = nullptr;
    status (*config_destroy)(config) = nullptr;
    status (*config_set)(config, int, void const*, std::size_t) = nullptr;
    status (*data_create)(handle, data*) = nullptr;
    status (*data_destroy)(handle, data) = nullptr;
    status (*data_get)(handle, data, int, void*, std::size_t, std::size_t*) = nullptr;
    status (*create_dense)(matrix*, std::int64_t, std::int64_t, std::int64_t, void const*, int, int) = nullptr;
    /// Rows, columns, nonzeros; row offsets, null, columns, values; types of offsets, columns and values; type, view
    /// and index base of the matrix.
    status (*create_csr)(matrix*, std::int64_t, std::int64_t, std::int64_t, void const*, void const*, void const*,
                         void const*, int, int, int, int, int, int) = nullptr;
    status (*matrix_destroy)(matrix) = nullptr;
    status (*execute)(handle, int, config, data, matrix, matrix, matrix) = nullptr;

    std::string path{};
    std::string version{}; ///< "1.0.0"
    std::string why_not{}; ///< empty if the library can be used

    /// Loads the library at `path`; empty: libcudss.so.1 as the loader of the system and optional_library find it.
    /// why_not states if it does not exist, lacks a function or has another major version.
    static library load(std::string const& path);
    /// The library of this process, loaded at the first call: the one at COPPICE_CUDSS, if this environment variable is
    /// set ("off": none), otherwise load("").
    static library const& found();
};

/// Text of a status for messages.
char const* text_of(status code);

} // namespace coppice::inline v0_1::detail::cudss
