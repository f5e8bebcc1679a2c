# What every target of the project is built with.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Flags of our own code; link to it privately. -ffp-contract=off: a fused multiply-add rounds once where the
# specification rounds twice, and results of all backends are compared to the bit.
add_library(glycine_settings INTERFACE)
target_include_directories(glycine_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
    glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -ffp-contract=off>
)
if(GLYCINE_WARNINGS_AS_ERRORS)
    target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 warns of overlapping copies inside std::string's operator+ (its bug 105329).
    target_compile_options(glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(GLYCINE_SANITIZE)
    target_compile_options(
        glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GLYCINE_SANITIZE} -fno-omit-frame-pointer>
    )
    target_link_options(glycine_settings INTERFACE -fsanitize=${GLYCINE_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # The address sanitizer finds what these find when it happens; they cost a third of the compiling time.
        target_compile_options(
            glycine_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,vptr,object-size>
        )
    endif()
endif()

# glycine_library(NAME SOURCES… [DEPENDS …]): a static library of the project.
function(glycine_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC glycine_settings ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()
