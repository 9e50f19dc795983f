// SPDX-License-Identifier: BSD-3-Clause
// JSON graphs in the format of networkx.node_link_data. See include/coppice/matrix_file.hpp.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>

namespace coppice::inline v0_1::detail {
namespace {

using nlohmann::json;

/// Converts JSON as Python writes it: NaN, Infinity and -Infinity outside of strings become strings, which the reader
/// interprets as numbers. Returns an empty string if there are none.
std::string with_quoted_infinities(std::string_view text) {
    if (text.find("NaN") == text.npos && text.find("Infinity") == text.npos) return {};
    static constexpr std::string_view words[] = {"NaN", "-Infinity", "Infinity"};
    std::string quoted;
    quoted.reserve(text.size() + text.size() / 8);
    bool in_string = false;
    for (std::size_t at = 0; at < text.size();) {
        auto const* const word =
            in_string ? std::end(words) : std::find_if(std::begin(words), std::end(words), [&](auto w) {
                return text[at] == w[0] && text.substr(at, w.size()) == w;
            });
        if (word != std::end(words)) {
            quoted.append("\"").append(*word).append("\"");
            at += word->size();
            continue;
        }
        std::size_t const length = in_string && text[at] == '\\' ? 2 : 1;
        if (text[at] == '"') in_string = !in_string;
        quoted += text.substr(at, length);
        at += length;
    }
    return quoted;
}

/// Reads nodes and edges one by one while the text is parsed; other attributes, which may be large, are not stored.
/// Neither the event-based parser nor this class is recursive.
class node_link_reader {
public:
    struct edge {
        std::int64_t from, to;
        double weight;
    };
    bool directed = false; ///< default as in NetworkX
    std::int64_t vertices = 0;
    std::vector<edge> edges;        ///< vertices are numbered in the order of the list of nodes
    std::vector<std::string> names; ///< names of the nodes: the text of a string, JSON for any other id

    node_link_reader(std::string const& file, std::string_view text, inexact_integers rule) : file_(file), rule_(rule) {
        auto const quoted = with_quoted_infinities(text);
        if (!quoted.empty()) text = quoted;
        text_ = text;
        json::sax_parse(text.begin(), text.end(), this);
        if (!has_nodes_ || !has_edges_)
            refuse(std::string("no list ") + (has_nodes_ ? "\"edges\" (or \"links\")" : "\"nodes\"") +
                   ": expected a graph as networkx.node_link_data writes it");
        number_in_order_of_nodes();
    }

    // Interface that the JSON parser calls.

    bool null() { return take_value("null"); }
    bool boolean(bool value) {
        if (depth_ == 1 && member_ == "directed") {
            directed = value;
            return true;
        }
        return take_value(value ? "true" : "false", value ? "1" : "0");
    }
    bool number_integer(std::int64_t value) { return take_integer(value); }
    bool number_unsigned(std::uint64_t value) { return take_integer(value); }
    bool number_float(double value, std::string const& digits) {
        bool const exact = !is_inexact_integer(digits); // an integer has more than 64 bits here
        bool const small = std::abs(value) < 0x1p63 && value == std::trunc(value);
        return take_number(value, digits, small ? std::to_string(std::int64_t(value)) : digits, exact);
    }
    bool string(std::string const& value) {
        bool const read = is_read();
        if (read && attribute_ == attribute::weight)
            for (auto const& [word, number] :
                 {std::pair{"NaN", std::nan("")}, std::pair{"Infinity", HUGE_VAL}, std::pair{"-Infinity", -HUGE_VAL}})
                if (value == word) return take_number(number, word, word, true);
        return take_value(read ? json(value).dump() : std::string("\"\""));
    }
    bool binary(json::binary_t const&) { return true; } // not covered: JSON has no binary values

