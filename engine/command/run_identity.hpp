#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"

namespace glycine {

/// What a stopped run must have in common with one that goes on from it, one "name: value" a line: the
/// version of the program, every declared option that decides results, and what else is added: facts that
/// follow from the inputs.
class RunIdentity {
  public:
    /// With the present values of the options: those that depend on the input must have been filled in.
    explicit RunIdentity(const Options& options);
    /// `value`: without line breaks.
    void add(std::string_view name, std::string_view value);
    /// A checksum of the files' contents.
    void addContents(std::string_view name, const std::vector<std::filesystem::path>& files);
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace glycine
