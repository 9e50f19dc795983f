// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/edge_layout.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <coppice/algebra/files/lower_case.hpp>
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {
namespace {

using word_list = std::vector<std::string_view>;

bool begins_as_number(std::string_view word) {
    auto const digits = word.substr(word.starts_with('-') || word.starts_with('+') ? 1 : 0);
    return !digits.empty() && digits[0] >= '0' && digits[0] <= '9';
}

word_list fields_of(char const* at, char const* end, char separator, bool comments = true) {
    word_list all;
    field_reader in(at, end, separator, comments);
    for (std::string_view field; in.next(field);) all.push_back(field);
    return all;
}

bool has_open_quote(char const* at, char const* end, char separator) {
    field_reader in(at, end, separator);
    for (std::string_view field; in.next(field);)
        if (in.has_open_quote()) return true;
    return false;
}

/// Returns the separator of the fields of this line; quoted text is skipped.
char separator_of(char const* at, char const* end, bool names) {
    bool comma = false, tab = false, quoted = false;
    for (char const* const stop = line_end(at, end); at != stop; ++at) {
        if (*at == '"') quoted = !quoted;
        if (quoted) continue;
        if (*at == ';') return ';';
        comma = comma || *at == ',';
        tab = tab || *at == '\t';
    }
    return comma ? ',' : tab && names ? '\t' : ' ';
}

/// The first two lines with fields.
struct first_lines {
    std::array<char const*, 2> at{};
    std::array<std::int64_t, 2> number{}; ///< 1-based
    int count = 0;
};
first_lines find_first_lines(std::string_view text, line_rule rule = lines_of_edges) {
    first_lines found;
    line_chunk rest;
    rest.first = text.data();
    rest.last = text.data() + text.size();
    std::int64_t before = 0;
    while (found.count < 2) {
        char const* line = nullptr;
        auto const lines = rule.for_each_line(rest, rest.last, [&](char const* at) {
            line = at;
            return false;
        });
        if (!line) break;
        before += lines;
        found.at[std::size_t(found.count)] = line;
        found.number[std::size_t(found.count++)] = before;
        char const* const stop = line_end(line, rest.last);
        rest.first = stop == rest.last ? stop : stop + 1;
    }
    return found;
}

bool is_one_of(std::string const& word, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), word) != all.end();
}
bool names_source(std::string const& word) {
    return is_one_of(word, {"source", "from", "src", "fromnodeid", "from_node", "tail", "node1", "node_1", "id1",
                            "id_1", "vertex1", "v1", "u", "i"});
}
bool names_target(std::string const& word) {
    return is_one_of(word, {"target", "to", "dst", "dest", "destination", "tonodeid", "to_node", "head", "node2",
                            "node_2", "id2", "id_2", "vertex2", "v2", "v", "j"});
}
bool names_weight(std::string const& word) {
    return is_one_of(word, {"weight", "weights", "w", "value", "distance", "length", "cost", "capacity", "rating"});
}
bool names_attribute(std::string const& word) {
    return is_one_of(word, {"type", "id", "label", "key", "time", "timestamp", "timeset", "date", "kind"});
}

/// Whether the first line is a header: it consists of words, and either some are known names or the next line consists
/// of numbers.
bool is_header(word_list const& first, word_list const& second) {
    if (first.size() < 2) return false;
    if (std::any_of(first.begin(), first.end(), begins_as_number)) return false;
    bool const known = std::any_of(first.begin(), first.end(), [](auto w) { return names_source(lower_case(w)); }) &&
                       std::any_of(first.begin(), first.end(), [](auto w) { return names_target(lower_case(w)); });
    return known || (second.size() >= 2 && begins_as_number(second[0]) && begins_as_number(second[1]));
}

void read_columns(std::string const& file, std::int64_t line, word_list const& header, edge_layout& layout) {
    layout.columns = int(header.size());
    int from = -1, to = -1;
    for (int c = 0; c < layout.columns; ++c) {
        auto const word = lower_case(header[std::size_t(c)]);
        if (from < 0 && names_source(word))
            from = c;
        else if (to < 0 && names_target(word))
            to = c;
        else if (layout.weight < 0 && names_weight(word))
            layout.weight = c;
    }
    if (from < 0 || to < 0) from = 0, to = 1; // unknown names: the first two columns
    layout.from = from;
    layout.to = to;
    for (int c = 0; c < layout.columns && layout.weight < 0; ++c)
        if (c != from && c != to && !names_attribute(lower_case(header[std::size_t(c)])))
            throw format_error(file, line,
                               "the meaning of column " + quoted(header[std::size_t(c)]) +
                                   " is not known; the columns that are read are called source, target and weight: "
                                   "rename or remove it");
}

/// Sets the columns that the user names.
void select_columns(std::string const& file, std::int64_t line, word_list const& header,
                    std::span<std::string const> columns, edge_layout& layout) {
    layout.columns = int(header.size());
    auto const position = [&](std::string const& name) {
        auto const found = std::find(header.begin(), header.end(), name);
        if (found == header.end()) {
            std::string all;
            for (auto const word : header) all += (all.empty() ? "" : ", ") + quoted(word);
            throw format_error(file, line, "the header line has no column " + detail::quoted(name) + "; it has " + all);
        }
        if (std::find(found + 1, header.end(), name) != header.end())
            throw format_error(file, line, "the header line has two columns " + detail::quoted(name));
        return int(found - header.begin());
    };
    layout.from = position(columns[0]);
    layout.to = position(columns[1]);
    layout.weight = columns.size() > 2 ? position(columns[2]) : -1;
    layout.comments = layout.separator == ' '; // a field of a table with separators may contain any characters
}

