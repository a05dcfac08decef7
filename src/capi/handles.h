// What the C interface's opaque types hold, and the one live machine and operating system that its
// functions share.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "homenode/homenode.h"
#include "machine/machine.h"
#include "os/os.h"

struct hn_machine {
  homenode::machine::Machine value;
};

namespace homenode::capi {

/// The kernel. Never destroyed, because a region may be freed as late as the program likes.
os::Os& kernel();

/// For tests: what kernel() gives from now on; NULL for the real one again.
void use_kernel(os::Os* os);

/// The live machine, read at the first call. Errors: as machine::load_live(), tried again then.
Result<const machine::Machine*> live_machine();

/// Writes as many ids as there is room for; gives how many there are.
template <class IdType>
std::size_t list_out(const IdSet<IdType>& ids, int* out, std::size_t capacity) {
  const auto all = ids.to_vector();
  for (std::size_t i = 0; out != nullptr && i < all.size() && i < capacity; ++i) {
    out[i] = static_cast<int>(all[i].value());
  }
  return all.size();
}

}  // namespace homenode::capi
