#include "app/crossapen/output_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::crossapen {

namespace fs = std::filesystem;

namespace {

/// The last `parts` components of a path.
std::string ending(const fs::path& path, std::size_t parts) {
    std::vector<fs::path> all(path.begin(), path.end());
    fs::path result;
    for (std::size_t i = all.size() - std::min(parts, all.size()); i < all.size(); ++i) result /= all[i];
    return result.generic_string();
}

void append(std::vector<fs::path>& files, const std::vector<fs::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
}

/// "ses-1/eeg.edf" → "ses-1_eeg".
std::string fileStem(const std::string& subject) {
    std::string stem = fs::path(subject).replace_extension().generic_string();
    std::replace(stem.begin(), stem.end(), '/', '_');
    return stem;
}

constexpr const char* kFileEndings = ".npz, .npy, .csv, .json, .png, .svg or .pdf";

enum class OutputKind { Folder, Npz, Npy, Csv, Picture, Json };

OutputKind kindOf(const fs::path& path) {
    if (storage::isStandardOutput(path)) return OutputKind::Csv;
    if (path.filename().empty() || fs::is_directory(path)) return OutputKind::Folder;
    const std::string extension = lowerCase(path.extension().string());
    if (extension == ".npz") return OutputKind::Npz;
    if (extension == ".npy") return OutputKind::Npy;
    if (extension == ".csv") return OutputKind::Csv;
    if (picture::isPictureFile(path)) return OutputKind::Picture;
    if (extension == ".json") return OutputKind::Json;
    // "results.v2" is a folder; "results.tsv" is a mistake.
    const bool looksLikeFile =
        extension.size() > 1 &&
        std::all_of(extension.begin() + 1, extension.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (looksLikeFile)
        throw UsageError(
            fmt::format("{}: expected a folder, or a file that ends in {}", path.string(), kFileEndings));
    return OutputKind::Folder;
}

void planFolder(OutputPlan& plan, const OutputRequest& request, const std::vector<std::string>& subjects) {
    std::map<std::string, std::string> owners;
    for (const std::string& subject : subjects) {
        const std::string stem = fileStem(subject);
        const auto [owner, isNew] = owners.emplace(stem, subject);
        if (!isNew)
            throw UsageError(
                fmt::format("the results of {} and {} would both be {}.npz; expected different names of "
                            "files: run them separately, into two folders",
                            owner->second, subject, stem));
        plan.folderNpz.push_back(plan.folder / (stem + ".npz"));
    }
    plan.longCsv.push_back(plan.folder / "entropies.csv");
    plan.pictures.push_back(plan.folder / "entropies.png");
    plan.summaries.push_back(plan.folder / "summary.json");
    plan.unfinished = plan.folder / "entropies";
    if (request.hasScalp) plan.scalps.push_back(plan.folder / "scalp.png");
    if (!request.hasGroups) return;
    plan.groupCsv = plan.folder / "groups.csv";
    plan.groupNpz = plan.folder / "groups.npz";
    plan.groupPicture = plan.folder / "groups.png";
}

}  // namespace

std::vector<std::string> distinctNames(const std::vector<fs::path>& files) {
    std::vector<fs::path> absolute;
    for (const fs::path& file : files) absolute.push_back(fs::absolute(file).lexically_normal());
    std::vector<std::string> names(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            if (absolute[i] == absolute[j])
                throw UsageError(
                    fmt::format("{} is given twice; expected each file once", files[i].string()));
        // Compares names of equal length, so that the result does not depend on the order of the files.
        for (std::size_t parts = 1;; ++parts) {
            names[i] = ending(absolute[i], parts);
            const bool isAlone = std::none_of(absolute.begin(), absolute.end(), [&](const fs::path& other) {
                return other != absolute[i] && ending(other, parts) == names[i];
            });
            if (isAlone) break;
        }
    }
    return names;
}

std::vector<fs::path> OutputPlan::files() const {
    std::vector<fs::path> all;
    append(all, folderNpz);
    append(all, npz);
    for (const fs::path& file : npy) append(all, {file, io::npyNamesFile(file)});
    append(all, longCsv);
    append(all, squareCsv);
    append(all, pictures);
    append(all, scalps);
    for (const fs::path& file : {groupCsv, groupNpz, groupPicture})
        if (!file.empty()) all.push_back(file);
    append(all, summaries);
    return all;
}

OutputPlan planOutputs(const OutputRequest& request, const std::vector<std::string>& subjects) {
    OutputPlan plan;
    for (const std::string& output : request.outputs) {
        const fs::path path(output);
        const OutputKind kind = kindOf(path);
        if (kind == OutputKind::Folder) {
            if (!plan.folder.empty())
                throw UsageError(fmt::format("-o names two folders, {} and {}; expected one",
                                             plan.folder.string(), output));
            plan.folder = path.filename().empty() ? path.parent_path() : path;
            continue;
        }
        const bool isMatrix = kind == OutputKind::Npz || kind == OutputKind::Npy ||
                              (kind == OutputKind::Csv && request.isSquare);
        if (isMatrix && subjects.size() > 1)
            throw UsageError(
                fmt::format("{} holds the matrix of one input, and there are {}: give a folder, or a .csv "
                            "file with a line for each pair",
                            output, subjects.size()));
        if (kind == OutputKind::Npz) plan.npz.push_back(path);
        if (kind == OutputKind::Npy) plan.npy.push_back(path);
        if (kind == OutputKind::Csv) (request.isSquare ? plan.squareCsv : plan.longCsv).push_back(path);
        if (kind == OutputKind::Picture) plan.pictures.push_back(path);
        if (kind == OutputKind::Json) plan.summaries.push_back(path);
        if (plan.unfinished.empty() && !storage::isStandardOutput(path)) plan.unfinished = path;
    }
    if (request.isSquare && plan.squareCsv.empty())
        throw UsageError("--square is for .csv files; -o names none");
    if (request.hasEpochs && plan.folder.empty() && plan.npz.empty() && plan.npy.empty() &&
        plan.longCsv.empty())
        throw UsageError(fmt::format(
            "--per-epoch is for .npz and .npy files, and for .csv files {}; -o names none of them",
            request.isSquare ? "without --square" : "with a line for each pair"));
    if (!plan.folder.empty()) planFolder(plan, request, subjects);
    if (!request.scalp.empty()) {
        if (!request.hasScalp)
            throw UsageError(
                "--draw scalp: fewer than three channels have a place on the head; expected positions in the "
                "file, or names of the 10-5 system");
        plan.scalps.push_back(request.scalp);
    }
    if (request.hasGroups && plan.folder.empty())
        throw UsageError("--groups writes several files: -o must name a folder");
    return plan;
}

OutputFolder::OutputFolder(fs::path folder) : folder_(std::move(folder)) {
    if (folder_.empty() || fs::is_directory(folder_)) return;
    if (fs::exists(folder_))
        throw UsageError(fmt::format("{} is a file; results go to a folder, or to files that end in {}",
                                     folder_.string(), kFileEndings));
    std::error_code problem;
    if (!fs::create_directory(folder_, problem))
        throw UsageError(
            fmt::format("the folder {} cannot be made: {}", folder_.string(), problem.message()));
    isNew_ = true;
}

OutputFolder::~OutputFolder() {
    std::error_code ignored;
    if (isNew_ && fs::is_empty(folder_, ignored)) fs::remove(folder_, ignored);
}

}  // namespace glycine::crossapen
