// The log of decisions: a file that each is added to as a line. Serves the verb `balance`.
#pragma once

#include <string>

#include "base/result.h"
#include "os/os.h"

namespace homenode::balancer {

/// pre: `os` lives longer.
class Log {
 public:
  /// An empty path: nothing is written.
  Log(os::Os& os, std::string path) : os_(os), path_(std::move(path)) {}
  ~Log() { close(); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Makes the file, or empties it. Errors: failed when the kernel refuses.
  Result<void> open();
  /// Errors: failed, once, when the line cannot be written whole; nothing is written from then on.
  Result<void> add(const std::string& line);

 private:
  void close();

  os::Os& os_;
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace homenode::balancer
