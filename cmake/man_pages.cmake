# The man pages of sections 3, 5 and 7, made from the headers and from docs/ by tools/manual. Without a
# Python that can, they are left out.
if(NOT HOMENODE_PYTHON)
  return()
endif()
set(print ${HOMENODE_PYTHON} -B -m manual)
execute_process(COMMAND ${print} --help WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tools
                RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed)
  message(STATUS "No man pages of sections 3, 5 and 7: this needs Python >= 3.11")
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/manual/*.py
     ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/include/homenode/*.h)
set(stamp ${HOMENODE_MAN_DIR}/sections.stamp)
add_custom_command(
  OUTPUT ${stamp}
  COMMAND ${print} ${HOMENODE_MAN_DIR} --version ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${sources}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tools
  COMMENT "Man pages of sections 3, 5 and 7"
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${stamp})
if(NOT HOMENODE_WHEEL)  # Which has no headers.
  install(DIRECTORY ${HOMENODE_MAN_DIR}/man3 DESTINATION ${HOMENODE_MAN} COMPONENT development)
endif()
install(DIRECTORY ${HOMENODE_MAN_DIR}/man5 ${HOMENODE_MAN_DIR}/man7 DESTINATION ${HOMENODE_MAN}
        COMPONENT command)
