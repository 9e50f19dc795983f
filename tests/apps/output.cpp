// SPDX-License-Identifier: BSD-3-Clause
// Output of the command: pure JSON, complete files or none, the report.
#include <doctest/doctest.h>

#include <iostream>
#include <set>

#include "apps/runner.hpp"

using namespace coppice::test;

namespace {

std::string const problem = "generate:aniso2,nx=40";

bool holds(std::string const& text, std::string const& substring) { return text.find(substring) != std::string::npos; }

} // namespace

TEST_CASE("results go to standard output; standard error is empty unless it is a terminal") {
    auto const result = run({"solve", "generate:laplace2d,nx=300", "--max-iterations", "400"});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK(holds(result.out, "converged"));
    CHECK(holds(result.out, "relative residual"));
}

TEST_CASE("--quiet leaves standard output empty, --json FILE does not") {
    scratch_folder const folder;
    CHECK(run({"solve", problem, "--quiet"}).out.empty());
    auto const both = run({"solve", problem, "--json", folder / "r.json"});
    CHECK(holds(both.out, "converged"));
    auto const json = nlohmann::json::parse(read_text_file(folder / "r.json"));
    CHECK(json["converged"] == true);
}

TEST_CASE("--json - writes one JSON object and nothing else, files or not") {
    scratch_folder const folder;
    for (auto const& arguments : std::vector<std::vector<std::string>>{
             {"generate", "laplace2d", "--nx", "5", "-o", folder / "g.mtx"},
             {"info", problem},
             {"spmv", problem},
             {"factor", problem},
             {"forest", problem},
             {"tridiagonal", "generate:tridiagonal,case=1,n=100"},
             {"solve", problem, "-o", folder / "x.mtx", "--report", folder / "r.html"}}) {
        auto all = arguments;
        all.insert(all.end(), {"--json", "-"});
        auto const result = run(all);
        CAPTURE(arguments[0]);
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        CHECK(result.out.front() == '{');
        CHECK(result.out.back() == '\n');
        CHECK(result.json()["command"] == arguments[0]); // parse() rejects text after the object
    }
}

TEST_CASE("a solution that did not converge is printed and written, with exit code 4") {
    scratch_folder const folder;
    auto const result = run({"solve", problem, "--solver", "cg", "--preconditioner", "jacobi", "--max-iterations", "2",
                             "-o", folder / "x.mtx", "--json", folder / "r.json", "--report", folder / "r.html"});
    CHECK(result.code == 4);
    CHECK(is_one_error_line(result.err));
    CHECK(holds(result.out, "not converged"));
    CHECK(folder.names().size() == 3);
    auto const json = nlohmann::json::parse(read_text_file(folder / "r.json"));
    CHECK(json["converged"] == false);
    CHECK(json["iterations"] == 2);
    CHECK(holds(read_text_file(folder / "r.html"), "did not converge"));
}

TEST_CASE("a run that fails late writes no file and keeps the old one") {
    scratch_folder const folder;
    auto const old = folder.write("x.mtx", "old\n");
    // Standard output is written last, after the files were prepared.
    auto const result = run({"solve", problem, "-o", old, "--report", folder / "r.html"}, "/dev/full");
    CHECK(result.code == 3);
    CHECK(is_one_error_line(result.err));
    CHECK(read_text_file(old) == "old\n");
    CHECK(folder.names() == std::vector<std::string>{"x.mtx"});
}

TEST_CASE("an unwritable output is reported before the work") {
    scratch_folder const folder;
    // This matrix does not exist, but the output is checked first.
    auto const result = run({"solve", folder / "no.mtx", "-o", folder / "no/x.mtx"});
    CHECK(result.code == 3);
    CHECK(holds(result.err, "folder does not exist"));
}

