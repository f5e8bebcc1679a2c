// Several visits to what is measured: their medians are what counts as independent.
#include "engine/study/study_steps.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/study/statistics.hpp"

namespace glycine::study {
namespace {

using Samples = std::vector<double>;

TEST(Visits, TheirMediansAreIndependentAndNotTheirSamples) {
    // Each visit is sure of itself, and all of them differ.
    const Statistics all = summarizeVisits(
        {{1.00, 1.01, 1.02}, {1.20, 1.21, 1.22}, {0.90, 0.91, 0.92}, {1.1, 1.1, 1.1}, {1, 1, 1}});
    EXPECT_EQ(all.count, 15u);
    EXPECT_EQ(all.minimum, 0.9);
    EXPECT_EQ(all.maximum, 1.22);
    EXPECT_EQ(all.median, 1.01);
    EXPECT_EQ(all.interval.low, 0.91) << "of five medians the smallest …";
    EXPECT_EQ(all.interval.high, 1.21) << "… and the largest";
    EXPECT_DOUBLE_EQ(all.interval.confidence, 0.9375);
    EXPECT_EQ(all.visits, (std::vector<std::size_t>{3, 3, 3, 3, 3}));
    EXPECT_EQ(statisticsFrom(toJson(all)).visits, all.visits);
}

TEST(Visits, FewOfThemOnlyWidenTheInterval) {
    const Statistics one = summarizeVisits({{}, {1, 2, 3}});
    EXPECT_EQ(one.interval.low, 1);
    EXPECT_EQ(one.interval.high, 3);
    EXPECT_TRUE(one.visits.empty());
    const Statistics two = summarizeVisits({{1.0, 1.1, 1.2, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1}, {3}});
    EXPECT_EQ(two.interval.high, 3) << "the other visit's median is in it";
    EXPECT_LE(two.interval.low, 1.1);
    EXPECT_EQ(summarizeVisits({}).count, 0u);
}

Json jsonRow(const char* variant, std::size_t size, const Samples& seconds, double share = 0) {
    Json json{{"size", size},       {"dimensions", {{{"name", "items"}, {"extent", size}}}},
              {"items", size},      {"backend", "cpu"},
              {"variant", variant}, {"numberFormat", "f"}};
    json["verified"] = true;
    const Statistics statistics = summarize(seconds);
    json["seconds"]["total"] = toJson(statistics);
    json["rates"]["total"] = {{"best", 6 / statistics.minimum}, {"median", 6 / statistics.median}};
    if (share > 0) json["ceiling"] = {{"share", share}};
    json["ratioToFirst"] = 1.0;
    return json;
}

Json jsonReport(std::vector<Json> rows, const char* busy = "", double others = 0) {
    return {{"rows", std::move(rows)},
            {"load", {{"othersDuring", others}}},
            {"noise", {{"loop", 0.0}}},
            {"busy", busy}};
}

TEST(Visits, AreMergedRowByRow) {
    Json first =
        jsonReport({jsonRow("a", 1, {4, 4, 4}, 0.5), jsonRow("b", 1, {2, 2, 2}), jsonRow("a", 2, {8, 8, 8})});
    mergeVisit(first, jsonReport({jsonRow("b", 1, {3, 3}), jsonRow("a", 1, {2, 2}, 0.75)}, "others", 0.5));
    mergeVisit(first, jsonReport({jsonRow("b", 1, {2, 2}), jsonRow("a", 1, {6, 6}, 0.4)}));
    const Json& a = first["rows"][0];
    EXPECT_EQ(a["seconds"]["total"]["samples"], (Samples{4, 4, 4, 2, 2, 6, 6}));
    EXPECT_EQ(a["seconds"]["total"]["interval"], (Samples{2, 6}));
    EXPECT_EQ(a["seconds"]["total"]["median"], 4.0);
    EXPECT_EQ(a["rates"]["total"], (Json{{"best", 3.0}, {"median", 1.5}}));
    EXPECT_EQ(a["ceiling"]["share"], 0.75);
    const Json& b = first["rows"][1];
    EXPECT_EQ(b["ratioToFirst"], 1.0) << "both have taken two seconds at least";
    EXPECT_EQ(b["ratioInterval"], (Samples{2.0 / 3, 3})) << "4/2, 2/3 and 6/2";
    EXPECT_EQ(b["ratioUndecided"], true);
    EXPECT_FALSE(first["rows"][2]["seconds"]["total"].contains("visits")) << "no visit had it";
    EXPECT_EQ(first["busy"], "others") << "of one visit, and so of all";
}

TEST(Visits, WhatOneFindsWrongHasNoTime) {
    Json first = jsonReport({jsonRow("a", 1, {4, 4, 4}, 0.5), jsonRow("b", 1, {2, 2, 2})});
    Json wrong = jsonRow("a", 1, {4, 4});
    wrong["verified"] = false;
    wrong["check"] = "differs";
    wrong.erase("seconds");
    mergeVisit(first, jsonReport({wrong, jsonRow("b", 1, {2, 2})}));
    EXPECT_FALSE(first["rows"][0].contains("seconds"));
    EXPECT_FALSE(first["rows"][0].contains("ceiling"));
    EXPECT_EQ(first["rows"][0]["check"], "differs (in a later visit)");
    EXPECT_EQ(first["rows"][1]["ratioToFirst"], 0.0) << "the first of its size has no time any more";
    EXPECT_EQ(first["rows"][1]["seconds"]["total"]["count"], 5);
}

}  // namespace
}  // namespace glycine::study
