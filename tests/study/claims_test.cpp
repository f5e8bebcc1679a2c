// Evaluation of samples: intervals, verdicts, and whether a machine was quiet.
#include "engine/study/bench_report.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/reproduction_report.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

TEST(MedianInterval, ComesFromTheOrderOfTheSamples) {
    const Statistics five = summarize({5, 1, 4, 2, 3});
    EXPECT_EQ(five.interval.low, 1);
    EXPECT_EQ(five.interval.high, 5);
    EXPECT_DOUBLE_EQ(five.interval.confidence, 1 - 2 * std::pow(0.5, 5));
    std::vector<double> ascending;
    for (int i = 1; i <= 20; ++i) ascending.push_back(i);
    const Statistics twenty = summarize(ascending);
    // P(X ≤ 5) = 0.0207 for X binomial with 20 and ½: the sixth sample from either end, as in tables of the
    // sign test.
    EXPECT_EQ(twenty.interval.low, 6);
    EXPECT_EQ(twenty.interval.high, 15);
    EXPECT_NEAR(twenty.interval.confidence, 0.9586, 1e-4);
    const Statistics six = summarize({1, 2, 3, 4, 5, 6});
    EXPECT_EQ(six.interval.low, 1);
    EXPECT_NEAR(six.interval.confidence, 0.969, 1e-3);
}

TEST(MedianInterval, IsWideForFewSamples) {
    const Statistics one = summarize({4});
    EXPECT_EQ(one.interval.low, 2);
    EXPECT_EQ(one.interval.high, 8);
    EXPECT_EQ(one.interval.confidence, 0);
}

TEST(Quotients, AreTakenRoundByRound) {
    EXPECT_THAT(quotients({2, 4, 6}, {1, 2}), ElementsAre(2, 2));
    EXPECT_TRUE(quotients({1}, {0}).empty());
}

FigureRow row(const std::string& key, std::vector<double> seconds, std::size_t problem = 0) {
    FigureRow row;
    row.published.key = key;
    row.published.method = key;
    row.published.problem = problem;
    row.published.configuration.backend = "cpu";
    row.problem = "problem " + std::to_string(problem);
    row.dimensions = {{"items", 100u << problem}};
    row.total.work = static_cast<double>(problem + 1);
    row.total.seconds = summarize(std::move(seconds));
    return row;
}

Claim ratioClaim(std::optional<double> low, std::optional<double> high = {}) {
    return {.text = "twice as fast",
            .place = "page 1",
            .quantity = Ratio{"slow", "fast"},
            .paper = "2 ×",
            .low = low,
            .high = high,
            .otherwise = "caches"};
}

TEST(Claims, HoldWhenTheWholeIntervalIsWithinTheLimits) {
    const std::vector<FigureRow> rows{row("slow", {2.0, 4.2, 2.0, 2.1, 2.0}), row("fast", {1, 2, 1, 1, 1})};
    const JudgedClaim judged = judge(ratioClaim(1.9, 2.2), rows);
    EXPECT_EQ(judged.verdict, Verdict::Holds) << "the slow second round met both";
    EXPECT_DOUBLE_EQ(judged.value.interval.high, 2.1);
    EXPECT_EQ(valueText(judged), "2.00 × (2.00 … 2.10)");
    EXPECT_EQ(judged.reason, "");
}

TEST(Claims, HoldNoLongerOutsideThem) {
    const std::vector<FigureRow> rows{row("slow", {1, 1.1, 1}), row("fast", {1, 1, 1})};
    const JudgedClaim judged = judge(ratioClaim(1.75), rows);
    EXPECT_EQ(judged.verdict, Verdict::HoldsNoLonger);
    EXPECT_EQ(judged.reason, "caches");
    EXPECT_EQ(judge(ratioClaim({}, 0.5), rows).verdict, Verdict::HoldsNoLonger);
}

