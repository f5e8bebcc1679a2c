# Included by engine/CMakeLists.txt: the same kernels, once for each instruction set.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(folder ${CMAKE_CURRENT_LIST_DIR})
    # What other backends take from the processor as well.
    set(shared ${CMAKE_CURRENT_LIST_DIR}/../posterior)
    set_source_files_properties(${folder}/subsequence_kernel_generic.cpp PROPERTIES COMPILE_OPTIONS "-O3")
    set_source_files_properties(${folder}/subsequence_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-O3")
    set_source_files_properties(
        ${folder}/subsequence_kernel_avx512.cpp
        PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mprefer-vector-width=512;-O3"
    )
    # Sums of probabilities: rounding once where a product is added is as good as twice, and a third faster.
    set_source_files_properties(
        ${folder}/posterior_kernel_generic.cpp ${shared}/consistency_kernel_generic.cpp
        ${folder}/profile_kernel_generic.cpp PROPERTIES COMPILE_OPTIONS "-O3"
    )
    set_source_files_properties(
        ${folder}/posterior_kernel_avx2.cpp ${shared}/consistency_kernel_avx2.cpp ${folder}/profile_kernel_avx2.cpp
        PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-O3;-ffp-contract=fast"
    )
    set_source_files_properties(
        ${folder}/posterior_kernel_avx512.cpp ${shared}/consistency_kernel_avx512.cpp ${folder}/profile_kernel_avx512.cpp
        PROPERTIES COMPILE_OPTIONS
                   "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mprefer-vector-width=512;-O3;-ffp-contract=fast"
    )
endif()
