// A process of the fake kernel for the tests of `where`: memory of this test on known nodes, and
// the files of /proc that say so.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake/fake.h"
#include "os/pace.h"
#include "sensing/survey.h"

namespace homenode {

inline os::FakeMachine two_and_sixty_four() {
  os::FakeMachine machine;
  machine.nodes = {NodeId(0), NodeId(1), NodeId(64)};
  machine.node_of_cpu = {{CpuId(0), NodeId(0)}, {CpuId(1), NodeId(1)}};
  return machine;
}

/// Nodes 0, 1 and 64; one mapping after the other is added to the survey.
class WhereProcess {
 public:
  explicit WhereProcess(os::FakeMachine machine = two_and_sixty_four()) : os(std::move(machine)) {
    survey.pid = 4711;
    survey.name = "program";
    for (unsigned id : {0U, 1U, 64U}) {
      survey.nodes.push_back({NodeId(id), {}, Bytes{1U << 30U}, Bytes{1U << 29U}});
    }
  }

  /// Maps pages, the n-th of them first touched on the n-th of `nodes`.
  char* add(const std::vector<unsigned>& nodes, sensing::Group group = sensing::Group::heap) {
    void* address = nullptr;
    const std::size_t page = os.page_bytes();
    EXPECT_EQ(os.map_memory(nodes.size() * page, address), 0);
    auto* const first = static_cast<char*>(address);
    sensing::Mapping mapping;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      os.first_touch(first + i * page, page, NodeId(nodes[i]));
      mapping.pages.emplace_back(NodeId(nodes[i]), 1);
    }
    mapping.first = reinterpret_cast<std::uintptr_t>(address);
    mapping.end = mapping.first + nodes.size() * page;
    mapping.group = group;
    mapping.page_size = {page};
    mapping.transparent_huge = Bytes();
    survey.mappings.push_back(mapping);
    return first;
  }

  [[nodiscard]] std::vector<unsigned> nodes_at(const char* first, std::size_t pages) {
    std::vector<unsigned> nodes;
    for (std::size_t i = 0; i < pages; ++i) {
      nodes.push_back(os.node_of(first + i * os.page_bytes()).value_or(NodeId(999)).value());
    }
    return nodes;
  }

  os::Fake os;
  sensing::Survey survey;
};

/// Time that passes only in pauses, and Ctrl-C after so many questions whether it has come.
class FakePace {
 public:
  [[nodiscard]] os::Pace pace() {
    return {[this] { return now; },
            [this](std::chrono::nanoseconds time) {
              now += time;
              ++pauses;
            },
            [this] { return stop_after > 0 && ++questions > stop_after; }};
  }

  std::chrono::nanoseconds now{};
  int pauses = 0;
  int questions = 0;
  int stop_after = 0;  ///< 0: never.
};

}  // namespace homenode
