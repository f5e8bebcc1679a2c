# Included by engine/CMakeLists.txt. -ffast-math is for glibc's vectors of logarithms; all other numbers there are whole, and no
# sum of them is rounded.
glycine_kernel(
    glycine_computing engine/core/cpu/chains.cpp
    GENERIC -ffast-math
    AVX2 -mfma -ffast-math
    AVX512 -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mfma -ffast-math
)
