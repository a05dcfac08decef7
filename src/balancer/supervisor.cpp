#include "balancer/supervisor.h"

#include <fmt/format.h>

#include "base/sizes.h"

namespace homenode::balancer {

Supervision supervision_in(const char* address, const char* watchdog_us, const char* watchdog_pid,
                           pid_t self) {
  Supervision found;
  if (address != nullptr) found.address = address;
  if (watchdog_us == nullptr) return found;
  if (watchdog_pid != nullptr && number_in<pid_t>(watchdog_pid) != self) return found;
  constexpr std::uint64_t longest_us = std::uint64_t{1} << 50U;
  const auto period = number_in(watchdog_us);
  if (period && *period <= longest_us) found.watchdog = std::chrono::microseconds(*period);
  return found;
}

Result<void> Supervisor::say(const std::string& text) {
  if (supervision_.address.empty()) return {};
  const int result = os_.send_datagram(supervision_.address, text);
  if (result == 0) return {};
  return failed("cannot tell the service manager at " + supervision_.address,
                "check NOTIFY_SOCKET, or unset it", -result);
}

Result<void> Supervisor::reloading(std::chrono::nanoseconds monotonic) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(monotonic);
  return say(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", since.count()));
}

Result<void> Supervisor::status(const std::string& text) {
  if (text == status_) return {};
  status_ = text;
  return say("STATUS=" + text);
}

Result<void> Supervisor::alive(std::chrono::nanoseconds now) {
  if (supervision_.watchdog.count() == 0 || now < next_) return {};
  next_ = now + supervision_.watchdog / 2;
  return say("WATCHDOG=1");
}

}  // namespace homenode::balancer
