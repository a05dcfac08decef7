#include "os/lab_clock.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cstdlib>

#include "base/marker.h"

namespace homenode::os {
namespace {

constexpr std::size_t clock_bytes = clock_slots * sizeof(std::uint64_t);

Unexpected no_clock(const std::string& path, int errno_value) {
  return failed("cannot read the lab's clock " + path,
                "run this inside the lab, or unset " + std::string(lab_clock_variable),
                errno_value);
}

}  // namespace

Result<std::unique_ptr<LabClock>> LabClock::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return no_clock(path, errno);
  // A shorter file can be mapped all the same, and reading past its end is a signal.
  const off_t bytes = lseek(file, 0, SEEK_END);
  if (bytes >= 0 && static_cast<std::size_t>(bytes) < clock_bytes) {
    close(file);
    return no_clock(path, EINVAL);
  }
  void* const mapped = mmap(nullptr, clock_bytes, PROT_READ, MAP_SHARED, file, 0);
  const int refused = errno;
  close(file);
  if (mapped == MAP_FAILED) return no_clock(path, refused);
  return std::unique_ptr<LabClock>(
      new LabClock(static_cast<const volatile std::uint64_t*>(mapped)));
}

LabClock::~LabClock() {
  munmap(const_cast<std::uint64_t*>(slots_), clock_bytes);
}

std::uint64_t LabClock::now_ps(std::size_t slot) {
  static_assert(std::endian::native == std::endian::little, "the slots are little endian");
  assert(slot < clock_slots);
  hn_marker_clock(slot);
  return slots_[slot];
}

std::unique_ptr<LabClock> find_lab_clock() {
  const char* const path = std::getenv(lab_clock_variable);
  if (path == nullptr || *path == '\0') return nullptr;
  auto clock = LabClock::open(path);
  return clock ? *std::move(clock) : nullptr;
}

std::optional<double> modelled_seconds(std::size_t slot) {
  constexpr double seconds_per_ps = 1e-12;
  const auto clock = find_lab_clock();
  if (!clock || clock->last_ps(slot) == 0) return std::nullopt;
  return static_cast<double>(clock->last_ps(slot)) * seconds_per_ps;
}

bool in_lab() {
  const char* const lab = std::getenv(lab_variable);
  return lab != nullptr && *lab != '\0';
}

Result<std::unique_ptr<Clock>> open_clock() {
  const char* const path = std::getenv(lab_clock_variable);
  if (path != nullptr && *path != '\0') {
    auto clock = LabClock::open(path);
    if (!clock) return clock.as_unexpected();
    return std::unique_ptr<Clock>(*std::move(clock));
  }
  if (in_lab()) {
    const char* const lab = std::getenv(lab_variable);
    const char* const option = std::getenv(lab_without_clock_variable);
    if (option != nullptr && *option != '\0') {
      return not_supported(fmt::format("this lab does not model time because of {}, and the host's "
                                       "clock says nothing about {}",
                                       option, lab),
                           fmt::format("run the lab without {}", option));
    }
    return not_supported(
        "this lab does not model time, and the host's clock says nothing about " + std::string(lab),
        "run the lab with modelled time, which needs QEMU 9.1 or newer");
  }
  return std::unique_ptr<Clock>(std::make_unique<SteadyClock>());
}

}  // namespace homenode::os
