// An option that is a size in bytes, with k, m, g or t for powers of 1024.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "cli/parser_fwd.h"

namespace homenode::cli {

/// "4096", "512k", "16M", "2g", "1T": powers of 1024. Errors: bad_usage.
Result<Bytes> parse_size(std::string_view text);

/// Adds it; it is read into `target`, which must outlive the parser and holds the default, written
/// as `standard` in the help.
CLI::Option* add_size_option(CLI::App& app, const std::string& option, Bytes& target,
                             const std::string& description, const std::string& standard);

}  // namespace homenode::cli
