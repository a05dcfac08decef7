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
  // One buffer per vCPU thread, for the life of the process: glib must own it.
  static thread_local GByteArray* const buffer = g_byte_array_new();
  if (handles[number] == nullptr) return std::nullopt;
  g_byte_array_set_size(buffer, 0);
  qemu_plugin_read_register(handles[number], buffer);
  std::uint64_t value = 0;
  if (buffer->len == 0 || buffer->len > sizeof value) return std::nullopt;
  std::memcpy(&value, buffer->data, buffer->len);
  return value;
}

}  // namespace homenode::lab
