// SPDX-License-Identifier: BSD-3-Clause
// Edge lists (SNAP, KONECT, CSV) and SMAT files: lines of two vertices and an optional weight. See
// include/coppice/matrix_file.hpp.
#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

#include <coppice/algebra/files/edge_layout.hpp>
#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>

namespace coppice::inline v0_1::detail {
namespace {

/// Numbers names in the order of their first occurrence. The names are slices of the text of the file, or copies if
/// they contain quotes that are written twice.
class name_table {
public:
    std::int64_t number_of(std::string_view name, bool doubled_quotes) {
        if (doubled_quotes) name = changed_.emplace_back(without_doubled_quotes(name));
        auto const [found, is_new] = numbers_.try_emplace(name, std::int64_t(names_.size()));
        if (is_new) names_.push_back(name);
        return found->second;
    }
    std::int64_t size() const { return std::int64_t(names_.size()); }
    std::vector<std::string> release() && {
        numbers_ = {};
        return {names_.begin(), names_.end()};
    }

private:
    std::unordered_map<std::string_view, std::int64_t> numbers_{};
    std::vector<std::string_view> names_{};
    std::deque<std::string> changed_{}; ///< elements are not moved
};

/// Parses edges one by one and records the largest vertex numbers.
template <class T, class I>
class edge_parser : public line_cursor {
public:
    /// Vertices must be less than `rows` and `columns`. With `names`, vertices are arbitrary words.
    edge_parser(edge_layout const& layout, std::int64_t rows, std::int64_t columns, bool sized, name_table* names,
                inexact_integers rule)
        : layout_(layout), rows_(rows), columns_(columns), sized_(sized), names_(names), rule_(rule) {}

    bool parse(char const*& at, char const* end, triplet<T, I>& out) {
        field_reader fields(at, end, layout_.separator, layout_.comments);
        out.value = T(1);
        std::string_view field;
        int column = 0;
        for (; fields.next(field); ++column) {
            if (fields.has_open_quote()) return fail(open_quote_message);
            bool const doubled = fields.has_doubled_quotes();
            bool const good = column == layout_.from ? parse_vertex(field, doubled, rows_, out.row, last_row)
                              : column == layout_.to ? parse_vertex(field, doubled, columns_, out.column, last_column)
                              : column == layout_.weight ? parse_weight(field, out.value)
                                                         : true;
            if (!good) return false;
            if (column >= layout_.columns) return fail(surplus(field));
        }
        if (column >= layout_.columns) return true;
        return column <= std::max(layout_.from, layout_.to)
                   ? fail("expected a vertex, found the end of the line")
                   : fail(layout_.weight >= column ? "the weight is missing; the first edge has one"
                                                   : "the line has " + std::to_string(column) + " fields, expected " +
                                                         std::to_string(layout_.columns));
    }

    std::int64_t last_row = -1;
    std::int64_t last_column = -1;

private:
    bool parse_vertex(std::string_view field, bool doubled_quotes, std::int64_t size, I& out, std::int64_t& last) {
        std::int64_t vertex = 0;
        if (names_) {
            if (field.empty()) return fail("expected a vertex, found an empty field");
            vertex = names_->number_of(field, doubled_quotes);
        } else if (!parse_number(field, size, vertex)) {
            return false;
        }
        if (vertex >= size)
            return fail("more than " + std::to_string(size) + " vertices, which is too many for a " +
                        std::to_string(8 * sizeof(I)) + "-bit index");
        out = static_cast<I>(vertex);
        last = std::max(last, vertex);
        return true;
    }

    bool parse_number(std::string_view field, std::int64_t size, std::int64_t& vertex) {
        char const* at = field.data();
        char const* const end = at + field.size();
        std::int64_t const base = layout_.base;
        if (!parse_index_quickly(at, end, vertex)) {
            auto const status = parse_integer(at, end, vertex);
            if (status == number_status::malformed || field.empty()) return fail_vertex(field);
            if (status == number_status::out_of_range) {
                vertex = field[0] == '-' ? -1 : INT64_MAX;
                at = end;
            }
        }
        if (at != end) return fail_vertex(field); // a blank within a field between commas
        if (vertex < base)
            return fail("vertex " + quoted(field) + (vertex < 0 ? " is negative" : " is 0") + "; vertices count from " +
                        std::to_string(base));
        vertex -= base;
        return vertex < size || fail("vertex " + quoted(field) + " is outside " + std::to_string(base) + " to " +
                                     std::to_string(size - 1 + base) + remedy("; if the numbers have gaps,"));
    }
    bool fail_vertex(std::string_view field) {
        return fail("expected a vertex, found " + (field.empty() ? "an empty field" : quoted(field)) +
                    "; vertices are whole numbers" + remedy("; if they are names,"));
    }
    std::string remedy(char const* when) const {
        return sized_ ? "" : std::string(when) + " renumber (--renumber) reads them";
    }

