# What is installed, and where: the system's folders, or a Python wheel's. The library is
# install_library.cmake's. Components: command, python (the Python verbs and the lab), library and
# development. HOMENODE_LIBEXEC and HOMENODE_AGENTS are the same on every system, whatever its
# folders of libraries are called, because the command finds them by its own place.
include(GNUInstallDirs)

if(HOMENODE_WHEEL)  # Everything but the command lives inside the Python package.
  set(HOMENODE_BIN ${SKBUILD_SCRIPTS_DIR})
  set(HOMENODE_LIB lib)
  set(HOMENODE_LIBEXEC libexec)
  set(HOMENODE_AGENTS libexec)
  set(HOMENODE_NATIVE ${SKBUILD_SCRIPTS_DIR})
  set(HOMENODE_SHARE .)
  set(HOMENODE_MAN ${SKBUILD_DATA_DIR}/share/man)  # Where `man` looks beside a bin/ on PATH.
else()
  set(HOMENODE_BIN ${CMAKE_INSTALL_BINDIR})
  set(HOMENODE_LIB ${CMAKE_INSTALL_LIBDIR})
  set(HOMENODE_LIBEXEC libexec/homenode)
  set(HOMENODE_AGENTS lib/homenode)
  set(HOMENODE_NATIVE ${HOMENODE_LIBEXEC})
  set(HOMENODE_SHARE ${CMAKE_INSTALL_DATADIR}/homenode)
  set(HOMENODE_MAN ${CMAKE_INSTALL_MANDIR})
endif()

install(TARGETS homenode DESTINATION ${HOMENODE_BIN} COMPONENT command)
install(TARGETS homenode-native DESTINATION ${HOMENODE_NATIVE} COMPONENT command)
foreach(target homenode_agent homenode_allocations homenode_sites homenode_pkeys)
  if(TARGET ${target})
    install(TARGETS ${target} DESTINATION ${HOMENODE_AGENTS} COMPONENT command)
  endif()
endforeach()
foreach(target homenode_lab_plugin homenode_lab_fma)
  if(TARGET ${target})
    install(TARGETS ${target} DESTINATION ${HOMENODE_AGENTS} COMPONENT python)
  endif()
endforeach()
if(TARGET homenode-lab-init)
  install(TARGETS homenode-lab-init DESTINATION ${HOMENODE_LIBEXEC} COMPONENT python)
endif()
install(DIRECTORY machines studies DESTINATION ${HOMENODE_SHARE} COMPONENT python)

if(NOT HOMENODE_WHEEL)  # A wheel has its own scripts and licence, and the package is around it.
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT command)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
  install(FILES packaging/systemd/homenode-balance.service DESTINATION lib/systemd/system
          COMPONENT command)
  install(DIRECTORY python/homenode DESTINATION ${HOMENODE_SHARE}/python COMPONENT python
          PATTERN __pycache__ EXCLUDE)
  foreach(folder share libexec agents)
    string(TOUPPER HOMENODE_${folder} variable)
    file(RELATIVE_PATH to_${folder} /${HOMENODE_BIN} /${${variable}})
  endforeach()
  foreach(verb IN LISTS HOMENODE_PYTHON_VERBS)
    configure_file(cmake/installed_verb.sh.in ${PROJECT_BINARY_DIR}/installed/homenode-${verb} @ONLY)
    install(PROGRAMS ${PROJECT_BINARY_DIR}/installed/homenode-${verb} DESTINATION ${HOMENODE_BIN}
            COMPONENT python)
  endforeach()
endif()

# In the build tree, the Python verbs stand beside the command, as they do once installed.
foreach(verb IN LISTS HOMENODE_PYTHON_VERBS)
  configure_file(cmake/python_verb.sh.in ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/homenode-${verb} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endforeach()
