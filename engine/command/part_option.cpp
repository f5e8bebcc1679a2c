#include "engine/command/part_option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/command/command_line.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/io/text/json.hpp"
#include "engine/storage/identity.hpp"
#include "engine/storage/unfinished.hpp"

namespace glycine {

namespace {

/// Removes an option, and its value if it has one, whether attached or separate.
void removeOption(std::vector<std::string>& arguments, std::string_view name, bool hasValue) {
    for (std::size_t a = 1; a < arguments.size();) {
        const std::string& argument = arguments[a];
        const bool isShort = name.size() == 2;
        const bool isAlone = argument == name;
        const bool isAttached = hasValue && argument.size() > name.size() && argument.starts_with(name) &&
                                (isShort || argument[name.size()] == '=');
        if (!isAlone && !isAttached) {
            ++a;
            continue;
        }
        const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(a);
        const bool isFollowed = isAlone && hasValue && a + 1 < arguments.size();
        arguments.erase(begin, begin + (isFollowed ? 2 : 1));
    }
}

/// Options that choose a backend and a device, or that only some backends read.
std::vector<Options::Spelling> optionsOfBackends() {
    Options options;
    BackendRequest request;
    addBackendChoice(options, request, {}, true);
    addDevicesOption(options, request);
    addBackendOptions(options, request.device);
    return options.spellings();
}

struct MergeOptions {
    std::vector<std::string> parts;
    std::vector<std::string> outputs;
    std::string backend;
    bool json = false;
};

int merge(CommandContext& context, const MergeOptions& options) {
    Parts parts;
    for (const std::string& part : options.parts) parts.push_back(std::make_unique<storage::PartFile>(part));
    storage::requireComplete(parts);
    std::vector<std::string> arguments =
        commandToMerge(parts.front()->head(), options.outputs, options.backend);
    if (options.json && std::ranges::find(arguments, "--json") == arguments.end())
        arguments.emplace_back("--json");
    context.times().end("verify");
    context.setParts(&parts);
    const int exitCode = runCommandLine(arguments, context);
    context.setParts(nullptr);
    return exitCode;
}

}  // namespace

void addPartOption(Options& options, std::optional<storage::Part>& part) {
    options
        .parsed(
            "--part K/N", [&part](const std::string& text) { part = storage::parsePart(text); },
            [&part] { return part ? toString(*part) : ""; },
            "Compute part K of N of the result, into OUT.part-K-of-N; glycine merge combines the parts")
        .notASetting()
        .advanced();
}

std::size_t partsOf(const CommandContext& context, const std::optional<storage::Part>& part) {
    if (context.parts() != nullptr) return context.parts()->size();
    return part ? part->of : 1;
}

void requirePartFiles(bool isStandardOutput, bool isPiped) {
    if (isStandardOutput)
        throw UsageError("--part writes a file next to the output; expected another output than -");
    if (isPiped)
        throw UsageError(
            "--part needs an input that can be read again when parts are merged; expected a file");
}

void requireShared(bool isPart, bool isStandardOutput, bool isPiped) {
    if (isPart) throw UsageError("--part is for glycine; glycine-mpi distributes the tiles itself");
    if (isStandardOutput || isPiped)
        throw UsageError("glycine-mpi reads and writes files; expected no pipe and no standard output");
}

void fillPart(storage::PartStore& part, const std::function<void()>& compute) {
    try {
        compute();
    } catch (const CancelledError&) {
        if (!part.outlivesStop()) throw;
        throw storage::resumableStop("tiles", part.path());
    } catch (const UnreadableInputError&) {
        throw;
    } catch (const Error& error) {
        if (dynamic_cast<const WrongResultError*>(&error) != nullptr || error.exitCode() == 2) part.discard();
        throw;
    }
    part.finish();
}

std::string commandOfPart(const CommandContext& context) {
    return Json(context.arguments()).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::vector<std::string> commandToMerge(const storage::PartHead& head,
                                        const std::vector<std::string>& outputs, const std::string& backend) {
    const Json command = Json::parse(head.command, nullptr, false);
    const auto isText = [](const Json& word) { return word.is_string(); };
    if (!command.is_array() || command.empty() || !std::ranges::all_of(command, isText))
        throw InputError(fmt::format("part {}: the command in it is damaged; compute the part again",
                                     toString(head.part)));
    auto arguments = command.get<std::vector<std::string>>();
    removeOption(arguments, "--part", true);
    removeOption(arguments, "--restart", false);
    if (!backend.empty()) {
        for (const Options::Spelling& option : optionsOfBackends())
            removeOption(arguments, option.name, option.hasValue);
        arguments.insert(arguments.end(), {"--backend", backend});
    }
    if (outputs.empty()) return arguments;
    removeOption(arguments, "-o", true);
    removeOption(arguments, "--output", true);
    for (const std::string& output : outputs) arguments.insert(arguments.end(), {"-o", output});
    return arguments;
}

void requireIdentity(const Parts& parts, const std::string& identity) {
    const auto essence = [](std::string_view text) {
        return storage::identityWithout(text, {"tile", "backend", "variant"});
    };
    const std::string then = essence(parts.front()->head().identity);
    const std::string now = essence(identity);
    if (then != now)
        throw UsageError(fmt::format("{} is a part of another result: {}", parts.front()->path().string(),
                                     storage::identityDifferences(then, now)));
}

CommandAction declareMerge(Options& options) {
    auto merged = std::make_shared<MergeOptions>();
    options.value("PARTS", merged->parts, "All parts of a result, each written by a command with --part")
        .repeated()
        .required();
    options
        .value("-o,--output OUT", merged->outputs,
               "Output, by file ending, as in the command itself; can be given several times")
        .repeated()
        .byDefault("the output that the parts' command names")
        .notASetting();
    options.value("--backend NAME", merged->backend,
                  "Backend to use if this machine lacks the parts' backend; nothing is computed");
    addJsonOption(options, merged->json);
    options.footer(
        "Every part names its command. The checksums of all tiles are verified, and the input is read\n"
        "again and compared with the parts' input. The result equals that of a single run to the byte.\n"
        "Run it in the same folder as the parts' commands: the file names are theirs.\n\n"
        "Examples:\n"
        "  glycine distance cohort.bed -o d.npy --part 1/2\n"
        "  glycine distance cohort.bed -o d.npy --part 2/2\n"
        "  glycine merge d.npy.part-*-of-2 -o d.npy");
    return [merged](CommandContext& context) { return merge(context, *merged); };
}

}  // namespace glycine
