// What a C++ program outside this project does: a region of numbers, placed and audited.
#include <homenode/roi.h>
#include <homenode/homenode.hpp>

#include <cstdio>

int main() {
  try {
    homenode::Region region(8 * hn_page_bytes(), "cyclic");
    { const homenode::Roi of_all(homenode::Roi::Processes::all); }
    const homenode::Roi roi;
    region.as<double>()[3] = 1.0;
    return region.nodes()[7] != HN_NO_NODE ? 0 : 1;
  } catch (const homenode::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
