// SPDX-License-Identifier: BSD-3-Clause
// Input files are never replaced by an output, under any name; names of files that look like options or contain control
// characters.
#include <doctest/doctest.h>

#include <sched.h>

#include "apps/runner.hpp"
#include "support/sanitized.hpp"

using namespace coppice::test;

namespace {

std::string const matrix_text =
    "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 2\n2 2 2\n3 3 2\n1 2 -1\n2 1 -1\n2 3 -1\n3 2 -1\n";
std::string const vector_text = "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n";

std::string folder_of(scratch_folder const& folder) { return fs::path(folder / "x").parent_path().string(); }

/// A folder with a matrix and a vector, and different names of them.
struct inputs {
    scratch_folder folder;
    std::string matrix = folder.write("p.mtx", matrix_text), other = folder.write("q.mtx", matrix_text),
                vector = folder.write("d.mtx", vector_text);
    std::size_t files = 3;

    std::vector<std::string> names_of(std::string const& file) {
        auto const name = fs::path(file).filename().string();
        fs::create_symlink(name, folder / ("link-" + name));
        fs::create_symlink("link-" + name, folder / ("link-of-link-" + name));
        fs::create_hard_link(file, folder / ("hard-" + name));
        fs::create_directory(folder / ("folder-" + name));
        fs::create_directory_symlink(".", folder / ("here-" + name));
        files += 5;
        return {file,
                folder / ("./" + name),
                folder / ("folder-" + name + "/../" + name),
                folder / ("here-" + name + "/" + name),
                folder / ("link-" + name),
                folder / ("link-of-link-" + name),
                folder / ("hard-" + name)};
    }
    bool untouched() const {
        return read_text_file(matrix) == matrix_text && read_text_file(other) == matrix_text &&
               read_text_file(vector) == vector_text && folder.names().size() == files;
    }
};

} // namespace

TEST_CASE("integers that are not exact in double are errors where values are used") {
    scratch_folder const folder;
    auto const whole = folder.write("i.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 1\n2 1 "
                                             "9007199254740993\n"),
               edges = folder.write("e.csv", "0,1,1700000000000000001\n1,0,1700000000000000001\n"),
               ones = folder.write("ones.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n");
    std::vector<std::vector<std::string>> const refused = {
        {"info", whole},           {"spmv", whole},       {"multiply", ones, whole}, {"multiply", whole, ones},
        {"solve", whole},          {"factor", edges},     {"forest", edges},         {"sssp", edges},
        {"bfs", edges, "--check"}, {"tridiagonal", whole}};
    for (auto const& arguments : refused) {
        auto const found = run(arguments);
        INFO(arguments[0], found.err);
        bool const used = arguments[0] != "bfs";
        CHECK(found.code == (used ? 3 : 0));
        CHECK((found.err.find("an integer that double does not represent exactly") != std::string::npos) == used);
    }
    auto const masked = run({"multiply", ones, ones, "--mask", whole});
    CHECK(masked.code == 0);
}

TEST_CASE("matrices of SciPy are read, and vectors of NumPy read and written") {
    scratch_folder const folder;
    auto const tiny = fs::path(COPPICE_SOURCE_DIR) / "datasets" / "tiny";
    auto const info = run({"info", tiny / "scipy_csr.npz", "--json", "-"}).json();
    CHECK(info["rows"] == 2);
    CHECK(info["nonzeros"] == 3);
    CHECK(run({"info", tiny / "scipy_coo_complex.npz", "--json", "-"}).json()["hermitian"] == false);
    auto const x = folder / "x.npy", y = folder / "y.npy";
    CHECK(run({"spmv", tiny / "scipy_csr.npz", "-o", x, "-q"}).code == 0);
    CHECK(read_text_file(x).rfind("\x93NUMPY", 0) == 0);
    auto const grid = "generate:laplace2d,nx=2,ny=1";
    CHECK(run({"solve", grid, "--rhs", x, "-o", y, "-q"}).code == 0);
    CHECK(run({"tridiagonal", grid, "--rhs", y, "-o", x, "-q"}).code == 0);
    CHECK(run({"spmv", grid, "--x", x, "-o", folder / "y.mtx", "-q"}).code == 0);
    auto const refused = run({"multiply", grid, grid, "-o", folder / "c.npz"});
    CHECK(refused.code == 2);
    CHECK(refused.err.find("the format .npz is not supported for output") != std::string::npos);
    CHECK(run({"multiply", grid, grid, "-o", folder / "c.npy"}).code == 2);
}

