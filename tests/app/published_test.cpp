// Figures of publications as data, for all algorithms: claims refer to existing rows and values.
#include "engine/study/figure_charts.hpp"
#include "engine/study/reproduction_report.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/subject.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

std::vector<PublishedFigure> allFigures() {
    test::registerAlgorithmsOnce();
    return SubjectRegistry::instance().published();
}

TEST(PublishedFigures, HaveNamesOfTheirOwn) {
    std::set<std::string> ids;
    for (const PublishedFigure& figure : allFigures()) {
        EXPECT_TRUE(ids.insert(figure.id).second) << figure.id;
        for (const std::string& text :
             {figure.title, figure.source, figure.about, figure.quick, figure.sizeLabel, figure.rateUnit})
            EXPECT_FALSE(text.empty()) << figure.id;
    }
    EXPECT_TRUE(ids.contains("gems2-table-43-1"));
}

TEST(PublishedFigures, ClaimsSpeakOfRows) {
    for (const PublishedFigure& figure : allFigures()) {
        for (const Scale scale : {Scale::Published, Scale::Quick}) {
            std::vector<FigureRow> rows;
            std::set<std::string> keys;
            for (PublishedRow& published : figure.rows(scale)) {
                if (!published.key.empty()) {
                    EXPECT_TRUE(keys.insert(published.key).second) << figure.id << ": " << published.key;
                }
                rows.emplace_back().published = std::move(published);
            }
            for (const Claim& claim : figure.claims(scale)) {
                // Nothing was measured; a key without a row would throw. Printed numbers can be compared with
                // each other nevertheless.
                EXPECT_EQ(judge(claim, rows).value.count == 0,
                          !std::holds_alternative<Printed>(claim.quantity))
                    << figure.id << ": " << claim.text;
                EXPECT_TRUE(claim.low || claim.high) << figure.id << ": " << claim.text;
            }
        }
    }
}

/// FNV-1a hash of printed values and limits of claims, as checked against the publications.
TEST(PublishedFigures, NoPrintedNumberHasChanged) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto take = [&hash](const std::string& text) {
        for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    };
    const auto takeLimit = [&take](const std::optional<double>& limit) {
        take(limit ? fmt::format(" {}", *limit) : " none");
    };
    for (const PublishedFigure& figure : allFigures())
        for (const Scale scale : {Scale::Published, Scale::Quick}) {
            for (const PublishedRow& row : figure.rows(scale))
                take(fmt::format("{} {} {} {} {}\n", row.key, row.problem, row.paperSeconds, row.paperWork,
                                 row.paperFactor));
            for (const Claim& claim : figure.claims(scale)) {
                take(claim.text + claim.paper);
                takeLimit(claim.low);
                takeLimit(claim.high);
            }
        }
    EXPECT_EQ(hash, 0xa2a7b4ebff10335d);
}

// Every figure is drawn, whatever was measured of it, and its charts name its rows alone.
TEST(PublishedFigures, AreDrawn) {
    for (const PublishedFigure& figure : allFigures())
        for (const Scale scale : {Scale::Published, Scale::Quick}) {
            SCOPED_TRACE(figure.id);
            const TemporaryFolder folder;
            ReproductionReport report;
            report.figure = figure;
            report.scale = scale;
            for (PublishedRow& published : figure.rows(scale)) {
                FigureRow& row = report.rows.emplace_back();
                row.published = std::move(published);
                row.configuration = row.published.configuration;
            }
            EXPECT_NO_THROW(figureCharts(figure, report.toJson(), folder.path()));
            for (FigureRow& row : report.rows) {
                row.total.seconds = summarize({1.5, 1.6, 1.7});
                row.total.work = 2;
            }
            std::set<std::string> names;
            for (const DocumentChart& chart : figureCharts(figure, report.toJson(), folder.path())) {
                EXPECT_TRUE(names.insert(chart.name).second) << chart.name;
                for (const auto& line : chart.data.rows)
                    EXPECT_TRUE(line[3] != "" || line[4] != "") << line[0] << ' ' << line[1];
            }
            EXPECT_FALSE(names.empty());
            EXPECT_EQ(names.size(), figure.charts(scale).size());
            EXPECT_EQ(names.size(), folder.fileCount());
        }
}

// Times of a software renderer must not decide a claim about a GPU.
TEST(PublishedFigures, ClaimsAboutAGpuAreNotJudgedBySoftwareRenderers) {
    std::size_t untestable = 0, judged = 0;
    for (const PublishedFigure& figure : allFigures())
        for (const Scale scale : {Scale::Published, Scale::Quick}) {
            std::vector<FigureRow> rows;
            std::set<std::string> drawn;
            for (PublishedRow& published : figure.rows(scale)) {
                FigureRow& row = rows.emplace_back();
                row.configuration = published.configuration;
                row.published = std::move(published);
                row.dimensions = {{"atoms", 1 + rows.size()},   {"epochs", 1 + rows.size()},
                                  {"samples", 1 + rows.size()}, {"sequences", 1 + rows.size()},
                                  {"letters", 1 + rows.size()}, {"genes", 1 + rows.size()}};
                row.total.seconds = summarize({1, 1, 1, 1, 1});
                row.scores = {{"sensitivity", 1}, {"specificity", 1}, {"precision", 1}};
                if (row.configuration.backend != "gl") continue;
                row.device = {"gl", "gl33", "llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa", "", true};
                drawn.insert(row.published.key);
            }
            for (const Claim& claim : figure.claims(scale)) {
                const JudgedClaim one = judge(claim, rows);
                const std::vector<std::string> keys = keysOf(claim.quantity);
                const bool isDrawn = !std::holds_alternative<ScoreRatio>(claim.quantity) &&
                                     std::any_of(keys.begin(), keys.end(),
                                                 [&](const std::string& key) { return drawn.contains(key); });
                EXPECT_EQ(one.reason.starts_with("there is no GPU, the renderer is software"), isDrawn)
                    << figure.id << ": " << claim.text;
                if (isDrawn) {
                    EXPECT_EQ(one.verdict, Verdict::Untested) << figure.id << ": " << claim.text;
                }
                ++(isDrawn ? untestable : judged);
            }
        }
    EXPECT_GE(untestable, 20U) << "the ten of table 43-1, at both scales";
    EXPECT_GE(judged, 100U);
}

