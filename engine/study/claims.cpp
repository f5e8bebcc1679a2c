#include "engine/study/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "engine/core/quantity.hpp"

namespace glycine::study {

namespace {

const FigureRow& rowOf(const std::string& key, const std::vector<FigureRow>& rows) {
    const auto found = std::ranges::find(rows, key, [](const FigureRow& row) { return row.published.key; });
    if (found == rows.end()) throw std::logic_error(fmt::format("no row of the figure is called '{}'", key));
    return *found;
}

std::vector<std::string> keysOf(const Quantity& quantity) {
    if (const auto* ratio = std::get_if<Ratio>(&quantity)) return {ratio->slow, ratio->fast};
    if (const auto* exponent = std::get_if<Exponent>(&quantity)) return exponent->rows;
    if (const auto* growth = std::get_if<Growth>(&quantity))
        return {growth->of.slow, growth->of.fast, growth->over.slow, growth->over.fast};
    if (const auto* scores = std::get_if<ScoreRatio>(&quantity)) {
        std::vector<std::string> keys = scores->rows;
        std::ranges::copy(scores->others, std::back_inserter(keys));
        return keys;
    }
    return {std::get<Seconds>(quantity).row};
}

/// Why the row cannot take part; empty: it can.
std::string obstacle(const FigureRow& row) {
    if (row.hasTime()) return {};
    const std::string name = fmt::format("{}, {}", row.published.method, row.problem);
    if (row.isWrong) return fmt::format("{}: wrong result", name);
    return fmt::format("{}: {}", name, row.skipped.empty() ? "not measured here" : row.skipped);
}

/// Why a time of the row says nothing about what the publication measured; empty: it does.
std::string unlikeness(const FigureRow& row) {
    return row.device.isSoftware
               ? fmt::format("untestable: no GPU, the renderer is software ({})", row.device.device)
               : "";
}

Statistics measure(const Ratio& ratio, const std::vector<FigureRow>& rows) {
    const FigureRow& slow = rowOf(ratio.slow, rows);
    const FigureRow& fast = rowOf(ratio.fast, rows);
    const double scale = ratio.perWork && slow.total.work > 0 ? fast.total.work / slow.total.work : 1;
    if (slow.published.problem == fast.published.problem) {
        std::vector<double> values = quotients(slow.total.seconds.samples, fast.total.seconds.samples);
        for (double& value : values) value *= scale;
        return summarize(std::move(values));
    }
    // Of other rounds: the widest that both intervals allow.
    Statistics value;
    value.count = std::min(slow.total.seconds.count, fast.total.seconds.count);
    value.minimum = value.maximum = value.median =
        scale * slow.total.seconds.median / fast.total.seconds.median;
    value.interval = {
        scale * slow.total.seconds.interval.low / fast.total.seconds.interval.high,
        scale * slow.total.seconds.interval.high / fast.total.seconds.interval.low,
        std::min(slow.total.seconds.interval.confidence, fast.total.seconds.interval.confidence)};
    return value;
}

Statistics measure(const Exponent& exponent, const std::vector<FigureRow>& rows) {
    std::size_t rounds = 0;
    for (const std::string& key : exponent.rows)
        rounds = std::max(rounds, rowOf(key, rows).total.seconds.count);
    std::vector<double> exponents;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<std::pair<double, double>> points;
        for (const std::string& key : exponent.rows) {
            const FigureRow& row = rowOf(key, rows);
            // Long runs are repeated less often; theirs differ the least.
            const double seconds = row.total.seconds.samples[round % row.total.seconds.count];
            points.emplace_back(std::log(static_cast<double>(dimension(row.dimensions, exponent.dimension))),
                                std::log(seconds));
        }
        exponents.push_back(slopeOf(points));
    }
    return summarize(std::move(exponents));
}

Statistics measure(const Seconds& seconds, const std::vector<FigureRow>& rows) {
    return rowOf(seconds.row, rows).total.seconds;
}

/// Of two intervals, the widest that both allow.
Statistics measure(const Growth& growth, const std::vector<FigureRow>& rows) {
    const Statistics of = measure(growth.of, rows);
    const Statistics over = measure(growth.over, rows);
    Statistics value;
    if (of.count == 0 || over.count == 0) return value;
    value.count = std::min(of.count, over.count);
    value.minimum = value.maximum = value.median = of.median / over.median;
    value.interval = {of.interval.low / over.interval.high, of.interval.high / over.interval.low,
                      std::min(of.interval.confidence, over.interval.confidence)};
    return value;
}

Statistics measure(const ScoreRatio& ratio, const std::vector<FigureRow>& rows) {
    const auto scoreOf = [&](const std::string& key) {
        const FigureRow& row = rowOf(key, rows);
        const auto found = std::ranges::find(row.scores, ratio.score, &Score::name);
        if (found == row.scores.end())
            throw std::logic_error(fmt::format("row '{}' has no score '{}'", key, ratio.score));
        return found->value;
    };
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ratio.rows.size(); ++i)
        ratios.push_back(scoreOf(ratio.rows[i]) / scoreOf(ratio.others[i]));
    Statistics value = summarize(std::move(ratios));
    // Scores are what they are: nothing is left to chance.
    value.interval = {value.minimum, value.maximum, 1};
    return value;
}

}  // namespace

JudgedClaim judge(const Claim& claim, const std::vector<FigureRow>& rows) {
    JudgedClaim judged{claim, Verdict::Untested, {}, {}};
    for (const std::string& key : keysOf(claim.quantity)) {
        const FigureRow& row = rowOf(key, rows);
        judged.reason = obstacle(row);
        if (judged.reason.empty() && !std::holds_alternative<ScoreRatio>(claim.quantity))
            judged.reason = unlikeness(row);
        if (!judged.reason.empty()) return judged;
    }
    judged.value =
        std::visit([&rows](const auto& quantity) { return measure(quantity, rows); }, claim.quantity);
    const double low = claim.low.value_or(-std::numeric_limits<double>::infinity());
    const double high = claim.high.value_or(std::numeric_limits<double>::infinity());
    const Interval& interval = judged.value.interval;
    if (judged.value.count == 0 || !std::isfinite(interval.low) || !std::isfinite(interval.high)) {
        judged.reason =
            std::holds_alternative<ScoreRatio>(claim.quantity) ? "a score is zero" : "a time is zero";
    } else if (low <= interval.low && interval.high <= high) {
        judged.verdict = Verdict::Holds;
    } else if (interval.high < low || high < interval.low) {
        judged.verdict = Verdict::HoldsNoLonger;
        judged.reason = claim.otherwise;
    } else {
        judged.verdict = Verdict::Undecided;
        judged.reason = std::holds_alternative<ScoreRatio>(claim.quantity)
                            ? "it holds for some and not for others"
                            : "the interval of the median crosses the limit";
    }
    return judged;
}

std::string valueText(const JudgedClaim& claim) {
    const auto text = [&claim](double value) {
        if (std::holds_alternative<Seconds>(claim.claim.quantity)) return formatSeconds(value);
        return formatNumber(value);
    };
    const bool isFactor = !std::holds_alternative<Seconds>(claim.claim.quantity) &&
                          !std::holds_alternative<Exponent>(claim.claim.quantity);
    const std::string sign = isFactor ? " ×" : "";
    return fmt::format("{}{} ({} … {})", text(claim.value.median), sign, text(claim.value.interval.low),
                       text(claim.value.interval.high));
}

}  // namespace glycine::study
