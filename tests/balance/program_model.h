// A made-up machine and program that the step can be run against: threads with CPUs, regions with
// nodes, and who uses what. It does what is decided. Serves the tests of balance/.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "balance/plan.h"

namespace homenode::balance {

inline machine::Machine machine_of(unsigned nodes, unsigned cpus) {
  machine::Machine machine;
  for (unsigned node = 0; node < nodes; ++node) {
    machine::Node here;
    here.id = NodeId(node);
    here.memory = Bytes{std::uint64_t{8} << 30U};
    for (unsigned cpu = 0; cpu < cpus; ++cpu) here.cpus.insert(CpuId(node * cpus + cpu));
    machine.nodes.push_back(here);
  }
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

/// Thread t uses `uses[t][r]` of region r in each window.
struct ProgramModel {
  std::vector<NodeId> threads;
  std::vector<Home> regions;
  std::vector<std::vector<double>> uses;
  std::uint64_t pages = 512;
  std::vector<bool> pinned = std::vector<bool>(threads.size(), false);
  double age_s = 60;
  // What the balancer did, and what was before its latest plan.
  std::uint64_t moved_pages = 0;
  std::size_t bound = 0;
  std::vector<NodeId> threads_before = threads;
  std::vector<Home> regions_before = regions;
  std::vector<Action> actions;
  std::mt19937* noise = nullptr;  ///< Samples scatter as counts do, where there is one.
  /// What the program does before each window.
  std::function<void(ProgramModel&, int)> changes = [](ProgramModel&, int) {};
  bool wanders = false;  ///< The scheduler takes unbound threads to another node each time.
  std::vector<bool> held = std::vector<bool>(threads.size(), false);  ///< By the balancer.
  std::vector<bool> held_before = held;

  static TaskKey key(std::size_t thread) { return {static_cast<pid_t>(100 + thread), 1}; }
  static std::uint64_t address(std::size_t region) { return (region + 1) << 21U; }

  [[nodiscard]] Observation seen(const machine::Machine& machine, bool closely) const {
    Observation seen;
    seen.process = key(0);
    seen.name = "model";
    seen.age_s = age_s;
    seen.window_s = 5;
    if (closely) seen.source = "hint-faults";
    seen.resident = Bytes{pages * regions.size() * 4096 + (64U << 20U)};
    seen.cpuset = machine.cpus();
    seen.memory = machine.node_ids();
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const double cpus = cpus_of(machine, threads[t]);
      seen.threads.push_back(
          {key(t), threads[t], cpus, machine.cpus(), pinned[t] ? "it is bound" : ""});
      seen.cpus += cpus;
    }
    for (const machine::Node& node : machine.nodes) seen.free[node.id] = Bytes{node.memory};
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const auto here = pages_in_turn(regions[r], pages);
      for (const auto& [node, count] : here) seen.pages[node] += count;
      if (!closely) continue;
      Region region{address(r), pages * 4096, Bytes{4096}, here, {}, {}};
      for (std::size_t t = 0; t < threads.size(); ++t) {
        const double samples =
            noise == nullptr || uses[t][r] <= 0 ? uses[t][r] : scattered(uses[t][r]);
        if (samples > 0) region.uses[key(t)] = samples;
      }
      seen.regions.push_back(region);
    }
    return seen;
  }

  /// Each thread's part of a node's CPUs.
  [[nodiscard]] double cpus_of(const machine::Machine& machine, NodeId node) const {
    const auto cpus = static_cast<double>(machine.find(node)->cpus.size());
    return std::min(1.0, cpus / static_cast<double>(std::ranges::count(threads, node)));
  }

  [[nodiscard]] double scattered(double mean) const {
    return std::poisson_distribution<int>(mean)(*noise);
  }

