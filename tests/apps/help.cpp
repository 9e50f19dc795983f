// SPDX-License-Identifier: BSD-3-Clause
// The text of --help, man pages and completions of shells, all of which are made from the option tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>

#include "apps/runner.hpp"

using namespace coppice::test;

namespace {

std::vector<std::string> lines_of(std::string const& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool holds(std::string const& text, std::string const& substring) { return text.find(substring) != std::string::npos; }

/// First words of the lines of a section "TITLE:" of a help text, and further names after commas.
std::vector<std::string> names_in(std::string const& help, std::string const& title) {
    std::vector<std::string> names;
    bool inside = false;
    for (auto const& line : lines_of(help)) {
        if (!line.empty() && line[0] != ' ') inside = title.empty() ? line.back() == ':' : line == title + ":";
        if (!inside || line.rfind("  ", 0) != 0 || line[2] == ' ') continue;
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            bool const more = word.back() == ',';
            names.push_back(more ? word.substr(0, word.size() - 1) : word);
            if (!more) break;
        }
    }
    return names;
}

std::vector<std::string> commands() { return names_in(run({"--help"}).out, "Commands"); }

/// All options of a command: of --help, and of the topics that it names.
std::vector<std::string> options_of(std::string const& command) {
    auto const help = run({command, "--help"}).out;
    std::vector<std::string> names = names_in(help, "");
    for (auto const& line : lines_of(help))
        if (auto const at = line.find(" --help "); line.rfind("Options", 0) == 0 && at != std::string::npos)
            for (auto const& name : names_in(run({command, "--help", line.substr(at + 8)}).out, ""))
                names.push_back(name);
    names.erase(std::remove_if(names.begin(), names.end(), [](auto const& n) { return n[0] != '-'; }), names.end());
    return names;
}

/// Writes all pages into folders of `folder`.
void write_pages(scratch_folder const& folder) {
    REQUIRE(run({"help", "--man", folder / "man1", "--completions", folder / "completions"}).code == 0);
}

bool has_program(scratch_folder const& folder, std::string const& name) {
    bool const found = shell(folder / ".", "command -v " + name).code == 0;
    if (!found) std::cout << "skipped: " << name << " is not installed" << std::endl;
    return found;
}

/// Whether a text names an option, and not only a longer one.
bool names_option(std::string const& text, std::string const& option) {
    for (auto at = text.find(option); at != std::string::npos; at = text.find(option, at + 1)) {
        char const after = at + option.size() < text.size() ? text[at + option.size()] : ' ';
        if (!std::isalnum(static_cast<unsigned char>(after)) && after != '-' && after != '_') return true;
    }
    return false;
}

/// Words that bash completes for a command line, the last word of which is incomplete.
std::set<std::string> completed(scratch_folder const& folder, std::string const& words) {
    auto const r = shell(folder / "completions", "bash --norc -c '. ./coppice; COMP_WORDS=(" + words +
                                                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _coppice; "
                                                     "printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
    CHECK_MESSAGE(r.err.empty(), r.err);
    auto const lines = lines_of(r.out);
    std::set<std::string> found(lines.begin(), lines.end());
    found.erase("");
    return found;
}

} // namespace

TEST_CASE("help: lines have at most 100 characters, and help COMMAND is COMMAND --help") {
    auto const names = commands();
    CHECK(names.size() > 30);
    CHECK(run({"help"}).out == run({"--help"}).out);
    for (auto const& name : names) {
        CAPTURE(name);
        auto const help = run({"help", name});
        CHECK(help.code == 0);
        CHECK(help.out == run({name, "--help"}).out);
        CHECK(holds(help.out, "Usage: coppice " + name));
        CHECK(holds(help.out, "\nExit codes: 0 done, 2 wrong usage"));
        for (auto const& line : lines_of(help.out)) CHECK_MESSAGE(line.size() <= 100, line);
    }
    for (auto const& line : lines_of(run({"--help"}).out + run({"help", "preconditioners"}).out))
        CHECK_MESSAGE(line.size() <= 100, line);
}

TEST_CASE("help of solve: ten common options first, those of preconditioners as a topic") {
    auto const help = run({"solve", "--help"}).out;
    auto const common = names_in(help, "Common options");
    CHECK(std::count_if(common.begin(), common.end(), [](auto const& n) { return n.rfind("--", 0) == 0; }) == 10);
    CHECK(help.find("Common options:") < help.find("\nOptions:"));
    CHECK(names_in(help, "Options").size() > 3);
    CHECK(holds(help, "coppice solve --help preconditioners"));
    CHECK(!holds(help, "--charge-below"));
    auto const topic = run({"solve", "--help", "preconditioners"});
    CHECK(topic.code == 0);
    CHECK(holds(topic.out, "--charge-below"));
    CHECK(!holds(topic.out, "--tolerance"));
    CHECK(run({"help", "preconditioners"}).out == topic.out);
    CHECK(run({"help", "solve", "preconditioners"}).out == topic.out);
    CHECK(run({"solve", "a.mtx", "--help"}).out == help);
}

TEST_CASE("help: unknown commands and topics are wrong usage") {
    for (auto const& arguments :
         {std::vector<std::string>{"help", "slove"}, {"help", "solve", "nonsense"}, {"help", "solve", "a", "b"}}) {
        auto const r = run(arguments);
        CHECK(r.code == 2);
        CHECK(is_one_error_line(r.err));
    }
    CHECK(holds(run({"help", "slove"}).err, "did you mean 'solve'"));
    CHECK(run({"help", "--man", "/dev/null/x"}).code == 3);
    scratch_folder const folder;
    fs::create_directory(folder / "coppice.1");
    auto const r = run({"help", "--man", folder / "."});
    CHECK(r.code == 3);
    CHECK(holds(r.err, "coppice.1: cannot be written"));
}

TEST_CASE("bench in a build without benches: wrong usage, and the option that adds them") {
    auto const r = run({"bench"});
    CHECK(r.code == 2);
    CHECK(is_one_error_line(r.err));
    CHECK(holds(r.err, "SUITE"));
    if (!holds(r.err, "no benchmarks")) return;
    CHECK(holds(r.err, "-DCOPPICE_BUILD_BENCH=ON"));
    CHECK(run({"bench", "spmv"}).err == r.err);
}

TEST_CASE("man pages: one for each command, with all of its options, without warnings") {
    scratch_folder const folder;
    write_pages(folder);
    auto const names = commands();
    CHECK(std::distance(fs::directory_iterator(folder / "man1"), fs::directory_iterator()) ==
          std::ptrdiff_t(names.size()) + 1);
    CHECK(holds(read_text_file(folder / "man1/coppice.1"), "\\fBpagerank\\fR"));
    for (auto const& name : names) {
        auto page = read_text_file(folder / ("man1/coppice-" + name + ".1"));
        for (auto at = page.find("\\-"); at != std::string::npos; at = page.find("\\-", at)) page.erase(at, 1);
        CHECK(holds(page, ".SH NAME\ncoppice-" + name + " - "));
        auto const options = options_of(name);
        CHECK(options.size() > (name == "help" ? 2 : 8));
        for (auto const& option : options) CHECK_MESSAGE(names_option(page, "\\fB" + option), name, " ", option);
    }
    for (std::string const check : {"mandoc -T lint -W warning *.1", "groff -man -ww -z *.1 2>&1"})
        if (has_program(folder, check.substr(0, check.find(' ')))) {
            auto const r = shell(folder / "man1", check);
            CHECK(r.code == 0);
            CHECK_MESSAGE(r.out.empty(), r.out);
        }
}

TEST_CASE("completions of bash: commands, options, values and files") {
    scratch_folder const folder;
    write_pages(folder);
    if (!has_program(folder, "bash")) return;
    auto const names = commands();
    auto first = completed(folder, "coppice \"\"");
    for (auto const& name : names) CHECK_MESSAGE(first.count(name) == 1, name);
    CHECK(completed(folder, "coppice page") == std::set<std::string>{"pagerank"});
    for (auto const& name : names) {
        auto const found = completed(folder, "coppice " + name + " -");
        auto const options = options_of(name);
        for (auto const& option : options) CHECK_MESSAGE(found.count(option) == 1, name, " ", option);
        if (name != "generate") CHECK(found == std::set<std::string>(options.begin(), options.end()));
    }
    using words = std::set<std::string>;
    CHECK(completed(folder, "coppice solve --preconditioner il") == words{"ilu0", "iluk", "ilut"});
    CHECK(completed(folder, "coppice solve --preconditioner = il") == words{"ilu0", "iluk", "ilut"}); // --option=il
    CHECK(completed(folder, "coppice solve --solver b") == words{"bicg", "bicgstab"});
    CHECK(completed(folder, "coppice info --backend \"\"") == words{"auto", "host", "cuda"});
    CHECK(completed(folder, "coppice solve --tolerance \"\"").empty());
    CHECK(completed(folder, "coppice generate laplace3") == words{"laplace3d"});
    CHECK(completed(folder, "coppice generate --edge") == words{"--edge-factor", "--edge_factor"});
    CHECK(completed(folder, "coppice help precon") == words{"preconditioners"});
    std::ofstream(folder / "completions/with blank.mtx") << "";
    CHECK(completed(folder, "coppice info wi") == words{"with blank.mtx"});
    CHECK(completed(folder, "coppice solve a.mtx --rhs wi") == words{"with blank.mtx"});
}

TEST_CASE("completions of zsh and fish name every option and are valid scripts") {
    scratch_folder const folder;
    write_pages(folder);
    auto const zsh = read_text_file(folder / "completions/_coppice"),
               fish = read_text_file(folder / "completions/coppice.fish");
    for (auto const& name : commands()) {
        auto const begin = zsh.find("(" + name + ")\n");
        REQUIRE(begin != std::string::npos);
        auto const block = zsh.substr(begin, zsh.find(";;", begin) - begin);
        for (auto const& option : options_of(name)) {
            CHECK_MESSAGE(names_option(block, option), name, " ", option);
            auto const flag = option.rfind("--", 0) == 0 ? " -l " + option.substr(2) : " -s " + option.substr(1);
            auto const lines = lines_of(fish);
            CHECK_MESSAGE(std::any_of(lines.begin(), lines.end(),
                                      [&](auto const& line) {
                                          return holds(line, "'__coppice_command " + name + "'") &&
                                                 names_option(line, flag);
                                      }),
                          name, " ", option);
        }
    }
    if (has_program(folder, "zsh")) CHECK(shell(folder / "completions", "zsh -n _coppice 2>&1").out.empty());
    if (!has_program(folder, "fish")) return;
    auto const ask = [&](std::string const& line) {
        return shell(folder / "completions",
                     "HOME=$PWD fish --no-config -c \"source coppice.fish; complete -C '" + line + "'\"");
    };
    CHECK(ask("coppice page").out.rfind("pagerank\t", 0) == 0);
    CHECK(ask("coppice solve --toler").out.rfind("--tolerance\t", 0) == 0);
    CHECK(lines_of(ask("coppice solve --solver bicgs").out).at(0).rfind("bicgstab", 0) == 0);
    CHECK(ask("coppice generate --toler").out.empty());
}
