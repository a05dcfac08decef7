// The modelled time in the line of JSON that tells of a region of interest: the value of "time" of
// the region, of a vCPU and of a thread. null where none was modelled.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lab/timing/timekeeper.h"

namespace homenode::lab {

void append_time(std::string& text, const Timekeeper* time);
void append_vcpu_time(std::string& text, const Timekeeper* time, unsigned vcpu);
/// `threads` numbers those that may have woken it; `nodes` are positions in the model, in the order
/// of the region's nodes.
void append_thread_time(std::string& text, const std::optional<ThreadTime>& time,
                        const std::map<ThreadKey, std::size_t>& threads,
                        std::span<const unsigned> nodes);

}  // namespace homenode::lab
