// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Layout of an edge list: separators, columns, header lines, number of the first vertex.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

namespace coppice::inline v0_1::detail {

/// Lines that begin with #, % or // contain no edge.
inline constexpr line_rule lines_of_edges{'#', '%', true};
/// The same with the blanks at the start of a line: in a table with tabs, the first field may be empty.
inline constexpr line_rule lines_of_tables{'#', '%', true, true};

/// Reads the fields of a line in their order. Fields are separated by blanks, or by one separator character; a field in
/// double quotes may contain separators, and quotes that are written twice. A comment (#, %, // after a blank) ends the
/// line.
class field_reader {
public:
    /// `comments`: whether a comment may follow a field after a blank.
    field_reader(char const* at, char const* end, char separator, bool comments = true)
        : at_(at), end_(end), separator_(separator), comments_(comments) {}

    /// Sets `field`, without quotes and surrounding blanks. Returns false if there is no further field.
    bool next(std::string_view& field);
    /// Whether the last field contains quotes that are written twice.
    bool has_doubled_quotes() const { return doubled_; }
    /// Whether a field between commas or semicolons begins with a quote that does not end on the line. Other text keeps
    /// such a quote as a character.
    bool has_open_quote() const { return open_quote_; }

private:
    bool is_space(char c) const { return is_blank(c) && (separator_ == ' ' || c != separator_); }
    void skip_spaces() {
        while (at_ != end_ && is_space(*at_)) ++at_;
    }
    bool at_end() const { return at_ == end_ || *at_ == '\n' || lines_of_edges.begins_comment(at_, end_); }
    /// Reads a quoted field into `field`. Returns false if the next field is not quoted.
    bool take_quoted(std::string_view& field);
    std::string_view take_unquoted();

    char const* at_;
    char const* end_;
    char separator_;
    bool comments_;
    bool doubled_ = false;
    bool open_quote_ = false;
    bool more_ = true; ///< a separator was read, so another field follows, possibly an empty one
};

inline constexpr char const* open_quote_message =
    "a field in double quotes does not end on this line; line breaks within fields are not read";

struct edge_layout {
    char separator = ' ';          ///< ' ' for any number of blanks; ',', ';' or a tab
    int columns = 2;               ///< fields of a line
    int from = 0, to = 1;          ///< columns of the two vertices
    int weight = -1;               ///< column of the weight; -1: every weight is 1
    std::int64_t base = 0;         ///< number of the first vertex in the file
    bool comments = true;          ///< a comment may follow an edge
    bool undirected = false;       ///< each edge is listed once and denotes both directions (KONECT)
    bool bipartite = false;        ///< the two columns have separate numbers (KONECT)
    bool has_edges = false;        ///< whether any line holds an edge
    std::size_t body = 0;          ///< offset of the first line after the header line
    std::int64_t lines_before = 0; ///< number of lines before `body`
};

/// Determines the layout from the first lines: the format line of KONECT, a header line with names of columns, the
/// first edge. `names`: vertices may be arbitrary words. `columns`: names of the columns of source, target and weight
/// in the header line; empty: known names. Throws format_error for columns with unknown names, and for columns that the
/// header line does not have or has twice.
edge_layout inspect_edges(std::string const& file, std::string_view text, bool names,
                          std::span<std::string const> columns = {});
/// Returns a field with single quotes in place of doubled ones.
std::string without_doubled_quotes(std::string_view field);

/// Whether a text starts like an edge list: with a comment, or with a line of two numbers and possibly a third field,
/// which may follow a header line of words.
bool is_edge_list(std::string_view text);

} // namespace coppice::inline v0_1::detail
