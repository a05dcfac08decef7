// A made-up measurement: two nodes of two CPUs, and a third that has memory only.
#pragma once

#include "measure/derived.h"

namespace homenode::cli {

inline measure::Summary steady(double value) {
  return {value, 0.01, value * 0.99, value * 1.01, 3};
}

inline machine::Machine three_nodes() {
  machine::Machine machine;
  machine.name = "made <up>";
  machine.nodes = {{NodeId(0), CpuSet{CpuId(0), CpuId(1)}, 1024_MiB, {}},
                   {NodeId(1), CpuSet{CpuId(2), CpuId(3)}, 1024_MiB, {}},
                   {NodeId(4), {}, 4096_MiB, {}}};
  machine.allowed_cpus = machine.cpus();
  machine.allowed_nodes = machine.node_ids();
  return machine;
}

/// Local 100 ns and 20000 MiB/s, remote 150 and 10000, node 4 300 and 5000; the latency from node 1
/// to node 4 is noisy. Core to core 40 ns in a node and 120 between two.
inline measure::Report made_up_report() {
  using namespace measure;
  Report report;
  report.machine = three_nodes();
  Request request;
  request.quick = true;
  report.plan = *make_plan(report.machine, request);
  report.isa = "avx2";
  report.notes = report.plan.notes;
  for (NodeId from : report.plan.sources) {
    for (NodeId to : report.plan.targets) {
      const Pair pair{from, to};
      const double ns = to == NodeId(4) ? 300 : from == to ? 100 : 150;
      const double mibs = to == NodeId(4) ? 5000 : from == to ? 20000 : 10000;
      report.latency.push_back({{pair, false}, steady(ns)});
      if (from == NodeId(1) && to == NodeId(4)) report.latency.back().ns.spread = 0.2;
      report.latency.push_back({{pair, true}, steady(2 * ns)});
      const KernelForm plain{"avx2 x8", false};
      const KernelForm streaming{"sse2 x4, non-temporal", true};
      report.bandwidth.push_back(
          {{Kernel::read, Scope::one_cpu, pair}, 1, steady(mibs / 4), plain});
      report.bandwidth.push_back({{Kernel::read, Scope::all_cpus, pair}, 2, steady(mibs), plain});
      report.bandwidth.push_back(
          {{Kernel::write_nt, Scope::all_cpus, pair}, 2, steady(mibs / 2), streaming});
      report.bandwidth.push_back(
          {{Kernel::copy, Scope::all_cpus, pair}, 2, steady(mibs * 0.8), streaming});
      report.bandwidth.push_back(
          {{Kernel::triad, Scope::all_cpus, pair}, 2, steady(mibs * 0.9), plain});
      LoadedCurve curve{pair, 1, {}};
      curve.points = {{4096, steady(100), steady(ns)}, {0, steady(4000), steady(2 * ns)}};
      if (from == NodeId(1)) curve = {pair, 0, {}};
      report.loaded.push_back(curve);
    }
  }
  for (unsigned reader = 0; reader < 4; ++reader) {
    for (unsigned owner = 0; owner < 4; ++owner) {
      if (owner == reader) continue;
      const double ns = reader / 2 == owner / 2 ? 40 : 120;
      report.cores.push_back({{CpuId(reader), CpuId(owner)}, steady(ns)});
    }
  }
  report.together = {{{Kernel::read, Together::local}, 4, steady(39000), {"avx2 x8", false}},
                     {{Kernel::read, Together::interleaved}, 4, steady(21000), {"avx2 x8", false}}};
  for (NodeId target : report.plan.targets) {
    MemoryFacts facts;
    facts.node = target;
    facts.array = 64_MiB;
    facts.huge = 128_MiB;
    facts.page_local = target == NodeId(4);
    facts.pages = 32768;
    report.memory.push_back(facts);
  }
  report.weights = interleave_weights(report);
  return report;
}

}  // namespace homenode::cli
