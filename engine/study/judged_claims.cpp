#include "engine/study/judged_claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "engine/core/quantity.hpp"

namespace glycine::study {

namespace {

/// "2 of 4 threads", for a row with fewer threads than published.
std::string threadsText(const FigureRow& row) {
    return fmt::format("{} of {}", row.threads, formatCount(row.published.threads, "thread"));
}

/// Why the row cannot take part; empty if it can.
std::string obstacle(const FigureRow& row) {
    if (row.hasTime()) return {};
    const std::string name = fmt::format("{}, {}", row.published.method, row.problem);
    if (row.isWrong) return fmt::format("{}: wrong result", name);
    return fmt::format("{}: {}", name, row.skipped.empty() ? "not measured within the budget" : row.skipped);
}

/// Whether the row lacks nothing but time.
bool lacksTime(const FigureRow& row) {
    return !row.hasTime() && !row.isWrong && (row.skipped.empty() || !row.cutShort.empty());
}

/// Why the row's time is not comparable with the publication's; empty if it is.
std::string unlikeness(const FigureRow& row) {
    return row.device.isSoftware
               ? fmt::format("there is no GPU, the renderer is software ({})", row.device.device)
               : "";
}

bool isSameRun(const FigureRow& one, const FigureRow& other) {
    return one.published.problem == other.published.problem && one.threads == other.threads &&
           one.published.configuration.label() == other.published.configuration.label();
}

/// Share of a stage in another row's time, or in the whole run, if one of both times is extrapolated. Fits
/// the stage and the rest separately, so that the share stays below 1.
std::optional<Statistics> fittedShare(const FigureRow& part, const FigureRow& whole,
                                      const std::vector<FigureRow>& rows) {
    const std::string &stage = part.published.stage, &all = whole.published.stage;
    const bool isPart =
        all.empty() ? !stage.empty() : ("+" + all + "+").find("+" + stage + "+") != std::string::npos;
    if (!isPart || stage == all || !isSameRun(part, whole)) return {};
    std::vector<FigureRow> rests;
    for (const FigureRow& row : rows) {
        if (row.published.stage != all || !row.hasTime() || !row.fit.empty()) continue;
        const auto own = std::ranges::find_if(rows, [&](const FigureRow& other) {
            return other.published.stage == stage && other.hasTime() && isSameRun(row, other);
        });
        if (own == rows.end()) continue;
        std::vector<double> samples = row.total.seconds.samples;
        for (std::size_t i = 0; i < samples.size(); ++i) samples[i] -= own->total.seconds.samples[i];
        if (std::ranges::min(samples) <= 0) continue;  // the clock is too coarse
        rests.push_back(row);
        rests.back().total.seconds = summarize(std::move(samples));
    }
    std::string fit;
    const std::optional<Statistics> rest = extrapolated(whole, rests, fit);
    if (!rest) return {};
    const Statistics& own = part.total.seconds;
    Statistics value;
    value.count = std::min(own.count, rest->count);
    value.minimum = value.maximum = value.median = own.median / (own.median + rest->median);
    value.interval = {own.interval.low / (own.interval.low + rest->interval.high),
                      own.interval.high / (own.interval.high + rest->interval.low),
                      std::min(own.interval.confidence, rest->interval.confidence)};
    return value;
}

Statistics measure(const Ratio& ratio, const std::vector<FigureRow>& rows) {
    const FigureRow& slow = rowOf(ratio.slow, rows);
    const FigureRow& fast = rowOf(ratio.fast, rows);
    if (!ratio.perWork && !(slow.fit.empty() && fast.fit.empty()))
        if (const std::optional<Statistics> share = fittedShare(slow, fast, rows)) return *share;
    const double scale = ratio.perWork && slow.total.work > 0 ? fast.total.work / slow.total.work : 1;
    if (slow.published.problem == fast.published.problem && slow.fit.empty() && fast.fit.empty()) {
        std::vector<double> values = quotients(slow.total.seconds.samples, fast.total.seconds.samples);
        for (double& value : values) value *= scale;
        return summarize(std::move(values));
    }
    // Times of different rounds, or extrapolated ones: the widest interval that both intervals allow.
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
        rounds = std::max(rounds, rowOf(key, rows).total.seconds.samples.size());
    std::vector<double> exponents;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<std::pair<double, double>> points;
        for (const std::string& key : exponent.rows) {
            const FigureRow& row = rowOf(key, rows);
            // Long runs have fewer rounds; their times vary the least, so samples are reused. An extrapolated
            // row has one sample, whatever its count.
            const std::vector<double>& samples = row.total.seconds.samples;
            if (samples.empty()) return {};
            const double seconds = samples[round % samples.size()];
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

/// The widest interval that both intervals allow.
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

/// "cpu grouped stands for MIBE": rows that replace unavailable programs; empty if there are none.
std::string standInsOf(const Quantity& quantity, const std::vector<FigureRow>& rows) {
    std::vector<std::string> all;
    for (const std::string& key : keysOf(quantity)) {
        const FigureRow& row = rowOf(key, rows);
        if (row.published.standsFor.empty()) continue;
        std::string text = fmt::format("{} stands for {}", standIn(row), row.published.standsFor);
        if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

/// The fits of a claim's extrapolated times.
std::string fitsOf(const Quantity& quantity, const std::vector<FigureRow>& rows) {
    std::string text;
    for (const std::string& key : keysOf(quantity))
        if (const FigureRow& row = rowOf(key, rows); !row.fit.empty())
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", row.published.method, row.fit);
    return text;
}

/// Statistics of exact values, which involve no chance.
Statistics exactly(std::vector<double> values) {
    Statistics exact = summarize(std::move(values));
    exact.interval = {exact.minimum, exact.maximum, 1};
    return exact;
}

Statistics measure(const Printed& printed, const std::vector<FigureRow>&) {
    return exactly(printed.shares);
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
    return exactly(std::move(ratios));
}

}  // namespace

std::string standIn(const FigureRow& row) {
    if (row.isPaperAlone()) return {};
    const Configuration& c = row.configuration;
    std::string text = c.variant.empty() ? c.backend : fmt::format("{}/{}", c.backend, c.variant);
    if (c.dialect) text += " " + c.dialectName();
    if (row.hasFewerThreads())
        text += ", " + threadsText(row);
    else if (row.threads > 0)
        text += ", " + formatCount(row.threads, "thread");
    if (row.device.isSoftware) text += " (software renderer)";
    return text;
}

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
    if (const auto* seconds = std::get_if<Seconds>(&quantity)) return {seconds->row};
    return {};
}

std::optional<Statistics> extrapolated(const FigureRow& row, const std::vector<FigureRow>& rows,
                                       std::string& fit) {
    const auto isSmaller = [&row](const FigureRow& other, std::size_t d) {
        if (!other.hasTime() || !other.fit.empty() || other.threads != row.threads ||
            other.published.stage != row.published.stage ||
            other.published.configuration.label() != row.published.configuration.label() ||
            other.dimensions.size() != row.dimensions.size())
            return false;
        for (std::size_t k = 0; k < row.dimensions.size(); ++k)
            if (k == d ? other.dimensions[k].second >= row.dimensions[k].second
                       : other.dimensions[k] != row.dimensions[k])
                return false;
        return true;
    };
    for (std::size_t d = 0; d < row.dimensions.size(); ++d) {
        std::map<std::size_t, const Statistics*, std::greater<>> smaller;
        for (const FigureRow& other : rows)
            if (isSmaller(other, d)) smaller[other.dimensions[d].second] = &other.total.seconds;
        // Uses the largest sizes that lie apart: between close sizes, timing noise dominates the exponent.
        constexpr std::size_t kFitted = 3;
        constexpr double kApart = 1.4;
        std::vector<std::pair<double, double>> points;
        std::vector<std::string> sizes;
        for (const auto& [size, seconds] : smaller) {
            const double place = std::log(double(size));
            if (points.size() == kFitted ||
                (!points.empty() && points.back().first - place < std::log(kApart)))
                continue;
            points.emplace_back(place, std::log(seconds->median));
            sizes.push_back(formatCount(size));
        }
        if (points.size() < kFitted) continue;
        std::ranges::reverse(sizes);
        const double steps[] = {slopeOf({points[0], points[1]}), slopeOf({points[1], points[2]})};
        const double exponent = slopeOf(points);
        const double growth = double(row.dimensions[d].second) / double(smaller.begin()->first);
        const Statistics& largest = *smaller.begin()->second;
        const auto [least, most] = std::ranges::minmax(steps);
        Statistics value;
        value.count = largest.count;
        value.minimum = value.maximum = value.median = largest.median * std::pow(growth, exponent);
        value.interval = {largest.interval.low * std::pow(growth, least),
                          largest.interval.high * std::pow(growth, most), largest.interval.confidence};
        value.samples = {value.median};
        fit =
            fmt::format("extrapolated from {} {}: time ~ {}^{:.2f} ({:.2f} … {:.2f})", fmt::join(sizes, ", "),
                        row.dimensions[d].first, row.dimensions[d].first, exponent, least, most);
        return value;
    }
    return {};
}

std::vector<std::vector<JudgedClaim>> sentencesOf(const std::vector<JudgedClaim>& claims) {
    std::vector<std::vector<JudgedClaim>> all;
    for (const JudgedClaim& judged : claims) {
        const auto isAnother = [&judged](const JudgedClaim& last) {
            return last.claim.text != judged.claim.text || last.claim.place != judged.claim.place;
        };
        if (all.empty() || isAnother(all.back().front())) all.emplace_back();
        all.back().push_back(judged);
    }
    return all;
}

std::string gpuOf(const Claim& claim) {
    const std::string head = claim.column.substr(0, claim.column.find(','));
    return head == "gl" || head == "cuda" ? head : "";
}

std::vector<std::vector<JudgedClaim>> partsOf(const std::vector<JudgedClaim>& sentence) {
    std::vector<std::vector<JudgedClaim>> parts;
    for (const JudgedClaim& one : sentence) {
        const auto part = std::ranges::find_if(
            parts, [&one](const auto& own) { return gpuOf(own.front().claim) == gpuOf(one.claim); });
        if (part == parts.end())
            parts.push_back({one});
        else
            part->push_back(one);
    }
    if (parts.size() > 1 && isDecided(verdictOn(sentence)))
        std::erase_if(parts, [](const auto& part) { return gpuOf(part.front().claim).empty(); });
    return parts;
}

std::string differenceIn(const std::vector<JudgedClaim>& sentence) {
    const auto casesWith = [&sentence](Verdict verdict) {
        std::vector<std::string> names;
        for (const JudgedClaim& one : sentence)
            if (one.verdict == verdict)
                names.push_back(one.claim.column.empty() ? "one case" : one.claim.column);
        return fmt::format("{} ({})", toString(verdict), fmt::join(names, "; "));
    };
    return fmt::format("{}, {}", casesWith(Verdict::Holds), casesWith(Verdict::HoldsNoLonger));
}

Verdict verdictOn(const std::vector<JudgedClaim>& sentence) {
    const auto has = [&sentence](Verdict verdict) {
        return std::ranges::count(sentence, verdict, &JudgedClaim::verdict) > 0;
    };
    if (has(Verdict::Holds) && has(Verdict::HoldsNoLonger)) return Verdict::Differs;
    Verdict verdict = Verdict::Untested;
    for (const JudgedClaim& judged : sentence) {
        if (isDecided(judged.verdict)) return judged.verdict;
        if (judged.verdict == Verdict::Undecided) verdict = Verdict::Undecided;
    }
    return verdict;
}

bool toleratesFewerThreads(const Claim& claim, const std::vector<FigureRow>& rows) {
    if (std::holds_alternative<ScoreRatio>(claim.quantity)) return true;
    const auto* ratio = std::get_if<Ratio>(&claim.quantity);
    if (ratio == nullptr) return false;
    const PublishedRow& slow = rowOf(ratio->slow, rows).published;
    const PublishedRow& fast = rowOf(ratio->fast, rows).published;
    return slow.threads == fast.threads && slow.configuration.backend == "cpu" &&
           fast.configuration.backend == "cpu";
}

void fitThreads(std::vector<FigureRow>& rows, const std::vector<Claim>& claims, int processors) {
    std::set<std::string> tolerated;
    for (const Claim& claim : claims)
        if (toleratesFewerThreads(claim, rows))
            std::ranges::copy(keysOf(claim.quantity), std::inserter(tolerated, tolerated.end()));
    for (FigureRow& row : rows) {
        if (processors == 0 || row.threads <= processors) continue;
        if (tolerated.contains(row.published.key))
            row.threads = processors;
        else
            row.skipped =
                fmt::format("this machine has {}", formatCount(std::size_t(processors), "processor"));
    }
}

JudgedClaim judge(const Claim& claim, const std::vector<FigureRow>& rows, const Facts& facts) {
    JudgedClaim judged{claim, Verdict::Untested, {}, {}};
    const auto* fact = std::get_if<Fact>(&claim.quantity);
    if (fact != nullptr && !facts.counted.contains(fact->name)) {
        judged.reason =
            "it was not counted here" + (facts.missing.empty() ? "" : fmt::format(": {}", facts.missing));
        return judged;
    }
    const bool isOfResults =
        std::holds_alternative<ScoreRatio>(claim.quantity) || std::holds_alternative<Printed>(claim.quantity);
    const std::vector<std::string> keys = keysOf(claim.quantity);
    std::string unmeasured;  // more time would help
    for (const std::string& key : keys) {
        const FigureRow& row = rowOf(key, rows);
        if (lacksTime(row)) {
            if (unmeasured.empty()) unmeasured = obstacle(row);
        } else {
            judged.reason = obstacle(row);
        }
        if (judged.reason.empty() && !isOfResults) judged.reason = unlikeness(row);
        if (judged.reason.empty() && row.hasFewerThreads() && !toleratesFewerThreads(claim, rows))
            judged.reason = fmt::format("{} ran with {}", row.published.method, threadsText(row));
        if (!judged.reason.empty()) return judged;
    }
    if (!unmeasured.empty()) {
        judged.verdict = Verdict::Undecided;
        judged.reason = unmeasured;
        return judged;
    }
    const auto measureQuantity = [&]<class T>(const T& quantity) {
        if constexpr (std::is_same_v<T, Fact>)
            return exactly({facts.counted.at(quantity.name).value});
        else
            return measure(quantity, rows);
    };
    judged.value = std::visit(measureQuantity, claim.quantity);
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
        judged.reason = isOfResults ? "it holds for some and not for others"
                                    : "the interval of the median crosses the limit";
    }
    const std::string standIns = standInsOf(claim.quantity, rows);
    if (isDecided(judged.verdict) && !standIns.empty()) {
        judged.reason =
            fmt::format("{}: it {}{}", standIns, judged.verdict == Verdict::Holds ? "holds" : "does not hold",
                        judged.reason.empty() ? "" : "; " + judged.reason);
        judged.verdict = Verdict::AgainstStandIns;
    }
    const auto add = [&judged](const std::string& remark) {
        if (!remark.empty()) judged.reason += (judged.reason.empty() ? "" : "; ") + remark;
    };
    add(fitsOf(claim.quantity, rows));
    if (fact != nullptr) add(facts.counted.at(fact->name).origin);
    const auto fewer = std::ranges::find_if(
        keys, [&rows](const std::string& key) { return rowOf(key, rows).hasFewerThreads(); });
    if (!isOfResults && standIns.empty() && fewer != keys.end())
        add("with " + threadsText(rowOf(*fewer, rows)));
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
    // A counted value may be a plain number (14 registers) rather than a factor.
    if (std::holds_alternative<Fact>(claim.claim.quantity))
        return text(claim.value.median) + (claim.claim.paper.ends_with("×") ? sign : "") + ", counted";
    return fmt::format("{}{} ({} … {})", text(claim.value.median), sign, text(claim.value.interval.low),
                       text(claim.value.interval.high));
}

}  // namespace glycine::study
