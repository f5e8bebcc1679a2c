// Ceilings: runs are long enough and verified, and the ceiling that bounds a result is named.
#include "engine/core/cpu/chains.hpp"
#include "engine/core/cpu/host_probes.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/device_report.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

/// A device that performs 10⁹ portions of two operations per second, and records its runs.
struct FakeDevice {
    std::vector<std::size_t> runs;
    double overhead = 0;
    std::set<std::size_t> heldUp;             ///< runs, counted from 1, that take ten seconds longer
    std::function<double(std::size_t)> pace;  ///< factor by which a run takes longer; empty: 1
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
                        const double longer = heldUp.contains(runs.size()) ? 10 : 0;
                        return ProbeRun{2 * amount,
                                        amount * 1e-4 * (pace ? pace(runs.size()) : 1) + overhead + longer};
                    };
                },
                {}};
    }
};

TEST(DeviceCeilings, RunsAreMadeLongEnough) {
    FakeDevice device;
    const DeviceCeiling ceiling =
        measureCeiling(device.probe(), {.repeats = 4, .leastSeconds = 0.02}, silentProgress());
    ASSERT_TRUE(ceiling.hasValue());
    EXPECT_EQ(ceiling.value.count, 4U) << "none of the runs that found the length";
    EXPECT_GE(device.runs.back(), 200U) << "20 ms at 0.1 ms each";
    EXPECT_LE(device.runs.back(), 300U);
    EXPECT_NEAR(ceiling.best(), 2e4, 1e-6);
    device = {};
    EXPECT_NEAR(measureCeiling(device.probe("µs"), {}, silentProgress()).best(), 50, 1e-6)
        << "0.1 ms for two";
}

TEST(DeviceCeilings, ARunThatIsHeldUpDoesNotDecideHowLongTheyAre) {
    FakeDevice device;
    device.overhead = 0.001;  // as long as ten portions
    device.heldUp = {2, 4, 7};
    const DeviceCeiling ceiling = measureCeiling(device.probe(), {.leastSeconds = 0.02}, silentProgress());
    EXPECT_GE(device.runs.back(), 190U) << "19 ms in addition to the overhead";
    EXPECT_GT(ceiling.best(), 1.8e4) << "a run of one portion shows 1,818";
}

TEST(DeviceCeilings, RunsThatAreTooShortAfterAllAreLengthened) {
    FakeDevice device;
    // A device that speeds up after the length has been found.
    device.pace = [](std::size_t run) { return run < 4 ? 50 : 1; };
    const DeviceCeiling ceiling =
        measureCeiling(device.probe(), {.repeats = 4, .leastSeconds = 0.02}, silentProgress());
    EXPECT_GE(device.runs.back(), 200U);
    EXPECT_NEAR(ceiling.value.minimum, 2e4, 1e-6) << "what was measured before does not count";
}

TEST(DeviceCeilings, RunsAreRepeatedWhileTheyGetBetter) {
    FakeDevice device;
    device.pace = [](std::size_t run) { return run < 16 ? 1 + 0.02 * static_cast<double>(16 - run) : 1; };
    const DeviceCeiling ceiling = measureCeiling(device.probe(), {.repeats = 4}, silentProgress());
    EXPECT_NEAR(ceiling.best(), 2e4, 1e-6);
    EXPECT_LE(ceiling.value.count, 20U) << "five times as many at most";
}

TEST(DeviceCeilings, AQuickStudyMeasuresNoShorter) {
    EXPECT_EQ(quickCeilings().leastSeconds, CeilingRules{}.leastSeconds);
    EXPECT_GE(quickCeilings().leastSeconds, 0.005);
    EXPECT_GE(quickCeilings().repeats, 4U);
}

TEST(DeviceCeilings, OfATimeForEachTheBestBatchCounts) {
    DeviceProbe probe = FakeDevice().probe("µs");
    probe.start = [] {
        return [](std::size_t portions) {
            const auto amount = static_cast<double>(portions);
            return ProbeRun{100 * amount, amount * 1e-3, 4e-6};
        };
    };
    EXPECT_NEAR(measureCeiling(probe, {}, silentProgress()).best(), 4, 1e-9) << "10 µs in the mean";
}

