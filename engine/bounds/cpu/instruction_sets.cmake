# Included by engine/CMakeLists.txt.
glycine_kernel(glycine_computing engine/bounds/cpu/min_plus.cpp AVX512 -mavx512dq)
