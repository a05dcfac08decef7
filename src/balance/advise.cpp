#include "balance/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::balance {
namespace {

/// What is idle of a CPU, and all of its time, in ticks.
struct CpuTime {
  double idle = 0;
  double all = 0;
};

std::map<CpuId, CpuTime> cpu_times(std::string_view text) {
  constexpr int idle = 3;
  constexpr int io_wait = 4;
  constexpr int columns = 8;  // What follows (guest time) is in the first two already.
  std::map<CpuId, CpuTime> times;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view name = take_word(line);
    if (!name.starts_with("cpu")) continue;
    const auto cpu = number_in<unsigned>(name.substr(3));
    if (!cpu) continue;
    CpuTime time;
    for (int column = 0; column < columns; ++column) {
      const auto ticks = static_cast<double>(number_in(take_word(line)).value_or(0));
      time.all += ticks;
      if (column == idle || column == io_wait) time.idle += ticks;
    }
    times[CpuId(*cpu)] = time;
  }
  return times;
}

bool holds(const Demand& demand, double cpus, Bytes free) {
  constexpr double rounding = 1e-9;
  return cpus + rounding >= demand.cpus && free >= demand.memory;
}

double distance(const machine::Machine& machine, NodeId from, NodeId to) {
  constexpr double local = 10;
  constexpr double unknown = 20;
  if (from == to) return local;
  if (!machine.distances || !machine.distances->values.has(from, to)) return unknown;
  return static_cast<double>(machine.distances->values.at(from, to));
}

/// Some of the rooms, and what they have together.
class Chosen {
 public:
  void add(const Room& room) {
    rooms_.push_back(room);
    cpus_ += room.idle_cpus;
    free_.value += room.free.value;
  }
  [[nodiscard]] bool enough(const Demand& demand) const { return holds(demand, cpus_, free_); }
  /// Whether the room has something that is still short.
  [[nodiscard]] bool gains_by(const Room& room, const Demand& demand) const {
    return (cpus_ < demand.cpus && room.idle_cpus > 0) ||
           (free_ < demand.memory && room.free.value > 0);
  }
  /// Gives up those that the others do without, the last added first.
  void drop_needless(const Demand& demand) {
    for (std::size_t i = rooms_.size(); i-- > 0;) {
      Chosen others;
      for (std::size_t j = 0; j < rooms_.size(); ++j) {
        if (j != i) others.add(rooms_[j]);
      }
      if (!others.rooms_.empty() && others.enough(demand)) *this = std::move(others);
    }
  }
  /// Less is better.
  [[nodiscard]] auto rank(const machine::Machine& machine) const {
    double apart = 0;
    for (const Room& from : rooms_) {
      for (const Room& to : rooms_) apart += distance(machine, from.node, to.node);
    }
    return std::tuple(rooms_.size(), apart, -cpus_, -static_cast<double>(free_.value));
  }
  [[nodiscard]] Advice advice(bool fits) const {
    Advice advice{{}, fits, cpus_, free_};
    for (const Room& room : rooms_) advice.nodes.insert(room.node);
    return advice;
  }

 private:
  std::vector<Room> rooms_;
  double cpus_ = 0;
  Bytes free_;
};

/// From one node outward; the nearest first, of equally near ones the emptiest.
Chosen grown_from(const Room& start, const Demand& demand, std::vector<Room> rooms,
                  const machine::Machine& machine) {
  std::sort(rooms.begin(), rooms.end(), [&](const Room& a, const Room& b) {
    const auto key = [&](const Room& room) {
      return std::tuple(room.node != start.node, distance(machine, start.node, room.node),
                        -room.idle_cpus, -static_cast<double>(room.free.value), room.node);
    };
    return key(a) < key(b);
  });
  Chosen chosen;
  for (const Room& room : rooms) {
    if (chosen.enough(demand)) break;
    if (chosen.gains_by(room, demand)) chosen.add(room);
  }
  if (chosen.enough(demand)) chosen.drop_needless(demand);
  return chosen;
}

}  // namespace

Result<Demand> parse_demand(std::string_view text) {
  constexpr const char* advice = "write CPUS or CPUS:MIB, such as 4:2048, or 4:2g";
  const auto wrong = [&](const std::string& what) { return bad_usage(what, advice); };
  std::string_view memory = text;
  const std::string_view cpus = take_until(memory, ':');
  Demand demand;
  const auto count = number_in<unsigned>(cpus);
  if (!count || *count == 0) return wrong(fmt::format("'{}' is no number of CPUs", cpus));
  demand.cpus = *count;
  if (cpus.size() == text.size()) return demand;
  constexpr std::uint64_t mib = 1U << 20U;
  if (const auto number = number_in(memory)) {
    if (*number > UINT64_MAX / mib) return wrong(fmt::format("'{}' MiB are too many", memory));
    demand.memory.value = *number * mib;
    return demand;
  }
  const auto size = parse_size(memory);
  if (!size) return wrong(size.error().tried);
  demand.memory = *size;
  return demand;
}

Advice advise(const Demand& demand, const std::vector<Room>& rooms,
              const machine::Machine& machine) {
  std::optional<Chosen> best;
  for (const Room& start : rooms) {
    Chosen chosen = grown_from(start, demand, rooms, machine);
    if (!chosen.enough(demand)) continue;
    if (!best || chosen.rank(machine) < best->rank(machine)) best = std::move(chosen);
  }
  if (best) return best->advice(true);
  Chosen all;
  for (const Room& room : rooms) {
    if (room.idle_cpus > 0 || room.free.value > 0) all.add(room);
  }
  return all.advice(false);
}

std::vector<Room> rooms_between(std::string_view before, std::string_view after,
                                const machine::Machine& machine) {
  const auto first = cpu_times(before);
  const auto last = cpu_times(after);
  std::vector<Room> rooms;
  for (const machine::Node& node : machine.nodes) {
    Room room{node.id, 0, {}};
    for (const CpuId cpu : node.cpus.to_vector()) {
      const auto from = first.find(cpu);
      const auto to = last.find(cpu);
      if (from == first.end() || to == last.end()) continue;
      const double all = to->second.all - from->second.all;
      const double idle = to->second.idle - from->second.idle;
      if (all > 0) room.idle_cpus += std::clamp(idle / all, 0.0, 1.0);
    }
    rooms.push_back(room);
  }
  return rooms;
}

}  // namespace homenode::balance
