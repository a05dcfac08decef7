#include "workloads/program/isa.h"

namespace homenode::workloads {

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  return false;
#endif
}

}  // namespace homenode::workloads
