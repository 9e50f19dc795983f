// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/matrix_market.hpp>

#include <algorithm>
#include <exception>
#include <limits>

#include <coppice/algebra/compress.hpp>
#include <coppice/algebra/matrix_market_entries.hpp>
#include <coppice/algebra/matrix_market_header.hpp>
#include <coppice/core/file.hpp>

namespace coppice {
namespace detail {
namespace {

// A stretch of whole lines. Its length is a constant, so that chunks do not depend on the number of threads.
constexpr std::int64_t chunk_bytes = std::int64_t(1) << 20;

struct chunk {
    char const* first = nullptr;
    char const* last = nullptr;
    std::int64_t lines = 0;   ///< in this chunk, then before it
    std::int64_t entries = 0; ///< in this chunk, then before it
    std::int64_t failed_line = 0;
    std::string problem{};
};

/// Calls use(at) for every line of the chunk with something on it, at its first token; `use` leaves `at` where it
/// likes on that line and returns whether to go on. Returns the number of lines begun.
template <class Use>
std::int64_t for_each_line(chunk const& c, char const* end, Use const& use) {
    std::int64_t lines = 0;
    for (char const* at = c.first; at < c.last;) {
        ++lines;
        at = skip_blanks(at, end);
        if (at != end && *at != '\n' && *at != '%' && !use(at)) return lines;
        at = line_end(at, end);
        if (at != end) ++at;
    }
    return lines;
}

/// Cuts the body at line ends and counts lines and entries; the chunks' counts become those of all chunks before.
/// The element behind the last chunk holds the totals.
std::vector<chunk> cut(host_executor const& exec, std::string_view body) {
    auto const size = static_cast<std::int64_t>(body.size());
    char const* const begin = body.data();
    char const* const end = begin + body.size();
    std::vector<chunk> chunks(static_cast<std::size_t>((size + chunk_bytes - 1) / chunk_bytes) + 1);
    auto const line_start = [&](std::int64_t at) {
        if (at == 0 || at == size) return begin + at;
        char const* const stop = line_end(begin + at - 1, end);
        return stop == end ? end : stop + 1;
    };
    for_each_block(exec, size, chunk_bytes, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        chunk& c = chunks[static_cast<std::size_t>(b)];
        c.first = line_start(first);
        c.last = line_start(last);
        std::int64_t entries = 0;
        c.lines = for_each_line(c, end, [&](char const*&) { return ++entries, true; });
        c.entries = entries;
    });
    std::int64_t lines = 0;
    std::int64_t entries = 0;
    for (chunk& c : chunks) {
        std::swap(lines, c.lines);
        std::swap(entries, c.entries);
        lines += c.lines;
        entries += c.entries;
    }
    return chunks;
}

template <class T, class I>
void parse_chunk(chunk& c, char const* end, matrix_market_header const& h, array_view<triplet<T, I>> entries) {
    line_parser<T, I> parser(h, c.entries);
    std::int64_t k = c.entries;
    bool good = true;
    std::int64_t const lines = for_each_line(c, end, [&](char const*& at) {
        if (k >= entries.size()) return false;
        return good = parser.parse(at, end, entries[k++]);
    });
    if (good) return;
    c.failed_line = lines;
    c.problem = std::move(parser.problem);
}

/// Throws for what is wrong first in the file: a line, one entry too many, or an early end.
void report(std::string const& file, header_place const& place, std::string_view body,
            std::vector<chunk> const& chunks) {
    for (chunk const& c : chunks)
        if (c.failed_line > 0) throw format_error(file, place.size_line + c.lines + c.failed_line, c.problem);
    std::int64_t const found = chunks.back().entries;
    std::int64_t const stored = place.header.stored;
    std::string const promise = place.header.format == matrix_market_format::coordinate
                                    ? "the size line promises "
                                    : "an array of this size holds ";
    if (found < stored)
        throw format_error(file, place.size_line + chunks.back().lines,
                           "the file ends after " + std::to_string(found) + " entries; " + promise +
                               std::to_string(stored));
    if (found == stored) return;
    std::size_t b = chunks.size() - 1;
    while (chunks[b].entries > stored) --b; // the chunk that holds entry number `stored`, counted from 0
    std::int64_t k = chunks[b].entries;
    std::int64_t const lines =
        for_each_line(chunks[b], body.data() + body.size(), [&](char const*&) { return k++ < stored; });
    throw format_error(file, place.size_line + chunks[b].lines + lines,
                       "more entries than expected; " + promise + std::to_string(stored));
}

template <class T, class I>
void require_types(std::string const& file, header_place const& place) {
    matrix_market_header const& h = place.header;
    if (!is_complex<T> && h.field == matrix_market_field::complex)
        throw format_error(file, 1, "the file holds complex values; read it into a complex type");
    for (std::int64_t const size : {h.rows, h.columns})
        if (size >= std::numeric_limits<I>::max()) // one to spare: there is one more offset than rows
            throw format_error(file, place.size_line,
                               "a matrix of " + std::to_string(h.rows) + " x " + std::to_string(h.columns) +
                                   " is too large for a " + std::to_string(8 * sizeof(I)) + "-bit index");
}

template <class T, class I>
struct parsed_file {
    matrix_market_header header;
    buffer<triplet<T, I>> entries; ///< as they stand in the file
};

template <class T, class I>
parsed_file<T, I> parse_file(host_executor const& exec, std::filesystem::path const& path) {
    std::string const file = path.string();
    file_text const text = read_text(path);
    header_place const place = *parse_header(file, text.view, true);
    require_types<T, I>(file, place);
    std::string_view const body = text.view.substr(place.body);
    char const* const end = body.data() + body.size();

    auto chunks = cut(exec, body);
    // Never more than the text holds, whatever the size line says.
    buffer<triplet<T, I>> entries(exec, std::min(chunks.back().entries, place.header.stored));
    for_each_block(exec, static_cast<std::int64_t>(chunks.size()) - 1, 1,
                   [&](std::int64_t b, std::int64_t, std::int64_t) {
                       parse_chunk(chunks[static_cast<std::size_t>(b)], end, place.header, entries.view());
                   });
    report(file, place, body, chunks);
    return {place.header, std::move(entries)};
}

/// The triplets of a file and, for symmetric kinds, their mirror images.
template <class T, class I>
struct mirrored_source {
    buffer<triplet<T, I>> entries;
    matrix_market_symmetry symmetry;

