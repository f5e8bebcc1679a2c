#include "engine/study/reports/study_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/core/error.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/study/reports/comparison.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_document.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::study {

void makeFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(fmt::format("{}: cannot make this folder: {}", folder.string(), error.message()));
}

void writeText(const std::filesystem::path& path, const std::string& text) {
    storage::AtomicFile file(path);
    file.write(text);
    file.commit();
}

namespace {

/// Writes the document in all formats under `stem`, and the tables for programs.
WrittenReport writeDocument(const std::filesystem::path& folder, const std::string& stem,
                            const Document& document, const std::filesystem::path& json,
                            const std::vector<StudyReport>& reports) {
    const std::filesystem::path tables = folder / "tables";
    makeFolder(tables);
    for (const DocumentBlock& block : document.blocks) {
        if (!block.name.empty()) writeText(tables / (block.name + ".csv"), toCsv(block.table));
        if (block.kind == DocumentBlock::Kind::Chart)
            writeText(tables / (block.chart.name + ".csv"), toCsv(block.chart.data));
    }
    writeText(tables / "times.csv", toCsv(timesTable(reports)));
    writeText(tables / "p3.csv", toCsv(figuresOfMerit(reports)));
    const std::filesystem::path html = folder / (stem + ".html"), markdown = folder / (stem + ".md");
    writeText(html, toHtml(document));
    writeText(markdown, toMarkdown(document));
    return {{html, json, markdown}, document.answers()};
}

constexpr const char* kReportFile = "report.json";

/// Writes all files of a study but its report.
WrittenReport writePages(const std::filesystem::path& folder, const StudyReport& report) {
    const std::filesystem::path charts = folder / "charts";
    makeFolder(charts);
    return writeDocument(folder, "report", describeStudy(report, charts), folder / kReportFile, {report});
}

/// Throws UsageError if the folder holds the report of `glycine reproduce all`, whose pages have the same
/// names.
void requireNoReproduction(const std::filesystem::path& folder) {
    std::ifstream file(folder / kReportFile);
    if (!file) return;
    const Json json = Json::parse(file, nullptr, false);
    if (json.is_object() && json.value("command", Json()) == "reproduce" && json.contains("figures"))
        throw UsageError(fmt::format(
            "{}: has the page of `glycine reproduce all`, which would be replaced; name another folder by -o",
            folder.string()));
}

Json numberOrNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

Json comparisonJson(const std::vector<StudyReport>& reports) {
    const std::vector<std::string> names = platformNames(reports);
    Json json{{"schema", {{"name", "glycine-comparison"}, {"version", 1}}}, {"command", "report"}};
    json["machines"] = Json::array();
    for (std::size_t i = 0; i < reports.size(); ++i)
        json["machines"].push_back(
            {{"name", names[i]},
             {"report", reports[i].name},
             {"raisedCeilings", jsonArray(reports[i].raised.all(), [](const auto& one) {
                  const auto& [key, raise] = one;
                  Json ceiling{{"backend", key.backend}, {"ceiling", key.name},    {"unit", raise.unit},
                               {"rate", raise.rate},     {"probed", raise.probed}, {"raisedBy", raise.by}};
                  if (!key.dialect.empty()) ceiling["dialect"] = key.dialect;
                  if (key.threads > 0) ceiling["threads"] = key.threads;
                  return ceiling;
              })}});
    json["agreement"] = jsonArray(machinePairs(reports), [&](const MachinePair& pair) {
        return Json{{"algorithm", pair.algorithm},
                    {"application", pair.application},
                    {"numberFormat", pair.numberFormat},
                    {"machines", {names[pair.first], names[pair.second]}},
                    {"problems", pair.problems},
                    {"equalToTheBit", pair.equal},
                    {"largestDifference", pair.largestDifference}};
    });
    json["times"] = jsonArray(machineTimes(reports), [](const MachineTimes& times) {
        Json line{{"problem", times.problem}, {"application", times.application}};
        line["median"] =
            jsonArray(times.rows, [](const auto& row) { return row ? Json(row->seconds.median) : Json(); });
        line["toFirst"] = jsonArray(times.rows, [&](const auto& row) -> Json {
            if (!row || !times.rows.front()) return {};
            const auto ratio = timeRatio(*row, *times.rows.front());
            if (!ratio) return {};
            return {{"ratio", ratio->value},
                    {"interval", {ratio->interval.low, ratio->interval.high}},
                    {"undecided", ratio->isUndecided},
                    {"busy", ratio->isDisturbed}};
        });
        return line;
    });
    json["claims"] = jsonArray(machineClaims(reports), [](const MachineClaim& one) {
        Json line{{"figure", one.claim.figure},
                  {"claim", one.claim.claim},
                  {"place", one.claim.place},
                  {"column", one.claim.column},
                  {"published", one.claim.published}};
        line["verdicts"] = jsonArray(one.verdicts, [](const auto& own) -> Json {
            if (!own) return {};
            Json verdict{{"verdict", own->certainVerdict()}, {"value", numberOrNull(own->value)}};
            if (own->value) verdict["interval"] = {own->interval.low, own->interval.high};
            return verdict;
        });
        return line;
    });
    json["portability"] = jsonArray(portabilities(reports), [](const Portability& one) {
        return Json{{"problem", one.problem},
                    {"application", one.application},
                    {"byApplication", numberOrNull(one.byApplication())},
                    {"byArchitecture", numberOrNull(one.byArchitecture())},
                    {"applicationEfficiency", jsonArray(one.applicationEfficiency, numberOrNull)},
                    {"architecturalEfficiency", jsonArray(one.architecturalEfficiency, numberOrNull)}};
    });
    return json;
}

struct ReportRequest {
    std::vector<std::string> files;
    std::string folder;  ///< empty: the default
};

constexpr const char* kPageFolder = "page";
constexpr const char* kComparisonFolder = "comparison";

int report(CommandContext& context, const ReportRequest& request) {
    const auto write = [&request] {
        const auto folder = [&request](const char* usual) {
            return request.folder.empty() ? usual : request.folder;
        };
        if (request.files.size() == 1) return writeStudyPage(folder(kPageFolder), request.files.front());
        std::vector<StudyReport> reports;
        for (const std::string& file : request.files) reports.push_back(readStudyReport(file));
        return writeComparisonFiles(folder(kComparisonFolder), reports);
    };
    write().print(context.out(), terminalWidth());
    return 0;
}

}  // namespace

