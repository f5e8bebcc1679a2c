# Included by engine/CMakeLists.txt.
glycine_kernel(
    glycine_computing engine/alignment/cpu/subsequence_kernel.cpp GENERIC -O3 AVX2 -O3 AVX512 -mavx512dq -O3
)
# Sums of probabilities: rounding once where a product is added is as good as twice, and a third faster. Other backends take
# consistency from the processor, too.
foreach(kernel cpu/posterior_kernel cpu/profile_kernel posterior/consistency_kernel)
    glycine_kernel(
        glycine_computing engine/alignment/${kernel}.cpp
        GENERIC -O3
        AVX2 -mfma -O3 -ffp-contract=fast
        AVX512 -mavx512bw -mavx512dq -mavx512vl -mfma -O3 -ffp-contract=fast
    )
endforeach()
