#include "workloads/message/channels.h"

#include <algorithm>
#include <cassert>

namespace homenode::workloads::message {
namespace {

using Key = std::tuple<unsigned, unsigned, unsigned>;

Key key_of(const Channel& channel) {
  return {channel.from, channel.to, channel.kind};
}

}  // namespace

void ChannelPlan::add(unsigned from, unsigned to, unsigned kind, std::size_t payload_bytes,
                      std::size_t slots) {
  Need& need = needs_[{from, to, kind}];
  need.slots += slots;
  need.payload_bytes = payload_bytes;
}

std::vector<Channel> ChannelPlan::lay_out(std::size_t page_bytes) const {
  std::vector<Channel> channels;
  std::size_t offset = 0;
  for (const auto& [key, need] : needs_) {
    const std::size_t used = need.slots * slot_bytes(need.payload_bytes);
    const std::size_t bytes = (used + page_bytes - 1) / page_bytes * page_bytes;
    const auto [from, to, kind] = key;
    channels.push_back({from, to, kind, need.slots, need.payload_bytes, offset, bytes});
    offset += bytes;
  }
  return channels;
}

std::size_t region_bytes(const std::vector<Channel>& channels) {
  return channels.empty() ? 0 : channels.back().offset + channels.back().bytes;
}

Channels::Channels(const std::vector<Channel>& plan, void* memory)
    : plan_(plan), memory_(static_cast<std::byte*>(memory)), pools_(plan.size()) {}

void Channels::open(unsigned from) {
  const auto first = std::ranges::lower_bound(plan_, from, {}, &Channel::from);
  for (auto at = first; at != plan_.end() && at->from == from; ++at) {
    pools_[static_cast<std::size_t>(at - plan_.begin())] = std::make_unique<Pool>(
        memory_ == nullptr ? nullptr : memory_ + at->offset, at->slots, at->payload_bytes);
  }
}

Pool& Channels::pool(unsigned from, unsigned to, unsigned kind) const {
  const auto found = std::ranges::lower_bound(plan_, Key{from, to, kind}, {}, key_of);
  assert(found != plan_.end() && key_of(*found) == Key(from, to, kind));
  return *pools_[static_cast<std::size_t>(found - plan_.begin())];
}

std::size_t Channels::missing() const {
  std::size_t sum = 0;
  for (const auto& pool : pools_) sum += pool == nullptr ? 0 : pool->missing();
  return sum;
}

}  // namespace homenode::workloads::message
