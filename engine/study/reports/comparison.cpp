#include "engine/study/reports/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "engine/core/quantity.hpp"
#include "engine/study/reports/answer.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_charts.hpp"
#include "engine/study/reports/study_document.hpp"

namespace glycine::study {

std::string reportLetter(std::size_t report) {
    constexpr std::size_t kLetters = 26;
    std::string letters(1, static_cast<char>('A' + report % kLetters));
    return report < kLetters ? letters : reportLetter(report / kLetters - 1) + letters;
}

std::string TimeRatio::text() const {
    if (isUndecided) return fmt::format("undecided ({:.3g} ×)", value);
    return fmt::format("{:.3g} × ({:.3g} … {:.3g})", value, interval.low, interval.high);
}

std::optional<TimeRatio> timeRatio(const TimedRow& slow, const TimedRow& fast) {
    if (!slow.hasTime() || !fast.hasTime()) return {};
    const auto quotient = quotientOf(slow.seconds, fast.seconds);
    if (!quotient) return {};
    TimeRatio ratio{quotient->median, quotient->interval};
    ratio.isDisturbed = slow.disturbance > 0 || fast.disturbance > 0;
    const Interval one = slow.certainty(), other = fast.certainty();
    ratio.isUndecided = one.low <= other.high && other.low <= one.high;
    return ratio;
}

std::optional<ResultAgreement> agreementOf(const TimedRow& one, const TimedRow& other) {
    if (one.digest.empty() || other.digest.empty()) return {};
    ResultAgreement agreement{.isEqual = one.digest == other.digest};
    agreement.isMeasured = !one.samples.empty() && one.samples.size() == other.samples.size();
    if (!agreement.isMeasured) return agreement;
    for (std::size_t i = 0; i < one.samples.size(); ++i) {
        const double larger = std::max(std::abs(one.samples[i]), std::abs(other.samples[i]));
        if (larger > 0)
            agreement.largestDifference =
                std::max(agreement.largestDifference, std::abs(one.samples[i] - other.samples[i]) / larger);
    }
    return agreement;
}

std::vector<MachineTimes> machineTimes(std::span<const StudyReport> reports) {
    std::vector<MachineTimes> all;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (const TimedRow& row : reports[machine].times()) {
            if (!row.hasTime()) continue;
            const std::pair key(row.problem(), row.contender.application());
            const auto [place, isNew] = places.try_emplace(key, all.size());
            if (isNew) {
                all.push_back({key.first, key.second, {}});
                all.back().rows.resize(reports.size());
            }
            std::optional<TimedRow>& kept = all[place->second].rows[machine];
            if (!kept || row.seconds.minimum < kept->seconds.minimum) kept = row;
        }
    return all;
}

std::vector<MachinePair> machinePairs(std::span<const StudyReport> reports) {
    std::vector<MachinePair> pairs;
    for (const MachineTimes& times : machineTimes(reports))
        for (std::size_t first = 0; first < reports.size(); ++first)
            for (std::size_t second = first + 1; second < reports.size(); ++second) {
                if (!times.rows[first] || !times.rows[second]) continue;
                const TimedRow& row = *times.rows[first];
                const auto agreement = agreementOf(row, *times.rows[second]);
                if (!agreement) continue;
                const auto isSame = [&](const MachinePair& pair) {
                    return pair.algorithm == row.algorithm && pair.application == times.application &&
                           pair.numberFormat == row.contender.numberFormat && pair.first == first &&
                           pair.second == second;
                };
                auto place = std::ranges::find_if(pairs, isSame);
                if (place == pairs.end())
                    place = pairs.insert(pairs.end(), {row.algorithm, times.application,
                                                       row.contender.numberFormat, first, second});
                ++place->problems;
                if (agreement->isEqual) ++place->equal;
                place->largestDifference = std::max(place->largestDifference, agreement->largestDifference);
            }
    return pairs;
}

std::vector<MachineClaim> machineClaims(std::span<const StudyReport> reports) {
    std::vector<MachineClaim> all;
    std::map<std::array<std::string, 4>, std::size_t> places;
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (FigureClaim& claim : reports[machine].claims()) {
            const auto [place, isNew] =
                places.try_emplace({claim.figure, claim.claim, claim.place, claim.column}, all.size());
            if (isNew) all.push_back({claim, std::vector<std::optional<FigureClaim>>(reports.size())});
            all[place->second].verdicts[machine] = std::move(claim);
        }
    return all;
}

namespace {

/// Verdicts on published claims, one column per machine.
void addClaims(Document& document, const std::vector<StudyReport>& reports,
               const std::vector<std::string>& marks) {
    const std::vector<MachineClaim> claims = machineClaims(reports);
    if (claims.empty()) return;
    document.section("Published claims");
    document.paragraph(
        "What each machine found for a claim of a publication, with the interval of the median, and its "
        "verdict, which speaks of that machine alone. \"–\": not judged there.");
    DocumentTable table{{"figure", "claim", "on", "published"}, {}, {false, false, false, true}};
    for (const std::string& mark : marks) {
        table.head.insert(table.head.end(), {mark, "verdict on " + mark});
        table.isNumber.insert(table.isNumber.end(), {true, false});
    }
    for (const MachineClaim& one : claims) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells = {one.claim.figure, one.claim.text(), one.claim.column, one.claim.published};
        for (const auto& own : one.verdicts)
            cells.insert(cells.end(), {own ? own->found() : "–", own ? own->certainVerdict() : "–"});
    }
    document.table("Claims on several machines", std::move(table), "claims-compared");
}

/// "A: workstation; B: laptop".
std::vector<std::string> letters(const std::vector<StudyReport>& reports) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < reports.size(); ++i) result.push_back(reportLetter(i));
    return result;
}

