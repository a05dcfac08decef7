// Every system call under the verb `where`, from the command line to what is printed, refused in
// every way that the kernel documents. The process is this test, in files that it makes up.
#include <fmt/format.h>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/id_list.h"
#include "cli/table.h"
#include "cli/where/watch.h"
#include "machine/load.h"
#include "os/every_refusal.h"
#include "sensing/captured.h"
#include "sensing/process_reader.h"
#include "support/sanitized.h"
#include "support/where_process.h"

namespace homenode::cli {
namespace {

using nlohmann::json;
using os::Outcome;
using WhereWords = std::vector<std::string>;

Result<machine::Machine> two_known_nodes() {
  static const auto machine = machine::load("synthetic:numa:2 core:1 pu:1");
  return machine;
}

/// Facts of a JSON value, one a line: "threads.0.last_cpu=1". What is not known is no fact, nor is
/// what is told in the notes.
void add_facts(const json& value, const std::string& path, std::string& facts) {
  if (value.is_structured()) {
    for (const auto& [key, inner] : value.items()) {
      if (key == "notes" || key == "source") continue;
      add_facts(inner, fmt::format("{}.{}", path, key), facts);
    }
    return;
  }
  if (value.is_null() || value == "" || value == 0) return;
  facts += fmt::format("{}={}\n", path, value.dump());
}

/// A command about a process of one thread, whose heap lies on two nodes.
class WhereTrial final : public os::Trial {
 public:
  explicit WhereTrial(WhereWords words, std::string target = fmt::format("{}", pid))
      : words_(std::move(words)),
        os_({{NodeId(0), NodeId(1)}, {{CpuId(0), NodeId(0)}, {CpuId(1), NodeId(1)}}}) {
    words_.insert(words_.begin(), {"where", std::move(target)});
    EXPECT_EQ(os_.map_memory(pages * os::fake_page_bytes, memory_), 0);
    os_.first_touch(memory_, half, NodeId(0));
    os_.first_touch(static_cast<char*>(memory_) + half, half, NodeId(1));
    write_files();
  }

  os::Fake& kernel() override { return os_; }

  Outcome run() override {
    out_.str("");
    err_.str("");
    Context context{os_, out_, err_, "/usr/bin/homenode", two_known_nodes};
    FakePace time;
    const bool watches = words_.size() > 2 && words_[2].starts_with("--watch");
    time.stop_after = watches ? pictures : 0;
    const os::Pace pace = time.pace();
    context.pace = &pace;
    const int code = dispatch(context, words_);
    const bool ended = out_.str().find("\"ended\":true") != std::string::npos;
    if (code == exit_done && !ended) {
      EXPECT_FALSE(out_.str().empty());
      EXPECT_EQ(err_.str().find("has ended"), std::string::npos) << "it has not";
      return {true, {}};
    }
    if (out_.str().find("homenode.where.repair/2") != std::string::npos) return told_by_receipt();
    std::string told = err_.str();
    if (told.ends_with('\n')) told.pop_back();
    EXPECT_NE(told.find("; "), std::string::npos) << "says what to do next: " << told;
    return {false, {told}};
  }

  /// What is printed, without the time that it took and the addresses, which are this trial's own;
  /// and where memory and thread are.
  std::string result() override {
    std::string facts = places() + "\n";
    const std::string text = out_.str();
    if (!text.starts_with("{")) return facts + text.substr(0, text.find('\n'));
    std::istringstream lines(text);  // One of each picture.
    for (std::string line; std::getline(lines, line);) {
      json printed = json::parse(line);
      if (printed.contains("pages") && printed["pages"].is_object())
        printed["pages"].erase("seconds");
      for (json& mapping : printed["mappings"]) name_addresses(mapping);
      // What was asked for is in the receipt before and after; a second run finds nothing to do.
      if (printed["schema"] != "homenode.where.repair/2") add_facts(printed, "", facts);
    }
    return facts;
  }

  std::string state() override { return fmt::format("{} mappings", os_.mappings()); }

 private:
  static constexpr pid_t pid = 4711;
  static constexpr int pictures = 2;  ///< Of a watch, which is then stopped.
  static constexpr std::size_t pages = 8;
  static constexpr std::size_t half = pages / 2 * os::fake_page_bytes;

