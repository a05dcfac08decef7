// The signal handler of next touch, and its place in the chain of those that were there before.
#pragma once

namespace homenode::actuation {

/// Makes SIGSEGV come to next touch first. Does nothing when it does already; a handler that was
/// installed since then comes after ours, as all earlier ones do. Any thread may call it.
void install_next_touch_handler();

}  // namespace homenode::actuation
