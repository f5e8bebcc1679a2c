#include "engine/study/raised_ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/core/quantity.hpp"

namespace glycine::study {

namespace {

/// Shares that differ from 1 by rounding alone are none above a ceiling.
constexpr double kAbove = 1 + 1e-9;

bool isBetter(bool isTime, double one, double other) {
    return isTime ? one < other : one > other;
}

CeilingKey ceilingKeyOf(const MeasuredRow& row, const CeilingUse& use) {
    return {row.configuration.backend, row.configuration.dialectName(),
            use.threads > 0 ? use.threads : row.threads, use.name};
}

}  // namespace

std::string RaisedCeilings::Raise::text() const {
    return fmt::format("raised from {} to {} {} by {}", formatNumber(probed), formatNumber(rate), unit, by);
}

void RaisedCeilings::note(const CeilingKey& key, const CeilingUse& use, double seconds,
                          const std::string& result) {
    const double probed = use.raisedBy.empty() ? use.rate : use.probed;
    const auto take = [&](double rate, const std::string& by) {
        const auto [place, isNew] = raises_.try_emplace(key, Raise{use.unit, rate, probed, by});
        Raise& raise = place->second;
        if (!isNew && isBetter(use.isTime(), rate, raise.rate)) {
            raise.rate = rate;
            raise.by = by;
        }
        if (isBetter(use.isTime(), probed, raise.probed)) raise.probed = probed;
    };
    if (!use.raisedBy.empty()) take(use.rate, use.raisedBy);
    if (seconds > 0 && use.leastSeconds() > kAbove * seconds) take(use.shownBy(seconds), result);
}

void RaisedCeilings::apply(const CeilingKey& key, CeilingUse& use) const {
    const Raise* raise = find(key);
    if (raise == nullptr || !isBetter(use.isTime(), raise->rate, use.rate)) return;
    use.probed = raise->probed;
    use.rate = raise->rate;
    use.raisedBy = raise->by;
}

const RaisedCeilings::Raise* RaisedCeilings::find(const CeilingKey& key) const {
    const auto place = raises_.find(key);
    return place == raises_.end() ? nullptr : &place->second;
}

RaisedCeilings raiseCeilings(const std::vector<MeasuredRow*>& rows, std::string_view where) {
    RaisedCeilings raised;
    for (const MeasuredRow* row : rows)
        for (const CeilingUse& use : row->ceilings)
            raised.note(ceilingKeyOf(*row, use), use, row->computingSeconds(use.stage),
                        fmt::format("{} on {}, {}", row->configuration.label(), where, row->problem));
    for (MeasuredRow* row : rows) {
        for (CeilingUse& use : row->ceilings) raised.apply(ceilingKeyOf(*row, use), use);
        std::ranges::stable_sort(row->ceilings, std::greater(), &CeilingUse::leastSeconds);
    }
    return raised;
}

Json ceilingUseToJson(const CeilingUse& use) {
    Json json{{"name", use.name}, {"unit", use.unit},   {"rate", use.rate},
              {"what", use.what}, {"work", use.amount}, {"leastSeconds", use.leastSeconds()}};
    if (!use.stage.empty()) json["stage"] = use.stage;
    if (use.threads > 0) json["threads"] = use.threads;
    if (!use.raisedBy.empty()) {
        json["raisedBy"] = use.raisedBy;
        json["probed"] = use.probed;
    }
    return json;
}

CeilingUse ceilingUseFrom(const Json& json) {
    CeilingUse use{.name = json.at("name").get<std::string>(),
                   .unit = json.at("unit").get<std::string>(),
                   .rate = json.at("rate").get<double>(),
                   .what = json.value("what", ""),
                   .amount = json.at("work").get<double>(),
                   .stage = json.value("stage", ""),
                   .threads = json.value("threads", 0)};
    use.raisedBy = json.value("raisedBy", "");
    use.probed = json.value("probed", 0.0);
    return use;
}

}  // namespace glycine::study