TEST(Claims, AreUndecidedWhenTheIntervalCrossesALimit) {
    const std::vector<FigureRow> rows{row("slow", {1.5, 2.0, 1.9}), row("fast", {1, 1, 1})};
    const JudgedClaim judged = judge(ratioClaim(1.75), rows);
    EXPECT_EQ(judged.verdict, Verdict::Undecided);
    EXPECT_THAT(judged.reason, HasSubstr("crosses"));
    EXPECT_EQ(toString(judged.verdict), "undecided");
    // A single run has an uncertainty of a factor of two.
    const std::vector<FigureRow> once{row("slow", {3}), row("fast", {1})};
    EXPECT_EQ(judge(ratioClaim(1.75), once).verdict, Verdict::Undecided);
    EXPECT_EQ(judge(ratioClaim(1.4), once).verdict, Verdict::Holds);
}

TEST(Claims, CannotBeTestedWithoutARow) {
    std::vector<FigureRow> rows{row("slow", {2, 2, 2}), row("fast", {})};
    rows[1].skipped = "no such device";
    const JudgedClaim judged = judge(ratioClaim(1), rows);
    EXPECT_EQ(judged.verdict, Verdict::Untested);
    EXPECT_EQ(judged.reason, "fast, problem 0: no such device");
    rows[1].skipped.clear();
    rows[1].isWrong = true;
    EXPECT_EQ(judge(ratioClaim(1), rows).reason, "fast, problem 0: wrong result");
    EXPECT_THROW(judge(ratioClaim(1), {}), std::logic_error);
}

TEST(Claims, AreUndecidedIfOnlyTimeLacks) {
    std::vector<FigureRow> rows{row("slow", {}), row("fast", {})};
    JudgedClaim judged = judge(ratioClaim(1), rows);
    EXPECT_EQ(judged.verdict, Verdict::Undecided);
    EXPECT_EQ(judged.reason, "slow, problem 0: not measured within the budget");
    rows[0].skipped = rows[0].cutShort = "not finished: the budget of 5 s";
    judged = judge(ratioClaim(1), rows);
    EXPECT_EQ(judged.verdict, Verdict::Undecided);
    EXPECT_EQ(judged.reason, "slow, problem 0: not finished: the budget of 5 s");
    // Time would not help.
    rows[1].skipped = "no such device";
    judged = judge(ratioClaim(1), rows);
    EXPECT_EQ(judged.verdict, Verdict::Untested);
    EXPECT_EQ(judged.reason, "fast, problem 0: no such device");
    rows[1].skipped.clear();
    rows[1].device = {"gl", "gl33", "llvmpipe", "Mesa", "", true};
    EXPECT_EQ(judge(ratioClaim(1), rows).verdict, Verdict::Untested);
}

TEST(Claims, OfAGpuCannotBeTestedOnASoftwareRenderer) {
    std::vector<FigureRow> rows{row("slow", {1, 1, 1}), row("fast", {1, 1, 1})};
    for (FigureRow& one : rows) one.scores = {{"precision", 1}};
    ASSERT_EQ(judge(ratioClaim(1.9), rows).verdict, Verdict::HoldsNoLonger);
    rows[1].device = {"gl", "gl33", "llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa", "", true};
    Claim claim = ratioClaim(1.9);
    const auto expectUntestable = [&] {
        const JudgedClaim judged = judge(claim, rows);
        EXPECT_EQ(judged.verdict, Verdict::Untested);
        EXPECT_EQ(judged.reason,
                  "there is no GPU, the renderer is software (llvmpipe (LLVM 15.0.6, 256 bits))");
        EXPECT_EQ(judged.value.count, 0U);
    };
    expectUntestable();
    claim.quantity = Exponent{{"slow", "fast"}, "items"};
    expectUntestable();
    claim.quantity = Seconds{"fast"};
    expectUntestable();
    claim.quantity = Growth{{"slow", "fast"}, {"slow", "slow"}};
    expectUntestable();
    claim.quantity = Seconds{"slow"};
    EXPECT_NE(judge(claim, rows).verdict, Verdict::Untested) << "of the processor";
    claim.low = 1;
    claim.quantity = ScoreRatio{"precision", {"slow"}, {"fast"}};
    EXPECT_EQ(judge(claim, rows).verdict, Verdict::Holds) << "results do not depend on what draws";
    rows[1].skipped = "not among --backend";
    EXPECT_EQ(judge(ratioClaim(1.9), rows).reason, "fast, problem 0: not among --backend");
}

