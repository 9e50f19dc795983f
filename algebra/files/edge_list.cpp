// SPDX-License-Identifier: BSD-3-Clause
// Edge lists as the SNAP collection writes them, and SMAT files: lines of two vertices, counted from 0, and perhaps a
// weight. See include/coppice/matrix_file.hpp.
#include <algorithm>
#include <array>
#include <optional>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>

namespace coppice::detail {
namespace {

constexpr line_rule lines_of_edges{'#'};

std::int64_t words_on_line(char const* at, char const* end) {
    std::int64_t words = 0;
    for (at = skip_blanks(at, end); at != end && *at != '\n'; at = skip_blanks(at, end)) {
        at += token_at(at, end).size();
        ++words;
    }
    return words;
}

/// Parses edges one after the other and keeps the largest vertices it has seen.
template <class T, class I>
class edge_parser : public line_cursor {
public:
    /// Vertices must stay below `rows` and `columns`.
    edge_parser(bool weighted, std::int64_t rows, std::int64_t columns)
        : weighted_(weighted), rows_(rows), columns_(columns) {}

    bool parse(char const*& at, char const* end, triplet<T, I>& out) {
        begin_at(at, end);
        std::int64_t from = 0, to = 0;
        if (!parse_vertex(rows_, from) || !parse_vertex(columns_, to)) return false;
        last_row = std::max(last_row, from);
        last_column = std::max(last_column, to);
        out = {static_cast<I>(from), static_cast<I>(to), T(1)};
        if (weighted_ && !parse_weight(out.value)) return false;
        if (!at_line_end())
            return fail("unexpected " + next_token() + " behind the edge" +
                        (weighted_ ? "" : "; the first edge has no weight"));
        at = at_;
        return true;
    }

    std::int64_t last_row = -1;
    std::int64_t last_column = -1;

private:
    bool parse_vertex(std::int64_t size, std::int64_t& vertex) {
        at_ = skip_blanks(at_, end_);
        char const* const first = at_;
        if (!parse_index_quickly(at_, end_, vertex)) {
            auto const status = parse_integer(at_, end_, vertex);
            if (status == number_status::malformed) return fail("expected a vertex, found " + next_token());
            if (status == number_status::out_of_range) vertex = *first == '-' ? -1 : size;
        }
        if (vertex >= 0 && vertex < size) return true;
        auto const token = quoted(token_at(first, end_));
        return fail(vertex < 0 ? "vertex " + token + " is negative; vertices count from 0"
                               : "vertex " + token + " is outside 0 to " + std::to_string(size - 1));
    }

    bool parse_weight(T& weight) {
        typename real_type<T>::type value{};
        if (at_line_end()) return fail("the weight is missing; the first edge has one");
        auto const status = parse_real(at_, end_, value);
        if (status == number_status::out_of_range) return fail_range<decltype(value)>();
        if (status != number_status::good) return fail("expected a weight, found " + next_token());
        weight = T(value);
        return true;
    }

    bool weighted_;
    std::int64_t rows_;
    std::int64_t columns_;
};

/// First line with something on it that is no comment, from the first byte of the text on.
struct first_line {
    std::size_t offset = 0;  ///< of its first token
    std::int64_t number = 0; ///< from 1; 0 where there is none
};
first_line find_first(std::string_view text) {
    line_chunk all;
    all.first = text.data();
    all.last = text.data() + text.size();
    first_line found;
    auto const lines = lines_of_edges.for_each_line(all, all.last, [&](char const* at) {
        found.offset = static_cast<std::size_t>(at - text.data());
        found.number = 1;
        return false;
    });
    if (found.number > 0) found.number = lines;
    return found;
}

/// "rows columns entries" on the first line of an SMAT file.
std::array<std::int64_t, 3> parse_sizes(std::string const& file, std::int64_t line, char const* at, char const* end) {
    std::array<std::int64_t, 3> sizes{};
    for (auto& size : sizes) {
        at = skip_blanks(at, end);
        if (parse_integer(at, end, size) != number_status::good || size < 0)
            throw format_error(file, line,
                               "expected three sizes (rows, columns, entries), found " + quoted(token_at(at, end)));
    }
    at = skip_blanks(at, end);
    if (at != end && *at != '\n')
        throw format_error(file, line, "unexpected " + quoted(token_at(at, end)) + " behind the sizes");
    return sizes;
}

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_edge_list(host_executor const& exec, std::string const& file, std::string_view text,
                                     file_progress const& tell, bool sized) {
    char const* const end = text.data() + text.size();
    constexpr std::int64_t most = std::numeric_limits<I>::max();
    auto first = find_first(text);
    if (first.number == 0) throw format_error(file, 0, "the file holds no edges");
    std::array<std::int64_t, 3> sizes{most - 1, most - 1, 0};
    std::int64_t skipped = 0;
    if (sized) {
        sizes = parse_sizes(file, first.number, text.data() + first.offset, end);
        require_index_type<I>(file, first.number, sizes[0], sizes[1]);
        char const* const stop = line_end(text.data() + first.offset, end);
        text.remove_prefix(static_cast<std::size_t>((stop == end ? stop : stop + 1) - text.data()));
        skipped = first.number;
        first = find_first(text);
    }
    bool const weighted = first.number > 0 && words_on_line(text.data() + first.offset, end) > 2;

    auto chunks = cut_lines(exec, text, lines_of_edges);
    std::int64_t const found = chunks.back().entries;
    buffer<triplet<T, I>> entries(exec, found);
    std::vector<std::pair<std::int64_t, std::int64_t>> largest(chunks.size(), {-1, -1});
    parse_lines(
        exec, text, lines_of_edges, chunks, entries.view(), tell,
        [&](std::int64_t) { return edge_parser<T, I>(weighted, sizes[0], sizes[1]); },
        [&](std::int64_t chunk, auto const& parser) {
            largest[static_cast<std::size_t>(chunk)] = {parser.last_row, parser.last_column};
        });
    report_failed_line(file, skipped, chunks);
    if (sized && found != sizes[2])
        throw format_error(file, skipped,
                           "the first line promises " + std::to_string(sizes[2]) + " entries, the file holds " +
                               std::to_string(found));
    std::int64_t vertices = 0;
    for (auto const& [row, column] : largest) vertices = std::max({vertices, row + 1, column + 1});
    return {sized ? sizes[0] : vertices, sized ? sizes[1] : vertices, matrix_market_symmetry::general,
            std::move(entries)};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_edge_list(host_executor const&, std::string const&, std::string_view,          \
                                                  file_progress const&, bool)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::detail
