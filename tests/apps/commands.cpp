// SPDX-License-Identifier: BSD-3-Clause
// Results of each command, and the documented fields of its JSON object.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "apps/runner.hpp"

using namespace coppice::test;
using nlohmann::json;

namespace {

json json_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "-", "--backend", "host"});
    auto const result = run(arguments);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    CHECK(result.err.empty());
    return result.json();
}

std::string error_of(std::vector<std::string> const& arguments, int code) {
    auto const outcome = run(arguments);
    CHECK(outcome.code == code);
    return outcome.err;
}

void check_fields(json const& object, std::vector<std::string> const& fields) {
    for (auto const& field : fields) {
        CAPTURE(field);
        CHECK(object.contains(field));
    }
}

/// Returns the numbers of a Matrix Market array.
std::vector<double> numbers(std::string const& path) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line) && line.rfind('%', 0) == 0) {
    }
    std::vector<double> values;
    for (std::string word; file >> word;) values.push_back(std::strtod(word.c_str(), nullptr)); // also inf
    return values;
}

} // namespace

TEST_CASE("generate writes what info reads") {
    scratch_folder const folder;
    for (std::string const name : {"a.mtx", "a.mtx.gz"}) {
        auto const made = json_of({"generate", "laplace2d", "--nx", "7", "--ny", "5", "-o", folder / name});
        check_fields(made, {"rows", "columns", "nonzeros"});
        auto const read = json_of({"info", folder / name});
        check_fields(read, {"rows", "columns", "nonzeros", "symmetric_pattern", "symmetric_values", "lower_bandwidth",
                            "upper_bandwidth", "diagonal_coverage", "identity_coverage"});
        // By hand: 35 points, 6 * 5 + 7 * 4 = 58 edges; 30 of them connect neighbours in x.
        CHECK(made["rows"] == 35);
        CHECK(made["nonzeros"] == 35 + 2 * 58);
        CHECK(read["nonzeros"] == made["nonzeros"]);
        CHECK(read["symmetric_values"] == true);
        CHECK(read["lower_bandwidth"] == 7);
        CHECK(read["upper_bandwidth"] == 7);
        CHECK(read["identity_coverage"].get<double>() == doctest::Approx(30.0 / 58));
        CHECK(read["diagonal_coverage"].get<double>() == doctest::Approx(140.0 / (140 + 116)));
    }
}

TEST_CASE("info describes an empty matrix and one row") {
    scratch_folder const folder;
    auto const head = std::string("%%MatrixMarket matrix coordinate real general\n");
    CHECK(json_of({"info", folder.write("empty.mtx", head + "0 0 0\n")})["rows"] == 0);
    auto const one = folder.write("one.mtx", head + "1 1 1\n1 1 4\n");
    CHECK(json_of({"info", one})["nonzeros"] == 1);
    CHECK(json_of({"tridiagonal", one, "--solution", "ones"})["forward_relative_error"] == 0);
    CHECK(json_of({"solve", one, "--solution", "ones"})["converged"] == true);
    CHECK(json_of({"factor", one})["edges"] == 0);
    CHECK(json_of({"forest", one})["paths"] == 1);
}

TEST_CASE("spmv over several semirings, compared with products by hand") {
    scratch_folder const folder;
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "3 3 4\n1 1 2\n1 3 5\n2 2 -1\n2 1 4\n");
    auto const x = folder.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
    auto const y = folder / "y.mtx";
    auto const infinity = std::numeric_limits<double>::infinity();
    struct {
        std::string semiring;
        std::vector<double> y;
    } const rows[] = {
        {"plus-times", {17, 2, 0}},        {"min-plus", {3, 1, infinity}}, {"max-plus", {8, 5, -infinity}},
        {"max-min", {3, 1, -infinity}},    {"or-and", {1, 1, 0}},          {"max-first", {5, 4, -infinity}},
        {"max-second", {3, 2, -infinity}}, {"arg-max", {3, 1, 0}}};
    for (auto const& row : rows) {
        CAPTURE(row.semiring);
        for (std::string const precision : {"single", "double"}) {
            auto const output_json =
                json_of({"spmv", a, "--x", x, "-o", y, "--semiring", row.semiring, "--precision", precision});
            check_fields(output_json, {"semiring", "scheme", "seconds"});
            CHECK(output_json["semiring"] == row.semiring);
            CHECK(numbers(y) == row.y);
        }
    }
}

TEST_CASE("spmv accumulates, masks and transposes, compared with products by hand") {
    scratch_folder const folder;
    std::string const array = "%%MatrixMarket matrix array real general\n3 1\n";
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "3 3 4\n1 1 2\n1 3 5\n2 2 -1\n2 1 4\n");
    auto const x = folder.write("x.mtx", array + "1\n2\n3\n"), w = folder.write("w.mtx", array + "10\n0.5\n-6\n"),
               mask = folder.write("mask.mtx", array + "0\n-2\n1\n"), y = folder / "y.mtx";
    auto const infinity = std::numeric_limits<double>::infinity();
    struct {
        std::string semiring;
        std::vector<std::string> options;
        std::vector<double> y;
    } const rows[] = {{"plus-times", {"--transpose"}, {10, -2, 5}},
                      {"plus-times", {"--accumulate", w}, {27, 2.5, -6}},
                      {"plus-times", {"--accumulate", w, "--mask", mask}, {10, 2.5, -6}},
                      {"plus-times", {"--accumulate", w, "--mask", mask, "--complement"}, {27, 0.5, -6}},
                      {"plus-times", {"--mask", mask}, {0, 2, 0}},
                      {"min-plus", {"--accumulate", w}, {3, 0.5, -6}},
                      {"min-plus", {"--mask", mask, "--complement"}, {3, infinity, infinity}},
                      {"max-min", {"--accumulate", w, "--transpose"}, {10, 0.5, 1}},
                      {"any", {"--accumulate", w}, {10, 0.5, -6}},
                      {"arg-max", {"--mask", mask}, {0, 1, 0}}};
    for (auto const& row : rows) {
        CAPTURE(row.semiring);
        std::vector<std::string> arguments{"spmv", a, "--x", x, "-o", y, "--repeat", "2", "--semiring", row.semiring};
        arguments.insert(arguments.end(), row.options.begin(), row.options.end());
        json_of(arguments);
        CHECK(numbers(y) == row.y);
    }
}