TEST(DeviceProbes, TheFastestOfSeveralWaysCounts) {
    std::size_t runs = 0;
    // The faster way is delayed in its first run.
    const DeviceProbe::Runner run =
        fastestOf({[&](std::size_t portions) {
                       return ProbeRun{1.0 * static_cast<double>(portions), 1};
                   },
                   [&](std::size_t portions) {
                       return ProbeRun{3.0 * static_cast<double>(portions), ++runs == 1 ? 100. : 1.};
                   }});
    EXPECT_EQ(run(2).rate(), 2);
    EXPECT_EQ(run(2).rate(), 6);
    EXPECT_EQ(runs, 2U);
}

TEST(DeviceProbes, TheShortestOfThreeRunsDecides) {
    std::vector<double> times{9, 3, 5, 1};
    std::size_t asked = 0;
    const auto next = [&] { return times[asked++]; };
    EXPECT_EQ(shortestSeconds(next, 2), 3) << "none is short enough";
    EXPECT_EQ(asked, 3U);
    EXPECT_EQ(shortestSeconds(next, 2), 1);
    EXPECT_EQ(asked, 4U) << "one that is short ends it";
}

TEST(DeviceCeilings, TheBestOfRatesIsTheLargestAndOfTimesTheLeast) {
    DeviceCeiling rate{.name = "a", .unit = "G/s", .value = summarize({1, 3, 2})};
    EXPECT_EQ(rate.best(), 3);
    rate.unit = "µs";
    EXPECT_EQ(rate.best(), 1);
}

TEST(DeviceCeilings, WrongResultsHaveNoValue) {
    FakeDevice device;
    device.wrongAt = "fake, texel (3, 4)";
    const DeviceCeiling ceiling = measureCeiling(device.probe(), {}, silentProgress());
    EXPECT_FALSE(ceiling.hasValue());
    EXPECT_EQ(ceiling.wrong, "fake, texel (3, 4): 1 was computed where 2 was expected");
    EXPECT_EQ(ceilingToJson(ceiling), (Json{{"name", "fake"}, {"unit", "G/s"}, {"wrong", ceiling.wrong}}));
}

TEST(DeviceCeilings, WhatIsAbsentHasAReason) {
    DeviceProbe probe = absentProbe("fake", "G/s", "nobody has it");
    EXPECT_EQ(measureCeiling(probe, {}, silentProgress()).note(), "not measured: nobody has it");
    probe = FakeDevice().probe();
    probe.start = []() -> DeviceProbe::Runner { throw UnavailableError("no memory"); };
    EXPECT_EQ(measureCeiling(probe, {}, silentProgress()).absent, "no memory");
    probe.start = [] { return [](std::size_t) { return ProbeRun{1, 0}; }; };
    EXPECT_EQ(measureCeiling(probe, {}, silentProgress()).absent, "the clock shows no time");
}

/// A row that took a second, half of it in the stage "half", with the given ceilings.
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
    // 0.5 + 0.25 is the smallest sum within one run over the stages with work.
    EXPECT_DOUBLE_EQ(rowWith({use}).ceilingShare(), 0.25 / 0.75);
    CeilingUse ofStage = use;
    ofStage.stage = "half";
    EXPECT_DOUBLE_EQ(rowWith({ofStage}).ceilingShare(), 0.5);
    ofStage.stage = "no such stage";
    EXPECT_EQ(rowWith({ofStage}).ceilingShare(), 0);
    EXPECT_EQ(rowWith({}).ceilingShare(), 0);
    MeasuredRow row = rowWith({use});
    row.stages.push_back({"compute", summarize({0.2, 0.3, 0.25}), 3});
    EXPECT_DOUBLE_EQ(row.ceilingShare(), 1.25) << "until it raises the ceiling";
    row.stages.clear();
    EXPECT_DOUBLE_EQ(row.ceilingShare(), 0.25) << "of the total";
    row.isWrong = true;
    EXPECT_EQ(row.ceilingShare(), 0);
}

/// Raises the ceilings of a report's rows, like the commands.
RaisedCeilings raise(BenchReport& report) {
    std::vector<MeasuredRow*> rows;
    for (MeasuredRow& row : report.rows) rows.push_back(&row);
    return raiseCeilings(rows, "fake");
}

