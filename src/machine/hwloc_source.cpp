#include "machine/hwloc_source.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "machine/xml.h"

namespace homenode::machine {
namespace {

/// hwloc complains on stderr about strange systems and files; only the command line may print. It
/// offers no call for that, only this variable, which it reads once.
void silence_hwloc() {
  static std::once_flag once;
  std::call_once(once, [] { setenv("HWLOC_HIDE_ERRORS", "2", 0); });
}

Result<Topology> new_topology() {
  silence_hwloc();
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return failed("cannot start hwloc", "free some memory and try again", errno);
  }
  Topology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  return topology;
}

/// Discovery that is of no use here: x86 moves the calling thread over every CPU to ask what Linux
/// has told already (and describes the wrong machine under HWLOC_FSROOT); the others start GPU
/// runtimes.
void leave_out_slow_discovery(hwloc_topology_t topology) {
  for (const char* component : {"x86", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
}

/// Larger files are not machines, and hwloc counts their bytes in an int.
constexpr std::uintmax_t max_file_bytes = std::uintmax_t{256} << 20;

Result<std::string> read_whole_file(const std::string& path) {
  const auto refuse = [&](int reason, const char* next) {
    return failed(fmt::format("cannot read the machine file '{}'", path), next, reason);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::none) {
    return refuse(error.value(), "check the permissions of its folders");
  }
  if (!std::filesystem::exists(status)) return refuse(ENOENT, "check the path");
  if (!std::filesystem::is_regular_file(status)) return refuse(EINVAL, "name an hwloc XML file");
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return refuse(error.value(), "check the path");
  if (bytes > max_file_bytes) return refuse(EFBIG, "name an hwloc XML file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return refuse(errno, "check its permissions");
  std::string text;
  std::array<char, 1U << 16> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
    text.append(part.data(), count);
  }
  if (std::ferror(file.get()) != 0) return refuse(errno, "check the disk");
  return text;
}

}  // namespace

Result<Topology> open_live() {
  auto topology = new_topology();
  if (!topology) return topology;
  leave_out_slow_discovery(topology->get());
  if (hwloc_topology_load(topology->get()) != 0) {
    return failed("cannot read this machine's topology", "check that /sys is mounted", errno);
  }
  return topology;
}

Result<Topology> open_xml_text(const std::string& xml) {
  auto topology = new_topology();
  if (!topology) return topology;
  // hwloc wants the terminating zero counted.
  const int size = static_cast<int>(xml.size() + 1);
  if (hwloc_topology_set_xmlbuffer(topology->get(), xml.c_str(), size) == 0 &&
      hwloc_topology_load(topology->get()) == 0) {
    return topology;
  }
  return failed("hwloc " HWLOC_VERSION " cannot read the machine's XML",
                "report this as a bug, and describe the machine");
}

Result<Topology> open_xml(const std::string& path) {
  const auto text = read_whole_file(path);
  if (!text) return text.as_unexpected();
  std::string problem = find_xml_problem(*text);
  if (problem.empty()) {
    if (auto topology = open_xml_text(*text)) return topology;
    problem = "hwloc " HWLOC_VERSION " cannot read it";
  }
  return failed(fmt::format("'{}' is not a usable machine file: {}", path, problem),
                "make one with 'homenode topology --xml=FILE' or 'lstopo FILE.xml'");
}

Result<Topology> open_synthetic(const std::string& description) {
  auto topology = new_topology();
  if (!topology) return topology;
  if (hwloc_topology_set_synthetic(topology->get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology->get()) != 0) {
    return bad_usage(fmt::format("hwloc cannot read the synthetic machine '{}'", description),
                     "write levels such as 'pack:2 [numa] core:2 pu:1'");
  }
  return topology;
}

}  // namespace homenode::machine
