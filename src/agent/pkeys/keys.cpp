#include "agent/pkeys/keys.h"

#include <cstdint>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/threads.h"

namespace homenode::agent::pkeys {
namespace {

constexpr std::size_t max_keys = 15;

/// Oldest use first.
constinit int keys[max_keys] = {};
constinit std::size_t key_count = 0;
/// A bit for each of them.
constinit Atomic<std::uint32_t> own_keys;

}  // namespace

std::size_t take_keys() {
  constexpr long no_access = 1;  // PKEY_DISABLE_ACCESS
  while (key_count < max_keys) {
    const long key = kernel_call(SYS_pkey_alloc, 0, no_access);
    if (key <= 0) break;
    keys[key_count] = static_cast<int>(key);
    own_keys.store_release(own_keys.load_relaxed() | bit_of_key(keys[key_count++]));
  }
  return key_count;
}

void give_keys_back() {
  own_keys.store_release(0);
  while (key_count > 0) kernel_call(SYS_pkey_free, keys[--key_count]);
}

bool is_own_key(int key) {
  return (own_keys.load_acquire() & bit_of_key(key)) != 0;
}

int next_key() {
  std::uint32_t allowed = 0;
  for (std::size_t i = 0; i < thread_places(); ++i) {
    const Thread& thread = all_threads()[i];
    if (thread.presence.load_acquire() != Presence::watched) continue;
    allowed |= thread.allowed_keys.load_relaxed();
  }
  std::size_t chosen = 0;
  while (chosen < key_count && (allowed & bit_of_key(keys[chosen])) != 0) {
    ++chosen;
  }
  if (chosen == key_count) chosen = 0;
  const int key = keys[chosen];
  for (std::size_t i = chosen; i + 1 < key_count; ++i) keys[i] = keys[i + 1];
  keys[key_count - 1] = key;
  return key;
}

}  // namespace homenode::agent::pkeys
