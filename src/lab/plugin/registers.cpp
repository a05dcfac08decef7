#include "lab/plugin/registers.h"

#include <array>
#include <cstring>
#include <string_view>

#include "lab/plugin/qemu_plugin_abi.h"

namespace homenode::lab {
namespace {

// QEMU names them as its debugger interface does.
constexpr std::array<std::string_view, register_count> names = {
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "cr3", "fs_base"};

constinit std::array<qemu_plugin_register*, register_count> handles{};

/// One for each vCPU's thread, for the life of the process: glib must own it.
GByteArray* own_buffer() {
  static thread_local GByteArray* const buffer = g_byte_array_new();
  return buffer;
}

// glibc's thread descriptor (struct pthread of x86-64): its own address twice, where every program
// finds it by the thread pointer, and the id, whose place no version has changed since 2.4.
constexpr std::size_t own_address = 0;
constexpr std::size_t own_address_again = 16;
constexpr std::size_t own_tid = 720;

template <class Value>
Value value_at(const GByteArray& buffer, std::size_t offset) {
  Value value;
  std::memcpy(&value, buffer.data + offset, sizeof value);
  return value;
}

}  // namespace

bool registers_offered() {
  return qemu_plugin_get_registers != nullptr && qemu_plugin_read_register != nullptr &&
         g_byte_array_new != nullptr && g_byte_array_set_size != nullptr;
}

bool learn_registers() {
  GArray* const list = qemu_plugin_get_registers();
  std::array<qemu_plugin_register*, register_count> found{};
  unsigned known = 0;
  for (unsigned i = 0; i < list->len; ++i) {
    qemu_plugin_reg_descriptor descriptor;
    std::memcpy(&descriptor, list->data + i * sizeof descriptor, sizeof descriptor);
    for (unsigned number = 0; number < register_count; ++number) {
      if (found[number] != nullptr || names[number] != descriptor.name) continue;
      found[number] = descriptor.handle;
      ++known;
    }
  }
  if (g_array_free != nullptr) g_array_free(list, 1);
  if (known == register_count) handles = found;
  return known == register_count;
}

std::optional<std::uint64_t> read_register(unsigned number) {
  GByteArray* const buffer = own_buffer();
  if (handles[number] == nullptr) return std::nullopt;
  g_byte_array_set_size(buffer, 0);
  qemu_plugin_read_register(handles[number], buffer);
  std::uint64_t value = 0;
  if (buffer->len == 0 || buffer->len > sizeof value) return std::nullopt;
  std::memcpy(&value, buffer->data, buffer->len);
  return value;
}

bool memory_offered() {
  return qemu_plugin_read_memory_vaddr != nullptr && registers_offered();
}

std::uint32_t read_tid(std::uint64_t fs_base) {
  constexpr std::size_t wanted = own_tid + sizeof(std::uint32_t);
  GByteArray* const buffer = own_buffer();
  if (fs_base == 0 || !qemu_plugin_read_memory_vaddr(fs_base, buffer, wanted)) return 0;
  if (buffer->len < wanted) return 0;
  if (value_at<std::uint64_t>(*buffer, own_address) != fs_base) return 0;
  if (value_at<std::uint64_t>(*buffer, own_address_again) != fs_base) return 0;
  return value_at<std::uint32_t>(*buffer, own_tid);
}

}  // namespace homenode::lab
