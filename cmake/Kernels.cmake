# A build with sanitizers is for tests on this machine. It leaves out kernels that the processor cannot run; the largest takes 43 s to compile.
if(GLYCINE_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT CMAKE_CROSSCOMPILING)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs(
        "int main() { return __builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") ? 0 : 1; }"
        GLYCINE_RUNS_AVX512
    )
    if(NOT GLYCINE_RUNS_AVX512)
        target_compile_definitions(glycine_settings INTERFACE GLYCINE_WITHOUT_AVX512)
    endif()
endif()

# glycine_kernel(TARGET FILE [GENERIC flags…] [AVX2 flags…] [AVX512 flags…]): compiles FILE (relative to the project) once per
# instruction set of engine/core/instruction_set.hpp, and adds the objects to TARGET. In each, GLYCINE_COMPILED_SET is defined
# (Generic, Avx2, Avx512). FILE is not compiled otherwise. The flags are added to those of the instruction set. On processors
# other than x86-64, only the generic set is built. GLYCINE_WITHOUT_AVX512 leaves out that set.
function(glycine_kernel target file)
    cmake_parse_arguments(FLAGS "" "" "GENERIC;AVX2;AVX512" ${ARGN})
    set(sets GENERIC)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND sets AVX2)
        if(NOT GLYCINE_SANITIZE OR CMAKE_CROSSCOMPILING OR GLYCINE_RUNS_AVX512)
            list(APPEND sets AVX512)
        endif()
        list(PREPEND FLAGS_AVX2 -mavx2)
        list(PREPEND FLAGS_AVX512 -mavx512f -mprefer-vector-width=512)
    endif()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES HEADER_FILE_ONLY ON)
    # Kernels inline all functions, as glycine_library's -finline-hint-functions would not.
    if(GLYCINE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        foreach(set IN LISTS sets)
            list(APPEND FLAGS_${set} -finline-functions)
        endforeach()
    endif()
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
