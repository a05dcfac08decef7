// Whether a sanitizer watches this build: a run takes several times as long then, and a part of the
// cases is watched as well as all of them, which the release build tries.
#pragma once

#include <cstddef>

namespace homenode {

// GCC says it by a macro, Clang by a feature.
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Of as many refusals of a system call one is tried: of the command line's, which take thirty
/// times as long under a sanitizer, every eighth; all in the release build.
inline constexpr std::size_t refusals_per_trial = sanitized ? 8 : 1;

/// Likewise of as many random texts one is tried.
inline constexpr unsigned texts_per_trial = sanitized ? 4 : 1;

}  // namespace homenode
