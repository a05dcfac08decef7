#include "cli/run_target.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace homenode::cli {
namespace {

constexpr int most_interpreters = 4;  // As the kernel allows scripts to be scripts' interpreters.

std::string find_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return "";
}

/// True when an ELF file names an interpreter (the dynamic linker), or is none that this reads.
template <class Header, class Segment>
bool has_interpreter(std::ifstream& file) {
  Header header;
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return true;
  if (header.e_phentsize != sizeof(Segment)) return true;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return true;
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

bool is_static(std::ifstream& file, const unsigned char* start) {
  return start[EI_CLASS] == ELFCLASS64 ? !has_interpreter<Elf64_Ehdr, Elf64_Phdr>(file)
                                       : !has_interpreter<Elf32_Ehdr, Elf32_Phdr>(file);
}

/// Root itself keeps what it preloads for files whose bits give it nothing new.
bool changes_identity(const std::string& path, const struct stat& status) {
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) return true;
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
      status.st_gid != getgid()) {
    return true;
  }
  return getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

/// The first word after "#!".
std::string interpreter_of(std::ifstream& file) {
  std::string line;
  file.clear();
  file.seekg(2);
  std::getline(file, line);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_first_of(" \t\r", first) - first);
}

}  // namespace

std::string find_program_file(const std::string& name) {
  std::string path = find_on_path(name);
  for (int i = 0; i < most_interpreters && !path.empty(); ++i) {
    std::ifstream file(path, std::ios::binary);
    char start[2] = {};
    file.read(start, sizeof start);
    if (start[0] != '#' || start[1] != '!') break;
    path = find_on_path(interpreter_of(file));
  }
  return path;
}

Result<void> check_agent_can_enter(const std::string& name) {
  std::string path = find_on_path(name);
  for (int i = 0; i < most_interpreters && !path.empty(); ++i) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    constexpr const char* without =
        "place the whole process with numactl's options, which need nothing inside it";
    if (changes_identity(path, status)) {
      return not_supported(
          fmt::format("cannot place the threads or allocations of '{}': it runs with other rights "
                      "than yours, so nothing can be preloaded into it",
                      path),
          without);
    }
    std::ifstream file(path, std::ios::binary);
    unsigned char start[EI_NIDENT] = {};
    file.read(reinterpret_cast<char*>(start), sizeof start);
    if (start[0] == '#' && start[1] == '!') {
      path = find_on_path(interpreter_of(file));
      continue;
    }
    if (std::memcmp(start, ELFMAG, SELFMAG) == 0 && is_static(file, start)) {
      return not_supported(
          fmt::format(
              "cannot place the threads or allocations of '{}': it is statically linked, so "
              "nothing can be preloaded into it",
              path),
          without);
    }
    return {};
  }
  return {};
}

}  // namespace homenode::cli
