// Texts against golden files, for tests of what the command prints.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace homenode {

/// The text equals this file of tests/golden. HOMENODE_UPDATE_GOLDEN=1 writes the file instead, to
/// be read and committed.
inline void expect_golden(const std::string& text, const std::string& file) {
  const auto path = std::filesystem::path(HOMENODE_SOURCE_DIR) / "tests/golden" / file;
  if (std::getenv("HOMENODE_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  std::ifstream golden(path, std::ios::binary);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(golden), {})) << path;
}

}  // namespace homenode
