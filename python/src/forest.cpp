// SPDX-License-Identifier: BSD-3-Clause
// Factors, linear forests and the systems extracted by them.
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/names.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

#include "components.hpp"
#include "matrix.hpp"

namespace coppice::python {
namespace {

struct chosen_factor {
    factor_options options;
    bool greedy = false;
};

chosen_factor options_of(int degree, std::string const& method, std::optional<int> rounds, std::string const& ties,
                         std::uint64_t seed) {
    constexpr std::array<std::string_view, 2> methods{"parallel", "greedy"}, rules{"hash", "near"};
    if (method != methods[0] && method != methods[1]) coppice::detail::throw_unknown_name("method", method, methods);
    if (ties != rules[0] && ties != rules[1]) coppice::detail::throw_unknown_name("tie rule", ties, rules);
    return {
        {.degree = degree, .rounds = rounds, .ties = ties == rules[0] ? tie_rule::hash : tie_rule::near, .seed = seed},
        method == methods[1]};
}

template <executor Executor, class T>
graph_factor<std::int32_t> factor_of(Executor const& exec, csr_view<T> weights, chosen_factor const& chosen) {
    if (!chosen.greedy) return parallel_factor(exec, weights, chosen.options);
    if constexpr (std::is_same_v<Executor, host_executor>)
        return greedy_factor(exec, weights, chosen.options);
    else
        throw argument_error("method \"greedy\" takes one edge after the other, on the host alone");
}

nb::dict to_dict(graph_factor<std::int32_t> f) {
    nb::dict d;
    d["degree"] = f.degree;
    d["rounds"] = f.rounds;
    d["maximal"] = f.maximal;
    d["edges"] = f.edges;
    d["weight"] = f.weight;
    d["weight_coverage"] = f.weight_coverage;
    d["neighbors"] = to_python(std::move(f.neighbors));
    return d;
}

template <class T>
nb::dict to_dict(linear_forest<std::int32_t> f, tridiagonal<T> system) {
    nb::dict d;
    d["paths"] = f.paths;
    d["longest_path"] = f.longest_path;
    d["cycles_broken"] = f.cycles_broken;
    d["edges"] = f.edges;
    d["weight"] = f.weight;
    d["weight_coverage"] = f.weight_coverage;
    d["permutation"] = to_python(std::move(f.permutation));
    d["inverse"] = to_python(std::move(f.inverse));
    d["path_ids"] = to_python(std::move(f.path_ids));
    d["positions"] = to_python(std::move(f.positions));
    d["path_offsets"] = to_python(std::move(f.path_offsets));
    d["lower"] = to_python(std::move(system.lower));
    d["diagonal"] = to_python(std::move(system.diagonal));
    d["upper"] = to_python(std::move(system.upper));
    return d;
}

nb::dict factor(csr_matrix const& a, int degree, std::string const& method, std::optional<int> rounds,
                std::string const& ties, std::uint64_t seed) {
    auto const chosen = options_of(degree, method, rounds, ties, seed);
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        graph_factor<std::int32_t> found;
        {
            unlocked const released;
            with_executor(a.values, [&](auto const& exec) {
                auto const weights = symmetrised_weights(exec, a.view<T>());
                found = factor_of(exec, weights.view(), chosen);
            });
        }
        return to_dict(std::move(found));
    });
}

nb::dict forest(csr_matrix const& a, std::string const& method, std::optional<int> rounds, std::string const& ties,
                std::uint64_t seed) {
    auto const chosen = options_of(2, method, rounds, ties, seed);
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        linear_forest<std::int32_t> found;
        tridiagonal<T> system;
        {
            unlocked const released;
            with_executor(a.values, [&](auto const& exec) {
                auto const weights = symmetrised_weights(exec, a.view<T>());
                found = extract_forest(exec, weights.view(), factor_of(exec, weights.view(), chosen));
                system = extract_forest_system(exec, a.view<T>(), found);
            });
        }
        return to_dict(std::move(found), std::move(system));
    });
}

nb::tuple weights(csr_matrix const& a) {
    return with_real(a.values, [&]<class T>(std::type_identity<T>) {
        csr<T> made;
        {
            unlocked const released;
            with_executor(a.values, [&](auto const& exec) { made = symmetrised_weights(exec, a.view<T>()); });
        }
        return to_arrays(std::move(made));
    });
}

} // namespace

void add_forest(nb::module_& m) {
    m.def("factor", factor, nb::arg("a"), nb::arg("degree"), nb::arg("method"), nb::arg("rounds").none(),
          nb::arg("ties"), nb::arg("seed"));
    m.def("linear_forest", forest, nb::arg("a"), nb::arg("method"), nb::arg("rounds").none(), nb::arg("ties"),
          nb::arg("seed"));
    m.def("symmetrised_weights", weights);
}

} // namespace coppice::python
