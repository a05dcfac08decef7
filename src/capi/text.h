// Strings that cross the C interface: allocated with malloc, freed by hn_string_free().
#pragma once

#include <string_view>

namespace homenode::capi {

/// A copy for the caller, or nullptr when memory is short.
char* copy_out(std::string_view text);

}  // namespace homenode::capi
