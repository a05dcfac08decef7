// The C interface's machine queries: one guard per function, so that no exception leaves the
// library.
#include <exception>
#include <string>

#include "capi/text.h"
#include "homenode/homenode.h"
#include "machine/json.h"
#include "machine/load.h"

namespace homenode::capi {
namespace {

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

int refuse(char** error, int status, const std::string& message) {
  if (error != nullptr) *error = copy_out(message);
  return status;
}

}  // namespace
}  // namespace homenode::capi

extern "C" int hn_machine_json(const char* source, char** json, char** error) {
  using namespace homenode;  // NOLINT: the C interface stands outside the namespace.
  if (error != nullptr) *error = nullptr;
  if (json == nullptr)
    return capi::refuse(error, HN_BAD_USAGE, "json is NULL; give a place for it");
  *json = nullptr;
  if (source == nullptr) {
    return capi::refuse(error, HN_BAD_USAGE,
                        "source is NULL; name live, a .xml file or synthetic:…");
  }
  try {
    const auto machine = machine::load(source);
    if (!machine) {
      return capi::refuse(error, capi::status_of(machine.error().code), machine.error().message());
    }
    *json = capi::copy_out(machine::to_json(*machine));
    return *json != nullptr ? HN_OK : capi::refuse(error, HN_FAILED, "out of memory");
  } catch (const std::exception& exception) {
    return capi::refuse(error, HN_FAILED, exception.what());
  }
}
