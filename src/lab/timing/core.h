// The clock of one vCPU: instructions at the base CPI, and the time that its memory accesses make
// it wait. The model is an interval model of an out-of-order core: a load that misses does not
// stop the core by itself; the core stops when an address depends on a load that is not done, when
// too many misses are in flight, or when the reorder window is full. Lines of a recognised
// sequential walk are asked for ahead of time, as many as the prefetcher keeps in flight.
// Belongs to one vCPU's host thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/timing/access_shape.h"
#include "lab/timing/memory_system.h"
#include "lab/timing/pace.h"
#include "lab/timing/streams.h"
#include "lab/timing/tag_cache.h"

namespace homenode::lab {

/// Asks QEMU about the access at hand. Only asked when the core does not know the page.
class Translation {
 public:
  Translation() = default;
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;
  virtual ~Translation() = default;
  /// The guest-physical address behind the access's virtual one; nothing for a device.
  [[nodiscard]] virtual std::optional<std::uint64_t> physical(std::uint64_t address) const = 0;
  /// The node (position) of a physical address; nothing outside the nodes' memory.
  [[nodiscard]] virtual std::optional<unsigned> node_of(std::uint64_t physical) const = 0;
  [[nodiscard]] virtual unsigned bytes() const = 0;
};

/// What a core did since the region of interest began.
struct CoreCounts {
  /// Accesses, hits of the first level among them: user's loads and stores, then the kernel's.
  std::array<std::uint64_t, 4> references{};
  std::uint64_t l1_misses = 0;
  std::uint64_t l2_misses = 0;
  std::uint64_t l3_hits = 0;
  std::uint64_t other_cache = 0;  ///< Lines that came from another vCPU's cache.
  std::uint64_t instructions = 0;
  std::uint64_t busy_ps = 0;   ///< Time that threads of the region ran here.
  std::uint64_t stall_ps = 0;  ///< The part of it that was spent waiting for memory.
  /// Of user's lines that memory sent and no prefetcher asked for: the latencies, in sum, and the
  /// time in which at least one was under way. Their quotient is the memory-level parallelism (Chou
  /// and others, ISCA 2004).
  std::uint64_t latency_ps = 0;
  std::uint64_t in_flight_ps = 0;
};

/// What else than a node's memory makes a core wait: places in Core::stalls_ps() after the nodes'.
enum class StallIn : unsigned {
  other_cache,  ///< A line, or the right to write one, that another vCPU's cache had.
  last_level,
  own_cache,
};
inline constexpr unsigned stall_caches = 3;

class alignas(128) Core {
 public:
  Core(const TimingModel& model, MemorySystem& memory, Pace& pace, unsigned vcpu);

  /// Begins a region: the clock at zero, caches cold, nothing running. `instructions` counts what
  /// the vCPU executes; the core takes it back to zero as it reads it.
  void open(std::uint64_t* instructions);
  /// Whether what the vCPU runs from here on costs time.
  void charge(bool charged);
  /// Whether a thread of the region is on this vCPU, and from when it may go on: nothing where
  /// nobody knows. Then one that was away finds the clock where the others have brought it.
  void run(bool running, std::optional<std::uint64_t> ready_ps = std::nullopt);
  /// No thread of the region is about to come back to this vCPU: it idles, or is `busy` with
  /// others. pre: none is on it.
  void stay_away(bool busy) { pace_.leave(vcpu_, now_ps_, busy); }
  /// The time, with everything up to here accounted for.
  std::uint64_t now_ps(bool in_kernel = false);
  /// User code executes a `pause`, which takes longer than other instructions.
  void pause() {
    if (charged_ && running_) carry_fs_ += pause_fs_;
  }
  /// The guest's kernel waits for another vCPU: gives that one real time by `give_way`; or goes to
  /// the epoch's end, where that one can only be waiting there.
  void wait_in_kernel(void (*give_way)());
  /// As now_ps(), after waiting for every access in flight.
  std::uint64_t finish();
  /// The guest has changed a mapping, or the address space.
  void forget_translations();

