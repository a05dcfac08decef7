// Numeric kernels are compiled once for each instruction set (CMakeLists.txt, kernel_sources), in a
// namespace that the build names HN_ISA, and chosen when the program runs. A kernel file includes
// no header with inline code that it calls: the linker could keep the copy that was compiled for
// the wider set, and run it on a CPU without. A test looks that no kernel defines such a symbol.
#pragma once

namespace homenode::workloads {

/// Whether this CPU and its operating system have AVX2, FMA and BMI.
bool has_avx2();

}  // namespace homenode::workloads

/// Declares `const Type name`, which a kernel file defines in the namespace HN_ISA, a structure of
/// pointers to functions; and name##_here(), which gives the one for this CPU.
#if defined(__x86_64__)
#define HN_KERNELS(Type, name)                                            \
  namespace baseline {                                                    \
  extern const Type name;                                                 \
  }                                                                       \
  namespace avx2 {                                                        \
  extern const Type name;                                                 \
  }                                                                       \
  inline const Type& name##_here() {                                      \
    return homenode::workloads::has_avx2() ? avx2::name : baseline::name; \
  }
#else
#define HN_KERNELS(Type, name)       \
  namespace baseline {               \
  extern const Type name;            \
  }                                  \
  inline const Type& name##_here() { \
    return baseline::name;           \
  }
#endif
