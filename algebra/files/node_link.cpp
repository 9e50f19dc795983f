// SPDX-License-Identifier: BSD-3-Clause
// Graphs as networkx.node_link_data writes them, in JSON. See include/coppice/matrix_file.hpp.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <coppice/algebra/files/matrix_entries.hpp>

namespace coppice::detail {
namespace {

using nlohmann::json;
using parse_event = json::parse_event_t;

/// Nodes and edges are taken one by one while the text is parsed and kept no longer: attributes may be large.
class node_link_reader {
public:
    struct edge {
        std::int64_t from, to;
        double weight;
    };
    bool directed = false; ///< as in NetworkX where the file does not say
    std::int64_t vertices = 0;
    std::vector<edge> edges; ///< numbered in the order of the list of nodes

    node_link_reader(std::string const& file, std::string_view text) : file_(file) {
        try {
            std::ignore =
                json::parse(text.begin(), text.end(), [this](int depth, json::parse_event_t event, json& parsed) {
                    return take(depth, event, parsed);
                });
        } catch (json::parse_error const& e) {
            auto const stop = std::min(text.size(), e.byte);
            throw format_error(file_, 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(stop), '\n'),
                               "not JSON: " + reason(e));
        } catch (json::exception const& e) {
            refuse("not JSON: " + reason(e));
        }
        if (!has_nodes_ || !has_edges_)
            refuse(std::string("no list ") + (has_nodes_ ? "\"edges\" (or \"links\")" : "\"nodes\"") +
                   ": expected a graph as networkx.node_link_data writes it");
        number_in_order_of_nodes();
    }

private:
    enum class list { none, nodes, edges };

    [[noreturn]] void refuse(std::string const& why) const { throw format_error(file_, 0, why); }
    /// Without the number of the exception and the place, which messages have already.
    static std::string reason(json::exception const& e) {
        std::string const what = e.what();
        auto const at = what.find(": ");
        return at == what.npos ? what : what.substr(at + 2);
    }

    /// What a parser of JSON calls; whether it keeps the value.
    bool take(int depth, parse_event event, json& parsed) {
        if (depth == 0) {
            if (event == parse_event::array_start || event == parse_event::value)
                refuse("expected an object of JSON with nodes and edges");
            return true;
        }
        if (depth == 1) return take_member(event, parsed);
        if (in_ == list::none) return false;
        if (depth > 2 || event == parse_event::key || event == parse_event::object_start)
            return true; // parts of a node or an edge
        if (event != parse_event::object_end)
            refuse("number " + std::to_string(in_list_) + " of " + name() + " is not an object");
        in_ == list::nodes ? take_node(parsed) : take_edge(parsed);
        ++in_list_;
        return false;
    }
    bool take_member(parse_event event, json& parsed) {
        if (event == parse_event::key) {
            member_ = parsed.get<std::string>();
            in_ = member_ == "nodes"                         ? list::nodes
                  : member_ == "edges" || member_ == "links" ? list::edges
                                                             : list::none;
            return true;
        }
        if (in_ != list::none) {
            if (event == parse_event::object_start || event == parse_event::value) refuse(name() + " is not a list");
            if (event == parse_event::array_start) {
                bool& seen = in_ == list::nodes ? has_nodes_ : has_edges_;
                if (std::exchange(seen, true))
                    refuse("a second list of " + std::string(in_ == list::nodes ? "nodes" : "edges"));
                in_list_ = 0;
            }
            return true;
        }
        if (member_ == "directed") {
            if (!parsed.is_boolean()) refuse("\"directed\" is neither true nor false");
            directed = parsed.get<bool>();
        }
        return false; // attributes of the graph
    }
    std::string name() const { return '"' + member_ + '"'; }

    json const& part(json const& of, char const* what) const {
        auto const found = of.find(what);
        if (found == of.end())
            refuse("number " + std::to_string(in_list_) + " of " + name() + " has no \"" + what + '"');
        return *found;
    }
    /// In the order in which ids are met: lists may stand in any order.
    std::int64_t number_of(json const& id) {
        return numbers_.try_emplace(id.dump(), std::int64_t(numbers_.size())).first->second;
    }
    void take_node(json const& node) {
        std::int64_t const number = number_of(part(node, "id"));
        if (std::int64_t(place_.size()) <= number) place_.resize(std::size_t(number) + 1, -1);
        if (place_[std::size_t(number)] >= 0) refuse("node " + part(node, "id").dump() + " is listed twice");
        place_[std::size_t(number)] = vertices++;
    }
    void take_edge(json const& link) {
        double weight = 1;
        if (auto const found = link.find("weight"); found != link.end()) {
            if (!found->is_number())
                refuse("the weight of number " + std::to_string(in_list_) + " of " + name() + " is " + found->dump() +
                       ", expected a number");
            weight = found->get<double>();
        }
        std::int64_t const from = number_of(part(link, "source")); // as they stand: the first to be missing is named
        edges.push_back({from, number_of(part(link, "target")), weight});
    }
    void number_in_order_of_nodes() {
        place_.resize(numbers_.size(), -1);
        for (auto const& [id, number] : numbers_)
            if (place_[std::size_t(number)] < 0) refuse("an edge ends at node " + id + ", which is not listed");
        for (edge& e : edges) {
            e.from = place_[std::size_t(e.from)];
            e.to = place_[std::size_t(e.to)];
        }
        numbers_ = {};
        place_ = {};
    }

    std::string const& file_;
    std::string member_; ///< of the object of all, where parsing is
    list in_ = list::none;
    std::int64_t in_list_ = 0;
    bool has_nodes_ = false, has_edges_ = false;
    std::unordered_map<std::string, std::int64_t> numbers_; ///< by the text of an id
    std::vector<std::int64_t> place_;                       ///< among the nodes, by number; -1: not listed yet
};

} // namespace

template <class T, class I>
matrix_entries<T, I> parse_node_link(host_executor const& exec, std::string const& file, std::string_view text) {
    using real = typename real_type<T>::type;
    node_link_reader const graph(file, text);
    require_index_type<I>(file, 0, graph.vertices, graph.vertices);
    buffer<triplet<T, I>> entries(exec, std::int64_t(graph.edges.size()));
    for (std::size_t k = 0; k < graph.edges.size(); ++k) {
        auto const& e = graph.edges[k];
        auto const weight = static_cast<real>(e.weight);
        if (!std::isfinite(weight))
            throw format_error(file, 0, "the weight of edge " + std::to_string(k) + " is beyond the range of the type");
        entries[std::int64_t(k)] = {static_cast<I>(e.from), static_cast<I>(e.to), T(weight)};
    }
    return {graph.vertices, graph.vertices,
            graph.directed ? matrix_market_symmetry::general : matrix_market_symmetry::symmetric, std::move(entries)};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_node_link(host_executor const&, std::string const&, std::string_view)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::detail