  [[nodiscard]] double local_share() const {
    double all = 0;
    double local = 0;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      for (std::size_t r = 0; r < regions.size(); ++r) {
        all += uses[t][r];
        local += uses[t][r] * part_on(regions[r], threads[t]);
      }
    }
    return all > 0 ? local / all : 1;
  }

  /// Of all uses, what one node's memory serves at most.
  [[nodiscard]] double busiest_share() const {
    std::map<NodeId, double> served;
    double all = 0;
    for (const auto& of_thread : uses) {
      for (std::size_t r = 0; r < regions.size(); ++r) {
        for (const NodeId node : regions[r])
          served[node] += of_thread[r] / static_cast<double>(regions[r].size());
        all += of_thread[r];
      }
    }
    double most = 0;
    for (const auto& [node, of_node] : served) most = std::max(most, of_node);
    return all > 0 ? most / all : 0;
  }

  void apply(const Decision& decision) {
    actions.push_back(decision.action);
    if (decision.action == Action::undo || decision.action == Action::hands_off) {
      threads = threads_before;
      regions = regions_before;
      held = held_before;
      return;
    }
    if (decision.action != Action::bind_threads && decision.action != Action::move_pages) return;
    threads_before = threads;
    regions_before = regions;
    held_before = held;
    for (const ThreadMove& move : decision.threads) {
      const auto t = static_cast<std::size_t>(move.thread.id - 100);
      if (threads[t] != move.node) ++bound;
      threads[t] = move.node;
      held.resize(threads.size());
      held[t] = true;
    }
    for (const PageMove& move : decision.pages) {
      const std::size_t r = (move.first >> 21U) - 1;
      for (const auto& [node, count] : pages_in_turn(move.home, pages)) {
        const auto before = pages_in_turn(regions[r], pages);
        moved_pages += count - std::min(count, before.contains(node) ? before.at(node) : 0);
      }
      regions[r] = move.home;
    }
  }

  /// So many windows, each with a close look where it is asked for.
  void run(const machine::Machine& machine, int windows, const Limits& limits = {}) {
    State state;
    double now_s = 0;
    for (int window = 0; window < windows; ++window, now_s += 5, age_s += 5) {
      changes(*this, window);
      auto first = step(std::move(state), now_s, {seen(machine, false)}, machine, {}, limits);
      state = std::move(first.state);
      Decision decision = first.decisions.at(0);
      if (decision.action == Action::look) {
        auto second = step(std::move(state), now_s, {seen(machine, true)}, machine, {}, limits);
        state = std::move(second.state);
        decision = second.decisions.at(0);
      }
      apply(decision);
      if (wanders) wander(machine);
    }
  }

  /// Free threads change places with each other, each by one node.
  void wander(const machine::Machine& machine) {
    held.resize(threads.size());
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const unsigned next = (threads[t].value() + 1) % static_cast<unsigned>(machine.nodes.size());
      if (!held[t]) threads[t] = NodeId(next);
    }
  }

  [[nodiscard]] std::size_t count(Action action) const {
    return static_cast<std::size_t>(std::count(actions.begin(), actions.end(), action));
  }
};

/// Each thread with regions of its own, which lie where `home` says.
template <class HomeOf>
ProgramModel private_regions(const machine::Machine& machine, std::size_t each, HomeOf home) {
  ProgramModel model;
  for (const machine::Node& node : machine.nodes) {
    for (std::size_t cpu = 0; cpu < node.cpus.size(); ++cpu) model.threads.push_back(node.id);
  }
  const std::size_t threads = model.threads.size();
  model.uses.assign(threads, std::vector<double>(threads * each, 0));
  for (std::size_t t = 0; t < threads; ++t) {
    for (std::size_t r = 0; r < each; ++r) {
      model.regions.push_back({home(t)});
      model.uses[t][t * each + r] = 20;
    }
  }
  model.pinned.assign(threads, false);
  model.threads_before = model.threads;
  model.regions_before = model.regions;
  return model;
}

}  // namespace homenode::balance
