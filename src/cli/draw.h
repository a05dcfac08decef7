// Pictures and other output files. A verb computes values; the companion homenode-draw, which is
// Python's, draws them from JSON. What comes back is written or printed here, so that all files of
// all verbs are written in the same way.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/verb.h"

namespace homenode::cli {

/// What is to be drawn: a kind that `homenode draw` knows, and the JSON that it reads.
struct Picture {
  std::string kind;
  std::string json;
  std::string format = "svg";  ///< svg, png or html.
};

/// Whether homenode-draw can be started, for verbs to ask before they work for long. Errors:
/// not_supported.
Result<void> check_drawing(const Context& context);

/// The picture, as homenode-draw prints it. Errors: not_supported when homenode-draw, or a Python
/// module that it needs, is missing; failed, with what homenode-draw reported.
Result<std::string> draw(Context& context, const Picture& picture);

/// Draws into a file, which is written whole or not at all. Errors: as draw(); failed.
Result<void> draw_into(Context& context, const std::string& file, const Picture& picture);

/// An option for an output, which goes to a file, or to the standard output when no file is named.
struct Output {
  CLI::Option* option = nullptr;
  std::string file;

  /// Adds the option to a parser, which must not outlive this.
  void define(CLI::App& app, const std::string& name, const std::string& description);
  [[nodiscard]] bool wanted() const;
  [[nodiscard]] bool to_stream() const;
  /// Prints the text, or writes the whole file or nothing. Errors: failed. pre: wanted().
  Result<void> write(Context& context, const std::string& text) const;
};

}  // namespace homenode::cli
