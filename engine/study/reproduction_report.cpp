#include "engine/study/reproduction_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <span>

#include "engine/core/quantity.hpp"
#include "engine/study/reports/answer.hpp"

namespace glycine::study {

namespace {

/// A line of the table: the rows of one method on one problem, each with the time of another stage.
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

/// "the cube (43.2)"; the text alone for a claim without a place, which cannot be tested at all.
std::string sentenceText(const Claim& claim) {
    return claim.place.empty() ? claim.text : fmt::format("{} ({})", claim.text, claim.place);
}

std::string claimText(const JudgedClaim& judged) {
    std::string text = sentenceText(judged.claim);
    if (!judged.claim.column.empty()) text = judged.claim.column + ": " + text;
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
    if (row.published.paperFactor > 0) {
        json["published"]["factor"] = row.published.paperFactor;
        json["published"]["over"] = row.published.over;
    }
    if (row.hasFewerThreads()) json["published"]["threads"] = row.published.threads;
    if (!row.published.standsFor.empty()) json["standsFor"] = row.published.standsFor;
    if (!row.fit.empty()) json["extrapolated"] = row.fit;
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
    if (!judged.claim.column.empty()) json["column"] = judged.claim.column;
    if (!judged.reason.empty()) json["reason"] = judged.reason;
    if (judged.claim.low) json["low"] = *judged.claim.low;
    if (judged.claim.high) json["high"] = *judged.claim.high;
    if (judged.value.count == 0) return json;
    json["value"] = judged.value.median;
    json["interval"] = {judged.value.interval.low, judged.value.interval.high};
    json["confidence"] = judged.value.interval.confidence;
    return json;
}

std::string measuredText(const FigureRow* row) {
    if (row != nullptr && !row->fit.empty())
        return fmt::format("≈ {}, by a fit", formatSeconds(row->total.seconds.median));
    return timeText(row == nullptr ? nullptr : row->time("total"));
}

/// "7.1 ×, 5.3 × here"; empty if no speed-up is printed.
std::string factorsText(Line line, const std::vector<FigureRow>& rows) {
    std::string text;
    for (const FigureRow& row : line) {
        if (row.published.paperFactor <= 0) continue;
        const FigureRow& slow = rowOf(row.published.over, rows);
        text +=
            fmt::format("{}{:g} ×, {}", text.empty() ? "" : "; ", row.published.paperFactor,
                        slow.hasTime() && row.hasTime()
                            ? formatNumber(slow.total.seconds.median / row.total.seconds.median) + " × here"
                            : "not measured");
    }
    return text;
}

/// "2,050", and the published value.
std::string rateText(const FigureRow& row) {
    const bool isMeasured = row.hasTime() && row.fit.empty() && row.total.bestRate() > 0;
    std::string text = isMeasured ? formatNumber(row.total.bestRate()) : "–";
    if (row.published.paperSeconds > 0 && row.published.paperWork > 0)
        text += fmt::format(" ({} published)",
                            formatNumber(row.published.paperWork / row.published.paperSeconds));
    return text;
}

std::vector<std::string> scoreNames(const std::vector<FigureRow>& rows) {
    std::vector<std::string> names;
    for (const FigureRow& row : rows)
        for (const Score& score : row.scores)
            if (std::ranges::find(names, score.name) == names.end()) names.push_back(score.name);
    return names;
}

std::string scoreText(const FigureRow& row, const std::string& name) {
    const auto found = std::ranges::find(row.scores, name, &Score::name);
    return found == row.scores.end() || !row.hasTime() ? "–" : formatNumber(found->value);
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
    // Text about a whole line uses its last row.
    TableOf<Line> table;
    table.add({figure.sizeLabel, Align::Right}, [](const Line& line) { return sizeText(line.back()); });
    table.add({"method"}, [](const Line& line) { return line.back().published.method; });
    table.add({"here"}, [](const Line& line) { return standIn(line.back()); });
    for (const std::string& stage : stages) {
        const auto isPrinted = [&stage](const FigureRow& row) {
            return row.published.stage == stage && row.published.paperSeconds > 0;
        };
        if (stage.empty() || std::ranges::any_of(rows, isPrinted))
            table.add({stage.empty() ? "published" : stage + " published", Align::Right},
                      [stage](const Line& line) -> std::string {
                          const FigureRow* row = findStage(line, stage);
                          const bool isPublished = row != nullptr && row->published.paperSeconds > 0;
                          return isPublished ? formatSeconds(row->published.paperSeconds) : "–";
                      });
        table.add({stage.empty() ? "measured" : stage + " measured", Align::Right},
                  [stage](const Line& line) { return measuredText(findStage(line, stage)); });
    }
    if (std::ranges::any_of(rows, [](const FigureRow& row) { return row.published.paperFactor > 0; }))
        table.add({"speed-up, published and measured"},
                  [this](const Line& line) { return factorsText(line, rows); });
    if (std::ranges::any_of(rows, [](const FigureRow& row) { return row.total.work > 0; }))
        table.add({figure.rateUnit, Align::Right}, [](const Line& line) { return rateText(line.back()); });
    if (std::ranges::any_of(rows, [](const FigureRow& row) { return row.ceilingShare() > 0; }))
        table.add({"of ceiling", Align::Right}, [](const Line& line) { return shareText(line.back()); });
    for (const std::string& name : scoreNames(rows))
        table.add({name, Align::Right}, [name](const Line& line) { return scoreText(line.back(), name); });
    table.add({"verified"}, [](const Line& line) {
        return line.back().isPaperAlone() ? "the publication's alone"
                                          : outcomeText(line.back(), "not measured");
    });
    table.print(out, linesOf(rows), width);
}

std::string ReproductionReport::verdictText() const {
    std::vector<FigureClaim> verdicts;
    for (const auto& sentence : sentences())
        verdicts.push_back({.verdict = std::string(toString(verdictOn(sentence)))});
    return verdicts.empty() ? "no claim" : verdictCounts(verdicts);
}

void ReproductionReport::print(std::ostream& out, std::size_t width) const {
    printHead(out,
              {{{"figure", fmt::format("{}: {}", figure.id, figure.title)},
                {"verdicts", verdictText()},
                {"scale", scaleText()}}},
              width);
    out << '\n';
    printRows(out, width);
    Fields verdicts;
    for (const JudgedClaim& judged : claims)
        verdicts.emplace_back(toString(judged.verdict), claimText(judged));
    for (const auto& [text, reason] : figure.untested)
        verdicts.emplace_back(toString(Verdict::Untested), fmt::format("{}: {}", text, reason));
    if (!verdicts.empty()) {
        out << "\nClaims of the publication, and verdicts here\n";
        printFields(out, verdicts, width, "  ");
    }
    for (const auto& sentence : sentences())
        if (verdictOn(sentence) == Verdict::Differs)
            out << fmt::format("  {}: {}: {}\n", toString(Verdict::Differs),
                               sentenceText(sentence.front().claim), differenceIn(sentence));
    out << '\n';
    for (const std::string& note : notes) out << "Note: " << note << '\n';
    printConditions(out, conditions, cutShort);
    printHead(out,
              {{{"source", figure.source}, {"about", figure.about}},
               environmentFields(environment),
               conditionFields(conditions),
               settings,
               deviceFields()},
              width);
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
    json["sentences"] = jsonArray(sentences(), [](const std::vector<JudgedClaim>& sentence) {
        const Verdict verdict = verdictOn(sentence);
        Json one{{"claim", sentence.front().claim.text},
                 {"place", sentence.front().claim.place},
                 {"verdict", toString(verdict)},
                 {"cases", sentence.size()}};
        if (verdict == Verdict::Differs) one["difference"] = differenceIn(sentence);
        return one;
    });
    if (!notes.empty()) json["notes"] = notes;
    return json;
}

std::vector<std::vector<JudgedClaim>> ReproductionReport::sentences() const {
    std::vector<std::vector<JudgedClaim>> all = sentencesOf(claims);
    for (const auto& [text, reason] : figure.untested) {
        JudgedClaim untested;
        untested.claim.text = text;
        untested.reason = reason;
        all.push_back({std::move(untested)});
    }
    return all;
}

DocumentTable ReproductionReport::claimsTable() const {
    const bool hasGpus =
        std::ranges::any_of(claims, [](const JudgedClaim& judged) { return !gpuOf(judged.claim).empty(); });
    DocumentTable table{{"claim", "published", "on", "here"}, {}, {false, true, false, true}};
    if (hasGpus) table.head.insert(table.head.end(), {"gl", "cuda"});
    table.head.insert(table.head.end(), {"verdict", "why"});
    const auto hereText = [](const JudgedClaim& judged) {
        return judged.value.count > 0 ? valueText(judged) : std::string("–");
    };
    for (const auto& sentence : sentences()) {
        // Cases that differ in the backend alone, in order.
        std::vector<std::pair<std::string, std::vector<JudgedClaim>>> lines;
        for (const JudgedClaim& judged : sentence) {
            const std::string gpu = gpuOf(judged.claim);
            std::string on = judged.claim.column;
            if (!gpu.empty()) on.erase(0, std::min(gpu.size() + 2, on.size()));
            const auto line = std::ranges::find_if(lines, [&](const auto& other) {
                return !gpu.empty() && other.first == on && !gpuOf(other.second.front().claim).empty() &&
                       std::ranges::none_of(
                           other.second, [&gpu](const JudgedClaim& own) { return gpuOf(own.claim) == gpu; });
            });
            if (line == lines.end())
                lines.emplace_back(on, std::vector{judged});
            else
                line->second.push_back(judged);
        }
        for (const auto& [on, cases] : lines) {
            const Claim& claim = cases.front().claim;
            const bool isOfGpus = !gpuOf(claim).empty();
            std::vector<std::string>& cells = table.rows.emplace_back();
            cells = {sentenceText(claim), claim.paper, on, isOfGpus ? "" : hereText(cases.front())};
            std::string why;
            for (const std::string gpu : {"gl", "cuda"}) {
                if (!hasGpus) break;
                const auto own = std::ranges::find_if(
                    cases, [&gpu](const JudgedClaim& one) { return gpuOf(one.claim) == gpu; });
                const bool isJudged = own != cases.end();
                cells.push_back(isJudged ? fmt::format("{}: {}", hereText(*own), toString(own->verdict))
                                         : "");
                if (isJudged && !own->reason.empty())
                    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", gpu, own->reason);
            }
            cells.emplace_back(toString(verdictOn(cases)));
            cells.push_back(isOfGpus ? why : cases.front().reason);
        }
    }
    return table;
}

void ReproductionReport::describe(Document& document, std::vector<DocumentChart> charts) const {
    document.section(fmt::format("{}: {}", figure.id, figure.title));
    document.answer("Verdicts", verdictText() + ".");
    document.charts(std::move(charts));
    DocumentTable times{
        {"problem", "method", "here", "stage", "published", "measured", "speed-up, published and measured"},
        {},
        {false, false, false, false, true, true, true}};
    const bool hasRates = std::ranges::any_of(rows, [](const FigureRow& row) { return row.total.work > 0; });
    if (hasRates) times.head.push_back(figure.rateUnit);
    const std::vector<std::string> scores = scoreNames(rows);
    times.head.insert(times.head.end(), scores.begin(), scores.end());
    times.isNumber.resize(times.head.size(), true);
    for (const FigureRow& row : rows) {
        times.rows.push_back(
            {row.problem, row.published.method, standIn(row), row.published.stage,
             row.published.paperSeconds > 0 ? formatSeconds(row.published.paperSeconds) : "–",
             row.isPaperAlone() ? "–"
             : row.hasTime()    ? measuredText(&row)
                                : outcomeText(row, "not measured"),
             factorsText({&row, 1}, rows)});
        std::vector<std::string>& cells = times.rows.back();
        if (hasRates) cells.push_back(rateText(row));
        for (const std::string& name : scores) cells.push_back(scoreText(row, name));
    }
    document.table("Times", std::move(times));
    document.table("Claims", claimsTable());
    for (const auto& sentence : sentences())
        if (verdictOn(sentence) == Verdict::Differs)
            document.paragraph(
                fmt::format("{} differs: {}.", sentenceText(sentence.front().claim), differenceIn(sentence)));
    document.paragraph(figure.source + ". " + figure.about);
    if (scale == Scale::Quick) document.paragraph(scaleText());
    if (const std::string busy = busyLine(conditions); !busy.empty()) document.warning(busy);
    if (!cutShort.empty()) document.warning("Not finished: " + cutShort);
}

}  // namespace glycine::study