TEST_CASE("spmv over min-plus, iterated, gives shortest paths and keeps the source") {
    scratch_folder const folder;
    // 1 -> 2 -> 3 -> 4 of lengths 1, 2, 3 and 1 -> 3 of length 5; 5 is not reached.
    auto const graph = folder.write("graph.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                                 "5 5 5\n1 2 1\n2 3 2\n3 4 3\n1 3 5\n5 1 1\n");
    auto const distances =
        folder.write("d.mtx", "%%MatrixMarket matrix array real general\n5 1\n0\ninf\ninf\ninf\ninf\n");
    for (int round = 0; round < 3; ++round)
        json_of({"spmv", graph, "--semiring", "min-plus", "--transpose", "--x", distances, "--accumulate", distances,
                 "-o", distances});
    CHECK(numbers(distances) == std::vector<double>{0, 1, 3, 6, std::numeric_limits<double>::infinity()});
}

TEST_CASE("multiply: the square of a matrix by hand, whole and by a mask") {
    scratch_folder const folder;
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "3 3 4\n1 1 2\n1 3 5\n2 2 -1\n2 1 4\n");
    auto const c = folder / "c.mtx";
    auto const output_json = json_of({"multiply", a, a, "-o", c});
    check_fields(output_json, {"rows", "columns", "nonzeros", "semiring", "plan_seconds", "seconds"});
    CHECK(output_json["nonzeros"] == 5);
    std::ifstream file(c);
    std::string line;
    std::getline(file, line);
    std::vector<double> const expected{3, 3, 5, 1, 1, 4, 1, 3, 10, 2, 1, 4, 2, 2, 1, 2, 3, 20};
    std::vector<double> got;
    for (double x; file >> x;) got.push_back(x);
    CHECK(got == expected);
    CHECK(json_of({"multiply", a, a, "--mask", a})["nonzeros"] == 4);
    CHECK(json_of({"multiply", a, a, "--mask", a, "--complement", "--semiring", "min-plus"})["nonzeros"] == 1);
    CHECK(json_of({"multiply", a, a, "--semiring", "arg-max", "--precision", "single"})["nonzeros"] == 5);
}

TEST_CASE("multiply: ranks write the product of one") {
    scratch_folder const folder;
    auto const text = [](std::string const& path) {
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    auto const one = folder / "one.mtx", several = folder / "several.mtx";
    std::string const a = "generate:rmat,scale=6", b = "generate:laplace2d,nx=8";
    std::vector<std::vector<std::string>> const all_options{{},
                                                            {"--semiring", "arg-max"},
                                                            {"--semiring", "min-plus", "--mask", a},
                                                            {"--mask", b, "--complement", "--precision", "single"}};
    for (auto const& options : all_options) {
        std::vector<std::string> arguments{"multiply", a, b};
        arguments.insert(arguments.end(), options.begin(), options.end());
        auto const with = [&](std::vector<std::string> const& more) {
            auto all = arguments;
            all.insert(all.end(), more.begin(), more.end());
            return all;
        };
        auto const expected = json_of(with({"-o", one}));
        CHECK(expected["parts"] == 1);
        for (std::string const ranks : {"2", "5", "64"}) {
            auto const found = json_of(with({"-o", several, "--parts", ranks}));
            CHECK(found["parts"] == std::stoi(ranks));
            CHECK(found["nonzeros"] == expected["nonzeros"]);
            CHECK(text(several) == text(one));
        }
    }
    CHECK(error_of({"multiply", a, "generate:laplace2d,nx=7", "--parts", "2"}, 3)
              .find("rows of the second matrix of a product, on all ranks") != std::string::npos);
}

TEST_CASE("factor: fields, and a file that keeps the promise of the degree") {
    scratch_folder const folder;
    for (std::string const method : {"parallel", "greedy"})
        for (int degree = 1; degree <= 4; ++degree) {
            auto const out = folder / "factor.mtx";
            auto const output_json = json_of({"factor", "generate:laplace2d,nx=9", "--method", method, "--degree",
                                              std::to_string(degree), "--rounds", "0", "-o", out});
            check_fields(output_json, {"degree", "rounds", "maximal", "edges", "weight_coverage", "seconds"});
            CHECK(output_json["maximal"] == true);
            std::ifstream file(out);
            std::string line;
            std::getline(file, line);
            CHECK(line == "%%MatrixMarket matrix coordinate real symmetric");
            long n, m, edges;
            file >> n >> m >> edges;
            CHECK(edges == output_json["edges"].get<long>());
            std::vector<int> degrees(static_cast<std::size_t>(n) + 1, 0);
            double weight, sum = 0;
            for (long i, j; file >> i >> j >> weight; sum += weight) {
                ++degrees[static_cast<std::size_t>(i)];
                ++degrees[static_cast<std::size_t>(j)];
            }
            for (int const d : degrees) CHECK(d <= degree);
            CHECK(output_json["weight_coverage"].get<double>() == doctest::Approx(sum / (2 * 9 * 8)));
        }
}

TEST_CASE("factor: colours of all vertices or of none, by the options of charging") {
    std::vector<std::string> const factor{"factor", "generate:laplace2d,nx=30", "--degree", "1", "--rounds", "1"};
    auto const edges = [&](std::vector<std::string> const& more) {
        auto arguments = factor;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json_of(arguments)["edges"].get<long>();
    };
    // In a round in which all vertices propose, or none can, no proposal is accepted.
    CHECK(edges({"--charge-below", "0"}) > 0);
    for (std::string const probability : {"0", "1"})
        CHECK(edges({"--charge-below", "1", "--charge-period", "2", "--charge-offset", "1", "--charge-probability",
                     probability}) == 0);
    CHECK(edges({"--charge-below", "1", "--charge-period", "2", "--charge-offset", "0", "--charge-probability", "1"}) >
          0); // the first round has no colours
}

TEST_CASE("forest: fields, and a permutation that contains every row once") {
    scratch_folder const folder;
    for (std::string const name : {"p.mtx"}) {
        auto const output_json = json_of({"forest", "generate:aniso2,nx=20", "-o", folder / name});
        check_fields(output_json,
                     {"paths", "longest_path", "cycles_broken", "weight_coverage", "identity_coverage", "seconds"});
        auto values = numbers(folder / name);
        REQUIRE(values.size() == 400);
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == double(i + 1));
        CHECK(output_json["paths"].get<int>() + output_json["edges"].get<int>() == 400);
    }
}

TEST_CASE("tridiagonal: errors against a known solution, and a solution that satisfies its equations") {
    scratch_folder const folder;
    for (std::string const pivoting : {"none", "partial", "scaled"}) {
        auto const output_json = json_of({"tridiagonal", "generate:tridiagonal,case=2,n=1000", "--pivoting", pivoting});
        check_fields(output_json, {"method", "pivoting", "backward_error", "forward_relative_error", "seconds"});
        CHECK(output_json["backward_error"].get<double>() < 1e-14);
        CHECK(output_json["forward_relative_error"].get<double>() < 1e-10);
    }
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "2 2 4\n1 1 2\n1 2 1\n2 1 1\n2 2 3\n");
    auto const b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n4\n7\n");
    auto const output_json = json_of({"tridiagonal", a, "--rhs", b, "-o", folder / "x.mtx"});
    CHECK_FALSE(output_json.contains("condition"));
    CHECK(json_of({"tridiagonal", a, "--condition"})["condition"].get<double>() == doctest::Approx(4 * 0.8));
    CHECK(output_json["forward_relative_error"].is_null());
    auto const x = numbers(folder / "x.mtx");
    REQUIRE(x.size() == 2);
    CHECK(x[0] == doctest::Approx(1));
    CHECK(x[1] == doctest::Approx(2));
}

