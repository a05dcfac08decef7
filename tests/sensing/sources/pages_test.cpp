#include <fmt/format.h>

#include <cerrno>

#include "../captured.h"
#include "sampled.h"

namespace homenode::sensing {
namespace {

/// A process whose memory is the test's own: two pages on node 0, a hole, one page on node 1.
class PagesTest : public SampledTest {
 protected:
  PagesTest() {
    const std::size_t page = os_.page_bytes();
    void* memory = nullptr;
    EXPECT_EQ(os_.map_memory(8 * page, memory), 0);
    begin_ = reinterpret_cast<std::uintptr_t>(memory);
    os_.first_touch(memory, 2 * page, NodeId(0));
    os_.first_touch(static_cast<char*>(memory) + 4 * page, page, NodeId(1));
    os_.set_file("/sys/devices/system/node/online", "0-1\n");
    os_.set_file("/proc/100/stat", stat_line({.id = 100}));
    os_.set_file("/proc/100/status", status_text("0-1", "0-1"));
    os_.set_file("/proc/100/maps",
                 fmt::format("{:x}-{:x} rw-p 00000000 00:00 0 \n", begin_, begin_ + 8 * page));
    os_.set_file("/proc/100/numa_maps",
                 fmt::format("{:x} default anon=3 N0=2 N1=1 kernelpagesize_kB=4\n", begin_));
  }

  std::uintptr_t begin_ = 0;
};

TEST_F(PagesTest, RunsOfPagesThatArePresentAreWrittenWithTheirNode) {
  start(make_pages_source());
  ASSERT_TRUE(source_->stop(sampling_));
  const std::size_t page = os_.page_bytes();
  EXPECT_NE(Written(os_).document("pages").find(fmt::format(R"("pages":[[{},{},0,0],[{},{},1,0]])",
                                                            begin_, begin_ + 2 * page,
                                                            begin_ + 4 * page, begin_ + 5 * page)),
            std::string::npos)
      << Written(os_).document("pages");
}

TEST_F(PagesTest, ARefusalSaysWhatToDo) {
  start(make_pages_source());
  os_.fail_call("move_pages", 1, EPERM);
  const auto done = source_->stop(sampling_);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message().find("process 100"), std::string::npos);
  EXPECT_NE(done.error().message().find("root"), std::string::npos);
}

TEST_F(PagesTest, OnlyALiveProcessHasPages) {
  const auto source = make_pages_source();
  EXPECT_TRUE(source->check(os_, request_));
  request_.pid = 0;
  EXPECT_FALSE(source->check(os_, request_));
}

}  // namespace
}  // namespace homenode::sensing
