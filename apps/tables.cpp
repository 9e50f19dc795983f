// SPDX-License-Identifier: BSD-3-Clause
#include "apps/tables.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <coppice/algebra/files/lower_case.hpp>

namespace coppice::app {
namespace {

/// A name in quotes if it could otherwise end its field or line, lose blanks at its ends, or be read as a comment.
std::string quoted_if_needed(std::string const& name, char separator) {
    auto const is_blank = [](char c) { return c == ' ' || c == '\t'; };
    bool const is_plain = !name.empty() && !is_blank(name.front()) && !is_blank(name.back()) && name[0] != '#' &&
                          name[0] != '%' && !name.starts_with("//") &&
                          name.find_first_of(std::string("\"\n\r") + separator) == name.npos;
    if (is_plain) return name;
    std::string text = "\"";
    for (char const c : name) text.append(c == '"' ? 2 : 1, c);
    return text + '"';
}

/// Appends fields and lines.
class table_text {
public:
    table_text(vertex_numbering const& numbering, char separator) : numbering_(numbering), separator_(separator) {}

    void word(std::string_view text) { next().append(text); }
    void vertex(std::int64_t v) {
        auto& text = next();
        if (v >= 0) text += quoted_if_needed(numbering_.name(v), separator_);
    }
    void value(double x) { fmt::format_to(std::back_inserter(next()), "{}", x); }
    void end_line() {
        text_ += '\n';
        first_ = true;
    }
    std::string take() && { return std::move(text_); }

private:
    std::string& next() {
        if (!first_) text_ += separator_;
        first_ = false;
        return text_;
    }
    vertex_numbering const& numbering_;
    char separator_;
    bool first_ = true;
    std::string text_{};
};

void add_edges(answer_edges const& edges, table_text& table) {
    for (auto const* name : {"source", "target", "value"}) table.word(name);
    table.end_line();
    for (std::size_t e = 0; e < edges.from.size(); ++e) {
        table.vertex(edges.from[e]);
        table.vertex(edges.to[e]);
        table.value(edges.weights[e]);
        table.end_line();
    }
}

} // namespace

char table_separator(std::string const& path) {
    auto name = coppice::detail::lower_case(path);
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    return name.ends_with(".csv") ? ',' : name.ends_with(".tsv") ? '\t' : '\0';
}

std::string answer_table(graph_answer const& answer, std::int64_t vertices, vertex_numbering const& numbering,
                         char separator) {
    table_text table(numbering, separator);
    if (auto const* edges = std::get_if<answer_edges>(&answer.found)) {
        add_edges(*edges, table);
        return std::move(table).take();
    }
    auto const* const numbers = std::get_if<graph_answer::vertex_numbers>(&answer.found);
    auto const* const values = std::get_if<graph_answer::values>(&answer.found);
    table.word("vertex");
    for (std::int64_t i = 0; i < answer.columns; ++i)
        table.word(answer.columns == 1 ? std::string("value") : "step_" + std::to_string(i));
    table.end_line();
    for (std::int64_t v = 0; v < vertices; ++v) {
        table.vertex(v);
        for (std::int64_t i = 0; i < answer.columns; ++i) {
            auto const k = static_cast<std::size_t>(v * answer.columns + i);
            if (numbers)
                table.vertex((*numbers)[k]);
            else
                table.value((*values)[k]);
        }
        table.end_line();
    }
    return std::move(table).take();
}

} // namespace coppice::app
