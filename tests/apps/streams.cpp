// SPDX-License-Identifier: BSD-3-Clause
// Closed, full or piped streams; access modes and names of files; signals.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "apps/runner.hpp"

using namespace coppice::test;

namespace {

std::string const problem = "generate:laplace2d,nx=6";

std::string folder_name(scratch_folder const& folder) { return fs::path(folder / "x").parent_path().string(); }

int mode_of(std::string const& file) { return static_cast<int>(fs::status(file).permissions()); }

} // namespace

TEST_CASE("exit codes are set if the error cannot be printed") {
    scratch_folder const folder;
    auto const at = folder_name(folder);
    for (std::string const silence : {" 2>&-", " 2>/dev/full"}) {
        CHECK(shell(at, "\"$coppice\" solve " + problem + " --solver gmress" + silence).code == 2);
        CHECK(shell(at, "\"$coppice\" info nofile.mtx" + silence).code == 3);
        CHECK(shell(at, "\"$coppice\" solve " + problem + " --max-iterations 0" + silence).code == 4);
        CHECK(shell(at, "\"$coppice\" info " + problem + silence).code == 0);
    }
}

TEST_CASE("a failed write to standard output is an error of every command") {
    scratch_folder const folder;
    for (std::string const arguments :
         {"--version", "--help", "info --help", "info generate:laplace2d,nx=6", "spmv generate:laplace2d,nx=6 -o -"})
        for (std::string const to : {">/dev/full", ">&-"}) {
            CAPTURE(arguments);
            CAPTURE(to);
            auto const result = shell(folder_name(folder), "\"$coppice\" " + arguments + " " + to);
            CHECK(result.code == 3);
            CHECK(is_one_error_line(result.err));
        }
    // A closed stream must not give its descriptor to the next output file.
    CHECK(folder.names().empty());
    CHECK(shell(folder_name(folder), "\"$coppice\" spmv " + problem + " -q -o y.mtx >&- 2>&-").code == 0);
    auto const y = read_text_file(folder / "y.mtx");
    CHECK(y.rfind("%%MatrixMarket matrix array real general\n36 1\n2\n1\n", 0) == 0);
    CHECK(y.ends_with("\n1\n2\n"));
}

TEST_CASE("an output file has the mode of the file that it replaces, a new one that of the umask") {
    scratch_folder const folder;
    auto const at = folder_name(folder);
    for (int const mode : {0600, 0640, 0664}) {
        auto const old = folder.write("old.mtx", "old\n");
        fs::permissions(old, fs::perms(mode));
        CHECK(run({"spmv", problem, "-o", old}).code == 0);
        CHECK(mode_of(old) == mode);
        CHECK(read_text_file(old).rfind("%%MatrixMarket", 0) == 0);
    }
    CHECK(shell(at, "umask 027; \"$coppice\" spmv " + problem + " -o new.mtx --json new.json").code == 0);
    CHECK(mode_of(folder / "new.mtx") == 0640);
    CHECK(mode_of(folder / "new.json") == 0640);
}

TEST_CASE("names up to the maximum length; longer ones are rejected before the work") {
    scratch_folder const folder;
    for (std::size_t const length : {225, 255}) {
        auto const name = std::string(length - 4, 'n') + ".mtx";
        CHECK(run({"spmv", problem, "-o", folder / name}).code == 0);
        CHECK(fs::exists(folder / name));
    }
    auto const result = run({"spmv", folder / "no.mtx", "-o", folder / (std::string(252, 'n') + ".mtx")});
    CHECK(result.code == 3);
    CHECK(result.err.find("too long") != std::string::npos);
    CHECK(folder.names().size() == 2);
}

TEST_CASE("- is standard input and standard output") {
    scratch_folder const folder;
    auto const at = folder_name(folder);
    auto const piped = shell(at, "\"$coppice\" generate laplace2d --nx 9 -o - | \"$coppice\" info - --json -");
    CHECK(piped.err.empty());
    CHECK(piped.json()["rows"] == 81);
    CHECK(piped.json()["nonzeros"] == 81 + 2 * 2 * 72);

    REQUIRE(run({"spmv", problem, "-o", folder / "y.mtx"}).code == 0);
    auto const y = read_text_file(folder / "y.mtx");
    CHECK(shell(at, "\"$coppice\" spmv " + problem + " -o -").out == y);
    CHECK(shell(at, "\"$coppice\" spmv " + problem + " -o - > z.mtx; cat z.mtx").out == y);
    CHECK(shell(at, "\"$coppice\" spmv " + problem + " -o /dev/stdout > z.mtx; cat z.mtx").out == y);
    CHECK(shell(at, "gzip -c y.mtx | \"$coppice\" solve " + problem + " --rhs - -q").code == 0);
    CHECK(shell(at, "cat y.mtx | \"$coppice\" tridiagonal generate:tridiagonal,n=36 --rhs /dev/stdin -q").code == 0);
    CHECK(shell(at, "\"$coppice\" solve - --rhs - < y.mtx").code == 2);
    CHECK(shell(at, "\"$coppice\" spmv " + problem + " -o - --json -").code == 2);
    CHECK(shell(at, "\"$coppice\" info - < /dev/null").err.find("standard input: the file is empty") !=
          std::string::npos);
    CHECK(folder.names().size() == 2);
}

