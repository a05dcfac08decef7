# What programs need that link the library: headers, both libraries, and how pkg-config and CMake
# find them. A component of its own, so that it can be installed without the rest.
include(CMakePackageConfigHelpers)

if(TARGET homenode_shared)
  install(TARGETS homenode_shared DESTINATION ${HOMENODE_LIB} COMPONENT library)
endif()
if(TARGET homenode_malloc)
  # Beside the agent, where `homenode run --malloc` looks for it.
  install(TARGETS homenode_malloc DESTINATION ${HOMENODE_LIBEXEC} COMPONENT library)
  install(TARGETS homenode_malloc homenode_malloc_hardened DESTINATION ${HOMENODE_LIB}
          COMPONENT library)
endif()
if(HOMENODE_WHEEL)
  return()
endif()

install(TARGETS homenode_static DESTINATION ${HOMENODE_LIB} COMPONENT library)
if(TARGET homenode_malloc_static)
  install(TARGETS homenode_malloc_static DESTINATION ${HOMENODE_LIB} COMPONENT library)
endif()
install(DIRECTORY include/homenode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
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
          COMPONENT library)
endforeach()

set(config_folder ${HOMENODE_LIB}/cmake/homenode)
configure_package_config_file(
  cmake/homenode-config.cmake.in ${CMAKE_BINARY_DIR}/homenode-config.cmake
  INSTALL_DESTINATION ${config_folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/homenode-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/homenode-config.cmake
              ${CMAKE_BINARY_DIR}/homenode-config-version.cmake
        DESTINATION ${config_folder} COMPONENT library)