TEST_CASE("tridiagonal, solve: distributed") {
    auto const of_one = json_of({"solve", "generate:aniso2,nx=40", "--solver", "cg", "--preconditioner", "forest"});
    for (std::string const ranks : {"2", "3", "7"}) {
        auto const direct = json_of({"tridiagonal", "generate:tridiagonal,case=2,n=5000", "--parts", ranks});
        CHECK(direct["parts"] == std::stoi(ranks));
        CHECK(direct["method"] == "rpts on " + ranks + " ranks");
        CHECK(direct["backward_error"].get<double>() < 1e-15);
        CHECK(direct["forward_relative_error"].get<double>() < 1e-12);
        auto const chain =
            json_of({"tridiagonal", "generate:tridiagonal,case=2,n=500", "--parts", ranks, "--method", "chain"});
        CHECK(chain["method"] == "chain on " + ranks + " ranks");
        CHECK(chain["backward_error"].get<double>() < 1e-15);
        auto const solved = json_of({"solve", "generate:aniso2,nx=40", "--parts", ranks});
        CHECK(solved["solver"] == "cg");
        CHECK(solved["preconditioner"] == "forest");
        CHECK(solved["converged"] == true);
        CHECK(solved["forward_relative_error"].get<double>() < 1e-3);
        CHECK(solved["forest"]["paths"] == of_one["forest"]["paths"]);
        CHECK(std::abs(solved["iterations"].get<int>() - of_one["iterations"].get<int>()) <= 1);
        auto const flow =
            json_of({"solve", "generate:convection,nx=30", "--parts", ranks, "--preconditioner", "jacobi"});
        CHECK(flow["solver"] == "bicgstab");
        CHECK(flow["converged"] == true);
    }
    auto const one = json_of({"tridiagonal", "generate:tridiagonal,case=2,n=1", "--parts", "4"});
    CHECK(one["status"] == "ok");
}

TEST_CASE("solve: on ranks the methods of one process are tried with a preconditioner, one after the other") {
    scratch_folder const folder;
    auto const swap = folder.write("swap.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 1\n");
    auto const negative = folder.write("negative.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                                       "4 4 5\n1 1 -2\n2 2 -3\n3 3 4\n4 4 -5\n3 2 1\n");
    for (std::string const ranks : {"1", "2", "3", "7"})
        for (auto const& matrix : {swap, negative})
            for (std::string const preconditioner : {"forest", "none", "ilu0", "alt-o"}) {
                CAPTURE(ranks);
                CAPTURE(matrix);
                CAPTURE(preconditioner);
                auto const found = json_of(
                    {"solve", matrix, "--preconditioner", preconditioner, "--solution", "ones", "--parts", ranks});
                CHECK(found["converged"] == true);
                CHECK(found["forward_relative_error"].get<double>() < 1e-5);
                CHECK(found["solver"] == found["attempts"].back()["solver"]);
                CHECK(found["attempts"][0]["setup_seconds"].get<double>() > 0);
                if (preconditioner == "none") CHECK(found["solver"] == "minres");
                if (preconditioner == "alt-o") CHECK(found["solver"] == "fgmres"); // another one in every iteration
            }
    // Not the matrix is singular, but a block of it.
    CHECK(error_of({"solve", swap, "--solver", "direct", "--parts", "2"}, 3).find("of the diagonal block of rank ") !=
          std::string::npos);
}

TEST_CASE("commands: graph algorithms on ranks find what one finds") {
    for (std::string const algorithm : {"bfs", "communities", "components", "pagerank", "sssp", "triangles"}) {
        CAPTURE(algorithm);
        auto const one = json_of({algorithm, "generate:rmat,scale=8"});
        CHECK(one["parts"] == 1);
        CHECK(one["memory_bytes"].is_number());
        for (std::string const ranks : {"2", "5", "64"}) {
            auto const several = json_of({algorithm, "generate:rmat,scale=8", "--parts", ranks});
            CHECK(several["parts"] == std::stoi(ranks));
            CHECK(several["memory_bytes"].is_null());
            CHECK(several["setup_seconds"].get<double>() > 0);
            int const devices = several["backend"] == "cuda" ? several["parts"].get<int>() : 0;
            CHECK(several["devices"] == devices);
            if (devices == 0) CHECK(several["exchange"] == "host: the ranks are on the host");
            for (char const* key : {"depth", "reached", "farthest", "components", "communities", "modularity", "levels",
                                    "largest", "triangles", "iterations"})
                CHECK(several.contains(key) == one.contains(key));
            for (auto const& [key, value] : one.items())
                if (several.contains(key) && value.is_number() && key != "parts" && key != "seconds" &&
                    key != "memory_bytes" && key != "rounds" && key != "threads" && key != "residual")
                    CHECK(several[key].get<double>() == doctest::Approx(value.get<double>()).epsilon(1e-9));
        }
    }
}

TEST_CASE("tridiagonal: the classical algorithms") {
    for (std::string const method : {"thomas", "cr", "pcr", "cr+pcr", "rd", "cr+rd", "rd-scaled", "cr+rd-scaled"}) {
        CAPTURE(method);
        // The matrix is diagonally dominant. The products of recursive doubling therefore grow by a factor of 3.7 per
        // row, and the relative error grows with them. These two methods get few rows and a larger tolerance.
        bool const doubling = method == "rd" || method == "cr+rd";
        std::string const matrix =
            doubling ? "generate:tridiagonal,case=18,n=7" : "generate:tridiagonal,case=18,n=1000";
        auto const output_json = json_of({"tridiagonal", matrix, "--method", method});
        CHECK(output_json["method"] == method);
        CHECK(output_json["pivoting"] == "none");
        CHECK(output_json["backward_error"].get<double>() < (doubling ? 1e-6 : 1e-14));
    }
    for (std::string const method : {"spike", "parallel-diagonal", "a-r-cr", "g-spike", "spike-thomas", "spike-cr",
                                     "cf-lu-scaled", "wang", "bondeli", "divide-and-conquer"}) {
        CAPTURE(method);
        auto const output_json = json_of({"tridiagonal", "generate:tridiagonal,case=18,n=20000", "--method", method});
        CHECK(output_json["method"] == method);
        CHECK(output_json["backward_error"].get<double>() < 1e-14);
        if (output_json["pivoting"] == "none") continue;
        auto const small = json_of({"tridiagonal", "generate:tridiagonal,case=16,n=1000", "--method", method});
        CHECK(small["backward_error"].get<double>() < 1e-14); // a diagonal of 1e-8 between ones
    }
    // 400 factors of 1e8 exceed the range of double.
    auto const lost =
        run({"tridiagonal", "generate:tridiagonal,case=2,n=400", "--method", "rd", "--backend", "host", "--quiet"});
    CHECK(lost.code == 4);
    CHECK(lost.err.find("overflows; the matrix may need pivoting") != std::string::npos);
}

TEST_CASE("tridiagonal: finds the class of a matrix automatically") {
    scratch_folder const folder;
    // Entries (i, j, value) of a matrix of `n` rows with a dominant diagonal.
    auto const matrix = [&](std::string const& name, int n, auto has) {
        std::string entries;
        int count = 0;
        for (int i = 1; i <= n; ++i)
            for (int j = 1; j <= n; ++j)
                if (i == j || has(i - 1, j - 1)) {
                    entries += std::to_string(i) + " " + std::to_string(j) + (i == j ? " 9\n" : " 1\n");
                    ++count;
                }
        return folder.write(name, "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " " +
                                      std::to_string(n) + " " + std::to_string(count) + "\n" + entries);
    };
    auto const class_of = [](std::string const& file, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"tridiagonal", file};
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto const output_json = json_of(arguments);
        CHECK(output_json["status"] == "ok");
        CHECK(output_json["backward_error"].get<double>() < 1e-15);
        return output_json["class"].get<std::string>() + " " + std::to_string(output_json["block"].get<int>());
    };
    auto const cyclic =
        matrix("c.mtx", 30, [](int i, int j) { return (j - i + 30) % 30 == 1 || (i - j + 30) % 30 == 1; });
    CHECK(class_of(cyclic) == "cyclic tridiagonal 1");
    CHECK(class_of(matrix("p.mtx", 31, [](int i, int j) { return std::abs(i - j) == 2; })) == "banded 2");
    auto const blocks = matrix("b.mtx", 30, [](int i, int j) { return std::abs(i / 3 - j / 3) <= 1; });
    CHECK(class_of(blocks) == "block tridiagonal 3");
    CHECK(class_of(blocks, {"--block", "6"}) == "block tridiagonal 6");
    CHECK(class_of(matrix("k.mtx", 40, [](int i, int j) {
              int const distance = std::abs(i / 2 - j / 2);
              return distance <= 1 || distance == 19;
          })) == "cyclic block tridiagonal 2");
}

