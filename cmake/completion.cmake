# Completions for bash, zsh and fish, made from the descriptions of all verbs, as the man pages are
# (man.cmake, which comes before). Without a Python that can, they are left out.
set(HOMENODE_COMPLETION_DIR ${PROJECT_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${HOMENODE_COMPLETION_DIR})

if(NOT HOMENODE_PYTHON OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  return()
endif()
set(print ${HOMENODE_PYTHON} -B -m homenode.completion)
execute_process(COMMAND ${print} bash WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python
                RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed)
  message(STATUS "No completions for shells: this needs Python >= 3.11")
  return()
endif()

get_property(descriptions GLOBAL PROPERTY HOMENODE_VERB_DESCRIPTIONS)
foreach(verb IN LISTS HOMENODE_BUILT_IN_VERBS)
  set(file ${HOMENODE_COMPLETION_DIR}/${verb}.json)
  add_custom_command(OUTPUT ${file} DEPENDS homenode-native
                     COMMAND homenode-native --describe-verb ${verb} > ${file}
                     COMMENT "Options of ${verb}" VERBATIM)
  list(APPEND descriptions ${file})
endforeach()

if(HOMENODE_WHEEL)  # Where newer shells look beside a bin/ on PATH.
  set(share ${SKBUILD_DATA_DIR}/share)
else()
  set(share ${CMAKE_INSTALL_DATADIR})
endif()
set(place_bash bash-completion/completions/homenode)
set(place_zsh zsh/site-functions/_homenode)
set(place_fish fish/vendor_completions.d/homenode.fish)
foreach(shell bash zsh fish)
  set(file ${HOMENODE_COMPLETION_DIR}/homenode.${shell})
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${print} ${shell} ${descriptions} > ${file}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${file}.part ${file}
    DEPENDS ${descriptions} ${PROJECT_SOURCE_DIR}/python/homenode/completion.py
            ${HOMENODE_VERBS_FILE}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python
    COMMENT "Completion for ${shell}"
    VERBATIM)
  list(APPEND scripts ${file})
  cmake_path(GET place_${shell} PARENT_PATH folder)
  cmake_path(GET place_${shell} FILENAME name)
  install(FILES ${file} DESTINATION ${share}/${folder} RENAME ${name} COMPONENT command)
endforeach()
add_custom_target(completions ALL DEPENDS ${scripts})
