// A fake system with one process to sample, and what was written about it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "fake/fake.h"
#include "perf_bytes.h"
#include "sensing/sources/source.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {

inline constexpr pid_t sampled_pid = 100;

/// Two nodes, each with a CPU and a hundred pages.
inline machine::Machine sampled_machine() {
  machine::Machine machine;
  machine.nodes = {{NodeId(0), {CpuId(0)}, {}, {}}, {NodeId(1), {CpuId(1)}, {}, {}}};
  return machine;
}

inline void add_sampled_process(os::Fake& os) {
  os.add_process(sampled_pid, 1'000'000'000);
  os.add_process(0, 1000);
  os.set_file("/proc/zoneinfo",
              "Node 0, zone Normal\n spanned 100\n start_pfn: 1\n"
              "Node 1, zone Normal\n spanned 100\n start_pfn: 101\n");
  os.set_file("/proc/100/maps", "1000-9000 rw-p 00000000 00:00 0\n");
  os.set_file("/proc/100/cmdline", std::string("solver\0-x\0", 10));
  os.set_file("/proc/100/statm", "50 10 3 0 0 0 0\n");
  os.set_file("/proc/100/clear_refs", "");
  os.set_file("/proc/100/task/100/comm", "solver\n");
  os.set_file("/proc/sys/kernel/numa_balancing", "0\n");
  os.set_file("/proc/sys/kernel/perf_event_paranoid", "3\n");
}

/// The samples and documents of a file, one behind the other.
struct Written {
  std::vector<Sample> samples;
  std::vector<std::string> documents;

  explicit Written(os::Fake& os) {
    std::string content;
    EXPECT_EQ(os.read_file("/out", content), 0);
    std::size_t at = sizeof(SampleFileHeader);
    while (at + sizeof(SampleBlockHeader) <= content.size()) {
      SampleBlockHeader header{};
      std::memcpy(&header, content.data() + at, sizeof header);
      at += sizeof header;
      if (std::string_view(header.kind, 4) == "JSON") {
        documents.push_back(content.substr(at, header.bytes));
      } else {
        const std::size_t before = samples.size();
        samples.resize(before + header.bytes / sizeof(Sample));
        std::memcpy(&samples[before], content.data() + at, header.bytes);
      }
      at += header.bytes;
    }
  }

  /// The first document of a kind; empty without one.
  [[nodiscard]] std::string document(const std::string& kind) const {
    for (const std::string& text : documents) {
      if (text.starts_with(R"({"kind":")" + kind + '"')) return text;
    }
    return "";
  }
};

/// The system, filled before anything reads it.
struct SampledSystem {
  SampledSystem() { add_sampled_process(os_); }
  os::Fake os_{{.nodes = {NodeId(0), NodeId(1)}}};
};

/// A source at work on the process, by the test's clock.
class SampledTest : protected SampledSystem, public testing::Test {
 protected:
  void start(std::unique_ptr<Source> source) {
    source_ = std::move(source);
    log_.add_process(sampled_pid);
    budget_.set_used(0, 1'000'000'000'000);
    ASSERT_TRUE(source_->start(sampling_, sampled_pid));
  }

  void collect_at(std::uint64_t time_ns) {
    now_ = time_ns;
    ASSERT_TRUE(source_->collect(sampling_));
  }

  SampleRequest request_{.pid = sampled_pid, .program = {}, .output = "/out", .agent_folder = {}};
  NodeLookup nodes_ = NodeLookup::of_system(os_, sampled_machine());
  Result<SampleFile> file_ = SampleFile::create(os_, "/out");
  ProcessLog log_{os_, *file_};
  Budget budget_{0.5};
  std::uint64_t now_ = 0;
  Sampling sampling_{os_, request_, nodes_, *file_, log_, budget_, [this] { return now_; }};
  std::unique_ptr<Source> source_;
};

}  // namespace homenode::sensing
