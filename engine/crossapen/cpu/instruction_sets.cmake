# Included by engine/CMakeLists.txt.
glycine_kernel(
    glycine_computing engine/crossapen/cpu/match_kernels.cpp
    AVX2 -mpopcnt
    AVX512 -mavx512dq -mavx512bw -mavx512vpopcntdq -mbmi2 -mpopcnt
)
# Memberships agree within a tolerance, not to the bit, so products and sums may be fused.
glycine_kernel(
    glycine_computing engine/crossapen/cpu/membership_kernels.cpp
    AVX2 -mfma -ffp-contract=fast
    AVX512 -mavx512dq -mfma -ffp-contract=fast
)
