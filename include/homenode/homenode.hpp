// homenode for C++20: the C interface with ownership, ranges and exceptions. Header only; what the
// functions do and which memory rules exist stands in homenode.h.
#pragma once

#include <homenode/homenode.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace homenode {
/// Kept apart from the library's own names, which the static library brings into the same program.
inline namespace v0 {

/// What went wrong, in one line that ends with what to do.
class Error : public std::runtime_error {
 public:
  Error(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  /// The hn_status.
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

namespace detail {

/// Takes a string of the library.
inline std::string take(char* text) {
  const std::unique_ptr<char, decltype(&hn_string_free)> owner(text, &hn_string_free);
  return text != nullptr ? text : "";
}

inline void check(int status, char* error) {
  std::string message = take(error);
  if (status != HN_OK) throw Error(status, message);
}

/// The numbers that a function of the library lists.
template <class List>
std::vector<int> listed(List list) {
  std::vector<int> numbers(list(nullptr, 0));
  numbers.resize(std::min(numbers.size(), list(numbers.data(), numbers.size())));
  return numbers;
}

}  // namespace detail

/// A machine as it was when it was read.
class Machine {
 public:
  /// `source` is "live", the path of an hwloc XML file or "synthetic:DESCRIPTION".
  explicit Machine(const std::string& source = "live") : handle_(nullptr, &hn_machine_free) {
    hn_machine* machine = nullptr;
    char* error = nullptr;
    const int status = hn_machine_load(source.c_str(), &machine, &error);
    handle_.reset(machine);
    detail::check(status, error);
  }

  [[nodiscard]] std::vector<int> nodes() const {
    return detail::listed([&](int* out, std::size_t capacity) {
      return hn_machine_nodes(handle_.get(), out, capacity);
    });
  }
  [[nodiscard]] std::vector<int> cpus(int node = HN_ALL_NODES) const {
    return detail::listed([&](int* out, std::size_t capacity) {
      return hn_machine_cpus(handle_.get(), node, out, capacity);
    });
  }
  [[nodiscard]] int node_of_cpu(int cpu) const {
    return hn_machine_node_of_cpu(handle_.get(), cpu);
  }
  [[nodiscard]] double distance(int from, int to) const {
    return hn_machine_distance(handle_.get(), from, to);
  }
  [[nodiscard]] double latency_ns(int from, int to) const {
    return hn_machine_latency_ns(handle_.get(), from, to);
  }
  [[nodiscard]] double bandwidth_mib_per_s(int from, int to) const {
    return hn_machine_bandwidth_mib_per_s(handle_.get(), from, to);
  }
  [[nodiscard]] std::int64_t memory_bytes(int node = HN_ALL_NODES) const {
    return hn_machine_memory_bytes(handle_.get(), node);
  }

 private:
  std::unique_ptr<hn_machine, decltype(&hn_machine_free)> handle_;
};

/// A range of memory that is placed as a whole. Moves, and is freed at the end.
class Region {
 public:
  /// Zeroed memory, placed by a rule or, without one, where it is first touched. Pages that could
  /// not be put where the rule wants them are no error: statistics() counts them.
  explicit Region(std::size_t bytes, const std::string& rule = "default")
      : Region([&](hn_region** region, char** error) {
          return hn_region_allocate(bytes, rule.c_str(), region, error);
        }) {}

  /// Memory that the program has and keeps. pre: it outlives the region.
  template <class T>
  static Region adopt(std::span<T> memory) {
    return Region([&](hn_region** region, char** error) {
      return hn_region_adopt(memory.data(), memory.size_bytes(), region, error);
    });
  }

  /// Places it anew; pages that are present elsewhere move and keep their content. True when every
  /// page is where the rule wants it.
  bool place(const std::string& rule) {
    char* error = nullptr;
    const int status = hn_region_place(handle_.get(), rule.c_str(), &error);
    return complete(status, error);
  }

  /// The same for an array that begins where the region does: "rows", "columns" and "blocks" cut it
  /// along its indices.
  bool place(const std::string& rule, const hn_array& array) {
    char* error = nullptr;
    const int status = hn_region_place_array(handle_.get(), &array, rule.c_str(), &error);
    return complete(status, error);
  }

  /// The name under which `homenode profile` shows it.
  void name(const std::string& name) {
    char* error = nullptr;
    const int status = hn_region_name(handle_.get(), name.c_str(), &error);
    detail::check(status, error);
  }

  /// Asks for huge pages, or forbids them.
  void use_huge_pages(bool wanted = true) {
    char* error = nullptr;
    const int status = hn_region_use_huge_pages(handle_.get(), wanted ? 1 : 0, &error);
    detail::check(status, error);
  }

  /// The memory as elements of T, as many as fit.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {static_cast<T*>(hn_region_address(handle_.get())), bytes() / sizeof(T)};
  }
  [[nodiscard]] std::size_t bytes() const { return hn_region_bytes(handle_.get()); }
  [[nodiscard]] std::size_t pages() const { return hn_region_pages(handle_.get()); }

  /// The node of each page as the kernel says, or HN_NO_NODE.
  [[nodiscard]] std::vector<int> nodes() const {
    std::vector<int> nodes(pages(), HN_NO_NODE);
    char* error = nullptr;
    const int status = hn_region_audit(handle_.get(), nodes.data(), nodes.size(), nullptr, &error);
    detail::check(status, error);
    return nodes;
  }
  /// Counts and reasons (schema homenode.audit/1).
  [[nodiscard]] std::string audit_json() const {
    char* json = nullptr;
    char* error = nullptr;
    const int status = hn_region_audit(handle_.get(), nullptr, 0, &json, &error);
    std::string text = detail::take(json);
    detail::check(status, error);
    return text;
  }
  [[nodiscard]] hn_statistics statistics() const {
    hn_statistics statistics{};
    hn_region_statistics(handle_.get(), &statistics);
    return statistics;
  }

 private:
  template <class Make>
  requires std::is_invocable_r_v<int, Make, hn_region**, char**>
  explicit Region(Make make) : handle_(nullptr, &hn_region_free) {
    hn_region* region = nullptr;
    char* error = nullptr;
    const int status = make(&region, &error);
    handle_.reset(region);
    complete(status, error);
  }

  static bool complete(int status, char* error) {
    detail::check(status == HN_INCOMPLETE ? HN_OK : status, error);
    return status == HN_OK;
  }

  std::unique_ptr<hn_region, decltype(&hn_region_free)> handle_;
};

namespace threads {

/// Binds the calling thread to CPUs, in numactl's notation.
inline void bind(const std::string& cpus) {
  char* error = nullptr;
  const int status = hn_thread_bind(cpus.c_str(), &error);
  detail::check(status, error);
}

/// Binds the calling thread to the CPUs that a thread map has for `rank`.
inline void bind_rank(const std::string& thread_map, std::size_t rank) {
  char* error = nullptr;
  const int status = hn_thread_bind_rank(thread_map.c_str(), rank, &error);
  detail::check(status, error);
}

/// The CPUs that the caller may run on.
inline std::vector<int> cpus() {
  return detail::listed(&hn_thread_cpus);
}

/// The CPU and the node that the caller runs on at this moment.
inline std::pair<int, int> where() {
  int cpu = 0;
  int node = HN_NO_NODE;
  char* error = nullptr;
  const int status = hn_thread_where(&cpu, &node, &error);
  detail::check(status, error);
  return {cpu, node};
}

/// Sets the policy of what the calling thread touches first from now on.
inline void place(const std::string& rule) {
  char* error = nullptr;
  const int status = hn_thread_place(rule.c_str(), &error);
  detail::check(status, error);
}

}  // namespace threads
}  // namespace v0
}  // namespace homenode
