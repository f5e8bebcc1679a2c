#include "engine/study/end_to_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/system/program_run.hpp"
#include "engine/storage/folder.hpp"
#include "engine/study/reports/answer.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace fs = std::filesystem;

namespace {

/// A folder, empty at first, that exists as long as the object.
class RunFolder {
  public:
    explicit RunFolder(const fs::path& parent) {
        const fs::path above = parent.empty() ? fs::temp_directory_path() : parent;
        std::string pattern = (above / "glycine-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) storage::throwSystemError(above, "make a folder", errno);
        path_ = fs::absolute(pattern);
    }
    RunFolder(const RunFolder&) = delete;
    ~RunFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }
    std::vector<fs::path> files() const { return {fs::directory_iterator(path_), fs::directory_iterator()}; }

  private:
    fs::path path_;
};

std::vector<std::string> splitWords(const std::string& line) {
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

double bytesOf(const std::vector<fs::path>& files) {
    double bytes = 0;
    for (const fs::path& file : files) bytes += static_cast<double>(fs::file_size(file));
    return bytes;
}

/// Reads the inputs, then reads and writes the files that the run wrote, block by block on one thread.
/// Returns seconds.
double secondsOfCopy(const RunFolder& folder, const std::vector<fs::path>& inputs) {
    constexpr std::size_t kBlock = std::size_t{4} << 20;
    std::vector<char> block(kBlock);
    const std::vector<fs::path> files = folder.files();
    const fs::path target = folder.path() / "copy";
    const Stopwatch watch;
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        std::ofstream out;
        if (std::ranges::find(inputs, file) == inputs.end()) out.open(target, std::ios::binary);
        while (in) {
            in.read(block.data(), static_cast<std::streamsize>(kBlock));
            if (out.is_open()) out.write(block.data(), in.gcount());
        }
        if (out.is_open() && !out.flush()) storage::throwSystemError(target, "write", errno);
    }
    const double seconds = watch.seconds();
    fs::remove(target);
    return seconds;
}

/// "glycine: error: the backend cuda is not available: …" without its beginning.
std::string reasonOf(const ProgramRun& run) {
    std::string text = run.messages;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::string_view head = "glycine: error: ";
    if (const auto place = text.rfind(head); place != std::string::npos)
        return text.substr(place + head.size());
    return fmt::format("exit code {}{}{}", run.exitCode, text.empty() ? "" : ": ", text);
}

/// A row during its measurement.
class TimedCommand {
  public:
    TimedCommand(EndToEndRow& row, const RunFolder& folder, std::vector<fs::path> inputs,
                 CommandContext& context)
        : row_(row), folder_(folder), inputs_(std::move(inputs)), context_(context) {}

    /// Runs the command once. `counts`: whether the run enters the times.
    void run(bool counts) {
        if (!row_.skipped.empty()) return;
        std::vector<std::string> arguments = row_.arguments;
        arguments.emplace_back("--json");
        // If this process had to restart itself, its environment has this GOMP_SPINCOUNT (app/program.cpp).
        // The command must not inherit it, because a user's shell does not have it.
        const ProgramRun run =
            runThisProgram(arguments, folder_.path(), {std::string("GOMP_SPINCOUNT=") + kSpinCount},
                           [this] { context_.progress().throwIfCancelled(); });
        context_.progress().throwIfCancelled();
        if (run.exitCode != 0) {
            row_.skipped = reasonOf(run);
        } else if (counts) {
            samples_.push_back(run.seconds);
            reports_.push_back(Json::parse(run.output));
            const double copy = secondsOfCopy(folder_, inputs_);
            row_.copySeconds = row_.copySeconds > 0 ? std::min(row_.copySeconds, copy) : copy;
            row_.bytes = bytesOf(folder_.files());
        }
        for (const fs::path& file : folder_.files())
            if (std::ranges::find(inputs_, file) == inputs_.end()) fs::remove_all(file);
    }

    void finish() {
        if (!row_.skipped.empty() || samples_.empty()) return;
        row_.seconds = summarize(samples_);
        std::vector<std::size_t> order(samples_.size());
        for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
        std::ranges::sort(order, {}, [this](std::size_t k) { return samples_[k]; });
        const std::size_t middle = order[(order.size() - 1) / 2];
        const Json& report = reports_[middle];
        row_.variant = report.value("variant", report.value("pairs", Json::object()).value("variant", ""));
        const Json& device = report.at("device");
        row_.device = {row_.backend,
                       device.value("dialect", ""),
                       device.value("device", ""),
                       device.value("driver", ""),
                       device.value("note", ""),
                       device.value("softwareRenderer", false)};
        row_.stages = report.at("seconds");
        for (const auto& [stage, seconds] : row_.stages.items())
            if (stage != "wall" && stage != "overlapped")
                row_.groups[static_cast<std::size_t>(groupOf(stage))] += seconds.get<double>();
        row_.ending = std::max(0.0, samples_[middle] - row_.stages.at("wall").get<double>());
    }

