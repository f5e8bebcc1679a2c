# Included by engine/CMakeLists.txt. -ffast-math enables glibc's vector logarithms. All other numbers in this file are
# integers, so no sum is rounded.
glycine_kernel(
    glycine_computing engine/core/cpu/chains.cpp
    GENERIC -ffast-math
    AVX2 -mfma -ffast-math
    AVX512 -mavx512dq -mavx512bw -mavx512vl -mavx512vpopcntdq -mfma -ffast-math
)
