#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/picture/heat_map.hpp"

namespace glycine {

/// Refuses, before any work is done, outputs that could not or must not be written: throws UsageError when
/// one is among the `inputs` (by whatever path), when two are the same file, when it is a folder, or when its
/// folder is missing or may not be written; Error when it is a device or a pipe. "-", standard output, is
/// none of these. Refuses as well inputs that are where a run would keep its working files, next to an output
/// or to one of `alsoKeptNextTo` (storage/unfinished.hpp).
void checkOutputFiles(const std::vector<std::filesystem::path>& outputs,
                      const std::vector<std::filesystem::path>& inputs,
                      const std::vector<std::filesystem::path>& alsoKeptNextTo = {});

/// Throws UsageError unless the name of the `file` given with `option` ends in `extension` (".npz"), whatever
/// its case: standard output is for text. `expected`: what the message names instead, where other endings
/// have been accepted before.
void requireExtension(std::string_view option, const std::filesystem::path& file, std::string_view extension,
                      std::string_view expected = {});

/// Takes the picture out of the files that -o names: one that ends in .png, .svg or .pdf. Empty: there is
/// none. Throws UsageError for a second one.
std::string takePicture(std::vector<std::string>& outputs);

/// One of several pictures of a result.
struct PictureKind {
    std::string_view name;   ///< "difference"
    std::string_view shows;  ///< "upper - lower"
};
/// Declares `--draw KIND=FILE`, which may be given several times; the first kind is what -o draws, too.
Option& addDrawOption(Options& options, std::map<std::string, std::filesystem::path, std::less<>>& drawn,
                      std::initializer_list<PictureKind> kinds);

/// Declares `--range LOW,HIGH` or `--range robust` of a picture's colours; `what`: "the heat map's colours".
Option& addRangeOption(Options& options, picture::ColorRange& range, const std::string& what);

}  // namespace glycine