void WrittenReport::print(std::ostream& out, std::size_t width) const {
    printFields(out, answers, width);
    if (!answers.empty()) out << '\n';
    for (const std::filesystem::path& file : files) out << "Wrote " << file.string() << '\n';
}

WrittenReport writeStudyFiles(const std::filesystem::path& folder, const Json& report) {
    Json raised = report;
    raiseCeilings(raised.at("steps"));
    makeFolder(folder);
    const std::filesystem::path json = folder / kReportFile;
    writeJson(json, raised);
    return writePages(folder, parseStudyReport(raised, json.string()));
}

WrittenReport writeStudyPage(const std::filesystem::path& folder, const std::filesystem::path& file) {
    const Json json = readStudyJson(file);
    const StudyReport report = parseStudyReport(json, file.string());
    requireNoReproduction(folder);
    std::error_code none;
    if (!std::filesystem::equivalent(file, folder / kReportFile, none)) return writeStudyFiles(folder, json);
    WrittenReport written = writePages(folder, report);
    std::erase(written.files, folder / kReportFile);
    return written;
}

WrittenReport writeComparisonFiles(const std::filesystem::path& folder,
                                   const std::vector<StudyReport>& reports) {
    makeFolder(folder / "charts");
    const std::filesystem::path json = folder / "comparison.json";
    writeJson(json, comparisonJson(reports));
    return writeDocument(folder, "comparison", describeComparison(reports, folder / "charts"), json, reports);
}

CommandAction declareReport(Options& options) {
    const auto request = std::make_shared<ReportRequest>();
    options
        .value("REPORT.json…", request->files,
               "Reports of `glycine study` or `glycine reproduce` from each machine, plain or .json.gz")
        .required();
    options.value("-o,--output FOLDER", request->folder, "Folder for the page or the comparison")
        .byDefault(fmt::format("{}; of several reports {}", kPageFolder, kComparisonFolder))
        .notASetting();
    options.footer(
        "With one report, writes the page of that study, the answer first: report.html (one file, needs\n"
        "no network), .md, .json, charts, and tables as .csv.\n\n"
        "With several, compares the studies: bitwise equality of results, ratios of times with\n"
        "intervals (\"undecided\" where they overlap), performance portability, and verdicts on\n"
        "published claims side by side. Writes comparison.html, .md, .json, charts and tables; the P3\n"
        "analysis library reads tables/p3.csv.\n\n"
        "Examples:\n"
        "  glycine report study/report.json.gz -o workstation\n"
        "  glycine report laptop/report.json server/report.json -o both\n"
        "  glycine report figures/report.json server/figures/report.json -o claims");
    return [request](CommandContext& context) { return report(context, *request); };
}

}  // namespace glycine::study
