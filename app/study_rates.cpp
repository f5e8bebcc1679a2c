#include "app/study_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::planning {

namespace {

/// A row as a point of its variant's curve.
struct RatePoint {
    double size = 0;
    double rate = 0;     ///< operations per second
    double ceiling = 0;  ///< 0: unknown
    const study::TimedRow* row = nullptr;
};

RunSize sizeOfRow(const Dimensions& dimensions, const Costs& costs) {
    const auto extent = [&](std::size_t number) {
        return number < dimensions.size() ? dimensions[number].second : std::size_t{0};
    };
    if (costs.isOfBounds()) return {extent(0), extent(0)};
    if (costs.isOfFiles()) return {1, extent(0), extent(1), extent(2)};
    return {extent(0), extent(1)};
}

/// What a variant's rate depends on: the operations; of crossapen, whose pruning pays the more, the longer an
/// epoch is, its samples.
double placeOf(const RunSize& size, const Costs& costs) {
    return costs.isOfFiles() ? static_cast<double>(size.samples) : costs.operations(size);
}

/// In 10⁹ per second. `stage`: whose rate counts; 0 if the row does not have it.
double rateOf(const study::TimedRow& row, const Costs& costs, const std::string& stage) {
    const auto found = [&](const std::string& name) {
        const auto rate = row.stageRates.find(name);
        return rate == row.stageRates.end() ? 0.0 : rate->second;
    };
    if (!costs.isOfBounds()) return found(stage);
    const double upper = found("upper"), lower = found("lower");
    return upper > 0 && lower > 0 ? 2 / (1 / upper + 1 / lower) : 0;
}

/// The rate at this place of a curve of ascending points.
RatePoint at(const std::vector<RatePoint>& curve, double size) {
    const auto above = std::ranges::upper_bound(curve, size, {}, &RatePoint::size);
    if (above == curve.end()) return curve.back();
    if (above == curve.begin()) return curve.front();
    const RatePoint& low = *(above - 1);
    const double share = std::log(size / low.size) / std::log(above->size / low.size);
    RatePoint point = *above;
    point.rate = low.rate * std::pow(above->rate / low.rate, share);
    return point;
}

double uploadOf(const study::StudyReport& report, const std::string& backend) {
    double upload = 0;
    for (const study::StudyStepReport& step : report.steps) {
        if (step.kind != "ceilings" || !step.isDone) continue;
        for (const Json& device : step.result.value("measured", Json::array()))
            for (const Json& ceiling : device.value("ceilings", Json::array()))
                if (device.at("device").value("backend", "") == backend &&
                    ceiling.value("name", "") == "upload")
                    upload = ceiling.value("best", 0.0) * 1e9;
    }
    return upload;
}

}  // namespace

StudyRate rateOfStudy(const study::StudyReport& report, const RunRequest& request) {
    const Costs& costs = *request.costs;
    StudyRate found{.upload = uploadOf(report, request.backend)};
    // Copies to a device are planned separately.
    const std::string stage = found.upload > 0 ? "compute" : "total";
    const std::vector<study::TimedRow> rows = report.times();
    std::map<std::string, std::vector<RatePoint>> curves;
    for (const study::TimedRow& row : rows) {
        if (row.algorithm != costs.name || row.series != costs.series ||
            row.contender.backend != request.backend || !row.hasTime())
            continue;
        RatePoint point{.size = placeOf(sizeOfRow(row.dimensions, costs), costs),
                        .rate = rateOf(row, costs, stage) * 1e9,
                        .row = &row};
        // Ceilings belong to the kernel, or to the upper bounds.
        const double kernel = costs.isOfBounds() ? point.rate : rateOf(row, costs, "compute") * 1e9;
        if (row.ceilingShare > 0 && !row.isByOverhead) point.ceiling = kernel / row.ceilingShare;
        if (point.size > 0 && point.rate > 0) curves[row.contender.label()].push_back(point);
    }
    RatePoint best;
    for (auto& [label, curve] : curves) {
        std::ranges::sort(curve, {}, &RatePoint::size);
        RatePoint point = at(curve, placeOf(request.size, costs));
        if (point.ceiling > 0) point.rate = std::min(point.rate, point.ceiling);
        if (point.rate > best.rate) best = point;
    }
    if (best.row == nullptr)
        throw InputError(fmt::format("{}: has no time of {} ({}) on {}; give a rate with --rate", report.name,
                                     costs.name, costs.series, request.backend));
    found.rate = best.rate;
    found.ceiling = best.ceiling;
    found.from = fmt::format("{} up to {}, {}", best.row->contender.label(), best.row->size(), report.label);
    return found;
}

}  // namespace glycine::planning
