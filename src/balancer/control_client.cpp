// The client's side of the control socket.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>

#include "balancer/control.h"

namespace homenode::balancer {
namespace {

/// A balancer answers between two looks, and one of many processes takes a while.
constexpr std::chrono::nanoseconds longest_look = std::chrono::seconds(60);
constexpr std::size_t piece_bytes = 65536;

Unexpected cannot_ask(const std::string& path, int result) {
  if (result == -ENOENT || result == -ECONNREFUSED) {
    return failed("no balancer listens at " + path,
                  "start one, or name the socket of the one that runs with --socket");
  }
  if (result == -ENOTSOCK) {
    return failed(path + " is no socket", "name that of a balancer with --socket");
  }
  if (result == -EACCES) {
    return failed("the balancer at " + path + " belongs to another user", "ask as root");
  }
  return failed("cannot ask the balancer at " + path, "name its socket with --socket", -result);
}

std::string text_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The connection, and how long it may take.
struct Line {
  os::Os& os;
  const os::Socket& connection;
  const os::Pace& pace;
  const std::string& path;
  std::chrono::nanoseconds end;
};

/// Somebody else could listen where a balancer is expected.
Result<void> check_server(os::Os& os, const os::Socket& connection, const std::string& path) {
  os::Peer peer;
  const int result = os.peer_of(connection.descriptor(), peer);
  if (result != 0) return cannot_ask(path, result);
  const unsigned own = os.own_user();
  if (own == 0 || peer.user == own || peer.user == 0) return {};
  return cannot_ask(path, -EACCES);
}

/// Waits until the connection is ready. False where it takes too long or nobody wants it any more.
bool wait_until_ready(const Line& line, bool to_send) {
  std::array<os::Awaited, 1> awaited{{{line.connection.descriptor(), to_send, false}}};
  while (!line.pace.stopped() && line.pace.now() < line.end) {
    const int result = line.os.wait_for_sockets(awaited, signal_latency);
    if (result == 0 && awaited[0].ready) return true;
    if (result != 0) line.pace.pause(signal_latency);
  }
  return false;
}

Result<std::string> exchange(const Line& line, std::string request) {
  const int connection = line.connection.descriptor();
  while (!request.empty()) {
    if (!wait_until_ready(line, true)) return cannot_ask(line.path, -ETIMEDOUT);
    const ssize_t sent = line.os.send_some(connection, request);
    if (sent == -EAGAIN || sent == -EINTR) continue;
    if (sent < 0) return cannot_ask(line.path, static_cast<int>(sent));
    request.erase(0, static_cast<std::size_t>(sent));
  }
  std::string answer;
  while (wait_until_ready(line, false)) {
    const ssize_t got = line.os.receive_some(connection, piece_bytes, answer);
    if (got == 0 || got == -ECONNRESET) return answer;
    if (got < 0 && got != -EAGAIN && got != -EINTR) {
      return cannot_ask(line.path, static_cast<int>(got));
    }
  }
  return failed(fmt::format("the balancer at {} does not answer", line.path),
                "ask again; it answers between two looks", ETIMEDOUT);
}

}  // namespace

Result<std::string> ask(os::Os& os, const std::string& path, const Request& request,
                        const os::Pace& pace) {
  int descriptor = -1;
  if (const int result = os.connect_to(path, descriptor); result != 0) {
    return cannot_ask(path, result);
  }
  const os::Socket connection(os, descriptor);
  if (auto checked = check_server(os, connection, path); !checked) return checked.as_unexpected();
  const Line line{os, connection, pace, path, pace.now() + longest_look};
  auto answer = exchange(line, to_line(request));
  if (!answer) return answer;
  const auto json = nlohmann::json::parse(*answer, nullptr, false);
  if (!json.is_object()) {
    return failed("the balancer at " + path + " ended before it answered", "ask the next one");
  }
  if (text_at(json, "schema") != "homenode.balance.error/1") return answer;
  return failed(text_at(json, "error"), text_at(json, "next"));
}

}  // namespace homenode::balancer