    template <class Emit>
    void visit(std::int64_t first, std::int64_t last, Emit&& emit) const {
        for (std::int64_t k = first; k < last; ++k) {
            auto const& e = entries[k];
            emit(e.row, e.column, e.value);
            if (symmetry != matrix_market_symmetry::general && e.row != e.column)
                emit(e.column, e.row, mirrored(e.value));
        }
    }
    void release() { entries = {}; }

private:
    T mirrored(T const& value) const {
        if (symmetry == matrix_market_symmetry::skew_symmetric) return -value;
        if constexpr (is_complex<T>)
            if (symmetry == matrix_market_symmetry::hermitian) return std::conj(value);
        return value;
    }
};

template <class T>
std::vector<T> zeros(std::string const& file, std::int64_t size) {
    try {
        return std::vector<T>(static_cast<std::size_t>(size), T(0));
    } catch (std::exception const&) { // bad_alloc, or length_error far beyond it
        throw memory_error(file + ": cannot allocate a vector of " + std::to_string(size) + " elements");
    }
}

} // namespace
} // namespace detail

template <class T, class I>
csr<T, I> read_matrix_market(host_executor const& exec, std::filesystem::path const& path) {
    auto parsed = detail::parse_file<T, I>(exec, path);
    auto const& h = parsed.header;
    detail::mirrored_source<T, I> source{std::move(parsed.entries), h.symmetry};
    std::int64_t const entries = source.entries.size();
    try {
        return detail::compressor<T, I, detail::mirrored_source<T, I>>(exec, static_cast<I>(h.rows),
                                                                       static_cast<I>(h.columns), entries, source)
            .run();
    } catch (overflow_error const& e) {
        throw overflow_error(path.string() + ": " + e.what());
    }
}

template <class T>
std::vector<T> read_vector(host_executor const& exec, std::filesystem::path const& path) {
    auto const parsed = detail::parse_file<T, std::int64_t>(exec, path);
    auto const& h = parsed.header;
    if (h.rows != 1 && h.columns != 1)
        throw format_error(path.string(), 0,
                           "expected a vector (n x 1 or 1 x n), found a matrix of " + std::to_string(h.rows) + " x " +
                               std::to_string(h.columns));
    std::vector<T> x = detail::zeros<T>(path.string(), h.rows * h.columns);
    if (h.format == matrix_market_format::array && parsed.entries.size() == static_cast<std::int64_t>(x.size())) {
        std::transform(parsed.entries.begin(), parsed.entries.end(), x.begin(), [](auto const& e) { return e.value; });
        return x;
    }
    std::vector<bool> seen(x.size()); // the first entry is taken as it is: 0 + -0 would lose a sign
    for (auto const& e : parsed.entries) {
        auto const i = static_cast<std::size_t>(e.row + e.column);
        x[i] = seen[i] ? x[i] + e.value : e.value;
        seen[i] = true;
    }
    return x;
}

#define COPPICE_READ(T)                                                                                                \
    template csr<T, std::int32_t> read_matrix_market(host_executor const&, std::filesystem::path const&);              \
    template csr<T, std::int64_t> read_matrix_market(host_executor const&, std::filesystem::path const&);              \
    template std::vector<T> read_vector(host_executor const&, std::filesystem::path const&)
COPPICE_READ(float);
COPPICE_READ(double);
COPPICE_READ(std::complex<float>);
COPPICE_READ(std::complex<double>);

} // namespace coppice
