#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/input/file_tables.hpp"
#include "engine/io/text/delimited_table.hpp"

namespace glycine::crossapen {

namespace {

namespace fs = std::filesystem;

/// Collects the rows of the table.
class TableReader {
  public:
    TableReader(const fs::path& path, const std::vector<fs::path>& files)
        : path_(path), files_(files), assigned_(files.size()) {}

    void addRow(const io::DelimitedRow& row) {
        if (!width_ && takeHeader(row)) return;
        if (!width_) {
            width_ = 2;
            if (row.size() != 2)
                fail(row, fmt::format("has {} fields; expected two, file and group, or a header line with "
                                      "these titles",
                                      row.size()));
        }
        if (row.size() != *width_)
            fail(row, fmt::format("has {} fields; expected {}, as the lines before", row.size(), *width_));
        const std::string file(row[fileColumn_]);
        const std::string group(row[groupColumn_]);
        if (file.empty() || group.empty())
            fail(row, fmt::format("has no {}", file.empty() ? "file" : "group"));
        if (!isUtf8(group)) fail(row, "the name of the group is not UTF-8");
        assign(row, file, group, subjectColumn_ ? std::string(row[*subjectColumn_]) : "");
    }

    GroupTable take() {
        for (std::size_t k = 0; k < files_.size(); ++k)
            if (!assigned_[k])
                throw InputError(
                    fmt::format("{}: names no group for {}; expected a line with '{}' and its group",
                                path_.string(), files_[k].string(), files_[k].filename().string()));
        GroupTable table;
        std::vector<std::size_t> newIndex(groups_.size());
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            const bool hasFiles = std::any_of(assigned_.begin(), assigned_.end(),
                                              [group](const auto& of) { return of->group == group; });
            newIndex[group] = table.groups.size();
            if (hasFiles) table.groups.push_back(groups_[group]);
        }
        if (table.groups.size() < 2)
            throw InputError(
                fmt::format("{}: all files belong to the group '{}'; expected at least two groups",
                            path_.string(), table.groups.empty() ? "" : table.groups.front()));
        for (const auto& of : assigned_) {
            table.groupOf.push_back(newIndex[of->group]);
            if (subjectColumn_) table.subjectOf.push_back(of->subject);
        }
        return table;
    }

  private:
    struct Assignment {
        std::size_t group;
        std::size_t line;
        std::string subject;
    };

    [[noreturn]] void fail(const io::DelimitedRow& row, std::string_view what) const {
        throw InputError(fmt::format("{}: line {}: {}", path_.string(), row.line(), what));
    }

    /// Whether the first row is a header: it has a title `file` and a title `group`.
    bool takeHeader(const io::DelimitedRow& row) {
        std::optional<std::size_t> file;
        std::optional<std::size_t> group;
        std::optional<std::size_t> subject;
        for (std::size_t k = 0; k < row.size(); ++k) {
            const std::string title = lowerCase(row[k]);
            if (title == "file") file = k;
            if (title == "group") group = k;
            if (title == "subject") subject = k;
        }
        if (!file || !group) return false;
        fileColumn_ = *file;
        groupColumn_ = *group;
        subjectColumn_ = subject;
        width_ = row.size();
        return true;
    }

    /// Indices of the files that the name matches best.
    std::vector<std::size_t> bestFits(const std::string& name) const {
        std::vector<std::size_t> best;
        NameFit fit = NameFit::Stem;
        for (std::size_t k = 0; k < files_.size(); ++k) {
            const NameFit one = fitOf(name, path_, files_[k]);
            if (one > fit) best.clear();
            if (one < fit) continue;
            fit = one;
            best.push_back(k);
        }
        return best;
    }

    void assign(const io::DelimitedRow& row, const std::string& file, const std::string& group,
                const std::string& subject) {
        const std::vector<std::size_t> found = bestFits(file);
        if (found.size() > 1)
            fail(row, fmt::format("'{}' fits several files, {} and {}; expected a path that fits one",
                                  excerpt(file), files_[found[0]].string(), files_[found[1]].string()));
        const auto known = std::find(groups_.begin(), groups_.end(), group);
        const auto index = static_cast<std::size_t>(known - groups_.begin());
        if (known == groups_.end()) groups_.push_back(group);
        if (found.empty()) return;
        std::optional<Assignment>& assignment = assigned_[found.front()];
        if (assignment && assignment->group != index)
            fail(row, fmt::format("{} belongs to the group '{}', but to '{}' by line {}",
                                  files_[found.front()].string(), excerpt(group),
                                  excerpt(groups_[assignment->group]), assignment->line));
        if (assignment && assignment->subject != subject)
            fail(row, fmt::format("{} is of the subject '{}', but of '{}' by line {}",
                                  files_[found.front()].string(), excerpt(subject),
                                  excerpt(assignment->subject), assignment->line));
        if (!assignment) assignment = {index, row.line(), subject};
    }

    const fs::path& path_;
    const std::vector<fs::path>& files_;
    std::optional<std::size_t> width_;  ///< fields per row
    std::size_t fileColumn_ = 0;
    std::size_t groupColumn_ = 1;
    std::optional<std::size_t> subjectColumn_;
    std::vector<std::string> groups_;
    std::vector<std::optional<Assignment>> assigned_;
};

}  // namespace

GroupTable readGroupTable(const fs::path& path, const std::vector<fs::path>& files) {
    TableReader reader(path, files);
    io::visitDelimitedRows(*io::openText(path), [&](const io::DelimitedRow& row) { reader.addRow(row); });
    return reader.take();
}

}  // namespace glycine::crossapen
