#include "cli/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace homenode::cli {

void add_named_choice(CLI::App& app, const std::string& option,
                      const std::vector<std::string>& names, const std::string& standard,
                      const std::function<void(std::size_t)>& set, const std::string& description) {
  const auto read = [names, set](const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) set(static_cast<std::size_t>(found - names.begin()));
  };
  app.add_option_function<std::string>(option, read, description)
      ->check(CLI::IsMember(names))
      ->default_str(standard);
}

Result<Bytes> parse_size(std::string_view text) {
  const auto wrong = [text] {
    return bad_usage(fmt::format("cannot read the size '{}'", text),
                     "write a number of bytes, with k, m, g or t for powers of 1024, such as 16M");
  };
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || end - rest > 1) return wrong();
  unsigned shift = 0;
  if (rest != end) {
    const std::size_t unit = std::string_view("kmgtKMGT").find(*rest);
    if (unit == std::string_view::npos) return wrong();
    shift = 10 * (static_cast<unsigned>(unit) % 4 + 1);
  }
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return wrong();
  return Bytes{number << shift};
}

CLI::Option* add_size_option(CLI::App& app, const std::string& option, Bytes& target,
                             const std::string& description, const std::string& standard) {
  return app
      .add_option_function<std::string>(
          option,
          [&target, option](const std::string& text) {
            const auto size = parse_size(text);
            if (!size) throw CLI::ValidationError(option, size.error().message());
            target = *size;
          },
          description)
      ->type_name("SIZE[k|m|g|t]")
      ->default_str(standard);
}

}  // namespace homenode::cli
