#include "base/result.h"

#include <system_error>

namespace homenode {

std::string Error::message() const {
  std::string text = tried;
  if (errno_value != 0) text += ": " + std::generic_category().message(errno_value);
  if (!next.empty()) text += "; " + next;
  return text;
}

Unexpected failed(std::string tried, std::string next, int errno_value) {
  return Unexpected({ErrorCode::failed, errno_value, std::move(tried), std::move(next)});
}

Unexpected bad_usage(std::string tried, std::string next) {
  return Unexpected({ErrorCode::bad_usage, 0, std::move(tried), std::move(next)});
}

Unexpected not_supported(std::string tried, std::string next, int errno_value) {
  return Unexpected({ErrorCode::not_supported, errno_value, std::move(tried), std::move(next)});
}

}  // namespace homenode
