set(folder ${CMAKE_CURRENT_LIST_DIR})
set_source_files_properties(${folder}/match_kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mpopcnt")
set_source_files_properties(
    ${folder}/match_kernels_avx512.cpp
    PROPERTIES COMPILE_OPTIONS
               "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vpopcntdq;-mbmi2;-mpopcnt;-mprefer-vector-width=512"
)
# Memberships agree to a tolerance, not to the bit: products and sums may be fused.
set_source_files_properties(
    ${folder}/membership_kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast"
)
set_source_files_properties(
    ${folder}/membership_kernels_avx512.cpp
    PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mfma;-mprefer-vector-width=512;-ffp-contract=fast"
)
