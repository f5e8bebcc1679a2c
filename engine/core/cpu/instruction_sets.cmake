# Included by engine/CMakeLists.txt: the same kernels, once for each instruction set. -ffast-math is for glibc's vectors of
# logarithms; all other numbers there are whole, and no sum of them is rounded.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(folder ${CMAKE_CURRENT_LIST_DIR})
    set_source_files_properties(${folder}/chains_generic.cpp PROPERTIES COMPILE_OPTIONS "-ffast-math")
    set_source_files_properties(${folder}/chains_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-ffast-math")
    set_source_files_properties(
        ${folder}/chains_avx512.cpp
        PROPERTIES COMPILE_OPTIONS
                   "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vl;-mavx512vpopcntdq;-mfma;-mprefer-vector-width=512;-ffast-math"
    )
endif()
