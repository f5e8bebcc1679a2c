// Registers and shared memory of kernels, as the compiler reports them.
#include "engine/core/compiled_kernels.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// Output of nvcc 13.0 for two architectures, with a warning and a kernel of which ptxas printed no use.
constexpr const char* kOutput =
    R"(kernels.cu(12): warning #177-D: variable "last" was declared but never referenced
ptxas info    : 0 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function '_ZN7glycine4cuda15calculateMatrixEj' for 'sm_90'
ptxas info    : Function properties for _ZN7glycine4cuda15calculateMatrixEj
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers
ptxas info    : Compile time = 5.123 ms
ptxas info    : Compiling entry function '_Z7unusedKPf' for 'sm_90'
ptxas info    : Compiling entry function '_Z10haloKernelIfLj1EEvPKT_' for 'sm_75'
ptxas info    : Used 255 registers, used 1 barriers, 8 bytes cumulative stack size, 1056 bytes smem, 412 bytes cmem[0]
ptxas info    : Used 99 registers
)";

TEST(CompiledKernels, AreReadFromWhatTheCompilerPrints) {
    const std::vector<CompiledResources> all = readResourceUsage(kOutput);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].entry, "_ZN7glycine4cuda15calculateMatrixEj");
    EXPECT_EQ(all[0].target, "sm_90");
    EXPECT_EQ(all[0].registers, 24U);
    EXPECT_EQ(all[0].sharedBytes, 0U);
    EXPECT_EQ(all[1].entry, "_Z10haloKernelIfLj1EEvPKT_");
    EXPECT_EQ(all[1].target, "sm_75");
    EXPECT_EQ(all[1].registers, 255U);
    EXPECT_EQ(all[1].sharedBytes, 1056U);
}

TEST(CompiledKernels, AreNoneInOtherText) {
    for (const char* text : {"", "\n\n", "Used 12 registers", "ptxas info : Compiling entry function '",
                             "Compiling entry function 'f' for 'sm_90'\nUsed no registers"})
        EXPECT_TRUE(readResourceUsage(text).empty()) << text;
}

}  // namespace
}  // namespace glycine
