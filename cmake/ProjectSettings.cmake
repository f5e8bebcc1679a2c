# Settings of every target of the project.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# By default, ccache keeps nothing that was compiled with precompiled headers, and its search costs a tenth of the compile time. Users
# of a ccache that is configured for them set CMAKE_CXX_COMPILER_LAUNCHER.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    if(NOT GLYCINE_PRECOMPILE_HEADERS)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
endif()

# Flags of our own code; link to it privately. -ffp-contract=off: a fused multiply-add rounds once where the
# specification rounds twice, and results of all backends are compared to the bit.
add_library(glycine_settings INTERFACE)
target_include_directories(glycine_settings INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_options(
    glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -ffp-contract=off>
)
if(GLYCINE_WARNINGS_AS_ERRORS)
    target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Functions of the shared library are inlined as those of a static one.
    target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
    # GCC 12 warns of overlapping copies inside std::string's operator+ (its bug 105329).
    target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
    # GCC collects garbage from 128 MiB on, which takes about a tenth of its time. From 2 GB on, as here, it seldom does, and its
    # largest source file takes 1.7 GB instead of 1.2.
    cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
    cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR memory_of_a_processor "${memory} / ${processors}")
    if(memory_of_a_processor GREATER 2500)
        target_compile_options(
            glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=2000000>
        )
    endif()
    if(CMAKE_UNITY_BUILD)
        # It takes sources that are included in one for headers, whose unnamed namespaces it warns of.
        target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    endif()
endif()
if(GLYCINE_SANITIZE)
    target_compile_options(
        glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GLYCINE_SANITIZE} -fno-omit-frame-pointer>
    )
    target_link_options(glycine_settings INTERFACE -fsanitize=${GLYCINE_SANITIZE})
    # Undefined behaviour stops the program by an illegal instruction, for which the address sanitizer prints the stack
    # (handle_sigill=1). The code that would describe the kind of error takes more than a quarter of the compiling time.
    if(GLYCINE_SANITIZE_TRAP AND GLYCINE_SANITIZE MATCHES "undefined")
        foreach(step compile link)
            cmake_language(CALL target_${step}_options glycine_settings INTERFACE -fsanitize-trap=undefined)
        endforeach()
        # Types of functions in two modules are compared by the code that is left out.
        target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function>)
    endif()
    if(GLYCINE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        target_compile_options(
            glycine_settings
            INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/trusted_headers.txt>
        )
    endif()
    # The address sanitizer finds what these find when it happens; they cost a third of the compiling time.
    target_compile_options(
        glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,vptr,object-size>
    )
endif()

# A precompiled header that does not fit a source's flags costs time, not correctness: no cause for an error.
set(CMAKE_PCH_WARN_INVALID OFF)
# Headers that most source files include.
set(GLYCINE_COMMON_HEADERS
    <algorithm> <filesystem> <functional> <map> <memory> <optional> <span> <string> <vector> <fmt/format.h> <fmt/ranges.h>
)

# glycine_library(NAME SOURCES… [DEPENDS …] [PRECOMPILE …] [SELDOM_RUN] [INSTALLED]): a static library of the project; one that
# is INSTALLED is shared where backends are modules, which link it, and what it depends on stays inside this tree: flags, warnings
# and folders do not reach programs that link the installed one. PRECOMPILE: headers that most of its sources include besides the common
# ones; PRECOMPILED_BY: a library of the same flags whose precompiled headers it takes. SELDOM_RUN: nothing in it takes time when
# it runs, so compiling it shall take little, too. COMPUTES: sources (a part of SOURCES) that are optimised as in a release
# whatever the flags say of the rest; an object library of their own, NAME_computing.
function(glycine_library name)
    cmake_parse_arguments(ARG "SELDOM_RUN;INSTALLED" "PRECOMPILED_BY" "SOURCES;COMPUTES;DEPENDS;PRIVATE_DEPENDS;PRECOMPILE" ${ARGN})
    if(ARG_COMPUTES)
        list(REMOVE_ITEM ARG_SOURCES ${ARG_COMPUTES})
        add_library(${name}_computing OBJECT ${ARG_COMPUTES})
        target_link_libraries(${name}_computing PRIVATE glycine_settings ${ARG_DEPENDS} ${ARG_PRIVATE_DEPENDS})
        target_compile_definitions(${name}_computing PRIVATE $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
        if(GLYCINE_PRECOMPILE_HEADERS)
            target_precompile_headers(${name}_computing PRIVATE ${GLYCINE_COMMON_HEADERS} ${ARG_PRECOMPILE})
        endif()
        # The sanitize preset does not optimise, which halves the time of compiling; what computes would be too slow so. Clang
        # warns of loops that it does not vectorise at that level.
        # With sanitizers, functions are inlined only if they are declared so: bound smoothing compiles in three quarters of the time
        # and runs as fast.
        if(GLYCINE_SANITIZE)
            target_compile_options(
                ${name}_computing PRIVATE -O1 -Wno-pass-failed $<$<CXX_COMPILER_ID:Clang>:-finline-hint-functions>
            )
        else()
            target_compile_options(${name}_computing PRIVATE $<$<CONFIG:Release>:-O3>)
        endif()
        # Its functions are for several instruction sets, which the headers of its neighbours do not fit. (Kernels: Kernels.cmake.)
        foreach(source IN LISTS ARG_COMPUTES)
            if(source MATCHES "multiply_add_rate")
                set_source_files_properties(
                    ${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
                )
            endif()
        endforeach()
        list(APPEND ARG_SOURCES $<TARGET_OBJECTS:${name}_computing>)
    endif()
    if(ARG_INSTALLED)
        if(GLYCINE_BACKENDS STREQUAL "builtin")
            add_library(${name} STATIC ${ARG_SOURCES})
        else()
            add_library(${name} SHARED ${ARG_SOURCES})
        endif()
        foreach(dependency glycine_settings ${ARG_DEPENDS})
            target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:${dependency}>)
        endforeach()
        target_link_libraries(${name} PRIVATE ${ARG_PRIVATE_DEPENDS})
    else()
        add_library(${name} STATIC ${ARG_SOURCES})
        target_link_libraries(${name} PUBLIC glycine_settings ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
    endif()
    if(GLYCINE_PRECOMPILE_HEADERS AND ARG_PRECOMPILED_BY)
        target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED_BY})
    elseif(GLYCINE_PRECOMPILE_HEADERS)
        target_precompile_headers(${name} PRIVATE ${GLYCINE_COMMON_HEADERS} ${ARG_PRECOMPILE})
    endif()
    if(ARG_SELDOM_RUN)
        # GCC compiles it in three quarters of the time of -O1.
        target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
    endif()
endfunction()
