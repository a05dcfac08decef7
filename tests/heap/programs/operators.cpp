// heap_operators: every form of C++'s new and delete, what happens when memory ends, and
// containers.
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr std::size_t most = static_cast<std::size_t>(PTRDIFF_MAX);

void plain_forms() {
  for (std::size_t size = 0; size < 70000; size = size * 3 / 2 + 1) {
    void* one = ::operator new(size);
    void* two = ::operator new[](size);
    void* three = ::operator new(size, std::nothrow);
    void* four = ::operator new[](size, std::nothrow);
    CHECK(one != nullptr && two != nullptr && three != nullptr && four != nullptr);
    CHECK(one != two && two != three && three != four);
    for (void* block : {one, two, three, four}) {
      CHECK(is_aligned(block, __STDCPP_DEFAULT_NEW_ALIGNMENT__));
      CHECK(malloc_usable_size(block) >= size);
      fill(block, size, size);
    }
    ::operator delete(one, size);
    ::operator delete[](two, size);
    ::operator delete(three, std::nothrow);
    ::operator delete[](four, std::nothrow);
    ::operator delete(::operator new(size));
    ::operator delete[](::operator new[](size));
  }
  ::operator delete(nullptr);
  ::operator delete[](nullptr);
  ::operator delete (nullptr, std::size_t{8});
}

void aligned_forms() {
  for (std::size_t power = 1; power <= std::size_t{1} << 20; power *= 2) {
    const auto alignment = static_cast<std::align_val_t>(power);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100}, power * 2}) {
      void* one = ::operator new(size, alignment);
      void* two = ::operator new[](size, alignment);
      void* three = ::operator new(size, alignment, std::nothrow);
      void* four = ::operator new[](size, alignment, std::nothrow);
      for (void* block : {one, two, three, four}) {
        CHECK(block != nullptr && is_aligned(block, power));
        fill(block, size, power);
      }
      ::operator delete(one, alignment);
      ::operator delete[](two, size, alignment);
      ::operator delete(three, alignment, std::nothrow);
      ::operator delete[](four, alignment, std::nothrow);
      ::operator delete(::operator new(size, alignment), size, alignment);
    }
  }
}

int handler_calls = 0;

void give_up_after_three() {
  if (++handler_calls == 3) std::set_new_handler(nullptr);
}

template <typename Allocate>
void refused(Allocate allocate, bool throws) {
  handler_calls = 0;
  std::set_new_handler(give_up_after_three);
  bool thrown = false;
  void* block = nullptr;
  try {
    block = allocate(opaque(most) + 1);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  CHECK(block == nullptr);
  CHECK(thrown == throws);
  CHECK(handler_calls == 3);
  std::set_new_handler(nullptr);
}

void memory_ends() {
  const auto page = static_cast<std::align_val_t>(4096);
  refused([](std::size_t size) { return ::operator new(size); }, true);
  refused([](std::size_t size) { return ::operator new[](size); }, true);
  refused([&](std::size_t size) { return ::operator new(size, page); }, true);
  refused([&](std::size_t size) { return ::operator new[](size, page); }, true);
  refused([](std::size_t size) { return ::operator new(size, std::nothrow); }, false);
  refused([](std::size_t size) { return ::operator new[](size, std::nothrow); }, false);
  refused([&](std::size_t size) { return ::operator new(size, page, std::nothrow); }, false);
  refused([&](std::size_t size) { return ::operator new[](size, page, std::nothrow); }, false);
  bool thrown = false;
  try {
    std::string(opaque(most) / 2, 'x').clear();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  CHECK(thrown);
}

// A handler may leave by an exception of bad_alloc's kin.
void handler_may_throw() {
  struct Stopped : std::bad_alloc {};
  std::set_new_handler([] { throw Stopped{}; });
  bool stopped = false;
  try {
    ::operator delete(::operator new(opaque(most) + 1));
  } catch (const Stopped&) {
    stopped = true;
  }
  CHECK(stopped);
  CHECK(::operator new(opaque(most) + 1, std::nothrow) == nullptr);
  std::set_new_handler(nullptr);
}

struct alignas(256) Wide {
  char bytes[300];
};

void containers() {
  std::map<int, std::string> words;
  std::vector<std::unique_ptr<Wide>> wide;
  for (int i = 0; i < 20000; i++) {
    words[i * 7919 % 20011] = std::string(static_cast<std::size_t>(i % 300), 'w');
    if (i % 20 == 0) wide.push_back(std::make_unique<Wide>());
    if (i % 3 == 0) words.erase(i * 31 % 20011);
  }
  for (const auto& block : wide) CHECK(is_aligned(block.get(), 256));
  for (const auto& [key, text] : words) CHECK(text.size() == text.find_last_of('w') + 1);
  int caught = 0;
  for (int i = 0; i < 1000; i++) {
    try {
      throw std::string(1000, 'e');
    } catch (const std::string& text) {
      caught += text.size() == 1000;
    }
  }
  CHECK(caught == 1000);
}

}  // namespace

int main(int argc, char** argv) {
  static const section sections[] = {
      {"plain_forms", plain_forms}, {"aligned_forms", aligned_forms},
      {"memory_ends", memory_ends}, {"handler_may_throw", handler_may_throw},
      {"containers", containers},
  };
  return run_sections(argc, argv, sections, sizeof sections / sizeof *sections);
}
