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

/// Compiles and loads a definition, or loads the library of an earlier call, in this program or another one, from the
/// folder $COPPICE_CACHE_DIR, $XDG_CACHE_HOME/coppice or $HOME/.cache/coppice. Only folders and files that nobody else
/// can write are used. The compiler is $COPPICE_CC, by default cc; COPPICE_JIT=off switches it off. Libraries remain
/// loaded until the program ends.
compiled_operator compile_definition(operator_kind kind, definition const& of);

} // namespace coppice::graphblas
