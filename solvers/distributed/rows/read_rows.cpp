// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/read_rows.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_file.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/core/files/byte_reader.hpp>
#include <coppice/solvers/distributed/rows/rank_messages.hpp>

namespace coppice::inline v0_1 {
namespace distributed {
namespace {

void check_unknowns(std::int64_t unknowns) {
    if (unknowns < 1)
        throw argument_error("unknowns per point of a distributed matrix are " + std::to_string(unknowns) +
                             ", expected 1 or more");
}
rank_offsets equal_blocks(std::int64_t rows, int ranks, std::int64_t unknowns) {
    std::int64_t const step = std::max<std::int64_t>(std::gcd(rows, unknowns), 1);
    rank_offsets begin;
    for (int p = 0; p <= ranks; ++p) begin.push_back(rows / step * p / ranks * step);
    return begin;
}

/// The first row i with first + offsets[i] + i >= total p / ranks for each p, in [0, rows]; `first`: the entries and
/// rows of previous ranks.
rank_offsets rows_at_weights(array_view<std::int32_t const> offsets, std::int64_t first, std::int64_t total,
                             int ranks) {
    rank_offsets found;
    for (int p = 0; p <= ranks; ++p) {
        std::int64_t begin = 0, end = offsets.size() - 1;
        while (begin < end) {
            std::int64_t const middle = (begin + end) / 2;
            if ((first + offsets[middle] + middle) * ranks < total * p)
                begin = middle + 1;
            else
                end = middle;
        }
        found.push_back(begin);
    }
    return found;
}

/// Sends rows [sent[p], sent[p + 1]) of the rows of this rank to rank p, and appends those that this rank receives to
/// `own`, in the order of the ranks. Collective.
template <class T>
void send_rows(rank_communicator const& comm, rank_offsets const& sent, std::int32_t const* offsets,
               std::int32_t const* columns, T const* values, row_block<T>& own) {
    rank_offsets entries;
    for (std::int64_t const row : sent) entries.push_back(offsets[row]);
    std::vector<std::int32_t> lengths, own_lengths;
    for (std::int64_t i = 0; i < sent.back(); ++i) lengths.push_back(offsets[i + 1] - offsets[i]);
    auto const receive = [&](rank_offsets const& sent_begin, auto const* elements, auto& to) {
        rank_offsets const received = begins_of_received(comm, sent_begin);
        to.resize(std::size_t(received.back()));
        send_and_receive(comm, sent_begin, elements, received, to.data())->finish();
    };
    receive(sent, static_cast<std::int32_t const*>(lengths.data()), own_lengths);
    std::int64_t end = 0;
    for (std::int32_t const length : own_lengths)
        own.offsets.push_back(checked_cast<std::int32_t>(end += length, "number of entries of a rank"));
    receive(entries, columns, own.columns);
    receive(entries, values, own.values);
}

template <class T>
row_block<T> block_of(csr<T> const& own, std::int64_t first, std::int64_t all_rows, std::int64_t all_columns) {
    return {first,
            all_rows,
            all_columns,
            {own.row_offsets().begin(), own.row_offsets().end()},
            {own.column_indices().begin(), own.column_indices().end()},
            {own.values().begin(), own.values().end()}};
}

/// Offset of the first line that starts at or after `at`, in a file whose lines start at `body`.
std::int64_t line_start(byte_reader& file, std::int64_t body, std::int64_t at) {
    if (at <= body) return body;
    if (at >= file.size()) return file.size();
    std::array<char, 4096> block{};
    file.seek(at - 1);
    for (std::int64_t from = at - 1;;) {
        std::size_t const got = file.read(block.data(), block.size());
        if (got == 0) return file.size();
        std::string_view const text(block.data(), got);
        if (auto const found = text.find('\n'); found != text.npos) return from + std::int64_t(found) + 1;
        from += std::int64_t(got);
    }
}

/// A plain Matrix Market file of which each rank reads a range of lines.
class lines_of_file {
public:
    /// Null if the file is of another kind. The same on all ranks.
    static std::optional<lines_of_file> open(rank_communicator const& comm, std::filesystem::path const& path) {
        std::int64_t const size = is_standard_stream(path) ? -1 : size_of(path);
        for (std::int64_t const of_rank : comm.gather(size))
            if (of_rank != size)
                throw io_error(path.string() + ": has " + std::to_string(size) + " bytes on rank " +
                               std::to_string(comm.rank()) + " and " + std::to_string(of_rank) +
                               " on another, expected the same file on all hosts");
        if (size < 0) return std::nullopt;
        return lines_of_file(path);
    }
    detail::parsed_header const& top() const { return top_; }
    std::int64_t bytes() const { return bytes_; }

