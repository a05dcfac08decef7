// The fake kernel's processes, performance events and files that are written. Serves fake/fake.h.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "fake/fake.h"

namespace homenode::os {

void Fake::add_process(pid_t pid, std::uint64_t cpu_ns) {
  const std::lock_guard guard(lock_);
  processes_[pid] = {cpu_ns, {}};
}

void Fake::end_process(pid_t pid, int code) {
  const std::lock_guard guard(lock_);
  processes_[pid].code = code;
}

void Fake::set_child(pid_t pid) {
  const std::lock_guard guard(lock_);
  child_ = pid;
}

void Fake::set_disk_bytes(std::size_t bytes) {
  const std::lock_guard guard(lock_);
  disk_bytes_ = bytes;
}

std::vector<std::string> Fake::written() const {
  const std::lock_guard guard(lock_);
  return written_;
}

std::vector<perf_event_attr> Fake::perf_events() const {
  const std::lock_guard guard(lock_);
  std::vector<perf_event_attr> events;
  for (const auto& [descriptor, event] : events_) events.push_back(event.event);
  return events;
}

void Fake::add_perf_record(int cpu, const std::string& record) {
  const std::lock_guard guard(lock_);
  for (auto& [descriptor, event] : events_) {
    if (event.cpu != cpu || event.ring == nullptr) continue;
    auto* const page = static_cast<perf_event_mmap_page*>(event.ring);
    char* const data = static_cast<char*>(event.ring) + fake_page_bytes;
    const std::size_t size = event.bytes - fake_page_bytes;
    for (const char byte : record) data[page->data_head++ % size] = byte;
    return;
  }
}

int Fake::write_file(const std::string& path, const std::string& content) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("write_file")) return error;
  const auto file = files_.find(path);
  if (file == files_.end()) return -ENOENT;
  file->second = content;
  written_.push_back(path + "=" + content);
  return 0;
}

int Fake::open_appended(const std::string& path, int& descriptor) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("open_appended")) return error;
  files_[path].clear();
  descriptor = next_descriptor_++;
  appended_[descriptor] = path;
  return 0;
}

ssize_t Fake::append_file(int descriptor, std::span<const char> bytes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("append_file")) return error;
  const auto file = appended_.find(descriptor);
  if (file == appended_.end()) return -EBADF;
  std::string& content = files_[file->second];
  if (content.size() >= disk_bytes_) return -ENOSPC;
  const std::size_t count = std::min(bytes.size(), disk_bytes_ - content.size());
  content.append(bytes.data(), count);
  return static_cast<ssize_t>(count);
}

int Fake::open_perf_event(const perf_event_attr& event, pid_t /*thread*/, int cpu,
                          int& descriptor) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("open_perf_event")) return error;
  descriptor = next_descriptor_++;
  events_[descriptor] = {event, cpu, nullptr, 0, nullptr};
  return 0;
}

int Fake::open_perf_event_in_group(const perf_event_attr& event, pid_t /*thread*/, int cpu,
                                   int leader, int& descriptor) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("open_perf_event_in_group")) return error;
  if (!events_.contains(leader)) return -EBADF;
  descriptor = next_descriptor_++;
  events_[descriptor] = {event, cpu, nullptr, 0, nullptr};
  return 0;
}

int Fake::map_perf_ring(int descriptor, std::size_t bytes, void*& address) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("map_perf_ring")) return error;
  const auto event = events_.find(descriptor);
  if (event == events_.end()) return -EBADF;
  address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapped_[address] = bytes;
  event->second.ring = address;
  event->second.bytes = bytes;
  return 0;
}

int Fake::control_perf_event(int descriptor, unsigned long /*request*/,
                             unsigned long /*argument*/) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("control_perf_event")) return error;
  return events_.contains(descriptor) ? 0 : -EBADF;
}

int Fake::map_perf_aux(int descriptor, std::uint64_t /*offset*/, std::size_t bytes,
                       void*& address) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("map_perf_aux")) return error;
  const auto event = events_.find(descriptor);
  if (event == events_.end()) return -EBADF;
  address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapped_[address] = bytes;
  event->second.aux = address;
  event->second.bytes = bytes;
  return 0;
}

void Fake::set_aux_bytes(int cpu, std::size_t position, const std::string& bytes) {
  const std::lock_guard guard(lock_);
  for (auto& [descriptor, event] : events_) {
    if (event.cpu != cpu || event.aux == nullptr) continue;
    char* const data = static_cast<char*>(event.aux);
    for (const char byte : bytes) data[position++ % event.bytes] = byte;
    return;
  }
}

int Fake::open_process(pid_t pid, int& descriptor) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("open_process")) return error;
  if (!processes_.contains(pid)) return -ESRCH;
  descriptor = next_descriptor_++;
  process_descriptors_[descriptor] = pid;
  return 0;
}

int Fake::wait_for_input(std::span<const int> descriptors, std::chrono::milliseconds /*longest*/) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("wait_for_input")) return error;
  int ready = 0;
  for (const int descriptor : descriptors) {
    const auto process = process_descriptors_.find(descriptor);
    if (process != process_descriptors_.end() && processes_[process->second].code) ++ready;
  }
  return ready;
}

int Fake::process_cpu_ns(pid_t pid, std::uint64_t& nanoseconds) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("process_cpu_ns")) return error;
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return -ESRCH;
  nanoseconds = process->second.cpu_ns;
  return 0;
}

int Fake::start_waiting(const std::vector<std::string>& program,
                        const std::vector<std::pair<std::string, std::string>>& /*environment*/,
                        WaitingProgram& child) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("start_waiting")) return error;
  executed_ = program;
  processes_.try_emplace(child_);
  child = {child_, next_descriptor_++, -1};
  return 0;
}

int Fake::release(WaitingProgram& child) {
  const std::lock_guard guard(lock_);
  child.go = -1;
  return enter("release");
}

void Fake::abandon(WaitingProgram& child) {
  const std::lock_guard guard(lock_);
  calls_.emplace_back("abandon");
  child.go = -1;
}

std::optional<Ending> Fake::ending_of(pid_t child, bool /*wait*/) {
  const std::lock_guard guard(lock_);
  calls_.emplace_back("ending_of");
  const auto process = processes_.find(child);
  if (process == processes_.end() || !process->second.code) return std::nullopt;
  return Ending{false, *process->second.code};
}

int Fake::send_signal(pid_t process, int signal) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("send_signal")) return error;
  written_.push_back(std::to_string(process) + ":" + std::to_string(signal));
  return 0;
}

int Fake::start_guard(const std::string& path, const std::string& content, Guard& guard) {
  const std::lock_guard held(lock_);
  if (const int error = enter("start_guard")) return error;
  guard = {next_descriptor_++, next_descriptor_++};
  guards_[guard.pid] = {path, content};
  return 0;
}

int Fake::end_guard(Guard& guard) {
  const std::lock_guard held(lock_);
  if (const int error = enter("end_guard")) return error;
  const auto found = guards_.find(guard.pid);
  if (found == guards_.end()) return -EIO;
  files_[found->second.first] = found->second.second;
  written_.push_back(found->second.first + "=" + found->second.second);
  guards_.erase(found);
  return 0;
}

}  // namespace homenode::os
