#include "engine/study/drawn_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/study/subject.hpp"

namespace glycine::study {

std::vector<DrawnFigure> drawnFigures() {
    std::vector<DrawnFigure> figures;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        std::ranges::move(subject->drawn(), std::back_inserter(figures));
    return figures;
}

int drawFigure(CommandContext& context, const Options& options, const DrawnFigure& figure,
               DrawnFigure::Request request, const StudyOptions& chosen) {
    options.requireOnly(
        {"ID", "--input", "--quick", "--output", "--backend", "--json", "--context", "--device", "--threads"},
        fmt::format("{} is only drawn: there is nothing to measure", figure.id));
    if (request.input.empty())
        throw UsageError(fmt::format("{} needs --input FILE: {}", figure.id, figure.input));
    if (request.output.empty())
        throw UsageError(fmt::format("{} is a picture: name it by -o FILE.png, .svg or .pdf", figure.id));
    if (!chosen.output.empty())
        throw UsageError(fmt::format("{}: {} is only drawn and has no report; expected a picture",
                                     chosen.output, figure.id));
    const std::vector<std::string>& backends = chosen.filter.backends;
    if (backends.size() > 1)
        throw UsageError(
            fmt::format("{} is computed by one backend; --backend names {}", figure.id, backends.size()));
    checkOutputFiles({request.output}, {request.input});
    BackendRequest named;
    if (!backends.empty()) named.backend = backends[0];
    named.device = chosen.device;
    request.device = chosen.device;
    request.choose = [&](const auto& canRun, double hostSeconds) {
        return selectBackend(options, named, canRun, hostSeconds);
    };
    const Fields fields = figure.draw(request, context.progress());
    context.clearProgressLine();
    if (chosen.json) {
        Json json{{"command", "reproduce"}, {"figure", figure.id}, {"title", figure.title}};
        for (const auto& [name, value] : fields) json[name] = value;
        json["files"] = Json::array({request.output.string()});
        printJson(context.out(), json);
        return 0;
    }
    Fields all{{"Figure", figure.title}};
    all.insert(all.end(), fields.begin(), fields.end());
    addFileFields(all, {request.output.string()});
    printFields(context.out(), all, terminalWidth());
    return 0;
}

}  // namespace glycine::study
