// Writes a sample file (docs/sample-file.md) while the program runs. Each block is one write(2) to
// a file that is open to append, so that a process with the agent in it may append whole blocks to
// the same file, and a killed writer costs no more than its last block. Serves the verb `sample`;
// who reads such blocks takes them here, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sample.h"
#include "os/os.h"

namespace homenode::sensing {

class SampleFile {
 public:
  /// Makes the file, or empties it, and writes its header. Errors: failed when it cannot be made.
  static Result<SampleFile> create(os::Os& os, const std::string& path);
  SampleFile(SampleFile&& other) noexcept;
  SampleFile& operator=(SampleFile&&) = delete;
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  ~SampleFile();

  /// Appends samples as blocks; none for none. Errors: failed, saying how much fits no more. After
  /// an error all else fails with it: what would follow a block that is not whole cannot be read.
  Result<void> append(std::span<const Sample> samples);
  /// Appends one document, as sample_documents.h makes them. Errors: as above.
  Result<void> append_document(std::string_view json);

  /// Drops all blocks, also those that others have appended: a file that is only begun is left.
  void drop_blocks();

  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SampleFile(os::Os& os, std::string path, int descriptor);
  Result<void> append_block(std::string_view kind, std::span<const char> content);
  Result<void> write_whole(std::span<const char> bytes);

  os::Os* os_;
  std::string path_;
  int descriptor_;
  std::uint64_t samples_ = 0;
  int broken_ = 0;  ///< The errno after which nothing is written.
};

/// A block in a text that holds it.
struct SampleBlock {
  std::string_view kind;  ///< "SMPL" or "JSON".
  std::string_view content;
};

/// Takes the next block off the text; nothing, and nothing off it, where none is whole.
std::optional<SampleBlock> take_block(std::string_view& blocks);

/// Appends the samples of a block's content; what is left over is no sample.
void append_samples(std::string_view content, std::vector<Sample>& samples);

}  // namespace homenode::sensing
