#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"

namespace glycine {

/// Properties that a resumed run must share with the stopped one, one "name: value" per line: the program's
/// version, every option that affects results, and added facts about the inputs.
class RunIdentity {
  public:
    /// Uses the present values of the options; those that depend on the input must be set.
    explicit RunIdentity(const Options& options);
    /// `value` must not contain line breaks.
    void add(std::string_view name, std::string_view value);
    /// Adds a checksum of the files' contents.
    void addContents(std::string_view name, const std::vector<std::filesystem::path>& files);
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace glycine
