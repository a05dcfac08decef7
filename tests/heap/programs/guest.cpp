// heap_guest.so: a library as programs load them at run time. It allocates in its constructors, in
// thread-local objects and at exit, and hands blocks to its host.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// Constructed when the library is loaded, destroyed when it goes or the process ends.
struct Global {
  std::vector<std::string> words = std::vector<std::string>(100, std::string(200, 'g'));
  ~Global() { free(malloc(words.size() * 100)); }
};

Global global;

struct PerThread {
  std::vector<std::string> words;
  ~PerThread() { words.emplace_back(500, 'e'); }
};

thread_local PerThread per_thread;

__attribute__((constructor)) void enter() {
  free(strdup("constructed"));
}
__attribute__((destructor)) void leave() {
  free(strdup("destructed"));
}

}  // namespace

extern "C" {

char* guest_duplicate(const char* text) {
  return strdup(text);
}

void guest_release(char* text) {
  free(text);
}

// Opens a library that only the caller's own search path leads to.
void* guest_open(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) free(strdup(dlerror()));
  return library;
}

// Fills a container of the calling thread and one of a thread of its own; the words of the latter.
int guest_live(int count) {
  per_thread.words.emplace_back(100, 'm');
  std::size_t size = 0;
  std::thread([&] {
    for (int i = 0; i < count; i++) per_thread.words.emplace_back(static_cast<std::size_t>(i), 't');
    size = per_thread.words.size();
  }).join();
  return static_cast<int>(size);
}

}  // extern "C"
