// Unix sockets of the real kernel. Serves os/linux.h.
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "os/linux.h"

namespace homenode::os {
namespace {

constexpr int most_waiting = 16;

/// Its size; 0 where the path does not fit. An abstract name begins with '@' in words and with a
/// zero in the address, and ends with it.
socklen_t set_address(sockaddr_un& address, const std::string& path) {
  if (path.empty() || path.size() >= sizeof address.sun_path) return 0;
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  if (path.front() != '@') return sizeof address;
  address.sun_path[0] = '\0';
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
}

/// The sockets' interface takes addresses of every family by one type.
const sockaddr* any(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // NOLINT: as connect(2) wants it.
}

int new_socket(Sockets& kernel, int type, Socket& created) {
  const int descriptor = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  created = Socket(kernel, descriptor);
  return 0;
}

}  // namespace

int Linux::listen_at(const std::string& path, int& listener) {
  sockaddr_un address{};
  const socklen_t size = set_address(address, path);
  if (size == 0) return -ENAMETOOLONG;
  Socket created;
  if (const int result = new_socket(*this, SOCK_STREAM, created); result != 0) return result;
  // The file gets the mode of the socket: nobody else can connect at any moment.
  if (fchmod(created.descriptor(), S_IRUSR | S_IWUSR) != 0) return -errno;
  if (bind(created.descriptor(), any(address), size) != 0) return -errno;
  if (listen(created.descriptor(), most_waiting) != 0) {
    const int error = errno;
    unlink(path.c_str());
    return -error;
  }
  listener = created.release();
  return 0;
}

int Linux::connect_to(const std::string& path, int& connection) {
  sockaddr_un address{};
  const socklen_t size = set_address(address, path);
  if (size == 0) return -ENAMETOOLONG;
  struct stat file {};
  if (lstat(path.c_str(), &file) == 0 && !S_ISSOCK(file.st_mode)) return -ENOTSOCK;
  Socket created;
  if (const int result = new_socket(*this, SOCK_STREAM, created); result != 0) return result;
  if (connect(created.descriptor(), any(address), size) != 0) return -errno;
  connection = created.release();
  return 0;
}

int Linux::peer_of(int connection, Peer& peer) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -errno;
  peer = {credentials.pid, credentials.uid};
  return 0;
}

int Linux::accept_from(int listener, int& connection) {
  const int descriptor = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) return -errno;
  connection = descriptor;
  return 0;
}

ssize_t Linux::receive_some(int connection, std::size_t most, std::string& bytes) {
  std::string piece(most, '\0');
  const ssize_t got = recv(connection, piece.data(), piece.size(), 0);
  if (got < 0) return -errno;
  bytes.append(piece, 0, static_cast<std::size_t>(got));
  return got;
}

ssize_t Linux::send_some(int connection, std::string_view bytes) {
  const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

int Linux::wait_for_sockets(std::span<Awaited> sockets, std::chrono::nanoseconds longest) {
  std::vector<pollfd> polled;
  for (Awaited& awaited : sockets) {
    awaited.ready = false;
    const short events = awaited.to_send ? POLLOUT : POLLIN;
    polled.push_back({awaited.socket, events, 0});
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(longest);
  const int ready = poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  if (ready < 0) return -errno;
  for (std::size_t i = 0; i < polled.size(); ++i) sockets[i].ready = polled[i].revents != 0;
  return 0;
}

void Linux::close_socket(int socket) {
  close(socket);
}

int Linux::send_datagram(const std::string& address, std::string_view text) {
  sockaddr_un receiver{};
  const socklen_t size = set_address(receiver, address);
  if (size == 0) return -ENAMETOOLONG;
  Socket created;
  if (const int result = new_socket(*this, SOCK_DGRAM, created); result != 0) return result;
  const ssize_t sent =
      sendto(created.descriptor(), text.data(), text.size(), MSG_NOSIGNAL, any(receiver), size);
  return sent < 0 ? -errno : 0;
}

unsigned Linux::own_user() {
  return geteuid();
}

}  // namespace homenode::os
