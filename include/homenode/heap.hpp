// Heaps on nodes for C++17: ownership, std::pmr and allocators of containers. Header only; what the
// functions do stands in heap.h.
#pragma once

#include <homenode/heap.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace homenode {
inline namespace v0 {  // As in homenode.hpp.

/// A heap of one's own; its memory goes back when it ends.
class Heap {
 public:
  /// Throws std::system_error.
  explicit Heap(const hn_heap_options& options = {})
      : handle_(hn_heap_create(&options), &hn_heap_destroy) {
    if (handle_ == nullptr) {
      throw std::system_error(errno, std::generic_category(), "homenode::Heap");
    }
  }
  /// On some nodes, such as "0-1", or "cpu:5" for that CPU's.
  static Heap on(const std::string& nodes, const char* policy = nullptr) {
    hn_heap_options options{};
    options.nodes = nodes.c_str();
    options.policy = policy;
    return Heap(options);
  }

  /// Throws std::bad_alloc.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    void* const memory = hn_heap_aligned_alloc(handle_.get(), alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  /// Throws std::system_error when the nodes make no sense.
  void move_to(const std::string& nodes) {
    if (hn_heap_move(handle_.get(), nodes.c_str()) != 0) {
      throw std::system_error(errno, std::generic_category(), "homenode::Heap::move_to");
    }
  }
  [[nodiscard]] hn_heap_statistics statistics() const {
    hn_heap_statistics statistics{};
    (void)hn_heap_statistics_of(handle_.get(), &statistics);
    return statistics;
  }
  [[nodiscard]] hn_heap* get() const { return handle_.get(); }

 private:
  std::unique_ptr<hn_heap, decltype(&hn_heap_destroy)> handle_;
};

/// A heap as a memory resource. The heap outlives it.
class HeapResource : public std::pmr::memory_resource {
 public:
  explicit HeapResource(Heap& heap) : heap_(&heap) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return heap_->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    hn_heap_free(memory);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    const auto* const same = dynamic_cast<const HeapResource*>(&other);
    return same != nullptr && same->heap_ == heap_;
  }

  Heap* heap_;
};

/// A heap as the allocator of a container. The heap outlives the container.
template <class Type>
class HeapAllocator {
 public:
  using value_type = Type;

  explicit HeapAllocator(Heap& heap) noexcept : heap_(&heap) {}
  template <class Other>
  HeapAllocator(const HeapAllocator<Other>& other) noexcept : heap_(other.heap()) {}

  [[nodiscard]] Type* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(Type)) throw std::bad_array_new_length();
    return static_cast<Type*>(heap_->allocate(count * sizeof(Type), alignof(Type)));
  }
  void deallocate(Type* memory, std::size_t /*count*/) noexcept { hn_heap_free(memory); }
  [[nodiscard]] Heap* heap() const noexcept { return heap_; }

  template <class Other>
  friend bool operator==(const HeapAllocator& a, const HeapAllocator<Other>& b) noexcept {
    return a.heap() == b.heap();
  }
  template <class Other>
  friend bool operator!=(const HeapAllocator& a, const HeapAllocator<Other>& b) noexcept {
    return !(a == b);
  }

 private:
  Heap* heap_;
};

}  // namespace v0
}  // namespace homenode
