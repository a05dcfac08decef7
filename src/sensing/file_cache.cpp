#include "sensing/file_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "sensing/page_query.h"

namespace homenode::sensing {
namespace {

/// MADV_POPULATE_READ of madvise(2), in all architectures.
constexpr int populate_read = 22;

/// How much of a file is mapped at a time, unless one of its pages is larger.
constexpr std::uint64_t usual_piece_bytes = std::uint64_t{256} << 20U;

Unexpected cannot(const std::string& what, const std::string& path, int result) {
  return failed(fmt::format("cannot {} {}", what, path), "check the file", -result);
}

/// Pages in a row that are cached.
struct Run {
  std::size_t first = 0;
  std::size_t count = 0;
};

std::vector<Run> runs_of(const std::vector<bool>& cached) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < cached.size(); ++i) {
    if (!cached[i]) continue;
    if (i > 0 && cached[i - 1]) {
      ++runs.back().count;
    } else {
      runs.push_back({i, 1});
    }
  }
  return runs;
}

class Looker {
 public:
  Looker(os::Os& os, const std::string& path) : os_(os) { cache_.path = path; }
  ~Looker() {
    if (file_.descriptor >= 0) os_.close_file(file_.descriptor);
  }
  Looker(const Looker&) = delete;
  Looker& operator=(const Looker&) = delete;

  Result<FileCache> look() {
    if (const int result = os_.open_viewed_file(cache_.path, file_); result < 0) {
      return cannot("open", cache_.path, result);
    }
    if (!file_.cache_visible) {
      return not_supported(
          "the kernel shows what is cached of " + cache_.path + " only to who may write it",
          "run as its owner or root; 'homenode where PID' shows the pages that a process maps");
    }
    cache_.size = {file_.bytes};
    cache_.page_size = {file_.page_bytes};
    const std::uint64_t piece_bytes = std::max<std::uint64_t>(usual_piece_bytes, file_.page_bytes);
    for (std::uint64_t offset = 0; offset < file_.bytes; offset += piece_bytes) {
      const auto bytes = static_cast<std::size_t>(std::min(piece_bytes, file_.bytes - offset));
      if (const auto done = look_at(offset, bytes); !done) return done.as_unexpected();
    }
    return std::move(cache_);
  }

 private:
  Result<void> look_at(std::uint64_t offset, std::size_t bytes) {
    void* address = nullptr;
    if (const int result = os_.map_viewed_file(file_.descriptor, offset, bytes, address);
        result < 0) {
      return cannot("map", cache_.path, result);
    }
    auto done = look_at_mapped(static_cast<char*>(address), bytes);
    os_.unmap_memory(address, bytes);
    return done;
  }

  Result<void> look_at_mapped(char* address, std::size_t bytes) {
    std::vector<bool> cached;
    if (const int result = os_.find_cached_pages(address, bytes, cached); result < 0) {
      return cannot("see what is cached of", cache_.path, result);
    }
    for (const Run& run : runs_of(cached)) {
      char* const first = address + run.first * os_.page_bytes();
      const std::size_t length = run.count * os_.page_bytes();
      const int result = os_.advise_memory(first, length, populate_read);
      if (result == -EINVAL) {
        return not_supported("cannot map the cached pages of " + cache_.path,
                             "this needs MADV_POPULATE_READ, of Linux 5.14", EINVAL);
      }
      // Of a piece that was cut off the file meanwhile the pages are found to be absent.
      if (const auto counted = count_nodes(first, run.count); !counted) return counted;
    }
    return {};
  }

  Result<void> count_nodes(char* first, std::size_t pages) {
    std::vector<int> status;
    const PageRange range{reinterpret_cast<std::uintptr_t>(first), pages, {os_.page_bytes()}};
    if (const int result = query_pages(os_, 0, addresses_of(range), status); result < 0) {
      return cannot("ask for the nodes of the pages of", cache_.path, result);
    }
    for (const int node : status) {
      cache_.cached.value += os_.page_bytes();
      if (node >= 0) {
        cache_.on_nodes[NodeId(static_cast<unsigned>(node))] += os_.page_bytes();
      } else {
        cache_.unknown.value += os_.page_bytes();
      }
    }
    return {};
  }

  os::Os& os_;
  os::ViewedFile file_;
  FileCache cache_;
};

}  // namespace

Result<FileCache> read_file_cache(os::Os& os, const std::string& path) {
  return Looker(os, path).look();
}

}  // namespace homenode::sensing
