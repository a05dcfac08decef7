#include "balancer/supervisor.h"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>

#include "fake/fake.h"
#include "os/linux.h"

namespace homenode::balancer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BalancerSupervisor, ReadsWhatTheServiceManagerSets) {
  EXPECT_EQ(supervision_in(nullptr, nullptr, nullptr, 7).address, "");
  const Supervision all = supervision_in("/run/notify", "3000000", "7", 7);
  EXPECT_EQ(all.address, "/run/notify");
  EXPECT_EQ(all.watchdog, seconds(3));
  EXPECT_EQ(supervision_in("@notify", "3000000", nullptr, 7).watchdog, seconds(3));
  EXPECT_EQ(supervision_in("@notify", "3000000", "8", 7).watchdog, seconds(0));
  for (const char* no_time : {"", "-1", "x", "99999999999999999999", "18446744073709551615"}) {
    EXPECT_EQ(supervision_in("@notify", no_time, nullptr, 7).watchdog, seconds(0)) << no_time;
  }
}

TEST(BalancerSupervisor, SaysEachThingInADatagram) {
  os::Fake kernel;
  Supervisor supervisor(kernel, {"@notify", seconds(3)});
  EXPECT_TRUE(supervisor.ready());
  EXPECT_TRUE(supervisor.status("idle"));
  EXPECT_TRUE(supervisor.status("idle"));
  EXPECT_TRUE(supervisor.reloading(milliseconds(2)));
  EXPECT_TRUE(supervisor.stopping());
  EXPECT_EQ(kernel.datagrams("@notify"),
            "READY=1\nSTATUS=idle\nRELOADING=1\nMONOTONIC_USEC=2000\nSTOPPING=1\n");
}

TEST(BalancerSupervisor, LivesTwiceInEachPeriodOfTheWatchdog) {
  os::Fake kernel;
  Supervisor supervisor(kernel, {"@notify", seconds(2)});
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(supervisor.alive(milliseconds(100 * i)));
  EXPECT_EQ(kernel.count("send_datagram"), 4U);
}

TEST(BalancerSupervisor, IsSilentWhereNobodyListensAndNamesARefusal) {
  os::Fake kernel;
  Supervisor alone(kernel, {});
  EXPECT_TRUE(alone.ready());
  EXPECT_TRUE(alone.alive(seconds(9)));
  EXPECT_EQ(kernel.count("send_datagram"), 0U);
  kernel.fail_call("send_datagram", 1, ECONNREFUSED);
  Supervisor supervisor(kernel, {"/run/notify", {}});
  const auto said = supervisor.ready();
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().errno_value, ECONNREFUSED);
  EXPECT_NE(said.error().message().find("/run/notify"), std::string::npos);
}

TEST(BalancerSupervisor, ReachesARealSocketAtAPathAndOfAnAbstractName) {
  std::string folder = (std::filesystem::temp_directory_path() / "notify.XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  os::Linux kernel;
  for (const std::string& name : {folder + "/socket", "@" + folder}) {
    const int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ASSERT_GE(listener, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    auto size = static_cast<socklen_t>(sizeof address);
    if (name.front() == '@') {
      address.sun_path[0] = '\0';
      size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    }
    ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_TRUE(Supervisor(kernel, {name, {}}).ready());
    std::array<char, 64> got{};
    EXPECT_EQ(recv(listener, got.data(), got.size(), MSG_DONTWAIT), 7);
    EXPECT_STREQ(got.data(), "READY=1");
    close(listener);
  }
  EXPECT_EQ(kernel.send_datagram(folder + "/nobody", "READY=1"), -ENOENT);
  EXPECT_EQ(kernel.send_datagram("/" + std::string(200, 'x'), "READY=1"), -ENAMETOOLONG);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace homenode::balancer