TEST_CASE("no output replaces an input, under any name") {
    inputs in;
    auto const of_matrix = in.names_of(in.matrix), of_vector = in.names_of(in.vector);
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> const from_matrix = {
        {{"info", in.matrix}, {"--json"}},
        {{"spmv", in.matrix}, {"-o", "--json"}},
        {{"multiply", in.other, in.matrix}, {"-o", "--json"}},
        {{"multiply", in.other, in.other, "--mask", in.matrix}, {"-o", "--json"}},
        {{"factor", in.matrix}, {"-o", "--json", "--picture"}},
        {{"forest", in.matrix}, {"-o", "--json", "--picture"}},
        {{"tridiagonal", in.matrix}, {"-o", "--json"}},
        {{"solve", in.matrix}, {"-o", "--json", "--report"}},
        {{"bfs", in.matrix, "--renumber"}, {"-o", "--json", "--report", "--picture", "--mapping"}}};
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> const from_vector = {
        {{"spmv", in.matrix, "--x", in.vector}, {"-o", "--json"}},
        {{"spmv", in.matrix, "--mask", in.vector}, {"-o", "--json"}},
        {{"spmv", in.matrix, "--accumulate", in.vector}, {"--json"}},
        {{"tridiagonal", in.matrix, "--rhs", in.vector}, {"-o", "--json"}},
        {{"solve", in.matrix, "--rhs", in.vector}, {"-o", "--json", "--report"}},
        {{"solve", in.matrix, "--x0", in.vector}, {"-o", "--json", "--report"}}};
    auto const check = [&](auto const& runs, std::vector<std::string> const& names, bool all_names) {
        for (auto const& [arguments, options] : runs)
            for (auto const& option : options)
                for (auto const& name : names) {
                    if (!all_names && option != options[0] && &name != &names.back()) continue;
                    auto given = arguments;
                    given.insert(given.end(), {option, name});
                    auto const result = run(given);
                    CAPTURE(given[0]);
                    CAPTURE(option);
                    CAPTURE(name);
                    CAPTURE(result.err);
                    CHECK(result.code == 2);
                    CHECK(is_one_error_line(result.err));
                    CHECK(result.err.find("no output replaces an input") != std::string::npos);
                    CHECK(result.out.empty());
                    REQUIRE(in.untouched());
                }
    };
    check(from_matrix, of_matrix, false);
    check(from_vector, of_vector, false);
}

TEST_CASE("an input that is also standard input or output is treated as a file") {
    inputs in;
    auto const at = folder_of(in.folder);
    auto const fails = [&](std::string const& line) {
        auto const result = shell(at, "\"$coppice\" " + line);
        CAPTURE(line);
        CAPTURE(result.err);
        CHECK(result.code == 2);
        CHECK(is_one_error_line(result.err));
        CHECK(in.untouched());
    };
    fails("info - --json p.mtx < p.mtx");
    fails("spmv /dev/stdin -o p.mtx < p.mtx");
    fails("solve - --report p.mtx < p.mtx");
    fails("solve - --frobnicate --json p.mtx < p.mtx");
    fails("info p.mtx >> p.mtx");
    fails("spmv p.mtx --x d.mtx -o - >> d.mtx");
    fails("info p.mtx --bad -qop.mtx --json p.mtx");
    CHECK(shell(at, "\"$coppice\" info p.mtx >> told.txt; \"$coppice\" info p.mtx >> told.txt").code == 0);
}

TEST_CASE("a vector may be accumulated into its own file") {
    inputs in;
    // The row sums of the matrix are 1, 0, 1.
    for (std::string const values : {"2\n2\n4\n", "3\n2\n5\n"}) {
        auto const result = run({"spmv", in.matrix, "--accumulate", in.vector, "-o", in.folder / "./d.mtx"});
        CAPTURE(result.err);
        CHECK(result.code == 0);
        CHECK(read_text_file(in.vector) == "%%MatrixMarket matrix array real general\n3 1\n" + values);
    }
}

TEST_CASE("a vector may also be multiplied and accumulated into its own file, the matrix may not") {
    inputs in;
    auto const result = run({"spmv", in.matrix, "--x", in.vector, "--accumulate", in.vector, "-o", in.vector});
    CAPTURE(result.err);
    CHECK(result.code == 0);
    CHECK(read_text_file(in.vector).ends_with("3 1\n1\n2\n7\n")); // A (1, 2, 3) = (0, 0, 4)
    CHECK(run({"spmv", in.vector, "--accumulate", in.vector, "-o", in.vector}).code == 2);
    CHECK(run({"spmv", in.matrix, "--x", in.vector, "--accumulate", in.other, "-o", in.vector}).code == 2);
}

