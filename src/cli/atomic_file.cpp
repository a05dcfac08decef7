#include "cli/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

namespace homenode::cli {
namespace {

/// Writes everything and closes; 0 or -errno. `sync` also waits for the disk.
int write_and_close(int file, std::string_view content, bool sync) {
  int status = 0;
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      status = -errno;
      break;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (status == 0 && sync && fsync(file) != 0) status = -errno;
  if (close(file) != 0 && status == 0) status = -errno;
  return status;
}

/// The permissions that open(2) would have given a new file, or those of the file to be replaced.
mode_t permissions_for(const std::string& path) {
  struct stat existing {};
  if (stat(path.c_str(), &existing) == 0) return existing.st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

int write_in_place(const std::string& path, std::string_view content) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return file < 0 ? -errno : write_and_close(file, content, false);
}

int write_beside_and_rename(const std::string& path, std::string_view content) {
  std::string unfinished = path + ".XXXXXX";
  const int file = mkostemp(unfinished.data(), O_CLOEXEC);
  if (file < 0) return -errno;
  int status = fchmod(file, permissions_for(path)) == 0 ? 0 : -errno;
  const int written = write_and_close(file, content, true);
  if (status == 0) status = written;
  if (status == 0 && rename(unfinished.c_str(), path.c_str()) != 0) status = -errno;
  if (status != 0) unlink(unfinished.c_str());
  return status;
}

const char* what_to_do(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "make room or name a file elsewhere";
    case ENOENT:
    case ENOTDIR:
      return "create the directory first";
    default:
      return "name a file that can be written";
  }
}

}  // namespace

Result<void> write_atomically(const std::string& path, std::string_view content) {
  std::error_code ignored;
  // A symbolic link stays; the file that it names is replaced.
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
  const std::string target = resolved.empty() ? path : resolved.string();
  const auto kind = std::filesystem::status(target, ignored).type();
  const bool replace =
      kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
  const int status =
      replace ? write_beside_and_rename(target, content) : write_in_place(target, content);
  if (status == 0) return {};
  return failed(fmt::format("cannot write '{}'", path), what_to_do(-status), -status);
}

Result<void> check_output_folder(const std::string& path) {
  if (path.empty()) return {};
  const auto folder = std::filesystem::absolute(path).parent_path();
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return {};
  return bad_usage("there is no folder " + folder.string() + " for --output",
                   "make it, or name a file elsewhere");
}

}  // namespace homenode::cli
