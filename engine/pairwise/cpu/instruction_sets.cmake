# Included by engine/CMakeLists.txt: the same kernels, once for each instruction set.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(folder ${CMAKE_CURRENT_LIST_DIR})
    set_source_files_properties(${folder}/lane_kernel_generic.cpp PROPERTIES COMPILE_OPTIONS "-O3")
    set_source_files_properties(${folder}/lane_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-O3")
    set_source_files_properties(
        ${folder}/lane_kernel_avx512.cpp
        PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mprefer-vector-width=512;-O3"
    )
    set_source_files_properties(${folder}/clustal_kernel_generic.cpp PROPERTIES COMPILE_OPTIONS "-O3")
    set_source_files_properties(${folder}/clustal_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-O3")
    set_source_files_properties(
        ${folder}/clustal_kernel_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mprefer-vector-width=512;-O3"
    )
endif()
