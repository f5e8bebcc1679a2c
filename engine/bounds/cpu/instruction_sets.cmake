set(folder ${CMAKE_CURRENT_LIST_DIR})
set_source_files_properties(${folder}/min_plus_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2")
set_source_files_properties(
    ${folder}/min_plus_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mprefer-vector-width=512"
)
