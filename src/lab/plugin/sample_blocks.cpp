#include "lab/plugin/sample_blocks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "lab/plugin/json_text.h"

namespace homenode::lab {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;

/// The processes of a region's threads, numbered from 0 in the order of the threads' numbers.
std::map<std::uint64_t, std::uint32_t> number_processes(const ThreadNumbers& numbers) {
  std::vector<std::uint64_t> spaces(numbers.size());
  for (const auto& [key, number] : numbers) spaces[number] = key.cr3;
  std::map<std::uint64_t, std::uint32_t> processes;
  for (const std::uint64_t space : spaces) {
    processes.try_emplace(space, static_cast<std::uint32_t>(processes.size()));
  }
  return processes;
}

std::string block_header(const char (&kind)[5], std::size_t bytes) {
  SampleBlockHeader header{{kind[0], kind[1], kind[2], kind[3]}, static_cast<std::uint32_t>(bytes)};
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

/// The threads' ids in the guest, as far as any vCPU has seen them.
std::map<ThreadKey, std::uint32_t> known_tids(std::span<const VcpuAccount> vcpus) {
  std::map<ThreadKey, std::uint32_t> known;
  for (const VcpuAccount& vcpu : vcpus) {
    for (const auto& thread : vcpu.threads()) {
      std::uint32_t& tid = known[thread->key];
      if (tid == 0) tid = thread->tid;
    }
  }
  return known;
}

}  // namespace

std::string threads_block(unsigned region, const Region& counted,
                          std::span<const VcpuAccount> vcpus, const ThreadNumbers& numbers) {
  const auto processes = number_processes(numbers);
  const auto tids = known_tids(vcpus);
  std::string text = R"({"kind":"lab_threads")";
  append_member(text, "region", region);
  const auto owner = processes.find(counted.owner_cr3);
  text += R"(,"owner":)";
  if (owner == processes.end()) {
    text += "null";
  } else {
    append(text, owner->second);
  }
  std::uint64_t lost = 0;
  for (const VcpuAccount& vcpu : vcpus) lost += vcpu.units() == nullptr ? 0 : vcpu.units()->lost();
  append_member(text, "lost", lost);
  text += R"(,"threads":[)";
  for (const auto& [key, number] : numbers) {
    if (text.back() != '[') text += ',';
    text += '{';
    append_member(text, "id", number);
    append_member(text, "process", processes.at(key.cr3));
    append_member(text, "fs_base", key.fs_base);
    const auto tid = tids.find(key);
    append_member(text, "tid", tid == tids.end() ? 0 : tid->second);
    text += '}';
  }
  text += "]}";
  return block_header("JSON", text.size()) + text;
}

SampleBlocks::SampleBlocks(unsigned region, std::uint16_t cpu, const VcpuAccount& vcpu,
                           const ThreadNumbers& numbers, std::span<const NodeId> nodes)
    : vcpu_(vcpu), nodes_(nodes) {
  const auto processes = number_processes(numbers);
  for (const auto& thread : vcpu.threads()) {
    tids_.push_back(static_cast<std::uint32_t>(numbers.at(thread->key)));
    pids_.push_back(processes.at(thread->key.cr3));
  }
  common_.cpu = cpu;
  common_.round = static_cast<std::uint16_t>(region);
  common_.source = SampleSource::lab;
  common_.flags = sample_counts_uses;
  if (vcpu.units() != nullptr)
    common_.page_shift = static_cast<std::uint8_t>(vcpu.units()->shift());
}

void SampleBlocks::append(Sample& sample, std::uint64_t count) {
  while (count > 0) {
    sample.weight = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
    samples_.append(reinterpret_cast<const char*>(&sample), sizeof sample);
    count -= sample.weight;
  }
}

void SampleBlocks::append_counts(const UnitCounts::Entry& entry) {
  Sample sample = common_;
  sample.address = vcpu_.units()->address_of(entry);
  sample.physical = entry.physical;
  sample.instruction = entry.used_before;
  sample.pid = pids_[entry.thread];
  sample.tid = tids_[entry.thread];
  sample.memory_node = static_cast<std::uint16_t>(nodes_[entry.node].value());
  const bool tells_alone = vcpu_.units()->tells_alone();
  std::array<std::uint64_t, use_kinds> uses{};
  for (unsigned kind = 0; kind < use_kinds; ++kind) {
    uses[tells_alone ? kind : kind & ~use_alone] += entry.uses[kind];
  }
  for (unsigned kind = 0; kind < use_kinds; ++kind) {
    const auto flag = [&](unsigned bit, std::uint32_t told) {
      return (kind & bit) != 0 ? told : 0;
    };
    sample.flags = common_.flags | flag(use_alone, sample_alone) |
                   flag(use_prefetched, sample_prefetched) |
                   flag(use_from_cache, sample_from_cache);
    sample.operation = (kind & use_store) != 0 ? SampleOperation::write : SampleOperation::read;
    append(sample, uses[kind]);
  }
}

std::string SampleBlocks::next() {
  samples_.clear();
  if (vcpu_.units() == nullptr) return {};
  const auto& entries = vcpu_.units()->entries();
  for (; at_ < entries.size() && samples_.size() < block_bytes; ++at_) {
    if (entries[at_].used()) append_counts(entries[at_]);
  }
  if (samples_.empty()) return {};
  return block_header("SMPL", samples_.size()) + samples_;
}

}  // namespace homenode::lab
