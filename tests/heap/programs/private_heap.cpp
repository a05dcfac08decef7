// heap_private_heap NODE NODE...: private heaps on a machine with those nodes and eight CPUs, under
// every policy, moved from node to node, in C++ containers; the kernel says where each page is.
//
// heap_private_heap fill MIB: malloc() takes so much and touches it, then writes the statistics.
#include <homenode/heap.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <homenode/heap.hpp>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct Block {
  char* memory;
  std::size_t bytes;
};
using Pages = std::map<int, std::size_t>;

/// Small ones, large ones, and one with a mapping of its own.
std::vector<Block> take(homenode::Heap& heap) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < 300; ++i) blocks.push_back({nullptr, 64 + i * 37});
  for (std::size_t i = 0; i < 4; ++i) blocks.push_back({nullptr, mebibyte});
  blocks.push_back({nullptr, 17 * mebibyte});
  std::uint64_t pattern = 0;
  for (Block& block : blocks) {
    block.memory = static_cast<char*>(heap.allocate(block.bytes));
    fill(block.memory, block.bytes, ++pattern);
  }
  return blocks;
}

bool whole(const std::vector<Block>& blocks) {
  std::uint64_t pattern = 0;
  bool good = true;
  for (const Block& block : blocks) good = holds(block.memory, block.bytes, ++pattern) && good;
  return good;
}

void give_back(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) hn_heap_free(block.memory);
}

Pages pages_of(const std::vector<Block>& blocks) {
  Pages pages;
  for (const Block& block : blocks) {
    for (std::size_t at = 0; at < block.bytes; at += page) {
      ++pages[hn_heap_node_of(block.memory + at)];
    }
  }
  return pages;
}

/// Says which are not.
bool are_all_on(const std::vector<Block>& blocks, const std::string& node) {
  const int wanted = std::atoi(node.c_str());
  bool all = !blocks.empty();
  for (const Block& block : blocks) {
    for (const auto& [other, count] : pages_of({block})) {
      if (other == wanted) continue;
      std::fprintf(stderr, "%zu pages of a block of %zu bytes are on node %d, not %d\n", count,
                   block.bytes, other, wanted);
      all = false;
    }
  }
  return all;
}

/// On so many nodes, about as many on each.
bool go_round(const std::vector<Block>& blocks, std::size_t nodes) {
  const Pages pages = pages_of(blocks);
  std::size_t all = 0;
  bool even = pages.size() == nodes;
  for (const auto& [node, count] : pages) all += count;
  for (const auto& [node, count] : pages) {
    even = even && count * nodes * 10 > all * 8 && count * nodes * 10 < all * 12;
  }
  return even;
}

void on_a_node_and_moved_to(const std::string& from, const std::string& to, const char* policy) {
  homenode::Heap heap = homenode::Heap::on(from, policy);
  const std::vector<Block> blocks = take(heap);
  CHECK(are_all_on(blocks, from));
  heap.move_to(to);
  CHECK(whole(blocks));
  CHECK(are_all_on(blocks, to));
  const std::vector<Block> later = take(heap);
  CHECK(are_all_on(later, to));
  std::thread([&] { give_back(blocks); }).join();
  give_back(later);
  CHECK(heap.statistics().live < mebibyte);
  CHECK(heap.statistics().remote_frees >= 300);
  CHECK(heap.statistics().refused_policies == 0);
}

void on_several(const hn_heap_options& options, std::size_t nodes) {
  homenode::Heap heap(options);
  const std::vector<Block> blocks = take(heap);
  CHECK(go_round(blocks, nodes));
  give_back(blocks);
}

void in_containers(const std::string& node) {
  homenode::Heap heap = homenode::Heap::on(node);
  homenode::HeapResource resource(heap);
  std::pmr::vector<std::pmr::string> words(&resource);
  for (int i = 0; i < 2000; ++i) words.emplace_back("longer than what a string keeps in itself");
  std::vector<double, homenode::HeapAllocator<double>> numbers(
      200'000, 1.0, homenode::HeapAllocator<double>(heap));
  const int wanted = std::atoi(node.c_str());
  CHECK(hn_heap_node_of(words.data()) == wanted && hn_heap_node_of(words[1999].data()) == wanted);
  CHECK(hn_heap_node_of(&numbers[0]) == wanted && hn_heap_node_of(&numbers[199'999]) == wanted);
}

/// CPU 7 of the machine of the tests is of its last node.
void on_the_node_of_a_cpu(const std::string& node) {
  homenode::Heap heap = homenode::Heap::on("cpu:7");
  const std::vector<Block> blocks = take(heap);
  CHECK(are_all_on(blocks, node));
  give_back(blocks);
}

void spread(const std::vector<std::string>& nodes) {
  hn_heap_options options{};
  options.access = HN_HEAP_READ;  // Whoever reads gets what all nodes can give.
  on_several(options, nodes.size());
  options.policy = "weighted";  // Every node weighs the same where nobody said otherwise.
  on_several(options, nodes.size());
  const std::string two = nodes[0] + "," + nodes[1];
  options = {"interleave", two.c_str(), HN_HEAP_READ_WRITE};
  on_several(options, 2);
}

int fill_memory(std::size_t mib) {
  std::vector<char*> blocks;
  for (std::size_t i = 0; i < mib; ++i) {
    blocks.push_back(static_cast<char*>(std::malloc(mebibyte)));
    if (!CHECK(blocks.back() != nullptr)) return 1;
    std::memset(blocks.back(), 1, mebibyte);
  }
  hn_heap_write_statistics(1);
  for (char* const block : blocks) std::free(block);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "fill") return fill_memory(std::stoul(words[1]));
  if (words.size() < 2) {
    std::fprintf(stderr, "usage: heap_private_heap NODE NODE... | fill MIB\n");
    return 2;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    on_a_node_and_moved_to(words[i], words[(i + 1) % words.size()], "bind");
    in_containers(words[i]);
  }
  on_a_node_and_moved_to(words[0], words[1], "bind:strict");
  on_a_node_and_moved_to(words[1], words[0], "preferred");
  on_the_node_of_a_cpu(words.back());
  spread(words);
  return check_failed() ? 1 : 0;
}