TEST_CASE("a symbolic link is kept, and its target is replaced") {
    scratch_folder const folder;
    auto const target = folder.write("target.mtx", "old\n");
    fs::create_symlink(target, folder / "link.mtx");
    CHECK(run({"spmv", problem, "-o", folder / "link.mtx"}).code == 0);
    CHECK(fs::is_symlink(folder / "link.mtx"));
    CHECK(read_text_file(target).rfind("%%MatrixMarket", 0) == 0);
    CHECK(folder.names().size() == 2);
}

TEST_CASE("every suite of bench runs; --limit leaves out later problems") {
    scratch_folder const folder;
    auto const file = folder / "b.json";
    auto const result = run({"bench", "all", "--quick", "--backend", "host", "--json", file, "--quiet"});
    if (result.code == 2) return; // a build without benchmarks
    REQUIRE_MESSAGE(result.code == 0, result.err);
    auto const written = nlohmann::json::parse(read_text_file(file));
    CHECK(written["failures"].empty());
    CHECK(written["left_out"].empty());
    std::set<std::string> suites;
    for (auto const& row : written["rows"]) suites.insert(row["suite"]);
    CHECK(suites.size() == 14);

    REQUIRE(
        run({"bench", "graph", "--quick", "--limit", "1e-9", "--backend", "host", "--json", file, "--quiet"}).code ==
        0);
    auto const late = nlohmann::json::parse(read_text_file(file));
    CHECK(late["rows"].empty());
    CHECK(late["left_out"].size() > 1);
    CHECK(holds(run({"bench", "graph", "--only", "no such problem", "--backend", "host"}).out,
                "nothing: no problem of suite graph matches --only no such problem"));
}

