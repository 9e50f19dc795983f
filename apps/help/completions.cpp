// SPDX-License-Identifier: BSD-3-Clause
// Completions of bash, zsh and fish from the option tables.
#include <algorithm>

#include <fmt/format.h>

#include "apps/help/pages.hpp"

namespace coppice::app {
namespace {

std::string concatenated(std::vector<std::string> const& words, std::string_view separator) {
    std::string text;
    for (auto const& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
    return text;
}

/// All options of a command, hidden ones included.
std::vector<option_entry> options_of(command_page const& page) {
    std::vector<option_entry> all;
    for (auto const& group : page.groups) all.insert(all.end(), group.options.begin(), group.options.end());
    return all;
}

std::vector<std::string> names_of(std::vector<option_entry> const& entries) {
    std::vector<std::string> names;
    for (auto const& entry : entries) names.insert(names.end(), entry.names.begin(), entry.names.end());
    return names;
}

/// The first clause of a description, for menus of a shell.
std::string clause(std::string text) {
    text = text.substr(0, text.find_first_of(";\n"));
    if (text.size() <= 80) return text;
    auto const blank = text.rfind(' ', 80);
    return text.substr(0, blank == std::string::npos ? 80 : blank);
}

/// Puts a backslash before each of `special`, and makes ' safe in a text that is quoted by '.
std::string quoted(std::string const& text, std::string_view special, std::string_view apostrophe) {
    std::string result;
    for (char const c : text) {
        if (c == '\'')
            result += apostrophe;
        else if (special.find(c) != std::string_view::npos)
            result += std::string("\\") + c;
        else
            result += c;
    }
    return result;
}

/// Returns the words that a shell completes for the argument of a command; if the list is empty, it completes file
/// names.
std::vector<std::string> argument_choices(command_page const& page) {
    return page.arguments.empty() ? std::vector<std::string>{} : page.arguments[0].choices;
}
bool takes_files(command_page const& page) { return !page.arguments.empty() && page.arguments[0].choices.empty(); }

std::string bash_case(command_page const& page) {
    std::string text = fmt::format("    {})\n        case $previous in\n", page.name);
    std::vector<std::string> free_text;
    for (auto const& option : options_of(page)) {
        if (!option.takes_value) continue;
        if (!option.choices.empty())
            text += fmt::format("        {}) _coppice_words '{}'; return ;;\n", concatenated(option.names, "|"),
                                concatenated(option.choices, " "));
        else if (option.is_file())
            text += fmt::format("        {}) _coppice_files; return ;;\n", concatenated(option.names, "|"));
        else
            free_text.push_back(concatenated(option.names, "|"));
    }
    if (!free_text.empty()) text += fmt::format("        {}) return ;;\n", concatenated(free_text, "|"));
    text += "        esac\n        case $current in\n";
    text += fmt::format("        -*) _coppice_words '{}' ;;\n", concatenated(names_of(options_of(page)), " "));
    if (auto const choices = argument_choices(page); !choices.empty())
        text += fmt::format("        *) _coppice_words '{}' ;;\n", concatenated(choices, " "));
    else if (takes_files(page))
        text += "        *) _coppice_files ;;\n";
    return text + "        esac ;;\n";
}

std::string zsh_action(option_entry const& option) {
    if (!option.choices.empty()) return fmt::format(":{}:({})", "value", concatenated(option.choices, " "));
    if (option.is_file()) return ":file:_files";
    return fmt::format(":{}: ", quoted(option.value.empty() ? "value" : option.value, ":\\", ""));
}

std::string zsh_option(option_entry const& option) {
    auto const text = "[" + quoted(clause(option.text), "[]:\\", "'\\''") + "]";
    auto const action = option.takes_value ? zsh_action(option) : std::string();
    std::string lines;
    for (auto const& name : option.names) {
        auto const others = option.names.size() > 1 ? "(" + concatenated(option.names, " ") + ")" : std::string();
        auto const mode = !option.takes_value ? "" : name.rfind("--", 0) == 0 ? "=" : "+";
        lines += fmt::format("            '{}{}{}{}{}' \\\n", others, name, mode, text, action);
    }
    return lines;
}

std::string zsh_case(command_page const& page) {
    std::string text = fmt::format("        ({})\n          _arguments -s \\\n", page.name);
    for (auto const& option : options_of(page)) text += zsh_option(option);
    if (auto const choices = argument_choices(page); !choices.empty())
        text += fmt::format("            '*:argument:({})' ;;\n", concatenated(choices, " "));
    else if (takes_files(page))
        text += "            '*:file:_files' ;;\n";
    else
        text += "            ;;\n";
    return text;
}

std::string fish_option(std::string const& condition, option_entry const& option) {
    std::string text = "complete -c coppice -n '" + condition + "'";
    for (auto const& name : option.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_value && !option.choices.empty())
        text += fmt::format(" -x -a '{}'", concatenated(option.choices, " "));
    else if (option.takes_value)
        text += option.is_file() ? " -r -F" : " -x";
    return text + fmt::format(" -d '{}'\n", quoted(clause(option.text), "\\", "\\'"));
}

} // namespace

std::string bash_completion(command_page const& program, std::vector<command_page> const& commands) {
    std::string text = R"(# bash completion of coppice, written by: coppice help --completions DIR
_coppice_words() {
    local word
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current")
}
_coppice_files() {
    local file
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
}
_coppice() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' i
    COMPREPLY=()
    if [[ $current == = ]]; then # --option=value is three words
        current=''
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
    done
    case $command in
    '')
)";
    text += fmt::format("        _coppice_words '{} {}' ;;\n", concatenated(names_of(program.commands), " "),
                        concatenated(names_of(options_of(program)), " "));
    for (auto const& page : commands) text += bash_case(page);
    return text + "    esac\n}\ncomplete -F _coppice coppice\n";
}

