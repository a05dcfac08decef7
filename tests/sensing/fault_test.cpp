// Every read and query under a survey, refused in every way that the kernel documents: an error or
// a survey that leaves things out, but one that says nothing wrong.
#include <functional>

#include "base/id_list.h"
#include "captured.h"
#include "os/every_refusal.h"
#include "sensing/page_query.h"
#include "sensing/process_names.h"
#include "sensing/process_reader.h"

namespace homenode::sensing {
namespace {

using os::Outcome;
using os::outcome_of;

void add_line(std::string& text, const std::string& line) {
  text += line + "\n";
}

/// Each fact of a survey in a line of its own.
std::string facts_of(const Survey& survey) {
  std::string text;
  add_line(text, fmt::format("{} {} since {}", survey.pid, survey.name, survey.started));
  if (!survey.allowed_memory.empty()) add_line(text, "may use " + to_list(survey.allowed_memory));
  for (const NodeFacts& node : survey.nodes) {
    const unsigned id = node.id.value();
    if (!node.cpus.empty()) add_line(text, fmt::format("{} CPUs {}", id, to_list(node.cpus)));
    if (node.total.value > 0) add_line(text, fmt::format("{} memory {}", id, node.total.value));
  }
  for (std::size_t i = 0; i < survey.mappings.size(); ++i) {
    for (const auto& [node, pages] : survey.mappings[i].pages) {
      add_line(text, fmt::format("mapping {}: {} pages on {}", i, pages, node.value()));
    }
    if (survey.mappings[i].stack_of) add_line(text, fmt::format("mapping {} is a stack", i));
    if (const auto& owners = survey.mappings[i].owners; !owners.empty()) {
      add_line(text, fmt::format("mapping {} is of {}", i, to_string(owners)));
    }
  }
  for (const ThreadFacts& thread : survey.threads) {
    const std::string who = fmt::format("thread {}", thread.id);
    add_line(text, fmt::format("{} {} on {}", who, thread.name, thread.last_cpu.value()));
    if (thread.node) add_line(text, fmt::format("{} node {}", who, thread.node->value()));
    if (!thread.allowed.empty()) add_line(text, who + " allowed " + to_list(thread.allowed));
  }
  return text;
}

struct Row {
  const char* name;
  std::function<Outcome(const SystemFiles&, std::string&)> run;
  bool numa_maps = true;
  std::set<std::pair<std::string, int>> left_out = {};
};

Outcome survey(const SystemFiles& files, ReadOptions options, std::string& facts) {
  const auto read = read_survey(files, 100, options);
  if (!read) return outcome_of(read);
  facts = facts_of(*read);
  return {true, {}};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"a survey",
       [](const SystemFiles& files, std::string& facts) { return survey(files, {}, facts); }},
      {"a survey of numa_maps alone",
       [](const SystemFiles& files, std::string& facts) {
         return survey(files, {.only_numa_maps = true}, facts);
       },
       true,
       {{"read_file", ENOENT}}},  // A kernel without numa_maps: smaps says more.
      {"a survey with amounts",
       [](const SystemFiles& files, std::string& facts) {
         return survey(files, {.amounts = true}, facts);
       }},
      {
          "a survey without numa_maps",
          [](const SystemFiles& files, std::string& facts) { return survey(files, {}, facts); },
          false,
      },
      {"processes by name",
       [](const SystemFiles& files, std::string& facts) {
         const auto found = find_processes(files, "my prog");
         if (!found) return outcome_of(found);
         for (const ProcessName& process : *found) add_line(facts, process.command_line);
         return Outcome{true, {}};
       }},
      {"whether a process runs",
       [](const SystemFiles& files, std::string& facts) {
         if (is_running(files, 100, 50)) facts = "runs\n";
         return Outcome{true, {}};
       }},
  };
  return all;
}

/// The example of captured files, and two pages of the fake kernel that it can be asked for.
class SurveyTrial final : public os::Trial {
 public:
  SurveyTrial(const Row& row, const CapturedSystem& system)
      : row_(row), root_(system.root()), os_({.nodes = {NodeId(0), NodeId(1), NodeId(64)}}) {
    write_heap_header(os_, root_, 0x7f0000000000);
    if (row.numa_maps) return;
    void* address = nullptr;
    EXPECT_EQ(os_.map_memory(bytes, address), 0);
    os_.first_touch(address, bytes, NodeId(1));
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    system.write("proc/100/smaps", fmt::format("{:x}-{:x} rw-p 00000000 00:00 0    [heap]\n"
                                               "Rss:    8 kB\n",
                                               first, first + bytes));
  }

  os::Fake& kernel() override { return os_; }
  Outcome run() override {
    facts_.clear();
    return row_.run({os_, root_}, facts_);
  }
  std::string result() override { return facts_; }
  std::string state() override { return fmt::format("{} mappings", os_.mappings()); }

 private:
  static constexpr std::size_t bytes = 2 * os::fake_page_bytes;
  const Row& row_;
  std::string root_;
  os::Fake os_;
  std::string facts_;
};

TEST(Faults, ASurveyLeavesOutWhatItCannotRead) {
  std::set<std::string> calls;
  for (const Row& row : rows()) {
    const CapturedSystem system;
    system.write_example();
    system.write("proc/100/smaps", CapturedSystem::maps);
    if (!row.numa_maps) system.remove("proc/100/numa_maps");
    os::refuse_every_call({row.name,
                           [&row, &system] { return std::make_unique<SurveyTrial>(row, system); },
                           {"list_folder", "read_file", "read_file_at"},
                           row.left_out},
                          calls);
    if (HasFailure()) return;
  }
  EXPECT_EQ(calls,
            (std::set<std::string>{"list_folder", "move_pages", "read_file", "read_file_at"}));
}

}  // namespace
}  // namespace homenode::sensing
