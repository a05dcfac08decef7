# homenode_room(NAME SOURCES… LINKS… [HEADERS…]): a room of src/ as a static library `homenode_NAME`;
# HEADERS are those that it precompiles, for others too.
# homenode_test(NAME SOURCES… LINKS…): a GoogleTest binary, registered with ctest.
# homenode_programs(): the target `programs`, which is all but the unit tests.
# homenode_versioned(LIBRARY): a shared library that programs link gets the version in its SONAME. A
# wheel has no symbolic links: each would be a copy.
# homenode_openmp_test(NAME): of a test with OpenMP inside; the thread sanitizer is made to see it.
# homenode_join(TARGET): with HOMENODE_JOIN, which all presets but debug set, HOMENODE_JOIN_FILES of its
# files are compiled as one, in less than half the time: a dozen where people wait for an edit, more
# where all is built at once. What a file keeps to itself then needs
# another name than what its neighbours do. The debug build has each file apart.
# homenode_precompile(TARGET OF HEADERS…): with HOMENODE_PRECOMPILE, which the sanitizers' presets set, the
# headers of packages are compiled once for all rooms, in base, and once for all tests, in fake. The
# release build shows whether a file includes what it uses.
option(HOMENODE_JOIN "Compile several files of a target as one" OFF)
set(HOMENODE_JOIN_FILES 12 CACHE STRING "How many files of a target are compiled as one")

function(homenode_join target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HOMENODE_JOIN}
    UNITY_BUILD_BATCH_SIZE ${HOMENODE_JOIN_FILES})
endfunction()

option(HOMENODE_PRECOMPILE "Compile the headers of packages once for many targets" OFF)
set(HOMENODE_PRECOMPILED_HEADERS <algorithm> <array> <atomic> <chrono> <filesystem> <functional> <map>
  <memory> <mutex> <optional> <set> <string> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)

function(homenode_precompile target of)
  if(NOT HOMENODE_PRECOMPILE)
    return()
  endif()
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${HOMENODE_PRECOMPILED_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${of})
  endif()
  # Compilers want the options and macros that the headers were compiled with. Unless told not to, Clang
  # writes down when a header was last changed, and refuses those that ccache kept.
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${target} PRIVATE -fPIC ${OpenMP_CXX_FLAGS}
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

function(homenode_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;HEADERS" ${ARGN})
  add_library(homenode_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(homenode_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(homenode_${name} PUBLIC ${ROOM_LINKS} PRIVATE homenode_flags)
  homenode_join(homenode_${name})
  if(ROOM_LINKS)  # The freestanding rooms have options of their own, and include little.
    homenode_precompile(homenode_${name} homenode_base ${ROOM_HEADERS})
  endif()
endfunction()

function(homenode_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} homenode_fake GTest::gtest_main homenode_flags)
  target_compile_definitions(${name} PRIVATE HOMENODE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What tests themselves do is little; optimising it takes longer than it saves.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES HOMENODE_UNIT_TEST ON)  # warnings.cmake
  homenode_join(${name})
  homenode_precompile(${name} homenode_fake)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit)
  set_property(GLOBAL APPEND PROPERTY HOMENODE_UNIT_TESTS ${name})
endfunction()

function(homenode_versioned library)
  if(NOT HOMENODE_WHEEL)
    set_target_properties(${library} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endif()
endfunction()

function(homenode_collect_targets folder result)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS below)
    homenode_collect_targets(${child} of_child)
    list(APPEND found ${of_child})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(homenode_programs)
  homenode_collect_targets(${PROJECT_SOURCE_DIR} targets)
  get_property(unit_tests GLOBAL PROPERTY HOMENODE_UNIT_TESTS)
  list(REMOVE_ITEM targets ${unit_tests})
  list(FILTER targets EXCLUDE REGEX "^homenode_flags$")
  add_custom_target(programs DEPENDS ${targets})
endfunction()

# OpenMP's runtime is not compiled for the thread sanitizer, which takes its barriers for races. LLVM's has
# Archer, which tells the sanitizer who waits for whom.
function(homenode_openmp_test name)
  if(NOT HOMENODE_SANITIZE MATCHES thread)
    return()
  endif()
  file(GLOB folders /usr/lib/llvm-*/lib)
  find_library(HOMENODE_ARCHER archer PATHS ${folders})
  if(NOT HOMENODE_ARCHER OR NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(STATUS "${name} does not run: this needs Clang, and LLVM's OpenMP with Archer (libomp-dev)")
    set_tests_properties(${name} PROPERTIES DISABLED TRUE)
    return()
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "OMP_TOOL_LIBRARIES=${HOMENODE_ARCHER}")
endfunction()
