// What an ELF file says of a program or library: whether it names a dynamic linker, and its named
// data and functions. The only reader of ELF files. Pure; serves --threads and the names of
// --place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace homenode::launch {

struct ElfSymbol {
  enum class Kind { data, constant, code };
  std::string name;           ///< As the linker has it.
  std::uint64_t address = 0;  ///< The file's own; the load base comes on top.
  std::uint64_t bytes = 0;
  Kind kind = Kind::data;  ///< Data that is read-only once the program runs is constant.
  bool exported = false;   ///< Other files' references to the name may mean this one.
  friend bool operator==(const ElfSymbol&, const ElfSymbol&) = default;
};

struct ElfFile {
  bool readable = false;  ///< It is an ELF file of this machine's kind, and whole.
  bool stripped = true;   ///< Only what other files may refer to has a name.
  std::string
      interpreter;  ///< The dynamic linker that starts it; empty for libraries, static ones.
  std::vector<ElfSymbol> symbols;  ///< By address, each once; without size or name they are none.
};

/// Reads the content of a file; whatever it holds, nothing outside it is looked at.
ElfFile read_elf(std::string_view content);

/// Where a file, of either word size, lists its segments.
struct ElfSegmentTable {
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::size_t entry_bytes = 0;
};

/// From the first bytes of a file; nothing for what is no ELF file, or one of another form.
std::optional<ElfSegmentTable> find_segment_table(std::string_view start);

/// True when a segment names the interpreter, which is the dynamic linker. `table` is what the file
/// has at the place that find_segment_table() gave.
bool names_interpreter(const ElfSegmentTable& where, std::string_view table);

}  // namespace homenode::launch