TEST_CASE("solve: every solver with every preconditioner") {
    for (std::string const solver : {"cg", "bicgstab", "gmres"})
        for (std::string const preconditioner : {"none", "jacobi", "tridiagonal", "forest"})
            for (std::string const precision : {"single", "double"}) {
                auto const output_json =
                    json_of({"solve", "generate:laplace2d,nx=24", "--solver", solver, "--preconditioner",
                             preconditioner, "--precision", precision, "--tolerance", "1e-4"});
                check_fields(output_json,
                             {"solver", "preconditioner", "iterations", "converged", "relative_residual",
                              "forward_relative_error", "setup_seconds", "solve_seconds", "residual_history"});
                CHECK(output_json["converged"] == true);
                CHECK(output_json["relative_residual"].get<double>() <= 1e-4);
                CHECK(output_json["forward_relative_error"].get<double>() < 0.05);
                CHECK(output_json["residual_history"].size() == output_json["iterations"].get<std::size_t>() + 1);
            }
}

TEST_CASE("solve: method and preconditioner are chosen, and attempts are reported") {
    auto const definite = json_of({"solve", "generate:laplace2d,nx=20"});
    CHECK(definite["solver"] == "cg");
    CHECK(definite["attempts"].size() == 1);
    CHECK(definite["preconditioner"] == "direct"); // few rows
    CHECK(definite["attempts"][0]["preconditioner"].get<std::string>().starts_with("direct"));
    CHECK(json_of({"solve", "generate:laplace2d,nx=80"})["solver"] == "cg");
    CHECK(json_of({"solve", "generate:convection,nx=80"})["solver"] == "bicgstab");
    CHECK(json_of({"solve", "generate:laplace2d,nx=20", "--solver", "gmres"})["solver"] == "gmres");
    auto const selected = json_of({"solve", "generate:laplace2d,nx=20", "--preconditioner", "forest,rounds=3"});
    CHECK(selected["preconditioner"] == "forest");
    CHECK(selected["preconditioner_options"]["rounds"] == "3");
    auto const both = json_of({"solve", "generate:laplace2d,nx=20", "--solver", "cg", "--preconditioner", "none"});
    CHECK_FALSE(both.contains("attempts"));

    // Singular and inconsistent: no method converges, and x is not worse than zero.
    scratch_folder const folder;
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
    auto const b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n0\n");
    auto const failed = run({"solve", a, "--rhs", b, "--json", folder / "r.json"});
    CHECK(failed.code == 4);
    CHECK(failed.err.find("combinations were tried") != std::string::npos);
    CHECK(failed.out.find("tried") != std::string::npos);
    auto const output_json = nlohmann::json::parse(read_text_file(folder / "r.json"));
    CHECK(output_json["attempts"].size() > 1);
    CHECK(output_json["relative_residual"].get<double>() <= 1);
}

TEST_CASE("solve: options of a preconditioner by name, and its report") {
    auto const output_json = json_of({"solve", "generate:laplace2d,nx=20", "--preconditioner",
                                      "forest,rounds=7,ties=hash", "--seed", "3", "--pivoting", "scaled"});
    auto const options = output_json["preconditioner_options"];
    CHECK(options["rounds"] == "7");
    CHECK(options["ties"] == "hash");
    CHECK(options["seed"] == "3");
    CHECK(options["pivoting"] == "scaled");
    CHECK(options["charge-period"] == "5");
    CHECK(output_json["preconditioner"] == "forest");
    CHECK(output_json["forest"]["paths"].get<int>() > 0);
    CHECK(output_json["forest"]["weight_coverage"].get<double>() > 0.3);
    CHECK(output_json["factors"] == 1);
    // Several forests, each with its coverage.
    for (std::string const name : {"alt-i", "alt-o", "mos-d", "mos-a"}) {
        auto const split = json_of({"solve", "generate:aniso2,nx=30", "--preconditioner", name, "--factors", "3"});
        CHECK(split["solver"] == (name == "alt-o" ? "fgmres" : "bicgstab"));
        CHECK(split["factors"] == 3);
        CHECK(split[name]["coverage_1"].get<double>() > 0.6);
        CHECK(split[name]["coverage_3"].get<double>() > 0);
        CHECK(split["converged"] == true);
    }
    // The text of the report contains the same values.
    auto const text = run({"solve", "generate:laplace2d,nx=20", "--preconditioner", "tridiagonal"});
    CHECK(text.out.find("weight coverage") != std::string::npos);
}

TEST_CASE("solve: the written solution has the reported residual") {
    scratch_folder const folder;
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "3 3 7\n1 1 4\n2 2 4\n3 3 4\n1 2 -1\n2 1 -1\n2 3 -1\n3 2 -2\n");
    auto const b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n2\n4\n8\n");
    auto const output_json = json_of({"solve", a, "--rhs", b, "-o", folder / "x.mtx", "--tolerance", "1e-12"});
    CHECK(output_json["forward_relative_error"].is_null());
    auto const x = numbers(folder / "x.mtx");
    REQUIRE(x.size() == 3);
    CHECK(4 * x[0] - x[1] == doctest::Approx(2));
    CHECK(-x[0] + 4 * x[1] - x[2] == doctest::Approx(4));
    CHECK(-2 * x[1] + 4 * x[2] == doctest::Approx(8));
}

TEST_CASE("the number of threads changes no result") {
    auto const run_with = [](std::string const& threads) {
        auto output_json = json_of({"solve", "generate:aniso1,nx=150", "--threads", threads});
        return output_json["residual_history"];
    };
    CHECK(run_with("1") == run_with("2"));
}

TEST_CASE("help and version") {
    auto const help = run({"--help"});
    CHECK(help.code == 0);
    for (std::string const command : {"generate", "info", "spmv", "multiply", "factor", "forest", "bfs", "mst",
                                      "tridiagonal", "solve", "queue", "bench"}) {
        CHECK(help.out.find("\n  " + command) != std::string::npos);
        auto const one = run({command, "--help"});
        CHECK(one.code == 0);
        CHECK(one.err.empty());
        CHECK(one.out.find("--json") != std::string::npos);
    }
    CHECK(run({"--version"}).out.rfind("coppice ", 0) == 0);
}

