// homenode bench numa-mem: its processes, seen from the one that started them. Each says lines
// through a pipe; gates hold them back until all are ready. They end when the starter does, however
// that ends.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace homenode::trial {

/// Opens once, for all who wait, in whichever process.
class CrewGate {
 public:
  /// Errors: failed when there is no pipe to be had.
  static Result<CrewGate> make();
  CrewGate(CrewGate&& other) noexcept;
  CrewGate& operator=(CrewGate&&) = delete;
  ~CrewGate();

  void open();
  /// In a process that only waits: it would hold its own gate shut.
  void only_wait() { open(); }
  /// Returns when the starter has opened it, or is gone. Any number of threads may wait.
  void wait() const;

 private:
  CrewGate(int waits, int holds) : waits_(waits), holds_(holds) {}
  int waits_;
  int holds_;
};

/// What a process says through, in the process itself.
class CrewVoice {
 public:
  explicit CrewVoice(int pipe) : pipe_(pipe) {}
  /// One line, without its end. Ends the process where it cannot be said.
  void say(const std::string& line) const;
  /// The last that it says: read back by Crew as its error.
  void say_error(const Error& error) const;

 private:
  int pipe_;
};

/// The lines that are no report.
inline constexpr const char* crew_ready = "ready";
inline constexpr const char* crew_worked = "worked";

class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// Ends all that still live, and waits for them.
  ~Crew();

  /// Forks a process that calls work(voice) and ends with what it gives as exit code. pre: the
  /// caller has one thread. Errors: failed when there can be no further process.
  Result<void> start(const std::function<int(CrewVoice)>& work);

  /// Waits up to `seconds` (for ever when negative) for something to be said, and hears it.
  /// Errors: what a process said with say_error(); failed when one ended without a report.
  Result<void> hear(double seconds);
  /// Whether every process has said this line.
  [[nodiscard]] bool all_said(const std::string& line) const;
  /// Whether every process has said its last line, a report.
  [[nodiscard]] bool all_reported() const;
  /// The last line of each process, in the order of start(). pre: all_reported().
  [[nodiscard]] std::vector<std::string> reports() const;
  [[nodiscard]] pid_t process(std::size_t number) const { return members_[number].process; }

 private:
  struct Member {
    pid_t process = -1;
    int pipe = -1;
    std::string rest;  ///< Of a line that is not complete.
    std::vector<std::string> lines;
    bool ended = false;
  };

  Result<void> hear_from(std::size_t number);
  std::vector<Member> members_;
};

}  // namespace homenode::trial
