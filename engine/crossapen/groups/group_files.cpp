#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/quantity.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::crossapen {

namespace {

bool isPairwise(const GroupComparison& comparison) {
    return comparison.means.front().rows() == comparison.means.front().columns();
}

std::vector<MatrixView<const double>> viewsOf(const std::vector<PairwiseTest>& tests,
                                              Matrix<double> PairwiseTest::*member) {
    std::vector<MatrixView<const double>> views;
    for (const PairwiseTest& test : tests) views.push_back((test.*member).view());
    return views;
}

/// null for NaN.
Json numberJson(double value) {
    return std::isnan(value) ? Json() : Json(value);
}

Matrix<double> minusLog10(const Matrix<double>& p) {
    Matrix<double> values(p.rows(), p.columns());
    std::transform(p.data(), p.data() + p.size(), values.data(),
                   [](double value) { return -std::log10(value); });
    return values;
}

/// The scale of −log10 p for all tests.
picture::HeatMapScale testScale(const GroupComparison& comparison) {
    picture::HeatMapScale scale;
    scale.threshold = -std::log10(comparison.alpha);
    scale.thresholdLabel = fmt::format("(p = {})", comparison.alpha);
    scale.notes = {"-log10 p", fmt::format("grey: p ≥ {}", comparison.alpha)};
    scale.roundScale = true;
    scale.minimum = 0;
    // Leaves some colours even if nothing is below alpha.
    scale.maximum = 1.5 * *scale.threshold;
    for (const PairwiseTest& test : comparison.tests) {
        const Matrix<double> values = minusLog10(test.p);
        for (std::size_t k = 0; k < values.size(); ++k)
            if (std::isfinite(values.data()[k])) scale.maximum = std::max(*scale.maximum, values.data()[k]);
    }
    return scale;
}

std::string sharesText(const PairwiseTest& test, double alpha) {
    const auto percent = [](double share) { return std::isnan(share) ? "-" : formatShare(share, 1); };
    // The p of clusters needs no correction.
    const std::string corrected =
        test.permutations > 0 ? "" : fmt::format(", q: {}", percent(test.shareBelowCorrected));
    return fmt::format("{}, p < {}: {}{}", test.test, alpha, percent(test.shareBelow), corrected);
}

std::string groupTitle(const GroupComparison& comparison, std::size_t group) {
    return fmt::format("{} ({})", comparison.groups[group], formatCount(comparison.sizes[group], "subject"));
}

void addTestPanels(std::vector<picture::HeatMapPanel>& panels, const GroupComparison& comparison,
                   std::string_view test, std::size_t side) {
    for (const PairwiseTest& done : comparison.tests) {
        if (done.test != test) continue;
        panels.push_back(pairPanel(done.name, minusLog10(done.p).view(), comparison.channels, side));
        panels.back().subtitle = sharesText(done, comparison.alpha);
    }
}

void drawPairs(const std::filesystem::path& path, const GroupComparison& comparison, const std::string& title,
               const std::string& footer, const picture::ColorRange& range) {
    constexpr std::size_t kMaxPerRow = 6;
    const std::size_t groups = comparison.groups.size();
    const std::size_t pairs = groups * (groups - 1) / 2;
    const std::size_t perRow = groups == 2 ? 2 : std::min(pairs + 1, kMaxPerRow);
    const std::size_t side = plotSide(perRow, comparison.channels.size());

    EntropyScale entropies(range);
    std::vector<picture::HeatMapPanel> means;
    for (std::size_t group = 0; group < groups; ++group) {
        entropies.add(comparison.means[group]);
        means.push_back(pairPanel(groupTitle(comparison, group), comparison.means[group].view(),
                                  comparison.channels, side));
    }
    std::vector<picture::HeatMapPanel> upper;
    std::vector<picture::HeatMapPanel> lower;
    addTestPanels(upper, comparison, "Kruskal-Wallis", side);
    // With two groups, the two rank tests are side by side. With more groups, they are below each other, and
    // "all groups", which only Kruskal-Wallis has, comes last.
    addTestPanels(groups == 2 ? upper : lower, comparison, "Mann-Whitney", side);
    addTestPanels(lower, comparison, "cluster permutation", side);
    if (groups > 2) std::rotate(upper.begin(), upper.begin() + 1, upper.end());
    const picture::HeatMapScale scale = testScale(comparison);
    const picture::HeatMapSection sections[] = {{means, perRow, entropies.heatMapScale(comparison.label)},
                                                {upper, perRow, scale},
                                                {lower, perRow, scale}};
    picture::writeHeatMaps(path, sections, pairPage(title, footer, side));
}

/// One row per group, and one row per test.
void drawChannels(const std::filesystem::path& path, const GroupComparison& comparison,
                  const std::string& title, const std::string& footer, const picture::ColorRange& range) {
    const std::size_t channels = comparison.channels.size();
    EntropyScale entropies(range);
    std::vector<std::string> groups;
    Matrix<double> means(comparison.groups.size(), channels);
    for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
        entropies.add(comparison.means[group]);
        groups.push_back(groupTitle(comparison, group));
        std::copy_n(comparison.means[group].data(), channels, means.row(group));
    }
    std::vector<std::string> tests;
    Matrix<double> p(comparison.tests.size(), channels);
    for (std::size_t test = 0; test < comparison.tests.size(); ++test) {
        tests.push_back(fmt::format("{}, {}", comparison.tests[test].name, comparison.tests[test].test));
        std::copy_n(minusLog10(comparison.tests[test].p).data(), channels, p.row(test));
    }
    std::vector<picture::HeatMapPanel> upper;
    upper.push_back(channelPanel("", means, groups, comparison.channels));
    std::vector<picture::HeatMapPanel> lower;
    lower.push_back(channelPanel("", p, tests, comparison.channels));
    const picture::HeatMapSection sections[] = {{upper, 1, entropies.heatMapScale(comparison.label)},
                                                {lower, 1, testScale(comparison)}};
    picture::writeHeatMaps(path, sections, channelPage(title, footer, ""));
}

}  // namespace