TEST_CASE("-- ends the options of every command") {
    scratch_folder const folder;
    auto const at = folder_of(folder);
    for (auto const* const name : {"a.mtx", "-x.mtx", "--", "--json"}) folder.write(name, matrix_text);
    auto const code = [&](std::string const& line) {
        auto const result = shell(at, "\"$coppice\" " + line);
        CAPTURE(line);
        CAPTURE(result.err);
        CHECK(result.err.find("internal") == std::string::npos);
        CHECK((result.code == 0 ? result.err.empty() : is_one_error_line(result.err)));
        return result.code;
    };
    for (std::string const command : {"info", "spmv", "factor", "forest", "tridiagonal", "solve", "bfs", "mst"}) {
        CHECK(code(command + " -- a.mtx") == 0);
        CHECK(code(command + " -- -x.mtx") == 0);
        CHECK(code(command + " --") == 2);
        CHECK(code(command + " a.mtx --") == 0);
        CHECK(code(command + " a.mtx -- b.mtx") == 2);
        CHECK(code(command + " a.mtx -- -q") == 2);
    }
    CHECK(code("info -- --") == 0);
    CHECK(code("info -q -- --json") == 0);
    CHECK(code("-- info a.mtx") == 0);
    CHECK(code("multiply -q -- a.mtx -x.mtx") == 0);
    CHECK(code("spmv a.mtx -o -- -q") == 0); // the value of an option
    CHECK(code("generate -o g.mtx --nx 3 -- laplace2d") == 0);
    CHECK(code("info a.mtx ++ --json told.json") == 2); // not silently ignored
    CHECK(code("--") == 2);
    auto const unknown = shell(at, "\"$coppice\" info -x.mtx");
    CHECK(unknown.err.find("unknown option '-x.mtx'; for the file of this name write ./-x.mtx") != std::string::npos);
    CHECK(nlohmann::json::parse(read_text_file(folder / "told.json"))["code"] == 2);
}

TEST_CASE("control characters of names are escaped in text output") {
    scratch_folder const folder;
    for (auto const& names : std::vector<std::pair<std::string, std::string>>{
             {"a\x1b[31m.mtx", "a\\x1b[31m.mtx"},
             {"a\nb.mtx", "a\\nb.mtx"},
             {"a\x7f.mtx", "a\\x7f.mtx"},
             {"a\xc2\x9b.mtx", "a\\x9b.mtx"},       // CSI of ISO 6429 in UTF-8
             {"a\x9b.mtx", "a\\x9b.mtx"},           // and alone
             {"a\xe2\x80\xae.mtx", "a\\u202e.mtx"}, // right-to-left override
             {"gr\xc3\xb6\xc3\x9f"
              "e.mtx",
              "gr\xc3\xb6\xc3\x9f"
              "e.mtx"}}) {
        auto const& name = names.first;
        auto const& shown = names.second;
        CAPTURE(shown);
        auto const missing = run({"info", folder / name});
        CHECK(missing.code == 3);
        CHECK(is_one_error_line(missing.err));
        CHECK(missing.err.find(shown) != std::string::npos);
        auto const unknown = run({"info", "generate:laplace2d,nx=3", name});
        CHECK(unknown.code == 2);
        CHECK(unknown.err.find(shown) != std::string::npos);
        folder.write(name, matrix_text);
        auto const output_json = run({"info", folder / name});
        CHECK(output_json.code == 0);
        CHECK(output_json.out.find(shown) != std::string::npos);
        for (char const c : {'\x1b', '\x7f', '\x9b'})
            if (shown.find("gr") != 0) CHECK(output_json.out.find(c) == std::string::npos);
        CHECK(run({"info", folder / name, "--json", "-"}).json()["matrix"] ==
              nlohmann::json::parse(
                  nlohmann::json(folder / name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    }
}

TEST_CASE("exceeding the file size limit is an error that leaves no file") {
    scratch_folder const folder;
    auto const old = folder.write("y.mtx", "old\n");
    auto const result = shell(folder_of(folder), "ulimit -f 8; \"$coppice\" generate laplace2d --nx 200 -o y.mtx 2>&1");
    CHECK(result.code == 3);
    CHECK(result.out.find("File too large") != std::string::npos);
    CHECK(folder.names() == std::vector<std::string>{"y.mtx"});
    CHECK(read_text_file(old) == "old\n");
}

TEST_CASE("the command works if the thread for signals cannot be started") {
    if (sanitized) return; // sanitizers start their own threads first
    scratch_folder const folder;
    auto const result =
        shell(folder_of(folder), "LD_PRELOAD=" COPPICE_FAILING_THREADS
                                 " COPPICE_FAILING_THREADS=1 \"$coppice\" spmv generate:laplace2d,nx=9 -q -o y.mtx");
    CAPTURE(result.err);
    CHECK(result.code == 0);
    CHECK(folder.names() == std::vector<std::string>{"y.mtx"});
}

TEST_CASE("OMP_PROC_BIND does not bind the command to a core") {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    scratch_folder const folder;
    std::vector<std::string> settings{"", "OMP_PROC_BIND=true ", "OMP_PROC_BIND=close OMP_PLACES=cores "};
    if (!sanitized) settings.emplace_back("LD_PRELOAD=libgomp.so.1 OMP_PROC_BIND=true "); // as the benchmarks link it
    for (auto const& setting : settings) {
        auto const output_json =
            shell(folder_of(folder), setting + "\"$coppice\" info generate:laplace2d,nx=4 --backend host --json -");
        CHECK(output_json.json()["threads"] == CPU_COUNT(&allowed));
    }
    // Threads beyond the number of cores are not used, and the output states this.
    auto const many = run({"info", "generate:laplace2d,nx=4", "--backend", "host", "--threads", "4096"});
    CHECK(many.out.find(std::to_string(CPU_COUNT(&allowed)) + " thread") != std::string::npos);
    CHECK(many.out.find("of the 4096 requested") != std::string::npos);
}
