#include "cli/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/sizes.h"

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