TEST_CASE("tridiagonal solves complex tridiagonal, banded and block tridiagonal systems") {
    scratch_folder const folder;
    std::string const first_line = "%%MatrixMarket matrix coordinate complex general\n";
    std::string tridiagonal = first_line + "40 40 118\n", banded = first_line + "40 40 156\n";
    for (int i = 1; i <= 40; ++i)
        for (int j = std::max(1, i - 1); j <= std::min(40, i + 2); ++j) {
            auto const entry = std::to_string(i) + " " + std::to_string(j) + (i == j ? " 1 4\n" : " -1 0.5\n");
            banded += entry;
            if (j <= i + 1) tridiagonal += entry;
        }
    for (auto const& [text, kind] : {std::pair(tridiagonal, "tridiagonal"), std::pair(banded, "banded")})
        for (std::string const precision : {"single", "double"}) {
            auto const a = folder.write("a.mtx", text);
            auto const output_json =
                json_of({"tridiagonal", a, "--precision", precision, "--condition", "-o", folder / "x.mtx"});
            CHECK(output_json["class"] == kind);
            CHECK(output_json["field"] == "complex");
            CHECK(output_json["forward_relative_error"].get<double>() < (precision == "single" ? 1e-5 : 1e-13));
            CHECK(read_text_file(folder / "x.mtx").rfind("%%MatrixMarket matrix array complex general\n40 1\n", 0) ==
                  0);
        }
    // (1 + i) x = 2i has x = 1 + i; a complex right-hand side makes a real matrix complex.
    auto const b = folder.write("b.mtx", "%%MatrixMarket matrix array complex general\n1 1\n0 2\n");
    auto const one = folder.write("one.mtx", first_line + "1 1 1\n1 1 1 1\n");
    json_of({"tridiagonal", one, "--rhs", b, "-o", folder / "x.mtx"});
    CHECK(numbers(folder / "x.mtx") == std::vector<double>{1, 1});
    auto const two = folder.write("two.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
    CHECK(json_of({"tridiagonal", two, "--rhs", b, "-o", folder / "x.mtx"})["field"] == "complex");
    CHECK(numbers(folder / "x.mtx") == std::vector<double>{0, 1});
}

TEST_CASE("systems near the ends of the exponent range are solved") {
    scratch_folder const folder;
    std::string const first_line = "%%MatrixMarket matrix coordinate real general\n";
    for (std::string const power : {"e308", "e-300"}) {
        auto const a = folder.write("a.mtx", first_line + "2 2 4\n1 1 1" + power + "\n1 2 1" + power + "\n2 1 1" +
                                                 power + "\n2 2 -1" + power + "\n");
        auto const b =
            folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1" + power + "\n1" + power + "\n");
        for (std::string const solution : {"ones", "sine"}) {
            CHECK(json_of({"tridiagonal", a, "--solution", solution})["forward_relative_error"].get<double>() < 1e-15);
            CHECK(json_of({"solve", a, "--solution", solution})["converged"] == true);
        }
        json_of({"tridiagonal", a, "--rhs", b, "-o", folder / "x.mtx"});
        auto const x = numbers(folder / "x.mtx");
        REQUIRE(x.size() == 2);
        CHECK(std::abs(x[0] - 1) <= 1e-15);
        CHECK(std::abs(x[1]) <= 1e-15);
        json_of({"solve", a, "--rhs", b, "--solver", "gmres", "--preconditioner", "none", "-o", folder / "x.mtx"});
        CHECK(numbers(folder / "x.mtx").at(0) == doctest::Approx(1));
    }
    // Rows of very different magnitude: the scaling that avoids overflow leaves no row subnormal.
    auto const b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
    for (auto const& [precision, power] : {std::pair<std::string, std::string>{"double", "200"}, {"single", "37"}}) {
        auto const a = folder.write("a.mtx", first_line + "2 2 2\n1 1 1e-" + power + "\n2 2 1e" + power + "\n");
        for (std::string const command : {"solve", "tridiagonal"}) {
            CAPTURE(command);
            json_of({command, a, "--rhs", b, "--precision", precision, "-o", folder / "x.mtx"});
            auto const x = numbers(folder / "x.mtx");
            REQUIRE(x.size() == 2);
            CHECK(x[0] == doctest::Approx(std::stod("1e" + power)));
            CHECK(x[1] * std::stod("1e" + power) == doctest::Approx(1));
        }
    }
}

TEST_CASE("MATRIX may be a Rutherford-Boeing file, an edge list or an archive") {
    scratch_folder const folder;
    auto const rb = folder.write("a.rb", "A title\n 3 1 1 1\nrsa 2 2 3 0\n(4I4) (4I4) (3F4.1)\n   1   3   4\n"
                                         "   1   2   2\n 4.0 1.0 3.0\n");
    CHECK(json_of({"info", rb})["nonzeros"] == 4);
    CHECK(json_of({"tridiagonal", rb, "--solution", "ones"})["forward_relative_error"].get<double>() < 1e-15);
    auto const edges = folder.write("edges.txt", "# a path and a loner\n0\t1\n1\t2\n4\t2\n");
    CHECK(json_of({"factor", edges})["edges"] == 3);
    CHECK(json_of({"info", edges})["rows"] == 5);
    auto const at = fs::path(rb).parent_path().string();
    if (shell(at, "mkdir g && cp a.rb g/g.rb && tar -czf g.tar.gz g").code == 0)
        CHECK(json_of({"solve", folder / "g.tar.gz"})["rows"] == 2);
}

TEST_CASE("solve --compare ranks all runs by time and writes the solution of the first") {
    scratch_folder const folder;
    for (std::string const problem : {"generate:laplace2d,nx=20", "generate:convection,nx=20"}) {
        auto const output_json = json_of({"solve", problem, "--compare", "-o", folder / "x.mtx"});
        auto const& runs = output_json["runs"];
        REQUIRE(runs.size() >= 8);
        CHECK(output_json["solver"] == runs[0]["solver"]);
        double before = 0;
        bool with_cg = false;
        for (auto const& run : runs) {
            CAPTURE(run.dump());
            CHECK(run["converged"] == true);
            double const seconds = run["seconds"];
            CHECK(seconds == doctest::Approx(run["setup_seconds"].get<double>() + run["solve_seconds"].get<double>()));
            CHECK(seconds >= before);
            before = seconds;
            with_cg = with_cg || run["solver"] == "cg";
        }
        CHECK(with_cg == (problem.find("laplace") != std::string::npos));
        CHECK(numbers(folder / "x.mtx").size() == 400);
    }
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                         "3 3 3\n1 1 2\n2 1 1\n3 3 2\n");
    auto const runs = json_of({"solve", a, "--compare"})["runs"];
    CHECK(runs.back()["preconditioner"] == "jacobi");
    CHECK(runs.back().contains("not_run"));
}

TEST_CASE("solve --solver direct factorises") {
    auto const outcome = run({"solve", "generate:convection,nx=30", "--solver", "direct", "--json", "-"});
    if (outcome.err.find("lacks the sparse direct solver") != std::string::npos) return; // built without Eigen
    auto const output_json =
        json_of({"solve", "generate:convection,nx=30", "--solver", "direct", "--tolerance", "1e-12"});
    CHECK(output_json["solver"] == "gmres");
    CHECK(output_json["preconditioner"] == "direct");
    CHECK(output_json["converged"] == true);
    CHECK(output_json["iterations"].get<int>() <= 2);
}

