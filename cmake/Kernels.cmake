# glycine_kernel(TARGET FILE [GENERIC flags…] [AVX2 flags…] [AVX512 flags…]): compiles FILE (relative to the project) once per
# instruction set of engine/core/instruction_set.hpp, and adds the objects to TARGET. In each, GLYCINE_COMPILED_SET is defined
# (Generic, Avx2, Avx512). FILE is not compiled otherwise. The flags are added to those of the instruction set. On processors
# other than x86-64, only the generic set is built.
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
        # These flags are incompatible with precompiled headers and unity builds.
        set_source_files_properties(
            ${source} PROPERTIES COMPILE_OPTIONS "${FLAGS_${set}}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
        )
        target_sources(${target} PRIVATE ${source})
    endforeach()
endfunction()
