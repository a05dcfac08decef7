# One target carries the flags that every room is built with: warnings are errors. Where files are
# joined (room.cmake), a name of one file hides nothing of another's.
add_library(homenode_flags INTERFACE)
target_compile_options(homenode_flags INTERFACE
  -Wall -Wextra $<$<NOT:$<BOOL:${HOMENODE_JOIN}>>:-Wshadow> -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual>)
if(HOMENODE_SANITIZE)
  target_compile_options(homenode_flags INTERFACE
    -fsanitize=${HOMENODE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(homenode_flags INTERFACE -fsanitize=${HOMENODE_SANITIZE})
endif()
