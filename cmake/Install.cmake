# cmake --install and cpack. Two components: `program` (the command with its manual and completions) and `development` (library,
# headers and CMake files, for programs that link Glycine).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ---- program
# Made by the command from the options that it declares, so that neither can be stale.
set(documents ${PROJECT_BINARY_DIR}/documents)
if(NOT CMAKE_CROSSCOMPILING AND NOT GLYCINE_SANITIZE)
    add_custom_command(
        OUTPUT ${documents}/glycine.1 ${documents}/glycine.bash ${documents}/_glycine
        COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
        COMMAND glycine_program help --man > ${documents}/glycine.1
        COMMAND glycine_program help --completion bash > ${documents}/glycine.bash
        COMMAND glycine_program help --completion zsh > ${documents}/_glycine
        DEPENDS glycine_program
        COMMENT "Writing the manual and the completions"
        VERBATIM
    )
    add_custom_target(glycine_documents ALL DEPENDS ${documents}/glycine.1)
    install(FILES ${documents}/glycine.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
    install(FILES ${documents}/glycine.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME glycine
            COMPONENT program)
    install(FILES ${documents}/_glycine DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
endif()
if(BUILD_SHARED_LIBS)
    set_target_properties(glycine_program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
install(TARGETS glycine_program COMPONENT program)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# Under the name that Debian asks for.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)

# ---- development
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Glycine)
install(TARGETS glycine EXPORT GlycineTargets COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT GlycineTargets NAMESPACE Glycine:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(
    cmake/GlycineConfig.cmake.in ${PROJECT_BINARY_DIR}/GlycineConfig.cmake INSTALL_DESTINATION ${package_folder}
)
# Before version 1.0 the interface may change with every minor version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/GlycineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/GlycineConfig.cmake ${PROJECT_BINARY_DIR}/GlycineConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(CODE "set(SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
set(BINARY_DIR \"${PROJECT_BINARY_DIR}\")
set(INCLUDE_FOLDER \"${CMAKE_INSTALL_INCLUDEDIR}\")" COMPONENT development)
install(SCRIPT cmake/InstallHeaders.cmake COMPONENT development)
# A Debian package of its own has one of its own.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libglycine-dev RENAME copyright COMPONENT development)

# ---- packages: cpack -G DEB, cpack -G TGZ
set(CPACK_PACKAGE_NAME glycine)
set(CPACK_PACKAGE_VENDOR "The Glycine authors")
# Who answers for the packages: whoever builds them for others sets it. The address of the default leads nowhere.
set(GLYCINE_PACKAGE_MAINTAINER "The Glycine authors <glycine@localhost>" CACHE STRING "Maintainer of Debian packages, `Name <address>`")
if(NOT GLYCINE_PACKAGE_MAINTAINER MATCHES "^[^<>]*[^<> ] <[^<>@ ]+@[^<>@ ]+>$")
    message(FATAL_ERROR "GLYCINE_PACKAGE_MAINTAINER is `${GLYCINE_PACKAGE_MAINTAINER}`; Debian asks for `Name <address>`")
endif()
set(CPACK_PACKAGE_CONTACT "${GLYCINE_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_VERBATIM_VARIABLES ON)
# One package a component, named as Debian does.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME glycine)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Distance bounds of proteins, distances of genotypes, entropies of EEG, gene networks and
alignments, as OpenGL fragment shaders, on CUDA and on the processor, each checked against a reference.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# OpenGL is loaded when it is asked for (and libglfw3, for windows): the processor does without.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libegl1, libgl1-mesa-dri, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libglfw3")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libglycine-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Library, headers and CMake files for programs that compute with Glycine.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libhwy-dev, libgomp1")
if(BUILD_SHARED_LIBS)
    message(STATUS "BUILD_SHARED_LIBS: of the Debian packages, libglycine-dev holds the library and glycine depends on it")
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libglycine-dev")
endif()
# One tarball with everything, which unpacks to a folder that can lie anywhere.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
include(CPack)