    bool start_object(std::size_t) {
        if (depth_ == 2 && in_ != list::none)
            id_ = from_ = to_ = {}, weight_ = 1;
        else if (depth_ > 0)
            open("an object");
        return ++depth_, true;
    }
    bool key(std::string const& name) {
        if (depth_ == 1) {
            member_ = name;
            in_ = name == "nodes" ? list::nodes : name == "edges" || name == "links" ? list::edges : list::none;
        } else if (depth_ == 3 && in_ != list::none) {
            attribute_ = name == "id" && in_ == list::nodes       ? attribute::id
                         : name == "source" && in_ == list::edges ? attribute::source
                         : name == "target" && in_ == list::edges ? attribute::target
                         : name == "weight" && in_ == list::edges ? attribute::weight
                                                                  : attribute::other;
            if (auto* const text = text_of_attribute()) text->clear(); // as in Python, the last of equal keys is used
        } else if (is_read()) {
            auto& id = *text_of_attribute();
            separate(id);
            id.append(json(name).dump()).append(":");
        }
        return true;
    }
    bool end_object() {
        --depth_;
        if (depth_ == 2 && in_ != list::none) {
            in_ == list::nodes ? take_node() : take_edge();
            ++in_list_;
        } else {
            close('}');
        }
        return true;
    }
    bool start_array(std::size_t) {
        if (depth_ == 0) refuse("expected an object of JSON with nodes and edges");
        if (depth_ == 1 && in_ != list::none) {
            bool& seen = in_ == list::nodes ? has_nodes_ : has_edges_;
            if (std::exchange(seen, true))
                refuse("a second list of " + std::string(in_ == list::nodes ? "nodes" : "edges"));
            in_list_ = 0;
        } else {
            open("a list");
        }
        return ++depth_, true;
    }
    bool end_array() {
        --depth_;
        close(']');
        return true;
    }
    bool parse_error(std::size_t position, std::string const&, json::exception const& e) {
        auto const stop = std::min(text_.size(), position);
        throw format_error(file_, 1 + std::count(text_.begin(), text_.begin() + std::ptrdiff_t(stop), '\n'),
                           "not JSON: " + reason(e));
    }

private:
    enum class list { none, nodes, edges };
    enum class attribute { other, id, source, target, weight };
    static constexpr int deepest_id = 64;

    [[noreturn]] void refuse(std::string const& why) const { throw format_error(file_, 0, why); }
    /// Returns the message without the number of the exception and the position, which our messages contain already.
    static std::string reason(json::exception const& e) {
        std::string const what = e.what();
        auto const at = what.find(": ");
        return at == what.npos ? what : what.substr(at + 2);
    }
    std::string name() const { return '"' + member_ + '"'; }
    std::string number_in_list() const { return "number " + std::to_string(in_list_) + " of " + name(); }

    /// Whether the next value belongs to an id or a weight.
    bool is_read() const { return in_ != list::none && depth_ >= 3 && attribute_ != attribute::other; }
    std::string* text_of_attribute() {
        return attribute_ == attribute::id       ? &id_
               : attribute_ == attribute::source ? &from_
               : attribute_ == attribute::target ? &to_
                                                 : nullptr;
    }
    /// Adds a comma if another value of the same list precedes.
    static void separate(std::string& text) {
        if (!text.empty() && text.back() != '[' && text.back() != '{' && text.back() != ':') text += ',';
    }

    template <class I>
    bool take_integer(I value) {
        double const rounded = double(value), end = std::ldexp(1, std::numeric_limits<I>::digits);
        bool const exact = rounded >= -end && rounded < end && I(rounded) == value;
        return take_number(rounded, std::to_string(value), std::to_string(value), exact);
    }
    /// `id`: the text of the number as an id; those of equal numbers are equal, as in Python. An integer that is not
    /// exact is refused as a weight.
    bool take_number(double value, std::string const& digits, std::string const& id, bool exact) {
        if (!is_read() || attribute_ != attribute::weight || depth_ > 3) return take_value(digits, id);
        if (!exact && rule_ == inexact_integers::refuse)
            refuse("the weight of " + number_in_list() + " is " + digits + ", " + inexact_integer_message);
        weight_ = value;
        return true;
    }
    bool take_value(std::string const& text) { return take_value(text, text); }
    bool take_value(std::string const& text, std::string const& as_id) {
        if (depth_ == 0) refuse("expected an object of JSON with nodes and edges");
        if (depth_ == 1 && in_ != list::none) refuse(name() + " is not a list");
        if (depth_ == 1 && member_ == "directed") refuse("\"directed\" is neither true nor false");
        if (depth_ == 2 && in_ != list::none) refuse(number_in_list() + " is not an object");
        if (!is_read()) return true;
        auto* const id = text_of_attribute();
        if (!id) refuse("the weight of " + number_in_list() + " is " + text + ", expected a number without quotes");
        separate(*id);
        *id += as_id;
        return true;
    }
    /// Processes the beginning of a list or an object, except for the graph itself, the lists of nodes and edges, and
    /// their items. `what` is "a list" or "an object", for messages.
    void open(char const* what) {
        if (depth_ == 1 && in_ != list::none) refuse(name() + " is not a list");
        if (depth_ == 1 && member_ == "directed") refuse("\"directed\" is neither true nor false");
        if (depth_ == 2 && in_ != list::none) refuse(number_in_list() + " is not an object");
        if (!is_read()) return;
        auto* const id = text_of_attribute();
        if (!id) refuse("the weight of " + number_in_list() + " is " + what + ", expected a number");
        if (depth_ >= 3 + deepest_id)
            refuse("an id in " + number_in_list() + " is nested more than " + std::to_string(deepest_id) + " deep");
        separate(*id);
        *id += std::string_view(what) == "a list" ? '[' : '{';
    }
    void close(char bracket) {
        if (is_read())
            if (auto* const id = text_of_attribute()) *id += bracket;
    }

