#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "engine/crossapen/groups/group_comparison.hpp"
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

}  // namespace

void writeGroupCsv(const std::filesystem::path& path, const GroupComparison& comparison) {
    io::BufferedText file(path);
    std::string& line = file.text();
    line += "test,comparison,templates,partner";
    for (const std::string& group : comparison.groups) {
        line += ',';
        io::appendCsvField(line, "mean_" + group);
    }
    line += ",statistic,p,q";
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
    for (const PairwiseTest& test : comparison.tests)
        json["tests"].push_back({{"test", test.test},
                                 {"comparison", test.name},
                                 {"elements", test.elements},
                                 {"smallestReachableP", numberJson(test.smallestP)},
                                 {"shareBelowAlpha", numberJson(test.shareBelow)},
                                 {"shareBelowAlphaCorrected", numberJson(test.shareBelowCorrected)}});
    return json;
}

}  // namespace glycine::crossapen