    /// Reads the lines of this rank.
    file_text read(rank_communicator const& comm) const {
        byte_reader file(path_);
        auto const body = std::int64_t(top_.body), size = bytes_ - body;
        auto const start = [&](int p) { return line_start(file, body, body + size * p / comm.ranks()); };
        std::int64_t const first = start(comm.rank()), last = start(comm.rank() + 1);
        growing_text text;
        text.reserve(std::size_t(last - first) + 1);
        file.seek(first);
        text.size = file.read(text.free_space(), std::size_t(last - first));
        return text.release(true);
    }

private:
    explicit lines_of_file(std::filesystem::path const& path) : path_(path), bytes_(size_of(path)) {
        for (std::size_t limit = std::size_t(1) << 16;; limit *= 16) {
            file_text const text = read_text(path, limit);
            if (auto const top = detail::parse_header(path.string(), text.view, text.complete)) {
                top_ = *top;
                return;
            }
        }
    }
    /// The size of a plain Matrix Market file, otherwise -1.
    static std::int64_t size_of(std::filesystem::path const& path) {
        constexpr std::string_view banner = "%%MatrixMarket";
        byte_reader file(path);
        std::array<char, banner.size()> begin{};
        std::size_t const got = file.read(begin.data(), begin.size());
        return std::string_view(begin.data(), got) == banner ? file.size() : -1;
    }

