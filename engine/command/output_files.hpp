#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

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

}  // namespace glycine