TEST(Claims, OfDifferentProblemsTakeTheWidestInterval) {
    const std::vector<FigureRow> rows{row("slow", {2, 3, 4}, 1), row("fast", {1, 1.5, 2}, 0)};
    const JudgedClaim judged = judge(ratioClaim(1), rows);
    EXPECT_EQ(judged.value.median, 2);
    EXPECT_EQ(judged.value.interval.low, 1);
    EXPECT_EQ(judged.value.interval.high, 4);
    Claim perWork = ratioClaim(1);
    perWork.quantity = Ratio{"slow", "fast", true};
    EXPECT_EQ(judge(perWork, rows).value.median, 1) << "the slow one does twice the work";
}

TEST(Claims, Exponents) {
    Claim claim{.text = "quadratic",
                .place = "figure 6",
                .quantity = Exponent{{"a", "b", "c"}, "items"},
                .paper = "2",
                .low = 1.9,
                .high = 2.1,
                .otherwise = ""};
    const std::vector<FigureRow> rows{row("a", {1, 1, 1}, 0), row("b", {4, 4, 4}, 1), row("c", {16}, 2)};
    const JudgedClaim judged = judge(claim, rows);
    EXPECT_NEAR(judged.value.median, 2, 1e-12);
    EXPECT_EQ(judged.verdict, Verdict::Holds);
    // An extrapolated row counts the rounds of the row that it comes from, but has a single sample.
    std::vector<FigureRow> extrapolated = rows;
    extrapolated[2].total.seconds.count = 3;
    EXPECT_NEAR(judge(claim, extrapolated).value.median, 2, 1e-12);
    claim.quantity = Seconds{"a"};
    EXPECT_EQ(judge(claim, rows).value.median, 1);
    EXPECT_EQ(valueText(judge(claim, rows)), "1.00 s (1.00 s … 1.00 s)");
}

TEST(Claims, OfHowARatioGrows) {
    Claim claim{.text = "the speed-up grows",
                .place = "table 3",
                .quantity = Growth{{"d", "c"}, {"b", "a"}},
                .paper = "larger",
                .low = 1.05,
                .otherwise = "vectors"};
    std::vector<FigureRow> rows{row("a", {1, 1, 1}), row("b", {2, 2, 3}), row("c", {1, 1, 1}, 1),
                                row("d", {6, 6, 6}, 1)};
    const JudgedClaim judged = judge(claim, rows);
    EXPECT_EQ(judged.value.median, 3) << "6 × over 2 ×";
    EXPECT_EQ(judged.value.interval.low, 2);
    EXPECT_EQ(judged.value.interval.high, 3);
    EXPECT_EQ(judged.verdict, Verdict::Holds);
    EXPECT_EQ(valueText(judged), "3.00 × (2.00 … 3.00)");
    std::get<Growth>(claim.quantity).over.perWork = true;
    EXPECT_EQ(judge(claim, rows).value.median, 3) << "a and b do the same work";
    std::swap(std::get<Growth>(claim.quantity).of, std::get<Growth>(claim.quantity).over);
    EXPECT_EQ(judge(claim, rows).verdict, Verdict::HoldsNoLonger);
    rows[2].skipped = "no such device";
    rows[2].total.seconds = {};
    EXPECT_EQ(judge(claim, rows).reason, "c, problem 1: no such device");
}

