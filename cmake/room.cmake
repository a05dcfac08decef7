# homenode_room(NAME SOURCES… LINKS…): a room of src/ as a static library `homenode_NAME`.
# homenode_test(NAME SOURCES… LINKS…): a GoogleTest binary, registered with ctest.
function(homenode_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS" ${ARGN})
  add_library(homenode_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(homenode_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(homenode_${name} PUBLIC ${ROOM_LINKS} PRIVATE homenode_flags)
endfunction()

function(homenode_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} GTest::gtest_main homenode_flags)
  target_compile_definitions(${name} PRIVATE HOMENODE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
