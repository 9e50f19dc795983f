// SPDX-License-Identifier: BSD-3-Clause
#include "definitions.hpp"

#include <coppice/core/error.hpp>
#include <coppice/core/files/run_time_library.hpp>

namespace coppice::graphblas {
namespace {

/// Definitions of the user-defined types of an operator, each once.
std::string type_definitions(definition const& of) {
    std::string text;
    for (GrB_Type t : {of.z, of.x, of.y}) {
        if (!t || t->code != GrB_UDT_CODE || !t->definition) continue;
        if (text.find(*t->definition) == std::string::npos) text += *t->definition + "\n";
    }
    return text;
}
/// Address of value k of an operand.
std::string address(char const* operand, GrB_Type type, char const* stride) {
    return std::string(operand) + " + k" + stride + " * " + std::to_string(type->size);
}
/// Source of a library with the functions coppice_function and coppice_loop.
std::string source_of(operator_kind kind, definition const& of) {
    std::string source = "#include <complex.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
                         "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
                         "typedef uint64_t GrB_Index;\ntypedef float _Complex GxB_FC32_t;\n"
                         "typedef double _Complex GxB_FC64_t;\n" +
                         type_definitions(of) + of.text + "\n";
    std::string const shown = "__attribute__((visibility(\"default\"))) void ", name = of.name;
    if (kind == operator_kind::index_unary)
        return source + shown +
               "coppice_function(void *z, const void *x, GrB_Index i, GrB_Index j, const void *y)\n{ " + name +
               "(z, x, i, j, y); }\n";
    if (kind == operator_kind::unary)
        return source + shown + "coppice_function(void *z, const void *x)\n{ " + name + "(z, x); }\n" + shown +
               "coppice_loop(char *restrict z, const char *restrict x, int64_t n)\n{ for (int64_t k = 0; k < n; ++k) " +
               name + "((void *)(" + address("z", of.z, "") + "), (const void *)(" + address("x", of.x, "") + ")); }\n";
    auto const loop = [&](char const* of_x, char const* of_y) {
        return "for (int64_t k = 0; k < n; ++k) " + name + "((void *)(" + address("z", of.z, "") +
               "), (const void *)(" + address("x", of.x, of_x) + "), (const void *)(" + address("y", of.y, of_y) +
               "));\n";
    };
    return source + shown + "coppice_function(void *z, const void *x, const void *y)\n{ " + name + "(z, x, y); }\n" +
           shown +
           "coppice_loop(char *restrict z, const char *x, int64_t sx, const char *y, int64_t sy, int64_t n)\n"
           "{ if (sx == 1 && sy == 1) { " +
           loop("", "") + "} else { " + loop(" * sx", " * sy") + "} }\n"; // the first loop is vectorised
}

} // namespace

compiled_operator compile_definition(operator_kind kind, definition const& of) {
    if (!of.name || !*of.name) return {nullptr, nullptr, "it has no name, expected that of its function"};
    try {
        void* const library = run_time_library(source_of(kind, of));
        compiled_operator made;
        made.function = run_time_function(library, "coppice_function");
        if (kind != operator_kind::index_unary) made.loop = run_time_function(library, "coppice_loop");
        return made;
    } catch (error const& e) {
        return {nullptr, nullptr, e.what()};
    }
}

} // namespace coppice::graphblas