std::vector<std::string> algorithmsOf(const std::vector<StudyReport>& reports) {
    std::vector<std::string> algorithms;
    for (const StudyReport& report : reports)
        for (const std::string& algorithm : report.algorithms())
            if (std::ranges::find(algorithms, algorithm) == algorithms.end()) algorithms.push_back(algorithm);
    return algorithms;
}

/// The fastest contender for one input on each machine.
struct MachineAnswers {
    std::string problem;
    std::vector<std::optional<Answer>> answers;  ///< one per report

    std::size_t machines() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(answers, [](const auto& answer) { return answer.has_value(); }));
    }
    const Answer& any() const {
        return **std::ranges::find_if(answers, [](const auto& answer) { return answer.has_value(); });
    }
    /// Machines with a time, by their median.
    std::vector<std::size_t> ranking() const {
        std::vector<std::size_t> order;
        for (std::size_t machine = 0; machine < answers.size(); ++machine)
            if (answers[machine]) order.push_back(machine);
        std::ranges::stable_sort(
            order, {}, [this](std::size_t machine) { return answers[machine]->fastest.seconds.median; });
        return order;
    }
};

std::vector<MachineAnswers> machineAnswers(const std::vector<StudyReport>& reports) {
    std::vector<MachineAnswers> all;
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (Answer& answer : answersOf(reports[machine].times(), reports[machine].comparisons())) {
            auto found = std::ranges::find(all, answer.subject(), &MachineAnswers::problem);
            if (found == all.end())
                found = all.insert(all.end(),
                                   {answer.subject(), std::vector<std::optional<Answer>>(reports.size())});
            found->answers[machine] = std::move(answer);
        }
    return all;
}

/// "42.1 × (40.9 … 43.5) over A": the fastest machine compared with the next one.
std::string machineRatio(const MachineAnswers& one, const std::vector<std::string>& marks) {
    const std::vector<std::size_t> order = one.ranking();
    if (order.size() < 2) return "–";
    const auto ratio = timeRatio(one.answers[order[1]]->fastest, one.answers[order[0]]->fastest);
    if (!ratio) return "–";
    return fmt::format("{} {} {}{}", ratio->text(), ratio->isUndecided ? "against" : "over", marks[order[1]],
                       ratio->isDisturbed ? ", busy" : "");
}

/// How far the fastest results of the machines agree with the first one's.
std::string machineAgreement(const MachineAnswers& one) {
    double difference = 0;
    std::size_t equal = 0, compared = 0;
    bool isMeasured = true;
    for (const auto& answer : one.answers) {
        if (!answer || &*answer == &one.any()) continue;
        const auto agreement = agreementOf(answer->fastest, one.any().fastest);
        if (!agreement) return "not compared";
        ++compared;
        if (agreement->isEqual) ++equal;
        isMeasured = isMeasured && (agreement->isEqual || agreement->isMeasured);
        difference = std::max(difference, agreement->largestDifference);
    }
    if (compared == 0) return "not compared";
    if (equal == compared) return "equal to the bit";
    if (!isMeasured || difference == 0) return "not equal to the bit";
    return fmt::format("within {:.2g} of the value, in the elements kept", difference);
}

/// "A takes 42.1 × as long as B. Results: equal to the bit."
std::string machinesText(const MachineAnswers& one, const std::vector<std::string>& marks) {
    const std::vector<std::size_t> order = one.ranking();
    const std::string& fastest = marks[order.front()];
    std::string text;
    for (const std::size_t machine : std::span(order).subspan(1)) {
        const auto ratio = timeRatio(one.answers[machine]->fastest, one.answers[order.front()]->fastest);
        if (!ratio) continue;
        text += ratio->isUndecided
                    ? fmt::format("{} against {}: {}. ", marks[machine], fastest, ratio->text())
                    : fmt::format("{} takes {:.3g} × as long as {}. ", marks[machine], ratio->value, fastest);
    }
    return fmt::format("{}Results: {}.", text, machineAgreement(one));
}

