#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/core/error.hpp"
#include "engine/study/reports/study_files.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::study {

namespace {

struct ReportRequest {
    std::vector<std::string> files;
    std::string folder = "comparison";
};

int report(CommandContext& context, const ReportRequest& request) {
    std::vector<StudyReport> reports;
    for (const std::string& file : request.files) reports.push_back(readStudyReport(file));
    for (const std::filesystem::path& file : writeComparisonFiles(request.folder, reports))
        context.out() << "Wrote " << file.string() << '\n';
    return 0;
}

}  // namespace

CommandAction declareReport(Options& options) {
    const auto request = std::make_shared<ReportRequest>();
    options
        .value("REPORT.json…", request->files,
               "What `glycine study` wrote on each machine, plain or .json.gz")
        .required();
    options.value("-o,--output FOLDER", request->folder, "Where the comparison goes").notASetting();
    options.footer(
        "Compares studies of several machines: which results are equal to the bit, ratios of times with "
        "intervals\n"
        "(\"undecided\" where they overlap), and performance portability. Writes comparison.html (one file, "
        "needs "
        "no\n"
        "network), .md, .json and tables as .csv; tables/p3.csv is what the P3 analysis library reads.\n\n"
        "Examples:\n"
        "  glycine report laptop/report.json server/report.json -o both");
    return [request](CommandContext& context) { return report(context, *request); };
}

}  // namespace glycine::study
