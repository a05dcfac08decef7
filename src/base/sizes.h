// Numbers and sizes that people write: the one grammar of every option and rule. Pure; serves all
// who read text.
//
//   SIZE    DIGITS[k|m|g|t[B|iB]]    the letters in either case, for powers of 1024
//   DIGITS  decimal, or hexadecimal behind 0x
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace homenode {

/// The number that the whole text is, or nothing. No sign, no blanks, nothing around it.
template <class Number = std::uint64_t>
std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The finite number, such as 5 or 0.5, that the whole text is, or nothing. No blanks, nothing
/// around it.
std::optional<double> real_in(std::string_view text);

/// What a zero before other digits means.
enum class LeadingZero {
  decimal,  ///< Nothing: 010 is ten.
  octal,    ///< 010 is eight, as C and the options that numactl has read it.
};

/// A whole number in decimal, behind 0x in hexadecimal, and in octal where a leading zero says so;
/// nothing for any other text.
std::optional<std::uint64_t> c_number_in(std::string_view text, LeadingZero zero);

/// "4096", "512k", "16MiB", "0x1000", "1T". Errors: bad_usage, for 2^64 bytes and more too.
Result<Bytes> parse_size(std::string_view text, LeadingZero zero = LeadingZero::decimal);

/// What to write where parse_size() refuses a text.
inline constexpr const char* size_advice =
    "write a number of bytes, with k, m, g or t for powers of 1024, such as 16M";

}  // namespace homenode
