// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The options of each command as data: the source of --help, of the man pages and of the completions of shells.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace coppice::app {

/// An option or an argument. The type name of CLI::Option is "VALUE", "a|b|c" or "VALUE:a|b|c": the name of the value
/// and the values that a shell completes.
struct option_entry {
    std::vector<std::string> names{};   ///< "-o", "--output"; "MATRIX" for an argument
    std::string value{};                ///< empty for a flag
    std::vector<std::string> choices{}; ///< empty: any text
    std::string text{};
    bool takes_value = false;
    bool optional = false; ///< an argument that may be omitted: CLI::Option::option_text() is "optional"
    bool is_file() const { return value.rfind("FILE", 0) == 0 || value.rfind("DIR", 0) == 0; }
};

/// Options with a title. If `topic` is not empty, --help names the topic instead of the options.
struct option_group {
    std::string title{};
    std::string topic{};
    std::vector<option_entry> options{};
};

/// A command, or the program, whose name is empty.
struct command_page {
    std::string name{};
    std::string summary{};
    std::vector<option_entry> arguments{};
    std::vector<option_group> groups{}; ///< hidden options have an empty title
    std::string footer{};
    std::vector<option_entry> commands{}; ///< of the program; names and summaries
};

command_page page_of(CLI::App const& cli);
std::vector<command_page> pages_of_commands(CLI::App const& program);

/// Moves options of a command to the group `title`. Groups are printed in the order of their first option.
void group_options(CLI::App& cli, std::string const& title, std::initializer_list<char const*> names);

inline constexpr char const* common_group = "Common options";
inline constexpr char const* every_command_group = "Options of every command";
inline constexpr char const* preconditioner_group = "Options of preconditioners";

/// Returns "VALUE:a|b|c".
template <class Names>
std::string type_with_choices(std::string text, Names const& names) {
    char separator = ':';
    for (auto const& name : names) {
        text.append(1, separator).append(name);
        separator = '|';
    }
    return text;
}

/// Breaks a text at blanks into lines of at most `width` characters. The first line starts at column `from`, all others
/// at column `indent`, plus the blanks at the start of the line; "\n" in the text ends a line. A longer word is a line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t from);

/// Text of --help: lines of at most 100 characters.
std::string help_text(command_page const& page);
/// Only the options of a topic; empty if the page has no such topic.
std::string topic_text(command_page const& page, std::string_view topic);

/// A page for man(1) in section 1; `date` is its date.
std::string man_page(command_page const& page, std::string_view date);

std::string bash_completion(command_page const& program, std::vector<command_page> const& commands);
std::string zsh_completion(command_page const& program, std::vector<command_page> const& commands);
std::string fish_completion(command_page const& program, std::vector<command_page> const& commands);

} // namespace coppice::app
