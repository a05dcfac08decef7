// Result<T>: a value or an Error that says what was tried and what to do next. The core does not
// throw; only the command line prints. Serves every stage.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace homenode {

/// What kind of failure, and so which exit code the command line gives.
enum class ErrorCode {
  failed,         ///< The attempt was valid but did not succeed: exit code 1.
  bad_usage,      ///< The caller asked for something that makes no sense: exit code 2.
  not_supported,  ///< This kernel, machine or privilege lacks what is needed: exit code 3.
};

/// An operating error. `tried` and `next` are whole phrases without a final full stop.
struct Error {
  ErrorCode code = ErrorCode::failed;
  int errno_value = 0;  ///< 0 when no system call is involved.
  std::string tried;    ///< What was attempted and what went wrong.
  std::string next;     ///< What the person can do about it.

  /// One line for people: "tried: errno text; next".
  [[nodiscard]] std::string message() const;
};

/// Carries an Error into a Result<T> of any T.
class [[nodiscard]] Unexpected {
 public:
  explicit Unexpected(Error error) : error_(std::move(error)) {}
  [[nodiscard]] Error&& take() { return std::move(error_); }

 private:
  Error error_;
};

/// A value or an Error, with std::expected's member names (GCC 12 has the real one only in C++23).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}       // NOLINT
  Result(Unexpected error) : state_(std::in_place_index<1>, error.take()) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// pre: has_value().
  [[nodiscard]] T& value() & { return assert(has_value()), std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return assert(has_value()), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return assert(has_value()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// pre: !has_value().
  [[nodiscard]] const Error& error() const { return assert(!has_value()), std::get<1>(state_); }
  /// The error, to be returned from a function with another value type.
  [[nodiscard]] Unexpected as_unexpected() const { return Unexpected(error()); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected error) : error_(error.take()), failed_(true) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  /// pre: !has_value().
  [[nodiscard]] const Error& error() const { return assert(failed_), error_; }
  [[nodiscard]] Unexpected as_unexpected() const { return Unexpected(error()); }

 private:
  Error error_;
  bool failed_ = false;
};

/// Shorthands for the three kinds of error.
[[nodiscard]] Unexpected failed(std::string tried, std::string next, int errno_value = 0);
[[nodiscard]] Unexpected bad_usage(std::string tried, std::string next);
[[nodiscard]] Unexpected not_supported(std::string tried, std::string next, int errno_value = 0);

}  // namespace homenode
