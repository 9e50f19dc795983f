// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A simple reader of valid Matrix Market text, written from the definition of the format, with streams, a map and
/// strtod.
#pragma once

#include <cctype>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

namespace coppice::test {

struct reference_matrix {
    std::string format, field, symmetry;
    std::int64_t rows = 0, columns = 0, stored = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, std::complex<double>> entries; // by (row, column), from 0
};

/// Text of a file, decompressed by zlib's reader (which passes plain text through).
inline std::string inflate_file(std::filesystem::path const& path) {
    gzFile const file = gzopen(path.c_str(), "rb");
    REQUIRE(file != nullptr);
    std::string text;
    std::vector<char> piece(1 << 16);
    for (int got; (got = gzread(file, piece.data(), unsigned(piece.size()))) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(got));
    gzclose(file);
    return text;
}

inline double reference_number(std::string token) {
    for (std::size_t i = 1; i < token.size(); ++i) {
        if (token[i] == 'd' || token[i] == 'D') token[i] = 'e';
        bool const sign = token[i] == '+' || token[i] == '-';
        if (sign && (std::isdigit(static_cast<unsigned char>(token[i - 1])) || token[i - 1] == '.'))
            token.insert(i, "e");
    }
    return std::strtod(token.c_str(), nullptr);
}

inline reference_matrix read_reference(std::string const& text) {
    reference_matrix m;
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        for (char& c : line)
            if (c == '\r') c = ' ';
        auto const first = line.find_first_not_of(" \t");
        if (lines.empty() || (first != std::string::npos && line[first] != '%')) lines.push_back(line);
    }
    for (char& c : lines.at(0)) c = static_cast<char>(std::tolower(c));
    std::string word;
    std::istringstream(lines[0]) >> word >> word >> m.format >> m.field >> m.symmetry;
    std::istringstream(lines.at(1)) >> m.rows >> m.columns >> m.stored;

    std::int64_t row = 0;
    std::int64_t column = 0;
    bool const general = m.symmetry == "general";
    bool const skew = m.symmetry == "skew-symmetric";
    std::int64_t const below = skew ? 1 : 0;
    if (m.format == "array") {
        std::int64_t const n = m.rows;
        m.stored = general ? n * m.columns : skew ? n * (n - 1) / 2 : n * (n + 1) / 2;
        row = general ? 0 : below;
    }
    REQUIRE(std::int64_t(lines.size()) == m.stored + 2);
    for (std::size_t l = 2; l < lines.size(); ++l) {
        std::istringstream line(lines[l]);
        if (m.format == "coordinate") {
            line >> row >> column;
            --row;
            --column;
        }
        std::string real = "1", imaginary = "0";
        if (m.field != "pattern") line >> real;
        if (m.field == "complex") line >> imaginary;
        std::complex<double> const value(reference_number(real), reference_number(imaginary));
        auto const add = [&](std::int64_t i, std::int64_t j, std::complex<double> v) {
            auto const [at, fresh] = m.entries.try_emplace({i, j}, v);
            if (!fresh) at->second += v;
        };
        add(row, column, value);
        if (!general && row != column)
            add(column, row, skew ? -value : m.symmetry == "hermitian" ? conj(value) : value);
        if (m.format == "array" && ++row == m.rows) {
            ++column;
            row = general ? 0 : column + below;
        }
    }
    return m;
}

} // namespace coppice::test
