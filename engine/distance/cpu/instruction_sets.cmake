# Included by engine/CMakeLists.txt.
glycine_kernel(glycine_computing engine/distance/cpu/count_kernel.cpp AVX512 -mavx512dq -mavx512vpopcntdq)
glycine_kernel(glycine_computing engine/distance/cpu/sum_kernel.cpp AVX512 -mavx512dq)
