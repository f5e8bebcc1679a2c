#pragma once

#include <cstdint>

/// Matrix products of a warpgroup, four warps together, from operands in shared memory (compute capability
/// 9.0a). Source: the PTX ISA, "Asynchronous warpgroup level matrix multiply-accumulate".
namespace glycine::cuda {

/// 64 × 128 sums of a warpgroup, the part of a thread: of warp w, its lane 4g + t holds in element
/// 4n + 2h + i row 16w + g + 8h and column 8n + 2t + i.
using WarpgroupSums = float[64];

/// Where an operand begins: rows of 64 bytes, eight of them one behind the other, of which vector v
/// of 16 bytes of row r lies at v ^ (r / 2 % 4). Bits 62 and 63: that order of vectors; from bit 32 on: 512
/// bytes from eight rows to the next; all in units of 16 bytes.
__device__ inline std::uint64_t warpgroupOperand(std::uint32_t sharedAddress) {
    return std::uint64_t(sharedAddress >> 4) | std::uint64_t(1) << 16 | std::uint64_t(512 >> 4) << 32 |
           std::uint64_t(2) << 62;
}

/// Before the first product of some, and after others have changed the sums.
__device__ inline void beginProducts() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void endProducts() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most `most` of the groups between begin and end are still on their way.
template <int most>
__device__ inline void waitForProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(most) : "memory");
}
/// Keeps the compiler from moving sums across products, of whose reading and writing it does not know.
template <int count>
__device__ inline void pinSums(WarpgroupSums (&sums)[count]) {
#pragma unroll
    for (WarpgroupSums& some : sums)
#pragma unroll
        for (float& sum : some) asm volatile("" : "+f"(sum)::"memory");
}

/// sums += rows · columnsᵀ, of 32 bytes of each row and column.
#define GLYCINE_WARPGROUP_PRODUCT(shape, order)                                                           \
    asm volatile(                                                                                         \
        "{\n.reg .pred adds;\nsetp.eq.u32 adds, 0, 0;\n"                                                  \
        "wgmma.mma_async.sync.aligned." shape                                                             \
        " {"                                                                                              \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                          \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                  \
        "}, %64, %65, adds, 1, 1" order ";\n}"                                                            \
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7]), \
          "+f"(s[8]), "+f"(s[9]), "+f"(s[10]), "+f"(s[11]), "+f"(s[12]), "+f"(s[13]), "+f"(s[14]),        \
          "+f"(s[15]), "+f"(s[16]), "+f"(s[17]), "+f"(s[18]), "+f"(s[19]), "+f"(s[20]), "+f"(s[21]),      \
          "+f"(s[22]), "+f"(s[23]), "+f"(s[24]), "+f"(s[25]), "+f"(s[26]), "+f"(s[27]), "+f"(s[28]),      \
          "+f"(s[29]), "+f"(s[30]), "+f"(s[31]), "+f"(s[32]), "+f"(s[33]), "+f"(s[34]), "+f"(s[35]),      \
          "+f"(s[36]), "+f"(s[37]), "+f"(s[38]), "+f"(s[39]), "+f"(s[40]), "+f"(s[41]), "+f"(s[42]),      \
          "+f"(s[43]), "+f"(s[44]), "+f"(s[45]), "+f"(s[46]), "+f"(s[47]), "+f"(s[48]), "+f"(s[49]),      \
          "+f"(s[50]), "+f"(s[51]), "+f"(s[52]), "+f"(s[53]), "+f"(s[54]), "+f"(s[55]), "+f"(s[56]),      \
          "+f"(s[57]), "+f"(s[58]), "+f"(s[59]), "+f"(s[60]), "+f"(s[61]), "+f"(s[62]), "+f"(s[63])       \
        : "l"(rows), "l"(columns))

__device__ inline void multiplyFloat16(WarpgroupSums& s, std::uint64_t rows, std::uint64_t columns) {
    GLYCINE_WARPGROUP_PRODUCT("m64n128k16.f32.f16.f16", ", 0, 0");
}
__device__ inline void multiplyTf32(WarpgroupSums& s, std::uint64_t rows, std::uint64_t columns) {
    GLYCINE_WARPGROUP_PRODUCT("m64n128k8.f32.tf32.tf32", "");
}
#undef GLYCINE_WARPGROUP_PRODUCT

}  // namespace glycine::cuda
