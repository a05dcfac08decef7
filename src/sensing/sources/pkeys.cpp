// Memory protection keys, from within the program: the preloaded library src/agent/pkeys arms pages
// for short times, and a thread's first touch of one faults. This source sees to it that it is
// preloaded, and at the end reads from the file what it did.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "sensing/sources/sample_file.h"
#include "sensing/sources/table.h"

namespace homenode::sensing {
namespace {

constexpr SourceFacts pkeys_facts{
    "pkeys",
    SampleSource::pkeys,
    "reads and writes of anonymous memory by each thread, with instruction and time; no thread's "
    "touch hides another's",
    "stacks, files, shared memory and code; what the kernel uses for the program; processes that "
    "are forked and execute nothing",
    "up to four faults per thread and window, and a signal per system call while a window is open; "
    "the rate follows --overhead",
    "a processor with protection keys (pku), Linux 5.11, glibc 2.35, and a program that "
    "'homenode sample' starts"};

constexpr std::string_view pkeys_library = "libhomenode-pkeys.so";

std::string library_in(const std::string& agent_folder) {
  return fmt::format("{}/{}", agent_folder, pkeys_library);
}

bool processor_has_keys(os::Os& os) {
  std::string text;
  return os.read_file("/proc/cpuinfo", text) >= 0 && text.find(" ospke") != std::string::npos;
}

/// A program may go to another folder before it executes the next one.
std::string absolute_path(os::Os& os, const std::string& path) {
  std::string folder;
  if (path.starts_with('/') || os.read_link("/proc/self/cwd", folder) < 0) return path;
  return fmt::format("{}/{}", folder, path);
}

/// What else the program is to have preloaded.
std::string preloaded(const SampleRequest& request) {
  for (const auto& [name, value] : request.environment) {
    if (name == "LD_PRELOAD") return value;
  }
  const char* const own = std::getenv("LD_PRELOAD");
  return own != nullptr ? own : "";
}

/// AddressSanitizer ends programs in which another library comes before its own. It is to let ours,
/// which then sees the sanitizer and does nothing.
std::string sanitizer_options(const SampleRequest& request) {
  for (const auto& [name, value] : request.environment) {
    if (name == "ASAN_OPTIONS") return value;
  }
  const char* const own = std::getenv("ASAN_OPTIONS");
  return fmt::format("verify_asan_link_order=0{}{}", own != nullptr ? ":" : "",
                     own != nullptr ? own : "");
}

/// What the sampler in one process said at its end.
void take_account(const nlohmann::json& account, Sampling& sampling, std::string& refused) {
  const auto number = [&](const char* key) { return account.value(key, std::uint64_t{0}); };
  sampling.budget.add_faults_ns(number("cpu_ns") + number("faults_ns"));
  sampling.budget.add_lost(number("lost"));
  sampling.samples_from_within += number("samples");
  if (refused.empty()) refused = account.value("refused", std::string());
}

class Pkeys final : public Source {
 public:
  [[nodiscard]] const SourceFacts& facts() const override { return pkeys_facts; }

  [[nodiscard]] Result<void> check(os::Os& os, const SampleRequest& request) const override {
    if (request.pid != 0) {
      return not_supported(
          "protection keys are set from within the program, from its first "
          "instruction on",
          "name a program to start instead ('-- PROGRAM'), or use another source for a process "
          "that runs");
    }
    if (!processor_has_keys(os)) {
      return not_supported(
          "the processor has no memory protection keys, or the kernel or the "
          "hypervisor hides them (no 'ospke' in /proc/cpuinfo)",
          "use another source");
    }
    os::FileStatus status;
    if (request.agent_folder.empty() ||
        os.file_status(library_in(request.agent_folder), status) != 0) {
      return not_supported(fmt::format("{} is not installed", pkeys_library),
                           "install homenode for this machine's architecture (x86-64), or set "
                           "HOMENODE_LIBEXEC");
    }
    return {};
  }

  Result<Environment> environment(os::Os& os, const SampleRequest& request) override {
    const std::string library = library_in(request.agent_folder);
    const std::string others = preloaded(request);
    const std::string preload = others.empty() ? library : fmt::format("{}:{}", library, others);
    std::string own;  // The number of this process; 0 watches none.
    if (os.read_link("/proc/self", own) < 0) own.assign(1, '0');
    constexpr double million = 1e6;
    const auto budget = static_cast<std::uint64_t>(request.overhead * million);
    return Environment{
        {"LD_PRELOAD", preload},
        {"ASAN_OPTIONS", sanitizer_options(request)},
        {"HOMENODE_SAMPLE", absolute_path(os, request.output)},
        {"HOMENODE_SAMPLE_PKEYS", fmt::format("budget_ppm={} watch={}", budget, own)}};
  }

  Result<void> start(Sampling& /*sampling*/, pid_t /*pid*/) override { return {}; }

  Result<void> collect(Sampling& sampling) override {
    sampling.processes.find_children();
    return {};
  }

  /// The library has ended with the program.
  Result<void> stop(Sampling& sampling) override {
    std::string content;
    const int error = sampling.os.read_file(sampling.request.output, content);
    if (error < 0) return {};
    const std::string refused = take_accounts(content, sampling);
    if (refused.empty()) return {};
    return not_supported(fmt::format("a process was not sampled by protection keys, or not to its "
                                     "end: {}",
                                     refused),
                         "use another source for this program");
  }

 private:
  /// Reads all blocks; gives why a process was not sampled, or nothing.
  static std::string take_accounts(std::string_view content, Sampling& sampling) {
    std::string refused;
    content.remove_prefix(std::min(content.size(), sizeof(SampleFileHeader)));
    while (const auto block = take_block(content)) {
      constexpr std::string_view beginning = R"({"kind":"pkeys")";
      if (!block->content.starts_with(beginning)) continue;
      const auto account = nlohmann::json::parse(block->content, nullptr, false);
      if (account.is_object()) take_account(account, sampling, refused);
    }
    return refused;
  }
};

}  // namespace

std::unique_ptr<Source> make_pkeys_source() {
  return std::make_unique<Pkeys>();
}

}  // namespace homenode::sensing