  private:
    EndToEndRow& row_;
    const RunFolder& folder_;
    std::vector<fs::path> inputs_;
    CommandContext& context_;
    std::vector<double> samples_;
    std::vector<Json> reports_;
};

void timeRun(const EndToEndRun& run, const std::string& algorithm, const EndToEndRules& rules,
             EndToEndReport& report, ConditionsMeter& meter, CommandContext& context) {
    const RunFolder folder(rules.folder);
    std::vector<std::string> generate = splitWords(run.generate);
    generate.insert(generate.begin(), "generate");
    const auto wait = [&context] { context.progress().throwIfCancelled(); };
    if (const ProgramRun made = runThisProgram(generate, folder.path(), {}, wait); made.exitCode != 0)
        throw Error(fmt::format("glycine {}: {}", fmt::join(generate, " "), reasonOf(made)));
    std::vector<EndToEndRow> rows;
    for (const std::string& backend : rules.backends) {
        EndToEndRow& row = rows.emplace_back(EndToEndRow{algorithm, run.name, splitWords(run.run), backend});
        row.arguments.insert(row.arguments.end(), {"--backend", backend});
        if (rules.refusal) row.skipped = rules.refusal(backend);
    }
    std::vector<TimedCommand> commands;
    for (EndToEndRow& row : rows) commands.emplace_back(row, folder, folder.files(), context);
    context.progress().begin(fmt::format("{}, {}", algorithm, run.name),
                             static_cast<double>((rules.repeats + 1) * rows.size()));
    for (std::size_t round = 0; round <= rules.repeats; ++round)
        for (TimedCommand& command : commands) {
            command.run(round > 0);
            meter.probe();
            context.progress().advance(1);
        }
    for (TimedCommand& command : commands) command.finish();
    for (EndToEndRow& row : rows) {
        report.addDevice(row.device);
        report.rows.push_back(std::move(row));
    }
}

std::string secondsText(double seconds) {
    return seconds > 0 ? formatSeconds(seconds) : "–";
}

}  // namespace

double EndToEndRow::wall() const {
    double sum = ending;
    for (const double part : groups) sum += part;
    return sum;
}

double EndToEndRow::ratio() const {
    const double least = std::max(of(TimeGroup::Kernel), copySeconds);
    return least > 0 ? wall() / least : 0;
}

void EndToEndReport::print(std::ostream& out, std::size_t width) const {
    std::vector<TimedRow> timed;
    for (const EndToEndRow& row : rows)
        if (row.skipped.empty())
            timed.push_back({.contender = {row.backend, row.variant},
                             .algorithm = row.algorithm,
                             .series = row.name,
                             .seconds = row.seconds,
                             .software = row.device.isSoftware ? row.device.device : "",
                             .disturbance = disturbanceOf(conditions)});
    printAnswers(out, answersOf(timed, {}), width);
    const auto has = [](const EndToEndRow& row) { return row.skipped.empty(); };
    TableOf<EndToEndRow> table;
    table.add({"command"}, [](const auto& row) { return fmt::format("{}, {}", row.algorithm, row.name); });
    table.add({"backend"}, [](const auto& row) {
        return row.variant.empty() ? row.backend : fmt::format("{} {}", row.backend, row.variant);
    });
    table.add({"whole", Align::Right}, [has](const auto& row) {
        return has(row) ? fmt::format("{} ({})", formatSeconds(row.seconds.minimum),
                                      formatSeconds(row.seconds.median))
                        : "–";
    });
    table.add({"kernel's share", Align::Right},
              [has](const auto& row) { return has(row) ? formatShare(row.kernelShare(), 1) : "–"; });
    for (std::size_t g = 0; g < kTimeGroups; ++g)
        table.add({std::string(toString(static_cast<TimeGroup>(g))), Align::Right},
                  [g](const auto& row) { return secondsText(row.groups[g]); });
    table.add({"ending", Align::Right}, [](const auto& row) { return secondsText(row.ending); });
    table.add({"plain copy", Align::Right}, [](const auto& row) { return secondsText(row.copySeconds); });
    table.add({"ratio", Align::Right},
              [](const auto& row) { return row.ratio() > 0 ? fmt::format("{:.3g} ×", row.ratio()) : "–"; });
    if (!std::ranges::all_of(rows, has)) table.add({"skipped"}, [](const auto& row) { return row.skipped; });
    table.print(out, rows, width);
    out << '\n';
    printConditions(out, conditions, cutShort);
    printHead(out, {environmentFields(environment), deviceFields(), conditionFields(conditions), settings},
              width);
}

