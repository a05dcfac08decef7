#include "machine/devices/network.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace homenode::machine {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;
using Interfaces = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

bool same_host(const sockaddr* a, const sockaddr_storage& b) {
  if (a == nullptr || a->sa_family != b.ss_family) return false;
  if (a->sa_family == AF_INET) {
    return std::memcmp(&reinterpret_cast<const sockaddr_in*>(a)->sin_addr,
                       &reinterpret_cast<const sockaddr_in&>(b).sin_addr, sizeof(in_addr)) == 0;
  }
  return a->sa_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr, sizeof(in6_addr)) == 0;
}

/// That nobody knows the host is for whoever named it; all else is what the system refused.
Unexpected cannot_resolve(const std::string& host, int result, int errno_value) {
  constexpr const char* next = "give its address, or the interface as netdev:NAME";
  const std::string tried = fmt::format("cannot resolve the host '{}'", host);
  switch (result) {
    case EAI_SYSTEM:
      return failed(tried, next, errno_value);
    case EAI_MEMORY:
      return failed(tried, next, ENOMEM);
    case EAI_AGAIN:
    case EAI_FAIL:
      return failed(fmt::format("{}: {}", tried, gai_strerror(result)), next);
    default:
      return bad_usage(fmt::format("{}: {}", tried, gai_strerror(result)), next);
  }
}

/// The address that the system would send from; a datagram socket's connect() only picks a route.
Result<void> find_local_address(const std::string& host, const addrinfo& target,
                                sockaddr_storage& local) {
  constexpr const char* next = "give the interface as netdev:NAME";
  const int descriptor = socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return failed(fmt::format("cannot open a socket to find the route to '{}'", host), next, errno);
  }
  socklen_t length = sizeof local;
  const bool routed = connect(descriptor, target.ai_addr, target.ai_addrlen) == 0 &&
                      getsockname(descriptor, reinterpret_cast<sockaddr*>(&local), &length) == 0;
  const int error = errno;
  close(descriptor);
  if (routed) return {};
  return failed(fmt::format("there is no route to '{}'", host), next, error);
}

}  // namespace

Result<std::string> interface_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* raw = nullptr;
  // Any port will do: 9 is "discard".
  if (const int result = getaddrinfo(host.c_str(), "9", &hints, &raw); result != 0) {
    return cannot_resolve(host, result, errno);
  }
  const Addresses targets(raw, freeaddrinfo);
  sockaddr_storage local{};
  if (auto found = find_local_address(host, *targets, local); !found) return found.as_unexpected();
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    return failed("cannot list the network interfaces", "give one as netdev:NAME", errno);
  }
  const Interfaces interfaces(first, freeifaddrs);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (same_host(entry->ifa_addr, local)) return std::string(entry->ifa_name);
  }
  return failed(fmt::format("no interface has the address that leads to '{}'", host),
                "give the interface as netdev:NAME");
}

}  // namespace homenode::machine
