#include "trial/numa_mem/record.h"

#include <algorithm>

namespace homenode::trial {

workloads::numa_mem::Use use_of(std::span<const NumaMemRecord> users,
                                std::uint64_t NumaMemRecord::*updates, bool with_locked_part) {
  workloads::numa_mem::Use use{static_cast<unsigned>(users.size()), users.front().loops, 0, 0, 0};
  for (const NumaMemRecord& user : users) {
    use.least_loops = std::min(use.least_loops, user.loops);
    use.most_loops = std::max(use.most_loops, user.loops);
    use.walks += user.loops * (with_locked_part ? 2 : 1);
    use.updates += user.*updates;
  }
  return use;
}

void to_json(nlohmann::json& json, const NumaMemRecord& record) {
  json = {{"loops", record.loops},
          {"start_s", record.start_s},
          {"end_s", record.end_s},
          {"user_s", record.user_s},
          {"system_s", record.system_s},
          {"right", record.right},
          {"updates_global", record.updates_global},
          {"wrong_in_thread", record.wrong_in_thread}};
}

void from_json(const nlohmann::json& json, NumaMemRecord& record) {
  record.loops = json.value("loops", record.loops);
  record.start_s = json.value("start_s", 0.0);
  record.end_s = json.value("end_s", 0.0);
  record.user_s = json.value("user_s", 0.0);
  record.system_s = json.value("system_s", 0.0);
  record.right = json.value("right", false);
  record.updates_global = json.value("updates_global", record.updates_global);
  record.wrong_in_thread = json.value("wrong_in_thread", record.wrong_in_thread);
}

}  // namespace homenode::trial
