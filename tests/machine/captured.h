// The captured machines of tests/machines, and a live machine made of one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "machine/export.h"
#include "machine/load.h"

namespace homenode::machine {

inline const std::filesystem::path captured_machines =
    std::filesystem::path(HOMENODE_SOURCE_DIR) / "tests/machines";

inline Machine captured(const std::string& name) {
  const auto machine = load_xml((captured_machines / (name + ".xml")).string());
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().message());
  return machine ? *machine : Machine{};
}

/// While it lives, hwloc takes the tree made of a .sysfs file for the running system.
class SysfsTree {
 public:
  /// Lines whose path begins with `without` are left out.
  explicit SysfsTree(const std::string& name, const std::string& without = "?") {
    std::string pattern = (std::filesystem::temp_directory_path() / "homenode-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    std::ifstream lines(captured_machines / (name + ".sysfs"));
    EXPECT_TRUE(lines);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t colon = line.find(':');
      if (line.starts_with(without)) continue;
      const std::filesystem::path path = root_.string() + line.substr(0, colon);
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::app) << line.substr(colon + 1) << '\n';
    }
    setenv("HWLOC_FSROOT", root_.c_str(), 1);
  }
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;
  ~SysfsTree() {
    unsetenv("HWLOC_FSROOT");
    std::filesystem::remove_all(root_);
  }

  /// Where a path of the tree lies.
  [[nodiscard]] std::filesystem::path path(const std::string& path) const {
    return root_.string() + path;
  }

  /// Replaces or adds a file of the tree.
  void set(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(this->path(path).parent_path());
    std::ofstream(this->path(path), std::ios::trunc) << content << '\n';
  }

  /// Makes a symbolic link in the tree to another place of it, relative as those in sysfs are.
  void link(const std::string& path, const std::string& target) const {
    const auto from = this->path(path);
    std::filesystem::create_directories(from.parent_path());
    std::filesystem::create_symlink(
        std::filesystem::relative(this->path(target), from.parent_path()), from);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace homenode::machine
