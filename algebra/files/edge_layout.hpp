// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How an edge list writes its edges: separators, columns, header lines, the number of its first vertex.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

namespace coppice::detail {

/// Lines that begin with #, % or // hold no edge.
inline constexpr line_rule lines_of_edges{'#', '%', true};

/// The fields of a line, from the first to the last. They are separated by blanks, or each but the last is followed by
/// the separator; a field in double quotes may hold separators. A comment (#, %, // behind a blank) ends the line.
class field_reader {
public:
    field_reader(char const* at, char const* end, char separator) : at_(at), end_(end), separator_(separator) {}

    /// Sets `field`, without quotes and the blanks around it; false if there is no further field.
    bool next(std::string_view& field);

private:
    bool is_space(char c) const { return is_blank(c) && (separator_ == ' ' || c != separator_); }
    void skip_spaces() {
        while (at_ != end_ && is_space(*at_)) ++at_;
    }
    bool at_end() const { return at_ == end_ || *at_ == '\n' || lines_of_edges.begins_comment(at_, end_); }
    /// Whether a field in quotes comes next, which becomes `field`.
    bool take_quoted(std::string_view& field);
    std::string_view take_unquoted();

    char const* at_;
    char const* end_;
    char separator_;
    bool more_ = true; ///< a separator promises another field, perhaps an empty one
};

struct edge_layout {
    char separator = ' ';          ///< ' ' for blanks of any number; ',', ';' or a tab
    int columns = 2;               ///< fields of a line
    int from = 0, to = 1;          ///< columns of the two vertices
    int weight = -1;               ///< column of the weight; -1: every weight is 1
    std::int64_t base = 0;         ///< number of the first vertex
    bool undirected = false;       ///< each edge stands once and means both directions (KONECT)
    bool bipartite = false;        ///< the two columns number different vertices (KONECT)
    bool has_edges = false;        ///< whether any line holds an edge
    std::size_t body = 0;          ///< offset of the first line behind the header line
    std::int64_t lines_before = 0; ///< number of lines before `body`
};

/// Inspects the first lines: the format line of KONECT, a header line with the names of columns, the first edge.
/// `names`: vertices may be any words. Throws format_error for columns whose meaning is not known.
edge_layout inspect_edges(std::string const& file, std::string_view text, bool names);

/// Whether a text begins as edge lists do: by a comment or by a line of two numbers and perhaps a third field, behind a
/// header line of words or not.
bool is_edge_list(std::string_view text);

} // namespace coppice::detail
