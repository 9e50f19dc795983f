// SPDX-License-Identifier: BSD-3-Clause
// Graph files of METIS (.graph) and of the GAP benchmark suite (.sg, .wsg). See include/coppice/matrix_file.hpp.
#include <bit>
#include <cstring>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>
#include <coppice/algebra/random.hpp>

namespace coppice::inline v0_1::detail {
namespace {

/// Reads the lines of a text in their order and counts them.
class line_reader : public line_cursor {
public:
    line_reader(std::string const& file, std::string_view text)
        : file_(file), first_(text.data()), next_(text.data()), text_end_(text.data() + text.size()) {}

    /// Moves to the next line that does not begin with %. Returns whether there is one.
    bool next_line() {
        while (next_ != text_end_) {
            char const* const stop = line_end(next_, text_end_);
            begin_at(next_, stop);
            next_ = stop == text_end_ ? stop : stop + 1;
            ++number_;
            if (at_ == end_ || *at_ != '%') return true;
        }
        return false;
    }
    bool is_over() { return at_line_end(); }
    std::int64_t line() const { return number_; }
    std::int64_t bytes_done() const { return next_ - first_; }

    [[noreturn]] void refuse(std::string const& why) const { throw format_error(file_, number_, why); }

    /// Reads an integer from `min` to `max`. `what` is its name in messages.
    std::int64_t take_number(char const* what, std::int64_t min, std::int64_t max) {
        at_ = skip_blanks(at_, end_);
        char const* const token = at_;
        std::int64_t value = 0;
        if (!parse_index_quickly(at_, end_, value)) {
            auto const status = parse_integer(at_, end_, value);
            if (status == number_status::malformed) refuse(std::string("expected ") + what + ", found " + next_token());
            if (status == number_status::out_of_range) value = *token == '-' ? min - 1 : max + 1;
        }
        if (value < min || value > max)
            refuse(std::string(what) + " " + quoted(token_at(token, end_)) + " is outside " + std::to_string(min) +
                   " to " + std::to_string(max));
        return value;
    }
    template <class R>
    R take_weight(inexact_integers rule) {
        R value{};
        char const* const token = skip_blanks(at_, end_);
        if (is_over()) refuse("the weight of the last edge is missing");
        auto const status = parse_real(at_, end_, value);
        if (status == number_status::malformed) refuse("expected the weight of an edge, found " + next_token());
        if (status == number_status::out_of_range) {
            fail_range<R>();
            refuse(problem);
        }
        auto const text = token_at(token, end_);
        if (rule == inexact_integers::refuse && is_inexact_integer(value, text))
            refuse("the weight " + quoted(text) + " is " + inexact_integer_message);
        return value;
    }
    /// Reads up to three digits 0 or 1; missing leading digits are 0.
    int take_flags() {
        at_ = skip_blanks(at_, end_);
        auto const token = token_at(at_, end_);
        if (token.size() > 3 || token.find_first_not_of("01") != token.npos)
            refuse("the format " + quoted(token) +
                   " is not a format: expected up to three digits 0 or 1 (sizes of vertices, "
                   "weights of vertices, weights of edges)");
        int flags = 0;
        for (char const c : token) flags = 2 * flags + (c == '1' ? 1 : 0);
        at_ += token.size();
        return flags;
    }

private:
    std::string const& file_;
    char const* first_;
    char const* next_;
    char const* text_end_;
    std::int64_t number_ = 0;
};

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_metis(host_executor const& exec, std::string const& file, std::string_view text,
                                 matrix_read_options const& options) {
    auto const& tell = options.progress;
    using real = typename real_type<T>::type;
    constexpr std::int64_t max_count = std::numeric_limits<std::int64_t>::max() / 4;
    line_reader in(file, text);
    do {
        if (!in.next_line())
            throw format_error(file, 0, "expected the numbers of vertices and edges, and the file ends");
    } while (in.is_over());
    std::int64_t const vertices = in.take_number("a number of vertices", 0, max_count);
    std::int64_t const edges = in.take_number("a number of edges", 0, max_count);
    int const flags = in.is_over() ? 0 : in.take_flags();
    std::int64_t const constraints =
        in.is_over() ? (flags & 2 ? 1 : 0) : in.take_number("a number of weights a vertex", 0, max_count);
    if (!in.is_over()) in.refuse("the first line has more than vertices, edges, format and weights a vertex");
    std::int64_t const skipped = (flags & 4 ? 1 : 0) + (flags & 2 ? constraints : 0);
    require_index_type<I>(file, in.line(), vertices, vertices);
    // Limits from the size of the file: an edge takes two numbers of at least one digit and a blank, a vertex takes a
    // line.
    auto const bytes = static_cast<std::int64_t>(text.size());
    if (edges > bytes / 4 + 1 || vertices > bytes)
        in.refuse("the first line declares " + std::to_string(vertices) + " vertices and " + std::to_string(edges) +
                  " edges, more than a file of " + std::to_string(bytes) + " bytes can hold");

    buffer<triplet<T, I>> entries(exec, 2 * edges);
    std::int64_t found = 0;
    std::uint64_t unpaired = 0; // sum of the hashes of edges minus the hashes of their reverse edges
    for (std::int64_t u = 0; u < vertices; ++u) {
        if (!in.next_line())
            throw format_error(file, in.line(),
                               "the file ends after " + std::to_string(u) + " of " + std::to_string(vertices) +
                                   " vertices; one without edges is an empty line");
        if (tell && u % 65536 == 0) tell("parsing", in.bytes_done(), bytes);
        for (std::int64_t k = 0; k < skipped; ++k) in.take_number("a weight of the vertex", 0, max_count);
        while (!in.is_over()) {
            std::int64_t const v = in.take_number("a neighbour", 1, vertices) - 1;
            if (v == u) in.refuse("vertex " + std::to_string(u + 1) + " is its own neighbour");
            real const weight = flags & 1 ? in.take_weight<real>(options.inexact_integers) : real(1);
            if (found == 2 * edges)
                in.refuse("more than the " + std::to_string(edges) + " edges that the first line declares");
            entries[found++] = {static_cast<I>(u), static_cast<I>(v), T(weight)};
            auto const low = static_cast<std::uint64_t>(std::min(u, v)),
                       high = static_cast<std::uint64_t>(std::max(u, v));
            std::uint64_t const h = mix_bits(mix_pair(low, high) ^ std::bit_cast<std::uint64_t>(double(weight)));
            unpaired += u < v ? h : 0 - h;
        }
    }
    while (in.next_line())
        if (!in.is_over()) in.refuse("there are lines after the last of " + std::to_string(vertices) + " vertices");
    if (found != 2 * edges)
        throw format_error(file, 0,
                           "the first line declares " + std::to_string(edges) + " edges, which are " +
                               std::to_string(2 * edges) + " neighbours, and there are " + std::to_string(found));
    if (unpaired != 0)
        throw format_error(file, 0,
                           "an edge is listed at one of its vertices only, or with different weights at the two");
    return {vertices, vertices, matrix_market_symmetry::general, std::move(entries), {}, 1};
}

template <class T, class I>
matrix_entries<T, I> parse_gap(host_executor const& exec, std::string const& file, std::string_view bytes,
                               bool weighted) {
    static_assert(std::endian::native == std::endian::little);
    auto const refuse = [&](std::string const& why) { throw format_error(file, 0, why); };
    auto const number = [&]<class N>(std::size_t at, N) {
        N x;
        std::memcpy(&x, bytes.data() + at, sizeof(N));
        return x;
    };
    constexpr std::size_t head = 1 + 8 + 8;
    if (bytes.size() < head + 8) refuse("the file ends within its head: " + std::to_string(bytes.size()) + " bytes");
    auto const directed = static_cast<unsigned char>(bytes[0]);
    auto const count = number(1, std::int64_t()), vertices = number(9, std::int64_t());
    if (directed > 1)
        refuse("the first byte must be 0 (undirected) or 1 (directed), and is " + std::to_string(directed));
    auto const size = static_cast<std::int64_t>(bytes.size());
    std::int64_t const width = weighted ? 8 : 4;
    std::string const sizes = std::to_string(vertices) + " vertices and " + std::to_string(count) + " stored edges";
    if (vertices < 0 || count < 0 || vertices > size / 8 || count > size / width)
        refuse("the head declares " + sizes + ", which a file of " + std::to_string(size) + " bytes does not hold");
    std::int64_t const graph_bytes =
        8 * (vertices + 1) + width * count; // a directed .sg file also stores the transposed graph
    std::int64_t const expected = std::int64_t(head) + graph_bytes * (directed != 0 ? 2 : 1);
    if (size != expected)
        refuse("a graph of " + sizes + " takes " + std::to_string(expected) + " bytes, and the file has " +
               std::to_string(size));
    require_index_type<I>(file, 0, vertices, vertices);

    std::size_t const edges = head + 8 * std::size_t(vertices + 1);
    auto const offset = [&](std::int64_t u) { return number(head + 8 * std::size_t(u), std::int64_t()); };
    if (offset(0) != 0 || offset(vertices) != count)
        refuse("offsets run from " + std::to_string(offset(0)) + " to " + std::to_string(offset(vertices)) +
               ", expected 0 to " + std::to_string(count));
    buffer<triplet<T, I>> entries(exec, count);
    for (std::int64_t u = 0; u < vertices; ++u) {
        std::int64_t const first = offset(u), last = offset(u + 1);
        if (first > last || last > count)
            refuse("the offsets of vertex " + std::to_string(u) + ", " + std::to_string(first) + " and " +
                   std::to_string(last) + ", do not increase within 0 to " + std::to_string(count));
        for (std::int64_t k = first; k < last; ++k) {
            std::size_t const at = edges + std::size_t(width * k);
            auto const v = number(at, std::int32_t());
            if (v < 0 || v >= vertices)
                refuse("neighbour " + std::to_string(v) + " of vertex " + std::to_string(u) + " is outside 0 to " +
                       std::to_string(vertices - 1));
            auto const weight = weighted ? number(at + 4, std::int32_t()) : 1;
            entries[k] = {static_cast<I>(u), static_cast<I>(v), T(typename real_type<T>::type(weight))};
        }
    }
    return {vertices, vertices, matrix_market_symmetry::general, std::move(entries), {}, 0};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_metis(host_executor const&, std::string const&, std::string_view,              \
                                              matrix_read_options const&);                                             \
    template matrix_entries<T, I> parse_gap(host_executor const&, std::string const&, std::string_view, bool)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::inline v0_1::detail
