#include "app/mutualinfo/network_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "engine/core/build_info.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"
#include "engine/picture/graph_picture.hpp"

namespace glycine::mutualinfo {

namespace {

std::string_view describe(NetworkMethod method) {
    switch (method) {
        case NetworkMethod::Information:
            return "mi: the mutual information itself";
        case NetworkMethod::Aracne:
            return "aracne: what the data-processing inequality leaves";
        case NetworkMethod::Clr:
            return "clr: context likelihood of relatedness";
        case NetworkMethod::Mrnet:
            return "mrnet: maximum relevance, minimum redundancy";
        case NetworkMethod::Consensus:
            return "consensus: mean of the log ranks of clr and mrnet";
        case NetworkMethod::Correlation:
            return "correlation: its absolute value";
        case NetworkMethod::Partial:
            return "partial: absolute values of shrunk partial correlations (Schäfer and Strimmer 2005)";
        case NetworkMethod::Forest:
            return "forest: importance in regressions by random forests (GENIE3)";
    }
    return "";
}

}  // namespace

void NetworkReport::addMethodFields(Fields& fields) const {
    fields.emplace_back("Method", describe(method));
    if (p) fields.emplace_back("Null", nullModel);
    if (threshold)
        fields.emplace_back("Threshold",
                            fmt::format("{}{}{}", formatNumber(*threshold), unit.empty() ? "" : " " + unit,
                                        p ? fmt::format(", P ≤ {}", *p) : ""));
    if (regulators)
        fields.emplace_back("Regulators",
                            fmt::format("{}; pairs of other genes are no edges", formatCount(*regulators)));
    if (method == NetworkMethod::Aracne)
        fields.emplace_back("Indirect", fmt::format("{} of {} (tolerance {})", formatCount(indirect),
                                                    formatCount(candidates, "pair"), tolerance));
    if (!consensus) return;
    std::string text = fmt::format(
        "{}, threshold {}: {} in any, {} on average a pair; P ≤ {} after Bonferroni", bootstraps.count,
        formatNumber(bootstrapThreshold), formatCount(consensus->edgesInAny, "edge"),
        formatNumber(consensus->meanSupport), bootstraps.significance);
    if (consensus->bootstrapsKept > 0)
        text += fmt::format("; {} were kept from an earlier run", consensus->bootstrapsKept);
    fields.emplace_back("Bootstraps", text);
}

std::string NetworkReport::describePicture() const {
    return picture->edges < edges ? fmt::format("the best {}", formatCount(picture->edges)) : "all";
}

std::string NetworkReport::describeTruth() const {
    return fmt::format(
        "AUPR {:.4f}, AUROC {:.4f}; of the listed edges {} true, {} wrong, {} missed: precision {:.4f}, "
        "recall {:.4f}, specificity {:.4f}",
        truth->precisionRecallArea, truth->rocArea, formatCount(truth->truePositives),
        formatCount(truth->falsePositives), formatCount(truth->falseNegatives), truth->precision(),
        truth->recall(), truth->specificity());
}

void NetworkReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back("Input", input);
    for (const std::string& note : notes) fields.emplace_back("", note);
    if (!estimator.empty()) fields.emplace_back("Estimator", estimator);
    if (gaps) fields.emplace_back("Gaps", gaps->describe());
    addDeviceFields(fields, *this, variant);
    addMethodFields(fields);
    addTimeField(fields, *this);
    if (tiles > 1) fields.emplace_back("Tiles", describeParts(tiles, tilesResumed));
    addRecountField(fields, recount);
    addRecountField(fields, inferenceRecount);
    fields.emplace_back("Network",
                        fmt::format("{} between {}", formatCount(edges, "edge"), formatCount(genes, "gene")));
    if (picture)
        fields.emplace_back("Picture", fmt::format("{} of these edges, between {}", describePicture(),
                                                   formatCount(picture->genes, "gene")));
    if (truth) fields.emplace_back("Truth", describeTruth());
    for (const std::string& warning : warnings) fields.emplace_back("Warning", warning);
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json NetworkReport::methodJson() const {
    Json json{{"method", toString(method)}};
    if (p) json["p"] = *p;
    if (p) json["null"] = nullModel;
    if (threshold) json["threshold"] = *threshold;
    if (!unit.empty()) json["unit"] = unit;
    if (regulators) json["regulators"] = *regulators;
    json["candidates"] = candidates;
    if (method == NetworkMethod::Aracne) {
        json["tolerance"] = tolerance;
        json["indirect"] = indirect;
    }
    if (inferenceRecount) json["inferenceRecount"] = toJson(*inferenceRecount);
    return json;
}

Json NetworkReport::json() const {
    Json json = runHeadJson("network", *this);
    json["input"] = input;
    json["notes"] = notes;
    json["genes"] = genes;
    if (samples > 0) json["samples"] = samples;
    if (!estimator.empty()) json["estimator"] = estimator;
    if (gaps) json["gaps"] = gaps->json();
    json["backend"] = device.backend;
    json["variant"] = variant;
    json["tiles"] = tiles;
    json["tilesResumed"] = tilesResumed;
    json.update(methodJson());
    json["edges"] = edges;
    if (consensus)
        json["bootstraps"] = {{"count", bootstraps.count},
                              {"threshold", bootstrapThreshold},
                              {"significance", bootstraps.significance},
                              {"edgesInAny", consensus->edgesInAny},
                              {"meanSupport", consensus->meanSupport},
                              {"kept", consensus->bootstrapsKept}};
    if (truth)
        json["truth"] = {{"pairs", truth->pairs},
                         {"positives", truth->positives},
                         {"aupr", truth->precisionRecallArea},
                         {"auroc", truth->rocArea},
                         {"truePositives", truth->truePositives},
                         {"falsePositives", truth->falsePositives},
                         {"falseNegatives", truth->falseNegatives},
                         {"trueNegatives", truth->trueNegatives},
                         {"precision", truth->precision()},
                         {"recall", truth->recall()},
                         {"specificity", truth->specificity()}};
    if (picture) json["picture"] = {{"edges", picture->edges}, {"genes", picture->genes}};
    json["warnings"] = warnings;
    json["files"] = fileNames(files);
    return json;
}

void drawNetwork(const std::filesystem::path& path, const NetworkTable& table, std::size_t most,
                 NetworkReport& report) {
    const bool hasRegulators = !table.regulators->flags.empty();
    std::vector<picture::GraphNode> nodes;
    std::vector<picture::GraphEdge> edges;
    std::map<std::size_t, std::size_t> numbers;  // of drawn genes
    const auto nodeOf = [&](std::size_t gene) {
        const auto [found, isNew] = numbers.try_emplace(gene, nodes.size());
        if (isNew) {
            nodes.push_back({table.genes[gene], hasRegulators && table.regulators->includes(gene)});
            if (table.groups != nullptr) nodes.back().sign = table.groups->signOf(gene);
        }
        return found->second;
    };
    for (const Edge& edge : table.edges.first(std::min(most, table.edges.size()))) {
        const auto [regulator, target] = table.ends(edge);
        const std::size_t from = nodeOf(regulator);
        edges.push_back({from, nodeOf(target), edge.score});
    }
    report.picture = {edges.size(), nodes.size()};
    picture::GraphPictureOptions options{
        .title = report.input,
        .footer = {fmt::format("{} of {} between {}; {}", report.describePicture(),
                               formatCount(table.edges.size(), "edge"), formatCount(nodes.size(), "gene"),
                               table.method),
                   fmt::format("{} {} on {}, {}", describeBuild(), report.device.backend,
                               report.device.device, report.variant)},
        .nodeKind = "gene",
        .markedKind = "regulator",
        .weightKind = "score",
        .isDirected = hasRegulators};
    if (table.groups != nullptr) {
        options.footer = table.groups->footer(std::move(options.footer));
        options.key = table.groups->key();
    }
    picture::writeGraphPicture(path, nodes, edges, options);
}

}  // namespace glycine::mutualinfo
