// The bandwidth kernels as plain loops over the compiler's vectors, each in several forms. This one
// file is compiled once for each extension of the instruction set: HN_ISA names it and
// HN_VECTOR_BYTES is its width.
#include <cstddef>

// A copy must stay the loop that it is, not become a call of memcpy.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "workloads/probe/streams.h"

namespace homenode::workloads::probe {
namespace {

typedef double Vector __attribute__((vector_size(HN_VECTOR_BYTES)));
typedef long long Bits __attribute__((vector_size(HN_VECTOR_BYTES), may_alias));

constexpr std::size_t lanes = HN_VECTOR_BYTES / sizeof(double);
constexpr std::size_t line_bytes = line_elements * sizeof(double);
constexpr double factor = 3.0;

inline const Vector* vectors(const double* elements) {
  return reinterpret_cast<const Vector*>(elements);
}
inline Vector* vectors(double* elements) {
  return reinterpret_cast<Vector*>(elements);
}

#if HN_VECTOR_BYTES == 64 && defined(__AVX512F__)
#define HN_HAS_STREAMING 1
inline void store_past_caches(Vector* target, Vector value) {
  _mm512_stream_pd(reinterpret_cast<double*>(target), value);
}
#elif HN_VECTOR_BYTES == 32 && defined(__AVX__)
#define HN_HAS_STREAMING 1
inline void store_past_caches(Vector* target, Vector value) {
  _mm256_stream_pd(reinterpret_cast<double*>(target), value);
}
#elif HN_VECTOR_BYTES == 16 && defined(__SSE2__)
#define HN_HAS_STREAMING 1
inline void store_past_caches(Vector* target, Vector value) {
  _mm_stream_pd(reinterpret_cast<double*>(target), value);
}
#endif

#if !defined(HN_HAS_STREAMING) && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define HN_HAS_STREAMING 1
inline void store_past_caches(Vector* target, Vector value) {
  __builtin_nontemporal_store(value, target);
}
#endif
#endif

/// The arrays that a kernel loads.
struct Sources {
  const Vector* first;
  const Vector* second;
  const Vector* third;
};

/// What a kernel stores at a place, and how many of the arrays it loads for it.
struct Fill {
  static constexpr std::size_t loads = 0;
  static Vector at(const Sources& /*from*/, std::size_t /*i*/) { return Vector{} + factor; }
};
struct Copy {
  static constexpr std::size_t loads = 1;
  static Vector at(const Sources& from, std::size_t i) { return from.first[i]; }
};
struct Scale {
  static constexpr std::size_t loads = 1;
  static Vector at(const Sources& from, std::size_t i) { return factor * from.first[i]; }
};
struct Add {
  static constexpr std::size_t loads = 2;
  static Vector at(const Sources& from, std::size_t i) { return from.first[i] + from.second[i]; }
};
struct Triad {
  static constexpr std::size_t loads = 2;
  static Vector at(const Sources& from, std::size_t i) {
    return from.first[i] + factor * from.second[i];
  }
};
struct Sum {
  static constexpr std::size_t loads = 3;
  static Vector at(const Sources& from, std::size_t i) {
    return from.first[i] + from.second[i] + from.third[i];
  }
};

/// Brings the lines of one round into a cache before their loads; past an array's end it is no
/// access, so that nothing can go wrong there.
template <std::size_t round_bytes, std::size_t ahead>
inline void prefetch(const void* round) {
  const char* const first = static_cast<const char*>(round) + ahead;
#pragma GCC unroll 16
  for (std::size_t at = 0; at < round_bytes; at += line_bytes) __builtin_prefetch(first + at);
}

/// Several accumulators of an operation that takes one cycle: the loads alone decide the speed.
template <std::size_t unrolled, std::size_t ahead = 0>
double read(const Slice& slice) {
  const auto* const source = reinterpret_cast<const Bits*>(slice.source);
  Bits seen[unrolled] = {};
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
    if constexpr (ahead > 0) prefetch<unrolled * HN_VECTOR_BYTES, ahead>(source + i);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < unrolled; ++k) seen[k] |= source[i + k];
  }
  Bits all = {};
  for (std::size_t k = 0; k < unrolled; ++k) all |= seen[k];
  long long folded = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) folded |= all[lane];
  return static_cast<double>(folded);
}

