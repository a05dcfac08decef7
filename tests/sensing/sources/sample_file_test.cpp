#include "sensing/sources/sample_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "fake/fake.h"

namespace homenode::sensing {
namespace {

std::string content_of(os::Fake& os) {
  std::string content;
  EXPECT_EQ(os.read_file("/out", content), 0);
  return content;
}

TEST(SampleFile, BeginsWithItsHeaderAndHoldsWholeBlocks) {
  os::Fake os;
  auto file = SampleFile::create(os, "/out");
  ASSERT_TRUE(file);
  const Sample samples[2] = {{.address = 5}, {.address = 6}};
  ASSERT_TRUE(file->append(samples));
  ASSERT_TRUE(file->append_document("{}"));
  const std::string content = content_of(os);
  ASSERT_EQ(content.size(), 16 + 8 + 128 + 8 + 2U);
  EXPECT_EQ(content.substr(0, 8), "HNSAMPLE");
  EXPECT_EQ(content.substr(16, 4), "SMPL");
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, content.data() + 20, sizeof bytes);
  EXPECT_EQ(bytes, 128U);
  EXPECT_EQ(content.substr(152, 4), "JSON");
  EXPECT_EQ(file->samples(), 2U);
}

TEST(SampleFile, EachBlockIsOneWriteAndNoneForNothing) {
  os::Fake os;
  auto file = SampleFile::create(os, "/out");
  ASSERT_TRUE(file);
  const std::size_t before = os.count("append_file");
  ASSERT_TRUE(file->append({}));
  EXPECT_EQ(os.count("append_file"), before);
  const std::vector<Sample> many(20000);  // More than one block holds.
  ASSERT_TRUE(file->append(many));
  EXPECT_EQ(os.count("append_file"), before + 2);
}

TEST(SampleFile, FullDiskIsAnErrorAfterWhichNothingIsWritten) {
  os::Fake os;
  auto file = SampleFile::create(os, "/out");
  ASSERT_TRUE(file);
  os.set_disk_bytes(40);
  const Sample samples[1] = {};
  const auto refused = file->append(samples);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().errno_value, ENOSPC);
  EXPECT_NE(refused.error().message().find("/out"), std::string::npos);
  os.set_disk_bytes(4000);
  EXPECT_FALSE(file->append_document("{}"));
  EXPECT_EQ(content_of(os).size(), 40U);
}

TEST(SampleFile, RefusalsOfTheFileAreErrors) {
  for (const char* call : {"open_appended", "append_file"}) {
    os::Fake os;
    os.fail_call(call, 1, EACCES);
    const auto file = SampleFile::create(os, "/out");
    ASSERT_FALSE(file) << call;
    EXPECT_EQ(file.error().errno_value, EACCES);
  }
}

}  // namespace
}  // namespace homenode::sensing
