// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/output.hpp"

namespace coppice::app::report {

std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : printable(text)) switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        case '\'':
            result += "&#39;";
            break;
        default:
            result += c;
        }
    return result;
}

std::string coordinate(double value) {
    auto text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string power_of_ten(int exponent) {
    static constexpr char const* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (exponent == 0) return "1";
    std::string text = "10";
    if (exponent < 0) text += "⁻";
    for (char const c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
    return text;
}

std::string percent(double fraction) {
    if (std::isnan(fraction)) return "–";
    if (fraction > 0 && fraction < 5e-4) return "<0.1 %";
    return fmt::format("{:.1f} %", 100 * fraction);
}

std::vector<double> round_ticks(double last, int count) {
    if (!(last > 0)) return {0};
    double const target = last / count;
    double const power = std::pow(10, std::floor(std::log10(target)));
    double step = 10 * power;
    for (double const factor : {5.0, 2.0, 1.0})
        if (factor * power >= target) step = factor * power;
    step = std::fmax(step, 1);
    std::vector<double> ticks;
    for (double tick = 0; tick <= last * (1 + 1e-9); tick += step) ticks.push_back(tick);
    return ticks;
}

double text_width(std::string_view text, double size) {
    auto const is_character = [](char c) { return (c & 0xc0) != 0x80; }; // of UTF-8
    return 0.6 * size * static_cast<double>(std::count_if(text.begin(), text.end(), is_character));
}

bool label_row::fits(double middle, std::string_view text) {
    double const half = text_width(text, size_) / 2 + 3;
    if (middle - half < last_) return false;
    last_ = middle + half;
    return true;
}

} // namespace coppice::app::report
