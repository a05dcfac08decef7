#include "workloads/probe/kernels.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace homenode::workloads::probe {
namespace {

constexpr std::array<Traffic, kernel_count> table{{
    {Kernel::read, "read", 1, 0, false, "… = a[i]"},
    {Kernel::write, "write", 0, 1, true, "a[i] = s"},
    {Kernel::write_nt, "write-nt", 0, 1, false, "a[i] = s, past the caches"},
    {Kernel::copy, "copy", 1, 1, true, "a[i] = b[i]"},
    {Kernel::scale, "scale", 1, 1, true, "a[i] = s * b[i]"},
    {Kernel::add, "add", 2, 1, true, "a[i] = b[i] + c[i]"},
    {Kernel::triad, "triad", 2, 1, true, "a[i] = b[i] + s * c[i]"},
    {Kernel::sum, "sum", 3, 1, true, "a[i] = b[i] + c[i] + d[i]"},
}};

KernelSet make_set(std::string_view name, bool (*supported)(), const Form* forms) {
  KernelSet set{name, supported, forms, {}};
  for (const Form* form = forms; form->run != nullptr; ++form) {
    StreamKernel& plainest = set.streams[static_cast<std::size_t>(form->kernel)];
    if (plainest == nullptr) plainest = form->run;
  }
  return set;
}

bool always() {
  return true;
}

#if defined(__x86_64__)
// The compiler's test also asks whether the operating system saves the wide registers.
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0;
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
#endif

/// Spends time without touching memory.
void idle(std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) asm volatile("" ::: "memory");
}

}  // namespace

std::span<const Traffic> kernels() {
  return table;
}

const Traffic& traffic(Kernel kernel) {
  const auto index = static_cast<std::size_t>(kernel);
  assert(table[index].kernel == kernel);
  return table[index];
}

std::optional<Kernel> find_kernel(std::string_view name) {
  for (const Traffic& entry : table) {
    if (entry.name == name) return entry.kernel;
  }
  return std::nullopt;
}

std::span<const KernelSet> kernel_sets() {
#if defined(__x86_64__)
  static const std::array<KernelSet, 3> sets{make_set("avx512", has_avx512, forms_avx512),
                                             make_set("avx2", has_avx2, forms_avx2),
                                             make_set("sse2", always, forms_sse2)};
#else
  static const std::array<KernelSet, 1> sets{make_set("generic", always, forms_generic)};
#endif
  return sets;
}

const KernelSet* find_kernel_set(std::string_view name) {
  for (const KernelSet& set : kernel_sets()) {
    if ((name.empty() || set.name == name) && set.supported()) return &set;
  }
  return nullptr;
}

std::string Variant::name() const {
  std::string text = std::string(set->name) + " x" + std::to_string(form->vectors);
  if (form->past_caches) text += ", non-temporal";
  if (form->ahead_bytes > 0) text += ", prefetch " + std::to_string(form->ahead_bytes);
  return text;
}

std::vector<Variant> variants_of(Kernel kernel, std::string_view isa) {
  std::vector<Variant> variants;
  for (const KernelSet& set : kernel_sets()) {
    if ((!isa.empty() && set.name != isa) || !set.supported()) continue;
    for (const Form* form = set.forms; form->run != nullptr; ++form) {
      if (form->kernel == kernel) variants.push_back({&set, form});
    }
  }
  return variants;
}

std::size_t fastest(std::size_t candidates, const std::function<double(std::size_t)>& seconds) {
  assert(candidates > 0);
  std::vector<double> least(candidates, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> left(candidates);
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (left.size() > 1) {
    for (std::size_t turn = 0; turn < tries_in_turn; ++turn) {
      for (const std::size_t i : left) least[i] = std::min(least[i], seconds(i));
    }
    std::stable_sort(left.begin(), left.end(),
                     [&](std::size_t a, std::size_t b) { return least[a] < least[b]; });
    left.resize((left.size() + 1) / 2);
  }
  return left.front();
}

std::size_t array_distance(std::size_t elements) {
  constexpr std::size_t page = 4096 / sizeof(double);
  constexpr std::size_t odd = page + line_elements;
  if (elements < 256 * page) return elements / block_elements * block_elements;
  return (elements - odd) / (2 * page) * (2 * page) + odd;
}

std::uint64_t inject(const Injection& injection, const std::atomic<bool>& stop) {
  assert(injection.first < injection.count && injection.count % injected_elements == 0);
  std::uint64_t elements = 0;
  std::size_t at = injection.first;
  while (!stop.load(std::memory_order_relaxed)) {
    (void)injection.read({nullptr, injection.source + at, nullptr, injected_elements});
    elements += injected_elements;
    at += injected_elements;
    if (at == injection.count) at = 0;
    idle(injection.idle_rounds);
  }
  return elements;
}

}  // namespace homenode::workloads::probe
