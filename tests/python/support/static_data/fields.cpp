// A C++ program that allocates from two functions, by operator new and in a vector, and says where
// the memory lies (maps.c). What cannot be had is an exception as ever.
#include <cstdio>
#include <new>
#include <vector>

extern "C" void print_maps_of(const char* name, void* memory, std::size_t bytes);

namespace fields {

double density[64 * 1024];

[[gnu::noinline]] char* make_field(std::size_t bytes) {
  return new char[bytes];
}

[[gnu::noinline]] char* make_other(std::size_t bytes) {
  return new (std::align_val_t(4096)) char[bytes];
}

[[gnu::noinline]] std::vector<char> make_vector(std::size_t bytes) {
  return std::vector<char>(bytes, 'x');
}

}  // namespace fields

int main() {
  constexpr std::size_t bytes = 300000;
  print_maps_of("density", fields::density, sizeof fields::density);
  print_maps_of("field", fields::make_field(bytes), bytes);
  print_maps_of("other", fields::make_other(bytes), bytes);
  std::vector<char> vector = fields::make_vector(bytes);
  print_maps_of("vector", vector.data(), bytes);
  try {
    volatile std::size_t all = ~std::size_t{0} / 4;
    std::printf("got %p\n", static_cast<void*>(fields::make_field(all)));
  } catch (const std::bad_alloc&) {
    std::puts("bad_alloc is caught");
  }
  print_maps_of("field_after", fields::make_field(bytes), bytes);
}
