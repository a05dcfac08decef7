#include "capi/guard.h"

#include "capi/text.h"
#include "homenode/homenode.h"

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

}  // namespace homenode::capi
