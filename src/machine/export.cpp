#include "machine/export.h"

#include <algorithm>
#include <string_view>

#include "machine/hwloc_reader.h"
#include "machine/hwloc_source.h"
#include "machine/memattrs.h"

namespace homenode::machine {
namespace {

Result<Topology> open_source(const std::string& source) {
  if (source == "live") return open_live();
  if (source.starts_with(synthetic_prefix)) {
    return open_synthetic(source.substr(synthetic_prefix.size()));
  }
  return open_xml(source);
}

Result<std::string> xml_of(hwloc_topology_t topology) {
  char* buffer = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0) != 0) {
    return failed("hwloc cannot write the machine as XML",
                  "report this as a bug, and describe "
                  "the machine");
  }
  std::string text(buffer);
  hwloc_free_xmlbuffer(topology, buffer);
  return text;
}

/// What load_xml() could not tell from the XML alone: that figures are the firmware's.
void note_firmware(hwloc_topology_t topology, const Machine& machine,
                   const std::vector<PairValues>& replaced) {
  const auto note = [&](std::string_view what) {
    const std::string name = std::string(provenance_prefix).append(what);
    hwloc_obj_add_info(hwloc_get_root_obj(topology), name.c_str(),
                       std::string(provenance_name(Provenance::firmware)).c_str());
  };
  if (machine.distances) note(distances_word);
  for (const PairValues& matrix : machine.pair_values) {
    const auto same_kind = [&](const PairValues& other) { return other.kind == matrix.kind; };
    if (std::none_of(replaced.begin(), replaced.end(), same_kind))
      note(attribute_name(matrix.kind));
  }
}

}  // namespace

Result<std::string> export_xml(const std::string& source, const std::vector<PairValues>& matrices,
                               const std::vector<std::pair<std::string, std::string>>& infos) {
  auto topology = open_source(source);
  if (!topology) return topology.as_unexpected();
  const bool live = source == "live";
  const auto given = live ? Provenance::firmware : Provenance::declared;
  const auto machine = read_machine(topology->get(), given, source);
  if (!machine) return machine.as_unexpected();
  if (live) note_firmware(topology->get(), *machine, matrices);
  for (const auto& [name, value] : infos) {
    hwloc_obj_add_info(hwloc_get_root_obj(topology->get()), name.c_str(), value.c_str());
  }
  auto xml = xml_of(topology->get());
  if (!xml || matrices.empty()) return xml;
  topology = open_xml_text(without_pair_values(*xml, matrices));
  if (!topology) return topology.as_unexpected();
  if (const auto done = write_pair_values(topology->get(), matrices, *machine); !done) {
    return done.as_unexpected();
  }
  return xml_of(topology->get());
}

}  // namespace homenode::machine
