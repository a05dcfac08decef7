// Unix stream sockets for a service and its clients on this machine. Nothing here blocks but
// wait_for(), and that for a bounded time. Calls return their value or -errno, as os.h has it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace homenode::os {

/// An open socket, closed with this.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Who is at the other end, as the kernel noted at connect() or listen() (SO_PEERCRED).
struct Peer {
  pid_t pid = 0;
  unsigned user = 0;
};

/// Listens at a new file that only its user may use (0600). Errors: EADDRINUSE where something is
/// there, ENAMETOOLONG where the path is too long for an address.
int listen_at(const std::string& path, Socket& listener);

/// Errors: ECONNREFUSED where nobody listens any more; ENOENT; ENOTSOCK where it is another file.
int connect_to(const std::string& path, Socket& connection);

/// Who listens, or has connected.
int peer_of(const Socket& connection, Peer& peer);

/// The next client. Errors: EAGAIN where none waits.
int accept_from(const Socket& listener, Socket& connection);

/// Adds at most `most` bytes to `bytes`: how many, 0 at the end. Errors: EAGAIN for none so far.
ssize_t receive_some(const Socket& connection, std::size_t most, std::string& bytes);

/// How many bytes were taken. Errors: EAGAIN for none now; EPIPE where the other end is closed.
ssize_t send_some(const Socket& connection, std::string_view bytes);

struct Awaited {
  const Socket* socket = nullptr;
  bool to_send =
      false;           ///< Whether it can take bytes; otherwise, whether it has some or has ended.
  bool ready = false;  ///< The answer.
};

/// Waits until one is ready, a signal comes or the time is over (poll(2)).
void wait_for(std::span<Awaited> sockets, std::chrono::nanoseconds longest);

/// The user that this process acts as.
unsigned own_user();

}  // namespace homenode::os
