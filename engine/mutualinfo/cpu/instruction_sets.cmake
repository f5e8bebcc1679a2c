# Included by engine/CMakeLists.txt.
# Sums agree within a tolerance, not to the bit, so products and sums may be fused. glibc's vector logarithms
# need -ffast-math; no number here is NaN or infinite.
glycine_kernel(
    glycine_computing engine/mutualinfo/cpu/joint_kernel.cpp
    GENERIC -ffast-math
    AVX2 -mfma -ffast-math -ffp-contract=fast
    AVX512 -mavx512dq -mfma -ffast-math -ffp-contract=fast
)
glycine_kernel(
    glycine_computing engine/mutualinfo/cpu/product_kernel.cpp
    AVX2 -mfma -ffp-contract=fast
    AVX512 -mavx512dq -mfma -ffp-contract=fast
)
glycine_kernel(glycine_computing engine/mutualinfo/cpu/path_kernel.cpp AVX2 -O3 AVX512 -O3)
glycine_kernel(glycine_computing engine/mutualinfo/cpu/selection_kernel.cpp)
