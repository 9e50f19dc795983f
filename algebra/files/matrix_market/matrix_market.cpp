// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

#include <algorithm>
#include <exception>
#include <limits>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {
namespace detail {
namespace {

constexpr line_rule lines_of_body{'%'};

/// Returns a hint if comments at the top announce entries that the size line does not count.
std::string hint_of(std::string_view text) {
    while (text.starts_with('%')) {
        if (text.starts_with("%%AMGX"))
            return "; the line %%AMGX announces blocks, diagonals or a right-hand side after the matrix: store them "
                   "in separate files and remove that line";
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    }
    return {};
}

/// Throws for the first error in the file: an invalid line, too many entries, or too few.
void report(std::string const& file, parsed_header const& top, std::string_view text,
            std::vector<line_chunk> const& chunks) {
    auto const body = text.substr(top.body);
    report_failed_line(file, top.size_line, chunks);
    std::int64_t const found = chunks.back().entries;
    std::int64_t const stored = top.header.stored;
    std::string const promise = top.header.format == matrix_market_format::coordinate ? "the size line declares "
                                                                                      : "an array of this size holds ";
    if (found < stored)
        throw format_error(file, top.size_line + chunks.back().lines,
                           "the file ends after " + std::to_string(found) + (found == 1 ? " entry; " : " entries; ") +
                               promise + std::to_string(stored));
    if (found == stored) return;
    std::size_t b = chunks.size() - 1;
    while (chunks[b].entries > stored) --b; // chunk of entry number `stored`, counted from 0
    std::int64_t k = chunks[b].entries;
    std::int64_t const lines =
        lines_of_body.for_each_line(chunks[b], body.data() + body.size(), [&](char const*&) { return k++ < stored; });
    throw format_error(file, top.size_line + chunks[b].lines + lines,
                       "more entries than expected; " + promise + std::to_string(stored) + hint_of(text));
}

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_body(host_executor const& exec, std::string const& file, std::string_view text,
                                parsed_header const& top, matrix_read_options const& options) {
    matrix_market_header const& h = top.header;
    require_value_type<T>(file, 1, h.field == matrix_market_field::complex);
    require_index_type<I>(file, top.size_line, h.rows, h.columns);
    std::string_view const body = text.substr(top.body);
    auto chunks = split_lines(exec, body, lines_of_body);
    // At most the number of entries in the text, independent of the size line.
    buffer<triplet<T, I>> entries(exec, std::min(chunks.back().entries, h.stored));
    parse_lines(
        exec, body, lines_of_body, chunks, entries.view(), options.progress,
        [&](std::int64_t first) { return line_parser<T, I>(h, first, options.inexact_integers); },
        [](std::int64_t, auto const&) {});
    report(file, top, text, chunks);
    return {h.rows, h.columns, h.symmetry, std::move(entries), {}, 1};
}

template <class T, class I>
matrix_entries<T, I> parse_matrix_market(host_executor const& exec, std::string const& file, std::string_view text,
                                         matrix_read_options const& options) {
    return parse_body<T, I>(exec, file, text, *parse_header(file, text, true), options);
}

} // namespace detail

template <class T, class I>
csr<T, I> read_matrix_market(host_executor const& exec, std::filesystem::path const& path) {
    std::string const file = input_name(path);
    return detail::with_memory_errors(file, [&] {
        std::int64_t bytes = 0;
        auto entries = [&] { // the text is released before rows are made
            file_text const text = read_text(path);
            bytes = std::int64_t(text.view.size());
            return detail::parse_matrix_market<T, I>(exec, file, text.view, {});
        }();
        detail::require_proportionate_rows(file, entries.rows, sizeof(I), bytes, {});
        return detail::to_rows(exec, file, std::move(entries));
    });
}

#define COPPICE_READ(T)                                                                                                \
    template csr<T, std::int32_t> read_matrix_market(host_executor const&, std::filesystem::path const&);              \
    template csr<T, std::int64_t> read_matrix_market(host_executor const&, std::filesystem::path const&)
COPPICE_READ(float);
COPPICE_READ(double);
COPPICE_READ(std::complex<float>);
COPPICE_READ(std::complex<double>);
#undef COPPICE_READ

#define COPPICE_PARSE(T, I)                                                                                            \
    template detail::matrix_entries<T, I> detail::parse_matrix_market(host_executor const&, std::string const&,        \
                                                                      std::string_view, matrix_read_options const&);   \
    template detail::matrix_entries<T, I> detail::parse_body(                                                          \
        host_executor const&, std::string const&, std::string_view, parsed_header const&, matrix_read_options const&)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::inline v0_1
