# The man pages, all written by the built command: of the built-in verbs by themselves, of the Python
# verbs from what Python tells of their options. Without a Python that can, these are left out.
set(HOMENODE_MAN_DIR ${PROJECT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${HOMENODE_MAN_DIR})

# homenode_man_page(PAGE DEPENDS… COMMAND… [OF…]): PAGE.1 is what COMMAND prints, of what OF prints.
# Those of another's description are the Python verbs', and installed with them.
function(homenode_man_page page)
  cmake_parse_arguments(MAN "" "" "DEPENDS;COMMAND;OF" ${ARGN})
  set(file ${HOMENODE_MAN_DIR}/${page}.1)
  set(described)
  set(described_file)
  set(component command)
  if(MAN_OF)  # A page of the description that this command prints.
    set(described_file ${file}.json)
    set(component python)
    set(described COMMAND ${MAN_OF} > ${described_file})
    set_property(GLOBAL APPEND PROPERTY HOMENODE_VERB_DESCRIPTIONS ${described_file})
    list(APPEND MAN_COMMAND < ${file}.json)
  endif()
  add_custom_command(
    OUTPUT ${file} ${described_file}
    ${described}
    COMMAND ${MAN_COMMAND} > ${file}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${file}.part ${file}
    DEPENDS ${MAN_DEPENDS}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python
    COMMENT "Man page ${page}(1)"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY HOMENODE_MAN_PAGES ${file})
  install(FILES ${file} DESTINATION ${HOMENODE_MAN}/man1 COMPONENT ${component})
endfunction()

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  return()
endif()
homenode_man_page(homenode DEPENDS homenode-native COMMAND homenode-native --man-page homenode)
foreach(verb IN LISTS HOMENODE_BUILT_IN_VERBS)
  homenode_man_page(homenode-${verb} DEPENDS homenode-native
                    COMMAND homenode-native --man-page ${verb})
endforeach()

find_program(HOMENODE_PYTHON NAMES python3 HINTS ${PROJECT_SOURCE_DIR}/.venv/bin
             DOC "The Python that makes the man pages of the Python verbs")
foreach(verb IN LISTS HOMENODE_PYTHON_VERBS)
  set(print ${HOMENODE_PYTHON} -B -m homenode.man ${verb})
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
                    DEPENDS homenode-native ${sources} ${PROJECT_SOURCE_DIR}/python/homenode/man.py
                    OF ${print} COMMAND homenode-native --man-page -)
endforeach()

get_property(pages GLOBAL PROPERTY HOMENODE_MAN_PAGES)
add_custom_target(man_pages ALL DEPENDS ${pages})
