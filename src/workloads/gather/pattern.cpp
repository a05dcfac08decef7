#include "workloads/gather/pattern.h"

#include <algorithm>
#include <charconv>

namespace homenode::workloads::gather {
namespace {

using Indices = std::vector<std::uint64_t>;

constexpr std::uint64_t largest_word = std::uint64_t{1} << 60U;

/// Numbers with a separator between them, at least one, each below 2^60.
std::optional<Indices> index_list(std::string_view text, char separator) {
  Indices numbers;
  for (;;) {
    const std::string_view word = text.substr(0, text.find(separator));
    std::uint64_t number = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, status] = std::from_chars(word.data(), end, number);
    if (status != std::errc{} || rest != end || number >= largest_word) return std::nullopt;
    numbers.push_back(number);
    if (numbers.size() > most_indices) return std::nullopt;
    if (word.size() == text.size()) return numbers;
    text.remove_prefix(word.size() + 1);
  }
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::string_view field = text.substr(0, text.find(':'));
    fields.push_back(field);
    if (field.size() == text.size()) return fields;
    text.remove_prefix(field.size() + 1);
  }
}

std::optional<Indices> uniform(std::uint64_t length, std::uint64_t stride) {
  if (length == 0 || length > most_indices || stride > largest_word / length) return std::nullopt;
  Indices indices;
  for (std::uint64_t i = 0; i < length; ++i) indices.push_back(i * stride);
  return indices;
}

/// Mostly by one, with a gap before each of the given places.
std::optional<Indices> mostly_by_one(std::uint64_t length, const Indices& places,
                                     const Indices& gaps) {
  if (length == 0 || length > most_indices) return std::nullopt;
  if (gaps.size() != 1 && gaps.size() != places.size()) return std::nullopt;
  Indices indices{0};
  for (std::uint64_t i = 1; i < length; ++i) {
    const auto place = std::find(places.begin(), places.end(), i);
    std::uint64_t step = 1;
    if (place != places.end()) {
      step = gaps.size() == 1 ? gaps[0] : gaps[static_cast<std::size_t>(place - places.begin())];
    }
    if (indices.back() + step >= largest_word) return std::nullopt;
    indices.push_back(indices.back() + step);
  }
  return indices;
}

}  // namespace

std::optional<std::uint64_t> IndexPattern::reach() const {
  if (indices.empty() || count == 0) return std::nullopt;
  const std::uint64_t last = *std::max_element(indices.begin(), indices.end());
  if (last >= largest_word) return std::nullopt;
  if (count > 1 && delta > (largest_word - last) / (count - 1)) return std::nullopt;
  return last + delta * (count - 1) + 1;
}

std::optional<std::vector<std::uint64_t>> parse_indices(std::string_view text) {
  const std::vector<std::string_view> fields = fields_of(text);
  if (fields.size() == 1) return index_list(text, ',');
  const auto length = index_list(fields[1], '/');
  if (!length || length->size() != 1) return std::nullopt;
  if (fields[0] == "UNIFORM" && fields.size() == 3) {
    const auto stride = index_list(fields[2], '/');
    if (!stride || stride->size() != 1) return std::nullopt;
    return uniform(length->front(), stride->front());
  }
  if (fields[0] == "MS1" && fields.size() == 4) {
    const auto places = index_list(fields[2], '/');
    const auto gaps = index_list(fields[3], '/');
    if (!places || !gaps) return std::nullopt;
    return mostly_by_one(length->front(), *places, *gaps);
  }
  return std::nullopt;
}

}  // namespace homenode::workloads::gather
