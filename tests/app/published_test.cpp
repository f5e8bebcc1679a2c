// Figures of publications as data, of all algorithms: what claims speak of is there.
#include <gtest/gtest.h>

#include <set>

#include "engine/study/claims.hpp"
#include "engine/study/subject.hpp"
#include "tests/app/registered_algorithms.hpp"

namespace glycine::study {
namespace {

std::vector<PublishedFigure> allFigures() {
    test::registerAlgorithmsOnce();
    std::vector<PublishedFigure> all;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) all.push_back(std::move(figure));
    return all;
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
                // Nothing was measured; a key without a row would throw.
                EXPECT_EQ(judge(claim, rows).verdict, Verdict::Untested) << figure.id << ": " << claim.text;
                EXPECT_TRUE(claim.low || claim.high) << figure.id << ": " << claim.text;
            }
        }
    }
}

TEST(PublishedFigures, Table43AddsUp) {
    for (const PublishedFigure& figure : allFigures()) {
        if (figure.id != "gems2-table-43-1") continue;
        const std::vector<PublishedRow> rows = figure.rows(Scale::Published);
        ASSERT_EQ(rows.size(), 6u * 11 * 3) << "sizes, methods, stages";
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

}  // namespace
}  // namespace glycine::study
