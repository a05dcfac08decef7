// Writes a result file so that a reader sees the old file or the new one, never half of one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace homenode::os {

/// Replaces `path` by a file with this content: written and synced beside it, then renamed. A path
/// that is no regular file (a device, a pipe) is written to directly. Where it fails, what was
/// there stays. Errors: failed, with the errno of the call that refused (ENOSPC: the disk is full).
Result<void> write_atomically(const std::string& path, std::string_view content);

/// Whether OPTION PATH can be written at all, asked before long work: its folder is there. An
/// empty path is no output, and good. Errors: bad_usage; failed where the system does not say.
Result<void> check_output_folder(const std::string& path, const char* option = "--output");

}  // namespace homenode::os