TEST(DeviceCeilings, AResultAboveItsCeilingRaisesIt) {
    BenchReport report;
    report.sizeLabel = "items";
    report.rateUnit = "G/s";
    report.rows = {
        rowWith({{"add+min float32", "G/s", 10, "how", 10, ""}, {"log float32", "G/s", 10, "how", 1, ""}}),
        rowWith({{"add+min float32", "G/s", 10, "how", 5, ""}, {"log float32", "G/s", 10, "how", 4.5, ""}}),
        rowWith({{"add+min float32", "G/s", 10, "how", 5, ""}}),
        rowWith({{"add+min float32", "G/s", 10, "how", 5, "", 1}})};
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        report.rows[i].dimensions = {{"items", i}};
        report.rows[i].problem = "problem " + std::to_string(i);
        report.rows[i].configuration = {"cpu", "quick", {}, "float32"};
    }
    report.rows[2].configuration.backend = "gl";
    const RaisedCeilings raised = raise(report);
    // 10 G in the 0.75 s that count.
    const std::string by = "cpu/quick float32 on fake, problem 0";
    EXPECT_EQ(raised.find({"cpu", "", 0, "add+min float32"})->text(),
              "raised from 10.0 to 13.3 G/s by " + by);
    EXPECT_DOUBLE_EQ(report.rows[0].ceilingShare(), 1);
    EXPECT_EQ(report.rows[0].ceilings[0].raisedBy, by);
    EXPECT_EQ(report.rows[1].ceilings[0].name, "log float32") << "this is what bounds it now";
    EXPECT_EQ(report.rows[1].ceilings[0].raisedBy, "");
    EXPECT_DOUBLE_EQ(report.rows[1].ceilings[1].shareOf(0.75), 0.5) << "and not 5 / 7.5";
    EXPECT_DOUBLE_EQ(report.rows[2].ceilingShare(), 5 / 7.5) << "of another device";
    EXPECT_DOUBLE_EQ(report.rows[3].ceilingShare(), 5 / 7.5) << "of another number of threads";
    std::ostringstream out;
    report.print(out, 0);
    EXPECT_THAT(out.str(), AllOf(HasSubstr("100 % of add+min float32, raised by " + by),
                                 HasSubstr("60 % of log float32"), Not(HasSubstr("133 %"))));
    const Json rows = report.toJson()["rows"];
    EXPECT_EQ(rows[0]["ceiling"]["raisedBy"], by);
    EXPECT_EQ(rows[0]["ceiling"]["probed"], 10);
    EXPECT_DOUBLE_EQ(rows[0]["ceiling"]["rate"].get<double>(), 10 / 0.75);
    EXPECT_EQ(rows[0]["ceiling"]["share"], 1.0);
    EXPECT_EQ(rows[0]["otherCeilings"][0]["name"], "log float32");
    EXPECT_EQ(rows[1]["otherCeilings"][0]["raisedBy"], by);
    EXPECT_DOUBLE_EQ(rows[1]["otherCeilings"][0]["share"].get<double>(), 0.5);
    EXPECT_FALSE(rows[2]["ceiling"].contains("raisedBy"));
    // Raising again changes nothing.
    const Json before = report.toJson();
    raise(report);
    EXPECT_EQ(report.toJson(), before);
}

TEST(DeviceCeilings, AShorterLaunchLowersTheOverhead) {
    BenchReport report;
    report.rows = {rowWith({{"launch overhead", "µs", 4, "how", 187500, "half"}}),
                   rowWith({{"launch overhead", "µs", 4, "how", 62500, "half"}})};
    const RaisedCeilings raised = raise(report);
    // 187,500 launches of 4 µs would take 0.75 s; they took 0.5 s.
    EXPECT_NEAR(report.rows[0].ceilings[0].rate, 0.5e6 / 187500, 1e-12);
    EXPECT_DOUBLE_EQ(report.rows[0].ceilingShare(), 1);
    EXPECT_NEAR(report.rows[1].ceilingShare(), 1 / 3., 1e-12);
    EXPECT_THAT(raised.all().begin()->second.text(), HasSubstr("raised from 4.00 to 2.67 µs by"));
}

