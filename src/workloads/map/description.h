// MAP-numa: what `bench map` says of itself.
#pragma once

#include "workloads/program/description.h"

namespace homenode::workloads::map {

/// The patterns are those of patterns/table.h, and several of them one after the other.
Description describe();

}  // namespace homenode::workloads::map
