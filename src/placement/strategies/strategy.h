// Strategies: ready rules that place a whole program, threads and arrays, by name. Pure functions
// of the machine and of who uses what; one file per strategy, one table of them (strategy_table.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/placement.h"

namespace homenode::placement {

/// An array of the program. `users` are the ranks of the threads that use it, each in the order of
/// the parts that they use; all threads when it is empty. A rank past the last thread is the
/// caller's error.
struct NamedArray {
  std::string name;
  std::size_t pages = 0;
  std::vector<std::size_t> users = {};
};

/// What a strategy decides on.
struct Program {
  std::size_t threads = 1;
  std::vector<NamedArray> arrays = {};
};

/// Thread i on the i-th allowed CPU, so that consecutive ranks share a node, and arrays where the
/// main thread is: what a program gets that initialises everything before its threads start.
/// pre: check_program() passes (for all strategies).
Placement first_touch(const machine::Machine& machine, const Program& program);

/// The same threads, and each part of an array with the thread that uses it: what a program gets
/// whose threads initialise their own parts. Users share an array in equal parts, in their order.
Placement parallel_init(const machine::Machine& machine, const Program& program);

/// The same threads, and every page of every array, and all other memory, in turn over the nodes
/// that the process may use.
Placement round_robin(const machine::Machine& machine, const Program& program);

/// The same threads, and each array bound to the nodes of the threads that use it.
Placement memory_bind(const machine::Machine& machine, const Program& program);

/// Errors: bad_usage for no threads, a user that is no thread, an array named twice or without a
/// name; not_supported when the process may use no CPU or no memory of the machine.
Result<void> check_program(const machine::Machine& machine, const Program& program);

}  // namespace homenode::placement
