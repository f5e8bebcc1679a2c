# cmake --install and cpack. Components: `program` (the command with its library, manual and completions), `gl` and `cuda` (the
# modules of backends), `mpi` (glycine-mpi), `development` (headers and CMake files, for programs that link Glycine).
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
set_target_properties(glycine_program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS glycine_program COMPONENT program)

get_property(modules GLOBAL PROPERTY glycine_modules)
if(modules)
    install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glycine COMPONENT program)
endif()

# ---- gl, cuda
set(components program development)
if(GLYCINE_BACKENDS STREQUAL "modules")
    foreach(backend gl cuda)
        if(TARGET glycine_${backend})
            list(APPEND components ${backend})
            install(TARGETS glycine_${backend} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glycine COMPONENT ${backend})
        endif()
    endforeach()
endif()
if(TARGET glycine_mpi)
    list(APPEND components mpi)
    set_target_properties(glycine_mpi PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS glycine_mpi COMPONENT mpi)
endif()
if(TARGET _glycine)
    list(APPEND components python)
    # A Debian package of its own has one of its own.
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-glycine RENAME copyright COMPONENT python)
endif()
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# Under the name that Debian asks for.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)

# ---- development
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Glycine)
install(
    TARGETS glycine EXPORT GlycineTargets
    LIBRARY COMPONENT program NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
)
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
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_VERBATIM_VARIABLES ON)
# One package a component, named as Debian does.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME glycine)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Distance bounds of proteins, distances of genotypes, entropies of EEG, gene networks and
alignments, as OpenGL fragment shaders, on CUDA and on the processor, each checked against a reference.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libglycine, which the others need, comes with the package glycine of the same version.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
# The processor does without OpenGL.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "glycine-gl, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "glycine-cuda")
set(CPACK_DEBIAN_GL_PACKAGE_NAME glycine-gl)
set(CPACK_COMPONENT_GL_DEPENDS program)
set(CPACK_COMPONENT_GL_DESCRIPTION "The backend gl of Glycine: OpenGL fragment shaders, on a GPU or on Mesa's software renderer.")
# Drivers: libGLEW and libEGL alone draw nothing.
set(CPACK_DEBIAN_GL_PACKAGE_RECOMMENDS "libgl1-mesa-dri")
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME glycine-cuda)
set(CPACK_COMPONENT_CUDA_DEPENDS program)
set(CPACK_COMPONENT_CUDA_DESCRIPTION "The backend cuda of Glycine: kernels for NVIDIA GPUs. Needs the driver alone.")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME glycine-mpi)
set(CPACK_COMPONENT_MPI_DEPENDS program)
set(CPACK_COMPONENT_MPI_DESCRIPTION "The commands of Glycine for several processes and machines, started by mpirun.")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libglycine-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Library, headers and CMake files for programs that compute with Glycine.")
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS program)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-glycine)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_COMPONENT_PYTHON_DEPENDS program)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The package glycine for Python: NumPy arrays in, NumPy arrays out, on every backend of Glycine.")
if(TARGET _glycine)
    # The extension is for one minor version of Python.
    math(EXPR after "${Python_VERSION_MINOR} + 1")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${after}), python3-numpy")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "glycine-gl, python3-pandas, python3-tqdm")
if(GLYCINE_BACKENDS STREQUAL "builtin")
    # A static library needs them behind it.
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libgomp1, libglew-dev, libglfw3-dev, libegl-dev, libopengl-dev")
endif()
# One tarball with everything, which unpacks to a folder that can lie anywhere.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
include(CPack)
