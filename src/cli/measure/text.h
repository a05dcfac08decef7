// A measurement as text for people: heat tables, then what no table of pairs can hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/derived.h"

namespace homenode::cli {

/// A matrix to look at. The deeper a cell, the more it costs.
struct HeatTable {
  std::string title;
  measure::PairMatrix values;
  int decimals = 0;
  bool more_is_better = false;
  std::function<bool(NodeId from, NodeId to)> is_noisy;  ///< May be empty.
  const char* key = "row: who asks; column: whose memory";
};

/// What the report holds: read and write latency, NUMA factors, bandwidth by all CPUs of a node as
/// read and as written past the caches (else the first kernel there is), core to core.
std::vector<HeatTable> heat_tables(const measure::Report& report);

/// 0 (cheapest) … 1 (dearest) of the table's values; 0 where all are the same, NaN for no value.
double depth_of(const HeatTable& table, NodeId from, NodeId to);

/// Table, header line and all; a cell's depth as an ANSI background, or as a mark of shading.
std::string heat_text(const HeatTable& table, bool colour);

/// Tables of latency, NUMA factor and bandwidth, load curves, weights, and notes about them.
/// `colour` shades the tables with ANSI codes; else a mark of shading stands beside each value.
std::string measure_text(const measure::Report& report, bool colour);

}  // namespace homenode::cli