// On two processors, a program on fewer threads than published must not decide a claim about a GPU.
TEST(PublishedFigures, ProgramsWithFewerThreadsAreComparedWithTheirLikeAlone) {
    std::set<std::string> tolerant;
    for (const PublishedFigure& figure : allFigures()) {
        std::vector<FigureRow> rows;
        for (PublishedRow& published : figure.rows(Scale::Published)) {
            FigureRow& row = rows.emplace_back();
            row.configuration = published.configuration;
            row.threads = published.threads;
            row.published = std::move(published);
            row.dimensions = {{"atoms", rows.size()},     {"epochs", rows.size()},  {"samples", rows.size()},
                              {"sequences", rows.size()}, {"letters", rows.size()}, {"genes", rows.size()}};
            row.total.seconds = summarize({1, 1, 1, 1, 1});
            row.scores = {{"sensitivity", 1}, {"specificity", 1}, {"precision", 1}};
        }
        fitThreads(rows, figure.claims(Scale::Published), 2);
        const auto hasFewer = [&rows](const std::string& key) {
            const auto found =
                std::ranges::find(rows, key, [](const FigureRow& row) { return row.published.key; });
            return found->hasFewerThreads();
        };
        for (const Claim& claim : figure.claims(Scale::Published)) {
            const std::vector<std::string> keys = keysOf(claim.quantity);
            if (std::ranges::none_of(keys, hasFewer)) continue;
            if (toleratesFewerThreads(claim, rows))
                tolerant.insert(claim.text);
            else
                EXPECT_EQ(judge(claim, rows).verdict, Verdict::Untested) << figure.id << ": " << claim.text;
        }
    }
    EXPECT_THAT(tolerant, UnorderedElementsAre("MIBE is faster than TINGe but for one set",
                                               "CARACNE has a higher sensitivity than TINGe",
                                               "CARACNE has a higher specificity than TINGe",
                                               "CARACNE has a higher precision than TINGe"));
}

TEST(PublishedFigures, Table43AddsUp) {
    for (const PublishedFigure& figure : allFigures()) {
        if (figure.id != "gems2-table-43-1") continue;
        const std::vector<PublishedRow> rows = figure.rows(Scale::Published);
        ASSERT_EQ(rows.size(), 6u * 14 * 3) << "sizes, methods, stages";
        for (std::size_t r = 0; r < rows.size(); r += 3) {
            EXPECT_NEAR(rows[r].paperSeconds + rows[r + 1].paperSeconds, rows[r + 2].paperSeconds, 1e-3)
                << rows[r].key;
        }
    }
}

TEST(PublishedFigures, ThesisTotalsAreSumsOfTheirStages) {
    // Row totals of table C.1, in ms, as printed; the last one is rounded there.
    constexpr double kTotals[] = {1473.324,  2586.639,   18213.049,  25474.680,  42047.464, 63789.228,
                                  77457.510, 111196.295, 101911.317, 554003.326, 2.51e6};
    std::size_t found = 0;
    for (const PublishedFigure& figure : allFigures()) {
        if (figure.id != "clustal-c1") continue;
        for (const PublishedRow& row : figure.rows(Scale::Published)) {
            if (!row.stage.empty() || row.paperSeconds == 0) continue;
            ASSERT_LT(found, std::size(kTotals));
            EXPECT_NEAR(row.paperSeconds * 1000, kTotals[found], kTotals[found] * 1e-3) << row.key;
            ++found;
        }
    }
    EXPECT_EQ(found, std::size(kTotals));
}

// None of these publications prints a time that the first picture shows.
TEST(PublishedFigures, WithoutAValueHaveANoteInPlaceOfAPicture) {
    test::registerAlgorithmsOnce();
    const TemporaryFolder folder;
    for (const std::string id : {"clustal-figure-6-2", "clustal-figure-6-3", "cudami-table-3"}) {
        const std::filesystem::path picture = folder / (id + ".svg"), report = folder / (id + ".json");
        // No row is of this backend.
        const test::TaskOutcome outcome =
            test::runTask(declareReproduce, {id, "--quick", "--backend", "reference", "--budget", "5", "-o",
                                             picture.string(), "-o", report.string()});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        EXPECT_FALSE(std::filesystem::exists(picture));
        const Json json = Json::parse(readFile(report));
        EXPECT_EQ(json["figure"], id);
        EXPECT_EQ(json["notes"][0], picture.string() + " was not drawn: " + id +
                                        " was not measured, and the publication prints no time for it");
        EXPECT_THAT(outcome.out, HasSubstr("Note: " + picture.string() + " was not drawn: "));
    }
}

}  // namespace
}  // namespace glycine::study
