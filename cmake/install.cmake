# What is installed, and where: the system's folders, or a Python wheel's. The library is
# install_library.cmake's.
include(GNUInstallDirs)

if(HOMENODE_WHEEL)  # Everything but the command lives inside the Python package.
  set(HOMENODE_BIN ${SKBUILD_SCRIPTS_DIR})
  set(HOMENODE_LIB lib)
  set(HOMENODE_LIBEXEC libexec)
  set(HOMENODE_SHARE .)
  set(HOMENODE_MAN ${SKBUILD_DATA_DIR}/share/man)  # Where `man` looks beside a bin/ on PATH.
else()
  set(HOMENODE_BIN ${CMAKE_INSTALL_BINDIR})
  set(HOMENODE_LIB ${CMAKE_INSTALL_LIBDIR})
  set(HOMENODE_LIBEXEC ${CMAKE_INSTALL_LIBEXECDIR}/homenode)
  set(HOMENODE_SHARE ${CMAKE_INSTALL_DATADIR}/homenode)
  set(HOMENODE_MAN ${CMAKE_INSTALL_MANDIR})
endif()

install(TARGETS homenode homenode-native DESTINATION ${HOMENODE_BIN})
foreach(target homenode_agent homenode_allocations homenode_sites homenode_pkeys
               homenode_lab_plugin homenode_lab_fma homenode-lab-init)
  if(TARGET ${target})
    install(TARGETS ${target} DESTINATION ${HOMENODE_LIBEXEC})
  endif()
endforeach()
install(DIRECTORY machines studies DESTINATION ${HOMENODE_SHARE})

if(NOT HOMENODE_WHEEL)  # A wheel has its own scripts, and the package is around it.
  install(DIRECTORY python/homenode DESTINATION ${HOMENODE_SHARE}/python
          PATTERN __pycache__ EXCLUDE)
  foreach(folder share libexec lib)
    string(TOUPPER HOMENODE_${folder} variable)
    file(RELATIVE_PATH to_${folder} /${HOMENODE_BIN} /${${variable}})
  endforeach()
  foreach(verb IN LISTS HOMENODE_PYTHON_VERBS)
    configure_file(cmake/installed_verb.sh.in ${PROJECT_BINARY_DIR}/installed/homenode-${verb} @ONLY)
    install(PROGRAMS ${PROJECT_BINARY_DIR}/installed/homenode-${verb} DESTINATION ${HOMENODE_BIN})
  endforeach()
endif()

# In the build tree, the Python verbs stand beside the command, as they do once installed.
foreach(verb IN LISTS HOMENODE_PYTHON_VERBS)
  configure_file(cmake/python_verb.sh.in ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/homenode-${verb} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endforeach()
