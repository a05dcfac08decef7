// The least that the compiler is asked to compile, when the benchmark is only tried out.
#include <vector>

std::vector<int> numbers(int count) {
  return std::vector<int>(static_cast<unsigned>(count), 1);
}
