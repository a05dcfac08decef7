#include "machine/hwloc_source.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "machine/xml.h"

namespace homenode::machine {
namespace {

// GPUs' runtimes tell nothing that is of use here.
#define HN_GPU_PLUGINS \
  "hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_levelzero.so"
constexpr const char* gpu_plugins = HN_GPU_PLUGINS;
constexpr const char* all_plugins = HN_GPU_PLUGINS ",hwloc_pci.so,hwloc_xml_libxml.so";
#undef HN_GPU_PLUGINS

/// hwloc complains on stderr about strange systems and files; only the command line may print. It
/// offers no call for that, only this variable, which it reads once.
void silence_hwloc() {
  static std::once_flag once;
  std::call_once(once, [] { setenv("HWLOC_HIDE_ERRORS", "2", 0); });
}

/// Starts hwloc without some plugins. It opens each that is installed before it can be told to do
/// without: those for GPUs bring in X11 and OpenCL, that for XML brings in libxml2 and ICU. The
/// variable is all that it offers against that; it is put back at once, because programs that are
/// started later are not to find it.
int start_hwloc(hwloc_topology_t& topology, const char* without_plugins) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const bool chosen_by_user = std::getenv("HWLOC_PLUGINS_BLACKLIST") != nullptr;
  if (!chosen_by_user) setenv("HWLOC_PLUGINS_BLACKLIST", without_plugins, 1);
  const int result = hwloc_topology_init(&topology);
  const int reason = errno;
  if (!chosen_by_user) unsetenv("HWLOC_PLUGINS_BLACKLIST");
  errno = reason;
  return result;
}

Result<Topology> new_topology(const char* without_plugins) {
  silence_hwloc();
  hwloc_topology_t raw = nullptr;
  if (start_hwloc(raw, without_plugins) != 0) {
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

Result<Topology> load_system(Topology topology) {
  leave_out_slow_discovery(topology.get());
  if (hwloc_topology_load(topology.get()) != 0) {
    return failed("cannot read this machine's topology", "check that /sys is mounted", errno);
  }
  return topology;
}

}  // namespace

Result<Topology> open_live() {
  auto topology = new_topology(gpu_plugins);
  if (!topology) return topology;
  return load_system(*std::move(topology));
}

Result<Topology> open_live_without_pci() {
  auto topology = new_topology(all_plugins);
  if (!topology) return topology;
  hwloc_topology_set_type_filter(topology->get(), HWLOC_OBJ_PCI_DEVICE,
                                 HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology->get(), HWLOC_OBJ_BRIDGE, HWLOC_TYPE_FILTER_KEEP_NONE);
  return load_system(*std::move(topology));
}

Result<Topology> open_xml_text(const std::string& xml) {
  auto topology = new_topology(gpu_plugins);
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
  auto topology = new_topology(gpu_plugins);
  if (!topology) return topology;
  if (hwloc_topology_set_synthetic(topology->get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology->get()) != 0) {
    return bad_usage(fmt::format("hwloc cannot read the synthetic machine '{}'", description),
                     "write levels such as 'pack:2 [numa] core:2 pu:1'");
  }
  return topology;
}

}  // namespace homenode::machine
