// What a service says to the service manager that started it: that it is ready, lives, reads its
// configuration again, or stops; by the protocol of sd_notify(3), datagrams to a socket.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "os/os.h"

namespace homenode::balancer {

/// Where to say it, and how often.
struct Supervision {
  std::string address;                  ///< Empty: nobody listens, and nothing is said.
  std::chrono::nanoseconds watchdog{};  ///< 0: nobody waits for signs of life.
};

/// From what systemd sets: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, each null where it is
/// unset. What it set for another process is passed over. Pure.
Supervision supervision_in(const char* address, const char* watchdog_us, const char* watchdog_pid,
                           pid_t self);

/// Not thread safe. pre: `os` lives longer.
class Supervisor {
 public:
  Supervisor(os::Os& os, Supervision supervision) : os_(os), supervision_(std::move(supervision)) {}

  /// Errors: failed when the datagram cannot be sent. So too below.
  Result<void> ready() { return say("READY=1"); }
  Result<void> reloading(std::chrono::nanoseconds monotonic);
  Result<void> stopping() { return say("STOPPING=1"); }
  /// A line for people, which `systemctl status` shows; the same one twice is said once.
  Result<void> status(const std::string& text);
  /// To be called often: says that it lives, twice in each period of the watchdog.
  Result<void> alive(std::chrono::nanoseconds now);

 private:
  Result<void> say(const std::string& text);

  os::Os& os_;
  Supervision supervision_;
  std::string status_;
  std::chrono::nanoseconds next_{};
};

}  // namespace homenode::balancer
