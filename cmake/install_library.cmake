# What programs need that link the library: headers, both libraries, and how pkg-config and CMake
# find them. Components of their own, so that they can be installed without the rest.
include(CMakePackageConfigHelpers)

set(libraries homenode_shared)
if(TARGET homenode_malloc)
  list(APPEND libraries homenode_malloc homenode_malloc_hardened)
endif()
if(HOMENODE_WHEEL)
  install(TARGETS ${libraries} DESTINATION ${HOMENODE_LIB})
  if(TARGET homenode_malloc)  # Beside the agent, where `homenode run --malloc` looks for it.
    install(TARGETS homenode_malloc DESTINATION ${HOMENODE_AGENTS})
  endif()
  return()
endif()

install(TARGETS ${libraries} LIBRARY DESTINATION ${HOMENODE_LIB}
        COMPONENT library NAMELINK_COMPONENT development)
# What the command preloads and Python loads is beside the agent, by a name that is the same in
# every version.
file(RELATIVE_PATH to_lib /${HOMENODE_AGENTS} /${HOMENODE_LIB})
foreach(library IN LISTS libraries)
  get_target_property(name ${library} OUTPUT_NAME)
  set(link ${PROJECT_BINARY_DIR}/installed/lib${name}.so)
  file(CREATE_LINK ${to_lib}/lib${name}.so.${PROJECT_VERSION_MAJOR} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${HOMENODE_AGENTS} COMPONENT command)
endforeach()

set(archives homenode_static)
if(TARGET homenode_malloc_static)
  list(APPEND archives homenode_malloc_static)
endif()
install(TARGETS ${archives} DESTINATION ${HOMENODE_LIB} COMPONENT development)
install(DIRECTORY include/homenode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.f90")

# What the static library needs besides itself.
set(HOMENODE_LINKED_LIBRARIES hwloc fmt stdc++ m)
list(TRANSFORM HOMENODE_LINKED_LIBRARIES PREPEND -l OUTPUT_VARIABLE HOMENODE_LINK_FLAGS)
list(JOIN HOMENODE_LINK_FLAGS " " HOMENODE_LINK_FLAGS)

# From the file's own place upwards, so that a tree may be moved after it was installed.
set(pkgconfig_folder ${HOMENODE_LIB}/pkgconfig)
file(RELATIVE_PATH HOMENODE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
foreach(package homenode homenode-malloc)
  configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_folder}
          COMPONENT development)
endforeach()

set(config_folder ${HOMENODE_LIB}/cmake/homenode)
configure_package_config_file(
  cmake/homenode-config.cmake.in ${CMAKE_BINARY_DIR}/homenode-config.cmake
  INSTALL_DESTINATION ${config_folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/homenode-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/homenode-config.cmake
              ${CMAKE_BINARY_DIR}/homenode-config-version.cmake
        DESTINATION ${config_folder} COMPONENT development)
