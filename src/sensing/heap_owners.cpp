#include "sensing/heap_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/heap_header.h"
#include "base/id_list.h"
#include "base/sizes.h"
#include "base/words.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t most_places = 1024;

bool take_start(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// Reads one process. What is refused once is not asked for again.
class Owners {
 public:
  Owners(const SystemFiles& files, pid_t pid)
      : files_(files), folder_(fmt::format("{}/proc/{}/", files.root, pid)) {}

  std::optional<HeapOwner> at(std::uint64_t address) {
    std::array<char, sizeof(HeapHeader)> bytes{};
    if (refused_ != 0 || !is_present(address)) return std::nullopt;
    const int got = files_.os.read_file_at(folder_ + "mem", address, bytes);
    if (got == -EACCES || got == -EPERM) refused_ = -got;
    if (got < static_cast<int>(bytes.size())) return std::nullopt;
    return owner_in_header({bytes.data(), bytes.size()}, address);
  }

  /// The errno of the refusal; 0: there was none.
  [[nodiscard]] int refused() const { return refused_; }

 private:
  /// A page that is not present has no header, and to read it would make it so.
  bool is_present(std::uint64_t address) {
    constexpr std::uint64_t present = std::uint64_t{1} << 63U;
    std::array<char, sizeof(std::uint64_t)> bytes{};
    const std::uint64_t at = address / files_.os.page_bytes() * bytes.size();
    const int got = files_.os.read_file_at(folder_ + "pagemap", at, bytes);
    if (got != static_cast<int>(bytes.size())) return false;
    std::uint64_t entry = 0;
    std::memcpy(&entry, bytes.data(), sizeof entry);
    return (entry & present) != 0;
  }

  const SystemFiles& files_;
  std::string folder_;
  int refused_ = 0;
};

void add_owner(Mapping& mapping, const HeapOwner& owner) {
  const auto at = std::lower_bound(mapping.owners.begin(), mapping.owners.end(), owner);
  if (at == mapping.owners.end() || !(*at == owner)) mapping.owners.insert(at, owner);
}

/// A name is as old as its mapping, and a private heap may have moved since: the header comes
/// first.
void find_in(Owners& owners, Mapping& mapping) {
  const auto named = owner_in_name(mapping.name);
  if (!mapping.end || mapping.pages.empty() || (!mapping.name.empty() && !named)) return;
  std::uint64_t at = (mapping.first + heap_header_step - 1) / heap_header_step * heap_header_step;
  for (std::uint64_t i = 0; i < most_places && at < *mapping.end; ++i, at += heap_header_step) {
    if (const auto owner = owners.at(at)) add_owner(mapping, *owner);
  }
  if (mapping.owners.empty() && named) add_owner(mapping, *named);
}

bool has_library(const Survey& survey) {
  return std::any_of(survey.mappings.begin(), survey.mappings.end(), [](const Mapping& mapping) {
    return mapping.name.find("/libhomenode-malloc") != std::string::npos;
  });
}

}  // namespace

std::optional<HeapOwner> owner_in_name(std::string_view name) {
  if (!take_start(name, "[anon:homenode ") || !name.ends_with(']')) return std::nullopt;
  name.remove_suffix(1);
  HeapOwner owner;
  owner.private_heap = name.starts_with("heap");
  if (!take_start(name, owner.private_heap ? "heap" : "malloc")) return std::nullopt;
  if (name.empty()) return owner;
  if (!take_start(name, " node ")) return std::nullopt;
  const auto node = number_in<unsigned>(name);
  if (!node || *node > max_list_id) return std::nullopt;
  owner.node = NodeId(*node);
  return owner;
}

std::optional<HeapOwner> owner_in_header(std::string_view bytes, std::uint64_t address) {
  HeapHeader header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != heap_header_magic || header.address != address || header.private_heap > 1) {
    return std::nullopt;
  }
  HeapOwner owner;
  owner.private_heap = header.private_heap == 1;
  if (header.node == heap_header_no_node) return owner;
  if (header.node > max_list_id) return std::nullopt;
  owner.node = NodeId(header.node);
  return owner;
}

void find_heap_owners(const SystemFiles& files, Survey& survey) {
  Owners owners(files, survey.pid);
  for (Mapping& mapping : survey.mappings) {
    if (mapping.group != Group::anonymous) continue;
    find_in(owners, mapping);
    if (!mapping.owners.empty()) mapping.group = Group::heap;
  }
  if (owners.refused() == 0 || !has_library(survey)) return;
  survey.notes.push_back(
      not_supported(fmt::format("cannot read /proc/{}/mem, so the nodes of its heaps are unknown",
                                survey.pid),
                    "run with CAP_SYS_PTRACE (sudo), or see kernel.yama.ptrace_scope",
                    owners.refused())
          .take()
          .message());
}

}  // namespace homenode::sensing
