#include "balancer/control.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>

namespace homenode::balancer {
namespace {

Unexpected cannot_listen(const std::string& path, int result) {
  if (result == -ENAMETOOLONG) {
    return failed(fmt::format("the path of the socket {} is too long", path),
                  "name one of at most 107 bytes with --socket");
  }
  return failed("cannot listen at " + path, "name another file with --socket", -result);
}

/// Where a balancer that is gone listened, its file is removed.
Result<void> clear(os::Os& os, const std::string& path) {
  int other = -1;
  const int result = os.connect_to(path, other);
  const os::Socket connection(os, other);
  if (result == -ENOTSOCK) {
    return failed(path + " is there and is no socket", "name another file with --socket");
  }
  // A live one whose queue is full says EAGAIN.
  if (result == 0 || result == -EAGAIN) {
    return failed("another balancer listens at " + path, "name another file with --socket");
  }
  if (result != -ECONNREFUSED) return cannot_listen(path, result);
  if (const int removed = os.remove_file(path); removed != 0) return cannot_listen(path, removed);
  return {};
}

}  // namespace

std::string to_json(const Error& error) {
  using Json = nlohmann::ordered_json;
  const Json json{
      {"schema", "homenode.balance.error/1"}, {"error", error.tried}, {"next", error.next}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<std::unique_ptr<Control>> Control::open(os::Os& os, const std::string& path, Answer answer) {
  int descriptor = -1;
  int result = os.listen_at(path, descriptor);
  if (result == -EADDRINUSE) {
    if (auto cleared = clear(os, path); !cleared) return cleared.as_unexpected();
    result = os.listen_at(path, descriptor);
  }
  if (result != 0) return cannot_listen(path, result);
  return std::unique_ptr<Control>(
      new Control(os, os::Socket(os, descriptor), path, std::move(answer)));
}

Control::~Control() {
  os_.remove_file(path_);
}

void Control::serve(std::chrono::nanoseconds time, const os::Pace& pace) {
  const auto end = pace.now() + time;
  while (!pace.stopped()) {
    const auto now = pace.now();
    if (now >= end) return;
    const auto piece = std::min(end - now, signal_latency);
    if (!turn(piece, now)) pace.pause(piece);
  }
}

bool Control::turn(std::chrono::nanoseconds longest, std::chrono::nanoseconds now) {
  std::vector<os::Awaited> awaited;
  for (const Client& client : clients_) {
    awaited.push_back({client.connection.descriptor(), client.reader.done(), false});
  }
  if (clients_.size() < most_clients) awaited.push_back({listener_.descriptor(), false, false});
  const bool waited = os_.wait_for_sockets(awaited, longest) == 0;
  const std::size_t known = clients_.size();
  for (std::size_t i = 0; i < known; ++i) {
    Client& client = clients_[i];
    const bool ready = waited && awaited[i].ready;
    if (ready && !client.reader.done()) read(client);
    if (ready && client.reader.done()) write(client, now);
    client.over = client.over || now > client.patience_ends;
  }
  std::erase_if(clients_, [](const Client& client) { return client.over; });
  if (waited && known < awaited.size() && awaited.back().ready) return accept(now);
  return waited;
}

bool Control::accept(std::chrono::nanoseconds now) {
  while (clients_.size() < most_clients) {
    int descriptor = -1;
    const int result = os_.accept_from(listener_.descriptor(), descriptor);
    if (result != 0) return result == -EAGAIN || result == -EINTR || result == -ECONNABORTED;
    os::Socket connection(os_, descriptor);
    os::Peer peer;
    if (os_.peer_of(descriptor, peer) != 0) continue;
    if (!may_ask(peer.user, os_.own_user())) {
      const Error refusal = failed("this balancer belongs to another user", "ask as root").take();
      os_.send_some(descriptor, to_json(refusal));
      continue;
    }
    clients_.push_back({std::move(connection), now + client_patience, {}, {}, false});
  }
  return true;
}

void Control::read(Client& client) {
  std::string bytes;
  const ssize_t got = os_.receive_some(client.connection.descriptor(), longest_request + 1, bytes);
  if (got == -EAGAIN || got == -EINTR) return;
  if (got < 0) {
    client.over = true;
    return;
  }
  client.reader.take(bytes);
  if (got == 0) client.reader.end();
  if (!client.reader.done()) return;
  const auto request = client.reader.request();
  auto answer = request ? answer_(*request) : Result<std::string>(request.as_unexpected());
  client.answer = answer ? std::move(*answer) : to_json(answer.error());
}

void Control::write(Client& client, std::chrono::nanoseconds now) {
  const ssize_t sent = os_.send_some(client.connection.descriptor(), client.answer);
  if (sent == -EAGAIN || sent == -EINTR) return;
  if (sent < 0) {
    client.over = true;
    return;
  }
  client.answer.erase(0, static_cast<std::size_t>(sent));
  client.patience_ends = now + client_patience;
  client.over = client.answer.empty();
}

}  // namespace homenode::balancer