  void name_addresses(json& mapping) const {
    const auto first = reinterpret_cast<std::uintptr_t>(memory_);
    if (mapping["first"] == fmt::format("{:#x}", first)) mapping["first"] = "the heap's";
    if (mapping["end"] == fmt::format("{:#x}", first + 2 * half)) mapping["end"] = "the heap's";
  }

  std::string places() {
    CpuSet cpus;
    EXPECT_EQ(os_.sched_getaffinity(pid, cpus), 0);
    std::string text = fmt::format("CPUs {}, nodes", to_list(cpus));
    for (std::size_t page = 0; page < pages; ++page) {
      const char* const at = static_cast<char*>(memory_) + page * os::fake_page_bytes;
      text += fmt::format(" {}", os_.node_of(at)->value());
    }
    return text;
  }

  void write_files() {
    os_.set_root("/no such folder");
    os_.set_file("/sys/devices/system/node/online", "0-1\n");
    for (unsigned node : {0U, 1U}) {
      const std::string folder = fmt::format("/sys/devices/system/node/node{}/", node);
      os_.set_file(folder + "cpulist", fmt::format("{}\n", node));
      os_.set_file(folder + "meminfo", fmt::format("Node {0} MemTotal: 8192 kB\n"
                                                   "Node {0} MemFree: 4096 kB\n",
                                                   node));
    }
    const std::string process = fmt::format("/proc/{}/", pid);
    const std::string stat =
        sensing::stat_line({.id = pid, .name = "prog", .started = 50, .cpu = 1});
    for (const std::string& folder : {process, process + fmt::format("task/{}/", pid)}) {
      os_.set_file(folder + "stat", stat);
      os_.set_file(folder + "status", sensing::status_text("0-1", "0-1"));
    }
    os_.set_file(process + "cmdline", std::string("/bin/prog\0", 10));
    os_.set_file("/proc/12/stat", sensing::stat_line({.id = 12, .name = "other", .started = 9}));
    os_.set_file("/proc/12/cmdline", std::string("other\0", 6));
    const auto first = reinterpret_cast<std::uintptr_t>(memory_);
    const std::string line = fmt::format("{:x}-{:x} rw-p 00000000 00:00 0    [heap]\n", first,
                                         first + pages * os::fake_page_bytes);
    os_.set_file(process + "maps", line);
    os_.set_file(process + "smaps", line + "Rss:    32 kB\nAnonHugePages:    0 kB\n");
    os_.set_file(
        process + "numa_maps",
        fmt::format("{:x} default heap anon=8 dirty=8 N0=4 N1=4 kernelpagesize_kB=4\n", first));
  }

  /// A repair that is not complete says what was refused.
  [[nodiscard]] Outcome told_by_receipt() const {
    Outcome outcome{false, {}};
    const json receipt = json::parse(out_.str());
    const auto note = [&](const json& refusal) {
      EXPECT_FALSE(refusal["next"].get<std::string>().empty());
      outcome.told.push_back(refusal["tried"].get<std::string>() + ": " +
                             std::generic_category().message(refusal["errno"].get<int>()));
    };
    for (const json& thread : receipt["threads"]) {
      if (!thread["refusal"].is_null()) note(thread["refusal"]);
      if (thread["ended"] != true) continue;
      outcome.told.emplace_back("the thread ended");
      outcome.names_errno = false;
    }
    const json& done = receipt["pages"];
    if (!done.is_object()) return outcome;
    for (const json& refusal : done["refusals"]) note(refusal);
    if (done["ended"] == true || done["vanished_bytes"] != 0 || done["kept_shared_bytes"] != 0) {
      outcome.told.emplace_back("the process ended, or pages are gone or shared");
      outcome.names_errno = false;
    }
    return outcome;
  }