/// Parses the format line of KONECT, for example "% sym unweighted"; vertices count from 1.
bool read_konect(std::string_view text, edge_layout& layout) {
    if (!text.starts_with('%')) return false;
    char const* const end = text.data() + text.size();
    auto const format = fields_of(text.data() + 1, line_end(text.data(), end), ' ');
    if (format.size() < 2) return false;
    auto const kind = lower_case(format[0]);
    if (!is_one_of(kind, {"sym", "asym", "bip"}) ||
        !is_one_of(lower_case(format[1]), {"unweighted", "positive", "posweighted", "signed", "multisigned", "weighted",
                                           "multiweighted", "dynamic", "multiposweighted"}))
        return false;
    layout.base = 1;
    layout.undirected = kind == "sym";
    layout.bipartite = kind == "bip";
    return true;
}

} // namespace

std::string_view field_reader::take_unquoted() {
    if (separator_ == ' ') {
        auto const token = token_at(at_, end_);
        at_ += token.size();
        return token;
    }
    char const* const first = at_;
    char const* last = at_;
    for (; at_ != end_ && *at_ != '\n' && *at_ != separator_; ++at_) {
        if (is_space(*at_)) continue;
        if (comments_ && at_ != first && is_space(at_[-1]) && lines_of_edges.begins_comment(at_, end_)) break;
        last = at_ + 1;
    }
    return {first, static_cast<std::size_t>(last - first)};
}

bool field_reader::take_quoted(std::string_view& field) {
    if (at_ == end_ || *at_ != '"') return false;
    char const *const first = at_, *const stop = line_end(first, end_);
    char const* close = first;
    doubled_ = false;
    for (;;) { // a quote that is written twice does not end the field
        close = std::find(close + 1, stop, '"');
        if (close == stop) {
            open_quote_ = separator_ == ',' || separator_ == ';';
            return false;
        }
        if (close + 1 == stop || close[1] != '"') break;
        doubled_ = true;
        ++close;
    }
    at_ = close + 1;
    field = {first + 1, static_cast<std::size_t>(at_ - first - 2)};
    bool const separated = at_end() || is_space(*at_) || *at_ == separator_;
    if (!separated) at_ = first; // a quote within a word
    return separated;
}

bool field_reader::next(std::string_view& field) {
    skip_spaces();
    if (separator_ == ' ' ? at_end() : !more_) return false;
    if (!take_quoted(field)) {
        doubled_ = false;
        field = take_unquoted();
    }
    skip_spaces();
    more_ = at_ != end_ && *at_ == separator_;
    if (more_ && separator_ != ' ') ++at_;
    return true;
}

std::string without_doubled_quotes(std::string_view field) {
    std::string plain;
    for (std::size_t k = 0; k < field.size(); ++k) {
        plain += field[k];
        k += field[k] == '"' && k + 1 < field.size() && field[k + 1] == '"';
    }
    return plain;
}

edge_layout inspect_edges(std::string const& file, std::string_view text, bool names,
                          std::span<std::string const> columns) {
    edge_layout layout;
    bool const konect = read_konect(text, layout);
    auto const lines = find_first_lines(text, columns.empty() ? lines_of_edges : lines_of_tables);
    if (lines.count == 0) return layout;
    char const* const end = text.data() + text.size();
    layout.separator = separator_of(skip_blanks(lines.at[0], end), end, names || !columns.empty());
    auto const first = fields_of(lines.at[0], end, layout.separator, columns.empty());
    auto const second = lines.count > 1 ? fields_of(lines.at[1], end, layout.separator) : word_list();
    if (!columns.empty() || is_header(first, second)) {
        if (has_open_quote(lines.at[0], end, layout.separator))
            throw format_error(file, lines.number[0], open_quote_message);
        if (columns.empty())
            read_columns(file, lines.number[0], first, layout);
        else
            select_columns(file, lines.number[0], first, columns, layout);
        char const* const stop = line_end(lines.at[0], end);
        layout.body = static_cast<std::size_t>((stop == end ? stop : stop + 1) - text.data());
        layout.lines_before = lines.number[0];
        layout.has_edges = lines.count > 1;
        return layout;
    }
    layout.has_edges = true;
    layout.columns = std::clamp(int(first.size()), 2, konect ? 4 : 3); // KONECT: source, target, weight, time
    if (layout.columns > 2) layout.weight = 2;
    return layout;
}

bool is_edge_list(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.starts_with('#') || text.starts_with('%') || text.starts_with("//")) return true;
    auto const lines = find_first_lines(text);
    if (lines.count == 0) return false;
    char const* const end = text.data() + text.size();
    char const separator = separator_of(lines.at[0], end, false);
    auto const first = fields_of(lines.at[0], end, separator);
    auto const second = lines.count > 1 ? fields_of(lines.at[1], end, separator) : word_list();
    auto const is_edge = [](word_list const& line) {
        return line.size() >= 2 && line.size() <= 4 && begins_as_number(line[0]) && begins_as_number(line[1]);
    };
    return is_edge(first) || (is_header(first, second) && (separator != ' ' || is_edge(second)));
}

} // namespace coppice::inline v0_1::detail