TEST(Claims, OfScoresHoldForEachOrAreUndecided) {
    Claim claim{.text = "more precise",
                .place = "table 5",
                .quantity = ScoreRatio{"precision", {"a", "b"}, {"c", "d"}},
                .paper = "higher",
                .low = 1,
                .otherwise = "ranks"};
    std::vector<FigureRow> rows{row("a", {1}), row("b", {1}), row("c", {1}), row("d", {1})};
    const auto judgeScores = [&](double a, double b, double c, double d) {
        const double scores[] = {a, b, c, d};
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i].scores = {{"recall", 9}, {"precision", scores[i]}};
        return judge(claim, rows);
    };
    EXPECT_EQ(judgeScores(0.5, 0.6, 0.25, 0.5).verdict, Verdict::Holds);
    EXPECT_EQ(valueText(judgeScores(0.5, 0.6, 0.25, 0.5)), "1.60 × (1.20 … 2.00)");
    EXPECT_EQ(judgeScores(0.5, 0.6, 1, 1).verdict, Verdict::HoldsNoLonger);
    EXPECT_EQ(judgeScores(0.5, 0.6, 1, 1).reason, "ranks");
    EXPECT_EQ(judgeScores(0.5, 0.6, 1, 0.5).verdict, Verdict::Undecided);
    EXPECT_EQ(judgeScores(0.5, 0.6, 1, 0.5).reason, "it holds for some and not for others");
    EXPECT_EQ(judgeScores(0.5, 0.6, 1, 0).verdict, Verdict::Untested);
    EXPECT_EQ(judgeScores(0.5, 0.6, 1, 0).reason, "a score is zero");
    rows[1].scores.clear();
    EXPECT_THROW(judge(claim, rows), std::logic_error);
}

TEST(Claims, AgainstStandInsAreNotHeldAgainstThePublication) {
    std::vector<FigureRow> rows{row("slow", {1, 1, 1}), row("fast", {1, 1, 1})};
    rows[0].configuration.backend = "cpu";
    rows[0].published.standsFor = "MIBE";
    JudgedClaim judged = judge(ratioClaim(1.5), rows);
    EXPECT_EQ(judged.verdict, Verdict::AgainstStandIns);
    EXPECT_EQ(judged.reason, "cpu stands for MIBE: it does not hold; caches");
    judged = judge(ratioClaim(0.9), rows);
    EXPECT_EQ(judged.verdict, Verdict::AgainstStandIns);
    EXPECT_EQ(judged.reason, "cpu stands for MIBE: it holds");
    EXPECT_TRUE(isDecided(judged.verdict));
    rows[0].total.seconds = summarize({1, 2, 1});
    EXPECT_EQ(judge(ratioClaim(1.5), rows).verdict, Verdict::Undecided);
}

TEST(Claims, OfCountsAndOfPrintedNumbersNeedNoRun) {
    Claim claim = ratioClaim(0.99, 1.01);
    claim.quantity = Printed{{1.0, 1.005, 0.995}};
    EXPECT_EQ(judge(claim, {}).verdict, Verdict::Holds);
    claim.quantity = Printed{{1.0, 1.1}};
    EXPECT_EQ(judge(claim, {}).verdict, Verdict::Undecided);
    EXPECT_EQ(judge(claim, {}).reason, "it holds for some and not for others");
    claim.quantity = Fact{"writes"};
    EXPECT_EQ(judge(claim, {}).reason, "it was not counted here");
    EXPECT_EQ(judge(claim, {}, {{{"writes", 0.375}}}).verdict, Verdict::HoldsNoLonger);
    EXPECT_EQ(valueText(judge(claim, {}, {{{"writes", 0.375}}})), "0.375 ×, counted");
    EXPECT_EQ(judge(claim, {}, {{{"writes", 1}}}).verdict, Verdict::Holds);
    EXPECT_EQ(judge(claim, {}, {{{"writes", 1}}}).reason, "");
    EXPECT_EQ(judge(claim, {}, {{{"reads", 1}}, "no device"}).reason, "it was not counted here: no device");
    EXPECT_EQ(judge(claim, {}, {{{"writes", {1, "compiled for sm_90"}}}}).reason, "compiled for sm_90");
    EXPECT_EQ(judge(claim, {}, {{{"writes", {2, "compiled for sm_90"}}}}).reason,
              "caches; compiled for sm_90");
}

