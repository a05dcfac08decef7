// What the lab counts of a program of one's own, in C++: the sum alone, not how the array is
// filled. c++ -std=c++20 own_program.cpp $(pkg-config --cflags homenode) -o own_program homenode
// lab run --machine quad-4x2 --stats -- ./own_program
#include <homenode/roi.h>

#include <iostream>
#include <numeric>
#include <vector>

double sum_of(const std::vector<double>& array) {
  const homenode::Roi roi;  // To the end of this function.
  return std::accumulate(array.begin(), array.end(), 0.0);
}

int main() {
  std::vector<double> array(1 << 20);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<double>(i % 2);
  std::cout << "sum " << static_cast<long>(sum_of(array)) << "\n";
  return 0;
}
