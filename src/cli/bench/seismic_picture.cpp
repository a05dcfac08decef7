#include "cli/bench/seismic_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace homenode::cli {
namespace {

constexpr std::size_t least_points = 640;  ///< Along the shorter side of a picture, about.

void put_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xffU);
  }
}

/// The check sum of a chunk, as ISO 3309 has it.
std::uint32_t chunk_sum(std::string_view bytes) {
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ (0xedb88320U & (0U - (sum & 1U)));
  }
  return ~sum;
}

void put_chunk(std::string& file, std::string_view name, std::string_view content) {
  put_number(file, static_cast<std::uint32_t>(content.size()));
  const std::string chunk = std::string(name) + std::string(content);
  file += chunk;
  put_number(file, chunk_sum(chunk));
}

/// A zlib stream of stored blocks: nothing is compressed, and no library is needed.
std::string stored(std::string_view bytes) {
  constexpr std::size_t most = 65535;
  std::string stream("\x78\x01", 2);
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char byte : bytes) {
    low = (low + static_cast<unsigned char>(byte)) % 65521U;
    high = (high + low) % 65521U;
  }
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const std::size_t count = std::min(most, bytes.size() - at);
    stream += at + count == bytes.size() ? '\1' : '\0';
    for (const std::size_t value : {count, ~count}) {
      stream += static_cast<char>(value & 0xffU);
      stream += static_cast<char>((value >> 8U) & 0xffU);
    }
    stream += bytes.substr(at, count);
  }
  put_number(stream, (high << 16U) | low);
  return stream;
}

/// From blue over white to red; 128 is 0.
std::string palette() {
  constexpr std::array<double, 3> blue = {12, 62, 140};
  constexpr std::array<double, 3> red = {160, 24, 30};
  std::string colours;
  for (int entry = 0; entry < 256; ++entry) {
    const double value = (entry - 128) / 127.0;
    const double strength = std::min(1.0, std::abs(value));
    for (std::size_t part = 0; part < 3; ++part) {
      const double full = value < 0 ? blue[part] : red[part];
      const double mixed = 255.0 + strength * (full - 255.0);
      colours += static_cast<char>(static_cast<unsigned char>(std::lround(mixed)));
    }
  }
  return colours;
}

}  // namespace

float picture_scale(const workloads::seismic::Picture& picture) {
  std::vector<float> sizes;
  sizes.reserve(picture.values.size());
  for (const float value : picture.values) {
    sizes.push_back(std::isfinite(value) ? std::abs(value) : 0.0F);
  }
  const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() * 995 / 1000);
  std::nth_element(sizes.begin(), place, sizes.end());
  return *place > 0.0F ? *place : *std::max_element(sizes.begin(), sizes.end());
}

std::string seismic_png(const workloads::seismic::Picture& picture) {
  return seismic_png(
      picture, {picture_scale(picture),
                std::max<std::size_t>(1, least_points / std::min(picture.width, picture.height))});
}

std::string seismic_png(const workloads::seismic::Picture& picture, const PictureLook& look) {
  const auto [scale, zoom] = look;
  std::string rows;
  for (std::size_t y = picture.height; y-- > 0;) {
    std::string row(1, '\0');  // No filter.
    for (std::size_t x = 0; x < picture.width; ++x) {
      const float value = picture.values[y * picture.width + x];
      const float part = scale > 0.0F ? std::clamp(value / scale, -1.0F, 1.0F) : 0.0F;
      const long entry = 128 + (std::isfinite(part) ? std::lround(part * 127.0F) : 0);
      row.append(zoom, static_cast<char>(static_cast<unsigned char>(entry)));
    }
    for (std::size_t n = 0; n < zoom; ++n) rows += row;
  }
  std::string header;
  put_number(header, static_cast<std::uint32_t>(picture.width * zoom));
  put_number(header, static_cast<std::uint32_t>(picture.height * zoom));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // Eight bits, a palette, nothing interlaced.
  std::string file("\x89PNG\r\n\x1a\n", 8);
  put_chunk(file, "IHDR", header);
  put_chunk(file, "PLTE", palette());
  put_chunk(file, "IDAT", stored(rows));
  put_chunk(file, "IEND", {});
  return file;
}

}  // namespace homenode::cli