  WhereWords words_;
  os::Fake os_;
  std::ostringstream out_;
  std::ostringstream err_;
  void* memory_ = nullptr;
};

std::set<std::string> where_refusals(const std::vector<WhereWords>& commands,
                                     const std::set<std::pair<std::string, int>>& left_out = {},
                                     const std::string& target = "4711") {
  std::set<std::string> calls;
  for (const WhereWords& words : commands) {
    std::string name = "where " + target;
    for (const std::string& word : words) name += " " + word;
    os::refuse_every_call({name,
                           [&] { return std::make_unique<WhereTrial>(words, target); },
                           {"list_folder", "read_file", "read_file_at"},
                           left_out},
                          calls, refusals_per_trial);
    if (testing::Test::HasFailure()) break;
  }
  return calls;
}

TEST(WhereFaults, OfASurveyAreToldOrLeaveThingsOut) {
  const std::set<std::string> calls =
      where_refusals({{"--json"}, {"--json", "--huge-pages"}, {"--mappings=5", "--huge-pages"}, {}},
                     {{"read_file", ENOENT}, {"read_file", ESRCH}});  // Below.
  EXPECT_TRUE(calls.contains("read_file"));
  EXPECT_FALSE(calls.contains("move_pages"));
  EXPECT_EQ(where_refusals({{"--fast"}, {"--fast", "--json"}}, {{"read_file", ENOENT}}),
            (std::set<std::string>{"read_file"}));
}

/// A kernel without numa_maps is asked by move_pages instead.
TEST(WhereFaults, OfFilesThatAreGoneMakeNothingUp) {
  where_refusals({{"--json"}});
}

TEST(WhereFaults, OfARepairAreToldByAnErrorOrTheReceipt) {
  const std::set<std::string> calls =
      where_refusals({{"--repair=bind@1", "--json"},
                      {"--repair=cyclic@0-1", "--only=heap", "--rate=1000000", "--json"},
                      {"--repair=interleave", "--dry-run", "--json"}});
  EXPECT_TRUE(calls.contains("move_pages"));
  EXPECT_TRUE(calls.contains("read_file"));
}

TEST(WhereFaults, OfBindingThreadsAreToldByAnErrorOrTheReceipt) {
  // A thread whose files are gone has ended.
  const std::set<std::string> calls =
      where_refusals({{"--threads=1", "--json"}, {"--threads=1", "--repair=bind@0", "--json"}},
                     {{"read_file", ENOENT}, {"read_file", ESRCH}});
  EXPECT_TRUE(calls.contains("sched_setaffinity"));
  EXPECT_TRUE(calls.contains("sched_getaffinity"));
}

TEST(WhereFaults, OfANameAreToldOrFindTheSameProcess) {
  // A process whose files are gone has ended, and one whose files are closed is hidden.
  const std::set<std::pair<std::string, int>> survey{{"read_file", ENOENT}, {"read_file", ESRCH}};
  EXPECT_TRUE(
      where_refusals({{"--json"}, {"--fast", "--json"}}, survey, "prog").contains("list_folder"));
  EXPECT_TRUE(where_refusals({{"--repair=bind@1", "--json"}}, {}, "prog").contains("list_folder"));
}

TEST(WhereFaults, OfAWatchAreToldAndEndNoProcess) {
  const std::set<std::pair<std::string, int>> survey{{"read_file", ENOENT}, {"read_file", ESRCH}};
  EXPECT_TRUE(where_refusals({{"--watch", "--json"}, {"--watch=5", "--json", "--fast"}}, survey)
                  .contains("list_folder"));
  where_refusals({{"--watch", "--json"}}, survey, "prog");
}

TEST(WhereFaults, OfAProcessThatEndsUnderAWatchAreItsEnd) {
  for (const int gone : {ENOENT, ESRCH}) {
    os::Fake os;
    os.set_root("/no such folder");
    std::ostringstream out;
    std::ostringstream err;
    FakePace time;
    const os::Pace pace = time.pace();
    Context context{os, out, err, "homenode", two_known_nodes, {}, &pace};
    const sensing::SystemFiles files{os};
    bool drawn = false;
    const Watch settings{std::chrono::seconds(1), false,
                         [&]() -> Result<std::string> {
                           if (drawn) os.fail_call("read_file", 1, gone);
                           drawn = true;
                           return std::string("picture\n");
                         },
                         [&] { return sensing::is_running(files, 4711, 50); }};
    EXPECT_TRUE(watch(context, settings, pace));
    EXPECT_EQ(out.str(), "picture\n");
    EXPECT_EQ(err.str(), "homenode where: the process has ended\n");
  }
}

}  // namespace
}  // namespace homenode::cli
