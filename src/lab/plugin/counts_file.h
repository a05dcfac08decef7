// The file to which the plugin appends its counts, one line per region of interest.
#pragma once

#include <string>

#include "base/result.h"

namespace homenode::lab {

class CountsFile {
 public:
  /// Opens the file for appending, creating it if need be. Error: it cannot be written.
  [[nodiscard]] static Result<CountsFile> open(const std::string& path);

  /// Appends one line at once, so that a reader sees it as soon as the region ends. Errors: the
  /// disk is full, the file cannot be written; part of the line may then be in the file.
  [[nodiscard]] Result<void> append(const std::string& line) const;

 private:
  CountsFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;  ///< Open until the process ends.
  std::string path_;
};

}  // namespace homenode::lab
