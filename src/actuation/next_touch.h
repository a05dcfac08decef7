// Next touch: pages move to the node of the thread that touches them next. For data that one thread
// wrote and others will use, without knowing in advance who uses what.
//
// The kernel has no such policy for programs (MPOL_MF_LAZY was never open to them), so this is done
// at user level: an armed region cannot be accessed; the first touch of each unit raises SIGSEGV,
// and a handler makes the unit accessible and moves it. Faults that are not ours go on to whoever
// handled them before.
#pragma once

#include <cstddef>

#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::actuation {

/// What became of an armed region so far.
struct NextTouchCounts {
  std::size_t units = 0;          ///< That the region has.
  std::size_t touched_units = 0;  ///< Of these, touched since.
  std::size_t pages_moved = 0;    ///< On the toucher's node after the move, its own included.
  /// Absent ones, which the touch itself makes, and those that could not be moved.
  std::size_t pages_left = 0;
  bool gave_up = false;  ///< The process ran out of mappings: the rest was released unmoved.
};

/// Arms the region: each unit of `unit_pages` pages moves, at its next touch, to the node of the
/// CPU that touches it, and is then as it was. Any number of threads may touch at once; the first
/// one to touch a unit gets it. After fork() the region is armed in both processes, each for
/// itself.
///
/// Huge pages are divided, and forbidden from then on, unless units are made of whole huge pages.
/// Touched and untouched units next to each other are different mappings, while the region is
/// armed. Until it is touched, a system call that is given such memory fails with EFAULT.
///
/// `os` is used inside the signal handler: it must outlive the process's last armed region and make
/// system calls only, as os::Linux does. The handler is installed at the first use and stays.
/// pre: page-aligned private memory that may be read and written, no thread's stack, not unmapped
/// before disarm_next_touch(). Errors: bad_usage when the region overlaps an armed one or
/// unit_pages is 0; failed when all of the table's places are in use, and with each refusal of the
/// kernel.
Result<void> arm_next_touch(os::Os& os, Region region, std::size_t unit_pages = 1);

/// Ends it: all of the region may be accessed, untouched pages stay where they are.
/// Where parts of it have been unmapped meanwhile, what is left of it is made accessible.
/// Errors: bad_usage when no region is armed at this address; each refusal of the kernel, and then
/// the region stays armed.
Result<NextTouchCounts> disarm_next_touch(Region region);

/// For memory that is unmapped already: ends it without making anything accessible. Does nothing
/// where no region is armed.
void forget_next_touch(Region region);

/// For a region that could not be disarmed and that nobody will disarm again. Touches go on as
/// before, and arm_next_touch() of any region tries first to disarm it. Does nothing where no
/// region is armed.
void abandon_next_touch(Region region);

/// Errors: bad_usage when no region is armed at this address.
Result<NextTouchCounts> next_touch_counts(Region region);

}  // namespace homenode::actuation
