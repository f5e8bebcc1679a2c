# Included by engine/CMakeLists.txt.
glycine_kernel(
    glycine_computing engine/pairwise/cpu/lane_kernel.cpp
    GENERIC -O3
    AVX2 -O3
    AVX512 -mavx512bw -mavx512dq -mavx512vl -O3
)
glycine_kernel(glycine_computing engine/pairwise/cpu/clustal_kernel.cpp GENERIC -O3 AVX2 -O3 AVX512 -mavx512dq -O3)
