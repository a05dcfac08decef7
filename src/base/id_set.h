// A set of ids of one kind, without a limit on how large an id may be. Serves every stage.
#pragma once

#include <climits>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace homenode {

/// An ordered set of NodeId or CpuId. A value type; iteration is in increasing order.
template <class IdType>
class IdSet {
 public:
  using Word = unsigned long;
  static constexpr unsigned word_bits = sizeof(Word) * CHAR_BIT;

  IdSet() = default;
  IdSet(std::initializer_list<IdType> ids) {
    for (IdType id : ids) insert(id);
  }

  /// The set of ids [first, last], both included. pre: first <= last.
  static IdSet range(IdType first, IdType last) {
    IdSet set;
    for (unsigned value = first.value(); value <= last.value(); ++value) set.insert(IdType(value));
    return set;
  }

  void insert(IdType id) {
    const std::size_t word = id.value() / word_bits;
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= Word{1} << (id.value() % word_bits);
  }

  void erase(IdType id) {
    const std::size_t word = id.value() / word_bits;
    if (word >= words_.size()) return;
    words_[word] &= ~(Word{1} << (id.value() % word_bits));
    trim();
  }

  [[nodiscard]] bool contains(IdType id) const {
    const std::size_t word = id.value() / word_bits;
    return word < words_.size() && (words_[word] >> (id.value() % word_bits) & 1U) != 0;
  }

  [[nodiscard]] bool empty() const { return words_.empty(); }

  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (Word word : words_) count += static_cast<std::size_t>(__builtin_popcountl(word));
    return count;
  }

  /// All members, in increasing order.
  [[nodiscard]] std::vector<IdType> to_vector() const {
    std::vector<IdType> ids;
    for (unsigned value = 0; value < words_.size() * word_bits; ++value) {
      if (contains(IdType(value))) ids.push_back(IdType(value));
    }
    return ids;
  }

  /// The kernel's form: bit i of the array is id i. No trailing zero word; empty for the empty set.
  [[nodiscard]] const std::vector<Word>& words() const { return words_; }

  /// The inverse of words(); trailing zero words are allowed.
  static IdSet from_words(std::vector<Word> words) {
    IdSet set;
    set.words_ = std::move(words);
    set.trim();
    return set;
  }

  /// True when every member of this set is in `other`.
  [[nodiscard]] bool is_subset_of(const IdSet& other) const { return (*this - other).empty(); }

  friend bool operator==(const IdSet&, const IdSet&) = default;

  friend IdSet operator|(IdSet a, const IdSet& b) {
    if (a.words_.size() < b.words_.size()) a.words_.resize(b.words_.size(), 0);
    for (std::size_t i = 0; i < b.words_.size(); ++i) a.words_[i] |= b.words_[i];
    return a;
  }
  friend IdSet operator&(IdSet a, const IdSet& b) {
    for (std::size_t i = 0; i < a.words_.size(); ++i) {
      a.words_[i] &= i < b.words_.size() ? b.words_[i] : 0;
    }
    a.trim();
    return a;
  }
  friend IdSet operator-(IdSet a, const IdSet& b) {
    for (std::size_t i = 0; i < a.words_.size() && i < b.words_.size(); ++i) {
      a.words_[i] &= ~b.words_[i];
    }
    a.trim();
    return a;
  }

 private:
  void trim() {
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

  std::vector<Word> words_;  // Invariant: the last word is not zero.
};

using NodeSet = IdSet<NodeId>;
using CpuSet = IdSet<CpuId>;

}  // namespace homenode
