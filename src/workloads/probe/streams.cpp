// The bandwidth kernels as plain loops over the compiler's vectors. This one file is compiled once
// for each extension of the instruction set: HN_ISA names it and HN_VECTOR_BYTES is its width.
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
constexpr std::size_t unrolled = 8;
constexpr double factor = 3.0;

inline const Vector* vectors(const double* elements) {
  return reinterpret_cast<const Vector*>(elements);
}
inline Vector* vectors(double* elements) {
  return reinterpret_cast<Vector*>(elements);
}

/// Several accumulators of an operation that takes one cycle: the loads alone decide the speed.
double read(const Slice& slice) {
  const auto* const source = reinterpret_cast<const Bits*>(slice.source);
  Bits seen[unrolled] = {};
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) seen[k] |= source[i + k];
  }
  Bits all = {};
  for (std::size_t k = 0; k < unrolled; ++k) all |= seen[k];
  long long folded = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) folded |= all[lane];
  return static_cast<double>(folded);
}

double write(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Vector value = Vector{} + factor;
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) target[i + k] = value;
  }
  return factor;
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

#ifdef HN_HAS_STREAMING
double write_nt(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Vector value = Vector{} + factor;
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) store_past_caches(target + i + k, value);
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);  // Also waits for the stores that went past the caches.
  return factor;
}
#else
constexpr StreamKernel write_nt = nullptr;
#endif

double copy(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Vector* const source = vectors(slice.source);
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) target[i + k] = source[i + k];
  }
  return factor;
}

double scale(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Vector* const source = vectors(slice.source);
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) target[i + k] = factor * source[i + k];
  }
  return factor;
}

double add(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Vector* const source = vectors(slice.source);
  const Vector* const second = vectors(slice.second);
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) target[i + k] = source[i + k] + second[i + k];
  }
  return factor;
}

double triad(const Slice& slice) {
  Vector* const target = vectors(slice.target);
  const Vector* const source = vectors(slice.source);
  const Vector* const second = vectors(slice.second);
  for (std::size_t i = 0; i < slice.count / lanes; i += unrolled) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < unrolled; ++k) {
      target[i + k] = source[i + k] + factor * second[i + k];
    }
  }
  return factor;
}

}  // namespace

const StreamKernel HN_STREAMS(HN_ISA)[] = {read, write, write_nt, copy, scale, add, triad};

}  // namespace homenode::workloads::probe
