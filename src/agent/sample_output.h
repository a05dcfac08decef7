// Appends blocks to a sample file (docs/sample-file.md) from within the program that is sampled.
// Serves what is preloaded to sample: the sampler has begun the file, and every process of the
// program adds to it. System calls only, no lock and no allocation, so a signal handler may append,
// several threads may at once, and errno stays as it was.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/calls.h"
#include "base/sample.h"

namespace homenode::agent {

/// The variable that names the file. Programs that the program starts inherit it.
inline constexpr char sample_variable[] = "HOMENODE_SAMPLE";

/// Its value, which lives as long as the environment; null where it is unset or empty.
const char* find_sample_file(char* const* environment);

/// A part of a block's content.
struct BlockPart {
  const void* bytes;
  std::size_t size;
};

/// The open file. constinit; it lives as long as the process.
class SampleOutput {
 public:
  /// Opens a file that the sampler has begun. 0 or -errno: -EINVAL for what is no sample file of
  /// this version, -ENAMETOOLONG where the path does not fit. Once, before the first append.
  int open(const char* path);

  /// In a forked child, before its first append: it then writes through an open file of its own.
  void reopen();

  /// Whether open() succeeded.
  [[nodiscard]] bool is_open() const { return path_[0] != '\0'; }

  /// Appends one block as a whole or not at all: its parts, one after the other, with the header
  /// before them, in one call to the kernel. `kind` has four letters. False when the file takes it
  /// no longer (a full disk, a limit, no rights any more); that is counted in lost_blocks().
  /// pre: at most max_parts.
  bool append(const char* kind, const BlockPart* parts, std::size_t count);
  bool append(const char* kind, const void* bytes, std::size_t size);

  /// Samples of the layout that the file has.
  bool append_samples(const Sample* samples, std::size_t count) {
    return append("SMPL", samples, count * sizeof(Sample));
  }
  /// One document, already JSON.
  bool append_document(const char* text, std::size_t size) { return append("JSON", text, size); }

  /// How many blocks were not appended.
  [[nodiscard]] std::size_t lost_blocks() const;

  static constexpr std::size_t max_parts = 3;

 private:
  /// The file's descriptor, or -errno. A program may close all that it did not open, and open
  /// another file by that number: ours is then opened again.
  int descriptor();
  int open_again();

  char path_[4096] = {};
  FileIdentity identity_;
  int file_ = -1;
  std::size_t lost_ = 0;
};

}  // namespace homenode::agent