/// "Of 126 sentences, 116 are decided: 112 on A, 107 on B; 92.1 % on at least one of them." A sentence is
/// decided where one of its claims is. Empty unless several reports have claims.
std::string decidedSentences(const std::vector<StudyReport>& reports, const std::vector<std::string>& marks) {
    std::set<std::array<std::string, 3>> all, decidedAnywhere;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const std::vector<FigureClaim> claims = reports[i].claims();
        if (claims.empty()) continue;
        std::set<std::array<std::string, 3>> decided;
        for (const FigureClaim& claim : claims) {
            const std::array sentence{claim.figure, claim.claim, claim.place};
            all.insert(sentence);
            if (isDecidedText(claim.verdict)) decided.insert(sentence);
        }
        parts.push_back(fmt::format("{} on {}", decided.size(), marks[i]));
        decidedAnywhere.merge(decided);
    }
    if (parts.size() < 2) return {};
    return fmt::format("Of {}, {} are decided: {}; {} on at least one of them.",
                       formatCount(all.size(), "sentence"), decidedAnywhere.size(), fmt::join(parts, ", "),
                       formatShare(double(decidedAnywhere.size()), double(all.size())));
}

/// The list that opens the page: what is fastest on each machine, which machine is, and what became of
/// claims.
void addAnswers(Document& document, const std::vector<StudyReport>& reports,
                const std::vector<std::string>& marks, const std::vector<MachineAnswers>& all) {
    std::vector<std::string> legend;
    const std::vector<std::string> names = platformNames(reports);
    for (std::size_t i = 0; i < reports.size(); ++i)
        legend.push_back(fmt::format("{}: {}", marks[i], names[i]));
    document.paragraph(fmt::format("{}.", fmt::join(legend, ". ")));
    // The largest input of each curve that most machines have a time for.
    std::vector<const MachineAnswers*> headlines;
    for (const MachineAnswers& one : all) {
        const TimedRow& row = one.any().fastest;
        const auto found = std::ranges::find_if(headlines, [&](const MachineAnswers* other) {
            const TimedRow& kept = other->any().fastest;
            return kept.algorithm == row.algorithm && kept.curve() == row.curve();
        });
        if (found == headlines.end())
            headlines.push_back(&one);
        else if (std::pair((*found)->machines(), extentOf((*found)->any().fastest)) <
                 std::pair(one.machines(), extentOf(row)))
            *found = &one;
    }
    for (const MachineAnswers* one : headlines) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < reports.size(); ++i)
            if (one->answers[i])
                parts.push_back(fmt::format("{} {}: {}.", parts.empty() ? "Fastest on" : "On", marks[i],
                                            one->answers[i]->description()));
        if (one->machines() > 1) parts.push_back(machinesText(*one, marks));
        document.answer(one->problem, fmt::format("{}", fmt::join(parts, " ")));
    }
    for (std::size_t i = 0; i < reports.size(); ++i)
        if (const std::vector<FigureClaim> claims = reports[i].claims(); !claims.empty())
            document.answer("Published figures on " + marks[i], verdictCounts(claims) + ".");
    if (const std::string text = decidedSentences(reports, marks); !text.empty())
        document.answer("Sentences of publications", text);
}

/// The fastest configuration of each machine on each input.
DocumentTable fastestTable(const std::vector<MachineAnswers>& all, const std::vector<std::string>& marks) {
    DocumentTable table{{"input"}, {}, {false}};
    for (const std::string& mark : marks) {
        table.head.push_back("fastest on " + mark);
        table.isNumber.push_back(true);
    }
    table.head.insert(table.head.end(), {"fastest machine", "over the next machine", "results"});
    table.isNumber.insert(table.isNumber.end(), {false, true});
    const bool hasCautions = std::ranges::any_of(all, [](const MachineAnswers& one) {
        return std::ranges::any_of(one.answers,
                                   [](const auto& answer) { return answer && !answer->cautions.empty(); });
    });
    if (hasCautions) table.head.emplace_back("caution");
    for (const MachineAnswers& one : all) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells.push_back(one.problem);
        std::vector<std::string> cautions;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            const std::optional<Answer>& answer = one.answers[i];
            cells.push_back(answer ? fmt::format("{}, {}", formatSeconds(answer->fastest.seconds.median),
                                                 contenderName(answer->fastest.contender))
                                   : std::string("–"));
            if (answer)
                for (const std::string& caution : answer->cautions)
                    cautions.push_back(fmt::format("{}: {}", marks[i], caution));
        }
        cells.insert(cells.end(), {one.machines() > 1 ? marks[one.ranking().front()] : std::string("–"),
                                   machineRatio(one, marks), machineAgreement(one)});
        if (hasCautions) cells.push_back(fmt::format("{}", fmt::join(cautions, "; ")));
    }
    return table;
}

