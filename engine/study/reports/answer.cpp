#include "engine/study/reports/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/study/configuration_options.hpp"

namespace glycine::study {

namespace {

using Rows = std::vector<const TimedRow*>;

/// Rows that have a time, grouped by input, in the order of first occurrence; each group by median.
std::vector<Rows> rowsByInput(std::span<const TimedRow> rows) {
    std::vector<std::pair<std::string, Rows>> groups;
    for (const TimedRow& row : rows) {
        if (!row.hasTime()) continue;
        const std::string problem = row.problem();
        auto found = std::ranges::find(groups, problem, [](const auto& group) { return group.first; });
        if (found == groups.end()) found = groups.insert(groups.end(), {problem, {}});
        found->second.push_back(&row);
    }
    std::vector<Rows> sorted;
    for (auto& [problem, group] : groups) {
        std::ranges::stable_sort(group, {}, [](const TimedRow* row) { return row->seconds.median; });
        sorted.push_back(std::move(group));
    }
    return sorted;
}

/// "agrees to 9.5e-07 Å": as validated on inputs of awkward sizes; without a validation, as the row was
/// verified; empty if the row does not say.
std::string agreementText(const TimedRow& row, std::span<const ComparedRow> compared) {
    const ComparedRow* own = nullptr;
    for (const ComparedRow& one : compared)
        if (one.algorithm == row.algorithm && one.contender == row.contender &&
            (one.agreement == Agreement::Equal || one.agreement == Agreement::Within) &&
            (own == nullptr || one.inputs == row.series))
            own = &one;
    if (own == nullptr) return row.check.empty() ? "" : "verified: " + row.check;
    if (own->agreement == Agreement::Equal) return "agrees exactly";
    return fmt::format("agrees to {:.2g}{}{}", own->difference, own->unit.empty() ? "" : " ", own->unit);
}

std::string rivalName(const TimedRow& row) {
    return contenderName(row.contender) + (row.software.empty() ? "" : " (software renderer)");
}

/// "87 × over gl/packed": tables have the interval.
std::string rivalText(const Rival& rival) {
    if (rival.ratio.isUndecided)
        return fmt::format("{} against {}", rival.ratio.text(), rivalName(rival.row));
    return fmt::format("{:.3g} × over {}", rival.ratio.value, rivalName(rival.row));
}

/// "times may be too long by up to 11 %".
std::string disturbanceText(double disturbance) {
    return fmt::format("times may be too long by up to {:.0f} %", 100 * disturbance);
}

}  // namespace

std::string contenderName(const Contender& contender) {
    return contender.application() + (contender.dialect.empty() ? "" : " " + contender.dialect);
}

double extentOf(const TimedRow& row) {
    double product = 1;
    for (const auto& [name, extent] : row.dimensions) product *= static_cast<double>(extent);
    return product;
}

std::vector<std::string> cautionsOf(const TimedRow& row) {
    std::vector<std::string> cautions;
    if (row.disturbance > 0) cautions.push_back("BUSY MACHINE: " + disturbanceText(row.disturbance));
    if (!row.cutShort.empty())
        cautions.push_back(fmt::format("{}: {}", contenderName(row.contender), row.cutShort));
    return cautions;
}

std::string Answer::description() const {
    std::string text = fmt::format("{}, {}", rivalName(fastest), formatSeconds(fastest.seconds.median));
    // Another variant of the same backend matters here only if it may be as fast.
    if (second && second->ratio.isUndecided && second->row.contender.backend == fastest.contender.backend)
        text += ", " + rivalText(*second);
    if (next) text += ", " + rivalText(*next);
    if (reference) text += ", " + rivalText(*reference);
    if (!next && !reference) text += ", the only backend with a time";
    if (!agreement.empty()) text += ", " + agreement;
    const double disturbance =
        std::max(fastest.disturbance, next ? next->row.disturbance : fastest.disturbance);
    if (disturbance > 0) text += fmt::format(" (busy machine: {})", disturbanceText(disturbance));
    return text;
}

std::vector<Answer> answersOf(std::span<const TimedRow> rows, std::span<const ComparedRow> compared,
                              const RatioOf& ratioOf) {
    std::vector<Answer> answers;
    for (const Rows& group : rowsByInput(rows)) {
        Answer& answer = answers.emplace_back(Answer{.fastest = *group.front()});
        answer.agreement = agreementText(answer.fastest, compared);
        const auto rivalOf = [&](const TimedRow& row) -> std::optional<Rival> {
            const std::optional<TimeRatio> ratio = ratioOf(row, answer.fastest);
            if (!ratio) return {};
            return Rival{row, *ratio};
        };
        for (const TimedRow* row : std::span(group).subspan(1)) {
            const std::string& backend = row->contender.backend;
            if (backend == kReference) {
                if (!answer.reference) answer.reference = rivalOf(*row);
                continue;
            }
            if (!answer.second) answer.second = rivalOf(*row);
            if (!answer.next && backend != answer.fastest.contender.backend) answer.next = rivalOf(*row);
        }
        answer.cautions = cautionsOf(answer.fastest);
        for (const std::optional<Rival>* rival : {&answer.second, &answer.next, &answer.reference})
            if (*rival)
                for (std::string& caution : cautionsOf((*rival)->row))
                    if (std::ranges::find(answer.cautions, caution) == answer.cautions.end())
                        answer.cautions.push_back(std::move(caution));
    }
    return answers;
}

void printAnswers(std::ostream& out, const std::vector<Answer>& answers, std::size_t width) {
    if (answers.empty()) return;
    Fields fields;
    for (const Answer& answer : answers) fields.emplace_back(answer.subject(), answer.text());
    printFields(out, fields, width);
    out << '\n';
}

std::vector<Answer> headlinesOf(const std::vector<Answer>& answers) {
    std::vector<Answer> headlines;
    const auto isContest = [](const Answer& answer) { return answer.next || answer.reference; };
    for (const Answer& answer : answers) {
        const auto isOfCurve = [&](const Answer& other) {
            return other.fastest.algorithm == answer.fastest.algorithm &&
                   other.fastest.curve() == answer.fastest.curve();
        };
        const auto found = std::ranges::find_if(headlines, isOfCurve);
        if (found == headlines.end())
            headlines.push_back(answer);
        else if (std::pair(isContest(*found), extentOf(found->fastest)) <
                 std::pair(isContest(answer), extentOf(answer.fastest)))
            *found = answer;
    }
    return headlines;
}

DocumentTable answersTable(const std::vector<Answer>& answers) {
    const bool hasReference =
        std::ranges::any_of(answers, [](const Answer& answer) { return answer.reference.has_value(); });
    const bool hasCautions =
        std::ranges::any_of(answers, [](const Answer& answer) { return !answer.cautions.empty(); });
    DocumentTable table{
        {"input", "fastest", "median", "over the next configuration", "over the next backend"},
        {},
        {false, false, true, true, true}};
    if (hasReference) {
        table.head.emplace_back("over the reference");
        table.isNumber.push_back(true);
    }
    table.head.emplace_back("agreement with the reference");
    if (hasCautions) table.head.emplace_back("caution");
    const auto rivalCell = [](const std::optional<Rival>& rival) {
        return rival ? fmt::format("{}, {}", rival->ratio.text(), rivalName(rival->row)) : std::string("–");
    };
    for (const Answer& answer : answers) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells = {answer.subject(), contenderName(answer.fastest.contender),
                 formatSeconds(answer.fastest.seconds.median), rivalCell(answer.second),
                 rivalCell(answer.next)};
        if (hasReference)
            cells.push_back(answer.reference ? answer.reference->ratio.text() : std::string("–"));
        cells.push_back(answer.agreement);
        if (hasCautions) cells.push_back(fmt::format("{}", fmt::join(answer.cautions, "; ")));
    }
    return table;
}