TEST_CASE("solve takes the null space of a singular matrix, and bicg") {
    scratch_folder const folder;
    // A path: constants are its null space, and the right-hand rhs is orthogonal to them.
    int const n = 5000;
    std::string graph = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(n) + " " +
                        std::to_string(n) + " " + std::to_string(2 * n - 1) + "\n";
    std::string rhs = "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " 1\n", ones = rhs,
                wrong = rhs;
    for (int i = 1; i <= n; ++i) {
        std::string const at = std::to_string(i);
        graph += at + " " + at + (i == 1 || i == n ? " 1\n" : " 2\n");
        if (i < n) graph += std::to_string(i + 1) + " " + at + " -1\n";
        rhs += i % 2 ? "1\n" : "-1\n";
        ones += "1\n";
        wrong += at + "\n";
    }
    auto const a = folder.write("path.mtx", graph), b = folder.write("b.mtx", rhs);
    auto const space = folder.write("ones.mtx", ones), not_null = folder.write("wrong.mtx", wrong);
    for (std::vector<std::string> const& method :
         std::vector<std::vector<std::string>>{{},
                                               {"--solver", "cg", "--preconditioner", "multilevel"},
                                               {"--solver", "gmres", "--preconditioner", "ilut"}}) {
        std::vector<std::string> all{"solve", a, "--rhs", b, "--null-space", space, "--tolerance", "1e-9"};
        all.insert(all.end(), method.begin(), method.end());
        CHECK(json_of(all)["converged"] == true);
    }
    CHECK(error_of({"solve", a, "--null-space", not_null}, 2).find("null space of A") != std::string::npos);
    CHECK(error_of({"solve", a, "--null-space", space, "--solver", "direct"}, 2).find("singular") != std::string::npos);
    CHECK(error_of({"solve", a, "--null-space", space, "--mixed"}, 2).find("cannot be combined with --mixed") !=
          std::string::npos);
    CHECK(error_of({"solve", "generate:laplace2d,nx=9", "--null-space", space}, 3).find("expected 81 rows") !=
          std::string::npos);
    for (std::string const method : {"bicg", "qmr", "tfqmr"}) {
        auto const found =
            json_of({"solve", "generate:convection,nx=40", "--solver", method, "--preconditioner", "ilu0"});
        CHECK(found["converged"] == true);
        CHECK(found["solver"] == method);
    }
    for (auto const& [method, preconditioner] : {std::pair("qmr", "jacobi"), std::pair("bicg", "multilevel")}) {
        auto const on_ranks = json_of({"solve", "generate:convection,nx=20", "--solver", method, "--preconditioner",
                                       preconditioner, "--parts", "3"});
        CHECK(on_ranks["converged"] == true);
        CHECK(on_ranks["solver"] == method);
    }
}

TEST_CASE("solve takes near-null-space vectors") {
    scratch_folder const folder;
    // The generated elastic cube: points x first, three unknowns each.
    int const points = 9;
    std::string at, modes = "%%MatrixMarket matrix array real general\n2187 3\n";
    for (int p = 0; p < points * points * points; ++p)
        at += std::to_string(p % points) + " " + std::to_string(p / points % points) + " " +
              std::to_string(p / points / points) + "\n";
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3 * points * points * points; ++i) modes += i % 3 == c ? "1\n" : "0\n";
    auto const coordinates = folder.write("at.txt", at), vectors = folder.write("modes.mtx", modes);
    std::vector<std::string> const problem{
        "solve", "generate:elasticity,nx=9", "--solver", "cg", "--preconditioner", "multilevel", "--tolerance", "1e-8"};
    auto const with = [&](std::vector<std::string> const& more) {
        auto all = problem;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    auto const without = json_of(with({}));
    auto const rigid = json_of(with({"--coordinates", coordinates}));
    CHECK(rigid["converged"] == true);
    CHECK(rigid["iterations"].get<int>() < without["iterations"].get<int>());
    // `vectors` holds the constant vector of each component, which is what --block 3 uses without a file.
    CHECK(json_of(with({"--near-null-space", vectors, "--block", "3"}))["iterations"] ==
          json_of(with({"--block", "3"}))["iterations"]);
    CHECK(json_of({"solve", "generate:elasticity,nx=9", "--coordinates", coordinates})["converged"] == true);
    auto const on_ranks = json_of({"solve", "generate:elasticity,nx=9", "--coordinates", coordinates, "--parts", "4",
                                   "--tolerance", "1e-8"}); // no multiple of 3 times 4 rows
    CHECK(on_ranks["preconditioner"] == "multilevel");
    CHECK(on_ranks["iterations"].get<int>() <= rigid["iterations"].get<int>() + 2);
    auto const in_halves = json_of(with({"--block", "3", "--parts", "2"})); // 2187 rows
    CHECK(in_halves["converged"] == true);
    CHECK(in_halves["multilevel"]["unknowns_per_point"] == 3);
    CHECK(in_halves["iterations"].get<int>() <= json_of(with({"--block", "3"}))["iterations"].get<int>() + 2);

    CHECK(error_of({"solve", "generate:laplace2d,nx=9", "--coordinates", coordinates}, 3)
              .find("expected 2 or 3 columns, and a row for each point: 27 x 3 for a matrix of 81 rows") !=
          std::string::npos);
    CHECK(error_of({"solve", "generate:elasticity,nx=9", "--coordinates", coordinates, "--preconditioner", "jacobi"}, 2)
              .find("--coordinates is for the preconditioner multilevel, not jacobi") != std::string::npos);
    CHECK(error_of(with({"--coordinates", coordinates, "--near-null-space", vectors}), 2).find("use one of the two") !=
          std::string::npos);
    CHECK(error_of(with({"--coordinates", coordinates, "--mixed"}), 2).find("cannot be combined with --mixed") !=
          std::string::npos);
    CHECK(error_of(with({"--near-null-space", coordinates}), 3).find("expected 2187 rows and 1 to 32 columns") !=
          std::string::npos);
    CHECK(error_of(with({"--near-null-space", vectors, "--block", "2000"}), 2) != "");
    CHECK(error_of({"solve", "generate:laplace2d,nx=9", "--solver", "direct", "--preconditioner", "ilu0"}, 2)
              .find("takes no other preconditioner, got \"ilu0\"") != std::string::npos);
}

