// Which PE sends messages of which size to which other, and where in one region of memory those
// messages lie: the sender and the receiver of every page are known before anything is allocated,
// so that it can be placed with either.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "workloads/message/pool.h"

namespace homenode::workloads::message {

/// Whole pages of the region; no page belongs to two channels.
struct Channel {
  unsigned from = 0;  ///< PEs.
  unsigned to = 0;
  unsigned kind = 0;  ///< Of messages; the program's own numbers.
  std::size_t slots = 0;
  std::size_t payload_bytes = 0;
  std::size_t offset = 0;  ///< In the region; both are multiples of a page.
  std::size_t bytes = 0;
};

/// Adds up what the links between objects need, then lays it out.
class ChannelPlan {
 public:
  /// `payload_bytes` is the same for all of a kind.
  void add(unsigned from, unsigned to, unsigned kind, std::size_t payload_bytes,
           std::size_t slots = 1);
  /// Ordered by sender, receiver and kind.
  [[nodiscard]] std::vector<Channel> lay_out(std::size_t page_bytes) const;

 private:
  struct Need {
    std::size_t slots = 0;
    std::size_t payload_bytes = 0;
  };
  std::map<std::tuple<unsigned, unsigned, unsigned>, Need> needs_;
};

/// The size of the region.
std::size_t region_bytes(const std::vector<Channel>& channels);

/// The pools of one run.
class Channels {
 public:
  /// From malloc where `memory` is null. `plan` must outlive it.
  Channels(const std::vector<Channel>& plan, void* memory);

  /// Makes the pools that a PE sends from; called in its thread, which so is the first to touch
  /// what nobody placed.
  void open(unsigned from);
  /// pre: opened by `from`, and in the plan.
  [[nodiscard]] Pool& pool(unsigned from, unsigned to, unsigned kind) const;
  /// After the run: messages that are in no pool.
  [[nodiscard]] std::size_t missing() const;

 private:
  const std::vector<Channel>& plan_;
  std::byte* memory_;
  std::vector<std::unique_ptr<Pool>> pools_;  // As the plan.
};

}  // namespace homenode::workloads::message