template <class Operation, std::size_t unrolled, bool past_caches, std::size_t ahead>
double combine(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Sources from{vectors(slice.source), vectors(slice.second), vectors(slice.third)};
  constexpr std::size_t round_bytes = unrolled * HN_VECTOR_BYTES;
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
    if constexpr (ahead > 0 && Operation::loads > 0) prefetch<round_bytes, ahead>(from.first + i);
    if constexpr (ahead > 0 && Operation::loads > 1) prefetch<round_bytes, ahead>(from.second + i);
    if constexpr (ahead > 0 && Operation::loads > 2) prefetch<round_bytes, ahead>(from.third + i);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < unrolled; ++k) {
      const Vector value = Operation::at(from, i + k);
#ifdef HN_HAS_STREAMING
      if constexpr (past_caches) {
        store_past_caches(target + i + k, value);
        continue;
      }
#endif
      target[i + k] = value;
    }
  }
  // Also waits for the stores that went past the caches.
  if constexpr (past_caches) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return factor;
}

template <class Operation, std::size_t unrolled, bool past_caches = false, std::size_t ahead = 0>
constexpr Form form_of(Kernel kernel) {
  static_assert(block_elements % (unrolled * lanes) == 0);
  return {kernel, combine<Operation, unrolled, past_caches, ahead>, unrolled, past_caches, ahead};
}
template <std::size_t unrolled, std::size_t ahead = 0>
constexpr Form read_form() {
  static_assert(block_elements % (unrolled * lanes) == 0);
  return {Kernel::read, read<unrolled, ahead>, unrolled, false, ahead};
}

// The forms of a kernel that loads and stores. What is here was the fastest on some CPU, with some
// number of threads; a trial costs milliseconds a form.
#ifdef HN_HAS_STREAMING
#define HN_STREAMING_FORMS(kernel, Operation)                                     \
  form_of<Operation, 4, true>(kernel), form_of<Operation, 4, true, 1024>(kernel), \
      form_of<Operation, 4, true, 2048>(kernel), form_of<Operation, 4, true, 4096>(kernel),
#define HN_STREAMING_FILLS \
  form_of<Fill, 8, true>(Kernel::write_nt), form_of<Fill, 4, true>(Kernel::write_nt),
#else
#define HN_STREAMING_FORMS(kernel, Operation)
#define HN_STREAMING_FILLS
#endif
#define HN_COMBINING_FORMS(kernel, Operation)                                                  \
  form_of<Operation, 8>(kernel), form_of<Operation, 4>(kernel), form_of<Operation, 1>(kernel), \
      form_of<Operation, 4, false, 1024>(kernel), HN_STREAMING_FORMS(kernel, Operation)

}  // namespace

const Form HN_FORMS(HN_ISA)[] = {
    read_form<8>(),
    read_form<4>(),
    read_form<2>(),
    read_form<4, 1024>(),
    form_of<Fill, 8>(Kernel::write),
    form_of<Fill, 4>(Kernel::write),
    form_of<Fill, 1>(Kernel::write),
    HN_STREAMING_FILLS                          //
        HN_COMBINING_FORMS(Kernel::copy, Copy)  //
    HN_COMBINING_FORMS(Kernel::scale, Scale)    //
    HN_COMBINING_FORMS(Kernel::add, Add)        //
    HN_COMBINING_FORMS(Kernel::triad, Triad)    //
    HN_COMBINING_FORMS(Kernel::sum, Sum)        //
    {},
};

}  // namespace homenode::workloads::probe
