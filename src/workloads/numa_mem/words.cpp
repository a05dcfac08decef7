#include "workloads/numa_mem/words.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>

#include "base/shuffle.h"

namespace homenode::workloads::numa_mem {
namespace {

constexpr unsigned name_bits = 40;
constexpr std::uint64_t name_mask = (std::uint64_t{1} << name_bits) - 1;
constexpr std::uint64_t one_write = std::uint64_t{1} << name_bits;
/// Writes are counted modulo this.
constexpr std::uint64_t count_limit = std::uint64_t{1} << (64 - name_bits);
constexpr std::uint64_t random_run_words = 1024;

std::uint64_t name_at(const Words& memory, std::uint64_t place) {
  return memory.named ? place + 1 : 0;
}

/// The names of `count` words from `first` on, added up modulo 2^64.
std::uint64_t sum_of_names(const Words& memory, std::uint64_t first, std::uint64_t count) {
  if (!memory.named || count == 0) return 0;
  const std::uint64_t a = count;
  const std::uint64_t b = 2 * (first + 1) + count - 1;
  return a % 2 == 0 ? a / 2 * b : b / 2 * a;
}

/// Words [first, first + count) and the way through them.
struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool backwards = false;
};

/// Calls use(word, name) for each word. Relaxed atomics are plain moves; they say that others may
/// use the word at the same time.
template <int step, class UseWord>
void each_word(const Words& memory, const Run& run, const UseWord& use) {
  const std::uint64_t begin = step > 0 ? run.first : run.first + run.count - 1;
  std::uint64_t* word = memory.words.data() + begin;
  std::uint64_t name = name_at(memory, begin);
  const std::uint64_t to_next = memory.named ? static_cast<std::uint64_t>(std::int64_t{step}) : 0;
  for (std::uint64_t i = 0; i < run.count; ++i, word += step, name += to_next) {
    use(std::atomic_ref(*word), name);
  }
}

template <class UseWord>
void each_word(const Words& memory, const Run& run, const UseWord& use) {
  if (run.backwards) {
    each_word<-1>(memory, run, use);
  } else {
    each_word<1>(memory, run, use);
  }
}

using Word = std::atomic_ref<std::uint64_t>;

/// What the names that were read add up to.
std::uint64_t read(const Words& memory, const Run& run) {
  std::uint64_t sum = 0;
  each_word(memory, run, [&](Word word, std::uint64_t) {
    sum += word.load(std::memory_order_relaxed) & name_mask;
  });
  return sum;
}

std::uint64_t update(const Words& memory, const Run& run) {
  std::uint64_t sum = 0;
  each_word(memory, run, [&](Word word, std::uint64_t) {
    const std::uint64_t value = word.load(std::memory_order_relaxed);
    sum += value & name_mask;
    word.store(value + one_write, std::memory_order_relaxed);
  });
  return sum;
}

void write(const Words& memory, const Run& run, std::uint64_t writes) {
  each_word(memory, run, [&](Word word, std::uint64_t name) {
    word.store(name | writes << name_bits, std::memory_order_relaxed);
  });
}

void add_run(const Words& memory, Work work, const Run& run, const Turn& turn, Walked& walked) {
  if (run.count == 0) return;
  switch (work) {
    case Work::read:
      walked.right &= read(memory, run) == sum_of_names(memory, run.first, run.count);
      return;
    case Work::update:
      walked.right &= update(memory, run) == sum_of_names(memory, run.first, run.count);
      walked.updates += run.count;
      return;
    case Work::write:
      return write(memory, run, turn.loop + 1);
    case Work::zero:
      // Several may store the same zeros at once: what is measured is the library's own memset.
      std::memset(&memory.words[run.first], 0, run.count * sizeof(std::uint64_t));
  }
}

/// Where in the memory a turn begins.
std::uint64_t beginning(std::uint64_t words, const Turn& turn) {
  const std::uint64_t of_part = words / turn.parts * turn.part;
  const std::uint64_t of_loop = turn.loops == 0 ? 0 : words / turn.loops * turn.loop;
  return (of_part + of_loop) % words;
}

struct Bounds {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// How often a word can have been written.
Bounds writes_of_a_word(const Course& course, const Use& use) {
  const bool alone = use.users == 1;
  if (course.work == Work::read) return {0, 0};
  if (course.work == Work::write) {  // The last loop's number; all of them end in some loop.
    const std::uint64_t least = alone ? use.most_loops : std::min(use.most_loops, std::uint64_t{1});
    return {course.random ? 0 : least, use.most_loops};
  }
  if (course.random) return {0, use.updates};
  return {alone ? use.least_loops : std::min(use.most_loops, std::uint64_t{1}), use.walks};
}

/// Whether one word can be what a run leaves: its own name, or zero, and a possible count of
/// writes.
bool is_right(const Words& memory, std::uint64_t i, const Course& course, const Use& use,
              const Bounds& bounds) {
  const std::uint64_t value = memory.words[i];
  const std::uint64_t name = name_at(memory, i);
  if (course.work == Work::zero) {
    return value == 0 || ((course.random || use.walks == 0) && value == name);
  }
  const std::uint64_t count = value >> name_bits;
  const bool countable = bounds.most < count_limit;
  return (value & name_mask) == name &&
         (!countable || (bounds.least <= count && count <= bounds.most));
}

}  // namespace

void give_names(const Words& memory) {
  for (std::uint64_t i = 0; i < memory.words.size(); ++i) memory.words[i] = name_at(memory, i);
}

Walked walk(const Words& memory, const Course& course, const Turn& turn) {
  assert(!memory.words.empty() && turn.parts > 0);
  const std::uint64_t words = memory.words.size();
  Walked walked;
  if (course.random) {
    SplitMix chance(turn.loop * turn.parts + turn.part);
    const std::uint64_t length = std::min(words, random_run_words);
    for (std::uint64_t done = 0; done < words; done += length) {
      const std::uint64_t count = std::min(length, words - done);
      add_run(memory, course.work, {chance.below(words - count + 1), count}, turn, walked);
    }
    return walked;
  }
  const std::uint64_t begin = beginning(words, turn);
  const bool backwards = course.backwards && (turn.part + turn.loop) % 2 == 0;
  const Run before{0, begin, backwards};
  const Run from{begin, words - begin, backwards};
  add_run(memory, course.work, backwards ? before : from, turn, walked);
  add_run(memory, course.work, backwards ? from : before, turn, walked);
  return walked;
}

std::uint64_t wrong_words(const Words& memory, const Course& course, const Use& use) {
  const Bounds bounds = writes_of_a_word(course, use);
  std::uint64_t wrong = 0;
  std::uint64_t writes = 0;
  for (std::uint64_t i = 0; i < memory.words.size(); ++i) {
    writes += memory.words[i] >> name_bits;
    wrong += is_right(memory, i, course, use, bounds) ? 0 : 1;
  }
  if (wrong > 0 || course.work != Work::update) return wrong;
  // No word alone is wrong, but writes may be missing, or too many.
  if (use.users == 1) return writes % count_limit == use.updates % count_limit ? 0 : 1;
  return bounds.most >= count_limit || writes <= use.updates ? 0 : 1;
}

}  // namespace homenode::workloads::numa_mem
