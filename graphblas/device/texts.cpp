// SPDX-License-Identifier: BSD-3-Clause
#include "texts.hpp"

#include <mutex>
#include <unordered_map>
#include <variant>

#include "embedded_texts.inc"

namespace coppice::graphblas::device {
namespace {

/// A file of the library without what only its compilation needs.
std::string without_includes(char const* text) {
    std::string to;
    for (std::string_view rest = text; !rest.empty();) {
        std::size_t const end = std::min(rest.find('\n'), rest.size() - 1);
        std::string_view const line = rest.substr(0, end + 1);
        if (line.substr(0, 8) != "#include" && line.substr(0, 12) != "#pragma once") to += line;
        rest.remove_prefix(end + 1);
    }
    return to;
}
/// What every kernel has. Definitions of the program are before it, since they may include headers of the system.
std::string const& common_text() {
    static std::string const text =
        "#define std coppice_std\n" + without_includes(embedded_operators) + without_includes(embedded_arguments);
    return text;
}

} // namespace

kernel const& compiled(kernel_text const& text) {
    using outcome = std::variant<kernel, host_reason>;
    static std::mutex guard;
    static auto* const known = new std::unordered_map<std::string, outcome>;
    std::scoped_lock const lock(guard);
    auto const [at, added] = known->try_emplace(text.definitions + text.head, host_reason{"memory is exhausted"});
    if (added) {
        try {
            at->second = the_device().compile(embedded_language + text.definitions + common_text() +
                                                  "namespace coppice::graphblas::device {\n" + text.head + "}\n" +
                                                  embedded_kernels,
                                              !text.definitions.empty());
        } catch (host_reason const& e) {
            at->second = e;
        } catch (...) {
            known->erase(at);
            throw;
        }
    }
    if (auto const* reason = std::get_if<host_reason>(&at->second)) throw *reason;
    return std::get<kernel>(at->second);
}

std::string text_writer::type_name(GrB_Type type) {
    switch (type->code) {
    case GrB_BOOL_CODE:
        return "bool";
    case GrB_INT8_CODE:
        return "int8_t";
    case GrB_UINT8_CODE:
        return "uint8_t";
    case GrB_INT16_CODE:
        return "int16_t";
    case GrB_UINT16_CODE:
        return "uint16_t";
    case GrB_INT32_CODE:
        return "int32_t";
    case GrB_UINT32_CODE:
        return "uint32_t";
    case GrB_INT64_CODE:
        return "int64_t";
    case GrB_UINT64_CODE:
        return "uint64_t";
    case GrB_FP32_CODE:
        return "float";
    case GrB_FP64_CODE:
        return "double";
    case GxB_FC32_CODE:
        return "GxB_FC32_t";
    case GxB_FC64_CODE:
        return "GxB_FC64_t";
    default:
        break;
    }
    if (!type->definition || !type->name)
        throw host_reason{std::string("type ") + type->text() + " has no definition in C"};
    definition(*type->definition);
    return *type->name;
}
void text_writer::definition(std::string const& text) {
    if (known_.insert(text).second) text_.definitions += text + "\n";
}

void text_writer::type(char const* name, GrB_Type type) {
    text_.head += "typedef " + type_name(type) + " " + name + ";\n";
    if (type->code == GrB_UDT_CODE)
        text_.head += std::string("static_assert(sizeof(") + name + ") == " + std::to_string(type->size) +
                      ", \"the type has another size\");\n";
}

/// Functions that return an operand of the operator: of a stored value, and of an entry of stored values.
void text_writer::operand(char const* name, char const* type, bool used) {
    std::string const t = type;
    text_.head += std::string("    template <class T> static ") + t + " " + name + "(T const& v) { return " +
                  (used ? "converted<" + t + ">(v)" : "static_cast<void>(v), " + t + "()") + "; }\n";
    text_.head += std::string("    template <class T> static ") + t + " " + name +
                  "(void const* v, long k, T) { return " +
                  (used ? "converted<" + t + ">(static_cast<T const*>(v)[k])"
                        : "static_cast<void>(v), static_cast<void>(k), " + t + "()") +
                  "; }\n";
}
/// The name of the function that computes the operator: a functor of operators.hpp, or that of a definition.
std::string text_writer::function_of(object_head const& op, char const* functor, std::string const* text) {
    if (functor) return std::string("operators::") + functor + "::call";
    if (!text) throw host_reason{std::string("operator ") + op.text() + " has no definition in C that was compiled"};
    definition(*text);
    return std::string("::") + op.text();
}

namespace {

bool is_complex_type(GrB_Type t) { return t && (t->code == GxB_FC32_CODE || t->code == GxB_FC64_CODE); }
/// Definitions in C have complex numbers of C, which CUDA lacks.
void require_real(bool has_definition, std::initializer_list<GrB_Type> types) {
    for (GrB_Type t : types)
        if (has_definition && is_complex_type(t)) throw host_reason{"a definition in C has complex numbers"};
}

} // namespace

void text_writer::binary(char const* name, GrB_BinaryOp op) {
    if (op->position != positional::none) throw host_reason{"the operator is positional"};
    require_real(!op->functor_name, {op->z, op->x, op->y});
    std::string const z = type_name(op->z), x = type_name(op->x), y = type_name(op->y);
    std::string const f = function_of(*op, op->functor_name, op->definition.get());
    text_.head += std::string("struct ") + name + " {\n    typedef " + z + " z;\n    typedef " + x +
                  " x;\n    typedef " + y + " y;\n";
    operand("first", "x", uses_first(op));
    operand("second", "y", uses_second(op));
    text_.head += "    static void call(z& r, x const& a, y const& b) { " +
                  (op->functor_name ? "r = static_cast<z>(" + f + "(a, b))" : f + "(&r, &a, &b)") + "; }\n};\n";
}

void text_writer::unary(GrB_UnaryOp op) {
    require_real(!op->functor_name, {op->z, op->x});
    if (op->functor_name && is_complex_type(op->x) && std::string_view(op->functor_name).substr(0, 5) == "real_")
        throw host_reason{"mathematical functions of complex numbers have no kernels"};
    std::string const z = type_name(op->z), x = type_name(op->x);
    std::string const f = function_of(*op, op->functor_name, op->definition.get());
    text_.head += "struct operation {\n    typedef " + z + " z;\n    typedef " + x + " x;\n";
    text_.head += "    static void call(z& r, x const& a) { " +
                  (op->functor_name ? "r = static_cast<z>(" + f + "(a))" : f + "(&r, &a)") + "; }\n};\n";
}

void text_writer::index_unary(GrB_IndexUnaryOp op, GrB_Type stored) {
    require_real(!op->functor_name, {op->z, op->x, op->s});
    std::string const z = type_name(op->z), x = type_name(op->x ? op->x : stored), s = type_name(op->s);
    std::string const f = function_of(*op, op->functor_name, op->definition.get());
    if (op->functor_name && op->x) text_.head += "#define COPPICE_READS_VALUES_ONLY\n";
    text_.head += "struct operation {\n    typedef " + z + " z;\n    typedef " + x + " x;\n    typedef " + s + " s;\n";
    operand("first", "x", op->x != nullptr || !op->functor_name);
    std::string call = f + "(&r, &a, i, j, &b)";
    if (op->functor_name) call = "r = static_cast<z>(" + f + (op->x ? "(a, b))" : "(i, j, b))");
    text_.head +=
        "    static void call(z& r, x const& a, [[maybe_unused]] long i, [[maybe_unused]] long j, s const& b) { " +
        call + "; }\n};\n";
}

void text_writer::monoid(GrB_BinaryOp op, GrB_Monoid terminal) {
    if (op->x != op->z || op->y != op->z) throw host_reason{"the operator of the monoid has different types"};
    binary("addition", op);
    if (op->kind == functor::any || (terminal && terminal->any_is_terminal)) {
        text_.head += "#define COPPICE_TERMINAL\n#define COPPICE_ENDS(SUM) true\n";
    } else if (op->z == GrB_BOOL &&
               (op->kind == functor::lor || op->kind == functor::plus || op->kind == functor::max)) {
        text_.head += "#define COPPICE_TERMINAL\n#define COPPICE_ENDS(SUM) (SUM)\n";
    } else if (op->z == GrB_BOOL &&
               (op->kind == functor::land || op->kind == functor::times || op->kind == functor::min)) {
        text_.head += "#define COPPICE_TERMINAL\n#define COPPICE_ENDS(SUM) !(SUM)\n";
    }
}

bool text_writer::identity(GrB_BinaryOp op, GrB_BinaryOp multiply) {
    if (!op->predefined || op->z->code > GrB_UINT64_CODE || op->x != op->z || op->y != op->z) return false;
    bool const logical = op->z == GrB_BOOL;
    char const* value = nullptr;
    switch (op->kind) {
    case functor::min:
        value = "std::numeric_limits<t_value>::max()";
        break;
    case functor::max:
        value = "std::numeric_limits<t_value>::min()";
        break;
    case functor::plus:
    case functor::bit_or:
    case functor::bit_xor:
        value = "t_value(0)";
        break;
    case functor::times:
        value = "t_value(1)";
        break;
    case functor::bit_and:
    case functor::bit_xnor:
        value = "t_value(~t_value(0))";
        break;
    case functor::lor: // of integers: the value of a single operand is not 0 or 1
    case functor::lxor:
        if (logical) value = "false";
        break;
    case functor::land:
    case functor::eq:
        if (logical) value = "true";
        break;
    case functor::any: // of equal products
        if (multiply->kind == functor::pair) value = "t_value(0)";
        break;
    default:
        break;
    }
    if (!value) return false;
    text_.head += std::string("#define COPPICE_IDENTITY ") + value + "\n";
    return true;
}

void text_writer::second_of(GrB_Type z) {
    text_.head += "struct operation {\n    typedef " + type_name(z) + " z;\n    typedef z x;\n    typedef z y;\n";
    operand("first", "x", false);
    operand("second", "y", true);
    text_.head += "    static void call(z& r, x const&, y const& b) { r = b; }\n};\n";
}

} // namespace coppice::graphblas::device
