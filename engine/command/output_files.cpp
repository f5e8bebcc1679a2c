#include "engine/command/output_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/command/command_registry.hpp"
#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/input_file.hpp"
#include "engine/storage/unfinished.hpp"

namespace glycine {

namespace fs = std::filesystem;

namespace {

/// Length of ".unfinished.tiles", the longest suffix of a working file.
constexpr long kLongestSuffix = 17;

/// The folder of `target`, without links.
fs::path canonicalFolder(const fs::path& target) {
    std::error_code ignored;
    return fs::weakly_canonical(target.has_parent_path() ? target.parent_path() : fs::path("."), ignored);
}

bool isSameFile(const fs::path& a, const fs::path& b) {
    if (storage::isStandardOutput(a) || storage::isStandardOutput(b)) return a == b;
    std::error_code ignored;
    if (fs::equivalent(storage::openablePath(a), storage::openablePath(b), ignored)) return true;
    // A file that does not exist has its folder and name. A link stands for its target, existing or not.
    const fs::path first = storage::resolveLink(a), second = storage::resolveLink(b);
    return first.filename() == second.filename() && canonicalFolder(first) == canonicalFolder(second);
}

void checkTarget(const fs::path& target) {
    if (storage::isStandardOutput(target)) return;
    std::error_code ignored;
    if (fs::is_directory(target, ignored))
        throw UsageError(fmt::format("{} is a folder; expected a file to write", target.string()));
    const fs::path resolved = storage::resolveLink(target);
    const fs::path folder = resolved.has_parent_path() ? resolved.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ignored))
        throw UsageError(
            fmt::format("{} cannot be written: there is no folder {}", target.string(), folder.string()));
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw UsageError(fmt::format("{} cannot be written: {} {}{}", target.string(),
                                     errno == EROFS ? "the file system of" : "no permission to write in",
                                     folder.string(), errno == EROFS ? " is read-only" : ""));
    const long longest = pathconf(folder.c_str(), _PC_NAME_MAX);
    const std::size_t length = target.filename().string().size();
    if (longest > kLongestSuffix && length > static_cast<std::size_t>(longest - kLongestSuffix))
        throw UsageError(
            fmt::format("{} cannot be written: its name has {} bytes; expected at most {}, because names of "
                        "temporary files are up to {} longer",
                        excerpt(target.string()), length, longest - kLongestSuffix, kLongestSuffix));
    storage::requireReplaceable(resolved);
}

}  // namespace

void checkOutputFiles(const std::vector<fs::path>& outputs, const std::vector<fs::path>& inputs,
                      const std::vector<fs::path>& alsoKeptNextTo) {
    std::vector<fs::path> keepers = outputs;
    keepers.insert(keepers.end(), alsoKeptNextTo.begin(), alsoKeptNextTo.end());
    std::erase_if(keepers,
                  [](const fs::path& keeper) { return keeper.empty() || storage::isStandardOutput(keeper); });
    for (const fs::path& keeper : keepers)
        for (const fs::path& file : storage::workingFiles(keeper))
            for (const fs::path& input : inputs)
                if (isSameFile(file, input))
                    throw UsageError(
                        fmt::format("{} is the input, and a run stores its finished work under that name: "
                                    "rename it, or give another output file",
                                    file.string()));
    for (std::size_t a = 0; a < outputs.size(); ++a) {
        for (const fs::path& input : inputs) {
            if (isSameFile(outputs[a], input))
                throw UsageError(fmt::format(
                    "{} is the input; it is not overwritten: give another output file", outputs[a].string()));
        }
        for (std::size_t b = a + 1; b < outputs.size(); ++b) {
            if (isSameFile(outputs[a], outputs[b]))
                throw UsageError(fmt::format("{} is given for two different outputs", outputs[a].string()));
        }
        checkTarget(outputs[a]);
    }
}

void requireDiskSpace(CommandContext& context, std::span<const storage::ExpectedFile> files) {
    const std::string tight = storage::requireDiskSpace(files);
    if (tight.empty() || context.verbosity() == Verbosity::Quiet) return;
    context.clearProgressLine();
    context.err() << "glycine: " << tight << std::endl;
}

