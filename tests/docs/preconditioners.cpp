// SPDX-License-Identifier: BSD-3-Clause
// Generates the tables of docs/guide/preconditioners.md from the catalogue; fails and prints the expected table if the
// page (the only argument) differs.
#include <coppice/preconditioner.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

namespace {

std::string needs_of(coppice::preconditioner_row const& row) {
    if (row.needs.diagonal) return "no zero on the diagonal";
    return row.needs.symmetric ? "symmetry" : "";
}

std::string catalogue_table() {
    std::string text = "| name | M | set-up | needs | for |\n| --- | --- | --- | --- | --- |\n";
    for (auto const& row : coppice::preconditioner_catalogue)
        text += "| `" + std::string(row.name) + "` | " + std::string(row.matrix) + " | " + std::string(row.setup) +
                " | " + needs_of(row) + " | " + std::string(row.suits) + " |\n";
    return text;
}

/// An option that several preconditioners share is listed once.
std::string options_table() {
    std::vector<std::pair<coppice::option_row, std::string>> options;
    for (auto const& row : coppice::preconditioner_catalogue)
        for (auto const& option : row.options) {
            auto const same = [&](auto const& known) { return known.first == option; };
            auto const at = std::find_if(options.begin(), options.end(), same);
            std::string const name = "`" + std::string(row.name) + "`";
            if (at == options.end())
                options.emplace_back(option, name);
            else
                at->second += ", " + name;
        }
    std::string text = "| option | of | default | values | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (auto const& [option, whose] : options)
        text += "| `" + std::string(option.name) + "` | " + whose + " | " + std::string(option.standard) + " | " +
                coppice::expected_of(option) + " | " + std::string(option.meaning) + " |\n";
    return text;
}

} // namespace

int main(int, char** arguments) {
    std::ifstream file(arguments[1]);
    std::ostringstream page;
    page << file.rdbuf();
    int missing = 0;
    for (std::string const& table : {catalogue_table(), options_table()})
        if (page.str().find(table) == std::string::npos) {
            std::cerr << arguments[1] << " does not hold this table:\n" << table;
            ++missing;
        }
    return missing;
}
