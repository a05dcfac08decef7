#include "base/sizes.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace homenode {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Takes "B" or "iB" behind a power's letter off the text. In hexadecimal, a B behind anything else
/// is a digit.
std::string_view without_byte_sign(std::string_view text) {
  for (const std::string_view sign : {"iB", "B"}) {
    if (!text.ends_with(sign) || text.size() <= sign.size()) continue;
    const char before = lower(text[text.size() - sign.size() - 1]);
    if (std::string_view("kmgt").find(before) == std::string_view::npos) continue;
    return text.substr(0, text.size() - sign.size());
  }
  return text;
}

/// Takes the letter of a power of 1024 off the text, and gives its binary logarithm.
std::pair<std::string_view, unsigned> without_power(std::string_view text) {
  text = without_byte_sign(text);
  if (text.empty()) return {text, 0};
  const std::size_t power = std::string_view("kmgt").find(lower(text.back()));
  if (power == std::string_view::npos) return {text, 0};
  return {text.substr(0, text.size() - 1), 10 * (static_cast<unsigned>(power) + 1)};
}

}  // namespace

std::optional<double> real_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> c_number_in(std::string_view text, LeadingZero zero) {
  if (text.starts_with("0x") || text.starts_with("0X")) return number_in(text.substr(2), 16);
  return number_in(text, zero == LeadingZero::octal && text.starts_with('0') ? 8 : 10);
}

Result<Bytes> parse_size(std::string_view text, LeadingZero zero) {
  const auto [digits, shift] = without_power(text);
  const auto number = c_number_in(digits, zero);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return bad_usage(fmt::format("cannot read the size '{}'", text), size_advice);
  }
  return Bytes{*number << shift};
}

}  // namespace homenode
