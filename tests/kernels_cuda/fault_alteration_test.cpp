// What a build with faults does to arrays that a kernel has written; needs no device.
#include "kernels_cuda/device/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace glycine::cuda {
namespace {

using testing::ElementsAre;

/// `after`, altered where it differs from `before`.
template <class T>
std::vector<T> alteredCopy(const std::string& kind, const std::vector<T>& before, std::vector<T> after,
                           std::size_t* altered = nullptr, std::uint64_t seed = 0) {
    const Alteration one = alterChanged({"", kind, seed}, std::as_bytes(std::span(before)),
                                        std::as_writable_bytes(std::span(after)));
    if (altered != nullptr) *altered = one.altered;
    return after;
}

TEST(FaultAlteration, ReadsWhatItShallDo) {
    const std::optional<Fault> fault = Fault::parse("a::kernel<float>:seldom-0.1:17");
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kernel, "a::kernel<float>");
    EXPECT_EQ(fault->kind, "seldom-0.1");
    EXPECT_EQ(fault->seed, 17u);
    EXPECT_FALSE(fault->target());
    EXPECT_EQ(Fault::parse("kernel:target-2:1")->target(), 2u);
    for (const char* wrong :
         {"", "list", "kernel:zeroed", "kernel:zeroed:x", ":zeroed:1", "kernel:zeroed:1x"})
        EXPECT_FALSE(Fault::parse(wrong)) << wrong;
}

TEST(FaultAlteration, TakesElementsForWhatTheyLookLike) {
    EXPECT_THAT(alteredCopy<float>("scaled", {0, 0, 0, 0}, {1, 0, 2, -4}),
                ElementsAre(1.05f, 0.0f, 2 * 1.05f, -4 * 1.05f));
    EXPECT_THAT(alteredCopy<double>("shifted", {0, 0, 0}, {0.1, 0, 1.0 / 3}),
                ElementsAre(0.1 + 1, 0, 1.0 / 3 + 1));
    EXPECT_THAT(alteredCopy<std::int32_t>("halved", {0, 0, 0, 0}, {10, 0, -6, 3}), ElementsAre(5, 0, -3, 1));
    EXPECT_THAT(alteredCopy<std::int32_t>("scaled", {0, 0, 0}, {1, 100, -100}), ElementsAre(2, 105, -105));
}

TEST(FaultAlteration, LeavesWhatTheKernelHasNotChanged) {
    std::size_t altered = 7;
    EXPECT_THAT(alteredCopy<float>("zeroed", {1, 2, 3}, {1, 2, 3}, &altered), ElementsAre(1, 2, 3));
    EXPECT_EQ(altered, 0u);
    EXPECT_THAT(alteredCopy<float>("zeroed", {1, 2, 3}, {1, 5, 3}, &altered), ElementsAre(1, 0, 3));
    EXPECT_EQ(altered, 1u);
}

TEST(FaultAlteration, ExchangesNeighbours) {
    EXPECT_THAT(alteredCopy<float>("swapped", {0, 0, 9, 0, 0}, {1, 2, 9, 3, 4}), ElementsAre(2, 1, 9, 4, 3));
}

TEST(FaultAlteration, HitsThePartThatItNames) {
    constexpr std::size_t kCount = 100'000;
    const std::vector<std::int32_t> before(kCount, 0);
    std::vector<std::int32_t> after(kCount);
    std::iota(after.begin(), after.end(), 1);
    const auto share = [&](const std::string& kind) {
        std::size_t altered = 0;
        const std::vector<std::int32_t> found = alteredCopy(kind, before, after, &altered, 3);
        std::size_t differing = 0;
        for (std::size_t i = 0; i < kCount; ++i) differing += found[i] != after[i] ? 1 : 0;
        EXPECT_EQ(altered, differing) << kind;
        return static_cast<double>(differing) / kCount;
    };
    EXPECT_DOUBLE_EQ(share("lane"), 0.25);
    EXPECT_NEAR(share("column"), 1.0 / 32, 1e-4);
    EXPECT_NEAR(share("tile"), 1.0 / 16, 1e-4);
    EXPECT_NEAR(share("seldom-1"), 0.01, 0.002);
    EXPECT_NEAR(share("seldom-0.1"), 0.001, 0.0006);
    for (const char* kind : {"scaled", "halved", "shifted", "nudged", "swapped", "zeroed", "target-0"})
        EXPECT_GT(share(kind), 0.99) << kind;
}

}  // namespace
}  // namespace glycine::cuda
