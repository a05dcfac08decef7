// Which nodes hold the page cache of a file: mincore(2) says which pages are cached, these are
// mapped without reading anything, and move_pages(2) says where they are. Serves `where --file`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/os.h"
#include "sensing/survey.h"

namespace homenode::sensing {

struct FileCache {
  std::string path;
  Bytes size;
  Bytes page_size;
  Bytes cached;
  BytesOnNodes on_nodes;  ///< Of what is cached.
  Bytes unknown;          ///< Cached, and dropped or moved before its node was asked for.
};

/// Looks at a file, piece by piece. What is not cached is not read. Pages that are cached become
/// part of this process for a moment, which the kernel takes for a use of them.
///
/// Errors: failed where the file cannot be opened or mapped; not_supported for a file whose cache
/// the kernel does not show to this person, or where it has no MADV_POPULATE_READ (Linux 5.14).
Result<FileCache> read_file_cache(os::Os& os, const std::string& path);

}  // namespace homenode::sensing
