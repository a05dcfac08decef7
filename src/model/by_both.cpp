#include "model/shared.h"
#include "model/table.h"

namespace homenode::model {

Result<Prediction> by_both(const Rates& rates, const Program& program, const Layout& layout) {
  if (!rates.latency_s) {
    return not_supported("no latency of this machine is known",
                         "measure it with 'homenode measure --latency'");
  }
  return by_fair_shares("both", rates, program, layout, Latency::waited_for);
}

}  // namespace homenode::model