TEST_CASE("solve divides no point among ranks") {
    scratch_folder const folder;
    // Two components of a 5-point grid with weak entries between them; half of the rows is an odd number.
    int const width = 41, n = 2 * width * width;
    std::string entries;
    int count = 0;
    auto const couple = [&](int p, int q, double value) {
        for (int c = 0; c < 4; ++c, ++count)
            entries += std::to_string(2 * p + c / 2 + 1) + " " + std::to_string(2 * q + c % 2 + 1) + " " +
                       std::to_string(c / 2 == c % 2 ? value : value / 64) + "\n";
    };
    for (int p = 0; p < width * width; ++p) {
        couple(p, p, 4);
        if (p % width > 0) couple(p, p - 1, -1);
        if (p % width + 1 < width) couple(p, p + 1, -1);
        if (p >= width) couple(p, p - width, -1);
        if (p + width < width * width) couple(p, p + width, -1);
    }
    auto const a =
        folder.write("pairs.mtx", "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " " +
                                      std::to_string(n) + " " + std::to_string(count) + "\n" + entries);
    for (std::string const ranks : {"2", "4"}) {
        CAPTURE(ranks);
        auto const found = json_of({"solve", a, "--solver", "cg", "--preconditioner", "multilevel", "--parts", ranks});
        CHECK(found["converged"] == true);
        CHECK(found["multilevel"]["unknowns_per_point"] == 2);
    }
    // the option `block` of hbisa is no number of unknowns
    CHECK(error_of({"solve", "generate:laplace2d,nx=32", "--solver", "gmres", "--preconditioner", "hbisa", "--block",
                    "512", "--parts", "4"},
                   2)
              .find("expected 1 to the 256 rows") != std::string::npos);
}

TEST_CASE("solve takes near-null-space vectors of complex matrices") {
    scratch_folder const folder;
    // D^H L D of a 5-point grid L with the phases D: D^H 1 is mapped to small values.
    int const width = 40, n = width * width;
    auto const phase = [](int p) { return 0.3 * p * p; };
    std::string grid = "%%MatrixMarket matrix coordinate complex hermitian\n" + std::to_string(n) + " " +
                       std::to_string(n) + " " + std::to_string(n + 2 * width * (width - 1)) + "\n";
    std::string vector = "%%MatrixMarket matrix array complex general\n" + std::to_string(n) + " 1\n", ones = vector;
    std::string coordinates;
    auto const complex_text = [](double re, double im) { return std::to_string(re) + " " + std::to_string(im) + "\n"; };
    for (int p = 0; p < n; ++p) {
        grid += std::to_string(p + 1) + " " + std::to_string(p + 1) + " 4 0\n";
        auto const connect = [&](int q) { // entry (q, p) = -conj(d_q) d_p
            double const angle = phase(p) - phase(q);
            grid += std::to_string(q + 1) + " " + std::to_string(p + 1) + " " +
                    complex_text(-std::cos(angle), -std::sin(angle));
        };
        if (p % width + 1 < width) connect(p + 1);
        if (p + width < n) connect(p + width);
        vector += complex_text(std::cos(phase(p)), -std::sin(phase(p)));
        ones += "1 0\n";
        if (p < n / 2) coordinates += std::to_string(p % width) + " " + std::to_string(p / width) + "\n";
    }
    auto const a = folder.write("a.mtx", grid), v = folder.write("v.mtx", vector), wrong = folder.write("1.mtx", ones),
               at = folder.write("at.txt", coordinates);
    auto const iterations = [&](std::string const& file) {
        auto const solved = json_of({"solve", a, "--solver", "cg", "--preconditioner", "multilevel",
                                     "--near-null-space", file, "--tolerance", "1e-7"});
        CHECK(solved["converged"] == true);
        return solved["iterations"].get<int>();
    };
    CHECK(2 * iterations(v) < iterations(wrong));
    auto const on_ranks =
        json_of({"solve", a, "--solver", "cg", "--near-null-space", v, "--tolerance", "1e-7", "--parts", "3"});
    CHECK(on_ranks["preconditioner"] == "multilevel");
    CHECK(on_ranks["iterations"].get<int>() <= iterations(v) + 2);
    auto const chosen = json_of({"solve", a, "--solver", "cg", "--near-null-space", v});
    CHECK(chosen["preconditioner"] == "multilevel");
    CHECK(json_of({"solve", a, "--coordinates", at, "--preconditioner", "multilevel"})["converged"] == true);
    // A complex file is for a complex matrix.
    CHECK(run({"solve", "generate:laplace2d,nx=40", "--near-null-space", v}).code == 3);
}

TEST_CASE("info describes complex matrices by their magnitudes and their conjugate transpose") {
    scratch_folder const folder;
    auto const described = [&](std::string const& kind, std::string const& entries) {
        auto const path = folder.write("a.mtx", "%%MatrixMarket matrix coordinate complex " + kind + "\n" + entries);
        return json_of({"info", path});
    };
    auto const hermitian = described("hermitian", "2 2 3\n1 1 2 0\n2 1 3 -4\n2 2 0 0\n");
    CHECK(hermitian["symmetric_pattern"] == true);
    CHECK(hermitian["symmetric_values"] == false);
    CHECK(hermitian["hermitian"] == true);
    CHECK(hermitian["asymmetry"] == 0);
    CHECK(hermitian["largest_magnitude"] == 5);
    CHECK(hermitian["diagonal_coverage"].get<double>() == doctest::Approx(2. / 12));
    CHECK(hermitian["zero_diagonals"] == 1);
    auto const symmetric = described("symmetric", "2 2 3\n1 1 2 0\n2 1 3 -4\n2 2 2 0\n");
    CHECK(symmetric["symmetric_values"] == true);
    CHECK(symmetric["hermitian"] == false);
    CHECK(symmetric["asymmetry"].get<double>() == doctest::Approx(8. / 5)); // |(3 - 4 i) - (3 + 4 i)| = 8
    auto const rounded = described("general", "2 2 4\n1 1 4 0\n2 2 4 0\n2 1 0 1\n1 2 0 -1.0000000000000002\n");
    CHECK(rounded["hermitian"] == false);
    CHECK(rounded["symmetric_to_rounding"] == true);
    auto const wide = described("general", "2 3 1\n1 1 4 1\n");
    CHECK(wide["asymmetry"].is_null());
    CHECK(wide["hermitian"] == false);
    CHECK(described("general", "0 0 0\n")["nonzeros"] == 0);
    auto const page = folder / "page.html";
    CHECK(run({"info", folder.write("h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 2 1\n"),
               "--precision", "single", "--report", page})
              .out.find("Hermitian yes") != std::string::npos);
    CHECK(read_text_file(page).find("Hermitian") != std::string::npos);
}

TEST_CASE("info and solve recognise symmetry up to rounding") {
    scratch_folder const folder;
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "3 3 7\n1 1 4\n2 2 4\n3 3 4\n2 1 -1\n1 2 -1.0000000000000002\n"
                                         "2 3 -1\n3 2 -1\n");
    auto const read = json_of({"info", a});
    CHECK(read["symmetric_values"] == false);
    CHECK(read["symmetric_to_rounding"] == true);
    CHECK(read["asymmetry"].get<double>() == doctest::Approx(std::ldexp(1.0, -52) / 4));
    CHECK(run({"info", a}).out.find("up to rounding yes") != std::string::npos);
    auto const solved = json_of({"solve", a});
    CHECK(solved["solver"] == "cg");
    CHECK(solved["asymmetry"] == read["asymmetry"]);
    CHECK(run({"solve", a}).out.find("up to rounding") != std::string::npos);
    CHECK(json_of({"solve", a, "--solver", "cg", "--preconditioner", "ic0"})["converged"] == true);
    CHECK(json_of({"solve", "generate:laplace2d,nx=9", "--solver", "direct"})["direct"]["cholesky"] == true);
    CHECK(run({"solve", "generate:laplace2d,nx=9", "--solver", "direct"}).out.find("cholesky yes") !=
          std::string::npos);
    auto const b = folder.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                         "2 2 4\n1 1 4\n2 2 4\n2 1 -1\n1 2 -1.001\n");
    CHECK(json_of({"info", b})["symmetric_to_rounding"] == false);
    CHECK(json_of({"info", "generate:laplace2d,nx=3"})["asymmetry"] == 0);
    auto const wide = folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 4\n");
    CHECK(json_of({"info", wide})["asymmetry"].is_null());
    auto const lower = folder.write("lower.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 4\n");
    CHECK(json_of({"info", lower})["asymmetry"].is_null());
    CHECK(run({"info", lower}).out.find("up to rounding no\n") != std::string::npos);
}

