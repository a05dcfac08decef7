// What is to be done with one process, and why: the output of step.h. Values only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "balance/observation.h"

namespace homenode::balance {

/// look: sample it in the next window, it may be worth it; verify: nothing, the last plan has held;
/// undo: what the last plan changed; hands_off: undo, and leave it alone from now on.
enum class Action { nothing, look, bind_threads, move_pages, verify, undo, hands_off };
/// "nothing", "look", "bind threads", …
std::string to_string(Action action);

struct ThreadMove {
  TaskKey thread;
  NodeId node = {};
  CpuSet cpus;
};

/// Where pages are to be: one node, or several in turn, by the numbers of the pages. Never empty.
using Home = std::vector<NodeId>;

/// The node of the page at an address.
NodeId node_of(const Home& home, std::uint64_t address, Bytes page_size);
/// So many pages that lie one after the other, by node.
std::map<NodeId, std::uint64_t> pages_in_turn(const Home& home, std::uint64_t pages);

struct PageMove {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  Bytes page_size;
  Home home;
  std::uint64_t pages = 0;  ///< That are elsewhere now.
};

struct Decision {
  TaskKey process;
  Action action = Action::nothing;
  std::string reason;
  std::vector<ThreadMove> threads;
  std::vector<PageMove> pages;
  double local_before = 0;     ///< The measured share of local uses.
  double local_predicted = 0;  ///< After this.
  /// The share of all uses that one node's memory serves; 0 where nothing is to be spread.
  double busiest_before = 0;
  double benefit_s = 0;  ///< Predicted.
  double cost_s = 0;     ///< Predicted.
};

/// That nothing is done with what was seen, and why.
Decision nothing(const Observation& seen, std::string reason);

/// "12.3 %".
std::string in_percent(double share);

/// One object without the end of a line, for the log and for `explain`.
std::string to_json(const Decision& decision);

}  // namespace homenode::balance
