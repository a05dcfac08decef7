# Fails when an object of the kernels defines a symbol that the linker may merge with another
# file's: a copy compiled for a wide instruction set could then run on every CPU.
# Arguments: NM, OBJECTS (separated by |).
string(REPLACE "|" ";" OBJECTS "${OBJECTS}")
if(NOT OBJECTS)
  message(FATAL_ERROR "no object was named")
endif()
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} --defined-only ${object}
                  OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "nm could not read ${object}")
  endif()
  if(symbols MATCHES "[0-9a-f] [WVuw] [^\n]*")
    message(SEND_ERROR "${object} defines ${CMAKE_MATCH_0}")
  endif()
endforeach()