/// Two rows of four threads, one of a single thread, and one of a GPU, on a machine with two processors.
std::vector<FigureRow> rowsOnTwoProcessors(const std::vector<Claim>& claims) {
    std::vector<FigureRow> rows{row("slow", {2, 2, 2}), row("fast", {1, 1, 1}), row("loop", {3, 3, 3}),
                                row("gpu", {1, 1, 1}), row("unneeded", {})};
    rows[3].published.configuration.backend = "cuda";
    rows[2].published.threads = rows[2].threads = 1;
    for (const std::size_t r : {0U, 1U, 4U}) rows[r].published.threads = rows[r].threads = 4;
    for (FigureRow& one : rows) {
        one.configuration = one.published.configuration;
        one.scores = {{"precision", 0.5}};
    }
    fitThreads(rows, claims, 2);
    return rows;
}

TEST(Claims, OfEqualNumbersOfThreadsAreJudgedWithFewer) {
    const std::vector<FigureRow> rows = rowsOnTwoProcessors({ratioClaim(1.5)});
    EXPECT_EQ(rows[0].threads, 2);
    EXPECT_EQ(rows[1].threads, 2);
    EXPECT_EQ(rows[2].threads, 1);
    EXPECT_EQ(rows[3].threads, 0) << "of a GPU";
    EXPECT_EQ(rows[4].skipped, "this machine has 2 processors") << "no claim compares it with its like";
    JudgedClaim judged = judge(ratioClaim(1.5), rows);
    EXPECT_EQ(judged.verdict, Verdict::Holds);
    EXPECT_EQ(judged.reason, "with 2 of 4 threads");
    std::vector<FigureRow> replaced = rows;
    replaced[0].published.standsFor = "TINGe";
    EXPECT_EQ(judge(ratioClaim(1.5), replaced).reason, "cpu, 2 of 4 threads stands for TINGe: it holds");

    // The same rows decide nothing else.
    for (const char* other : {"gpu", "loop"}) {
        Claim claim = ratioClaim(0.1);
        claim.quantity = Ratio{"slow", other};
        EXPECT_FALSE(toleratesFewerThreads(claim, rows));
        EXPECT_EQ(judge(claim, rows).verdict, Verdict::Untested) << other;
        EXPECT_EQ(judge(claim, rows).reason, "slow ran with 2 of 4 threads");
    }
    Claim claim = ratioClaim(0.1);
    claim.quantity = Seconds{"slow"};
    EXPECT_EQ(judge(claim, rows).verdict, Verdict::Untested);
    claim.quantity = Growth{{"slow", "fast"}, {"slow", "fast"}};
    EXPECT_EQ(judge(claim, rows).verdict, Verdict::Untested);
    claim.quantity = ScoreRatio{"precision", {"slow"}, {"loop"}};
    claim.low = 1;
    EXPECT_EQ(judge(claim, rows).verdict, Verdict::Holds) << "results are the same with any number";
    EXPECT_EQ(judge(claim, rows).reason, "");
}

TEST(Claims, WithEnoughProcessorsKeepThePublishedThreads) {
    std::vector<FigureRow> rows = rowsOnTwoProcessors({});
    EXPECT_EQ(rows[0].skipped, "this machine has 2 processors");
    EXPECT_EQ(rows[0].threads, 4);
    for (const int processors : {0, 4, 16}) {
        rows[0].skipped.clear();
        fitThreads(rows, {ratioClaim(1.5)}, processors);
        EXPECT_EQ(rows[0].skipped, "");
        EXPECT_EQ(rows[0].threads, 4);
    }
}

