#include "trial/numa_mem/crew.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "os/processes.h"

namespace homenode::trial {
namespace {

constexpr std::string_view error_mark = "error ";

Unexpected no_pipe(int error) {
  return failed("cannot make a pipe to the processes", "raise the limit of open files (ulimit -n)",
                error);
}

/// The error of a line that say_error() wrote.
Error error_in(std::string_view line) {
  const auto json = nlohmann::json::parse(line.substr(error_mark.size()), nullptr, false);
  if (!json.is_object()) return failed("a process failed", "run it again").take();
  return {json.value("code", ErrorCode::failed), json.value("errno", 0), json.value("tried", ""),
          json.value("next", "")};
}

std::string how_it_ended(pid_t process) {
  const auto ending = os::wait_for(process);
  if (!ending) return "ended";
  return fmt::format("{} {}", ending->by_signal ? "was ended by signal" : "ended with exit code",
                     ending->number);
}

}  // namespace

Result<CrewGate> CrewGate::make() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return no_pipe(errno);
  return CrewGate(ends[0], ends[1]);
}

CrewGate::CrewGate(CrewGate&& other) noexcept
    : waits_(std::exchange(other.waits_, -1)), holds_(std::exchange(other.holds_, -1)) {}

CrewGate::~CrewGate() {
  open();
  if (waits_ >= 0) close(waits_);
}

void CrewGate::open() {
  if (holds_ >= 0) close(std::exchange(holds_, -1));
}

void CrewGate::wait() const {
  char nothing = 0;
  while (read(waits_, &nothing, 1) < 0 && errno == EINTR) {
  }
}

void CrewVoice::say(const std::string& line) const {
  const std::string text = line + '\n';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(pipe_, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // Unheard, it would be waited for, and wait, for ever.
    at += static_cast<std::size_t>(written);
  }
}

void CrewVoice::say_error(const Error& error) const {
  const nlohmann::json json{{"code", error.code},
                            {"errno", error.errno_value},
                            {"tried", error.tried},
                            {"next", error.next}};
  say(std::string(error_mark) + json.dump());
}

Crew::~Crew() {
  for (Member& member : members_) {
    close(member.pipe);
    if (!member.ended) kill(member.process, SIGKILL);
  }
  for (const Member& member : members_) {
    if (!member.ended) how_it_ended(member.process);
  }
}

Result<void> Crew::start(const std::function<int(CrewVoice)>& work) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return no_pipe(errno);
  const pid_t process = os::fork_bound();
  if (process == 0) {
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    for (const Member& other : members_) close(other.pipe);
    _exit(work(CrewVoice(ends[1])));
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return failed(fmt::format("cannot start process {}", members_.size()),
                  "give fewer -p, or raise the limit (ulimit -u, pids.max)", -process);
  }
  members_.push_back({process, ends[0], {}, {}, false});
  return {};
}

Result<void> Crew::hear(double seconds) {
  std::vector<pollfd> pipes;
  for (const Member& member : members_) {
    pipes.push_back({member.ended ? -1 : member.pipe, POLLIN, 0});
  }
  const int wait_ms = seconds < 0.0 ? -1 : static_cast<int>(std::min(seconds, 1e6) * 1e3) + 1;
  if (poll(pipes.data(), pipes.size(), wait_ms) <= 0) return {};
  for (std::size_t number = 0; number < pipes.size(); ++number) {
    if (pipes[number].revents == 0) continue;
    if (auto heard = hear_from(number); !heard) return heard;
  }
  return {};
}

Result<void> Crew::hear_from(std::size_t number) {
  Member& member = members_[number];
  std::array<char, 4096> part{};
  const ssize_t count = read(member.pipe, part.data(), part.size());
  if (count < 0) return {};  // Interrupted; it is heard the next time.
  member.rest.append(part.data(), static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = member.rest.find('\n')) != std::string::npos;) {
    member.lines.push_back(member.rest.substr(0, end));
    member.rest.erase(0, end + 1);
    if (member.lines.back().starts_with(error_mark))
      return Unexpected(error_in(member.lines.back()));
  }
  if (count > 0) return {};
  member.ended = true;
  const std::string how = how_it_ended(member.process);
  if (!member.lines.empty() && member.lines.back().starts_with('{')) return {};
  return failed(fmt::format("process {} {} before its work was done", number, how),
                "see whether something killed it (the kernel's log), and run again");
}

bool Crew::all_said(const std::string& line) const {
  return std::ranges::all_of(members_, [&](const Member& member) {
    return std::ranges::find(member.lines, line) != member.lines.end();
  });
}

bool Crew::all_reported() const {
  return std::ranges::all_of(members_, &Member::ended);
}

std::vector<std::string> Crew::reports() const {
  std::vector<std::string> last;
  for (const Member& member : members_) last.push_back(member.lines.back());
  return last;
}

}  // namespace homenode::trial
