// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel parsing of texts with one entry per line, in chunks of whole lines.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>
#include <coppice/core/files/file.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Size of a chunk before extension to a line end. A constant, so that chunks do not depend on the number of threads.
inline constexpr std::int64_t chunk_bytes = std::int64_t(1) << 20;

struct line_chunk {
    char const* first = nullptr;
    char const* last = nullptr;
    std::int64_t lines = 0;   ///< in this chunk; after the scan, before it
    std::int64_t entries = 0; ///< in this chunk; after the scan, before it
    std::int64_t failed_line = 0;
    std::string problem{};
};

/// Comment rules. Lines that begin with a comment, and blank lines, contain no entry.
struct line_rule {
    char comment;
    char other_comment = comment;
    bool slashes = false;     ///< two slashes start a comment
    bool whole_lines = false; ///< blanks at the start of a line belong to it: a tab there follows an empty field

    /// Whether a comment starts at `at`; requires at != end.
    bool begins_comment(char const* at, char const* end) const {
        return *at == comment || *at == other_comment || (slashes && *at == '/' && end - at > 1 && at[1] == '/');
    }

    /// Calls use(at) for each line of the chunk that contains an entry, with `at` at its first token, or at its start
    /// if `whole_lines`. `use` may move `at` within the line and returns whether to continue. Returns the number of
    /// lines that were started.
    template <class Use>
    std::int64_t for_each_line(line_chunk const& c, char const* end, Use const& use) const {
        std::int64_t lines = 0;
        for (char const* at = c.first; at < c.last;) {
            ++lines;
            char const* const start = at;
            at = skip_blanks(at, end);
            if (at != end && *at != '\n' && !begins_comment(at, end)) {
                if (whole_lines) at = start;
                if (!use(at)) return lines;
            }
            at = line_end(at, end);
            if (at != end) ++at;
        }
        return lines;
    }
};

/// Reports to a callback how much of a text is finished; may be called by any thread.
class progress_of_chunks {
public:
    progress_of_chunks(file_progress const& tell, std::int64_t bytes) : tell_(tell), bytes_(bytes) {}
    void add(line_chunk const& c) {
        if (!tell_) return;
        std::lock_guard const guard(lock_);
        tell_("parsing", done_ += c.last - c.first, bytes_);
    }

private:
    file_progress const& tell_;
    std::int64_t bytes_;
    std::int64_t done_ = 0;
    std::mutex lock_{};
};

/// Splits a text at line ends and counts lines and entries. The counts of a chunk become those of all chunks before it;
/// an additional element at the end contains the totals.
std::vector<line_chunk> split_lines(host_executor const& exec, std::string_view body, line_rule rule);

/// Parses all entries. make_parser(first entry) creates a parser for each chunk; parse(at, end, entry) is called for
/// each line, and its `problem` is the reason of a failure. done(parser) is called at the end of the chunk. Stops at
/// entries.size().
template <class Entry, class MakeParser, class Done>
void parse_lines(host_executor const& exec, std::string_view body, line_rule rule, std::vector<line_chunk>& chunks,
                 array_view<Entry> entries, file_progress const& tell, MakeParser const& make_parser,
                 Done const& done) {
    char const* const end = body.data() + body.size();
    progress_of_chunks progress(tell, static_cast<std::int64_t>(body.size()));
    for_each_block(exec, static_cast<std::int64_t>(chunks.size()) - 1, 1,
                   [&](std::int64_t b, std::int64_t, std::int64_t) {
                       line_chunk& c = chunks[static_cast<std::size_t>(b)];
                       auto parser = make_parser(c.entries);
                       std::int64_t k = c.entries;
                       bool good = true;
                       std::int64_t const lines = rule.for_each_line(c, end, [&](char const*& at) {
                           if (k >= entries.size()) return false;
                           return good = parser.parse(at, end, entries[k++]);
                       });
                       done(b, parser);
                       progress.add(c);
                       if (good) return;
                       c.failed_line = lines;
                       c.problem = std::move(parser.problem);
                   });
}

/// Throws format_error for the first failed line. `before` is the number of lines before the body.
void report_failed_line(std::string const& file, std::int64_t before, std::vector<line_chunk> const& chunks);

} // namespace coppice::inline v0_1::detail
