// What a client may ask a running balancer: one line, a word or an object in JSON. Read piece by
// piece from whoever connects, so nothing in it is trusted. Serves control.h.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace homenode::balancer {

/// With its end of line.
inline constexpr std::size_t longest_request = 256;

struct Request {
  /// status: what it does and for whom; explain: the last decisions about one process.
  enum class Kind { status, explain };
  Kind kind = Kind::status;
  pid_t pid = 0;  ///< Of explain.
  friend bool operator==(const Request&, const Request&) = default;
};

/// A line without its end: "status", "explain 4711" or {"request": "explain", "pid": 4711}.
/// Errors: bad_usage, saying what may be asked. Pure.
Result<Request> request_in(std::string_view line);

/// With its end of line, so that request_in() reads it.
std::string to_line(const Request& request);

/// Collects a request from pieces. Pure.
class RequestReader {
 public:
  /// What has come; nothing is kept beyond the longest request.
  void take(std::string_view bytes);
  /// Nothing more will come.
  void end() { done_ = true; }

  /// There is a request, or something that cannot become one.
  [[nodiscard]] bool done() const { return done_; }
  /// Errors: as request_in(); the line is too long, is not alone, or is empty. pre: done().
  [[nodiscard]] Result<Request> request() const;

 private:
  std::string line_;
  bool done_ = false;
  bool too_long_ = false;
  bool more_follows_ = false;
};

}  // namespace homenode::balancer
