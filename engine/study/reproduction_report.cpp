#include "engine/study/reproduction_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <span>
#include <stdexcept>

#include "engine/core/quantity.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::study {

namespace {

constexpr picture::Color kPaperColor{172, 178, 190};
constexpr picture::Color kMeasuredColor{24, 124, 140};

/// The rows of one method on one problem, each with the time of another stage: a line of the table.
using Line = std::span<const FigureRow>;

std::vector<Line> linesOf(const std::vector<FigureRow>& rows) {
    std::vector<Line> lines;
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        const PublishedRow& first = rows[begin].published;
        while (end < rows.size() && rows[end].published.problem == first.problem &&
               rows[end].published.method == first.method)
            ++end;
        lines.emplace_back(rows.data() + begin, end - begin);
    }
    return lines;
}

const FigureRow* findStage(Line line, const std::string& stage) {
    const auto found =
        std::ranges::find(line, stage, [](const FigureRow& row) { return row.published.stage; });
    return found == line.end() ? nullptr : &*found;
}

/// "cpu/dense, 1 thread", "gl/packed gl33 (software renderer)"; empty for a time of the publication alone.
std::string standIn(const FigureRow& row) {
    if (row.isPaperAlone()) return {};
    const Configuration& c = row.configuration;
    std::string text = c.variant.empty() ? c.backend : fmt::format("{}/{}", c.backend, c.variant);
    if (c.dialect) text += " " + c.dialectName();
    if (row.threads > 0) text += ", " + formatCount(row.threads, "thread");
    if (row.device.isSoftware) text += " (software renderer)";
    return text;
}

std::string claimText(const JudgedClaim& judged) {
    std::string text = fmt::format("{} ({})", judged.claim.text, judged.claim.place);
    if (!judged.claim.paper.empty()) text += fmt::format(": {} published", judged.claim.paper);
    if (judged.value.count > 0) text += fmt::format(", {} here", valueText(judged));
    if (!judged.reason.empty()) text += "; " + judged.reason;
    return text;
}

Json toJson(const FigureRow& row, const std::string& rateUnit) {
    Json json{{"problem", row.problem}, {"method", row.published.method}, {"stage", row.published.stage}};
    addDimensions(json, row);
    if (row.published.paperSeconds > 0)
        json["published"] = {{"seconds", row.published.paperSeconds}, {"work", row.published.paperWork}};
    if (row.isPaperAlone()) return json;
    addToJson(json, row);
    if (row.device.isSoftware) json["softwareRenderer"] = row.device.device;
    if (!row.hasTime()) return json;
    for (const Score& score : row.scores) json["scores"][score.name] = score.value;
    json["seconds"] = glycine::toJson(row.total.seconds);
    addCeilings(json, row);
    if (row.total.bestRate() > 0)
        json["rate"] = {
            {"unit", rateUnit}, {"best", row.total.bestRate()}, {"median", row.total.medianRate()}};
    return json;
}

