# Included by engine/CMakeLists.txt. No error numbers of sqrt, which vectors need. Products and sums are never fused: the same seed
# gives the same structures with all instruction sets.
foreach(kernel bodies_kernel energy_kernel neighbour_kernel)
    glycine_kernel(
        glycine_computing engine/structure/cpu/${kernel}.cpp
        GENERIC -fno-math-errno
        AVX2 -fno-math-errno
        AVX512 -mavx512dq -mprefer-vector-width=256 -fno-math-errno
    )
endforeach()