Json EndToEndReport::toJson() const {
    Json json{{"command", "bench end-to-end"}};
    addTo(json);
    addToJson(json, conditions);
    json["rows"] = jsonArray(rows, [](const EndToEndRow& row) {
        Json one{{"algorithm", row.algorithm},
                 {"name", row.name},
                 {"arguments", row.arguments},
                 {"backend", row.backend}};
        if (!row.skipped.empty()) {
            one["skipped"] = row.skipped;
            return one;
        }
        one["variant"] = row.variant;
        one["device"] = glycine::toJson(row.device);
        one["seconds"] = glycine::toJson(row.seconds);
        one["kernelShare"] = row.kernelShare();
        for (std::size_t g = 0; g < kTimeGroups; ++g)
            one["groups"][std::string(toString(static_cast<TimeGroup>(g)))] = row.groups[g];
        one["groups"]["ending"] = row.ending;
        one["stages"] = row.stages;
        one["copy"] = {{"bytes", row.bytes}, {"seconds", row.copySeconds}};
        one["ratio"] = row.ratio();
        return one;
    });
    return json;
}

EndToEndReport timeEndToEndRuns(const std::vector<const Subject*>& subjects, const EndToEndRules& rules,
                                CommandContext& context) {
    EndToEndReport report;
    report.environment = currentEnvironment();
    ConditionsMeter meter;
    for (const Subject* subject : subjects)
        for (const EndToEndRun& run : subject->endToEndRuns(rules.extent))
            timeRun(run, std::string(subject->algorithm().name()), rules, report, meter, context);
    std::vector<double> spreads;
    for (const EndToEndRow& row : report.rows)
        if (row.skipped.empty()) spreads.push_back(row.seconds.spread());
    report.conditions = meter.finish(std::move(spreads));
    report.settings = {
        {"inputs",
         fmt::format("{}, generated, in {}", toString(rules.extent),
                     rules.folder.empty() ? fs::temp_directory_path().string() : rules.folder.string())},
        {"runs", fmt::format("each a process of its own, in rounds, each backend once a round; 1 dropped, {} "
                             "timed from start to end: minimum (median)",
                             rules.repeats)},
        {"stages",
         "of the run with the median time, by its own report; ending: the clean-up by the system after it"},
        {"plain copy", "of the bytes that are read and written, by one thread: the least"},
        {"ratio", "of the whole to its kernel or the copy, whichever takes longer"}};
    return report;
}

namespace {

struct EndToEnd {
    std::vector<std::string> algorithms{"all"};
    EndToEndRules rules{};
    StudyOptions options{};
    std::string folder{};
};

int benchEndToEnd(CommandContext& context, EndToEnd& bench) {
    for (const std::string& name : bench.options.filter.backends) BackendRegistry::instance().find(name);
    const std::vector<const Subject*> subjects = chosenSubjects(bench.algorithms);
    if (!bench.options.output.empty()) checkOutputFiles({bench.options.output}, {});
    bench.rules.backends = bench.options.filter.backends;
    if (bench.rules.backends.empty()) bench.rules.backends = backendsToMeasure({});
    bench.rules.repeats = bench.options.repeats;
    bench.rules.folder = bench.folder;
    const EndToEndReport report = timeEndToEndRuns(subjects, bench.rules, context);
    context.clearProgressLine();
    deliver(context, report, bench.options.json, bench.options.output);
    if (std::ranges::none_of(report.rows, &std::string::empty, &EndToEndRow::skipped))
        throw UnavailableError("nothing was timed: no backend could run");
    return 0;
}

}  // namespace

CommandAction declareEndToEnd(Options& options) {
    const auto state = std::make_shared<EndToEnd>();
    options.value("ALGORITHM…", state->algorithms, "Algorithms to run; all if absent").byDefault("all");
    options
        .value("--backend B,…", state->options.filter.backends,
               "Only these backends (default: all but reference)")
        .suggests(backendNames());
    options.choice("--size EXTENT", state->rules.extent, "Size of the inputs: small, medium or large");
    options.value("--folder DIR", state->folder, "Folder for input and output files, on the disk to test")
        .existingFolder()
        .byDefault("the system's folder for temporary files");
    addReportOptions(options, state->options);
    options.footer(
        "Generates a file of each kind, and runs the algorithm's commands on it as a user does: each\n"
        "in its own process, from the start of the program to the output file. Reports the kernels'\n"
        "share of the time and how the rest is spent.\n\n"
        "Examples:\n"
        "  glycine bench end-to-end bounds --backend cpu,cuda\n"
        "  glycine bench end-to-end all --size large --folder /dev/shm -o whole.json");
    return [state](CommandContext& context) { return benchEndToEnd(context, *state); };
}

void addEndToEndCommand() {
    CommandRegistry::instance().add({"bench", "end-to-end", "",
                                     "Time whole commands from file to file, and the kernels' share",
                                     declareEndToEnd});
}

}  // namespace glycine::study
