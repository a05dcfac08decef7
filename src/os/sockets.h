// The part of the contract about unix sockets, for a service, its clients and its supervisor on
// this machine. Nothing here blocks but wait_for_sockets(), and that for a bounded time.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace homenode::os {

/// Who is at the other end, as the kernel noted at connect() or listen() (SO_PEERCRED).
struct Peer {
  pid_t pid = 0;
  unsigned user = 0;
};

struct Awaited {
  int socket = -1;
  bool to_send = false;  ///< Whether it can take bytes, or whether it has some or has ended.
  bool ready = false;    ///< The answer.
};

/// As in os.h, all of these give 0, or their value, or -errno. Sockets are descriptors. An Os that
/// models none of it gives -ENOSYS.
class Sockets {
 public:
  virtual ~Sockets() = default;

  /// Listens at a new file that only its user may use (0600). Errors: EADDRINUSE where something is
  /// there, ENAMETOOLONG where the path is too long for an address.
  virtual int listen_at(const std::string& /*path*/, int& /*listener*/) { return -ENOSYS; }
  /// Errors: ECONNREFUSED where nobody listens any more; ENOENT; ENOTSOCK where it is another file;
  /// EAGAIN where too many wait to be accepted.
  virtual int connect_to(const std::string& /*path*/, int& /*connection*/) { return -ENOSYS; }
  /// Who listens, or has connected.
  virtual int peer_of(int /*connection*/, Peer& /*peer*/) { return -ENOSYS; }
  /// The next client. Errors: EAGAIN where none waits.
  virtual int accept_from(int /*listener*/, int& /*connection*/) { return -ENOSYS; }
  /// Adds at most `most` bytes to `bytes`: how many, 0 at the end. Errors: EAGAIN for none so far.
  virtual ssize_t receive_some(int /*connection*/, std::size_t /*most*/, std::string& /*bytes*/) {
    return -ENOSYS;
  }
  /// How many bytes were taken. Errors: EAGAIN for none now; EPIPE where the other end is closed.
  virtual ssize_t send_some(int /*connection*/, std::string_view /*bytes*/) { return -ENOSYS; }
  /// Waits until one is ready, a signal comes or the time is over (poll(2)).
  virtual int wait_for_sockets(std::span<Awaited> /*sockets*/,
                               std::chrono::nanoseconds /*longest*/) {
    return -ENOSYS;
  }
  virtual void close_socket(int /*socket*/) {}
  /// One datagram to the socket at a path, or of an abstract name, which begins with '@'.
  virtual int send_datagram(const std::string& /*address*/, std::string_view /*text*/) {
    return -ENOSYS;
  }
  /// The user that this process acts as.
  virtual unsigned own_user() { return 0; }
};

/// An open socket, closed with this. pre: its kernel lives longer.
class Socket {
 public:
  Socket() = default;
  Socket(Sockets& kernel, int descriptor) : kernel_(&kernel), descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept
      : kernel_(other.kernel_), descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(kernel_, other.kernel_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) kernel_->close_socket(descriptor_);
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Leaves it open, to the caller.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  Sockets* kernel_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace homenode::os
