#include "launch/elf.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>

namespace homenode::launch {
namespace {

/// The record at an offset, if all of it is inside.
template <class Record>
std::optional<Record> record_at(std::string_view content, std::uint64_t offset) {
  if (offset > content.size() || content.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, content.data() + offset, sizeof record);
  return record;
}

/// A table of `count` records; empty where it is not wholly inside.
template <class Record>
std::vector<Record> table_at(std::string_view content, std::uint64_t offset, std::uint64_t count) {
  std::vector<Record> table;
  if (offset > content.size() || count > (content.size() - offset) / sizeof(Record)) return table;
  table.resize(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(table.data(), content.data() + offset, count * sizeof(Record));
  return table;
}

/// The text up to its zero.
std::string_view text_at(std::string_view content, std::uint64_t offset) {
  if (offset >= content.size()) return {};
  const std::string_view rest = content.substr(static_cast<std::size_t>(offset));
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

bool is_of_this_machine(const Elf64_Ehdr& header) {
  constexpr unsigned char order =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order &&
         (header.e_type == ET_EXEC || header.e_type == ET_DYN) &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

class Reader {
 public:
  explicit Reader(std::string_view content) : content_(content) {}

  ElfFile read() {
    const auto header = record_at<Elf64_Ehdr>(content_, 0);
    if (!header || !is_of_this_machine(*header)) return file_;
    file_.readable = true;
    for (const auto& segment : table_at<Elf64_Phdr>(content_, header->e_phoff, header->e_phnum)) {
      if (segment.p_type == PT_INTERP) file_.interpreter = text_at(content_, segment.p_offset);
      if (segment.p_type == PT_GNU_RELRO) read_only_ = segment;
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr)) return file_;
    sections_ = table_at<Elf64_Shdr>(content_, header->e_shoff, header->e_shnum);
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) read_table(section);
    }
    sort_and_join();
    return file_;
  }

 private:
  void read_table(const Elf64_Shdr& table) {
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_link >= sections_.size()) return;
    if (table.sh_type == SHT_SYMTAB) file_.stripped = false;
    const Elf64_Shdr& names = sections_[table.sh_link];
    if (names.sh_offset > content_.size() || names.sh_size > content_.size() - names.sh_offset) {
      return;
    }
    const std::string_view texts = content_.substr(names.sh_offset, names.sh_size);
    for (const auto& symbol :
         table_at<Elf64_Sym>(content_, table.sh_offset, table.sh_size / sizeof(Elf64_Sym))) {
      if (const auto kind = kind_of(symbol)) {
        const std::string_view name = text_at(texts, symbol.st_name);
        if (name.empty()) continue;
        const bool exported =
            table.sh_type == SHT_DYNSYM && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
        file_.symbols.push_back(
            {std::string(name), symbol.st_value, symbol.st_size, *kind, exported});
      }
    }
  }

  [[nodiscard]] std::optional<ElfSymbol::Kind> kind_of(const Elf64_Sym& symbol) const {
    if (symbol.st_size == 0 || symbol.st_shndx >= sections_.size()) return std::nullopt;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_value > UINT64_MAX - symbol.st_size) {
      return std::nullopt;
    }
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FUNC) return ElfSymbol::Kind::code;
    if (type != STT_OBJECT && type != STT_COMMON) return std::nullopt;
    const bool after_start = (sections_[symbol.st_shndx].sh_flags & SHF_WRITE) != 0 &&
                             symbol.st_value - read_only_.p_vaddr >= read_only_.p_memsz;
    return after_start ? ElfSymbol::Kind::data : ElfSymbol::Kind::constant;
  }

  /// Both tables have what is exported.
  void sort_and_join() {
    const auto key = [](const ElfSymbol& symbol) {
      return std::tie(symbol.address, symbol.bytes, symbol.name);
    };
    auto& symbols = file_.symbols;
    std::sort(symbols.begin(), symbols.end(), [&](const ElfSymbol& a, const ElfSymbol& b) {
      return key(a) != key(b) ? key(a) < key(b) : a.exported > b.exported;
    });
    const auto same = [&](const ElfSymbol& a, const ElfSymbol& b) { return key(a) == key(b); };
    symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());
  }

  std::string_view content_;
  std::vector<Elf64_Shdr> sections_;
  Elf64_Phdr
      read_only_{};  ///< What the dynamic linker makes read-only; no byte where there is none.
  ElfFile file_;
};

template <class Header, class Segment>
std::optional<ElfSegmentTable> segment_table(std::string_view start) {
  const auto header = record_at<Header>(start, 0);
  if (!header || header->e_phentsize != sizeof(Segment)) return std::nullopt;
  return ElfSegmentTable{header->e_phoff, header->e_phnum * sizeof(Segment), sizeof(Segment)};
}

template <class Segment>
bool has_interpreter(std::string_view table) {
  for (std::size_t at = 0; at < table.size(); at += sizeof(Segment)) {
    const auto segment = record_at<Segment>(table, at);
    if (segment && segment->p_type == PT_INTERP) return true;
  }
  return false;
}

}  // namespace

std::optional<ElfSegmentTable> find_segment_table(std::string_view start) {
  if (start.size() <= EI_CLASS || !start.starts_with(ELFMAG)) return std::nullopt;
  return start[EI_CLASS] == ELFCLASS64 ? segment_table<Elf64_Ehdr, Elf64_Phdr>(start)
                                       : segment_table<Elf32_Ehdr, Elf32_Phdr>(start);
}

bool names_interpreter(const ElfSegmentTable& where, std::string_view table) {
  return where.entry_bytes == sizeof(Elf64_Phdr) ? has_interpreter<Elf64_Phdr>(table)
                                                 : has_interpreter<Elf32_Phdr>(table);
}

ElfFile read_elf(std::string_view content) {
  return Reader(content).read();
}

}  // namespace homenode::launch
