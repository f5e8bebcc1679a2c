// Ceilings: runs that are long enough, verified, and named where they bound a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "engine/core/cpu/chains.hpp"
#include "engine/core/cpu/host_probes.hpp"
#include "engine/core/error.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/device_report.hpp"

namespace glycine::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A device that does 10⁹ portions of two operations a second, and keeps account of its runs.
struct FakeDevice {
    std::vector<std::size_t> runs;
    double overhead = 0;
    std::string wrongAt;
    DeviceProbe probe(std::string unit = "G/s") {
        return {"fake",
                std::move(unit),
                "made up",
                [this]() -> DeviceProbe::Runner {
                    return [this](std::size_t portions) {
                        runs.push_back(portions);
                        if (runs.size() == 5 && !wrongAt.empty()) requireProbeResult(wrongAt, 1, 2);
                        const auto amount = static_cast<double>(portions);
                        return ProbeRun{2 * amount, amount * 1e-4 + overhead};
                    };
                },
                {}};
    }
};

TEST(DeviceCeilings, RunsAreMadeLongEnough) {
    Progress progress;
    FakeDevice device;
    const DeviceCeiling ceiling =
        measureCeiling(device.probe(), {.repeats = 4, .leastSeconds = 0.02}, progress);
    ASSERT_TRUE(ceiling.hasValue());
    EXPECT_EQ(ceiling.value.count, 4U) << "none of the runs that found the length";
    EXPECT_GE(device.runs.back(), 200U) << "20 ms at 0.1 ms each";
    EXPECT_LE(device.runs.back(), 300U);
    EXPECT_NEAR(ceiling.best(), 2e4, 1e-6);
    device = {};
    EXPECT_NEAR(measureCeiling(device.probe("µs"), {}, progress).best(), 50, 1e-6) << "0.1 ms for two";
}

TEST(DeviceCeilings, TheBestOfRatesIsTheLargestAndOfTimesTheLeast) {
    DeviceCeiling rate{.name = "a", .unit = "G/s", .value = summarize({1, 3, 2})};
    EXPECT_EQ(rate.best(), 3);
    rate.unit = "µs";
    EXPECT_EQ(rate.best(), 1);
}

TEST(DeviceCeilings, WrongResultsHaveNoValue) {
    Progress progress;
    FakeDevice device;
    device.wrongAt = "fake, texel (3, 4)";
    const DeviceCeiling ceiling = measureCeiling(device.probe(), {}, progress);
    EXPECT_FALSE(ceiling.hasValue());
    EXPECT_EQ(ceiling.wrong, "fake, texel (3, 4): 1 was computed where 2 was expected");
    EXPECT_EQ(ceilingToJson(ceiling), (Json{{"name", "fake"}, {"unit", "G/s"}, {"wrong", ceiling.wrong}}));
}

TEST(DeviceCeilings, WhatIsAbsentHasAReason) {
    Progress progress;
    DeviceProbe probe = absentProbe("fake", "G/s", "nobody has it");
    EXPECT_EQ(measureCeiling(probe, {}, progress).note(), "not measured: nobody has it");
    probe = FakeDevice().probe();
    probe.start = []() -> DeviceProbe::Runner { throw UnavailableError("no memory"); };
    EXPECT_EQ(measureCeiling(probe, {}, progress).absent, "no memory");
    probe.start = [] { return [](std::size_t) { return ProbeRun{1, 0}; }; };
    EXPECT_EQ(measureCeiling(probe, {}, progress).absent, "the clock shows no time");
}

/// A row that took a second, half of it in the stage "half", and bytes and additions that it needs.
MeasuredRow rowWith(std::vector<CeilingUse> ceilings) {
    MeasuredRow row;
    row.total.seconds = summarize({1, 1.5, 1});
    row.stages = {{"half", summarize({0.5, 0.75, 0.6}), 3},
                  {"quarter", summarize({0.25, 0.2, 0.2}), 3},
                  {"rest", summarize({0.1, 0.1, 0.1}), 0}};
    row.ceilings = std::move(ceilings);
    return row;
}

TEST(DeviceCeilings, SharesAreOfTheTimeThatIsMeant) {
    const CeilingUse use{"add+min float32", "G/s", 40, "how", 10, ""};
    // 0.5 + 0.25 is the least sum of one run: stages with work, run by run.
    EXPECT_DOUBLE_EQ(rowWith({use}).ceilingShare(), 0.25 / 0.75);
    CeilingUse ofStage = use;
    ofStage.stage = "half";
    EXPECT_DOUBLE_EQ(rowWith({ofStage}).ceilingShare(), 0.5);
    ofStage.stage = "no such stage";
    EXPECT_EQ(rowWith({ofStage}).ceilingShare(), 0);
    EXPECT_EQ(rowWith({}).ceilingShare(), 0);
    MeasuredRow row = rowWith({use});
    row.stages.push_back({"compute", summarize({0.2, 0.3, 0.25}), 3});
    EXPECT_DOUBLE_EQ(row.ceilingShare(), 1.25) << "above its ceiling";
    row.stages.clear();
    EXPECT_DOUBLE_EQ(row.ceilingShare(), 0.25) << "of the total";
    row.isWrong = true;
    EXPECT_EQ(row.ceilingShare(), 0);
}

