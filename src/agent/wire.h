// The text in which the launcher tells the agent what to do. It travels in one environment
// variable, so the programs that a program starts are placed by the same rules. Written by
// launch/agent.cpp, read by agent/words.cpp; no library call, no allocation.
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
//          | "place=" BYTES [ "@" PIECES ] ":" RULE   for allocations of at least BYTES, with
//                                              PIECES only for those that this code asks for; the
//                                              first fits
//          | "data=" PIECES ":" RULE            for static data, each piece as a whole
//          | "verbose"                         say at the end what was placed
//          | "reported"                        the launcher has said that policies are refused here
//   POLICY = MODE [ "@" LIST ]                  the kernel's MPOL_ number with flags, its nodes
//   PIECES = PIECE { "," PIECE }
//   PIECE  = DEVICE "." INODE "." ADDRESS "." BYTES   in the file of a program or library, by the
//                                              address that the linker gave it
//   RULE   = "policy:" POLICY [ "^" NODE ]      with a home node
//          | "block:" LIST                      contiguous parts, one a node, as equal as can be
//          | "pattern:" RUNS                    again and again from the first page on
//          | "map:" RUNS                        once; pages beyond it are left alone
//          | "random:" SEED "," PAGES ":" LIST  shuffled in blocks of so many pages
//   RUNS   = PAGESxNODE { "," PAGESxNODE }
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

/// What is preloaded to record allocations.
inline constexpr char sites_file[] = "libhomenode-sites.so";

}  // namespace homenode::agent
