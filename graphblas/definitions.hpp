// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators from C definitions, which the compiler of the system compiles at run time.
#pragma once

#include <array>
#include <string>

#include "objects.hpp"

namespace coppice::graphblas {

/// An operator with a C definition of the function `name`. Operands that the operator does not have are null.
struct definition {
    char const* name;
    char const* text;
    GrB_Type z, x, y;
};
/// Functions of a library that was loaded; null if the definition was not compiled.
struct compiled_operator {
    void* function = nullptr; ///< as the function that the program gives
    void* loop = nullptr;     ///< unary_loop or binary_loop; null for an index-unary operator
    std::string failure = {}; ///< why the definition was not compiled
};
enum class operator_kind { unary, binary, index_unary };

/// Compiles and loads a definition by run_time_library(), which describes where libraries are stored.
compiled_operator compile_definition(operator_kind kind, definition const& of);

} // namespace coppice::graphblas
