// The text in which the launcher tells the agent what to do. It travels in one environment
// variable, so the programs that a program starts are placed by the same rules. Written by
// cli/run_threads_wire.cpp, read by agent/words.cpp; no library call, no allocation.
//
//   TEXT   = "1" { " " FIELD }
//   FIELD  = "cpus=" LIST                       the process's CPUs, for all threads without an
//   entry
//          | "threads=" LIST { "/" LIST }       CPUs by rank; ranks past the end start again
//          | "forks"                           the main thread of a forked child takes a rank, as
//                                              a new thread does; else it keeps its parent's
//          | "skip=" LIST                       numbers of threads that take no rank
//          | "memory=" POLICY { "/" POLICY }    memory policy by rank, in the same way
//          | "heap=" POLICY                     for all threads, but not for their stacks
//          | "place=" BYTES ":" RULE            for allocations of at least BYTES; the first fits
//   POLICY = MODE [ "@" LIST ]                  the kernel's MPOL_ number with flags, its nodes
//   RULE   = "policy:" POLICY
//          | "block:" LIST                      contiguous parts, one a node, as equal as can be
//          | "pattern:" PAGESxNODE { "," PAGESxNODE }   again and again from the first page on
//   LIST   = the kernel's: 0-3,8
#pragma once

namespace homenode::agent {

/// The variable that holds the text.
inline constexpr char wire_variable[] = "HOMENODE_AGENT";
/// The first word: a text of another version is not for this agent, which then does nothing.
inline constexpr char wire_version[] = "1";

/// What is preloaded for threads and the heap, and what for single allocations.
inline constexpr char agent_file[] = "libhomenode-agent.so";
inline constexpr char allocations_file[] = "libhomenode-allocations.so";

}  // namespace homenode::agent
