#include "capi/guard.h"

#include "homenode/homenode.h"

#include <cstdlib>
#include <cstring>

namespace homenode::capi {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_usage:
      return HN_BAD_USAGE;
    case ErrorCode::not_supported:
      return HN_NOT_SUPPORTED;
    case ErrorCode::failed:
      break;
  }
  return HN_FAILED;
}

int refuse(char** error, int status, const std::string& message) noexcept {
  if (error != nullptr) *error = copy_out(message);
  return status;
}

char* copy_out(std::string_view text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace homenode::capi

extern "C" const char* hn_version(void) {
  return HOMENODE_VERSION;
}

extern "C" void hn_string_free(char* string) {
  std::free(string);
}
