// SPDX-License-Identifier: BSD-3-Clause
#include "apps/help/pages.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace coppice::app {
namespace {

constexpr std::size_t help_width = 100, help_column = 30;

struct topic_row {
    std::string_view topic, title;
};
constexpr topic_row topics[] = {{"preconditioners", preconditioner_group}};

std::string topic_of(std::string_view title) {
    for (auto const& row : topics)
        if (row.title == title) return std::string(row.topic);
    return {};
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> items;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find(separator, at), text.size());
        items.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return items;
}

option_entry entry_of(CLI::Option const& option) {
    option_entry entry;
    entry.text = option.get_description();
    for (auto const& name : option.get_snames()) entry.names.push_back("-" + name);
    for (auto const& name : option.get_lnames()) entry.names.push_back("--" + name);
    if (option.get_positional()) entry.names = {option.get_name(true, false)};
    entry.optional = option.get_option_text() == "optional";
    entry.takes_value = option.get_items_expected_min() > 0;
    if (!entry.takes_value) return entry;
    auto const type = option.get_type_name();
    auto const colon = type.find(':');
    entry.value = type.substr(0, colon);
    auto const choices = colon == std::string::npos ? type : type.substr(colon + 1);
    if (choices.find('|') != std::string::npos || colon != std::string::npos) entry.choices = split(choices, '|');
    return entry;
}

/// "-o, --output FILE"
std::string heading_of(option_entry const& option) {
    std::string text;
    for (auto const& name : option.names) text += (text.empty() ? "" : ", ") + name;
    return option.value.empty() ? text : text + " " + option.value;
}

std::size_t characters(std::string_view text) { // of UTF-8
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// A heading and its text in two columns; a long heading has a line without text. Values a|b|c are broken at |.
std::string two_columns(std::string heading, std::string const& text) {
    auto const limit = help_width - 4;
    std::string line = "  ";
    while (characters(heading) > limit) {
        auto const bar = heading.rfind('|', limit);
        if (bar == std::string::npos || bar == 0) break;
        line += heading.substr(0, bar + 1) + "\n      ";
        heading.erase(0, bar + 1);
    }
    line += heading;
    auto const last = line.size() - (line.rfind('\n') == std::string::npos ? 0 : line.rfind('\n') + 1);
    if (text.empty()) return line + "\n";
    if (last + 2 > help_column || line.find('\n') != std::string::npos)
        return line + "\n" + std::string(help_column, ' ') + wrapped(text, help_width, help_column, help_column) + "\n";
    return line + std::string(help_column - last, ' ') + wrapped(text, help_width, help_column, help_column) + "\n";
}

std::string list_of_options(std::string_view title, std::vector<option_entry> const& options) {
    if (options.empty()) return {};
    std::string text = fmt::format("\n{}:\n", title);
    for (auto const& option : options) text += two_columns(heading_of(option), option.text);
    return text;
}

std::string full_name(command_page const& page) { return page.name.empty() ? "coppice" : "coppice " + page.name; }

std::string usage_of(command_page const& page) {
    std::string text = full_name(page) + (page.name.empty() ? " [OPTION]" : " [OPTIONS]");
    for (auto const& argument : page.arguments)
        text += argument.optional ? " [" + argument.names[0] + "]" : " " + argument.names[0];
    return page.name.empty() ? text + " COMMAND [ARGUMENTS]" : text;
}

} // namespace

command_page page_of(CLI::App const& cli) {
    command_page page{.name = cli.get_parent() ? cli.get_name() : "", .summary = cli.get_description()};
    page.footer = cli.get_footer();
    auto const add = [&](CLI::Option const& option) {
        if (option.get_positional()) return page.arguments.push_back(entry_of(option));
        auto const& title = option.get_group();
        auto at = std::find_if(page.groups.begin(), page.groups.end(), [&](auto const& g) { return g.title == title; });
        if (at == page.groups.end()) at = page.groups.insert(at, {title, topic_of(title), {}});
        at->options.push_back(entry_of(option));
    };
    auto const* const help = cli.get_help_ptr();
    for (auto const* option : cli.get_options())
        if (option != help) add(*option);
    if (help) add(*help);
    for (auto const* command : cli.get_subcommands([](CLI::App const*) { return true; }))
        page.commands.push_back({{command->get_name()}, "", {}, command->get_description(), false});
    return page;
}

std::vector<command_page> pages_of_commands(CLI::App const& program) {
    std::vector<command_page> pages;
    for (auto const* command : program.get_subcommands([](CLI::App const*) { return true; }))
        pages.push_back(page_of(*command));
    return pages;
}

