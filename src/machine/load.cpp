#include "machine/load.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "machine/hwloc_reader.h"
#include "machine/hwloc_source.h"
#include "machine/plausible.h"

namespace homenode::machine {

Result<Machine> load_live() {
  const auto topology = open_live();
  if (!topology) return topology.as_unexpected();
  auto machine = read_machine(topology->get(), Provenance::firmware, "live");
  if (!machine) return machine;
  apply_limits(topology->get(), *machine);
  forget_absurd_values(*machine);
  // In the lab the firmware names QEMU's board; the driver says which machine that stands for.
  const char* in_lab = std::getenv("HOMENODE_LAB");
  if (in_lab != nullptr && *in_lab != '\0') machine->name = in_lab;
  return machine;
}

Result<Machine> load_xml(const std::string& path) {
  const auto topology = open_xml(path);
  if (!topology) return topology.as_unexpected();
  auto machine = read_machine(topology->get(), Provenance::declared, path);
  if (!machine) return machine;
  if (const std::string problem = find_figure_problem(*machine); !problem.empty()) {
    return failed(fmt::format("the machine '{}' makes no sense: {}", path, problem),
                  "correct it, or measure it again with 'homenode measure'");
  }
  if (machine->name.empty()) machine->name = std::filesystem::path(path).stem().string();
  return machine;
}

Result<Machine> load_synthetic(const std::string& description) {
  const auto topology = open_synthetic(description);
  if (!topology) return topology.as_unexpected();
  return read_machine(topology->get(), Provenance::declared, description);
}

Result<Machine> load(const std::string& source) {
  if (source == "live") return load_live();
  if (source.starts_with(synthetic_prefix))
    return load_synthetic(source.substr(synthetic_prefix.size()));
  return load_xml(source);
}

}  // namespace homenode::machine
