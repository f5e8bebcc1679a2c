set(folder ${CMAKE_CURRENT_LIST_DIR})
# Sums agree to a tolerance, not to the bit: products and sums may be fused. Without -ffast-math glibc's vectors of
# logarithms are not used; no number here is NaN or infinite.
set_source_files_properties(${folder}/joint_kernel_generic.cpp PROPERTIES COMPILE_OPTIONS "-ffast-math")
set_source_files_properties(
    ${folder}/joint_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-ffast-math;-ffp-contract=fast"
)
set_source_files_properties(
    ${folder}/joint_kernel_avx512.cpp
    PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mfma;-mprefer-vector-width=512;-ffast-math;-ffp-contract=fast"
)
set_source_files_properties(
    ${folder}/product_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast"
)
set_source_files_properties(
    ${folder}/product_kernel_avx512.cpp
    PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mfma;-mprefer-vector-width=512;-ffp-contract=fast"
)
set_source_files_properties(${folder}/path_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-O3")
set_source_files_properties(
    ${folder}/path_kernel_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f;-mprefer-vector-width=512;-O3"
)
