# glycine_shared_module(NAME SOURCES LINKS): libglycine-NAME, which links libglycine and LINKS.
function(glycine_shared_module name sources links)
    add_library(glycine_${name} SHARED ${sources})
    target_link_libraries(glycine_${name} PUBLIC glycine ${links} PRIVATE OpenMP::OpenMP_CXX)
    set_target_properties(
        glycine_${name} PROPERTIES OUTPUT_NAME glycine-${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                                   BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN:$ORIGIN/.."
    )
    add_dependencies(glycine_${name} glycine_build_info)
    if(GLYCINE_PRECOMPILE_HEADERS)
        # Compiled with the same flags. Precompiling them again takes longer than most modules.
        target_precompile_headers(glycine_${name} REUSE_FROM glycine)
    endif()
endfunction()

# glycine_module(NAME USER SOURCES… [LINKS…]): libglycine-NAME, which the static library USER loads when it first needs it
# (engine/core/module.hpp); with GLYCINE_BACKENDS=builtin a part of USER. Sets glycine_NAME_target: the target that the sources
# are part of.
function(glycine_module name user)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    if(GLYCINE_BACKENDS STREQUAL "builtin")
        target_sources(${user} PRIVATE ${ARG_SOURCES})
        target_link_libraries(${user} PRIVATE ${ARG_LINKS})
        target_compile_definitions(${user} PRIVATE GLYCINE_BUILTIN_MODULES)
        set(glycine_${name}_target ${user} PARENT_SCOPE)
    else()
        glycine_shared_module(${name} "${ARG_SOURCES}" "${ARG_LINKS}")
        add_dependencies(${user} glycine_${name})
        set_property(GLOBAL APPEND PROPERTY glycine_modules glycine_${name})
        set(glycine_${name}_target glycine_${name} PARENT_SCOPE)
    endif()
endfunction()

# glycine_backend(NAME SOURCES… [LINKS…]): a device backend, libglycine-NAME, which links LINKS. It is a library of its own that
# libglycine loads when the program runs; with GLYCINE_BACKENDS=builtin it becomes a part of libglycine. Programs that look inside
# (tests) link glycine_NAME in both cases. Sets glycine_NAME_target: the target that the sources are part of.
function(glycine_backend name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    if(GLYCINE_BACKENDS STREQUAL "builtin")
        target_sources(glycine PRIVATE ${ARG_SOURCES})
        target_link_libraries(glycine PRIVATE ${ARG_LINKS})
        add_library(glycine_${name} INTERFACE)
        target_link_libraries(glycine_${name} INTERFACE glycine ${ARG_LINKS})
        set_property(GLOBAL APPEND PROPERTY glycine_builtin_backends ${name})
        set(glycine_${name}_target glycine PARENT_SCOPE)
    else()
        glycine_shared_module(${name} "${ARG_SOURCES}" "${ARG_LINKS}")
        set(glycine_${name}_target glycine_${name} PARENT_SCOPE)
    endif()
    set_property(GLOBAL APPEND PROPERTY glycine_backends glycine_${name})
endfunction()

# glycine_builtin_backends(): compiles the list of built-in backends into libglycine. Requires that all calls of glycine_backend precede.
function(glycine_builtin_backends)
    get_property(builtin GLOBAL PROPERTY glycine_builtin_backends)
    set(GLYCINE_BUILTIN_DECLARATIONS "")
    set(GLYCINE_BUILTIN_LINES "")
    foreach(backend IN LISTS builtin)
        string(APPEND GLYCINE_BUILTIN_DECLARATIONS "extern \"C\" const glycine::BackendModule glycine_${backend}_module;\n")
        string(APPEND GLYCINE_BUILTIN_LINES "    if (backend == \"${backend}\") return &glycine_${backend}_module;\n")
    endforeach()
    configure_file(
        ${PROJECT_SOURCE_DIR}/engine/core/builtin_modules.cpp.in ${PROJECT_BINARY_DIR}/generated/builtin_modules.cpp @ONLY
    )
    target_sources(glycine PRIVATE ${PROJECT_BINARY_DIR}/generated/builtin_modules.cpp)
endfunction()
