// An ELF file of a few symbols, made byte for byte. Serves the tests of what --place names.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace homenode {

/// A small program: data at 0x4000 (of which 0x4000 to 0x40ff becomes read-only), constants at
/// 0x2000, code at 0x1000.
class SmallProgram {
 public:
  SmallProgram() {
    add("u_", STT_OBJECT, 3, 0x4100, 800);
    add("before_main", STT_OBJECT, 3, 0x4000, 16);
    add("table", STT_OBJECT, 2, 0x2000, 64);
    add("alloc_3d", STT_FUNC, 1, 0x1000, 99);
    add("u_", STT_OBJECT, 3, 0x4100, 800);
    add("of_each_thread", STT_TLS, 3, 0x10, 8);
    add("elsewhere", STT_OBJECT, SHN_UNDEF, 0, 8);
    add("absolute", STT_OBJECT, SHN_ABS, 1, 8);
    add("empty", STT_OBJECT, 3, 0x4200, 0);
  }

  [[nodiscard]] std::string text() const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    const std::string linker("/lib/ld.so\0", 11);
    Elf64_Phdr segments[2] = {};
    segments[0].p_type = PT_INTERP;
    segments[1].p_type = PT_GNU_RELRO;
    segments[1].p_vaddr = 0x4000;
    segments[1].p_memsz = 0x100;
    Elf64_Shdr sections[6] = {};
    sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    sections[2].sh_flags = SHF_ALLOC;
    sections[3].sh_flags = SHF_ALLOC | SHF_WRITE;
    sections[4].sh_type = SHT_SYMTAB;
    sections[4].sh_entsize = sizeof(Elf64_Sym);
    sections[4].sh_size = symbols_.size();
    sections[4].sh_link = 5;
    sections[5].sh_type = SHT_STRTAB;
    sections[5].sh_size = names_.size();
    header.e_phoff = sizeof header;
    header.e_phnum = 2;
    header.e_shoff = header.e_phoff + sizeof segments;
    header.e_shnum = 6;
    segments[0].p_offset = header.e_shoff + sizeof sections;
    sections[4].sh_offset = segments[0].p_offset + linker.size();
    sections[5].sh_offset = sections[4].sh_offset + symbols_.size();
    return bytes(header) + bytes(segments) + bytes(sections) + linker + symbols_ + names_;
  }

 private:
  template <class Value>
  static std::string bytes(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  void add(const char* name, unsigned char type, std::uint16_t section, std::uint64_t address,
           std::uint64_t size) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names_.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    symbol.st_shndx = section;
    symbol.st_value = address;
    symbol.st_size = size;
    symbols_ += bytes(symbol);
    names_ += name;
    names_ += '\0';
  }

  std::string symbols_;
  std::string names_ = std::string(1, '\0');
};

}  // namespace homenode
