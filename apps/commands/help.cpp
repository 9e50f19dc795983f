// SPDX-License-Identifier: BSD-3-Clause
// coppice help [COMMAND]: what --help prints, and the man pages and completions of shells.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "apps/app.hpp"
#include "apps/files.hpp"
#include "apps/help/pages.hpp"
#include "apps/names.hpp"
#include <coppice/core/error.hpp>

namespace coppice::app {
namespace {

struct help_request {
    std::string subject{};
    std::string topic{};
    std::string man{};
    std::string completions{};
};

/// The time of SOURCE_DATE_EPOCH if it is set, as reproducible builds do, else the current time.
std::string today() {
    auto const* const fixed = std::getenv("SOURCE_DATE_EPOCH");
    std::time_t const time = fixed ? std::time_t(std::strtoll(fixed, nullptr, 10)) : std::time(nullptr);
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time));
}

void write_file(std::filesystem::path const& path, std::string const& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw io_error(path.string() + ": cannot be written");
}

void make_folder(std::string const& folder) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) throw io_error(folder + ": the folder cannot be created: " + failure.message());
}

void write_man_pages(CLI::App const& program, std::filesystem::path const& folder) {
    make_folder(folder.string());
    auto const date = today();
    write_file(folder / "coppice.1", man_page(page_of(program), date));
    for (auto const& page : pages_of_commands(program))
        write_file(folder / ("coppice-" + page.name + ".1"), man_page(page, date));
}

void write_completions(CLI::App const& program, std::filesystem::path const& folder) {
    make_folder(folder.string());
    auto const page = page_of(program);
    auto const commands = pages_of_commands(program);
    write_file(folder / "coppice", bash_completion(page, commands));
    write_file(folder / "_coppice", zsh_completion(page, commands));
    write_file(folder / "coppice.fish", fish_completion(page, commands));
}

std::vector<std::string> subjects(CLI::App const& program) {
    std::vector<std::string> names;
    for (auto const& page : pages_of_commands(program)) names.push_back(page.name);
    for (auto const& page : pages_of_commands(program))
        for (auto const& group : page.groups)
            if (!group.topic.empty()) names.push_back(group.topic);
    return names;
}

std::string topic_of_all(CLI::App const& program, std::string const& topic) {
    std::string text;
    for (auto const& page : pages_of_commands(program)) text += topic_text(page, topic);
    return text;
}

/// Text about a command, a topic, or a topic of a command.
std::string text_about(CLI::App const& program, help_request const& o) {
    if (o.subject.empty()) return help_text(page_of(program));
    for (auto const& page : pages_of_commands(program)) {
        if (page.name != o.subject) continue;
        if (o.topic.empty()) return help_text(page);
        if (auto const text = topic_text(page, o.topic); !text.empty()) return text;
        throw usage_error("coppice " + page.name + " has no topic '" + o.topic + "'; see coppice help " + page.name);
    }
    if (auto const text = topic_of_all(program, o.subject); !text.empty()) return text;
    auto const names = subjects(program);
    throw_unknown_name("command or topic", o.subject, std::vector<std::string_view>(names.begin(), names.end()));
}

outcome run(CLI::App const& program, help_request const& o) {
    if (!o.man.empty()) write_man_pages(program, o.man);
    if (!o.completions.empty()) write_completions(program, o.completions);
    if (o.man.empty() && o.completions.empty()) print_to_stdout(text_about(program, o));
    return {};
}

} // namespace

std::string requested_help(CLI::App const& program, std::vector<std::string> const& arguments) {
    auto const parsed = program.get_subcommands();
    auto const page = page_of(parsed.empty() ? program : *parsed[0]);
    auto at =
        std::find_if(arguments.begin(), arguments.end(), [](auto const& a) { return a == "-h" || a == "--help"; });
    if (at == arguments.end() || ++at == arguments.end() || at->starts_with('-')) return help_text(page);
    if (parsed.empty()) return text_about(program, {.subject = *at});
    if (*at == page.name && ++at == arguments.end()) return help_text(page); // coppice --help COMMAND
    return text_about(program, {.subject = page.name, .topic = *at});
}

command add_help(CLI::App& program) {
    auto const o = std::make_shared<help_request>();
    auto* const cli = program.add_subcommand("help", "Print the options of a command, or of a topic");
    cli->allow_extras();
    auto* const subject =
        cli->add_option("COMMAND", o->subject, "a command, or the topic preconditioners; all commands by default");
    cli->add_option("TOPIC", o->topic, "a topic of the command: coppice help solve preconditioners")
        ->type_name("")
        ->option_text("optional");
    cli->add_option("--man", o->man, "write a man page of every command into this folder instead")->type_name("DIR");
    cli->add_option("--completions", o->completions,
                    "write completions into this folder instead: coppice for bash, _coppice for zsh, coppice.fish")
        ->type_name("DIR");
    subject->type_name(type_with_choices("", subjects(program)))->option_text("optional");
    return {cli, [o, &program] { return run(program, *o); }};
}

} // namespace coppice::app
