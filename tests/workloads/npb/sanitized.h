// Whether a sanitizer watches this build: a run takes several times as long then, and is watched as
// well in a few teams as in many.
#pragma once

namespace homenode {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace homenode