TEST(Claims, OfRunsThatDoNotEndComeFromAFit) {
    // Exactly cubic.
    std::vector<FigureRow> rows{row("a", {1, 1, 1}, 0), row("b", {8, 8, 8}, 1), row("c", {64, 64, 64}, 2),
                                row("slow", {}, 4), row("fast", {100, 100, 100}, 4)};
    for (FigureRow& one : rows) one.published.configuration.variant = one.published.key == "fast" ? "y" : "x";
    rows[3].skipped = rows[3].cutShort = "not finished";
    std::string fit;
    const std::optional<Statistics> time = extrapolated(rows[3], rows, fit);
    ASSERT_TRUE(time);
    EXPECT_NEAR(time->median, 4096, 1e-6);
    EXPECT_EQ(fit, "extrapolated from 100, 200, 400 items: time ~ items^3.00 (3.00 … 3.00)");
    EXPECT_EQ(judge(ratioClaim(10), rows).verdict, Verdict::Undecided);
    rows[3].total.seconds = *time;
    rows[3].fit = fit;
    rows[3].skipped.clear();
    const JudgedClaim judged = judge(ratioClaim(10), rows);
    EXPECT_EQ(judged.verdict, Verdict::Holds);
    EXPECT_NEAR(judged.value.median, 40.96, 1e-9);
    EXPECT_THAT(judged.reason, HasSubstr("slow: extrapolated from 100, 200, 400 items"));
    // Unequal steps widen the interval; two sizes are too few for a fit.
    rows[1].total.seconds = summarize({4, 4, 4});
    EXPECT_LT(extrapolated(rows[3], rows, fit)->interval.low * 4,
              extrapolated(rows[3], rows, fit)->interval.high);
    rows[0].published.stage = "another";
    EXPECT_FALSE(extrapolated(rows[3], rows, fit));
}

TEST(Claims, FitsOfAStageAndOfTheRestMakeNoShareAboveOne) {
    std::vector<FigureRow> rows;
    const auto add = [&rows](std::size_t size, const char* stage, double seconds) {
        FigureRow& one = rows.emplace_back(row(stage[0] == 0 ? "whole" : stage, {seconds, seconds, seconds}));
        one.dimensions = {{"items", size}};
        one.published.stage = stage;
        one.published.problem = size;
        one.published.key += std::to_string(size);
    };
    // Pairs grow with the square of the size, the rest linearly; one size is too close to another to be
    // informative.
    for (const double size : {100., 200., 380., 400., 6400.}) {
        const double noise = size == 380 ? 1.2 : 1;
        add(std::size_t(size), "pairs", noise * size * size / 1e4);
        add(std::size_t(size), "", noise * size * size / 1e4 + size / 1e3);
    }
    for (std::size_t k = 8; k < 10; ++k) {
        rows[k].total.seconds = {};
        std::string fit;
        const auto time = extrapolated(rows[k], rows, fit);
        ASSERT_TRUE(time);
        EXPECT_THAT(fit, HasSubstr("from 100, 200, 400 items")) << "380 lies too near 400";
        rows[k].total.seconds = *time;
        rows[k].fit = fit;
    }
    Claim claim;
    claim.quantity = Ratio{"pairs6400", "whole6400"};
    claim.low = 0.9;
    claim.high = 1;
    const JudgedClaim judged = judge(claim, rows);
    EXPECT_EQ(judged.verdict, Verdict::Holds);
    EXPECT_NEAR(judged.value.median, 4096 / (4096 + 6.4), 1e-9);
    EXPECT_LE(judged.value.interval.high, 1);
}

TEST(Claims, OfOneSentenceStandTogether) {
    ReproductionReport report;
    for (const char* column : {"gl", "cuda"}) {
        JudgedClaim& one = report.claims.emplace_back();
        one.claim.text = "faster";
        one.claim.column = column;
    }
    report.claims.emplace_back().claim.text = "smaller";
    report.figure.untested = {{"quiet", "no microphone"}};
    report.claims[1].verdict = Verdict::HoldsNoLonger;
    report.claims[2].verdict = Verdict::Undecided;
    const auto sentences = report.sentences();
    ASSERT_EQ(sentences.size(), 3U);
    EXPECT_EQ(sentences[0].size(), 2U);
    EXPECT_EQ(verdictOn(sentences[0]), Verdict::HoldsNoLonger) << "what is said on one device is said";
    EXPECT_EQ(verdictOn(sentences[1]), Verdict::Undecided);
    EXPECT_EQ(verdictOn(sentences[2]), Verdict::Untested);
    EXPECT_EQ(sentences[2][0].reason, "no microphone");
}

