#include "engine/study/reports/study_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/quantity.hpp"
#include "engine/study/figure_charts.hpp"
#include "engine/study/reports/answer.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_charts.hpp"
#include "engine/study/subject.hpp"

namespace glycine::study {

namespace {

std::string machineNumber(double value) {
    return value == 0 ? "" : fmt::format("{}", value);
}

DocumentTable fieldsTable(const Fields& fields) {
    DocumentTable table{{"what", "value"}};
    for (const auto& [name, value] : fields) table.rows.push_back({name, value});
    return table;
}

/// The list that opens the page: fastest configurations, agreement, verdicts on published claims.
void addAnswers(Document& document, const std::vector<Answer>& answers,
                const std::vector<ComparedRow>& compared, const std::vector<FigureClaim>& claims) {
    for (const Answer& answer : headlinesOf(answers)) document.answer(answer.subject(), answer.text());
    const auto countOf = [&](Agreement agreement) {
        return static_cast<std::size_t>(std::ranges::count(compared, agreement, &ComparedRow::agreement));
    };
    const std::size_t equal = countOf(Agreement::Equal), within = countOf(Agreement::Within),
                      wrong = countOf(Agreement::Wrong);
    if (equal + within + wrong > 0)
        document.answer(
            "Agreement with the serial reference",
            fmt::format("{}: {} equal to the bit, {} within their tolerance, {} wrong.",
                        formatCount(equal + within + wrong, "configuration"), equal, within, wrong));
    if (!claims.empty()) document.answer("Published figures", verdictCounts(claims) + ".");
    if (document.blocks.empty()) document.answer("Nothing", "was compared or timed in this study.");
}

void addRatios(Document& document, const std::vector<Answer>& answers, const std::vector<TimedRow>& times,
               const StudyReport& report) {
    if (answers.empty()) return;
    document.section("Ratios");
    const bool hasReference =
        std::ranges::any_of(answers, [](const Answer& answer) { return answer.reference.has_value(); });
    document.paragraph(
        std::string("Medians of verified runs that took turns. A ratio is that of two medians, with the "
                    "widest interval "
                    "that their intervals allow; it is undecided if these overlap.") +
        (hasReference ? "" : " The serial reference was not timed: name it in --backend to add it."));
    document.table("The fastest configuration on each input", answersTable(answers), "fastest");
    document.table("The best configuration of each backend", backendsTable(times, report.devices),
                   "backends");
}

void addAgreement(Document& document, const StudyReport& report, const std::vector<ComparedRow>& compared,
                  const std::vector<TimedRow>& times, const std::filesystem::path& charts) {
    const auto ran = static_cast<std::size_t>(std::ranges::count_if(compared, [](const ComparedRow& row) {
        return row.agreement != Agreement::Skipped && row.agreement != Agreement::Declined;
    }));
    const auto timed = static_cast<std::size_t>(std::ranges::count_if(times, &TimedRow::hasTime));
    if (compared.empty() && timed == 0) return;
    document.section("Agreement");
    document.paragraph(fmt::format(
        "{} were compared with the serial reference, on inputs of awkward sizes; {} more could not run here. "
        "Only what "
        "agreed was timed: {}, each verified again where it was timed.",
        formatCount(ran, "configuration"), compared.size() - ran, formatCount(timed, "measurement")));
    for (const ComparedRow& row : compared)
        if (row.agreement == Agreement::Wrong)
            document.warning(
                fmt::format("WRONG: {} of {} disagrees with the reference ({}). It was not timed.",
                            row.contender.label(), row.algorithm, row.reason));
    for (const TimedRow& row : times)
        if (row.isWrong)
            document.warning(fmt::format("WRONG: {} on {}: {}. It has no time.", row.contender.label(),
                                         row.problem(), row.check));
    const std::vector<StudyReport> alone{report};
    for (const std::string& algorithm : report.algorithms()) {
        document.charts(agreementCharts(charts, algorithm, compared));
        document.charts(equalityCharts(charts, algorithm, alone));
    }
}

/// Settings and disturbance of each step that measured times.
void addConditions(Document& document, const StudyReport& report) {
    DocumentTable table{
        {"step", "others used of the processors", "loop longer by", "runs of a row differ by", "quiet"},
        {},
        {false, true, true, true}};
    readDoneSteps(report, [&](const StudyStepReport& step) {
        if (!step.result.contains("noise")) return;
        const Json& noise = step.result["noise"];
        const Json load = step.result.value("load", Json::object());
        const bool isKnown = load.contains("othersDuring") && load["othersDuring"].is_number();
        table.rows.push_back(
            {step.id, isKnown ? fmt::format("{:.0f} %", 100 * load["othersDuring"].get<double>()) : "unknown",
             fmt::format("{:.1f} %", 100 * noise.value("loop", 0.0)),
             fmt::format("{:.1f} %", 100 * noise.value("runSpread", 0.0)),
             step.busy.empty() ? "yes" : "NO: " + step.busy});
    });
    document.table("How quiet the machine was", std::move(table), "conditions", true);
}

/// Everything that limits what the figures say, after them.
void addWarnings(Document& document, const StudyReport& report) {
    document.section("Conditions and warnings");
    if (report.scale == "quick")
        document.warning(
            "A quick study: small inputs, few repetitions. It shows that everything works and which "
            "differences "
            "are large, not the times of large inputs.");
    std::vector<std::string> busy, cut;
    for (const StudyStepReport& step : report.steps) {
        if (!step.busy.empty()) busy.push_back(fmt::format("{} ({})", step.id, step.busy));
        if (step.isDone && !step.cutShort.empty())
            cut.push_back(fmt::format("{} ({})", step.id, step.cutShort));
    }
    if (!busy.empty())
        document.warning(fmt::format(
            "BUSY MACHINE during {}: {}. Other programs may have lengthened the times of these steps; "
            "intervals are widened by that share before anything is decided. Measure again on an idle "
            "machine "
            "before you publish a time.",
            formatCount(busy.size(), "step"), fmt::join(busy, "; ")));
    if (!cut.empty())
        document.warning(
            fmt::format("Not complete: {}: {}.", formatCount(cut.size(), "step"), fmt::join(cut, "; ")));
    for (const std::string& line : ceilingWarnings(report)) document.warning(line);
    if (report.scale != "quick" && busy.empty() && cut.empty() && report.raised.all().empty())
        document.paragraph("None: the machine was quiet, and no limit of time cut a step short.");
    addConditions(document, report);
}

void addMachine(Document& document, const StudyReport& report) {
    document.section("Machine and program");
    Fields fields{{"name", report.label}};
    fields.insert(fields.end(), report.environment.begin(), report.environment.end());
    for (const auto& [name, device] : report.devices) fields.emplace_back(name, device);
    for (const auto& [name, reason] : report.absent) fields.emplace_back(name, "not here: " + reason);
    document.table("", fieldsTable(fields), "machine");
}

std::string ratioText(const TimedRow& row, const TimedRow& best) {
    if (row.contender == best.contender) return "1 × (the best)";
    // Ratio to the best time.
    const double ratio = row.seconds.median / best.seconds.median;
    const Interval own = row.certainty(), other = best.certainty();
    if (own.low <= other.high) return fmt::format("undecided ({:.3g} ×)", ratio);
    return fmt::format("{:.3g} ×", ratio);
}

std::string checkText(const std::string& check, const std::string& cutShort) {
    return cutShort.empty() ? check : fmt::format("{}; {}", check, cutShort);
}

DocumentTable readableTimes(const std::vector<TimedRow>& rows, const std::string& algorithm) {
    DocumentTable table{
        {"problem", "configuration", "median", "interval", "runs", "rate (best)", "of the best", "verified"},
        {},
        {false, false, true, true, true, true, true, false}};
    const bool hasCeilings =
        std::ranges::any_of(rows, [](const TimedRow& row) { return row.ceilingShare > 0; });
    if (hasCeilings) {
        table.head.emplace_back("of the ceiling");
        table.isNumber.resize(table.head.size() - 1, false);
        table.isNumber.push_back(true);
    }
    const bool hasEnergy = std::ranges::any_of(rows, [](const TimedRow& row) { return !row.energy.empty(); });
    if (hasEnergy) table.head.emplace_back("energy of a run");
    const bool hasCautions = std::ranges::any_of(rows, [&](const TimedRow& row) {
        return row.algorithm == algorithm && row.hasTime() && !cautionsOf(row).empty();
    });
    if (hasCautions) table.head.emplace_back("caution");
    for (const TimedRow& row : rows) {
        if (row.algorithm != algorithm) continue;
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells = {row.curve() + ", " + row.size(),
                 row.contender.label() + (row.software.empty() ? "" : " (software renderer)")};
        if (!row.hasTime()) {
            cells.insert(cells.end(), {"–", "–", "–", "–", "–",
                                       row.isWrong ? "WRONG: " + row.check : "not run: " + row.skipped});
        } else {
            const TimedRow* best = &row;
            for (const TimedRow& other : rows)
                if (other.hasTime() && other.problem() == row.problem() &&
                    other.seconds.median < best->seconds.median)
                    best = &other;
            cells.insert(
                cells.end(),
                {formatSeconds(row.seconds.median),
                 fmt::format("{} … {}", formatSeconds(row.seconds.interval.low),
                             formatSeconds(row.seconds.interval.high)),
                 fmt::format("{}", row.seconds.count),
                 row.bestRate > 0 ? fmt::format("{} {}", formatNumber(row.bestRate), row.rateUnit) : "–",
                 ratioText(row, *best), row.check});
        }
        if (hasCeilings) cells.push_back(row.shareText());
        if (hasEnergy) cells.push_back(row.energy.empty() ? "–" : row.energy);
        if (hasCautions)
            cells.push_back(row.hasTime() ? fmt::format("{}", fmt::join(cautionsOf(row), "; "))
                                          : std::string());
    }
    return table;
}

/// The same text as TimedRow::shareText, for a row of a figure.
std::string figureShare(const Json& row) {
    const Json ceiling = row.value("ceiling", Json::object());
    TimedRow timed;
    timed.ceilingShare = ceiling.value("share", 0.0);
    timed.ceiling = ceiling.value("name", "");
    timed.raisedBy = ceiling.value("raisedBy", "");
    return timed.shareText();
}

void addClaims(Document& document, const StudyReport& report, const std::filesystem::path& charts) {
    const std::vector<FigureClaim> claims = report.claims();
    const bool hasFigures =
        std::ranges::any_of(report.steps, [](const StudyStepReport& step) { return step.kind == "figures"; });
    if (!hasFigures) return;
    document.section("Published figures and their claims");
    document.paragraph(
        "Tables and figures of publications, measured here with the counterparts of their methods. A verdict "
        "follows from the interval of the median. It is about this machine, not the publication's.");
    DocumentTable table{{"figure", "claim", "published", "here", "verdict", "why"},
                        {},
                        {false, false, true, true, false, false}};
    for (const FigureClaim& claim : claims)
        table.rows.push_back({claim.figure, (claim.column.empty() ? "" : claim.column + ": ") + claim.text(),
                              claim.published, claim.found(), claim.certainVerdict(), claim.reason});
    DocumentTable counts{{"figure", "what it shows"}, {}, {false, false}};
    for (const std::string_view verdict : kVerdicts) {
        counts.head.emplace_back(verdict);
        counts.isNumber.push_back(true);
    }
    readDoneSteps(report, [&](const StudyStepReport& step) {
        if (step.kind != "figures") return;
        std::vector<std::string>& cells = counts.rows.emplace_back();
        cells = {step.figure, step.result.value("title", "")};
        for (const std::string_view verdict : kVerdicts)
            cells.push_back(fmt::format("{}", std::ranges::count_if(claims, [&](const FigureClaim& claim) {
                                            return claim.figure == step.figure &&
                                                   countsAs(claim.certainVerdict(), std::string(verdict));
                                        })));
    });
    document.table("Verdicts on their claims", std::move(counts), "verdicts");
    document.table("All claims", std::move(table), "claims", true);
    const std::vector<PublishedFigure> figures = SubjectRegistry::instance().published();
    readDoneSteps(report, [&](const StudyStepReport& step) {
        if (step.kind != "figures") return;
        for (const PublishedFigure& figure : figures)
            if (figure.id == step.figure) document.charts(figureCharts(figure, step.result, charts));
        DocumentTable rows{
            {"problem", "method", "here", "published", "median here", "of the ceiling", "verified"},
            {},
            {false, false, false, true, true, true, false}};
        for (const Json& row : step.result.at("rows")) {
            const Json published = row.value("published", Json::object());
            const bool hasTime = row.contains("seconds");
            const Contender contender{row.value("backend", ""), row.value("variant", ""),
                                      row.value("dialect", ""), ""};
            const std::string stage = row.value("stage", "");
            rows.rows.push_back(
                {row.value("problem", ""), row.value("method", "") + (stage.empty() ? "" : ", " + stage),
                 contender.label() + (row.contains("softwareRenderer") ? " (software renderer)" : ""),
                 published.contains("seconds") ? formatSeconds(published["seconds"].get<double>()) : "–",
                 hasTime ? formatSeconds(row["seconds"].at("median").get<double>()) : "–", figureShare(row),
                 row.contains("skipped")
                     ? "not measured: " + row["skipped"].get<std::string>()
                     : checkText(row.value("check", "the publication's alone"), row.value("cutShort", ""))});
        }
        document.table(fmt::format("{}: {} ({})", step.figure, step.result.value("title", ""),
                                   step.result.value("scaled", "")),
                       std::move(rows), "figure-" + step.figure, true);
    });
}

/// The table cells of one ceiling, as `glycine bench device` prints it.
std::vector<std::string> ceilingLine(const std::string& backend, const Json& ceiling) {
    std::vector<std::string> cells{backend, ceiling.at("name").get<std::string>()};
    if (ceiling.contains("value")) {
        const Statistics value = statisticsFrom(ceiling["value"]);
        const std::string unit = ceiling.value("unit", "");
        cells.insert(
            cells.end(),
            {fmt::format("{} {}", formatNumber(ceiling.value("best", value.median)), unit),
             formatNumber(value.median),
             fmt::format("{} … {}", formatNumber(value.interval.low), formatNumber(value.interval.high)),
             ceiling.contains("raisedBy")
                 ? fmt::format(
                       "raised by {}: the probe found {} {}; {}", ceiling["raisedBy"].get<std::string>(),
                       formatNumber(ceiling.value("probed", value.maximum)), unit, ceiling.value("how", ""))
                 : ceiling.value("how", "")});
    } else {
        cells.insert(cells.end(),
                     {"–", "–", "–",
                      ceiling.contains("wrong") ? "WRONG: " + ceiling["wrong"].get<std::string>()
                                                : "not measured: " + ceiling.value("absent", "")});
    }
    return cells;
}

void addCeilings(Document& document, const StudyReport& report) {
    readDoneSteps(report, [&](const StudyStepReport& step) {
        if (step.kind != "ceilings") return;
        document.section("What the devices can do");
        document.paragraph(
            "The most that each backend's device was measured to do of one kind of work. Results are "
            "compared with it.");
        DocumentTable table{
            {"backend", "ceiling", "best", "median", "interval of the median", "how, or why not"},
            {},
            {false, false, true, true, true, false}};
        for (const Json& device : step.result.value("measured", Json::array())) {
            const Json about = device.value("device", Json::object());
            const std::string dialect = about.value("dialect", "");
            const std::string backend =
                about.value("backend", "") + (dialect.empty() ? "" : " (" + dialect + ")");
            if (device.contains("unavailable"))
                table.rows.push_back({backend, "all", "–", "–", "–",
                                      "not measured: " + device["unavailable"].get<std::string>()});
            for (const Json& ceiling : device.value("ceilings", Json::array()))
                table.rows.push_back(ceilingLine(backend, ceiling));
        }
        document.table("Ceilings", std::move(table), "ceilings");
    });
}

void addMissing(Document& document, const StudyReport& report) {
    DocumentTable table{{"what", "why"}};
    for (const auto& [name, reason] : report.absent) table.rows.push_back({"backend " + name, reason});
    for (const StudyStepReport& step : report.steps)
        if (!step.isDone || !step.cutShort.empty())
            table.rows.push_back({step.id, step.isDone ? step.cutShort : step.reason});
    // Each configuration once per curve, with the reason.
    for (const TimedRow& row : report.times()) {
        const auto isOf = [&](const auto& field) { return field.first == row.contender.backend; };
        if (row.skipped.empty() || std::ranges::any_of(report.absent, isOf)) continue;
        std::vector<std::string> line{
            fmt::format("{} on {} {}", row.contender.label(), row.algorithm, row.curve()), row.skipped};
        if (std::ranges::find(table.rows, line) == table.rows.end()) table.rows.push_back(std::move(line));
    }
    if (table.rows.empty()) return;
    document.section("What did not run, and why");
    document.table("", std::move(table), "not-run");
}

}  // namespace

std::vector<std::string> ceilingWarnings(const StudyReport& report) {
    std::vector<std::string> lines;
    for (const auto& [key, raise] : report.raised.all()) {
        std::string device = key.backend + (key.dialect.empty() ? "" : " (" + key.dialect + ")");
        if (key.threads > 0)
            device += fmt::format(", {},", formatCount(static_cast<std::size_t>(key.threads), "thread"));
        lines.push_back(
            fmt::format("The ceiling \"{}\" of {} was {}: the probe found less than a result. "
                        "Shares are of the raised ceiling.",
                        key.name, device, raise.text()));
    }
    return lines;
}

DocumentTable timesTable(const std::vector<StudyReport>& reports) {
    DocumentTable table{{"machine",           "algorithm", "series",        "problem",
                         "backend",           "variant",   "dialect",       "number format",
                         "minimum s",         "median s",  "low s",         "high s",
                         "confidence",        "runs",      "rate",          "rate unit",
                         "disturbance",       "digest",    "ceiling share", "ceiling",
                         "ceiling raised by", "energy",    "state"}};
    const std::vector<std::string> names = platformNames(reports);
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (const TimedRow& row : reports[machine].times()) {
            const bool has = row.hasTime();
            const auto value = [has](double number) {
                return has ? fmt::format("{}", number) : std::string();
            };
            table.rows.push_back({names[machine],
                                  row.algorithm,
                                  row.series,
                                  row.problem(),
                                  row.contender.backend,
                                  row.contender.variant,
                                  row.contender.dialect,
                                  row.contender.numberFormat,
                                  value(row.seconds.minimum),
                                  value(row.seconds.median),
                                  value(row.seconds.interval.low),
                                  value(row.seconds.interval.high),
                                  value(row.seconds.interval.confidence),
                                  fmt::format("{}", row.seconds.count),
                                  machineNumber(row.bestRate),
                                  row.rateUnit,
                                  value(row.disturbance),
                                  row.digest,
                                  machineNumber(row.ceilingShare),
                                  row.ceiling,
                                  row.raisedBy,
                                  row.energy,
                                  has           ? "verified: " + row.check
                                  : row.isWrong ? "WRONG: " + row.check
                                                : "not run: " + row.skipped});
        }
    return table;
}

Document describeStudy(const StudyReport& report, const std::filesystem::path& charts) {
    Document document{"Glycine study: " + report.label};
    const std::vector<TimedRow> times = report.times();
    const std::vector<ComparedRow> compared = report.comparisons();
    const std::vector<Answer> answers = answersOf(times, compared);
    addAnswers(document, answers, compared, report.claims());
    addRatios(document, answers, times, report);
    addAgreement(document, report, compared, times, charts);
    for (const std::string& algorithm : report.algorithms()) {
        const bool isFigureAlone = std::ranges::none_of(
            compared, [&](const ComparedRow& row) { return row.algorithm == algorithm; });
        if (isFigureAlone) continue;
        document.section("Times of " + algorithm);
        document.charts(variantCharts(charts, algorithm, times));
        document.charts(scalingCharts(charts, algorithm, times));
        document.charts(ceilingCharts(charts, algorithm, times));
        document.charts(endToEndCharts(charts, algorithm, report));
        document.table(fmt::format("All times of {}", algorithm), readableTimes(times, algorithm),
                       "times-" + algorithm, true);
    }
    addCeilings(document, report);
    addClaims(document, report, charts);
    addWarnings(document, report);
    addMissing(document, report);
    document.section("How it was measured");
    document.paragraph(
        "Every configuration computes inputs of awkward sizes, whole results are compared with those of the "
        "serial "
        "reference, and configurations that differ by more than their tolerance are not timed. All "
        "configurations of an input then take turns, round by round; the first round is dropped; the first "
        "and "
        "the last result of each are checked again. The interval of a median is that of order statistics: "
        "with five runs it holds the true median with 94 %. Short steps are visited again, far apart, "
        "because "
        "runs within a second or two meet the same state of the machine; their interval is that of the "
        "medians of the visits. Two times whose intervals overlap are undecided.");
    addMachine(document, report);
    return document;
}

}  // namespace glycine::study
