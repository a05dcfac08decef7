// The one guard of the C interface: no exception leaves the library, and every failure becomes a
// status and one line of text. Strings that cross it are allocated with malloc and freed by
// hn_string_free().
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "base/result.h"

namespace homenode::capi {

/// The hn_status of a kind of error.
int status_of(ErrorCode code);

/// Puts `message` where the caller wants it, if it does; gives `status` back.
int refuse(char** error, int status, const std::string& message) noexcept;

/// Runs `body`, which gives a Result<void> or a Result<int> (a status); clears `error` first.
template <class Body>
int guarded(char** error, Body&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    const auto result = body();
    if (!result) return refuse(error, status_of(result.error().code), result.error().message());
    if constexpr (requires { *result; }) {
      return *result;
    } else {
      return 0;
    }
  } catch (const std::exception& exception) {
    return refuse(error, status_of(ErrorCode::failed), exception.what());
  } catch (...) {
    return refuse(error, status_of(ErrorCode::failed), "an unknown error; please report it");
  }
}

/// The value that `body` gives, or `otherwise` when it throws: for functions without an error.
template <class Value, class Body>
Value guarded_value(Value otherwise, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

/// A copy for the caller, or nullptr when memory is short.
char* copy_out(std::string_view text);

}  // namespace homenode::capi
