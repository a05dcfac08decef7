#include "launch/target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "launch/elf.h"

namespace homenode::launch {
namespace {

constexpr int most_interpreters = 4;  // As the kernel allows scripts to be scripts' interpreters.
/// The kernel looks no further for a script's interpreter.
constexpr std::size_t start_bytes = 256;

Unexpected cannot_look(const std::string& path, int result) {
  return failed(fmt::format("cannot look at the program '{}'", path),
                "see what 'ls -l' and 'file' say of it", -result);
}

/// Empty when there is none.
Result<std::string> find_on_path(os::Os& os, const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    const int result = os.check_executable(file);
    if (result == 0) return file;
    if (!is_absent(result)) return cannot_look(file, result);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return std::string();
}

/// The first word after "#!"; nothing for what is no script.
std::string interpreter_of(std::string_view start) {
  if (!start.starts_with("#!")) return "";
  const std::string_view line = start.substr(2, start.find('\n') - 2);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(line.substr(first, line.find_first_of(" \t\r", first) - first));
}

/// A program's file while it is looked at.
class ProgramFile {
 public:
  ProgramFile(os::Os& os, std::string path) : os_(os), path_(std::move(path)) {}

  /// 0 or -errno.
  int read_start() {
    start_.resize(start_bytes);
    const int result = os_.read_file_at(path_, 0, start_);
    start_.resize(result < 0 ? 0 : static_cast<std::size_t>(result));
    return result < 0 ? result : 0;
  }

  [[nodiscard]] std::string interpreter() const { return interpreter_of(start_); }
  [[nodiscard]] bool is_script() const { return start_.starts_with("#!"); }

  /// An ELF file that names no interpreter (the dynamic linker) is static; what is none that we
  /// read is taken for dynamic. 0 or -errno.
  int find_whether_static(bool& is_static) {
    is_static = false;
    const auto where = find_segment_table(start_);
    if (!where) return 0;
    std::string table(where->bytes, '\0');
    const int bytes = os_.read_file_at(path_, where->offset, table);
    if (bytes < 0) return bytes;
    is_static =
        static_cast<std::size_t>(bytes) == table.size() && !names_interpreter(*where, table);
    return 0;
  }

  /// Root itself keeps what it preloads for files whose bits give it nothing new. A file system
  /// without attributes has no capabilities. 0 or -errno.
  int find_whether_identity_changes(const os::FileStatus& status, bool& changes) {
    changes =
        ((status.mode & S_ISUID) != 0 && status.owner != getuid()) ||
        ((status.mode & S_ISGID) != 0 && (status.mode & S_IXGRP) != 0 && status.group != getgid());
    if (changes || getuid() == 0) return 0;
    const int bytes = os_.attribute_bytes(path_, "security.capability");
    changes = bytes > 0;
    return bytes >= 0 || bytes == -ENODATA || bytes == -EOPNOTSUPP ? 0 : bytes;
  }

 private:
  os::Os& os_;
  const std::string path_;
  std::string start_;
};

Unexpected cannot_enter(const std::string& purpose, const std::string& path, const char* why) {
  return not_supported(
      fmt::format("cannot {} '{}': it {}, so nothing can be preloaded into it", purpose, path, why),
      "place the whole process with numactl's options, which need nothing inside it");
}

std::string doubt(const std::string& path, const char* what, int result) {
  return fmt::format("cannot see whether '{}' {} ({}); if so, nothing is placed inside it", path,
                     what, std::generic_category().message(-result));
}

/// This command itself is static, but most of its verbs run in homenode-native, which takes over:
/// installed, in libexec, else beside it. Empty for all other files.
std::string native_of(os::Os& os, const std::string& path) {
  if (!path.ends_with("/homenode")) return "";
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const char* there : {"", "../libexec/homenode/"}) {
    std::string native = folder + there + "homenode-native";
    os::FileStatus status;
    if (os.file_status(native, status) == 0) return native;
  }
  return "";
}

/// What this person may not see of one file is added to `doubts`. Gives the interpreter of a
/// script, or the program that takes over, which decides instead of it; nothing for all else.
/// Errors: as check_agent_can_enter().
Result<std::string> check_file(os::Os& os, const std::string& path, const std::string& purpose,
                               std::vector<std::string>& doubts) {
  os::FileStatus status;
  int result = os.file_status(path, status);
  if (is_absent(result) || (result == 0 && !S_ISREG(status.mode))) return std::string();
  if (result < 0) return cannot_look(path, result);
  ProgramFile file(os, path);
  bool hinders = false;
  result = file.find_whether_identity_changes(status, hinders);
  if (hinders) return cannot_enter(purpose, path, "runs with other rights than yours");
  if (result < 0) doubts.push_back(doubt(path, "has capabilities of its own", result));
  result = file.read_start();
  if (result == 0 && file.is_script()) return file.interpreter();
  if (result == 0) result = file.find_whether_static(hinders);
  if (hinders) {
    std::string native = native_of(os, path);
    if (native.empty()) return cannot_enter(purpose, path, "is statically linked");
    return native;
  }
  // Programs that may only be executed are programs too.
  if (result < 0 && result != -EACCES) return cannot_look(path, result);
  if (result < 0) doubts.push_back(doubt(path, "is statically linked", result));
  return std::string();
}

}  // namespace

bool is_absent(int result) {
  switch (-result) {
    case EACCES:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOENT:
    case ENOTDIR:
      return true;
    default:
      return false;
  }
}

Result<std::string> find_program_file(os::Os& os, const std::string& name) {
  auto path = find_on_path(os, name);
  for (int i = 0; i < most_interpreters && path && !path->empty(); ++i) {
    ProgramFile file(os, *path);
    const int result = file.read_start();
    if (result == -ENOENT) return std::string();
    if (result < 0 && result != -EISDIR) return cannot_look(*path, result);
    if (!file.is_script()) break;
    path = find_on_path(os, file.interpreter());
  }
  return path;
}

Result<std::vector<std::string>> check_agent_can_enter(os::Os& os, const std::string& name,
                                                       const std::string& purpose) {
  std::vector<std::string> doubts;
  auto path = find_on_path(os, name);
  for (int i = 0; i < most_interpreters && path && !path->empty(); ++i) {
    auto interpreter = check_file(os, *path, purpose, doubts);
    if (!interpreter) return interpreter.as_unexpected();
    if (interpreter->empty()) return doubts;
    path = find_on_path(os, *interpreter);
  }
  if (!path) return path.as_unexpected();
  return doubts;
}

}  // namespace homenode::launch
