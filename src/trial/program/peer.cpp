#include "trial/program/peer.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace homenode::trial {
namespace {

/// What stands after the last line's "KEY … =", without spaces in front; nothing if there is none.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.rfind(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(at + key.size());
  line = line.substr(0, line.find('\n'));
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  line.remove_prefix(equals + 1);
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  return line.substr(begin);
}

double children_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::optional<double> rate_in(std::string_view text) {
  const auto value = value_of(text, "Mop/s total");
  if (!value) return std::nullopt;
  double rate = 0.0;
  const auto status = std::from_chars(value->data(), value->data() + value->size(), rate).ec;
  if (status != std::errc{}) return std::nullopt;
  return rate;
}

std::optional<bool> verification_in(std::string_view text) {
  const auto value = value_of(text, "Verification");
  if (!value) return std::nullopt;
  return value->starts_with("SUCCESSFUL");
}

Result<PeerRun> run_peer(const std::string& command, unsigned threads) {
  const std::string line = fmt::format("export OMP_NUM_THREADS={}\n{}", threads, command);
  const double cpu_before = children_cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  std::FILE* const pipe = popen(line.c_str(), "r");  // NOLINT(cert-env33-c): a shell is meant.
  if (pipe == nullptr) {
    return failed(fmt::format("cannot start the peer '{}'", command), "free memory and processes",
                  errno);
  }
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), count);
  }
  const int status = pclose(pipe);
  if (status < 0) {
    return failed(fmt::format("cannot learn how the peer '{}' ended", command),
                  "see that SIGCHLD is not ignored where homenode is started", errno);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return failed(fmt::format("the peer '{}' ended with {} {}", command,
                              WIFEXITED(status) ? "exit code" : "signal",
                              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)),
                  "run it by itself and see what it says");
  }
  PeerRun run;
  run.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.cpu_seconds = children_cpu_seconds() - cpu_before;
  run.rate = rate_in(text);
  run.verified = verification_in(text);
  return run;
}

}  // namespace homenode::trial
