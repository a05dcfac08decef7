#include "model/shared.h"
#include "model/table.h"

namespace homenode::model {

Result<Prediction> by_bandwidth(const Rates& rates, const Program& program, const Layout& layout) {
  return by_fair_shares("bandwidth", rates, program, layout, Latency::ignored);
}

}  // namespace homenode::model
