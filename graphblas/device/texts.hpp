// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Texts of kernels: types and operators of an operation in front of kernels.inc.
#pragma once

#include <set>
#include <string>

#include "forms.hpp"

namespace coppice::graphblas::device {

/// What precedes kernels.inc, and definitions of the program, which precede everything.
struct kernel_text {
    std::string head, definitions;
};
/// Compiles the kernels of a text, once. Throws host_reason, also for each later call.
kernel const& compiled(kernel_text const& text);

/// Writes the head of a text.
class text_writer {
public:
    void define(char const* name) { text_.head += std::string("#define ") + name + "\n"; }
    /// typedef of a stored type.
    void type(char const* name, GrB_Type type);
    void binary(char const* name, GrB_BinaryOp op);
    void unary(GrB_UnaryOp op);
    void index_unary(GrB_IndexUnaryOp op, GrB_Type x);
    /// The operator of a monoid, and which sums end early.
    void monoid(GrB_BinaryOp op, GrB_Monoid terminal);
    /// The identity of an operator whose folds of results of `multiply` have the same bits in any order. Returns
    /// whether it is one.
    bool identity(GrB_BinaryOp op, GrB_BinaryOp multiply);
    /// An operator of stored values y that returns y as type z.
    void second_of(GrB_Type z);
    kernel_text const& text() const { return text_; }

private:
    std::string type_name(GrB_Type type);
    void definition(std::string const& text);
    std::string function_of(object_head const& op, char const* functor, std::string const* definition);
    void operand(char const* name, char const* type, bool used);
    kernel_text text_;
    std::set<std::string> known_;
};

} // namespace coppice::graphblas::device