void requireExtension(std::string_view option, const fs::path& file, std::string_view extension,
                      std::string_view expected) {
    if (lowerCase(file.extension().string()) == extension) return;
    if (expected.empty()) expected = extension;
    if (storage::isStandardOutput(file))
        throw UsageError(fmt::format("{} -: standard output is for text; expected a file that ends in {}",
                                     option, expected));
    throw UsageError(fmt::format("{}: {} does not end in {}", option, file.string(), expected));
}

std::string takeOutput(std::vector<std::string>& outputs, const std::function<bool(const std::string&)>& isIt,
                       std::string_view kind) {
    const auto found = std::ranges::find_if(outputs, isIt);
    if (found == outputs.end()) return {};
    std::string taken = std::move(*found);
    outputs.erase(found);
    if (const auto second = std::ranges::find_if(outputs, isIt); second != outputs.end())
        throw UsageError(fmt::format("-o names two {}, {} and {}; a run writes one", kind, taken, *second));
    return taken;
}

std::string takePicture(std::vector<std::string>& outputs) {
    return takeOutput(outputs, picture::isPictureFile, "pictures");
}

std::string takeTable(std::vector<std::string>& outputs, std::string_view ending) {
    return takeOutput(
        outputs, [&](const std::string& file) { return lowerCase(file).ends_with(ending); },
        fmt::format("files {}", ending));
}

Option& addDrawOption(Options& options, std::map<std::string, fs::path, std::less<>>& drawn,
                      std::initializer_list<PictureKind> kinds) {
    std::vector<std::string> names, words;
    std::string help = "Draw KIND into FILE.png, .svg or .pdf:";
    for (const PictureKind& kind : kinds) {
        help += fmt::format("{} {} ({})", names.empty() ? "" : ",", kind.name, kind.shows);
        names.emplace_back(kind.name);
        words.push_back(names.back() + "=");
    }
    return options
        .parsedList(
            "--draw KIND=FILE",
            [&drawn, names](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    const std::size_t equals = std::min(text.find('='), text.size());
                    const std::string kind = text.substr(0, equals);
                    if (std::ranges::find(names, kind) == names.end())
                        throw UsageError(fmt::format("--draw {}: there is no picture '{}'; {}", text, kind,
                                                     suggestNames(kind, names)));
                    const fs::path file = text.substr(std::min(equals + 1, text.size()));
                    picture::requirePictureFile("--draw " + kind, file);
                    if (!drawn.emplace(kind, file).second)
                        throw UsageError(fmt::format("--draw names two files for {}", kind));
                }
            },
            [] { return std::string(); }, help)
        .repeated()
        .suggests(words)
        .notASetting();
}

Option& addRangeOption(Options& options, picture::ColorRange& range, const std::string& what) {
    return options.parsed(
        "--range RANGE",
        [&range](const std::string& text) {
            range = {.isRobust = text == "robust"};
            if (range.isRobust) return;
            const std::size_t comma = std::min(text.find(','), text.size());
            const auto number = [&](std::size_t begin, std::size_t end) {
                double value = 0;
                const char* const last = text.data() + end;
                const auto [stop, error] = std::from_chars(text.data() + std::min(begin, end), last, value);
                return error == std::errc() && stop == last && std::isfinite(value) ? std::optional(value)
                                                                                    : std::nullopt;
            };
            range.minimum = number(0, comma);
            range.maximum = number(comma + 1, text.size());
            if (!range.minimum || !range.maximum || !(*range.minimum < *range.maximum))
                throw UsageError(fmt::format("--range {}: expected robust, or two numbers LOW,HIGH", text));
        },
        [&range] {
            if (range.isRobust) return std::string("robust");
            return range.isGiven() ? fmt::format("{},{}", *range.minimum, *range.maximum) : std::string();
        },
        fmt::format("Range of {}: LOW,HIGH, or robust (without the lowest and highest 2 %)", what));
}

}  // namespace glycine
