// The control socket of a running balancer: clients of its user, and root, ask what it does. It is
// served between two looks and never waits for a client. Serves the loop's wait, and the commands
// `balance status` and `balance explain`, which are its clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "balancer/request.h"
#include "base/result.h"
#include "os/os.h"
#include "os/pace.h"

namespace homenode::balancer {

/// A line of JSON, or why there is none.
using Answer = std::function<Result<std::string>(const Request&)>;

/// Clients at a time; others wait until one has gone.
inline constexpr std::size_t most_clients = 16;
/// A client that neither asks nor takes its answer for so long is let go.
inline constexpr std::chrono::nanoseconds client_patience = std::chrono::seconds(2);

/// A signal that comes just before a wait is seen after so long.
inline constexpr std::chrono::nanoseconds signal_latency = std::chrono::milliseconds(100);

/// Whether a process of this user may ask a balancer that runs as `own`: the same one and root.
constexpr bool may_ask(unsigned peer, unsigned own) {
  return peer == own || peer == 0;
}

/// {"schema": "homenode.balance.error/1", …} with the end of a line.
std::string to_json(const Error& error);

/// Not thread safe. Its file goes with it. pre: `os` lives longer.
class Control {
 public:
  /// Listens at `path`. What a balancer that is gone left there is replaced. Errors: failed where
  /// another one listens there, where it is another kind of file, or where it cannot be made.
  static Result<std::unique_ptr<Control>> open(os::Os& os, const std::string& path, Answer answer);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  ~Control();

  /// Answers for so long, or until the person wants an end.
  void serve(std::chrono::nanoseconds time, const os::Pace& pace);

  /// Waits at most so long for a client, and does what can be done for all at once. False where the
  /// kernel refuses to wait or to accept, which it may do again at once.
  bool turn(std::chrono::nanoseconds longest, std::chrono::nanoseconds now);

  [[nodiscard]] std::size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    os::Socket connection;
    std::chrono::nanoseconds patience_ends;
    RequestReader reader;
    std::string answer;
    bool over = false;
  };

  Control(os::Os& os, os::Socket listener, std::string path, Answer answer)
      : os_(os),
        listener_(std::move(listener)),
        path_(std::move(path)),
        answer_(std::move(answer)) {}
  /// False where the kernel refuses.
  bool accept(std::chrono::nanoseconds now);
  void read(Client& client);
  void write(Client& client, std::chrono::nanoseconds now);

  os::Os& os_;
  os::Socket listener_;
  std::string path_;
  Answer answer_;
  std::vector<Client> clients_;
};

/// Asks the balancer that listens at `path`: its answer, a document in JSON. Errors: no balancer
/// listens there, or it is another user's; it ended or did not answer in time; what it refused.
Result<std::string> ask(os::Os& os, const std::string& path, const Request& request,
                        const os::Pace& pace);

}  // namespace homenode::balancer
