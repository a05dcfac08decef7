#include "workloads/stream/stream.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "workloads/program/program.h"
#include "workloads/program/team.h"

namespace homenode::workloads::stream {
namespace {

using probe::Kernel;

constexpr double factor = 3.0;  // STREAM's, and that of the kernels.
/// Rounding may differ from the one element that is followed alone: the kernels may fuse.
constexpr double rounding = 1e-12;

struct Arrays {
  double* a;
  double* b;
  double* c;
};

std::vector<Kernel> kernels_of(const StreamShape& shape) {
  if (shape.kernel) return {*shape.kernel};
  return {Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad};
}

probe::Slice slice_of(Kernel kernel, const Arrays& arrays, Part part) {
  double* const a = arrays.a + part.first;
  double* const b = arrays.b + part.first;
  double* const c = arrays.c + part.first;
  switch (kernel) {
    case Kernel::copy:
      return {c, a, nullptr, part.count};
    case Kernel::scale:
      return {b, c, nullptr, part.count};
    case Kernel::add:
      return {c, a, b, part.count};
    default:
      return {a, b, c, part.count};
  }
}

/// The element that is furthest from what it should be.
double worst(const double* array, std::size_t count, double expected) {
  return *std::max_element(array, array + count, [expected](double x, double y) {
    return std::abs(x - expected) < std::abs(y - expected);
  });
}

class Stream final : public Program {
 public:
  explicit Stream(const StreamShape& shape) : shape_(shape) {}

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    const std::size_t bytes = shape_.elements * sizeof(double);
    const Sharing sharing = shape_.shape == TeamShape::nested ? Sharing::parts : Sharing::all;
    return {{"a", bytes, sharing}, {"b", bytes, sharing}, {"c", bytes, sharing}};
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(memory.size() == 3);
    const Arrays arrays{static_cast<double*>(memory[0]), static_cast<double*>(memory[1]),
                        static_cast<double*>(memory[2])};
    const auto parts =
        parts_of({shape_.elements, probe::block_elements, threads, shape_.teams, shape_.shape});
    const std::vector<Kernel> kernels = kernels_of(shape_);
    const probe::KernelSet& set = *probe::find_kernel_set();
    ProgramOutcome outcome;
    TimedPart part;
#pragma omp parallel num_threads(static_cast <int>(threads))
    {
      const unsigned rank = enter_team();
      initialise(arrays, parts[0][rank]);
#pragma omp barrier
      if (rank == 0) part.begin();
#pragma omp barrier
      for (unsigned pass = 0; pass < shape_.passes; ++pass) {
        const std::size_t stage = pass * parts.size() / shape_.passes;
        for (const Kernel kernel : kernels) {
          set.streams[static_cast<std::size_t>(kernel)](
              slice_of(kernel, arrays, parts[stage][rank]));
        }
#pragma omp barrier
      }
      if (rank == 0) {
        outcome.seconds = part.end();
      }
    }
    for (const Kernel kernel : kernels) {
      outcome.operations += static_cast<double>(probe::traffic(kernel).counted_bytes()) *
                            static_cast<double>(shape_.elements) * shape_.passes;
    }
    outcome.unit = "MB/s";
    const Values right = expected_values(shape_);
    outcome.checks = {{"a", worst(arrays.a, shape_.elements, right.a), right.a, rounding},
                      {"b", worst(arrays.b, shape_.elements, right.b), right.b, rounding},
                      {"c", worst(arrays.c, shape_.elements, right.c), right.c, rounding}};
    return outcome;
  }

 private:
  static void initialise(const Arrays& arrays, Part part) {
    const Values start;
    std::fill_n(arrays.a + part.first, part.count, start.a);
    std::fill_n(arrays.b + part.first, part.count, start.b);
    std::fill_n(arrays.c + part.first, part.count, start.c);
  }

  StreamShape shape_;
};

}  // namespace

Values expected_values(const StreamShape& shape) {
  Values values;
  for (unsigned pass = 0; pass < shape.passes; ++pass) {
    for (const Kernel kernel : kernels_of(shape)) {
      if (kernel == Kernel::copy) values.c = values.a;
      if (kernel == Kernel::scale) values.b = factor * values.c;
      if (kernel == Kernel::add) values.c = values.a + values.b;
      if (kernel == Kernel::triad) values.a = values.b + factor * values.c;
    }
  }
  return values;
}

std::unique_ptr<Program> make_stream(const StreamShape& shape) {
  return std::make_unique<Stream>(shape);
}

Description describe() {
  Description described = description_of(
      "stream", "STREAM's four loops, by teams of threads on their own or each other's data",
      "--size, 96 MiB", "equal parts; with teams also each other's",
      "STREAM: McCalpin 1995; teams: ForestGOMP");
  described.parameters = {
      byte_size("size", "96M", "memory of the three arrays together"),
      whole_number("passes", "10", "passes over the arrays", 1, most_passes),
      one_of("kernel", "all", "which loop: copy, scale, add, triad, or all in turn",
             {{"copy", "copy", "c = a."},
              {"scale", "scale", "b = q c."},
              {"add", "add", "c = a + b."},
              {"triad", "triad", "a = b + q c."},
              {"all", "all", "The four loops in turn."}}),
      whole_number("teams", "1", "teams of threads, each with its own set of data", 1),
      one_of("team-shape", "nested",
             "nested: each team on its own set; twisted: on the next team's in the second "
             "half of the passes; imbalanced: sets of sizes 1 : 2 : 3 ...",
             {{"nested", "nested", "Each team works on its own set."},
              {"twisted", "twisted",
               "Each team works on its own set in the first half of the passes and on the "
               "next team's in the second."},
              {"imbalanced", "imbalanced",
               "Each team works on its own set; the sizes of the sets are 1 : 2 : 3 ..."}})};
  add_program_parameters(described);
  described.metrics = program_metrics("MB/s", "bytes, as STREAM counts them,");
  return described;
}

}  // namespace homenode::workloads::stream