DocumentTable backendsTable(std::span<const TimedRow> rows, const Fields& devices) {
    std::vector<std::string> backends;
    for (const TimedRow& row : rows)
        if (row.hasTime() && std::ranges::find(backends, row.contender.backend) == backends.end())
            backends.push_back(row.contender.backend);
    DocumentTable table{{"input"}, {}, {false}};
    for (const std::string& backend : backends) {
        const auto device = std::ranges::find_if(devices, [&](const auto& field) {
            return field.first == backend || field.first.starts_with(backend + " (");
        });
        table.head.push_back(
            device == devices.end()
                ? backend
                : fmt::format("{}: {}", backend, device->second.substr(0, device->second.find(';'))));
        table.isNumber.push_back(true);
    }
    if (backends.size() < 2) return table;
    for (const Rows& group : rowsByInput(rows)) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells.push_back(group.front()->problem());
        for (const std::string& backend : backends) {
            const auto best = std::ranges::find_if(
                group, [&](const TimedRow* row) { return row->contender.backend == backend; });
            if (best == group.end()) {
                cells.emplace_back("–");
                continue;
            }
            const auto ratio = timeRatio(**best, *group.front());
            const bool isFastest = *best == group.front();
            cells.push_back(fmt::format(
                "{}, {}{}", formatSeconds((*best)->seconds.median), contenderName((*best)->contender),
                isFastest            ? ", the fastest"
                : !ratio             ? ""
                : ratio->isUndecided ? ", " + ratio->text()
                                     : fmt::format(", {:.3g} × as long", ratio->value)));
        }
    }
    return table;
}

bool countsAs(const std::string& verdict, const std::string& head) {
    // Earlier versions wrote "could not be tested".
    return verdict == head || (head == "undecided" && verdict.starts_with(head)) ||
           (head == "cannot be tested" && verdict == "could not be tested");
}

bool isDecidedText(const std::string& verdict) {
    return !countsAs(verdict, "undecided") && !countsAs(verdict, "cannot be tested");
}

std::string verdictCounts(std::span<const FigureClaim> claims) {
    std::vector<std::string> parts;
    for (const std::string_view head : kVerdictsOnSentences) {
        const auto count = std::ranges::count_if(claims, [&](const FigureClaim& claim) {
            return countsAs(claim.certainVerdict(), std::string(head));
        });
        if (count > 0) parts.push_back(fmt::format("{} {}", head, count));
    }
    return fmt::format("{}: {}", formatCount(claims.size(), "claim"), fmt::join(parts, ", "));
}

}  // namespace glycine::study
