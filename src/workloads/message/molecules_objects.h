// Molecular2D as objects that send messages: patches, which own particles, and computes, which
// own none. In each step a patch sends its particles to its nine computes, gets their forces, moves
// its particles, and exchanges those that have left with its eight neighbours.
#pragma once

#include <memory>
#include <vector>

#include "workloads/message/channels.h"
#include "workloads/message/patch.h"
#include "workloads/message/runtime.h"

namespace homenode::workloads::message {

/// Every link's message is back before the next is sent on it, so one is enough.
std::vector<Channel> plan_molecules(const MoleculesShape& shape);

/// The bytes that the particles of one patch lie in: whole pages.
std::size_t patch_bytes(const MoleculesShape& shape);

class Molecules final : public Objects {
 public:
  /// `particles` has patch_bytes() for each patch. `messages` null: from malloc.
  Molecules(const MoleculesShape& shape, const std::vector<Channel>& plan, void* particles,
            void* messages);

  void build(unsigned pe) override;
  void start(Runtime& runtime, unsigned pe) override;
  void receive(Runtime& runtime, unsigned pe, Message& message) override;

  /// After the run.
  [[nodiscard]] const Patch& patch(unsigned number) const { return patches_[number]->patch; }
  [[nodiscard]] std::size_t messages_missing() const { return channels_.missing(); }
  [[nodiscard]] double pairs() const;

 private:
  struct PatchObject {
    Patch patch;
    std::array<Message*, computes_of_patch> forces = {};
    std::array<Message*, 8> arrivals = {};
    unsigned forces_here = 0;
    unsigned arrivals_here = 0;
    bool moved = false;  ///< In this step.
    unsigned step = 0;
  };
  struct ComputeObject {
    Compute compute;
    std::array<Message*, 2> sides = {};
    unsigned sides_here = 0;
    double pairs = 0.0;
  };
  struct Way {
    unsigned from;
    unsigned to;
  };

  [[nodiscard]] unsigned pe_of_patch(unsigned patch) const;
  [[nodiscard]] unsigned pe_of_compute(unsigned compute) const;
  Message* take(Way way, std::uint32_t kind, std::uint32_t object, std::uint32_t link);

  void send_particles(Runtime& runtime, unsigned number);
  void compute(Runtime& runtime, unsigned number);
  void move(Runtime& runtime, unsigned number);
  void begin_next_step(Runtime& runtime, unsigned number);

  const MoleculesShape& shape_;
  ForceLaw law_;
  std::byte* particles_;
  Channels channels_;
  std::vector<std::unique_ptr<PatchObject>> patches_;
  std::vector<std::unique_ptr<ComputeObject>> computes_;
  std::vector<std::unique_ptr<ComputeSpace>> spaces_;  // By PE.
};

}  // namespace homenode::workloads::message