std::string zsh_completion(command_page const& program, std::vector<command_page> const& commands) {
    std::string text = "#compdef coppice\n# zsh completion of coppice, written by: coppice help --completions DIR\n"
                       "_coppice() {\n  local line state curcontext=\"$curcontext\"\n  typeset -A opt_args\n"
                       "  _arguments -C \\\n";
    for (auto const& option : options_of(program)) text += zsh_option(option);
    text += "            '1:command:->command' '*::argument:->argument'\n  case $state in\n  (command)\n"
            "    local -a commands=(\n";
    for (auto const& command : program.commands)
        text += fmt::format("      '{}:{}'\n", command.names[0], quoted(clause(command.text), ":\\", "'\\''"));
    text += "    )\n    _describe command commands ;;\n  (argument)\n    case $line[1] in\n";
    for (auto const& page : commands) text += zsh_case(page);
    return text + "    esac ;;\n  esac\n}\n"
                  "if [ \"$funcstack[1]\" = _coppice ]; then _coppice \"$@\"; else compdef _coppice coppice; fi\n";
}

std::string fish_completion(command_page const& program, std::vector<command_page> const& commands) {
    std::string text = R"(# fish completion of coppice, written by: coppice help --completions DIR
function __coppice_command
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        test "$word" = "$argv[1]"
        return
    end
    test -z "$argv[1]"
end
complete -c coppice -f
)";
    for (auto const& command : program.commands)
        text += fmt::format("complete -c coppice -n __coppice_command -a {} -d '{}'\n", command.names[0],
                            quoted(clause(command.text), "\\", "\\'"));
    for (auto const& option : options_of(program)) text += fish_option("__coppice_command", option);
    for (auto const& page : commands) {
        auto const condition = "__coppice_command " + page.name;
        if (auto const choices = argument_choices(page); !choices.empty())
            text += fmt::format("complete -c coppice -n '{}' -a '{}'\n", condition, concatenated(choices, " "));
        else if (takes_files(page))
            text += fmt::format("complete -c coppice -n '{}' -F\n", condition);
        for (auto const& option : options_of(page)) text += fish_option(condition, option);
    }
    return text;
}

} // namespace coppice::app
