#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glycine::io {

/// A header or marker file of the BrainVision format: an identifying line, then sections of KEY=VALUE lines.
class BrainVisionText {
  public:
    struct Entry {
        std::string section;
        std::string key;
        std::string value;
        std::size_t line = 0;  ///< counted from 1
    };

    /// Reads text that is UTF-8 (a byte order mark is skipped) or else Latin-1. `kind` is the word in the
    /// identifying line: "Header", "Marker". Comment lines begin with a semicolon; a section [Comment] ends
    /// the file. Names of sections and keys do not depend on case. Lines without "=" are passed over:
    /// sections that programs add hold any text. Throws InputError for another identifying line and a version
    /// other than 1.0 and 2.0, and for a key that the section [Common Infos], [Binary Infos] or [Channel
    /// Infos] has twice.
    BrainVisionText(std::string_view text, std::string fileName, std::string_view kind);

    /// Nothing where the key is absent or its value empty.
    const Entry* find(std::string_view section, std::string_view key) const;
    /// Throws InputError where `find` finds nothing.
    const Entry& require(std::string_view section, std::string_view key) const;
    const std::vector<Entry>& entries() const { return entries_; }

    /// Throws InputError: "FILE: line 12: KEY=VALUE; expected EXPECTED".
    [[noreturn]] void refuse(const Entry& entry, std::string_view expected) const;
    const std::string& fileName() const { return fileName_; }

  private:
    void checkIdentification(std::string_view line, std::string_view kind) const;
    void indexEntries();

    std::string fileName_;
    std::vector<Entry> entries_;
    /// Positions in `entries_` by section and key, both in small letters.
    std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

/// The comma-separated fields of a value, without the spaces around them; "\1" stands for a comma in a field.
std::vector<std::string> brainVisionFields(std::string_view value);

}  // namespace glycine::io
