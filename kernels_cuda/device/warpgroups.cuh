#pragma once

#include <cstdint>

/// Asynchronous operations of compute capability 9.0.
///
/// Bulk copies that run concurrently with the threads of a block, and the barriers in shared memory that
/// signal their completion (9.0). Source: the PTX ISA, "mbarrier" and "cp.async.bulk".
///
/// Matrix products of a warpgroup, four warps together, from operands in shared memory (9.0a). Source: the
/// PTX ISA, "Asynchronous warpgroup level matrix multiply-accumulate".
namespace glycine::cuda {

__device__ inline std::uint32_t sharedAddress(const void* place) {
    return std::uint32_t(__cvta_generic_to_shared(place));
}

/// A barrier with phases. A phase ends after `arrivals` arrivals and after all bytes announced for it.
class BulkBarrier {
  public:
    __device__ void init(unsigned arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(&state_)), "r"(arrivals));
    }
    /// Arrives, and announces bytes that copies will deliver.
    __device__ void expect(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(&state_)),
                     "r"(bytes)
                     : "memory");
    }
    /// Arrives at the same barrier in another block of the cluster.
    __device__ void arriveAt(unsigned block) {
        asm volatile(
            "{\n"
            ".reg .b32 there;\n"
            "mapa.shared::cluster.u32 there, %0, %1;\n"
            "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
            "}" ::"r"(sharedAddress(&state_)),
            "r"(block)
            : "memory");
    }
    /// Waits for the end of the phase: 0 for the first one, then 1, 0, 1 …
    __device__ void wait(unsigned phase) {
        asm volatile(
            "{\n"
            ".reg .pred isOver;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 isOver, [%0], %1;\n"
            "@!isOver bra again;\n"
            "}" ::"r"(sharedAddress(&state_)),
            "r"(phase & 1)
            : "memory");
    }

  private:
    friend __device__ void copyToCluster(void*, const void*, unsigned, BulkBarrier&, unsigned);
    std::uint64_t state_;
};

/// Makes initialised barriers visible to copies and to the cluster.
__device__ inline void publishBarriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Synchronises all threads of the cluster.
__device__ inline void syncCluster() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline unsigned blockOfCluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// Copies `bytes` (a multiple of 16, from and to multiples of 16) to the same place in the shared memory of
/// the blocks of the cluster whose bits are set. The barrier at that place in each block counts them.
__device__ inline void copyToCluster(void* place, const void* source, unsigned bytes, BulkBarrier& barrier,
                                     unsigned blocks) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
        "%2, [%3], %4;" ::"r"(sharedAddress(place)),
        "l"(source), "r"(bytes), "r"(sharedAddress(&barrier.state_)), "h"(std::uint16_t(blocks))
        : "memory");
}

/// A thread's share of the 64 × 128 sums of a warpgroup: in warp w, lane 4g + t holds row 16w + g + 8h and
/// column 8n + 2t + i in element 4n + 2h + i.
using WarpgroupSums = float[64];
/// The same for int8 and bits.
using WarpgroupCounts = int[64];

/// Descriptor of an operand: rows of 64 bytes, eight of them one after another, where the 16-byte vector v of
/// row r is at v ^ (r / 2 % 4). Bits 62 and 63 select that order of vectors; the bits from 32 on hold the 512
/// bytes from one group of eight rows to the next. All in units of 16 bytes.
__device__ inline std::uint64_t warpgroupOperand(std::uint32_t sharedAddress) {
    return std::uint64_t(sharedAddress >> 4) | std::uint64_t(1) << 16 | std::uint64_t(512 >> 4) << 32 |
           std::uint64_t(2) << 62;
}

/// Required before the first of several products, and after other code has changed the sums.
__device__ inline void beginProducts() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void endProducts() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most `most` of the groups between begin and end are still running.
template <int most>
__device__ inline void waitForProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(most) : "memory");
}
/// Keeps the compiler from moving sums across products, since it does not know that they read and write them.
template <int count>
__device__ inline void pinSums(WarpgroupSums (&sums)[count]) {
#pragma unroll
    for (WarpgroupSums& some : sums)
#pragma unroll
        for (float& sum : some) asm volatile("" : "+f"(sum)::"memory");
}
template <int count>
__device__ inline void pinSums(WarpgroupCounts (&counts)[count]) {
#pragma unroll
    for (WarpgroupCounts& some : counts)
#pragma unroll
        for (int& sum : some) asm volatile("" : "+r"(sum)::"memory");
}

/// sums += rows · columnsᵀ, over 32 bytes of each row and column. `kind`: register constraint of the sums.
#define GLYCINE_WARPGROUP_PRODUCT(shape, kind, behind)                                                    \
    asm volatile(                                                                                         \
        "{\n.reg .pred adds;\nsetp.eq.u32 adds, 0, 0;\n"                                                  \
        "wgmma.mma_async.sync.aligned." shape                                                             \
        " {"                                                                                              \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                          \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                  \
        "}, %64, %65, adds" behind ";\n}"                                                                 \
        : kind(s[0]), kind(s[1]), kind(s[2]), kind(s[3]), kind(s[4]), kind(s[5]), kind(s[6]), kind(s[7]), \
          kind(s[8]), kind(s[9]), kind(s[10]), kind(s[11]), kind(s[12]), kind(s[13]), kind(s[14]),        \
          kind(s[15]), kind(s[16]), kind(s[17]), kind(s[18]), kind(s[19]), kind(s[20]), kind(s[21]),      \
          kind(s[22]), kind(s[23]), kind(s[24]), kind(s[25]), kind(s[26]), kind(s[27]), kind(s[28]),      \
          kind(s[29]), kind(s[30]), kind(s[31]), kind(s[32]), kind(s[33]), kind(s[34]), kind(s[35]),      \
          kind(s[36]), kind(s[37]), kind(s[38]), kind(s[39]), kind(s[40]), kind(s[41]), kind(s[42]),      \
          kind(s[43]), kind(s[44]), kind(s[45]), kind(s[46]), kind(s[47]), kind(s[48]), kind(s[49]),      \
          kind(s[50]), kind(s[51]), kind(s[52]), kind(s[53]), kind(s[54]), kind(s[55]), kind(s[56]),      \
          kind(s[57]), kind(s[58]), kind(s[59]), kind(s[60]), kind(s[61]), kind(s[62]), kind(s[63])       \
        : "l"(rows), "l"(columns))

__device__ inline void multiplyFloat16(WarpgroupSums& s, std::uint64_t rows, std::uint64_t columns) {
    GLYCINE_WARPGROUP_PRODUCT("m64n128k16.f32.f16.f16", "+f", ", 1, 1, 0, 0");
}
__device__ inline void multiplyTf32(WarpgroupSums& s, std::uint64_t rows, std::uint64_t columns) {
    GLYCINE_WARPGROUP_PRODUCT("m64n128k8.f32.tf32.tf32", "+f", ", 1, 1");
}
__device__ inline void multiplyInt8(WarpgroupCounts& s, std::uint64_t rows, std::uint64_t columns) {
    GLYCINE_WARPGROUP_PRODUCT("m64n128k32.s32.s8.s8", "+r", "");
}
/// ANDs of bits.
__device__ inline void multiplyBits(WarpgroupCounts& s, std::uint64_t rows, std::uint64_t columns) {
    GLYCINE_WARPGROUP_PRODUCT("m64n128k256.s32.b1.b1.and.popc", "+r", "");
}
#undef GLYCINE_WARPGROUP_PRODUCT

}  // namespace glycine::cuda
