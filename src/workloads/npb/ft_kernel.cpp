#include "workloads/npb/ft_kernel.h"

#include <omp.h>

#include "workloads/npb/ft_line.h"
#include "workloads/npb/random.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

enum class Direction { forward, inverse };

/// A thread's room for a bunch of lines on its way.
struct Room {
  Bunch first;
  Bunch second;
};

inline Room room_of(const FtJob& job) {
  const std::size_t part = ft_lines * job.longest;
  double* const begin =
      job.scratch + static_cast<std::size_t>(omp_get_thread_num()) * ft_scratch(job.longest);
  return {{begin, begin + part}, {begin + 2 * part, begin + 3 * part}};
}

inline Bunch swap_parts(Bunch bunch) {
  return {bunch.imaginary, bunch.real};
}

/// Transforms what is in room.first; the inverse is the same with the parts swapped twice.
inline Bunch transform_in(const FtJob& job, const Room& room, std::size_t n, Direction direction) {
  const Roots roots{job.root_real, job.root_imaginary, job.longest};
  if (direction == Direction::forward) return transform(room.first, room.second, n, roots);
  return swap_parts(transform(swap_parts(room.first), swap_parts(room.second), n, roots));
}

/// Lines along x, which lie one after the other.
void along_x(const FtJob& job, double* plane, const Room& room, Direction direction) {
  const std::size_t n = job.nx;
  for (std::size_t y = 0; y < job.ny; y += ft_lines) {
    double* const lines = plane + 2 * y * n;
    for (std::size_t x = 0; x < n; ++x) {
      for (std::size_t l = 0; l < ft_lines; ++l) {
        room.first.real[x * ft_lines + l] = lines[2 * (l * n + x)];
        room.first.imaginary[x * ft_lines + l] = lines[2 * (l * n + x) + 1];
      }
    }
    const Bunch done = transform_in(job, room, n, direction);
    for (std::size_t l = 0; l < ft_lines; ++l) {
      for (std::size_t x = 0; x < n; ++x) {
        lines[2 * (l * n + x)] = done.real[x * ft_lines + l];
        lines[2 * (l * n + x) + 1] = done.imaginary[x * ft_lines + l];
      }
    }
  }
}

/// Lines whose elements are `stride` numbers apart and that lie next to each other.
inline void load(const double* from, std::size_t stride, std::size_t n, Bunch bunch) {
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = from + 2 * i * stride;
#pragma omp simd
    for (std::size_t l = 0; l < ft_lines; ++l) {
      bunch.real[i * ft_lines + l] = row[2 * l];
      bunch.imaginary[i * ft_lines + l] = row[2 * l + 1];
    }
  }
}

inline void store(Bunch bunch, std::size_t n, std::size_t stride, double* to) {
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = to + 2 * i * stride;
#pragma omp simd
    for (std::size_t l = 0; l < ft_lines; ++l) {
      row[2 * l] = bunch.real[i * ft_lines + l];
      row[2 * l + 1] = bunch.imaginary[i * ft_lines + l];
    }
  }
}

void along_y(const FtJob& job, double* plane, const Room& room, Direction direction) {
  for (std::size_t x = 0; x < job.nx; x += ft_lines) {
    load(plane + 2 * x, job.nx, job.ny, room.first);
    store(transform_in(job, room, job.ny, direction), job.ny, job.nx, plane + 2 * x);
  }
}

/// Loads lines of the spectrum a step on, and leaves them so there too.
inline void load_advanced(const FtJob& job, std::size_t at, std::size_t stride, Bunch bunch) {
  for (std::size_t i = 0; i < job.nz; ++i) {
    double* const row = job.spectrum + 2 * (at + i * stride);
    const double* const factor = job.factor + at + i * stride;
#pragma omp simd
    for (std::size_t l = 0; l < ft_lines; ++l) {
      const double real = row[2 * l] * factor[l];
      const double imaginary = row[2 * l + 1] * factor[l];
      row[2 * l] = real;
      row[2 * l + 1] = imaginary;
      bunch.real[i * ft_lines + l] = real;
      bunch.imaginary[i * ft_lines + l] = imaginary;
    }
  }
}

/// A plane of the random field, and of the factors.
void make_plane(const FtJob& job, std::size_t z) {
  const std::size_t cells = job.nx * job.ny;
  double* const field = job.field + 2 * z * cells;
  std::uint64_t state = random_after(random_seed, 2 * z * cells);
  for (std::size_t i = 0; i < 2 * cells; ++i) field[i] = random_next(state);
  for (std::size_t y = 0; y < job.ny; ++y) {
    const double of_line = job.factor_z[z] * job.factor_y[y];
    double* const line = job.factor + z * cells + y * job.nx;
#pragma omp simd
    for (std::size_t x = 0; x < job.nx; ++x) line[x] = of_line * job.factor_x[x];
  }
}

void begin(const FtJob& job) {
  const std::size_t cells = job.nx * job.ny;
#pragma omp parallel num_threads(job.threads)
  {
    const Room room = room_of(job);
#pragma omp for schedule(static)
    for (std::size_t z = 0; z < job.nz; ++z) {
      make_plane(job, z);
      double* const plane = job.field + 2 * z * cells;
      along_x(job, plane, room, Direction::forward);
      along_y(job, plane, room, Direction::forward);
    }
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < job.ny; ++y) {
      for (std::size_t x = 0; x < job.nx; x += ft_lines) {
        const std::size_t at = y * job.nx + x;
        load(job.field + 2 * at, cells, job.nz, room.first);
        store(transform_in(job, room, job.nz, Direction::forward), job.nz, cells,
              job.spectrum + 2 * at);
      }
    }
  }
}

void step(const FtJob& job) {
  const std::size_t cells = job.nx * job.ny;
#pragma omp parallel num_threads(job.threads)
  {
    const Room room = room_of(job);
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < job.ny; ++y) {
      for (std::size_t x = 0; x < job.nx; x += ft_lines) {
        const std::size_t at = y * job.nx + x;
        load_advanced(job, at, cells, room.first);
        store(transform_in(job, room, job.nz, Direction::inverse), job.nz, cells,
              job.field + 2 * at);
      }
    }
#pragma omp for schedule(static)
    for (std::size_t z = 0; z < job.nz; ++z) {
      double* const plane = job.field + 2 * z * cells;
      along_y(job, plane, room, Direction::inverse);
      along_x(job, plane, room, Direction::inverse);
    }
  }
}

}  // namespace

constinit const FtKernel ft_kernel{begin, step};

}  // namespace homenode::workloads::npb::HN_ISA