TEST_CASE("solve starts from --x0 and ends at the first of two tolerances") {
    scratch_folder const folder;
    std::string const problem = "generate:laplace2d,nx=20";
    json_of({"solve", problem, "--tolerance", "1e-10", "-o", folder / "x.mtx"});
    auto const again = json_of({"solve", problem, "--x0", folder / "x.mtx"});
    CHECK(again["iterations"] == 0);
    CHECK(again["relative_residual"].get<double>() < 1e-10);
    CHECK(json_of({"solve", problem, "--x0", folder / "x.mtx", "--report", folder / "r.html"})["converged"] == true);
    CHECK(read_text_file(folder / "r.html").find("starting guess") != std::string::npos);

    // b = A 1 of a path of 3: (1, 0, 1), whose norm is 1.414.
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                         "3 3 5\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n3 2 -1\n");
    CHECK(json_of({"solve", a, "--solution", "ones", "--absolute-tolerance", "1.5"})["iterations"] == 0);
    auto const output_json = json_of({"solve", a, "--solution", "ones", "--absolute-tolerance", "1.4"});
    CHECK(output_json["iterations"].get<int>() > 0);
    CHECK(output_json["tolerance"].get<double>() == doctest::Approx(1.4 / std::sqrt(2)));
    // Right-hand sides whose squares leave the range of double.
    for (std::string const power : {"e-200", "e200"}) {
        auto const b =
            folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1" + power + "\n0\n1" + power + "\n");
        CHECK(json_of({"solve", a, "--rhs", b, "--absolute-tolerance", "1.5" + power})["iterations"] == 0);
        CHECK(json_of({"solve", a, "--rhs", b, "--absolute-tolerance", "1.4" + power})["iterations"].get<int>() > 0);
    }
    auto const small = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1e-200\n0\n1e-200\n");
    CHECK(json_of({"solve", a, "--rhs", small, "--absolute-tolerance", "1e300"})["iterations"] == 0);
}

TEST_CASE("solve: complex systems, by automatic choice and by every applicable method") {
    scratch_folder const folder;
    // Hermitian and positive definite; and one that is not.
    auto const hermitian = folder.write("h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n3 3 5\n"
                                                 "1 1 4 0\n2 2 4 0\n3 3 4 0\n2 1 1 2\n3 2 0 -1\n");
    auto const general = folder.write("g.mtx", "%%MatrixMarket matrix coordinate complex general\n3 3 5\n"
                                               "1 1 4 1\n2 2 5 -1\n3 3 0 6\n1 2 1 1\n3 1 0 -1\n");
    CHECK(json_of({"solve", hermitian})["solver"] == "cg");
    CHECK(json_of({"solve", general})["solver"] == "gmres"); // with the preconditioner `direct`
    for (std::string const solver : {"cg", "minres", "bicgstab", "tfqmr", "idrs", "gmres", "fgmres"})
        for (std::string const precision : {"single", "double"}) {
            bool const any = solver != "cg" && solver != "minres";
            auto const output_json = json_of({"solve", any ? general : hermitian, "--solver", solver, "--precision",
                                              precision, "--tolerance", "1e-5", "-o", folder / "x.mtx"});
            CAPTURE(solver);
            CHECK(output_json["converged"] == true);
            CHECK(output_json["forward_relative_error"].get<double>() < 1e-4);
            CHECK(read_text_file(folder / "x.mtx").rfind("%%MatrixMarket matrix array complex", 0) == 0);
        }
    for (std::string const ranks : {"2", "5"})
        for (auto const& [matrix, solver] : {std::pair(hermitian, "cg"), std::pair(general, "bicgstab")}) {
            auto const found = json_of({"solve", matrix, "--parts", ranks, "--tolerance", "1e-10"});
            CHECK(found["solver"] == solver);
            CHECK(found["preconditioner"] == "jacobi");
            CHECK(found["parts"] == std::stoi(ranks));
            CHECK(found["forward_relative_error"].get<double>() < 1e-8);
        }
}

TEST_CASE("solve --mixed is more accurate than single precision") {
    for (std::vector<std::string> const& how :
         {std::vector<std::string>{}, {"--solver", "cg", "--preconditioner", "jacobi"}}) {
        std::vector<std::string> arguments{"solve", "generate:aniso2,nx=30", "--mixed", "--tolerance", "1e-12"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        auto const output_json = json_of(arguments);
        CHECK(output_json["converged"] == true);
        CHECK(output_json["relative_residual"].get<double>() <= 1e-12);
        CHECK(output_json["solver"] == (how.empty() ? "gmres" : "cg"));
        CHECK(output_json["preconditioner"] == (how.empty() ? "forest" : "jacobi"));
        CHECK(output_json["refinements"].get<int>() >= 2);
    }
}

TEST_CASE("solve: several right-hand sides in a file") {
    scratch_folder const folder;
    std::string const problem = "generate:laplace2d,nx=12";
    std::string text = "%%MatrixMarket matrix array real general\n144 3\n";
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 144; ++i) text += std::to_string(k == 1 ? 0 : (i * (k + 3)) % 7 - 3) + "\n";
    auto const b = folder.write("b.mtx", text);
    for (std::vector<std::string> const& how :
         {std::vector<std::string>{}, {"--solver", "bicgstab", "--preconditioner", "jacobi"}}) {
        std::vector<std::string> arguments{"solve",       problem, "--rhs", b,
                                           "--tolerance", "1e-10", "-o",    folder / "x.mtx"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        auto const output_json = json_of(arguments);
        CHECK(output_json["converged"] == true);
        auto const& each = output_json["right_hand_sides"];
        REQUIRE(each.size() == 3);
        CHECK(each[1]["reason"] == "zero_rhs");
        CHECK(each[0]["iterations"].get<int>() > (how.empty() ? 0 : 3)); // `direct` is chosen
        auto const x = numbers(folder / "x.mtx");
        REQUIRE(x.size() == 3 * 144);
        auto const rhs = numbers(b);
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 144; ++i) { // the five-point stencil, by hand
                auto const at = [&](int u, int v) {
                    return u < 0 || u > 11 || v < 0 || v > 11 ? 0.0 : x[std::size_t(144 * k + 12 * u + v)];
                };
                int const u = i / 12, v = i % 12;
                double const product = 4 * at(u, v) - at(u - 1, v) - at(u + 1, v) - at(u, v - 1) - at(u, v + 1);
                CHECK(product == doctest::Approx(rhs[std::size_t(144 * k + i)]).epsilon(1e-7).scale(1));
            }
        auto const again = json_of({"solve", problem, "--rhs", b, "--x0", folder / "x.mtx", "--tolerance", "1e-9"});
        CHECK(again["iterations"] == 0);
    }
}
