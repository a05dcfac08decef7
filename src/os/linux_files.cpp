// Files, folders and their status on the system that this runs on. Serves os/linux.h.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "os/linux.h"

namespace homenode::os {
namespace {

/// Up to the end of the file; 0 or -errno.
int read_to_end(int file, std::string& content) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count > 0) {
      content.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return count == 0 ? 0 : -errno;
    }
  }
}

/// The arguments as execve(2) and its like take them; valid while `command` is.
std::vector<char*> argument_pointers(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

/// Starts a program whose standard output goes to `output`; 0 or -errno.
int start_into(int output, const std::vector<std::string>& command, pid_t& child) {
  const std::vector<char*> words = argument_pointers(command);
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions)) return -error;
  int error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (error == 0) {
    error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  if (error == 0) {
    error = posix_spawn(&child, words.front(), &actions, nullptr, words.data(), environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return -error;
}

/// The end of a child: its exit code, 128 + N where signal N ended it, or -errno.
int exit_code_of(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (ended < 0) return -errno;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// A file in memory, which a child reads or writes without a reader at the other end: no pipe is
/// full, and nobody waits for anybody.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("homenode", MFD_CLOEXEC)), error_(errno) {
    if (descriptor_ < 0 || descriptor_ > STDERR_FILENO) return;
    // A standard stream is closed; its number is what the child's streams are moved to.
    const int low = descriptor_;
    descriptor_ = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    error_ = errno;
    close(low);
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] int status() const { return descriptor_ < 0 ? -error_ : 0; }

  /// 0 or -errno. A reader begins at the first byte.
  int write_all(std::string_view content) {
    while (!content.empty()) {
      const ssize_t count = write(descriptor_, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return -errno;
      content.remove_prefix(static_cast<std::size_t>(count));
    }
    return rewind();
  }
  int read_all(std::string& content) {
    const int result = rewind();
    return result == 0 ? read_to_end(descriptor_, content) : result;
  }

 private:
  [[nodiscard]] int rewind() const { return lseek(descriptor_, 0, SEEK_SET) < 0 ? -errno : 0; }

  int descriptor_;
  int error_;
};

/// Starts a program, looked up on PATH, on three streams; 0 or -errno.
int start_on(const std::array<const MemoryFile*, 3>& streams,
             const std::vector<std::string>& command, pid_t& child) {
  const std::vector<char*> words = argument_pointers(command);
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions)) return -error;
  int error = 0;
  for (int number = 0; number < 3 && error == 0; ++number) {
    const int file = streams[static_cast<std::size_t>(number)]->descriptor();
    error = posix_spawn_file_actions_adddup2(&actions, file, number);
  }
  if (error == 0) {
    error = posix_spawnp(&child, words.front(), &actions, nullptr, words.data(), environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return -error;
}

/// Where SIGCHLD is ignored, as it may be since before the program's start, the kernel keeps no
/// exit codes. While this lives it does.
class ExitCodes {
 public:
  ExitCodes() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;  // NOLINT: the union of the system's header.
    sigaction(SIGCHLD, &action, &before_);
  }
  ~ExitCodes() { sigaction(SIGCHLD, &before_, nullptr); }
  ExitCodes(const ExitCodes&) = delete;
  ExitCodes& operator=(const ExitCodes&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

int Linux::read_file(const std::string& path, std::string& content) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  content.clear();
  const int result = read_to_end(file, content);
  close(file);
  return result;
}

int Linux::read_file_at(const std::string& path, std::uint64_t offset, std::span<char> content) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  std::size_t done = 0;
  int error = 0;
  while (done < content.size()) {
    const ssize_t count = pread(file, content.data() + done, content.size() - done,
                                static_cast<off_t>(offset + done));
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      error = count == 0 ? 0 : errno;
      break;
    }
  }
  close(file);
  return error != 0 && done == 0 ? -error : static_cast<int>(done);
}

int Linux::write_file(const std::string& path, const std::string& content) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t count = 0;
  while ((count = write(file, content.data(), content.size())) < 0 && errno == EINTR) {
  }
  const int error = errno;
  close(file);
  if (count < 0) return -error;
  return static_cast<std::size_t>(count) == content.size() ? 0 : -EIO;
}

int Linux::open_appended(const std::string& path, int& descriptor) {
  constexpr mode_t permissions = 0666;
  descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, permissions);
  return descriptor < 0 ? -errno : 0;
}

ssize_t Linux::append_file(int descriptor, std::span<const char> bytes) {
  ssize_t count = 0;
  while ((count = write(descriptor, bytes.data(), bytes.size())) < 0 && errno == EINTR) {
  }
  return count < 0 ? -errno : count;
}

int Linux::list_folder(const std::string& path, std::vector<std::string>& names) {
  names.clear();
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) return -errno;
  errno = 0;
  while (const dirent* const entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return -errno;
  std::sort(names.begin(), names.end());
  return 0;
}

int Linux::file_status(const std::string& path, FileStatus& status) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return -errno;
  status = {found.st_dev,
            found.st_ino,
            found.st_rdev,
            found.st_mode,
            found.st_uid,
            found.st_gid,
            static_cast<std::uint64_t>(found.st_size)};
  return 0;
}

int Linux::check_executable(const std::string& path) {
  return access(path.c_str(), X_OK) == 0 ? 0 : -errno;
}

int Linux::attribute_bytes(const std::string& path, const std::string& name) {
  const ssize_t bytes = getxattr(path.c_str(), name.c_str(), nullptr, 0);
  return bytes < 0 ? -errno : static_cast<int>(bytes);
}

int Linux::read_link(const std::string& path, std::string& target) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t bytes = readlink(path.c_str(), buffer.data(), buffer.size());
  if (bytes < 0) return -errno;
  if (static_cast<std::size_t>(bytes) == buffer.size()) return -ENAMETOOLONG;
  target.assign(buffer.data(), static_cast<std::size_t>(bytes));
  return 0;
}

int Linux::resolve_path(const std::string& path, std::string& resolved) {
  const std::unique_ptr<char, decltype(&std::free)> whole(realpath(path.c_str(), nullptr),
                                                          std::free);
  if (whole == nullptr) return -errno;
  resolved = whole.get();
  return 0;
}

int Linux::output_of(const std::vector<std::string>& command, std::string& output) {
  if (command.empty()) return -EINVAL;
  output.clear();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return -errno;
  const ExitCodes kept;
  pid_t child = 0;
  int result = start_into(ends[1], command, child);
  close(ends[1]);
  if (result == 0) {
    result = read_to_end(ends[0], output);
    const int ended = exit_code_of(child);
    if (result == 0) result = ended;
  }
  close(ends[0]);
  return result;
}

int Linux::filter(const std::vector<std::string>& command, const std::string& input,
                  Printed& printed) {
  if (command.empty()) return -EINVAL;
  printed = {};
  MemoryFile in;
  MemoryFile out;
  MemoryFile err;
  for (const MemoryFile* const file : {&in, &out, &err}) {
    if (const int error = file->status()) return error;
  }
  if (const int error = in.write_all(input)) return error;
  const ExitCodes kept;
  pid_t child = 0;
  if (const int error = start_on({&in, &out, &err}, command, child)) return error;
  const int ended = exit_code_of(child);
  for (const int error : {out.read_all(printed.output), err.read_all(printed.errors)}) {
    if (error != 0) return error;
  }
  return ended;
}

}  // namespace homenode::os
