#include "os/local_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace homenode::os {
namespace {

constexpr int most_waiting = 16;

/// False where the path does not fit.
bool set_path(sockaddr_un& address, const std::string& path) {
  if (path.empty() || path.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  return true;
}

/// The sockets' interface takes addresses of every family by one type.
const sockaddr* any(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // NOLINT: as connect(2) wants it.
}

int new_socket(Socket& created) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  created = Socket(descriptor);
  return 0;
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

int listen_at(const std::string& path, Socket& listener) {
  sockaddr_un address{};
  if (!set_path(address, path)) return -ENAMETOOLONG;
  Socket created;
  if (const int result = new_socket(created); result != 0) return result;
  // The file gets the mode of the socket: nobody else can connect at any moment.
  if (fchmod(created.descriptor(), S_IRUSR | S_IWUSR) != 0) return -errno;
  if (bind(created.descriptor(), any(address), sizeof address) != 0) return -errno;
  if (listen(created.descriptor(), most_waiting) != 0) return -errno;
  listener = std::move(created);
  return 0;
}

int connect_to(const std::string& path, Socket& connection) {
  sockaddr_un address{};
  if (!set_path(address, path)) return -ENAMETOOLONG;
  struct stat file {};
  if (lstat(path.c_str(), &file) == 0 && !S_ISSOCK(file.st_mode)) return -ENOTSOCK;
  Socket created;
  if (const int result = new_socket(created); result != 0) return result;
  if (connect(created.descriptor(), any(address), sizeof address) != 0) return -errno;
  connection = std::move(created);
  return 0;
}

int peer_of(const Socket& connection, Peer& peer) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  const int descriptor = connection.descriptor();
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -errno;
  peer = {credentials.pid, credentials.uid};
  return 0;
}

int accept_from(const Socket& listener, Socket& connection) {
  const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
  const int descriptor = accept4(listener.descriptor(), nullptr, nullptr, flags);
  if (descriptor < 0) return -errno;
  connection = Socket(descriptor);
  return 0;
}

ssize_t receive_some(const Socket& connection, std::size_t most, std::string& bytes) {
  std::string piece(most, '\0');
  const ssize_t got = recv(connection.descriptor(), piece.data(), piece.size(), 0);
  if (got < 0) return -errno;
  bytes.append(piece, 0, static_cast<std::size_t>(got));
  return got;
}

ssize_t send_some(const Socket& connection, std::string_view bytes) {
  const ssize_t sent = send(connection.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

void wait_for(std::span<Awaited> sockets, std::chrono::nanoseconds longest) {
  std::vector<pollfd> polled;
  for (const Awaited& awaited : sockets) {
    const short events = awaited.to_send ? POLLOUT : POLLIN;
    polled.push_back({awaited.socket->descriptor(), events, 0});
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(longest);
  const int ready = poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  for (std::size_t i = 0; i < polled.size(); ++i) {
    sockets[i].ready = ready > 0 && polled[i].revents != 0;
  }
}

unsigned own_user() {
  return geteuid();
}

}  // namespace homenode::os