  /// Accounts for an access; one that crosses a line's end touches both lines.
  template <bool store>
  void access(std::uint64_t address, AccessShape shape, const Translation& translation) {
    const Recent& recent = recent_of(address);
    if ((address ^ recent.start) <= safe_offset_) [[likely]] {
      const std::uint32_t state = recent.entry->load(std::memory_order_relaxed);
      if (store ? state == recent.writable : (state ^ recent.state) >> 16U == 0) [[likely]] {
        ++counts_.references[place(shape, store)];
        if constexpr (!store) {
          const std::uint64_t address_ps = ready_ps(shape);
          ready_[shape.target()] = address_ps > recent.ready_ps ? address_ps : recent.ready_ps;
        }
        return;
      }
    }
    access_elsewhere(address, store, shape, translation);
  }

  /// Called with every miss of the private caches: of what virtual address, in which physical line
  /// on which node; set once.
  struct PrivateMiss {
    std::uint64_t address = 0;
    std::uint64_t line = 0;
    unsigned node = 0;
    bool store = false;
    AccessShape shape;
    bool prefetched = false;  ///< Asked for ahead of its use.
    bool from_cache = false;  ///< The last level or another vCPU's cache had it.
  };
  using MissHook = void (*)(void* data, const PrivateMiss& miss);
  void on_miss(MissHook hook, void* data) {
    miss_hook_ = hook;
    miss_data_ = data;
  }

  /// Called each time that the clock has gone on by an epoch or so; set while no vCPU runs.
  using StepHook = void (*)(void* data);
  void on_step(StepHook hook, void* data) {
    step_hook_ = hook;
    step_data_ = data;
  }

  /// The clock as it was last settled.
  [[nodiscard]] std::uint64_t time_ps() const { return now_ps_; }
  /// Whether a thread of the region is on this vCPU, as run() was told.
  [[nodiscard]] bool is_running() const { return running_; }
  /// Whether what the vCPU executes costs time now.
  [[nodiscard]] bool is_charged() const { return charged_ && running_; }
  [[nodiscard]] const CoreCounts& counts() const { return counts_; }
  /// `counts().stall_ps` by where the line came from that the core waited for: each node's memory
  /// by position, then StallIn.
  [[nodiscard]] std::span<const std::uint64_t> stalls_ps() const { return stalls_ps_; }
  /// Accesses outside every node's memory.
  [[nodiscard]] std::uint64_t outside() const { return outside_; }

 private:
  static constexpr std::uint64_t recent_lines = 512;
  static constexpr std::uint64_t widest_access = 16;
  static constexpr std::uint64_t nowhere = std::uint64_t{1} << 63;
  static constexpr std::uint64_t known_pages = 2048;
  static constexpr unsigned page_shift = 12;
  static constexpr std::uint16_t outside_all = 0xffff;

  /// A line that is the newest of its set in the first level, so that another touch of it changes
  /// nothing there.
  struct Recent {
    std::uint64_t start = nowhere;  ///< Its virtual address.
    Directory::Entry* entry = nullptr;
    std::uint32_t state = 0;
    std::uint32_t writable = 0;  ///< The state in which it may be written silently.
    std::uint64_t ready_ps = 0;  ///< When it has arrived.
  };
  struct Page {
    std::uint64_t number = nowhere;
    std::uint64_t physical = 0;
    std::uint16_t node = outside_all;
  };
  /// A miss in flight: when it is done, and which instruction it was.
  struct Flight {
    std::uint64_t done_ps = 0;
    std::uint64_t instruction = 0;
    unsigned from = 0;  ///< Where the line comes from, as in stalls_ps().
  };
  /// One line's access on its way through the levels.
  struct Touch {
    std::uint64_t address = 0;
    std::uint64_t line = 0;
    unsigned node = 0;
    bool store = false;
    AccessShape shape;
    std::uint64_t address_ps = 0;  ///< When its address is known.
    bool prefetched = false;       ///< It continues a recognised walk.
  };