void addRatios(Document& document, const std::vector<StudyReport>& reports,
               const std::vector<std::string>& marks, const std::vector<MachineAnswers>& all) {
    document.section("Ratios");
    document.table("The fastest configuration of each machine", fastestTable(all, marks), "fastest");
    document.paragraph(
        fmt::format("How many times as long as on {} each machine takes for the same problem by the same "
                    "configuration: medians, with the widest interval that those of both allow. Undecided: "
                    "the intervals overlap, widened by the share of other programs on a busy machine.",
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
    document.table("What only one machine has timed", std::move(alone), "times-alone", true);
}

void addAgreement(Document& document, const std::vector<StudyReport>& reports,
                  const std::vector<std::string>& marks, const std::filesystem::path& charts) {
    document.section("Results: what agrees");
    document.paragraph(
        "Each machine verified its own results against the reference. Digests of whole results tell which "
        "are equal to the bit across machines; the difference, where they are not, is that of the elements "
        "that both reports keep, relative to the larger number.");
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
    for (const StudyReport& report : reports)
        for (const ComparedRow& row : report.comparisons())
            if (row.agreement == Agreement::Wrong)
                document.warning(fmt::format("WRONG on {}: {} of {} ({})", report.label,
                                             row.contender.label(), row.algorithm, row.reason));
    if (agreement.rows.empty()) document.paragraph("The reports have no result in common.");
    document.table("The same configuration on two machines", std::move(agreement), "agreement");
    for (const std::string& algorithm : algorithmsOf(reports))
        document.charts(equalityCharts(charts, algorithm, reports));
}

void addPortability(Document& document, const std::vector<StudyReport>& reports,
                    const std::vector<std::string>& marks, const std::filesystem::path& charts) {
    document.section("Performance portability");
    document.paragraph(
        "The harmonic mean of an application's efficiencies over all machines, 0 where it does not run on "
        "one of them (Pennycook, Sewall and Lee, 2016 and 2019). An application is a backend and variant, or "
        "a backend with its best variant; a platform is a machine with all its devices. Application "
        "efficiency: the best time that any application of these reports has there, over its own. "
        "Architectural efficiency: its share of the ceiling that bounds it. \"–\": not measured there.");
    const std::vector<Portability> all = portabilities(reports);
    for (const std::string& algorithm : algorithmsOf(reports))
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
}

/// Everything that limits what the figures say, after them.
void addWarnings(Document& document, const std::vector<StudyReport>& reports) {
    document.section("Conditions and warnings");
    bool isQuiet = true;
    const auto warn = [&](const std::string& text) {
        document.warning(text);
        isQuiet = false;
    };
    for (const StudyReport& report : reports) {
        std::vector<std::string> busy;
        for (const StudyStepReport& step : report.steps)
            if (!step.busy.empty()) busy.push_back(fmt::format("{} ({})", step.id, step.busy));
        if (report.scale == "quick")
            warn(fmt::format("On {}: a quick study, of small inputs.", report.label));
        if (!busy.empty())
            warn(fmt::format(
                "On {}: BUSY MACHINE during {}: {}. Times of these steps may be too long; intervals "
                "are widened by that before anything is decided.",
                report.label, formatCount(busy.size(), "step"), fmt::join(busy, "; ")));
        for (const std::string& line : ceilingWarnings(report))
            warn(fmt::format("On {}: {}", report.label, line));
    }
    if (isQuiet) document.paragraph("None: the machines were quiet.");
}

}  // namespace

Document describeComparison(const std::vector<StudyReport>& reports, const std::filesystem::path& charts) {
    const std::vector<std::string> names = platformNames(reports);
    const std::vector<std::string> marks = letters(reports);
    Document document{fmt::format("Glycine studies of {}", formatCount(reports.size(), "machine"))};
    const std::vector<MachineAnswers> all = machineAnswers(reports);
    addAnswers(document, reports, marks, all);
    if (!all.empty()) addRatios(document, reports, marks, all);
    const auto hasResults = [](const StudyReport& report) {
        return !report.times().empty() || !report.comparisons().empty();
    };
    if (std::ranges::any_of(reports, hasResults)) addAgreement(document, reports, marks, charts);
    if (!all.empty()) addPortability(document, reports, marks, charts);
    addClaims(document, reports, marks);
    addWarnings(document, reports);

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
    return document;
}

}  // namespace glycine::study
