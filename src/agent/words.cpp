#include "agent/words.h"

#include "agent/calls.h"
#include "agent/wire.h"

namespace homenode::agent {
namespace {

constexpr std::size_t word_bits = sizeof(unsigned long) * 8;
/// Larger ids than any kernel gives are a broken text, not a reason to map much memory.
constexpr std::uint64_t max_id = 65535;
constexpr std::size_t arena_step_bytes = std::size_t{64} << 10U;

/// A piece of the text that is still to be read.
struct Rest {
  const char* next;

  bool take(char wanted) {
    if (*next != wanted) return false;
    ++next;
    return true;
  }

  bool take_word(const char* word) {
    const char* at = next;
    while (*word != '\0' && *at == *word) {
      ++at;
      ++word;
    }
    if (*word != '\0') return false;
    next = at;
    return true;
  }

  bool take_number(std::uint64_t& value) {
    if (*next < '0' || *next > '9') return false;
    value = 0;
    for (; *next >= '0' && *next <= '9'; ++next) {
      const auto digit = static_cast<std::uint64_t>(*next - '0');
      if (value > (UINT64_MAX - digit) / 10) return false;
      value = value * 10 + digit;
    }
    return true;
  }

  [[nodiscard]] bool at_end_of_field() const { return *next == '\0' || *next == ' '; }
};

/// One more than the occurrences of `separator` up to the end of the field.
std::size_t count_items(Rest rest, char separator) {
  std::size_t count = 1;
  for (; !rest.at_end_of_field(); ++rest.next) {
    if (*rest.next == separator) ++count;
  }
  return count;
}

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

bool take_block(Rest& rest, Arena& arena, AllocationRule& rule) {
  Mask nodes;
  if (!take_mask(rest, arena, nodes)) return false;
  rule.run_count = nodes.below(nodes.count * word_bits);
  auto* const runs = static_cast<PageRun*>(arena.take(rule.run_count * sizeof(PageRun)));
  if (runs == nullptr) return false;
  std::size_t next = 0;
  for (unsigned node = 0; node < nodes.count * word_bits; ++node) {
    if (nodes.contains(node)) runs[next++] = {0, node};
  }
  rule.runs = runs;
  return true;
}

bool take_pattern(Rest& rest, Arena& arena, AllocationRule& rule) {
  rule.run_count = count_items(rest, ',');
  auto* const runs = static_cast<PageRun*>(arena.take(rule.run_count * sizeof(PageRun)));
  if (runs == nullptr) return false;
  rule.runs = runs;
  for (std::size_t i = 0; i < rule.run_count; ++i) {
    std::uint64_t pages = 0;
    std::uint64_t node = 0;
    if (i > 0 && !rest.take(',')) return false;
    if (!rest.take_number(pages) || pages == 0 || !rest.take('x')) return false;
    if (!rest.take_number(node) || node > max_id) return false;
    runs[i] = {pages, static_cast<unsigned>(node)};
  }
  return true;
}

bool take_rule(Rest& rest, Arena& arena, AllocationRule& rule) {
  if (!rest.take_number(rule.at_least_bytes) || !rest.take(':')) return false;
  if (rest.take_word("policy:")) {
    rule.kind = AllocationRule::Kind::policy;
    return take_policy(rest, arena, rule.policy);
  }
  if (rest.take_word("block:")) {
    rule.kind = AllocationRule::Kind::block;
    return take_block(rest, arena, rule);
  }
  rule.kind = AllocationRule::Kind::pattern;
  return rest.take_word("pattern:") && take_pattern(rest, arena, rule);
}

bool take_field(Rest& rest, Arena& arena, Words& words, AllocationRule* rules) {
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
  return rest.take_word("place=") && take_rule(rest, arena, rules[words.rule_count++]);
}

}  // namespace

void* Arena::take(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > left_bytes_) {
    const std::size_t step = bytes > arena_step_bytes ? bytes : arena_step_bytes;
    void* const memory = map_memory(step);
    if (memory == nullptr) return nullptr;
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
  auto* const rules =
      static_cast<AllocationRule*>(arena.take((fields + 1) * sizeof(AllocationRule)));
  if (rules == nullptr) return false;
  words.rules = rules;
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