TEST_CASE("bench draws its measurements: curves for a sweep, bars for a single problem") {
    scratch_folder const folder;
    auto const result = run({"bench", "tridiagonal", "--quick", "--only", "batch of", "--backend", "host", "--report",
                             folder / "b.html", "--json", folder / "b.json", "--quiet"});
    if (result.code == 2) return; // a build without benchmarks
    REQUIRE(result.code == 0);
    auto const page = read_text_file(folder / "b.html");
    auto const rows = nlohmann::json::parse(read_text_file(folder / "b.json"))["rows"];
    std::size_t placed = 0;
    for (auto const& row : rows) {
        CHECK(row["seconds"].get<double>() > 0);
        CHECK(holds(page, row["method"].get<std::string>()));
        placed += row["problem"].get<std::string>().find(" to ") == std::string::npos ? 1 : 0;
    }
    CHECK(placed < rows.size()); // batches of one size form a sweep, those of several sizes do not
    auto const count = [&](std::string const& what) {
        std::size_t found = 0;
        for (auto at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
        return found;
    };
    CHECK(count("<svg") == 2);
    CHECK(count("<svg") == count("</svg>"));
    CHECK(count("<circle") == placed);
    CHECK(count("<rect") == rows.size() - placed);
    CHECK(!holds(page, "http")); // no external references
    CHECK(!holds(page, "nan"));
}

TEST_CASE("the report is one self-contained page with all its sections") {
    scratch_folder const folder;
    auto const path = folder / "r.html";
    REQUIRE(run({"solve", problem, "--report", path}).code == 0);
    auto const page = read_text_file(path);
    CHECK(page.rfind("<!doctype html>", 0) == 0);
    for (std::string const substring :
         {"id=convergence", "id=pattern", "id=forest", "id=settings", "<svg class=chart", "<svg class=histogram",
          "data:image/png;base64,", "Original order", "Forest order", "prefers-color-scheme: dark", "tolerance 1e-06",
          "Path lengths"})
        CHECK_MESSAGE(holds(page, substring), substring);
    for (std::string const run_name : {"forest", "tridiagonal", "jacobi", "none"})
        CHECK_MESSAGE(holds(page, "<title>" + run_name + ": "), run_name);
    for (std::string const reference : {"http:", "https:", "<script ", "<link", "@import", "url(", "//"})
        CHECK_MESSAGE(!holds(page.substr(0, page.find("data:image")), reference), reference);
    CHECK(!holds(page, "http"));
}

TEST_CASE("the report shows the levels of a multilevel method, and its aggregates on a plane grid") {
    scratch_folder const folder;
    auto const path = folder / "r.html";
    auto const page_of = [&](std::string const& matrix, std::string const& preconditioner) {
        REQUIRE(run({"solve", matrix, "--preconditioner", preconditioner, "--report", path}).code == 0);
        return read_text_file(path);
    };
    auto const count = [](std::string const& text, std::string const& substring) {
        int n = 0;
        for (auto at = text.find(substring); at != std::string::npos; at = text.find(substring, at + 1)) ++n;
        return n;
    };
    auto const grid = page_of("generate:aniso2,nx=30,ny=20", "multilevel,coarsest=20");
    auto const levels = grid.substr(grid.find("id=levels"));
    CHECK(holds(levels, "solved directly"));
    CHECK(holds(levels, "multiplies the error by <b>0."));
    CHECK(holds(levels, "Galerkin products"));
    CHECK(holds(levels, "<td>smoothed</tr>"));
    CHECK(holds(page_of("generate:laplace3d,nx=24", "multilevel"), "<td>constant on aggregates</tr>"));
    CHECK(holds(levels, "viewBox='-0.1 -0.1 30.2 20.2'"));
    auto const picture = levels.substr(levels.find("<svg class=aggregates"));
    int const edges = count(picture.substr(picture.find("stroke-width")), "v1") +
                      count(picture.substr(picture.find("stroke-width")), "h1");
    CHECK(edges > 300); // aggregates of some six unknowns each
    CHECK(edges < 1150);
    CHECK(holds(page_of("generate:laplace3d,nx=8", "multilevel,coarsest=20"), "id=levels"));
    CHECK(!holds(read_text_file(path), "<svg class=aggregates"));
    CHECK(!holds(page_of("generate:aniso2,nx=30", "forest"), "id=levels"));
}

TEST_CASE("the printed report has all its columns") {
    scratch_folder const folder;
    auto const at = fs::path(folder / "r.html").parent_path().string();
    if (shell(at, "command -v chromium && command -v pdftotext").code != 0) {
        std::cout << "skipped: the report on paper (chromium and pdftotext print it)" << std::endl;
        return;
    }
    REQUIRE(run({"solve", problem, "--report", folder / "r.html"}).code == 0);
    REQUIRE(shell(at, "HOME=$PWD chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer "
                      "--print-to-pdf=r.pdf r.html")
                .code == 0);
    auto const text = shell(at, "pdftotext -layout r.pdf -").out;
    for (std::string const column : {"preconditioner", "ended", "iterations", "relative residual", "forward error",
                                     "set-up", "solve", "per iteration"})
        CHECK_MESSAGE(holds(text, column), column);
}

TEST_CASE("names that mean something in HTML are shown as text") {
    scratch_folder const folder;
    auto const path = folder / "a<b>&\"c.mtx";
    REQUIRE(run({"generate", "laplace2d", "--nx", "6", "-o", path}).code == 0);
    REQUIRE(run({"solve", path, "--report", folder / "r.html"}).code == 0);
    auto const page = read_text_file(folder / "r.html");
    CHECK(holds(page, "a&lt;b&gt;&amp;&quot;c.mtx"));
    CHECK(!holds(page, "a<b>"));
}

TEST_CASE("a matrix with a zero on the diagonal still gets its report, without jacobi") {
    scratch_folder const folder;
    auto const a = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                         "3 3 3\n1 1 2\n2 1 1\n3 3 2\n");
    auto const result = run({"solve", a, "--solution", "ones", "--report", folder / "r.html"});
    CAPTURE(result.err);
    CHECK(result.code == 0);
    CHECK(holds(read_text_file(folder / "r.html"), "not run: the diagonal entry of row 2 is zero"));
}
