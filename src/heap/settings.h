// What the environment asks of the allocator, by variables whose names start with HOMENODE_MALLOC_.
// A value that makes no sense is named once on stderr and the default holds; a program with more
// rights than its user listens to none of it. docs/the-allocator.md has the list.
#pragma once

#include "heap/policy.h"

namespace homenode::heap {

struct Settings {
  /// HOMENODE_MALLOC_POLICY: of the nodes' arenas.
  Policy policy;
  /// HOMENODE_MALLOC_VERBOSE: says at the start what it does, and at the end what was refused.
  bool verbose;
  /// HOMENODE_MALLOC_STATISTICS: at the end of the process.
  bool statistics;
  /// HOMENODE_MALLOC_SIGNAL: after which they are written, too; 0 for none.
  int statistics_signal;
  /// HOMENODE_MALLOC_DEEPBIND: leaves RTLD_DEEPBIND alone; see dlopen() in load.cpp.
  bool keep_deepbind;
};

/// Reads the environment, HOMENODE_MALLOC_PURGE_MS into purge_ms (purge.h). Before libc has set
/// that up, all is as without it.
Settings read_settings();

}  // namespace homenode::heap