TEST(Claims, OfOneSentenceMayDiffer) {
    std::vector<JudgedClaim> sentence(4);
    const std::pair<const char*, Verdict> cases[] = {{"cpu", Verdict::Holds},
                                                     {"gl, 100 atoms", Verdict::HoldsNoLonger},
                                                     {"gl, 200 atoms", Verdict::Untested},
                                                     {"cuda", Verdict::Undecided}};
    for (std::size_t k = 0; k < sentence.size(); ++k) {
        sentence[k].claim.column = cases[k].first;
        sentence[k].verdict = cases[k].second;
    }
    EXPECT_EQ(verdictOn(sentence), Verdict::Differs);
    EXPECT_EQ(differenceIn(sentence), "holds (cpu), holds no longer here (gl, 100 atoms)");
    // The GPU backends need verdicts of their own; the processor only if there is none at all.
    auto parts = partsOf(sentence);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].size(), 2U);
    EXPECT_EQ(verdictOn(parts[0]), Verdict::HoldsNoLonger);
    EXPECT_EQ(verdictOn(parts[1]), Verdict::Undecided);
    for (JudgedClaim& one : sentence) one.verdict = Verdict::Undecided;
    EXPECT_EQ(partsOf(sentence).size(), 3U);
    sentence[1].verdict = Verdict::AgainstStandIns;
    EXPECT_EQ(verdictOn(sentence), Verdict::AgainstStandIns);
}

TEST(Conditions, ProcessorTimesOfTheOwnProcessors) {
    constexpr const char* kStat =
        "cpu  30 0 30 300 40 0 0 0 0 0\n"
        "cpu0 10 1 10 100 20 2 3 4 50 0\n"
        "cpu1 20 0 20 200 20 0 0 0 0 0\n"
        "intr 12345\n";
    const auto all = parseProcessorTimes(kStat, {});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->total, 150 + 260) << "guests' time is part of user already";
    EXPECT_EQ(all->idle, 120 + 220);
    EXPECT_EQ(parseProcessorTimes(kStat, {1})->total, 260);
    EXPECT_FALSE(parseProcessorTimes(kStat, {7}));
    EXPECT_FALSE(parseProcessorTimes("", {}));
}

TEST(Conditions, ABusyMachineSaysSoBeforeTheHead) {
    BenchReport report;
    report.algorithm = "fake";
    std::ostringstream quiet;
    report.conditions.othersBefore = report.conditions.othersDuring = 0.01;
    report.print(quiet, 0);
    EXPECT_THAT(quiet.str(), AllOf(HasSubstr("\nbuild"), Not(HasSubstr("BUSY"))));
    EXPECT_EQ(report.toJson()["busy"], "");
    report.conditions.othersDuring = 0.43;
    std::ostringstream busy;
    report.print(busy, 0);
    EXPECT_THAT(
        busy.str(),
        HasSubstr("\nBUSY MACHINE: other programs used 43 % of the processors during the runs\n\nbuild"));
    EXPECT_THAT(report.toJson()["busy"].get<std::string>(), HasSubstr("43 %"));
    EXPECT_EQ(report.toJson()["load"]["othersDuring"], 0.43);
    report.conditions = {};
    EXPECT_EQ(report.conditions.disturbance(), "") << "unknown is not busy";
    report.conditions.loopNoise = 0.3;
    EXPECT_THAT(report.conditions.disturbance(), HasSubstr("30 % longer"));
}

TEST(Conditions, TheMeterDistinguishesOwnWorkFromOthers) {
    ConditionsMeter meter;
    for (int i = 0; i < 20; ++i) meter.probe();
    const Conditions conditions = meter.finish({0.1, 0.3, 0.2});
    EXPECT_EQ(conditions.loopSeconds.count, 20u);
    EXPECT_GE(conditions.loopNoise, 0);
    EXPECT_EQ(conditions.runSpread, 0.2);
    if (conditions.othersDuring) {
        EXPECT_GE(*conditions.othersDuring, 0);
        EXPECT_LE(*conditions.othersDuring, 1);
    }
}

}  // namespace
}  // namespace glycine::study