    std::filesystem::path path_;
    std::int64_t bytes_;
    detail::parsed_header top_{};
};

/// Number of lines and entries; before the first ones of a rank, or of all ranks.
struct line_count {
    std::int64_t lines = 0, entries = 0;
};

/// Throws for the first wrong line of the file, on its rank; the others throw in the barrier. `before`: the number of
/// lines before those of this rank. Collective, so that a wrong line of a later rank is not reported in its place.
void report_first_failed_line(rank_communicator const& comm, std::string const& name, std::int64_t before,
                              std::vector<detail::line_chunk> const& chunks) {
    bool const mine =
        std::any_of(chunks.begin(), chunks.end(), [](detail::line_chunk const& c) { return c.failed_line > 0; });
    auto const failed = comm.gather(int(mine));
    auto const first = std::find(failed.begin(), failed.end(), 1);
    if (first == failed.end()) return;
    if (first - failed.begin() == comm.rank()) detail::report_failed_line(name, before, chunks);
    comm.barrier();
}

/// The entries in the lines of this rank, in their order.
template <class T>
buffer<detail::triplet<T, std::int32_t>> entries_of_lines(host_executor const& exec, rank_communicator const& comm,
                                                          lines_of_file const& file, std::string const& name,
                                                          inexact_integers rule_of_integers) {
    constexpr detail::line_rule rule{'%'};
    auto const& top = file.top();
    file_text const text = file.read(comm);
    auto chunks = detail::split_lines(exec, text.view, rule);
    line_count before, total;
    auto const counts = comm.gather(line_count{chunks.back().lines, chunks.back().entries});
    for (int p = 0; p < comm.ranks(); ++p) {
        if (p == comm.rank()) before = total;
        total.lines += counts[std::size_t(p)].lines;
        total.entries += counts[std::size_t(p)].entries;
    }
    std::int64_t const expected =
        std::clamp<std::int64_t>(top.header.stored - before.entries, 0, chunks.back().entries);
    buffer<detail::triplet<T, std::int32_t>> entries(exec, expected);
    detail::parse_lines(
        exec, text.view, rule, chunks, entries.view(), {},
        [&](std::int64_t first) {
            return detail::line_parser<T, std::int32_t>(top.header, before.entries + first, rule_of_integers);
        },
        [](std::int64_t, auto const&) {});
    report_first_failed_line(comm, name, top.size_line + before.lines, chunks);
    if (total.entries != top.header.stored)
        throw format_error(name, top.size_line,
                           "the size line declares " + std::to_string(top.header.stored) +
                               " entries, and the file has " + std::to_string(total.entries));
    return entries;
}

/// Sends entries, and the mirror images of symmetric kinds, to the ranks of their rows; those of a row keep their
/// order.
template <class T>
buffer<detail::triplet<T, std::int32_t>>
send_entries(host_executor const& exec, rank_communicator const& comm, rank_offsets const& begin,
             matrix_market_symmetry symmetry,
             array_view<detail::triplet<std::type_identity_t<T>, std::int32_t> const> entries) {
    using triplet = detail::triplet<T, std::int32_t>;
    auto const owner = [&](std::int64_t row) {
        return std::size_t(std::upper_bound(begin.begin(), begin.end(), row) - begin.begin()) - 1;
    };
    auto const for_each_entry = [&](auto const& use) {
        for (triplet const& e : entries) {
            use(e);
            if (symmetry != matrix_market_symmetry::general && e.row != e.column)
                use(triplet{e.column, e.row, detail::mirrored(e.value, symmetry)});
        }
    };
    rank_offsets send_begin(begin.size(), 0);
    for_each_entry([&](triplet const& e) { ++send_begin[owner(e.row) + 1]; });
    for (std::size_t p = 1; p < send_begin.size(); ++p) send_begin[p] += send_begin[p - 1];
    buffer<triplet> sent(exec, send_begin.back());
    rank_offsets at = send_begin;
    for_each_entry([&](triplet const& e) { sent.data()[at[owner(e.row)]++] = e; });
    rank_offsets const receive_begin = begins_of_received(comm, send_begin);
    buffer<triplet> received(exec, receive_begin.back());
    send_and_receive(comm, send_begin, static_cast<triplet const*>(sent.data()), receive_begin, received.data())
        ->finish();
    return received;
}

template <class T>
row_block<T> read_in_parallel(host_executor const& exec, rank_communicator const& comm, lines_of_file const& file,
                              std::string const& name, matrix_read_options const& options, std::int64_t unknowns) {
    matrix_market_header const& h = file.top().header;
    detail::require_value_type<T>(name, 1, h.field == matrix_market_field::complex);
    detail::require_index_type<std::int32_t>(name, file.top().size_line, h.rows, h.columns);
    detail::require_proportionate_rows(name, h.rows, sizeof(std::int32_t), file.bytes(), options.limits);
    rank_offsets const begin = equal_blocks(h.rows, comm.ranks(), unknowns);
    std::int64_t const first = begin[std::size_t(comm.rank())], last = begin[std::size_t(comm.rank()) + 1];
    auto own = [&] {
        auto const entries = entries_of_lines<T>(exec, comm, file, name, detail::rule_of_integers(options));
        return send_entries<T>(exec, comm, begin, h.symmetry, entries.view());
    }();
    for (auto& e : own) e.row -= std::int32_t(first);
    auto const rows = detail::to_rows<T, std::int32_t>(
        exec, name, {last - first, h.columns, matrix_market_symmetry::general, std::move(own), {}, 1},
        options.duplicates);
    return block_of(rows, first, h.rows, h.columns);
}

} // namespace
} // namespace distributed

template <class T>
row_block<T> scatter_rows(rank_communicator const& comm, csr<T> const& whole, std::int64_t unknowns) {
    using distributed::rank_offsets;
    distributed::check_unknowns(unknowns);
    struct shape {
        std::int64_t rows, columns;
    };
    shape const all = comm.gather(shape{whole.rows(), whole.columns()})[0];
    auto const p = std::size_t(comm.rank());
    rank_offsets const begin = distributed::equal_blocks(all.rows, comm.ranks(), unknowns), nothing(begin.size(), 0);
    std::int32_t const no_offset = 0;
    row_block<T> own{begin[p], all.rows, all.columns, {0}, {}, {}};
    distributed::send_rows<T>(comm, p == 0 ? begin : nothing, p == 0 ? whole.row_offsets().data() : &no_offset,
                              whole.column_indices().data(), whole.values().data(), own);
    return own;
}

std::vector<std::int64_t> blocks_of_entries(array_view<std::int32_t const> offsets, int ranks) {
    std::int64_t const rows = offsets.size() - 1;
    return distributed::rows_at_weights(offsets, 0, offsets[rows] + rows, ranks);
}

template <class T>
row_block<T> balance_entries(rank_communicator const& comm, row_block<T> const& rows) {
    using distributed::rank_offsets;
    rank_offsets const weights = offsets_of_ranks(comm, rows.rows() + rows.offsets.back());
    auto const self = std::size_t(comm.rank());
    rank_offsets const sent = distributed::rows_at_weights(array_view<std::int32_t const>(rows.offsets), weights[self],
                                                           weights.back(), comm.ranks());
    // Rows before the target of this rank, on any rank, are before its block.
    row_block<T> own{0, rows.all_rows, rows.all_columns, {0}, {}, {}};
    for (auto const& of_rank : comm.gather(sent)) own.first += of_rank[self];
    distributed::send_rows<T>(comm, sent, rows.offsets.data(), rows.columns.data(), rows.values.data(), own);
    return own;
}

template <class T>
row_block<T> slice_rows(csr<T> const& whole, std::int64_t first, std::int64_t last) {
    std::int32_t const* const offsets = whole.row_offsets().data();
    std::int64_t const begin = offsets[first], end = offsets[last];
    row_block<T> rows{first,
                      whole.rows(),
                      whole.columns(),
                      {offsets + first, offsets + last + 1},
                      {whole.column_indices().data() + begin, whole.column_indices().data() + end},
                      {whole.values().data() + begin, whole.values().data() + end}};
    for (std::int32_t& offset : rows.offsets) offset -= std::int32_t(begin);
    return rows;
}

template <class T>
row_block<T> transpose_rows(host_executor const& exec, rank_communicator const& comm, row_block<T> const& rows) {
    using triplet = detail::triplet<T, std::int32_t>;
    require_size("columns of a square matrix", rows.all_columns, rows.all_rows);
    buffer<triplet> transposed(exec, std::int64_t(rows.values.size()));
    for (std::int64_t i = 0; i < rows.rows(); ++i)
        for (std::int64_t k = rows.offsets[std::size_t(i)]; k < rows.offsets[std::size_t(i) + 1]; ++k)
            transposed[k] = {rows.columns[std::size_t(k)], std::int32_t(rows.first + i), rows.values[std::size_t(k)]};
    auto own = distributed::send_entries<T>(exec, comm, offsets_of_ranks(comm, rows.rows()),
                                            matrix_market_symmetry::general, transposed.view());
    for (auto& e : own) e.row -= std::int32_t(rows.first);
    auto const sorted = detail::to_rows<T, std::int32_t>(
        exec, "the transpose", {rows.rows(), rows.all_columns, matrix_market_symmetry::general, std::move(own), {}, 1},
        duplicates::keep);
    return distributed::block_of(sorted, rows.first, rows.all_rows, rows.all_columns);
}

template <class T>
bool is_symmetric(host_executor const& exec, rank_communicator const& comm, row_block<T> const& rows) {
    if (rows.all_rows != rows.all_columns) return false;
    auto const other = transpose_rows(exec, comm, rows);
    bool const equal = other.offsets == rows.offsets && other.columns == rows.columns &&
                       std::equal(other.values.begin(), other.values.end(), rows.values.begin(),
                                  [](T a, T b) { return std::conj(a) == b; });
    for (int const of_rank : comm.gather(int(equal)))
        if (!of_rank) return false;
    return true;
}

bool reads_in_parallel(rank_communicator const& comm, std::filesystem::path const& path) {
    return distributed::lines_of_file::open(comm, path).has_value();
}
bool has_complex_rows(rank_communicator const& comm, std::filesystem::path const& path) {
    auto const file = distributed::lines_of_file::open(comm, path);
    return file && file->top().header.field == matrix_market_field::complex;
}

template <class T>
row_block<T> read_rows(host_executor const& exec, rank_communicator const& comm, std::filesystem::path const& path,
                       matrix_read_options const& options, std::int64_t unknowns) {
    distributed::check_unknowns(unknowns);
    std::string const name = input_name(path);
    return detail::with_memory_errors(name, [&] {
        if (auto const file = distributed::lines_of_file::open(comm, path))
            return distributed::read_in_parallel<T>(exec, comm, *file, name, options, unknowns);
        return scatter_rows(comm, comm.rank() == 0 ? read_matrix<T>(exec, path, options) : csr<T>(), unknowns);
    });
}

#define COPPICE_ROW_BLOCKS(T)                                                                                          \
    template row_block<T> read_rows(host_executor const&, rank_communicator const&, std::filesystem::path const&,      \
                                    matrix_read_options const&, std::int64_t);                                         \
    template row_block<T> scatter_rows(rank_communicator const&, csr<T> const&, std::int64_t);                         \
    template row_block<T> balance_entries(rank_communicator const&, row_block<T> const&);                              \
    template row_block<T> slice_rows(csr<T> const&, std::int64_t, std::int64_t);                                       \
    template row_block<T> transpose_rows(host_executor const&, rank_communicator const&, row_block<T> const&);         \
    template bool is_symmetric(host_executor const&, rank_communicator const&, row_block<T> const&);
COPPICE_ROW_BLOCKS(float)
COPPICE_ROW_BLOCKS(double)
COPPICE_ROW_BLOCKS(std::complex<float>)
COPPICE_ROW_BLOCKS(std::complex<double>)

} // namespace coppice::inline v0_1
