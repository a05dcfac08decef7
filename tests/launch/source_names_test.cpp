#include "launch/source_names.h"

#include <gtest/gtest.h>

namespace homenode::launch {
namespace {

TEST(SourceName, IsWhatTheSourceSays) {
  EXPECT_EQ(source_name("u"), "u");
  EXPECT_EQ(source_name("u_"), "u");
  EXPECT_EQ(source_name("_"), "_");
  EXPECT_EQ(source_name("kept.0"), "kept");
  EXPECT_EQ(source_name("alloc_3d.part.0"), "alloc_3d");
  EXPECT_EQ(source_name("__fields_MOD_density"), "density");
  EXPECT_EQ(source_name("_ZN2ns1uE"), "ns::u");
  EXPECT_EQ(source_name("_ZN12_GLOBAL__N_11uE"), "u");
  EXPECT_EQ(source_name("_Z8alloc_3dmm"), "alloc_3d");
  EXPECT_EQ(source_name("_Z8alloc_3dmm.cold"), "alloc_3d");
  EXPECT_EQ(source_name("_ZZ1fvE3buf"), "buf");
  EXPECT_EQ(source_name(".hidden"), ".hidden");
  EXPECT_EQ(source_name("_Znot a name"), "_Znot a name");
}

TEST(SourceName, OfTemplatesIsThatOfAllTheirInstances) {
  struct {
    const char* symbol;
    const char* source;
    const char* full;
  } const cases[] = {
      // double* alloc_array<double>(unsigned long)
      {"_Z11alloc_arrayIdEPT_m", "alloc_array", "alloc_array<double>"},
      // grid::Field<float, 3>::Field(unsigned long)
      {"_ZN4grid5FieldIfLi3EEC2Em", "grid::Field::Field", "grid::Field<float, 3>::Field"},
      // grid::Field<float, 3>::extra(unsigned long) const
      {"_ZNK4grid5FieldIfLi3EE5extraEm", "grid::Field::extra", "grid::Field<float, 3>::extra"},
      // std::_Vector_base<double, std::allocator<double> >::~_Vector_base()
      {"_ZNSt12_Vector_baseIdSaIdEED2Ev", "std::_Vector_base::~_Vector_base",
       "std::_Vector_base<double, std::allocator<double> >::~_Vector_base"},
      // void g<true>()
      {"_Z1gILb1EEvv", "g", "g<true>"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(source_name(each.symbol), each.source);
    EXPECT_EQ(full_name(each.symbol), each.full);
  }
}

TEST(SourceName, OfOperatorsAndLambdasEndsWhereTheirParametersBegin) {
  EXPECT_EQ(source_name("_Znwm"), "operator new");
  EXPECT_EQ(source_name("_ZN4PoolclEm"), "Pool::operator()");
  EXPECT_EQ(source_name("_ZN4PoollsIiEEvi"), "Pool::operator<<");
  EXPECT_EQ(full_name("_ZN4PoollsIiEEvi"), "Pool::operator<<<int>");
  EXPECT_EQ(source_name("_ZNK4PoolcvPdEv"), "Pool::operator double*");
  EXPECT_EQ(source_name("_ZN4Pool9operatorsEv"), "Pool::operators");
  EXPECT_EQ(source_name("_ZZ4mainENKUlmE_clEm"), "main::{lambda#1}::operator()");
  EXPECT_EQ(source_name("_ZZ5solveiENKUlmE_clEm"), "solve::{lambda#1}::operator()");
  EXPECT_EQ(source_name("_ZZ5solveiEN5Local5allocEm"), "Local::alloc");
  EXPECT_EQ(source_name("_ZZNK4Pool3getEvE3buf"), "buf");
}

TEST(SourceName, IsNotThatOfWhatIsMadeForIt) {
  EXPECT_EQ(source_name("_ZTV4Pool"), "vtable for Pool");
  EXPECT_EQ(source_name("_ZGVZ1fvE3buf"), "guard variable for f()::buf");
}

TEST(FullName, HasTheModuleOfFortran) {
  EXPECT_EQ(full_name("__fields_MOD_density"), "fields::density");
  EXPECT_EQ(full_name("density_"), "density");
}

}  // namespace
}  // namespace homenode::launch
