// An option that is a size in bytes, as base/sizes.h reads it.
#pragma once

#include <string>

#include "base/units.h"
#include "cli/parser_fwd.h"

namespace homenode::cli {

/// Adds it; it is read into `target`, which must outlive the parser and holds the default, written
/// as `standard` in the help.
CLI::Option* add_size_option(CLI::App& app, const std::string& option, Bytes& target,
                             const std::string& description, const std::string& standard);

}  // namespace homenode::cli
