#include "os/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

namespace homenode::os {
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

/// The permissions that open(2) would have given.
mode_t permissions_of_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

int write_in_place(const std::string& path, std::string_view content) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return file < 0 ? -errno : write_and_close(file, content, false);
}

int write_beside_and_rename(const std::string& path, std::string_view content, mode_t permissions) {
  std::string unfinished = path + ".XXXXXX";
  const int file = mkostemp(unfinished.data(), O_CLOEXEC);
  if (file < 0) return -errno;
  int status = fchmod(file, permissions) == 0 ? 0 : -errno;
  const int written = write_and_close(file, content, true);
  if (status == 0) status = written;
  if (status == 0 && rename(unfinished.c_str(), path.c_str()) != 0) status = -errno;
  if (status != 0) unlink(unfinished.c_str());
  return status;
}

/// 0 or -errno. What is there must be known before anything is written.
int replace_or_write(const std::string& path, std::string_view content) {
  using std::filesystem::file_type;
  std::error_code error;
  // A symbolic link stays; the file that it names is replaced.
  const std::string target = std::filesystem::weakly_canonical(path, error).string();
  if (error) return -error.value();
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  switch (status.type()) {
    case file_type::none:
      return -error.value();
    case file_type::not_found:
      return write_beside_and_rename(target, content, permissions_of_new_file());
    case file_type::regular:
      return write_beside_and_rename(target, content, static_cast<mode_t>(status.permissions()));
    default:
      return write_in_place(target, content);
  }
}

const char* what_to_do(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space there, or name a file elsewhere";
    case ENOENT:
    case ENOTDIR:
      return "create the directory first";
    default:
      return "name a file that you can write to";
  }
}

}  // namespace

Result<void> write_atomically(const std::string& path, std::string_view content) {
  const int result = replace_or_write(path, content);
  if (result == 0) return {};
  return failed(fmt::format("cannot write '{}'", path), what_to_do(-result), -result);
}

Result<void> check_output_folder(const std::string& path, const char* option) {
  if (path.empty()) return {};
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  const auto status =
      error ? std::filesystem::file_status() : std::filesystem::status(folder, error);
  if (std::filesystem::is_directory(status)) return {};
  if (!std::filesystem::status_known(status)) {
    return failed(fmt::format("cannot check the folder of '{}'", path),
                  "check the permissions of the folders above it", error.value());
  }
  return bad_usage(fmt::format("the folder of {} {} does not exist", option, path),
                   "create it, or name a file elsewhere");
}

}  // namespace homenode::os