    bool parse_weight(std::string_view field, T& weight) {
        typename real_type<T>::type value{};
        char const* at = field.data();
        begin_at(at, at + field.size());
        if (field.empty()) return fail("the weight is missing; the first edge has one");
        auto const status = parse_real(at, end_, value);
        if (status == number_status::out_of_range) return fail_range<decltype(value)>();
        if (status != number_status::good || at != end_)
            return fail("expected a weight, found " + quoted(field) +
                        (field.find(',') == field.npos ? "" : "; the decimal separator is a point"));
        if (rule_ == inexact_integers::refuse && is_inexact_integer(value, field))
            return fail("the weight " + quoted(field) + " is " + std::string(inexact_integer_message) +
                        "; with a decimal point at its end it is rounded");
        weight = T(value);
        return true;
    }

    std::string surplus(std::string_view field) const {
        return "unexpected " + quoted(field) + " after the edge; " +
               (layout_.weight < 0 ? "the first edge has no weight"
                                   : "a line holds two vertices and a weight, further columns need a header line that "
                                     "names them (source,target,weight,...)");
    }

    edge_layout const& layout_;
    std::int64_t rows_;
    std::int64_t columns_;
    bool sized_;
    name_table* names_;
    inexact_integers rule_;
};

/// Reads the line "rows columns entries" of an SMAT file. The text after it becomes the body.
std::array<std::int64_t, 3> take_sizes(std::string const& file, std::string_view& text, std::int64_t& lines) {
    char const* const end = text.data() + text.size();
    char const* at = nullptr;
    line_chunk all;
    all.first = text.data();
    all.last = end;
    lines = lines_of_edges.for_each_line(all, end, [&](char const* first) { return at = first, false; });
    if (!at) throw format_error(file, 0, "the file holds no edges");
    std::array<std::int64_t, 3> sizes{};
    for (auto& size : sizes) {
        at = skip_blanks(at, end);
        if (parse_integer(at, end, size) != number_status::good || size < 0)
            throw format_error(file, lines,
                               "expected three sizes (rows, columns, entries), found " + quoted(token_at(at, end)));
    }
    at = skip_blanks(at, end);
    if (at != end && *at != '\n')
        throw format_error(file, lines, "unexpected " + quoted(token_at(at, end)) + " after the sizes");
    text.remove_prefix(static_cast<std::size_t>((at == end ? at : at + 1) - text.data()));
    return sizes;
}

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_edge_list(host_executor const& exec, std::string const& file, std::string_view text,
                                     matrix_read_options const& options, bool sized) {
    constexpr std::int64_t max_index = std::numeric_limits<I>::max();
    std::array<std::int64_t, 3> sizes{max_index - 1, max_index - 1, 0};
    std::int64_t skipped = 0;
    if (sized) {
        sizes = take_sizes(file, text, skipped);
        require_index_type<I>(file, skipped, sizes[0], sizes[1]);
    }
    bool const renumber = options.renumber && !sized;
    auto const layout = inspect_edges(file, text, renumber, options.columns);
    if (!layout.has_edges && !sized) throw format_error(file, 0, "the file holds no edges");
    text.remove_prefix(layout.body);
    skipped += layout.lines_before;

    auto const& rule = options.columns.empty() ? lines_of_edges : lines_of_tables;
    auto chunks = split_lines(exec, text, rule);
    std::int64_t const found = chunks.back().entries;
    buffer<triplet<T, I>> entries(exec, found);
    std::vector<std::pair<std::int64_t, std::int64_t>> largest(chunks.size(), {-1, -1});
    name_table names;
    auto const rule_of_integers = options.inexact_integers;
    if (renumber && layout.bipartite)
        throw format_error(file, 1,
                           "rows and columns of a bipartite graph have separate numbers; read it without renumber");
    host_executor const one_thread{1}; // names are numbered in the order of the file
    parse_lines(
        renumber ? one_thread : exec, text, rule, chunks, entries.view(), options.progress,
        [&](std::int64_t) {
            return edge_parser<T, I>(layout, sizes[0], sizes[1], sized, renumber ? &names : nullptr, rule_of_integers);
        },
        [&](std::int64_t chunk, auto const& parser) {
            largest[static_cast<std::size_t>(chunk)] = {parser.last_row, parser.last_column};
        });
    report_failed_line(file, skipped, chunks);
    if (sized && found != sizes[2])
        throw format_error(file, skipped,
                           "the first line declares " + std::to_string(sizes[2]) + " entries, the file holds " +
                               std::to_string(found));
    if (!sized) {
        sizes[0] = sizes[1] = 0;
        for (auto const& [row, column] : largest) {
            sizes[0] = std::max(sizes[0], row + 1);
            sizes[1] = std::max(sizes[1], column + 1);
        }
        if (!layout.bipartite) sizes[0] = sizes[1] = std::max(sizes[0], sizes[1]);
    }
    return {sizes[0],
            sizes[1],
            layout.undirected ? matrix_market_symmetry::symmetric : matrix_market_symmetry::general,
            std::move(entries),
            std::move(names).release(),
            layout.base};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_edge_list(host_executor const&, std::string const&, std::string_view,          \
                                                  matrix_read_options const&, bool)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::inline v0_1::detail
