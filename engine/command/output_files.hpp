#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/storage/disk_space.hpp"

namespace glycine {

class CommandContext;

/// Rejects outputs before any work is done. Throws UsageError if one is among the `inputs` (by any path), if
/// two are the same file, if one is a folder, or if its folder is missing or not writable. Throws Error for a
/// device or a pipe. Accepts "-", standard output. Also rejects inputs at the places of a run's working
/// files, next to an output or to a file of `alsoKeptNextTo` (storage/unfinished.hpp).
void checkOutputFiles(const std::vector<std::filesystem::path>& outputs,
                      const std::vector<std::filesystem::path>& inputs,
                      const std::vector<std::filesystem::path>& alsoKeptNextTo = {});

/// Throws Error if a disk has no room for the least sizes of the files. Prints a line if it may have none for
/// the largest (storage::requireDiskSpace).
void requireDiskSpace(CommandContext& context, std::span<const storage::ExpectedFile> files);

/// Throws UsageError unless the `file` given with `option` ends in `extension` (".npz"), in any case:
/// standard output is for text. `expected`: what the message names instead of `extension`, if other
/// extensions are accepted as well.
void requireExtension(std::string_view option, const std::filesystem::path& file, std::string_view extension,
                      std::string_view expected = {});

/// Removes the file for which `isIt` holds from those that -o names and returns it; empty if there is none.
/// Throws UsageError for a second one of the `kind` ("pictures").
std::string takeOutput(std::vector<std::string>& outputs, const std::function<bool(const std::string&)>& isIt,
                       std::string_view kind);

/// The same for the picture (.png, .svg or .pdf).
std::string takePicture(std::vector<std::string>& outputs);

/// The same for the table whose name ends in `ending` (".violations.tsv"), in any case.
std::string takeTable(std::vector<std::string>& outputs, std::string_view ending);

/// One of several ways to draw a result.
struct PictureKind {
    std::string_view name;   ///< "difference"
    std::string_view shows;  ///< "upper - lower"
};
/// Declares `--draw KIND=FILE`, which may be repeated; -o draws the first kind.
Option& addDrawOption(Options& options, std::map<std::string, std::filesystem::path, std::less<>>& drawn,
                      std::initializer_list<PictureKind> kinds);

/// Declares `--range LOW,HIGH` or `--range robust` of a picture's colours; `what`: "the heat map's colours".
Option& addRangeOption(Options& options, picture::ColorRange& range, const std::string& what);

}  // namespace glycine
