#include "sensing/sources/process_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sizes.h"
#include "base/words.h"
#include "sensing/sources/sample_documents.h"
#include "sensing/system_files.h"

namespace homenode::sensing {
namespace {

std::string file_of(pid_t pid, const char* name) {
  return fmt::format("/proc/{}/{}", pid, name);
}

}  // namespace

std::vector<SampledMapping> parse_sampled_mappings(std::string_view maps) {
  constexpr int hexadecimal = 16;
  std::vector<SampledMapping> mappings;
  while (!maps.empty()) {
    std::string_view line = take_line(maps);
    std::string_view range = take_word(line);
    const auto begin = number_in(take_until(range, '-'), hexadecimal);
    const auto end = number_in(range, hexadecimal);
    const std::string_view permissions = take_word(line);
    const auto offset = number_in(take_word(line), hexadecimal);
    take_word(line);  // The device
    take_word(line);  // and the file's number in it.
    if (!begin || !end || !offset) continue;
    mappings.push_back({*begin, *end, std::string(permissions), *offset, unescaped(trimmed(line))});
  }
  return mappings;
}

void ProcessLog::add_process(pid_t pid) {
  Process& process = processes_[pid];
  process.ended = false;
  process.mappings_changed = true;
  process.threads_changed = true;
}

void ProcessLog::add_thread(pid_t pid, pid_t tid, const std::string& name) {
  Process& process = processes_[pid];
  process.threads_changed = true;
  std::string& known = process.threads[tid];
  if (!name.empty()) known = name;
}

void ProcessLog::add_mapping(pid_t pid, SampledMapping mapping) {
  Process& process = processes_[pid];
  process.mappings_changed = true;
  process.seen_mappings.push_back(std::move(mapping));
}

void ProcessLog::end_process(pid_t pid) {
  const auto process = processes_.find(pid);
  if (process != processes_.end()) process->second.ended = true;
}

void ProcessLog::find_children() {
  std::vector<pid_t> left = alive();
  while (!left.empty()) {
    const pid_t pid = left.back();
    left.pop_back();
    std::vector<pid_t> threads;
    if (SystemFiles{os_}.list_numbers(file_of(pid, "task"), threads) < 0) continue;
    for (const pid_t tid : threads) {
      std::string children;
      if (os_.read_file(fmt::format("/proc/{}/task/{}/children", pid, tid), children) < 0) continue;
      std::string_view rest = children;
      while (const auto child = number_in<pid_t>(take_word(rest))) {
        if (processes_.contains(*child)) continue;
        add_process(*child);
        left.push_back(*child);
      }
    }
  }
}

std::vector<pid_t> ProcessLog::alive() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, process] : processes_) {
    if (!process.ended) pids.push_back(pid);
  }
  return pids;
}

std::uint64_t ProcessLog::cpu_ns() {
  std::uint64_t sum = 0;
  for (auto& [pid, process] : processes_) {
    std::uint64_t used = 0;
    if (!process.ended && os_.process_cpu_ns(pid, used) == 0) {
      process.cpu_ns = std::max(process.cpu_ns, used);
    }
    sum += process.cpu_ns;
  }
  return sum;
}

Result<void> ProcessLog::write_mappings(pid_t pid, Process& process, std::uint64_t now_ns) {
  std::string maps;
  std::vector<SampledMapping> mappings;
  if (os_.read_file(file_of(pid, "maps"), maps) == 0) mappings = parse_sampled_mappings(maps);
  // Of a process that has ended the file is empty.
  if (mappings.empty()) mappings = std::move(process.seen_mappings);
  process.seen_mappings.clear();
  process.mappings_changed = false;
  if (mappings.empty() || mappings == process.mappings) return {};
  process.mappings = std::move(mappings);
  return file_.append_document(mappings_document(pid, now_ns, process.mappings));
}

void ProcessLog::read_threads(pid_t pid, Process& process) {
  std::vector<pid_t> threads;
  if (SystemFiles{os_}.list_numbers(file_of(pid, "task"), threads) < 0) return;
  for (const pid_t tid : threads) {
    std::string name;
    if (os_.read_file(fmt::format("/proc/{}/task/{}/comm", pid, tid), name) < 0) continue;
    process.threads[tid] = std::string(trimmed(std::string_view(name).substr(0, name.find('\n'))));
  }
}

Result<void> ProcessLog::write_threads(pid_t pid, Process& process, std::uint64_t now_ns) {
  const auto before = process.threads;
  const bool news = std::exchange(process.threads_changed, false);
  read_threads(pid, process);
  if (process.threads.empty() || (!news && before == process.threads)) return {};
  return file_.append_document(threads_document(pid, now_ns, process.threads));
}

Result<void> ProcessLog::write_changes(std::uint64_t now_ns, bool all) {
  for (auto& [pid, process] : processes_) {
    if (all || process.mappings_changed) {
      if (auto done = write_mappings(pid, process, now_ns); !done) return done;
    }
    if (all || process.threads_changed) {
      if (auto done = write_threads(pid, process, now_ns); !done) return done;
    }
  }
  return {};
}

}  // namespace homenode::sensing
