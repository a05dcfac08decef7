#include "cli/size_option.h"

#include <CLI/CLI.hpp>

#include "base/sizes.h"

namespace homenode::cli {

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
