// The memory of `perf bench numa mem` and how it is walked: words that are read, written, both, or
// zeroed, in order or in runs at random places. A word says which one it is and how often it was
// written, so that after any run it shows whether memory was lost or mixed up on its way from node
// to node, although threads write the same words without locks. No placement, no threads here.
#pragma once

#include <cstdint>
#include <span>

namespace homenode::workloads::numa_mem {

enum class Work {
  read,
  write,   ///< Without looking: the word's name and the number of the loop.
  update,  ///< Read and written: one more write is counted in it.
  zero,    ///< By memset alone.
};

/// A part of memory that is used as a whole. Bits 0 to 39 of a word are its name: its place,
/// counted from 1, or 0 in memory that began as zeros. Bits 40 to 63 count its writes.
struct Words {
  std::span<std::uint64_t> words;
  bool named = false;
};

/// How all walks of a run are made.
struct Course {
  Work work = Work::update;
  bool random = false;     ///< Runs of 1024 words at random places, as many as make the size.
  bool backwards = false;  ///< Every other walk goes backwards; has no meaning with random.
};

/// One walk among others: threads begin at different places, and so do their loops where it is
/// known how many there will be.
struct Turn {
  unsigned part = 0;  ///< Of `parts`.
  unsigned parts = 1;
  std::uint64_t loop = 0;   ///< Counted from 0.
  std::uint64_t loops = 0;  ///< 0: not known.
};

/// What all users together did to a memory.
struct Use {
  unsigned users = 1;
  std::uint64_t least_loops = 0;  ///< Of one user.
  std::uint64_t most_loops = 0;   ///< Of one user.
  std::uint64_t walks = 0;        ///< Of all users; those of a part of it count as well.
  std::uint64_t updates = 0;      ///< Words that they updated, added up.
};

/// Gives every word its name. Before this, memory that is not `named` may be fresh and untouched.
void give_names(const Words& memory);

struct Walked {
  bool right = true;          ///< The names that were read are those of the words; true without.
  std::uint64_t updates = 0;  ///< Words that were updated.
};

/// Walks once over all words, from the turn's place on and around. Any number of threads and
/// processes may walk the same memory at once; updates of others may then be lost, names not. With
/// Work::zero all of them store zeros by memset. pre: memory.words is not empty, turn.parts > 0.
Walked walk(const Words& memory, const Course& course, const Turn& turn);

/// How many words hold what no such use leaves: a wrong name, or more or fewer writes than were
/// made. Where one user updated, no write may be missing; with several, writes of the same moment
/// may count once. pre: nobody uses the memory now.
std::uint64_t wrong_words(const Words& memory, const Course& course, const Use& use);

}  // namespace homenode::workloads::numa_mem
