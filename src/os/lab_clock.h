// The lab's modelled time, seen from inside the guest: a thread executes a marker, and the lab's
// plugin writes the time of the thread's virtual CPU into a slot of memory that both sides share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/clock.h"

namespace homenode::os {

/// Names the shared memory in the environment of what runs in the lab.
inline constexpr const char* lab_clock_variable = "HOMENODE_LAB_CLOCK";

/// Time passes only inside a region of interest (base/marker.h), and is 0 outside one.
class LabClock final : public Clock {
 public:
  /// Maps the slots. Errors: failed when the file cannot be opened or mapped.
  static Result<std::unique_ptr<LabClock>> open(const std::string& path);
  ~LabClock() override;

  std::uint64_t now_ps(std::size_t slot) override;
  [[nodiscard]] bool modelled() const override { return true; }
  /// What the last marker for this slot left in it (hn_marker_clock): for reading after the region
  /// of interest, in which the read itself would count.
  [[nodiscard]] std::uint64_t last_ps(std::size_t slot) const { return slots_[slot]; }

 private:
  explicit LabClock(const volatile std::uint64_t* slots) : slots_(slots) {}
  const volatile std::uint64_t* slots_;
};

/// Set to the machine's name in the environment of what runs in the lab.
inline constexpr const char* lab_variable = "HOMENODE_LAB";

/// With or without its clock.
bool in_lab();

/// Names the file to which the plugin appends what it counted, in the environment of what runs in a
/// lab that counts by unit of memory.
inline constexpr const char* lab_counts_variable = "HOMENODE_LAB_COUNTS";

/// Set to the option that keeps this lab from modelling time, if one does.
inline constexpr const char* lab_without_clock_variable = "HOMENODE_LAB_WITHOUT_CLOCK";

/// The lab's clock where the environment names one that can be read; else null.
std::unique_ptr<LabClock> find_lab_clock();

/// The modelled time that the last marker for a slot left in it, in seconds; nothing outside the
/// lab, or where it counted nothing.
std::optional<double> modelled_seconds(std::size_t slot);

/// The lab's clock where the environment names one, else the host's. Errors: as LabClock::open();
/// not_supported in a lab without a clock, where the host's time says nothing about the machine.
Result<std::unique_ptr<Clock>> open_clock();

}  // namespace homenode::os
