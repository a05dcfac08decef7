// What this machine's memory gives at best in the same minute: the triad of STREAM with as many
// threads, to hold a simulation's traffic against. It allocates, and reads the clock.
#pragma once

#include <cstddef>

namespace homenode::workloads::seismic {

/// Bytes a second as STREAM counts them (24 for each element), the best of some passes over three
/// arrays of `bytes` together, each thread in memory that it touched first; 0 without memory.
double triad_bytes_s(std::size_t bytes, unsigned threads);

}  // namespace homenode::workloads::seismic
