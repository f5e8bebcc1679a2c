# Included by engine/CMakeLists.txt.
glycine_kernel(glycine_computing engine/bounds/cpu/min_plus.cpp AVX512 -mavx512dq)
# No error numbers of sqrt, and comparisons that may be taken ahead: what vectors need. The values stay the same.
set(as_vectors -fno-math-errno -fno-trapping-math)
glycine_kernel(
    glycine_computing engine/bounds/cpu/tetrangle_kernel.cpp
    GENERIC ${as_vectors}
    AVX2 ${as_vectors}
    AVX512 -mavx512dq ${as_vectors}
)