TEST(DeviceCeilings, AResultAboveItsCeilingMarksItAsWrong) {
    BenchReport report;
    report.sizeLabel = "items";
    report.rateUnit = "G/s";
    report.rows = {
        rowWith({{"add+min float32", "G/s", 10, "how", 10, ""}, {"log float32", "G/s", 10, "how", 1, ""}}),
        rowWith({{"add+min float32", "G/s", 40, "how", 10, ""}})};
    report.rows[0].dimensions = {{"items", 1}};
    report.rows[1].dimensions = {{"items", 2}};
    std::ostringstream out;
    report.print(out, 0);
    EXPECT_THAT(out.str(), AllOf(HasSubstr("above its ceiling: 133 % of add+min float32"),
                                 HasSubstr("33.3 % of add+min float32")));
    const Json rows = report.toJson()["rows"];
    EXPECT_EQ(rows[0]["ceiling"]["wrong"], "above its ceiling: 133 % of add+min float32");
    EXPECT_EQ(rows[0]["otherCeilings"][0]["name"], "log float32");
    EXPECT_FALSE(rows[1]["ceiling"].contains("wrong"));
    EXPECT_DOUBLE_EQ(rows[1]["ceiling"]["leastSeconds"].get<double>(), 0.25);
}

TEST(DeviceCeilings, TheOneThatTakesLongestBounds) {
    Progress progress;
    HostBackend backend("cpu", 1);
    CeilingsInUse ceilings({.repeats = 1, .leastSeconds = 1e-4});
    // A second of copying on any machine of today takes some GB; a nanosecond of additions some dozens.
    const std::vector<Need> needs{{probeName(kAddMin, "int32"), 1e-6, "compute"},
                                  {"no such ceiling", 1e9},
                                  {std::string(kLaunchOverhead), 1e3, "upper"},
                                  {probeName(kMultiplyAdd, "float64"), 1e3}};
    const std::vector<CeilingUse> uses = usesOf(needs, backend, ceilings, progress);
    ASSERT_EQ(uses.size(), 3U) << "what was not measured bounds nothing";
    EXPECT_EQ(uses[0].name, "multiply-add float64");
    EXPECT_EQ(uses[1].name, kLaunchOverhead) << "some µs a thousand times";
    EXPECT_DOUBLE_EQ(uses[1].leastSeconds(), uses[1].rate * 1e-3);
    EXPECT_EQ(uses[1].stage, "upper");
    EXPECT_EQ(uses[2].name, "add+min int32");
    EXPECT_EQ(uses[2].stage, "compute");
    EXPECT_GT(uses[0].leastSeconds(), uses[1].leastSeconds());
    EXPECT_THAT(ceilings.text(),
                AllOf(HasSubstr("cpu: no such ceiling not measured: cpu has no such ceiling"),
                      HasSubstr("cpu: add+min int32 ")));
    // Once for a backend.
    const DeviceCeiling* first = &ceilings.find(backend, probeName(kAddMin, "int32"), progress);
    EXPECT_EQ(&ceilings.find(backend, probeName(kAddMin, "int32"), progress), first);
}

TEST(DeviceCeilings, ALaunchIsTheLeastThatAnythingTakes) {
    Progress progress;
    HostBackend backend("cpu", 1);
    CeilingsInUse ceilings({.repeats = 1, .leastSeconds = 1e-4});
    const std::vector<CeilingUse> uses = usesOf({}, backend, ceilings, progress);
    ASSERT_EQ(uses.size(), 1U);
    EXPECT_EQ(uses[0].name, kLaunchOverhead);
    EXPECT_GT(uses[0].leastSeconds(), 0);
    HostBackend reference("reference", 1);
    EXPECT_TRUE(usesOf({}, reference, ceilings, progress).empty()) << "of which nothing is measured";
}

TEST(HostProbes, EveryInstructionSetComputesWhatItIsTimedFor) {
    Progress progress;
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        SCOPED_TRACE(toString(set));
        const HostBackend backend("cpu", 2, set);
        for (const DeviceProbe& probe : cpu::hostProbes(backend)) {
            if (probe.unit == "GB/s") continue;  // does not go by instruction sets, and takes long
            const DeviceCeiling ceiling =
                measureCeiling(probe, {.repeats = 1, .leastSeconds = 1e-4}, progress);
            EXPECT_EQ(ceiling.wrong, "");
            EXPECT_EQ(ceiling.hasValue(), probe.absent.empty()) << probe.name << ": " << ceiling.absent;
            EXPECT_NE(ceiling.note(), "");
        }
    }
}

TEST(HostProbes, WrongNumbersAreNoticed) {
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        const cpu::ChainKernels& kernels = cpu::chainKernels(set);
        auto expected = cpu::expectedMinima<float>(0x1p20F, -1);
        EXPECT_EQ(kernels.minimaFloat(0x1p20F, -1, expected.data(), 3), 0U);
        EXPECT_EQ(kernels.minimaFloat(0x1p20F, -2, expected.data(), 3), 3U);
        expected.back() += 1;
        EXPECT_EQ(kernels.minimaFloat(0x1p20F, -1, expected.data(), 2), 2U);
        auto narrow = cpu::expectedMinima<std::int16_t>(-32000, -1);  // goes round
        EXPECT_EQ(kernels.minimaInt16(-32000, -1, narrow.data(), 2), 0U);
        narrow.front() ^= 1;
        EXPECT_EQ(kernels.minimaInt16(-32000, -1, narrow.data(), 2), 2U);
    }
}

}  // namespace
}  // namespace glycine::study
