# glycine_kernel(TARGET FILE [GENERIC flags…] [AVX2 flags…] [AVX512 flags…]): compiles FILE, relative to the project, once for each
# instruction set of engine/core/instruction_set.hpp, and adds the objects to TARGET. FILE sees GLYCINE_COMPILED_SET (Generic, Avx2,
# Avx512), and is compiled in no other way. Flags come in addition to those that make the instruction set. On processors other than
# x86-64 the generic set alone is built.
function(glycine_kernel target file)
    cmake_parse_arguments(FLAGS "" "" "GENERIC;AVX2;AVX512" ${ARGN})
    set(sets GENERIC)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND sets AVX2 AVX512)
        list(PREPEND FLAGS_AVX2 -mavx2)
        list(PREPEND FLAGS_AVX512 -mavx512f -mprefer-vector-width=512)
    endif()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES HEADER_FILE_ONLY ON)
    foreach(set IN LISTS sets)
        string(TOLOWER ${set} suffix)
        string(REGEX REPLACE "\\.cpp$" "_${suffix}.cpp" name ${file})
        set(source ${PROJECT_BINARY_DIR}/kernels/${name})
        file(CONFIGURE OUTPUT ${source} CONTENT "#define GLYCINE_FOR_${set}\n#include \"${file}\"\n" @ONLY)
        # Flags that neither precompiled headers nor neighbours of a unity build fit.
        set_source_files_properties(
            ${source} PROPERTIES COMPILE_OPTIONS "${FLAGS_${set}}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
        )
        target_sources(${target} PRIVATE ${source})
    endforeach()
endfunction()
