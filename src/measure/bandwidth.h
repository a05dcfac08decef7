// Bandwidth: kernels over arrays, by one CPU, by all of a node, by everybody at once.
#pragma once

#include "measure/report.h"
#include "measure/session.h"

namespace homenode::measure {

Result<BandwidthFigure> measure_bandwidth(Session& session, const BandwidthItem& item);
Result<TogetherFigure> measure_together(Session& session, const TogetherItem& item);

/// Where a member walks: a part of each array of each memory that it uses, block by block, from one
/// memory to the next. Pure; the arrays of a kernel share the stream array of a memory, at
/// distances that are no powers of two where there is room for that.
class Walk {
 public:
  /// One memory's stream array.
  struct Array {
    double* first = nullptr;
    std::size_t elements = 0;
  };
  struct Shape {
    std::size_t arrays = 1;  ///< That the kernel needs, 1 to 4.
    std::size_t part = 0;    ///< Which of `parts` equal parts is the member's.
    std::size_t parts = 1;
    std::size_t turn_elements = 0;  ///< Before the walk goes on to the next memory; 0: never.
    std::size_t first_memory = 0;
  };
  /// pre: memories is not empty, each holds a block for every part of every array.
  Walk(std::vector<Array> memories, const Shape& shape);

  /// The next slices, `elements` of each array in sum (whole blocks), going round where the part
  /// ends.
  std::vector<workloads::probe::Slice> next(std::size_t elements);
  /// Of each array, in all memories: how much there is before the walk comes back.
  [[nodiscard]] std::size_t elements() const;

 private:
  struct Place {
    double* first = nullptr;         ///< Of the member's part of the first array.
    std::size_t array_elements = 0;  ///< From an array to the next.
    std::size_t part_elements = 0;
    std::size_t at = 0;
  };
  std::vector<Place> places_;
  std::size_t arrays_;
  std::size_t turn_elements_;
  std::size_t now_;
};

}  // namespace homenode::measure
