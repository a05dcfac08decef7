// An option that is a size in bytes, with k, m, g or t for powers of 1024.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/units.h"

namespace homenode::cli {

/// Adds it; it is read into `target`, which must outlive the parser and holds the default, written
/// as `standard` in the help.
void add_size_option(CLI::App& app, const std::string& option, Bytes& target,
                     const std::string& description, const std::string& standard);

}  // namespace homenode::cli