void writeGroupCsv(const std::filesystem::path& path, const GroupComparison& comparison) {
    io::BufferedText file(path);
    std::string& line = file.text();
    line += "test,comparison,templates,partner";
    for (const std::string& group : comparison.groups) {
        line += ',';
        io::appendCsvField(line, "mean_" + group);
    }
    line += ",statistic,effect,p,q";
    file.endLine();

    const Matrix<double>& shape = comparison.means.front();
    for (const PairwiseTest& test : comparison.tests)
        for (std::size_t i = 0; i < shape.rows(); ++i)
            for (std::size_t j = comparison.isSymmetric ? i : 0; j < shape.columns(); ++j) {
                line += test.test;
                for (const std::string& text : {test.name, comparison.channels[i],
                                                comparison.channels[isPairwise(comparison) ? j : i]}) {
                    line += ',';
                    io::appendCsvField(line, text);
                }
                const auto append = [&line](double value) {
                    line += ',';
                    io::appendShortest(line, value);
                };
                for (const Matrix<double>& mean : comparison.means) append(mean(i, j));
                append(test.statistic(i, j));
                append(test.effect(i, j));
                append(test.p(i, j));
                append(test.q(i, j));
                file.endLine();
            }
    file.commit();
}

void writeGroupNpz(const std::filesystem::path& path, const GroupComparison& comparison) {
    std::vector<MatrixView<const double>> means;
    for (const Matrix<double>& mean : comparison.means) means.push_back(mean.view());
    std::vector<std::string> tests;
    for (const PairwiseTest& test : comparison.tests)
        tests.push_back(fmt::format("{}: {}", test.test, test.name));
    const std::vector<std::int32_t> sizes(comparison.sizes.begin(), comparison.sizes.end());

    io::NpzWriter archive;
    archive.add("means", io::npyStackSource<double>(std::move(means)));
    archive.add("statistic", io::npyStackSource<double>(viewsOf(comparison.tests, &PairwiseTest::statistic)));
    archive.add("effect", io::npyStackSource<double>(viewsOf(comparison.tests, &PairwiseTest::effect)));
    archive.add("p", io::npyStackSource<double>(viewsOf(comparison.tests, &PairwiseTest::p)));
    archive.add("q", io::npyStackSource<double>(viewsOf(comparison.tests, &PairwiseTest::q)));
    archive.add("tests", tests);
    archive.add("groups", comparison.groups);
    archive.add("sizes", io::npyVectorSource<std::int32_t>(sizes));
    archive.add("channels", comparison.channels);
    archive.add("quantity", std::vector<std::string>{comparison.quantity});
    archive.write(path);
}

Json groupJson(const GroupComparison& comparison) {
    Json json{{"quantity", comparison.quantity}, {"alpha", comparison.alpha}};
    json["groups"] = Json::array();
    for (std::size_t group = 0; group < comparison.groups.size(); ++group)
        json["groups"].push_back({{"name", comparison.groups[group]}, {"subjects", comparison.sizes[group]}});
    json["tests"] = Json::array();
    for (const PairwiseTest& test : comparison.tests) {
        json["tests"].push_back({{"test", test.test},
                                 {"comparison", test.name},
                                 {"paired", test.isPaired},
                                 {"elements", test.elements},
                                 {"smallestReachableP", numberJson(test.smallestP)},
                                 {"shareBelowAlpha", numberJson(test.shareBelow)},
                                 {"shareBelowAlphaCorrected", numberJson(test.shareBelowCorrected)}});
        if (test.permutations == 0) continue;
        Json& entry = json["tests"].back();
        entry["permutations"] = test.permutations;
        entry["clusters"] = jsonArray(test.clusters, [](const statistics::Cluster& cluster) {
            return Json{{"elements", cluster.elements}, {"mass", cluster.mass}, {"p", cluster.p}};
        });
    }
    return json;
}

void drawGroups(const std::filesystem::path& path, const GroupComparison& comparison,
                const std::string& title, const std::string& footer, const picture::ColorRange& range) {
    const Matrix<double>& mean = comparison.means.front();
    (mean.rows() == mean.columns() ? drawPairs : drawChannels)(path, comparison, title, footer, range);
}

}  // namespace glycine::crossapen
