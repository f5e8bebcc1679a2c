set(folder ${CMAKE_CURRENT_LIST_DIR})
set_source_files_properties(${folder}/count_kernel_avx2.cpp ${folder}/sum_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2")
set_source_files_properties(
    ${folder}/count_kernel_avx512.cpp
    PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512vpopcntdq;-mprefer-vector-width=512"
)
set_source_files_properties(
    ${folder}/sum_kernel_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mprefer-vector-width=512"
)
