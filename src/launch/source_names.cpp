#include "launch/source_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace homenode::launch {
namespace {

constexpr std::string_view fortran_module = "_MOD_";

/// Of operators, the longest first; all others are of one letter.
constexpr auto long_signs = std::to_array<std::string_view>(
    {"<=>", "->*", "<<=", ">>=", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=",
     "&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="});

/// Reads a name of C++ as the demangler writes it: TYPE SCOPE::NAME<ARGUMENTS>(PARAMETERS) const.
class Declaration {
 public:
  Declaration(std::string_view text, bool with_arguments)
      : text_(text), with_arguments_(with_arguments) {}

  std::string name() {
    while (at_ < text_.size() && !ended_) step();
    return name_;
  }

 private:
  void step() {
    const char next = text_[at_];
    if (begins("operator") && !is_word(before()) && !is_word(at(at_ + 8))) {
      take_operator();
    } else if (next == '<') {
      const std::string_view arguments = bracketed();
      if (with_arguments_) name_ += arguments;
    } else if (next == '(') {
      take_parameters();
    } else if (next == '[') {  // [abi:cxx11]
      bracketed();
    } else if (next == '{') {
      take_braces();
    } else if (next == ' ') {  // What stood before was the type.
      ++at_;
      name_.clear();
    } else {
      name_ += text_[at_++];
    }
  }

  /// An operator's sign may be a bracket, and that of new, delete and a cast has spaces in it.
  void take_operator() {
    take(8);
    if (begins(" ") || begins("\"")) {
      while (at_ < text_.size() && text_[at_] != '(') take(1);
      return;
    }
    const auto* const sign =
        std::ranges::find_if(long_signs, [this](std::string_view each) { return begins(each); });
    take(sign == long_signs.end() ? 1 : sign->size());
    if (begins(" <")) ++at_;
  }

  /// After those of a function there is the end, or what is local to it.
  void take_parameters() {
    if (name_.empty() && (at(at_ + 1) == '*' || at(at_ + 1) == '&')) {
      at_ += 2;  // TYPE (*NAME(PARAMETERS))(PARAMETERS): it returns a pointer to a function.
      return;
    }
    bracketed();
    if (name_.empty()) return;  // decltype (...)
    const std::size_t local = text_.find("::", at_);
    const std::string_view qualifiers = text_.substr(at_, local - at_);
    if (local == std::string_view::npos ||
        qualifiers.find_first_not_of(" constvlaie&") != std::string_view::npos) {
      ended_ = true;
      return;
    }
    at_ = local + 2;
    if (at(at_) == '{') {  // A lambda has no name of its own.
      name_ += "::";
    } else {
      name_.clear();
    }
  }

  /// {lambda(int)#1}, {default arg#1}: without the parameters.
  void take_braces() {
    while (at_ < text_.size() && text_[at_] != '}') {
      if (text_[at_] == '(') {
        bracketed();
      } else {
        take(1);
      }
    }
    take(1);
  }

  /// Passes what stands in brackets here, and gives it. Within (), < and > are comparisons.
  std::string_view bracketed() {
    const std::size_t first = at_;
    const char open = text_[at_];
    const char close = open == '(' ? ')' : open == '[' ? ']' : '>';
    for (++at_; at_ < text_.size() && text_[at_] != close;) {
      const char next = text_[at_];
      if (next == '(' || (open == '<' && (next == '<' || next == '['))) {
        bracketed();
      } else {
        ++at_;
      }
    }
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(first, at_ - first);
  }

  void take(std::size_t letters) {
    name_ += text_.substr(std::min(at_, text_.size()), letters);
    at_ += letters;
  }

  [[nodiscard]] bool begins(std::string_view with) const {
    return text_.substr(std::min(at_, text_.size())).starts_with(with);
  }
  [[nodiscard]] char at(std::size_t index) const {
    return index < text_.size() ? text_[index] : '\0';
  }
  [[nodiscard]] char before() const { return at_ == 0 ? '\0' : text_[at_ - 1]; }
  static bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  }

  std::string_view text_;
  bool with_arguments_;
  std::size_t at_ = 0;
  std::string name_;
  bool ended_ = false;
};

/// A name that the demangler cannot read stays as it is, without what stands after a dot.
std::string cxx_name(const std::string& symbol, bool with_arguments) {
  const std::string mangled = symbol.substr(0, symbol.find('.'));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return mangled;
  std::string name = text.get();
  // "vtable for ns::A", "guard variable for f()::u": not what has the name.
  if (mangled.starts_with("_ZT") || mangled.starts_with("_ZG")) return name;
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = name.find(anonymous, at)) != std::string::npos;) {
    name.erase(at, anonymous.size());
  }
  return Declaration(name, with_arguments).name();
}

/// Where the name of a variable's Fortran module ends; npos: it is not one of a module.
std::size_t module_end(const std::string& symbol) {
  return symbol.starts_with("__") ? symbol.find(fortran_module) : std::string::npos;
}

}  // namespace

std::string source_name(const std::string& symbol) {
  if (symbol.starts_with("_Z")) return cxx_name(symbol, false);
  std::string name = symbol.substr(0, symbol.find('.', 1));
  const std::size_t module = module_end(name);
  if (module != std::string::npos) return name.substr(module + fortran_module.size());
  if (name.size() > 1 && name.ends_with('_')) name.pop_back();
  return name;
}

std::string full_name(const std::string& symbol) {
  if (symbol.starts_with("_Z")) return cxx_name(symbol, true);
  const std::size_t module = module_end(symbol);
  if (module == std::string::npos) return source_name(symbol);
  return symbol.substr(2, module - 2) + "::" + source_name(symbol);
}

}  // namespace homenode::launch
