#include "engine/crossapen/input/file_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::crossapen {

namespace {

namespace fs = std::filesystem;

class ListReader {
  public:
    explicit ListReader(const fs::path& path)
        : table_(io::readColumnTable(*io::openText(path))),
          file_(table_.column("file")),
          epoch_(table_.column("epoch")),
          onset_(table_.column("onset")),
          duration_(table_.column("duration")) {}

    ArtefactList read() {
        if (!has(epoch_) && !has(onset_))
            throw InputError(fmt::format(
                "{}: has no column 'epoch' and no column 'onset'; expected one of them in the header line",
                table_.name));
        ArtefactList list;
        list.name = table_.name;
        list.namesFiles = has(file_);
        for (row_ = 0; row_ < table_.rows.size(); ++row_) {
            ArtefactList::Entry entry{text(file_), readMark()};
            if (list.namesFiles && entry.file.empty()) refuse("no file", "a file, as in the other lines");
            list.entries.push_back(std::move(entry));
        }
        return list;
    }

  private:
    bool has(std::size_t column) const { return column < table_.titles.size(); }
    std::string text(std::size_t column) const { return has(column) ? table_.rows[row_][column] : ""; }

    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
        throw InputError(fmt::format("{}: line {}: {} was found; expected {}", table_.name,
                                     table_.lines[row_], found, expected));
    }

    double number(std::size_t column, const std::string& expected) const {
        const std::optional<io::HeaderNumber> value = io::parseHeaderNumber(text(column));
        if (!value || value->hasComma || !(value->value >= 0))
            refuse(fmt::format("{} '{}'", table_.titles[column], excerpt(text(column))), expected);
        return value->value;
    }

    ArtefactMark readMark() const {
        ArtefactMark mark;
        mark.source = fmt::format("artefact list, line {}", table_.lines[row_]);
        const bool hasEpoch = !text(epoch_).empty(), hasOnset = !text(onset_).empty();
        if (hasEpoch == hasOnset)
            refuse(hasEpoch ? "an epoch and an onset" : "neither an epoch nor an onset", "one of them");
        if (hasEpoch) {
            const std::string expected = "the number of an epoch, a whole number from 1";
            const double epoch = number(epoch_, expected);
            if (epoch < 1 || epoch != std::trunc(epoch) || epoch > 1e15)
                refuse(fmt::format("epoch '{}'", excerpt(text(epoch_))), expected);
            mark.epoch = static_cast<std::size_t>(epoch);
        } else {
            mark.onset = number(onset_, "a time in seconds, at least 0");
            if (!text(duration_).empty())
                mark.duration = number(duration_, "a duration in seconds, at least 0");
        }
        return mark;
    }

    io::ColumnTable table_;
    std::size_t file_, epoch_, onset_, duration_;  ///< columns
    std::size_t row_ = 0;
};

}  // namespace

namespace fs = std::filesystem;

NameFit fitOf(const fs::path& listed, const fs::path& table, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const fs::path folder = fs::absolute(table).parent_path();
    if (fs::absolute(listed).lexically_normal() == whole || (folder / listed).lexically_normal() == whole)
        return NameFit::Path;
    if (listed == file.filename()) return NameFit::Name;
    // "a/b.csv.gz" → "b".
    const fs::path unpacked = lowerCase(file.extension().string()) == ".gz" ? file.stem() : file.filename();
    return listed == unpacked.stem() ? NameFit::Stem : NameFit::None;
}

std::vector<ArtefactMark> ArtefactList::marksOf(const fs::path& file) const {
    std::vector<ArtefactMark> marks;
    for (const Entry& entry : entries)
        if (!namesFiles || fitOf(entry.file, name, file) != NameFit::None) marks.push_back(entry.mark);
    return marks;
}

ArtefactList readArtefactList(const fs::path& path) {
    return ListReader(path).read();
}

std::vector<ArtefactMark> annotationMarks(std::span<const io::RecordingAnnotation> annotations,
                                          std::span<const std::string> texts) {
    std::vector<ArtefactMark> marks;
    for (const io::RecordingAnnotation& annotation : annotations)
        if (std::any_of(texts.begin(), texts.end(),
                        [&](const std::string& text) { return matchesWildcards(text, annotation.text); }))
            marks.push_back({std::nullopt, annotation.onset, annotation.duration.value_or(0),
                             fmt::format("annotation '{}' at {} s", annotation.text, annotation.onset)});
    return marks;
}

}  // namespace glycine::crossapen
