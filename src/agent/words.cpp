#include "agent/words.h"

#include "agent/calls.h"
#include "agent/wire.h"
#include "agent/wire_text.h"

namespace homenode::agent {
namespace {

constexpr std::size_t arena_step_bytes = std::size_t{64} << 10U;

bool take_range(Rest& rest, std::uint64_t& first, std::uint64_t& last) {
  if (!rest.take_number(first)) return false;
  last = first;
  if (rest.take('-') && !rest.take_number(last)) return false;
  return first <= last && last <= max_id;
}

/// Calls use(first, last) for each part of a list; false when it is no list.
template <class Use>
bool take_list(Rest& rest, Use use) {
  do {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!take_range(rest, first, last)) return false;
    use(first, last);
  } while (rest.take(','));
  return true;
}

/// Items parted by '/', each read by take_item(rest, arena, item), as an array.
template <class Item, class Take>
bool take_items(Rest& rest, Arena& arena, const Item*& items, std::size_t& count, Take take_item) {
  count = count_items(rest, '/');
  auto* const array = static_cast<Item*>(arena.take(count * sizeof(Item)));
  if (array == nullptr) return false;
  items = array;
  for (std::size_t i = 0; i < count; ++i) {
    if ((i > 0 && !rest.take('/')) || !take_item(rest, arena, array[i])) return false;
  }
  return true;
}

/// Room for as many rules as there can be.
struct Rules {
  AllocationRule* place;
  AllocationRule* data;
};

bool take_field(Rest& rest, Arena& arena, Words& words, const Rules& rules) {
  if (rest.take_word("cpus=")) return take_mask(rest, arena, words.process_cpus);
  if (rest.take_word("threads=")) {
    return take_items(rest, arena, words.cpus_by_rank, words.cpu_ranks, take_mask);
  }
  if (rest.take_word("forks")) {
    words.count_forks = true;
    return true;
  }
  if (rest.take_word("skip=")) return take_mask(rest, arena, words.skipped);
  if (rest.take_word("memory=")) {
    return take_items(rest, arena, words.memory_by_rank, words.memory_ranks, take_policy);
  }
  if (rest.take_word("heap=")) {
    words.has_heap = true;
    return take_policy(rest, arena, words.heap);
  }
  if (rest.take_word("verbose")) {
    words.verbose = true;
    return true;
  }
  if (rest.take_word("reported")) {
    words.refusal_reported = true;
    return true;
  }
  if (rest.take_word("place=")) return take_place(rest, arena, rules.place[words.rule_count++]);
  return rest.take_word("data=") && take_data(rest, arena, rules.data[words.data_count++]);
}

}  // namespace

bool take_mask(Rest& rest, Arena& arena, Mask& mask) {
  std::uint64_t largest = 0;
  Rest ahead = rest;
  const auto measure = [&largest](std::uint64_t, std::uint64_t last) {
    if (last > largest) largest = last;
  };
  if (!take_list(ahead, measure)) return false;
  const std::size_t count = largest / word_bits + 1;
  auto* const words = static_cast<unsigned long*>(arena.take(count * sizeof(unsigned long)));
  if (words == nullptr) return false;
  const auto insert = [words](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t id = first; id <= last; ++id) words[id / word_bits] |= 1UL << id % word_bits;
  };
  mask = {words, count};
  return take_list(rest, insert);
}

bool take_policy(Rest& rest, Arena& arena, KernelPolicy& policy) {
  std::uint64_t mode = 0;
  if (!rest.take_number(mode) || mode > 0xFFFF) return false;
  policy.mode = static_cast<int>(mode);
  return !rest.take('@') || take_mask(rest, arena, policy.nodes);
}

const char* why_unread(const Arena& arena) {
  if (arena.is_exhausted()) {
    return "there is no memory to read HOMENODE_AGENT, so nothing is placed; raise the limit on it "
           "(ulimit -v)";
  }
  return "HOMENODE_AGENT cannot be read, so nothing is placed; use the homenode that set it";
}

void* Arena::take(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > left_bytes_) {
    const std::size_t step = bytes > arena_step_bytes ? bytes : arena_step_bytes;
    void* const memory = map_memory(step);
    exhausted_ = memory == nullptr;
    if (exhausted_) return nullptr;
    next_ = static_cast<char*>(memory);
    left_bytes_ = step;
  }
  char* const taken = next_;
  next_ += bytes;
  left_bytes_ -= bytes;
  return taken;
}

bool Mask::contains(std::size_t id) const {
  return id / word_bits < count && (words[id / word_bits] >> id % word_bits & 1U) != 0;
}

std::size_t Mask::below(std::size_t id) const {
  std::size_t members = 0;
  for (std::size_t word = 0; word < count; ++word) {
    const std::size_t first = word * word_bits;
    if (first >= id) break;
    unsigned long bits = words[word];
    if (id - first < word_bits) bits &= (1UL << (id - first)) - 1;
    members += static_cast<std::size_t>(__builtin_popcountl(bits));
  }
  return members;
}

bool read_words(const char* text, Arena& arena, Words& words) {
  Rest rest{text};
  if (!rest.take_word(wire_version)) return false;
  std::size_t fields = 0;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == ' ') ++fields;
  }
  const std::size_t bytes = (fields + 1) * sizeof(AllocationRule);
  const Rules rules{static_cast<AllocationRule*>(arena.take(bytes)),
                    static_cast<AllocationRule*>(arena.take(bytes))};
  if (rules.place == nullptr || rules.data == nullptr) return false;
  words.rules = rules.place;
  words.data = rules.data;
  while (rest.take(' ')) {
    if (!take_field(rest, arena, words, rules) || !rest.at_end_of_field()) return false;
  }
  return *rest.next == '\0';
}

const char* find_wire(char* const* environment) {
  if (environment == nullptr) return nullptr;
  for (; *environment != nullptr; ++environment) {
    Rest rest{*environment};
    if (rest.take_word(wire_variable) && rest.take('=')) return rest.next;
  }
  return nullptr;
}

}  // namespace homenode::agent