Json toJson(const JudgedClaim& judged) {
    Json json{{"claim", judged.claim.text},
              {"place", judged.claim.place},
              {"published", judged.claim.paper},
              {"verdict", toString(judged.verdict)}};
    if (!judged.reason.empty()) json["reason"] = judged.reason;
    if (judged.claim.low) json["low"] = *judged.claim.low;
    if (judged.claim.high) json["high"] = *judged.claim.high;
    if (judged.value.count == 0) return json;
    json["value"] = judged.value.median;
    json["interval"] = {judged.value.interval.low, judged.value.interval.high};
    json["confidence"] = judged.value.interval.confidence;
    return json;
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

std::string ReproductionReport::scaleText() const {
    return scale == Scale::Published ? "as published" : "QUICK, for a small machine: " + figure.quick;
}

void ReproductionReport::printRows(std::ostream& out, std::size_t width) const {
    std::vector<std::string> stages;
    for (const FigureRow& row : rows)
        if (std::ranges::find(stages, row.published.stage) == stages.end())
            stages.push_back(row.published.stage);
    // What is said of a line as a whole is said of its last row.
    TableOf<Line> table;
    table.add({figure.sizeLabel, Align::Right}, [](const Line& line) { return sizeText(line.back()); });
    table.add({"method"}, [](const Line& line) { return line.back().published.method; });
    table.add({"here"}, [](const Line& line) { return standIn(line.back()); });
    for (const std::string& stage : stages) {
        table.add({stage.empty() ? "published" : stage + " published", Align::Right},
                  [stage](const Line& line) -> std::string {
                      const FigureRow* row = findStage(line, stage);
                      const bool isPublished = row != nullptr && row->published.paperSeconds > 0;
                      return isPublished ? formatSeconds(row->published.paperSeconds) : "–";
                  });
        table.add({"measured", Align::Right}, [stage](const Line& line) {
            const FigureRow* row = findStage(line, stage);
            return timeText(row == nullptr ? nullptr : row->time("total"));
        });
    }
    if (std::ranges::any_of(rows, [](const FigureRow& row) { return row.total.work > 0; }))
        table.add({figure.rateUnit, Align::Right}, [](const Line& line) -> std::string {
            const FigureRow& row = line.back();
            return row.hasTime() && row.total.bestRate() > 0 ? formatNumber(row.total.bestRate()) : "–";
        });
    if (std::ranges::any_of(rows, [](const FigureRow& row) { return row.ceilingShare() > 0; }))
        table.add({"of ceiling", Align::Right}, [](const Line& line) { return shareText(line.back()); });
    std::vector<std::string> scores;
    for (const FigureRow& row : rows)
        for (const Score& score : row.scores)
            if (std::ranges::find(scores, score.name) == scores.end()) scores.push_back(score.name);
    for (const std::string& name : scores)
        table.add({name, Align::Right}, [name](const Line& line) -> std::string {
            const auto& all = line.back().scores;
            const auto found = std::ranges::find(all, name, &Score::name);
            return found == all.end() || !line.back().hasTime() ? "–" : formatNumber(found->value);
        });
    table.add({"verified"}, [](const Line& line) {
        return line.back().isPaperAlone() ? "the publication's alone"
                                          : outcomeText(line.back(), "not measured");
    });
    table.print(out, linesOf(rows), width);
}

void ReproductionReport::print(std::ostream& out, std::size_t width) const {
    out << busyLine(conditions);
    printHead(out,
              {{{"figure", fmt::format("{}: {}", figure.id, figure.title)},
                {"source", figure.source},
                {"scale", scaleText()},
                {"about", figure.about}},
               environmentFields(environment),
               conditionFields(conditions),
               settings,
               deviceFields()},
              width);
    printRows(out, width);
    if (!cutShort.empty()) out << "\nNot finished: " << cutShort << '\n';
    Fields verdicts;
    for (const JudgedClaim& judged : claims)
        verdicts.emplace_back(toString(judged.verdict), claimText(judged));
    for (const auto& [text, reason] : figure.untested)
        verdicts.emplace_back(toString(Verdict::Untested), fmt::format("{}: {}", text, reason));
    if (verdicts.empty()) return;
    out << "\nWhat the publication says, and what became of it here\n";
    printFields(out, verdicts, width, "  ");
}

Json ReproductionReport::toJson() const {
    Json json{{"command", "reproduce"},  {"figure", figure.id},   {"title", figure.title},
              {"source", figure.source}, {"about", figure.about}, {"scale", toString(scale)},
              {"scaled", scaleText()}};
    addTo(json);
    addToJson(json, conditions);
    json["sizeLabel"] = figure.sizeLabel;
    json["rows"] = jsonArray(rows, [&](const auto& row) { return study::toJson(row, figure.rateUnit); });
    json["claims"] = jsonArray(claims, [](const auto& judged) { return study::toJson(judged); });
    for (const auto& [text, reason] : figure.untested)
        json["claims"].push_back(
            {{"claim", text}, {"verdict", toString(Verdict::Untested)}, {"reason", reason}});
    return json;
}

void ReproductionReport::draw(const std::filesystem::path& path) const {
    std::vector<picture::BarGroup> groups;
    std::size_t problem = 0;
    const auto add = [&](const FigureRow& row, const std::string& label, const picture::Bar& paper,
                         const picture::Bar& measured) {
        picture::BarGroup& group = groups.emplace_back();
        group.label = label;
        if (groups.size() == 1 || row.published.problem != problem) group.heading = row.problem;
        problem = row.published.problem;
        group.bars = {paper, measured};
    };
    for (const Line line : linesOf(rows)) {
        const FigureRow& row = line.back();
        picture::Bar paper, measured;
        if (row.published.paperSeconds > 0) paper.value = row.published.paperSeconds;
        if (row.hasTime() && row.total.seconds.minimum > 0)
            measured.value = row.total.seconds.minimum;
        else if (!row.isPaperAlone())
            measured.note = row.isWrong ? "wrong result: not timed" : "not measured: " + row.skipped;
        if (!row.device.isSoftware) {
            add(row, row.published.method, paper, measured);
            continue;
        }
        // What a publication calls a GPU is none here: its time stands alone, and ours under its own name.
        if (paper.value) add(row, row.published.method + ", published", paper, {});
        add(row, standIn(row), {}, measured);
    }
    picture::BarChartOptions options;
    options.title = figure.title;
    options.axisLabel = "time, best run";
    options.valueText = formatSeconds;
    options.tickText = formatPowerOfSeconds;
    options.footer = {"Published: " + figure.source, "Here: " + scaleText(),
                      environment.build + "; " + environment.processor};
    for (const DeviceDescription& device : devices)
        options.footer.push_back(fmt::format("{}: {}{}", deviceField(device).first, device.device,
                                             device.isSoftware ? ", a software renderer: no GPU" : ""));
    if (const std::string busy = conditions.disturbance(); !busy.empty())
        options.footer.push_back("Busy machine: " + busy);
    picture::writeBarChart(path, {{"published", kPaperColor}, {"measured here", kMeasuredColor}}, groups,
                           options);
}

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
