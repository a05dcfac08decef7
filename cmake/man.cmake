# The man pages, made by the verbs themselves: the built command prints those of the built-in verbs,
# Python those of its own. Without a Python that can, these are left out.
set(HOMENODE_MAN_DIR ${PROJECT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${HOMENODE_MAN_DIR})

# homenode_man_page(PAGE DEPENDS… COMMAND…): PAGE.1 is what COMMAND prints.
function(homenode_man_page page)
  cmake_parse_arguments(MAN "" "" "DEPENDS;COMMAND" ${ARGN})
  set(file ${HOMENODE_MAN_DIR}/${page}.1)
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${MAN_COMMAND} > ${file}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${file}.part ${file}
    DEPENDS ${MAN_DEPENDS}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python
    COMMENT "Man page ${page}(1)"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY HOMENODE_MAN_PAGES ${file})
endfunction()

if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  homenode_man_page(homenode DEPENDS homenode-native COMMAND homenode-native --man-page homenode)
  foreach(verb IN LISTS HOMENODE_BUILT_IN_VERBS)
    homenode_man_page(homenode-${verb} DEPENDS homenode-native
                      COMMAND homenode-native --man-page ${verb})
  endforeach()
endif()

find_program(HOMENODE_PYTHON NAMES python3 HINTS ${PROJECT_SOURCE_DIR}/.venv/bin
             DOC "The Python that makes the man pages of the Python verbs")
foreach(verb IN LISTS HOMENODE_PYTHON_VERBS)
  set(print ${HOMENODE_PYTHON} -B -m homenode.man ${verb} --version ${PROJECT_VERSION})
  if(HOMENODE_PYTHON)
    execute_process(COMMAND ${print} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT HOMENODE_PYTHON OR failed)
    message(STATUS "No man page homenode-${verb}(1): this needs Python >= 3.11 with jinja2 and rich")
    continue()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/homenode/${verb}/*.py)
  homenode_man_page(homenode-${verb}
                    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/python/homenode/man.py
                    COMMAND ${print})
endforeach()

get_property(pages GLOBAL PROPERTY HOMENODE_MAN_PAGES)
add_custom_target(man_pages ALL DEPENDS ${pages})
install(FILES ${pages} DESTINATION ${HOMENODE_MAN}/man1)