TEST_CASE("a failure has a JSON object, which overwrites no other file") {
    scratch_folder const folder;
    auto const output_json = run({"info", folder / "no.mtx", "--json", "-"});
    CHECK(output_json.code == 3);
    CHECK(output_json.json()["code"] == 3);
    CHECK(output_json.json()["command"] == "info");
    CHECK("coppice: error: " + output_json.json()["error"].get<std::string>() + "\n" == output_json.err);
    CHECK(run({"solve", problem, "--restart", "x", "--json", folder / "r.json"}).code == 2);
    CHECK(nlohmann::json::parse(read_text_file(folder / "r.json"))["code"] == 2);
    CHECK(run({"solve", problem, "--max-iterations", "0", "--json=" + (folder / "r.json")}).code == 4);
    auto const failed = nlohmann::json::parse(read_text_file(folder / "r.json"));
    CHECK(failed["code"] == 4);
    CHECK(failed["converged"] == false);

    auto const text = folder.write("text.mtx", "not a matrix\n");
    CHECK(run({"info", text, "--json", text}).code == 2); // no output replaces an input
    CHECK(run({"spmv", problem, "-o", text, "--json=" + (folder / "./text.mtx")}).code == 2);
    CHECK(run({"spmv", problem, "-o" + text, "--json", folder / "../" + folder_name(folder) + "/text.mtx"}).code != 0);
    CHECK(read_text_file(text) == "not a matrix\n");
}

TEST_CASE("a signal leaves no partial file and does not change the old one") {
    for (int const signal : {SIGINT, SIGTERM}) {
        scratch_folder const folder;
        auto const old = folder.write("x.mtx.gz", "old\n");
        pid_t const child = start({COPPICE_COMMAND, "generate", "laplace3d", "--nx", "60", "-o", old, "-q"}, {});
        REQUIRE(child > 0);
        while (folder.names().size() == 1 && waitpid(child, nullptr, WNOHANG) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        REQUIRE(folder.names().size() == 2); // the file is being written
        kill(child, signal);
        CHECK(wait_for(child) == 128 + signal);
        CHECK(folder.names() == std::vector<std::string>{"x.mtx.gz"});
        CHECK(read_text_file(old) == "old\n");
    }
}

namespace {

/// Processor time of a process in seconds.
double processor_seconds(pid_t process) {
    std::string const stat = read_text_file("/proc/" + std::to_string(process) + "/stat");
    std::istringstream fields(stat.substr(stat.find(')') + 2));
    std::string skipped;
    double user = 0, system = 0;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    fields >> user >> system;
    return (user + system) / double(sysconf(_SC_CLK_TCK));
}

/// Exit code of a solve that would take minutes and is stopped by Ctrl-C after some time.
int interrupted_solve(scratch_folder const& folder, std::string const& matrix, double seconds) {
    pid_t const child = start({COPPICE_COMMAND, "solve", matrix, "--solver", "gmres", "--restart", "1",
                               "--preconditioner", "none", "--tolerance", "1e-14", "--max-iterations", "1000000000",
                               "-o", folder / "x.mtx", "--json", folder / "told.json"},
                              {{STDOUT_FILENO, folder / "out"}, {STDERR_FILENO, folder / "err"}});
    REQUIRE(child > 0);
    while (processor_seconds(child) < seconds) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(child, SIGINT);
    return wait_for(child);
}

} // namespace

TEST_CASE("Ctrl-C ends a solve with the best x so far") {
    scratch_folder const folder;
    std::string const matrix = "generate:laplace2d,nx=200";
    int code = 0;
    for (double seconds = 0.3; seconds < 20 && code != 4;
         seconds *= 4) // the set-up is usually finished after the first
        code = interrupted_solve(folder, matrix, seconds);
    REQUIRE(code == 4);
    auto const output_json = nlohmann::json::parse(read_text_file(folder / "told.json"));
    CHECK(output_json["reason"] == "cancelled");
    CHECK(output_json["converged"] == false);
    CHECK(read_text_file(folder / "err").find("interrupted after") != std::string::npos);
    double const residual = output_json["relative_residual"];
    CHECK(residual < 1);
    auto const again = run({"solve", matrix, "--x0", folder / "x.mtx", "--max-iterations", "0", "--solver", "gmres",
                            "--preconditioner", "none", "--tolerance", "0", "--json", "-"});
    CHECK(again.json()["relative_residual"].get<double>() == doctest::Approx(residual).epsilon(1e-9));
}
