#include "machine/matrices.h"

#include <cmath>

namespace homenode::machine {
namespace {

struct KindNames {
  std::string_view kind;
  std::string_view attribute;
};

/// In the order of MatrixKind.
constexpr std::array<KindNames, all_matrix_kinds.size()> names = {{
    {"latency", "Latency"},
    {"read_latency", "ReadLatency"},
    {"write_latency", "WriteLatency"},
    {"bandwidth", "Bandwidth"},
    {"read_bandwidth", "ReadBandwidth"},
    {"write_bandwidth", "WriteBandwidth"},
}};

}  // namespace

std::string_view provenance_name(Provenance provenance) {
  switch (provenance) {
    case Provenance::firmware:
      return "firmware";
    case Provenance::measured:
      return "measured";
    case Provenance::declared:
      break;
  }
  return "declared";
}

Provenance provenance_of(std::string_view name) {
  for (const Provenance provenance : {Provenance::firmware, Provenance::measured}) {
    if (name == provenance_name(provenance)) return provenance;
  }
  return Provenance::declared;
}

std::string_view kind_name(MatrixKind kind) {
  return names[static_cast<std::size_t>(kind)].kind;
}

std::string_view attribute_name(MatrixKind kind) {
  return names[static_cast<std::size_t>(kind)].attribute;
}

bool is_latency(MatrixKind kind) {
  return kind == MatrixKind::latency || kind == MatrixKind::read_latency ||
         kind == MatrixKind::write_latency;
}

std::string_view unit_name(MatrixKind kind) {
  return is_latency(kind) ? "ns" : "MiB/s";
}

bool operator==(const PairValues& a, const PairValues& b) {
  if (a.kind != b.kind || a.provenance != b.provenance || a.values.rows() != b.values.rows() ||
      a.values.columns() != b.values.columns()) {
    return false;
  }
  for (NodeId from : a.values.rows()) {
    for (NodeId to : a.values.columns()) {
      const double one = a.values.at(from, to);
      const double other = b.values.at(from, to);
      if (one != other && !(std::isnan(one) && std::isnan(other))) return false;
    }
  }
  return true;
}

}  // namespace homenode::machine
