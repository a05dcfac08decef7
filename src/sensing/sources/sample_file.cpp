#include "sensing/sources/sample_file.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace homenode::sensing {
namespace {

/// A block of samples is at most 1 MiB: what a cut file may lose.
constexpr std::size_t most_samples = (std::size_t{1} << 20) / sizeof(Sample);

std::span<const char> bytes_of_header(const SampleFileHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

}  // namespace

SampleFile::SampleFile(os::Os& os, std::string path, int descriptor)
    : os_(&os), path_(std::move(path)), descriptor_(descriptor) {}

SampleFile::SampleFile(SampleFile&& other) noexcept
    : os_(other.os_),
      path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      samples_(other.samples_),
      broken_(other.broken_) {}

SampleFile::~SampleFile() {
  if (descriptor_ >= 0) os_->close_file(descriptor_);
}

Result<SampleFile> SampleFile::create(os::Os& os, const std::string& path) {
  int descriptor = -1;
  if (const int result = os.open_appended(path, descriptor); result < 0) {
    return failed("cannot write " + path,
                  "name a file in a folder that you may write to with --output", -result);
  }
  SampleFile file(os, path, descriptor);
  const SampleFileHeader header;
  if (auto done = file.write_whole(bytes_of_header(header)); !done) return done.as_unexpected();
  return file;
}

void SampleFile::drop_blocks() {
  os_->resize_file(descriptor_, sizeof(SampleFileHeader));
}

Result<void> SampleFile::write_whole(std::span<const char> bytes) {
  if (broken_ == 0) {
    const ssize_t written = os_->append_file(descriptor_, bytes);
    if (written == static_cast<ssize_t>(bytes.size())) return {};
    broken_ = written < 0 ? static_cast<int>(-written) : ENOSPC;
  }
  return failed("cannot write all samples to " + path_,
                "free space on the disk; what was written before can be read", broken_);
}

Result<void> SampleFile::append_block(std::string_view kind, std::span<const char> content) {
  SampleBlockHeader header{};
  std::memcpy(header.kind, kind.data(), sizeof header.kind);
  header.bytes = static_cast<std::uint32_t>(content.size());
  std::vector<char> block(sizeof header + content.size());
  std::memcpy(block.data(), &header, sizeof header);
  std::memcpy(block.data() + sizeof header, content.data(), content.size());
  return write_whole(block);
}

Result<void> SampleFile::append(std::span<const Sample> samples) {
  while (!samples.empty()) {
    const auto part = samples.first(std::min(samples.size(), most_samples));
    const auto done =
        append_block("SMPL", {reinterpret_cast<const char*>(part.data()), part.size_bytes()});
    if (!done) return done;
    samples_ += part.size();
    samples = samples.subspan(part.size());
  }
  return {};
}

Result<void> SampleFile::append_document(std::string_view json) {
  if (json.size() > std::numeric_limits<std::uint32_t>::max()) return {};
  return append_block("JSON", json);
}

std::optional<SampleBlock> take_block(std::string_view& blocks) {
  SampleBlockHeader header{};
  if (blocks.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, blocks.data(), sizeof header);
  if (header.bytes > blocks.size() - sizeof header) return std::nullopt;
  const SampleBlock block{blocks.substr(0, sizeof header.kind),
                          blocks.substr(sizeof header, header.bytes)};
  blocks.remove_prefix(sizeof header + header.bytes);
  return block;
}

void append_samples(std::string_view content, std::vector<Sample>& samples) {
  const std::size_t before = samples.size();
  const std::size_t count = content.size() / sizeof(Sample);
  samples.resize(before + count);
  if (count > 0) std::memcpy(samples.data() + before, content.data(), count * sizeof(Sample));
}

}  // namespace homenode::sensing
