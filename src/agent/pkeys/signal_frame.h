// What a signal handler finds and changes in the state that it interrupted: the rights to
// protection keys lie in the saved state of the processor. Serves the sampler's handlers.
#pragma once

#include <sys/ucontext.h>

#include <cpuid.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace homenode::agent::pkeys {

inline constexpr unsigned rights_component = 9;  ///< Of XSAVE: PKRU.

/// Where the rights are in saved state, by CPUID; 0 where they are not saved.
inline std::size_t find_rights_offset() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(0xd, rights_component, &a, &b, &c, &d) == 0 || a < 4) return 0;
  return b;
}

class SignalFrame {
 public:
  SignalFrame(void* context, std::size_t rights_offset)
      : context_(static_cast<ucontext_t*>(context)), rights_offset_(rights_offset) {}

  /// A register, by its REG_ number.
  [[nodiscard]] std::uint64_t at(int number) const {
    return static_cast<std::uint64_t>(context_->uc_mcontext.gregs[number]);
  }
  void set(int number, std::uint64_t value) const {
    context_->uc_mcontext.gregs[number] = static_cast<greg_t>(value);
  }

  [[nodiscard]] std::uint32_t rights() const {
    if (!has_rights() || (saved() & mask) == 0) return 0;
    std::uint32_t rights = 0;
    std::memcpy(&rights, area() + rights_offset_, sizeof rights);
    return rights;
  }
  /// They hold once the handler has returned.
  void set_rights(std::uint32_t rights) const {
    if (!has_rights()) return;
    saved() |= mask;
    std::memcpy(area() + rights_offset_, &rights, sizeof rights);
  }

 private:
  static constexpr std::uint64_t mask = std::uint64_t{1} << rights_component;

  [[nodiscard]] char* area() const { return reinterpret_cast<char*>(context_->uc_mcontext.fpregs); }
  /// Which components are not in their initial state: the header behind the legacy area.
  [[nodiscard]] std::uint64_t& saved() const {
    return *reinterpret_cast<std::uint64_t*>(area() + 512);
  }
  /// The kernel says in bytes that software may use what it has saved (asm/sigcontext.h).
  [[nodiscard]] bool has_rights() const {
    constexpr std::uint32_t magic = 0x46505853;
    std::uint32_t found = 0;
    std::uint64_t features = 0;
    std::memcpy(&found, area() + 464, sizeof found);
    std::memcpy(&features, area() + 472, sizeof features);
    return rights_offset_ != 0 && found == magic && (features & mask) != 0;
  }

  ucontext_t* context_;
  std::size_t rights_offset_;
};

}  // namespace homenode::agent::pkeys