    std::string const& required(std::string const& id, char const* what) const {
        if (id.empty()) refuse(number_in_list() + " has no \"" + what + '"');
        return id;
    }
    /// Numbers ids in the order of their occurrence: the lists may be in any order.
    std::int64_t number_of(std::string const& id) {
        return numbers_.try_emplace(id, std::int64_t(numbers_.size())).first->second;
    }
    void take_node() {
        std::int64_t const number = number_of(required(id_, "id"));
        if (std::int64_t(position_.size()) <= number) position_.resize(std::size_t(number) + 1, -1);
        if (position_[std::size_t(number)] >= 0) refuse("node " + id_ + " is listed twice");
        position_[std::size_t(number)] = vertices++;
    }
    void take_edge() {
        std::int64_t const from = number_of(required(from_, "source")); // the first missing one is reported
        edges.push_back({from, number_of(required(to_, "target")), weight_});
    }
    void number_in_order_of_nodes() {
        position_.resize(numbers_.size(), -1);
        names.resize(std::size_t(vertices));
        for (auto const& [id, number] : numbers_) {
            auto const position = position_[std::size_t(number)];
            if (position < 0) refuse("an edge ends at node " + id + ", which is not listed");
            auto const plain = id.starts_with('"') ? json::parse(id).get<std::string>() : id;
            names[std::size_t(position)] = numbers_.contains(plain) ? id : plain; // "1" next to 1 keeps its quotes
        }
        for (edge& e : edges) {
            e.from = position_[std::size_t(e.from)];
            e.to = position_[std::size_t(e.to)];
        }
        numbers_ = {};
        position_ = {};
    }

    std::string const& file_;
    inexact_integers rule_;
    std::string_view text_;
    int depth_ = 0;      ///< number of open lists and objects
    std::string member_; ///< member of the outermost object whose value is being parsed
    list in_ = list::none;
    attribute attribute_ = attribute::other; ///< attribute of a node or an edge whose value is being parsed
    std::string id_, from_, to_;
    double weight_ = 1;
    std::int64_t in_list_ = 0;
    bool has_nodes_ = false, has_edges_ = false;
    std::unordered_map<std::string, std::int64_t> numbers_; ///< key: JSON of an id
    std::vector<std::int64_t> position_; ///< index in the list of nodes, by number; -1: not listed yet
};

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_node_link(host_executor const& exec, std::string const& file, std::string_view text,
                                     matrix_read_options const& options) {
    using real = typename real_type<T>::type;
    node_link_reader graph(file, text, options.inexact_integers);
    require_index_type<I>(file, 0, graph.vertices, graph.vertices);
    buffer<triplet<T, I>> entries(exec, std::int64_t(graph.edges.size()));
    for (std::size_t k = 0; k < graph.edges.size(); ++k) {
        auto const& e = graph.edges[k];
        auto const weight = static_cast<real>(e.weight);
        if (std::isinf(weight) && std::isfinite(e.weight))
            throw format_error(file, 0, "the weight of edge " + std::to_string(k) + " is beyond the range of the type");
        entries[std::int64_t(k)] = {static_cast<I>(e.from), static_cast<I>(e.to), T(weight)};
    }
    return {graph.vertices,
            graph.vertices,
            graph.directed ? matrix_market_symmetry::general : matrix_market_symmetry::symmetric,
            std::move(entries),
            std::move(graph.names),
            0};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_node_link(host_executor const&, std::string const&, std::string_view,          \
                                                  matrix_read_options const&)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::inline v0_1::detail
