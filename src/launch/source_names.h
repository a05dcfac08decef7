// What the names of a file's symbols are in the source, as far as the symbols show. Pure.
//
//   symbol                   source_name         full_name            what it is
//   u_                       u                   u                    a COMMON block
//   u.0                      u                   u                    static in a function, or SAVE
//   __fields_MOD_u           u                   fields::u            of a Fortran module
//   alloc_3d.part.0          alloc_3d            alloc_3d             a piece of a function
//   _ZN2ns1uE                ns::u               ns::u                C++
//   _Z4makeIdEPT_l           make                make<double>         double* make<double>(long)
//   _ZN4PoolclEm             Pool::operator()    Pool::operator()     the parameters end the name
//   _ZZ5solveiE3buf          buf                 buf                  static in solve(int)
//   _ZZ5solveiENKUlmE_clEm   solve::{lambda#1}::operator()            a lambda of solve(int)
//   _ZTV4Pool                vtable for Pool     vtable for Pool      not what has the name
//   _ZN12_GLOBAL__N_11uE     u                   u                    of an unnamed namespace
#pragma once

#include <string>

namespace homenode::launch {

/// The name that all instances of a template, and variables of all Fortran modules, have: of C++
/// without the type, the parameters and the arguments of templates. What is local to a function is
/// without that function. A symbol that is none of these stays as it is.
std::string source_name(const std::string& symbol);

/// The name of one alone: of C++ with the arguments of templates, as the demangler of GCC writes
/// them; of Fortran with the module.
std::string full_name(const std::string& symbol);

}  // namespace homenode::launch
