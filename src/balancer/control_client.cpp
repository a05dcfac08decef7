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

/// Somebody else could listen where a balancer is expected.
Result<void> check_server(const os::Socket& connection, const std::string& path) {
  os::Peer peer;
  const int result = os::peer_of(connection, peer);
  if (result != 0) return cannot_ask(path, result);
  const unsigned own = os::own_user();
  if (own == 0 || peer.user == own || peer.user == 0) return {};
  return cannot_ask(path, -EACCES);
}

/// Waits until the connection is ready. False where it takes too long or nobody wants it any more.
bool wait_until_ready(const os::Socket& connection, bool to_send, const os::Pace& pace,
                      std::chrono::nanoseconds end) {
  std::array<os::Awaited, 1> awaited{{{&connection, to_send, false}}};
  while (!pace.stopped() && pace.now() < end) {
    os::wait_for(awaited, signal_latency);
    if (awaited[0].ready) return true;
  }
  return false;
}

Result<std::string> exchange(const os::Socket& connection, std::string line, const os::Pace& pace,
                             const std::string& path) {
  const auto end = pace.now() + longest_look;
  while (!line.empty()) {
    if (!wait_until_ready(connection, true, pace, end)) return cannot_ask(path, -ETIMEDOUT);
    const ssize_t sent = os::send_some(connection, line);
    if (sent < 0) return cannot_ask(path, static_cast<int>(sent));
    line.erase(0, static_cast<std::size_t>(sent));
  }
  std::string answer;
  while (wait_until_ready(connection, false, pace, end)) {
    const ssize_t got = os::receive_some(connection, piece_bytes, answer);
    if (got == 0 || got == -ECONNRESET) return answer;
    if (got < 0 && got != -EAGAIN && got != -EINTR) return cannot_ask(path, static_cast<int>(got));
  }
  return failed(fmt::format("the balancer at {} does not answer", path),
                "ask again; it answers between two looks", ETIMEDOUT);
}

}  // namespace

Result<std::string> ask(const std::string& path, const Request& request, const os::Pace& pace) {
  os::Socket connection;
  if (const int result = os::connect_to(path, connection); result != 0) {
    return cannot_ask(path, result);
  }
  if (auto checked = check_server(connection, path); !checked) return checked.as_unexpected();
  auto answer = exchange(connection, to_line(request), pace, path);
  if (!answer) return answer;
  const auto json = nlohmann::json::parse(*answer, nullptr, false);
  if (!json.is_object()) {
    return failed("the balancer at " + path + " ended before it answered", "ask the next one");
  }
  if (text_at(json, "schema") != "homenode.balance.error/1") return answer;
  return failed(text_at(json, "error"), text_at(json, "next"));
}

}  // namespace homenode::balancer
