#include "capi/text.h"

#include <cstdlib>
#include <cstring>

#include "homenode/homenode.h"

namespace homenode::capi {

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