TEST(DeviceCeilings, TheOneThatTakesLongestBounds) {
    HostBackend backend("cpu", 1);
    CeilingsInUse ceilings({.repeats = 1, .leastSeconds = 1e-4});
    // On any machine of today, a second of copying moves a few GB, and a nanosecond of additions is a few
    // dozen of them.
    const std::vector<RequiredWork> needs{{probeName(kAddMin, "int32"), 1e-6, "compute"},
                                          {"no such ceiling", 1e9},
                                          {std::string(kLaunchOverhead), 1e3, "upper"},
                                          {probeName(kMultiplyAdd, "float64"), 1e3}};
    const std::vector<CeilingUse> uses = usesOf(needs, backend, ceilings, silentProgress());
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
    RaisedCeilings raised;
    raised.note({"cpu", "", 1, probeName(kAddMin, "int32")}, uses[2], uses[2].leastSeconds() / 2,
                "cpu/quick on fake");
    EXPECT_THAT(ceilings.text(raised),
                testing::ContainsRegex("cpu: add.min int32 [^\n]*, raised from .* by cpu/quick on fake"));
    // Measured once per backend.
    const DeviceCeiling* first = &ceilings.find(backend, probeName(kAddMin, "int32"), silentProgress());
    EXPECT_EQ(&ceilings.find(backend, probeName(kAddMin, "int32"), silentProgress()), first);
}

TEST(DeviceCeilings, ALaunchIsTheLeastThatAnythingTakes) {
    HostBackend backend("cpu", 1);
    CeilingsInUse ceilings({.repeats = 1, .leastSeconds = 1e-4});
    const std::vector<CeilingUse> uses = usesOf({}, backend, ceilings, silentProgress());
    ASSERT_EQ(uses.size(), 1U);
    EXPECT_EQ(uses[0].name, kLaunchOverhead);
    EXPECT_GT(uses[0].leastSeconds(), 0);
    HostBackend reference("reference", 1);
    EXPECT_TRUE(usesOf({}, reference, ceilings, silentProgress()).empty()) << "of which nothing is measured";
}

TEST(HostProbes, EveryInstructionSetComputesWhatItIsTimedFor) {
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        SCOPED_TRACE(toString(set));
        const HostBackend backend("cpu", 2, set);
        for (const DeviceProbe& probe : cpu::hostProbes(backend)) {
            if (probe.unit == "GB/s") continue;  // independent of instruction sets, and slow
            const DeviceCeiling ceiling =
                measureCeiling(probe, {.repeats = 1, .leastSeconds = 1e-4}, silentProgress());
            EXPECT_EQ(ceiling.wrong, "");
            EXPECT_EQ(ceiling.hasValue(), probe.absent.empty()) << probe.name << ": " << ceiling.absent;
            EXPECT_NE(ceiling.note(), "");
        }
    }
}

TEST(HostProbes, OfRegionsTheBestBatchCounts) {
    const HostBackend backend("cpu", 2);
    for (const DeviceProbe& probe : cpu::hostProbes(backend)) {
        if (!probe.isTime()) continue;
        const ProbeRun one = probe.start()(3);
        EXPECT_EQ(one.amount, 3 * 64);
        EXPECT_GT(one.least, 0);
        EXPECT_LE(one.least, one.seconds / one.amount * 1.001);
    }
}

TEST(HostProbes, WrongNumbersAreNoticed) {
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        const cpu::ChainKernels& kernels = kernelFor<cpu::ChainKernels>(set);
        auto expected = cpu::expectedMinima<float>(0x1p20F, -1);
        EXPECT_EQ(kernels.minimaFloat(0x1p20F, -1, expected.data(), 3), 0U);
        EXPECT_EQ(kernels.minimaFloat(0x1p20F, -2, expected.data(), 3), 3U);
        expected.back() += 1;
        EXPECT_EQ(kernels.minimaFloat(0x1p20F, -1, expected.data(), 2), 2U);
        auto narrow = cpu::expectedMinima<std::int16_t>(-32000, -1);  // wraps around
        EXPECT_EQ(kernels.minimaInt16(-32000, -1, narrow.data(), 2), 0U);
        narrow.front() ^= 1;
        EXPECT_EQ(kernels.minimaInt16(-32000, -1, narrow.data(), 2), 2U);
    }
}

}  // namespace
}  // namespace glycine::study
