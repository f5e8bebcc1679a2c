#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/quantity.hpp"
#include "engine/study/reports/comparison.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_charts.hpp"
#include "engine/study/reports/study_document.hpp"

namespace glycine::study {

namespace {

/// "A: workstation; B: laptop".
std::vector<std::string> letters(const std::vector<StudyReport>& reports) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < reports.size(); ++i)
        result.push_back(std::string(1, static_cast<char>('A' + i % 26)));
    return result;
}

}  // namespace

Document describeComparison(const std::vector<StudyReport>& reports, const std::filesystem::path& charts) {
    const std::vector<std::string> names = platformNames(reports);
    const std::vector<std::string> marks = letters(reports);
    Document document{fmt::format("Glycine studies of {}", formatCount(reports.size(), "machine"))};
    for (const StudyReport& report : reports)
        for (const ComparedRow& row : report.comparisons())
            if (row.agreement == Agreement::Wrong)
                document.warning(fmt::format("WRONG on {}: {} of {} ({})", report.label,
                                             row.contender.label(), row.algorithm, row.reason));
    for (const StudyReport& report : reports)
        for (const std::string& line : ceilingWarnings(report))
            document.warning(fmt::format("On {}: {}", report.label, line));
    document.section("Machines");
    DocumentTable machines{
        {"", "name", "report", "scale", "processor", "devices", "build", "date", "busy steps"}};
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const auto fieldOf = [&](const std::string& name) {
            for (const auto& [key, value] : reports[i].environment)
                if (key == name) return value;
            return std::string();
        };
        std::vector<std::string> devices;
        for (const auto& [name, device] : reports[i].devices)
            if (name != "reference") devices.push_back(name + ": " + device);
        const auto busy =
            std::ranges::count_if(reports[i].steps, [](const auto& step) { return !step.busy.empty(); });
        machines.rows.push_back({marks[i], names[i], reports[i].name, reports[i].scale, fieldOf("processor"),
                                 fmt::format("{}", fmt::join(devices, "; ")), fieldOf("build"),
                                 fieldOf("date"), fmt::format("{}", busy)});
    }
    document.table("", std::move(machines), "machines");

    document.section("Results: what agrees");
    document.paragraph(
        "Each machine verified its own results against the reference. Digests of whole results tell which "
        "are equal to "
        "the bit across machines; the difference, where they are not, is that of the elements that both "
        "reports keep, "
        "relative to the larger number.");
    DocumentTable agreement{{"algorithm", "configuration", "format", "machines", "problems",
                             "equal to the bit", "largest difference"},
                            {},
                            {false, false, false, false, true, true, true}};
    for (const MachinePair& pair : machinePairs(reports))
        agreement.rows.push_back({pair.algorithm, pair.application, pair.numberFormat,
                                  marks[pair.first] + " and " + marks[pair.second],
                                  fmt::format("{}", pair.problems), fmt::format("{}", pair.equal),
                                  pair.equal == pair.problems  ? "none"
                                  : pair.largestDifference > 0 ? fmt::format("{:.2g}", pair.largestDifference)
                                                               : "not among the elements kept"});
    if (agreement.rows.empty()) document.paragraph("The reports have no result in common.");
    document.table("The same configuration on two machines", std::move(agreement), "agreement");
    std::vector<std::string> algorithms;
    for (const StudyReport& report : reports)
        for (const std::string& algorithm : report.algorithms())
            if (std::ranges::find(algorithms, algorithm) == algorithms.end()) algorithms.push_back(algorithm);
    for (const std::string& algorithm : algorithms)
        document.charts(equalityCharts(charts, algorithm, reports));

    document.section("Times");
    document.paragraph(
        fmt::format("How many times as long as on {} each machine takes for the same problem by the same "
                    "configuration: medians, "
                    "with the widest interval that those of both allow. Undecided: the intervals overlap, "
                    "widened by what others "
                    "did on a machine that was busy.",
                    marks.empty() ? "" : marks.front()));
    DocumentTable times{{"problem", "configuration"}, {}, {false, false}};
    for (const std::string& mark : marks) {
        times.head.push_back(mark);
        times.isNumber.push_back(true);
    }
    for (std::size_t i = 1; i < marks.size(); ++i) {
        times.head.push_back(marks[i] + " over " + marks.front());
        times.isNumber.push_back(true);
    }
    DocumentTable alone = times;
    for (const MachineTimes& line : machineTimes(reports)) {
        const auto timed = std::ranges::count_if(line.rows, [](const auto& row) { return row.has_value(); });
        std::vector<std::string>& cells = (timed > 1 ? times : alone).rows.emplace_back();
        cells = {line.problem, line.application};
        for (const auto& row : line.rows) cells.push_back(row ? formatSeconds(row->seconds.median) : "–");
        for (std::size_t i = 1; i < line.rows.size(); ++i) {
            std::string text = "–";
            if (line.rows[i] && line.rows.front())
                if (const auto ratio = timeRatio(*line.rows[i], *line.rows.front()))
                    text = ratio->text() + (ratio->isDisturbed ? ", busy" : "");
            cells.push_back(std::move(text));
        }
    }
    document.table("Times of several machines", std::move(times), "times-compared");
    document.table("What one machine alone has timed", std::move(alone), "times-alone", true);

    document.section("Performance portability");
    document.paragraph(
        "The harmonic mean of an application's efficiencies over all machines, 0 where it does not run on "
        "one of them "
        "(Pennycook, Sewall and Lee, 2016 and 2019). An application is a backend and variant, or a backend "
        "with its best "
        "variant; a platform is a machine with all its devices. Application efficiency: the best time that "
        "any "
        "application of these reports has there, over its own. Architectural efficiency: its share of the "
        "ceiling that "
        "bounds it. \"–\": not measured there.");
    const std::vector<Portability> all = portabilities(reports);
    for (const std::string& algorithm : algorithms)
        document.charts(cascadeCharts(charts, algorithm, reports, all));
    DocumentTable table{{"problem", "application", "portability (application)", "portability (architecture)"},
                        {},
                        {false, false, true, true}};
    for (const std::string& mark : marks) {
        table.head.push_back("efficiency on " + mark);
        table.isNumber.push_back(true);
    }
    const auto share = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.3f}", *value) : std::string("–");
    };
    for (const Portability& one : all) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells = {one.problem, one.application, share(one.byApplication()), share(one.byArchitecture())};
        for (const auto& efficiency : one.applicationEfficiency) cells.push_back(share(efficiency));
    }
    document.table("Portability of all applications", std::move(table), "portability", true);

    document.section("What did not run, and why");
    DocumentTable missing{{"machine", "what", "why"}};
    for (std::size_t i = 0; i < reports.size(); ++i) {
        for (const auto& [name, reason] : reports[i].absent)
            missing.rows.push_back({marks[i], "backend " + name, reason});
        for (const StudyStepReport& step : reports[i].steps)
            if (!step.isDone || !step.cutShort.empty())
                missing.rows.push_back({marks[i], step.id, step.isDone ? step.cutShort : step.reason});
    }
    if (missing.rows.empty()) document.paragraph("Everything ran on every machine.");
    document.table("", std::move(missing), "not-run");
    return document;
}

}  // namespace glycine::study
