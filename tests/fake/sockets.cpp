// The fake kernel's unix sockets: listeners at files, connections with buffers that fill up, and
// datagrams that are kept. Serves fake/fake.h.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fake/fake.h"

namespace homenode::os {

void Fake::set_users(unsigned own, unsigned connecting) {
  const std::lock_guard guard(lock_);
  own_user_ = own;
  connecting_user_ = connecting;
}

void Fake::add_dead_socket(const std::string& path) {
  const std::lock_guard guard(lock_);
  socket_files_[path] = -1;
}

std::string Fake::datagrams(const std::string& address) const {
  const std::lock_guard guard(lock_);
  const auto sent = datagrams_.find(address);
  return sent == datagrams_.end() ? "" : sent->second;
}

std::size_t Fake::sockets() const {
  const std::lock_guard guard(lock_);
  return sockets_.size();
}

int Fake::listen_at(const std::string& path, int& listener) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("listen_at")) return error;
  if (files_.contains(path) || socket_files_.contains(path)) return -EADDRINUSE;
  listener = next_descriptor_++;
  sockets_[listener].path = path;
  socket_files_[path] = listener;
  return 0;
}

int Fake::connect_to(const std::string& path, int& connection) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("connect_to")) return error;
  const auto file = socket_files_.find(path);
  if (file == socket_files_.end()) return files_.contains(path) ? -ENOTSOCK : -ENOENT;
  const auto listener = sockets_.find(file->second);
  if (listener == sockets_.end()) return -ECONNREFUSED;
  connection = next_descriptor_++;
  const int served = next_descriptor_++;
  sockets_[connection].other = served;
  sockets_[connection].user = own_user_.value_or(getuid());
  sockets_[served].other = connection;
  sockets_[served].user = connecting_user_.value_or(getuid());
  listener->second.waiting.push_back(served);
  return 0;
}

int Fake::peer_of(int connection, Peer& peer) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("peer_of")) return error;
  const auto found = sockets_.find(connection);
  if (found == sockets_.end()) return -EBADF;
  peer = {getpid(), found->second.user};
  return 0;
}

int Fake::accept_from(int listener, int& connection) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("accept_from")) return error;
  const auto found = sockets_.find(listener);
  if (found == sockets_.end()) return -EBADF;
  if (found->second.waiting.empty()) return -EAGAIN;
  connection = found->second.waiting.front();
  found->second.waiting.pop_front();
  return 0;
}

ssize_t Fake::receive_some(int connection, std::size_t most, std::string& bytes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("receive_some")) return error;
  const auto found = sockets_.find(connection);
  if (found == sockets_.end()) return -EBADF;
  std::string& received = found->second.received;
  if (received.empty()) return found->second.other ? -EAGAIN : 0;
  const std::string piece = received.substr(0, most);
  received.erase(0, piece.size());
  bytes += piece;
  return static_cast<ssize_t>(piece.size());
}

ssize_t Fake::send_some(int connection, std::string_view bytes) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("send_some")) return error;
  const auto found = sockets_.find(connection);
  if (found == sockets_.end()) return -EBADF;
  if (!found->second.other) return -EPIPE;
  std::string& received = sockets_.at(*found->second.other).received;
  const std::size_t taken = std::min(bytes.size(), fake_socket_bytes - received.size());
  if (taken == 0 && !bytes.empty()) return -EAGAIN;
  received += bytes.substr(0, taken);
  return static_cast<ssize_t>(taken);
}

int Fake::wait_for_sockets(std::span<Awaited> sockets, std::chrono::nanoseconds /*longest*/) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("wait_for_sockets")) return error;
  for (Awaited& awaited : sockets) {
    const auto found = sockets_.find(awaited.socket);
    if (found == sockets_.end()) return -EBADF;
    const FakeSocket& socket = found->second;
    const bool over = socket.path.empty() && !socket.other;
    const bool has_some = !socket.received.empty() || !socket.waiting.empty();
    const bool has_room =
        socket.other && sockets_.at(*socket.other).received.size() < fake_socket_bytes;
    awaited.ready = over || (awaited.to_send ? has_room : has_some);
  }
  return 0;
}

void Fake::close_socket(int socket) {
  const std::lock_guard guard(lock_);
  const auto found = sockets_.find(socket);
  if (found == sockets_.end()) return;
  std::vector<int> closed(found->second.waiting.begin(), found->second.waiting.end());
  closed.push_back(socket);
  if (const auto file = socket_files_.find(found->second.path); file != socket_files_.end()) {
    file->second = -1;
  }
  for (const int one : closed) {
    const auto other = sockets_.at(one).other;
    if (other) sockets_.at(*other).other.reset();
    sockets_.erase(one);
  }
}

int Fake::send_datagram(const std::string& address, std::string_view text) {
  const std::lock_guard guard(lock_);
  if (const int error = enter("send_datagram")) return error;
  datagrams_[address] += std::string(text) + '\n';
  return 0;
}

unsigned Fake::own_user() {
  const std::lock_guard guard(lock_);
  return own_user_.value_or(getuid());
}

}  // namespace homenode::os
