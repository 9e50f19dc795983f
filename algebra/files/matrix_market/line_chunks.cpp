// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>

#include <utility>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

std::vector<line_chunk> split_lines(host_executor const& exec, std::string_view body, line_rule rule) {
    auto const size = static_cast<std::int64_t>(body.size());
    char const* const begin = body.data();
    char const* const end = begin + body.size();
    std::vector<line_chunk> chunks(static_cast<std::size_t>((size + chunk_bytes - 1) / chunk_bytes) + 1);
    auto const line_start = [&](std::int64_t at) {
        if (at == 0 || at == size) return begin + at;
        char const* const stop = line_end(begin + at - 1, end);
        return stop == end ? end : stop + 1;
    };
    for_each_block(exec, size, chunk_bytes, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        line_chunk& c = chunks[static_cast<std::size_t>(b)];
        c.first = line_start(first);
        c.last = line_start(last);
        std::int64_t entries = 0;
        c.lines = rule.for_each_line(c, end, [&](char const*&) { return ++entries, true; });
        c.entries = entries;
    });
    std::int64_t lines = 0;
    std::int64_t entries = 0;
    for (line_chunk& c : chunks) {
        std::swap(lines, c.lines);
        std::swap(entries, c.entries);
        lines += c.lines;
        entries += c.entries;
    }
    return chunks;
}

void report_failed_line(std::string const& file, std::int64_t before, std::vector<line_chunk> const& chunks) {
    for (line_chunk const& c : chunks)
        if (c.failed_line > 0) throw format_error(file, before + c.lines + c.failed_line, c.problem);
}

} // namespace coppice::inline v0_1::detail