  static constexpr std::size_t place(AccessShape shape, bool store) {
    return (shape.is_by_kernel() ? 2U : 0U) + (store ? 1U : 0U);
  }
  [[nodiscard]] std::uint64_t ready_ps(AccessShape shape) const {
    const std::uint64_t base = ready_[shape.base()];
    const std::uint64_t index = ready_[shape.index()];
    return base > index ? base : index;
  }
  [[nodiscard]] Recent& recent_of(std::uint64_t address) {
    return recent_[address >> line_shift_ & (recent_lines - 1)];
  }
  void access_elsewhere(std::uint64_t address, bool store, AccessShape shape,
                        const Translation& translation);
  /// Which of the private caches has a line.
  struct Found {
    bool in_first = false;
    bool in_second = false;
  };
  Found look_up(const Tag& tag);
  std::uint64_t touch(Touch& touch, const Translation& translation);
  const Page& page_of(std::uint64_t address, const Translation& translation);
  void learn_page(Page& page, std::uint64_t address, const Translation& translation);
  void settle(bool in_kernel);
  void wait_until(std::uint64_t time_ps, unsigned from);
  [[nodiscard]] unsigned place_of(StallIn cache) const {
    return static_cast<unsigned>(model_.nodes.size()) + static_cast<unsigned>(cache);
  }
  [[nodiscard]] unsigned place_of(const LineAnswer& answer, unsigned node) const;
  std::uint64_t bring(Touch& touch, bool has_copy, LineState& state);
  LineAnswer fetch_ahead(LineRequest request, std::uint64_t since_ps);
  void make_room();
  void store_past(const Touch& touch);
  void keep(Tag tag);
  void keep_in_first(Tag tag);
  void remember(const Touch& touch, Directory::Entry& entry, LineState state,
                std::uint64_t ready_ps);
  void forget_newest(Tag tag);
  void forget_recent();
  void count(const LineAnswer& answer, const Touch& touch);
  void count_in_flight(std::uint64_t since_ps, std::uint64_t latency_ps);
  void report_miss(const Touch& touch, Source source);

  // What the fast path touches comes first.
  std::uint64_t line_mask_;
  std::uint64_t safe_offset_;
  unsigned line_shift_;
  bool charged_ = true;
  bool running_ = false;
  CoreCounts counts_;
  std::array<std::uint64_t, AccessShape::registers> ready_{};
  std::array<Recent, recent_lines> recent_;

  const TimingModel& model_;
  MemorySystem& memory_;
  Pace& pace_;
  unsigned vcpu_;
  std::uint64_t* instructions_ = nullptr;  ///< Null before the first region.
  std::uint64_t instruction_fs_;
  std::uint64_t pause_fs_;
  std::uint64_t carry_fs_ = 0;
  std::uint64_t now_ps_ = 0;
  std::uint64_t pace_limit_ps_ = 0;
  std::uint64_t outside_ = 0;
  MissHook miss_hook_ = nullptr;
  void* miss_data_ = nullptr;
  StepHook step_hook_ = nullptr;
  void* step_data_ = nullptr;
  std::vector<std::uint64_t> stalls_ps_;
  unsigned touched_from_ = 0;  ///< Where the line of the last touch came from.
  TagCache l1_;
  std::vector<std::uint16_t> newest_;  ///< By set of the first level, its place in recent_.
  std::optional<TagCache> l2_;
  Streams streams_;
  std::vector<Flight> flights_;  ///< A ring: the oldest at first_flight_.
  std::size_t first_flight_ = 0;
  std::size_t flights_used_ = 0;
  std::uint64_t in_flight_until_ps_ = 0;    ///< When the last line of counts_.in_flight_ps arrives.
  std::vector<std::uint64_t> consumed_ps_;  ///< When the last prefetched lines were used: a ring.
  std::size_t next_consumed_ = 0;
  std::vector<std::uint64_t> written_ps_;  ///< When the last lines past the caches arrive: a ring.
  std::size_t next_written_ = 0;
  std::array<std::uint64_t, 8> combining_{};  ///< Lines in write-combining buffers, plus one.
  std::size_t next_combining_ = 0;
  std::vector<Page> pages_;
  bool pages_known_ = false;
};

}  // namespace homenode::lab
