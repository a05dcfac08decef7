# One target carries the flags that every room is built with. In the project's presets warnings are
# errors; whoever builds it with another compiler gets warnings. Where files are joined (room.cmake), a
# name of one file hides nothing of another's.
option(HOMENODE_WERROR "Take warnings for errors; the project's presets set it" OFF)
if(HOMENODE_WERROR)
  set(HOMENODE_WERROR_FLAG -Werror)
endif()
add_library(homenode_flags INTERFACE)
target_compile_options(homenode_flags INTERFACE
  -Wall -Wextra $<$<NOT:$<BOOL:${HOMENODE_JOIN}>>:-Wshadow> ${HOMENODE_WERROR_FLAG}
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual>)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without optimisation no loop is vectorised, whatever its pragma asks for.
  target_compile_options(homenode_flags INTERFACE $<$<CONFIG:Debug>:-Wno-pass-failed>)
endif()
if(HOMENODE_SANITIZE)
  target_compile_options(homenode_flags INTERFACE
    -fsanitize=${HOMENODE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # A null pointer, or a table of virtual functions that is none, ends under the address sanitizer as
  # well. The tests' own code is not what is tested: a check of every pointer in it costs a third of
  # the compiler's time, and its lines a twentieth.
  if(HOMENODE_SANITIZE MATCHES undefined)
    target_compile_options(homenode_flags INTERFACE -fno-sanitize=null,vptr
      $<$<BOOL:$<TARGET_PROPERTY:HOMENODE_UNIT_TEST>>:-fno-sanitize=alignment -g0>)
  endif()
  target_link_options(homenode_flags INTERFACE -fsanitize=${HOMENODE_SANITIZE})
  # Some fifty programs of 100 MB each: LLVM's linker takes a third of the time.
  find_program(HOMENODE_LLD ld.lld)
  if(HOMENODE_LLD)
    target_link_options(homenode_flags INTERFACE -fuse-ld=lld)
  endif()
endif()