void group_options(CLI::App& cli, std::string const& title, std::initializer_list<char const*> names) {
    for (auto const* name : names) cli.get_option(name)->group(title);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t from) {
    std::string result;
    for (auto const& line : split(text, '\n')) {
        auto const blanks = std::min(line.find_first_not_of(' '), line.size()), left = indent + blanks;
        if (!result.empty()) {
            result += '\n';
            from = indent;
            if (!line.empty()) result += std::string(indent, ' ');
        }
        result += std::string(blanks, ' ');
        std::size_t column = from + blanks;
        for (std::size_t at = blanks; at < line.size();) { // a word and the blanks before it
            auto const word = line.find_first_not_of(' ', at);
            if (word == std::string::npos) break;
            auto const end = std::min(line.find(' ', word), line.size()),
                       length = characters(line.substr(word, end - word));
            bool const breaks = at > blanks && column + (word - at) + length > width;
            result += breaks ? "\n" + std::string(left, ' ') : std::string(word - at, ' ');
            column = breaks ? left + length : column + (word - at) + length;
            result += line.substr(word, end - word);
            at = end;
        }
    }
    return result;
}

std::string help_text(command_page const& page) {
    auto text = wrapped(page.summary, help_width, 0, 0) + "\n\nUsage: " + usage_of(page) + "\n";
    text += list_of_options("Arguments", page.arguments);
    for (auto const& group : page.groups) {
        if (group.title.empty()) continue;
        if (group.topic.empty())
            text += list_of_options(group.title, group.options);
        else
            text += fmt::format("\n{}: {} --help {}\n", group.title, full_name(page), group.topic);
    }
    text += list_of_options("Commands", page.commands);
    return page.footer.empty() ? text : text + "\n" + wrapped(page.footer, help_width, 0, 0) + "\n";
}

std::string topic_text(command_page const& page, std::string_view topic) {
    std::string text;
    for (auto const& group : page.groups)
        if (!topic.empty() && group.topic == topic)
            text +=
                fmt::format("{}, of {}\n", group.title, full_name(page)) + list_of_options("Options", group.options);
    return text;
}

namespace {

/// Text for roff: hyphens of options stay hyphens that can be copied; other characters by their numbers.
std::string roff(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const byte = static_cast<unsigned char>(text[i]);
        if (text[i] == '\\')
            result += "\\e";
        else if (text[i] == '-')
            result += "\\-";
        else if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n'))
            result += std::string("\\&") + text[i];
        else if (byte < 0x80)
            result += text[i];
        else { // UTF-8 of two to four bytes
            std::size_t const bytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            std::uint32_t code = byte & (0x7fU >> bytes);
            for (std::size_t k = 1; k < bytes && i + 1 < text.size(); ++k)
                code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fU);
            result += fmt::format("\\[u{:04X}]", code);
        }
    }
    return result;
}

/// Lines that keep their breaks, within the width of a terminal.
std::string roff_lines(std::string const& text) {
    std::string result = ".nf\n";
    for (auto const& line : split(wrapped(text, 72, 4, 0), '\n')) result += line.empty() ? ".sp\n" : roff(line) + "\n";
    return result + ".fi\n";
}

/// Allows line breaks after | in a|b|c.
std::string breakable(std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 1)) text.insert(at + 1, "\\:");
    return text;
}

std::string roff_list(std::vector<option_entry> const& options) {
    std::string text;
    for (auto const& option : options) {
        std::string names;
        for (auto const& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
        if (!option.value.empty()) names += " \\fI" + breakable(roff(option.value)) + "\\fR";
        text += ".TP\n" + names + "\n" + roff(option.text.empty() ? "see below" : option.text) + "\n";
    }
    return text;
}

std::string man_name(command_page const& page) { return page.name.empty() ? "coppice" : "coppice-" + page.name; }

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? char(c - 32) : c; });
    return text;
}

} // namespace

std::string man_page(command_page const& page, std::string_view date) {
    auto const name = roff(man_name(page));
    auto const paragraphs = split(page.summary, '\n');
    std::string text = fmt::format(".TH {} 1 \"{}\" \"Coppice\" \"Commands of Coppice\"\n.ad l\n.SH NAME\n{} \\- {}\n",
                                   upper(name), date, name, roff(paragraphs[0]));
    text += ".SH SYNOPSIS\n\\fB" + roff(full_name(page)) + "\\fR" +
            roff(usage_of(page).substr(full_name(page).size())) + "\n";
    text += ".SH DESCRIPTION\n" + roff(paragraphs[0]) + "\n";
    for (std::size_t k = 1; k < paragraphs.size(); ++k)
        if (!paragraphs[k].empty()) text += ".PP\n" + roff(paragraphs[k]) + "\n";
    if (!page.arguments.empty()) text += ".SH ARGUMENTS\n" + roff_list(page.arguments);
    if (!page.commands.empty()) text += ".SH COMMANDS\n" + roff_list(page.commands);
    text += ".SH OPTIONS\n";
    for (auto const& group : page.groups)
        if (!group.title.empty()) text += ".SS \"" + roff(group.title) + "\"\n" + roff_list(group.options);
    if (!page.footer.empty() && !page.name.empty()) text += ".SH NOTES\n" + roff_lines(page.footer);
    text += ".SH EXIT STATUS\n0: done, 2: wrong usage, 3: bad input, 4: numerical failure, 5: backend not available.\n";
    return text + (page.name.empty()
                       ? ".SH SEE ALSO\n\\fBcoppice help\\fR \\fICOMMAND\\fR, the pages coppice\\-\\fICOMMAND\\fR(1)\n"
                       : ".SH SEE ALSO\n.BR coppice (1)\n");
}

} // namespace coppice::app
