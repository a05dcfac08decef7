#include "machine/hardware.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "machine/kernel_files.h"

namespace homenode::machine {
namespace {

/// The numbers of a text, whatever stands between them.
std::vector<unsigned> numbers_of(const std::string& text) {
  std::vector<unsigned> numbers;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    unsigned value = 0;
    const auto [next, status] = std::from_chars(at, end, value);
    if (status == std::errc{}) numbers.push_back(value);
    at = status == std::errc{} ? next : at + 1;
  }
  return numbers;
}

Bytes free_of(const std::string& meminfo) {
  const std::size_t key = meminfo.find("MemFree:");
  if (key == std::string::npos) return {};
  const std::size_t digits = meminfo.find_first_of("0123456789", key);
  std::uint64_t kib = 0;
  if (digits != std::string::npos) {
    std::from_chars(meminfo.data() + digits, meminfo.data() + meminfo.size(), kib);
  }
  return Bytes{kib << 10};
}

}  // namespace

Result<std::vector<NodeHardware>> read_hardware(os::Os& os, const Machine& machine) {
  std::vector<NodeHardware> nodes;
  for (const Node& node : machine.nodes) {
    NodeHardware found{node, {}, {}};
    const std::string folder = fmt::format("/sys/devices/system/node/node{}/", node.id.value());
    std::string text;
    int result = read_kernel_file(os, folder + "meminfo", text);
    // A kernel without NUMA has no such folder and one node.
    if (result == -ENOENT && machine.nodes.size() == 1)
      result = read_kernel_file(os, "/proc/meminfo", text);
    if (result < 0) {
      return failed(fmt::format("cannot read the memory of node {}", node.id.value()),
                    "check that /sys is mounted", -result);
    }
    found.free = free_of(text);
    text.clear();
    if (read_kernel_file(os, folder + "distance", text) == 0) found.distances = numbers_of(text);
    nodes.push_back(std::move(found));
  }
  return nodes;
}

}  // namespace homenode::machine
