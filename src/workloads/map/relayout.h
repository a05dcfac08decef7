// MAP-numa: an array copied from one layout to another, which is how a program whose data are laid
// out for each of its phases goes from one to the next.
#pragma once

#include "workloads/map/kernels.h"
#include "workloads/map/layout.h"

namespace homenode::workloads::map {

/// Copies every element of the array from where the first layout has it to where the second has it.
/// pre: both layouts are of the same shape; both memories are as large as their layouts say.
void lay_out_anew(const Element* from, const Layout& before, Element* to, const Layout& after);

}  // namespace homenode::workloads::map
