// The fake kernel's files: those that a test sets, and below its root those of the system. Serves
// fake/fake.h.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "fake/fake.h"
#include "os/linux.h"

namespace homenode::os {

void Fake::set_file(const std::string& path, const std::string& content) {
  const std::lock_guard guard(lock_);
  files_[path] = content;
}

void Fake::set_bytes(const std::string& path, std::uint64_t offset, const std::string& bytes) {
  const std::lock_guard guard(lock_);
  bytes_[path][offset] = bytes;
}

void Fake::set_status(const std::string& path, const FileStatus& status) {
  const std::lock_guard guard(lock_);
  statuses_[path] = status;
}

void Fake::set_output(const std::string& program, const std::string& output) {
  const std::lock_guard guard(lock_);
  outputs_[program] = output;
}

void Fake::set_root(const std::string& root) {
  const std::lock_guard guard(lock_);
  root_ = root;
}

int Fake::read_file(const std::string& path, std::string& content) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("read_file")) return error;
    if (const auto file = files_.find(path); file != files_.end()) {
      content = file->second;
      return 0;
    }
    if (path == "/proc/self/maps") {
      content = memory_.maps();
      return 0;
    }
  }
  return Linux().read_file(root_ + path, content);
}

int Fake::read_file_at(const std::string& path, std::uint64_t offset, std::span<char> content) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("read_file_at")) return error;
    if (const auto file = bytes_.find(path); file != bytes_.end()) {
      const auto after = file->second.upper_bound(offset);
      if (after == file->second.begin()) return -EIO;
      const auto& [first, bytes] = *std::prev(after);
      if (offset - first >= bytes.size()) return -EIO;
      return static_cast<int>(bytes.copy(content.data(), content.size(), offset - first));
    }
    if (const auto file = files_.find(path); file != files_.end()) {
      if (offset >= file->second.size()) return 0;
      return static_cast<int>(file->second.copy(content.data(), content.size(), offset));
    }
  }
  return Linux().read_file_at(root_ + path, offset, content);
}

void Fake::set_lists(const std::string& path, std::vector<std::vector<std::string>> lists) {
  const std::lock_guard guard(lock_);
  lists_[path] = std::move(lists);
}

int Fake::list_folder(const std::string& path, std::vector<std::string>& names) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("list_folder")) return error;
    names.clear();
    if (auto& lists = lists_[path]; !lists.empty()) {
      names = lists.front();
      lists.erase(lists.begin());
      return 0;
    }
    const std::string start = path.ends_with('/') ? path : path + '/';
    for (auto at = files_.lower_bound(start); at != files_.end(); ++at) {
      if (!at->first.starts_with(start)) break;
      const std::string rest = at->first.substr(start.size());
      names.push_back(rest.substr(0, rest.find('/')));
    }
  }
  if (names.empty()) return Linux().list_folder(root_ + path, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return 0;
}

int Fake::file_status(const std::string& path, FileStatus& status) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("file_status")) return error;
    if (const auto known = statuses_.find(path); known != statuses_.end()) {
      status = known->second;
      return 0;
    }
    if (const auto file = files_.find(path); file != files_.end()) {
      const auto index = static_cast<std::uint64_t>(std::distance(files_.begin(), file));
      status = {0, index, 0, S_IFREG | 0755U, getuid(), getgid(), file->second.size()};
      return 0;
    }
  }
  return Linux().file_status(root_ + path, status);
}

int Fake::check_executable(const std::string& path) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("check_executable")) return error;
    if (files_.contains(path)) return 0;
  }
  return Linux().check_executable(root_ + path);
}

int Fake::attribute_bytes(const std::string& path, const std::string& name) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("attribute_bytes")) return error;
    if (files_.contains(path)) return -ENODATA;
  }
  return Linux().attribute_bytes(root_ + path, name);
}

int Fake::read_link(const std::string& path, std::string& target) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("read_link")) return error;
    if (files_.contains(path)) return -EINVAL;
  }
  return Linux().read_link(root_ + path, target);
}

int Fake::resolve_path(const std::string& path, std::string& resolved) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("resolve_path")) return error;
    const auto below = files_.lower_bound(path);
    if (below != files_.end() && below->first.starts_with(path)) {
      resolved = path;
      return 0;
    }
  }
  return Linux().resolve_path(root_ + path, resolved);
}

int Fake::output_of(const std::vector<std::string>& command, std::string& output) {
  {
    const std::lock_guard guard(lock_);
    if (const int error = enter("output_of")) return error;
    if (command.empty()) return -EINVAL;
    if (const auto known = outputs_.find(command.front()); known != outputs_.end()) {
      output = known->second;
      return 0;
    }
  }
  return Linux().output_of(command, output);
}

void Fake::set_filter(const std::string& program, int code, const Printed& printed) {
  const std::lock_guard guard(lock_);
  filters_[program] = {code, printed};
}

std::pair<std::vector<std::string>, std::string> Fake::filtered() const {
  const std::lock_guard guard(lock_);
  return filtered_;
}

int Fake::filter(const std::vector<std::string>& command, const std::string& input,
                 Printed& printed) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("filter")) return error;
  if (command.empty()) return -EINVAL;
  const auto known = filters_.find(std::filesystem::path(command.front()).filename().string());
  if (known == filters_.end()) return -ENOENT;
  filtered_ = {command, input};
  printed = known->second.second;
  return known->second.first;
}

}  // namespace homenode::os
