// SPDX-License-Identifier: BSD-3-Clause
// PNG (ISO/IEC 15948): signature, header, palette of one colour with 256 opacities, compressed rows, end.
#include "apps/report/png.hpp"

#include <string_view>

#include <zlib.h>

#include <coppice/core/error.hpp>

namespace coppice::app::report {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void append_chunk(std::string& out, std::string_view type, std::string_view data) {
    append_big_endian(out, static_cast<std::uint32_t>(data.size()));
    auto const start = out.size();
    out.append(type).append(data);
    auto const* const bytes = reinterpret_cast<Bytef const*>(out.data() + start);
    append_big_endian(out, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(out.size() - start))));
}

std::string deflated(std::string const& raw) {
    auto size = compressBound(static_cast<uLong>(raw.size()));
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<Bytef const*>(raw.data()),
                  static_cast<uLong>(raw.size()), Z_BEST_COMPRESSION) != Z_OK)
        throw memory_error("not enough memory to compress a picture of the report");
    out.resize(size);
    return out;
}

std::string base64(std::string_view bytes) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

} // namespace

std::string png_data_uri(int width, int height, std::uint32_t rgb, std::vector<std::uint8_t> const& alpha) {
    std::string header;
    append_big_endian(header, static_cast<std::uint32_t>(width));
    append_big_endian(header, static_cast<std::uint32_t>(height));
    header.append({8, 3, 0, 0, 0}); // 8-bit palette indices, deflate, no filter, no interlacing

    std::string palette, opacity, rows;
    for (int i = 0; i < 256; ++i) {
        for (int const shift : {16, 8, 0}) palette += static_cast<char>(rgb >> shift & 0xff);
        opacity += static_cast<char>(i);
    }
    for (int y = 0; y < height; ++y) {
        rows += '\0'; // filter: none
        for (int x = 0; x < width; ++x) rows += static_cast<char>(alpha[static_cast<std::size_t>(y * width + x)]);
    }
    std::string png = "\x89PNG\r\n\x1a\n";
    append_chunk(png, "IHDR", header);
    append_chunk(png, "PLTE", palette);
    append_chunk(png, "tRNS", opacity);
    append_chunk(png, "IDAT", deflated(rows));
    append_chunk(png, "IEND", {});
    return "data:image/png;base64," + base64(png);
}

} // namespace coppice::app::report
