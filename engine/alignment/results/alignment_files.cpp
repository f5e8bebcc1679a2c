#include "engine/alignment/results/alignment_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/trees/newick.hpp"

namespace glycine::align {

namespace {

std::size_t longestName(const MultipleAlignment& alignment, std::size_t atLeast) {
    std::size_t longest = atLeast;
    for (const std::string& name : alignment.names) longest = std::max(longest, name.size());
    return longest;
}

void appendPadded(std::string& text, std::string_view name, std::size_t width) {
    text += name;
    text.append(width - std::min(width, name.size()), ' ');
}

}  // namespace

std::string fastaRow(const MultipleAlignment& alignment, std::size_t row) {
    constexpr std::size_t kLine = 60;
    std::string text = '>' + alignment.names[row] + '\n';
    for (std::size_t begin = 0; begin < alignment.columns(); begin += kLine) {
        text.append(alignment.rows[row], begin, kLine);
        text += '\n';
    }
    return text;
}

std::string phylipText(const MultipleAlignment& alignment) {
    constexpr std::size_t kNameOfStrictForm = 10;
    const std::size_t width = longestName(alignment, kNameOfStrictForm) + 1;
    std::string text = fmt::format("{} {}\n", alignment.size(), alignment.columns());
    for (std::size_t k = 0; k < alignment.size(); ++k) {
        appendPadded(text, alignment.names[k], width);
        text += alignment.rows[k] + '\n';
    }
    return text;
}

std::string confidenceText(std::span<const double> values) {
    std::string text;
    for (const double value : values) {
        const int tenths = std::isnan(value) ? -1 : static_cast<int>(std::floor(value * 10 + 0.5));
        text += tenths < 0 ? '.' : tenths >= 10 ? '*' : static_cast<char>('0' + tenths);
    }
    return text;
}

std::string stockholmText(const MultipleAlignment& alignment) {
    constexpr std::string_view kOfRow = "#=GR ", kOfColumns = "#=GC PP_cons";
    const bool isSure = !alignment.confidence.empty(), areSure = !alignment.residueConfidence.empty();
    const std::size_t ofRow = areSure ? longestName(alignment, 0) + kOfRow.size() + 3 : 0;
    const std::size_t width = longestName(alignment, std::max(ofRow, isSure ? kOfColumns.size() : 0)) + 1;
    std::string text = "# STOCKHOLM 1.0\n\n";
    for (std::size_t k = 0; k < alignment.size(); ++k) {
        appendPadded(text, alignment.names[k], width);
        text += alignment.rows[k] + '\n';
        if (!areSure) continue;
        appendPadded(text, fmt::format("{}{} PP", kOfRow, alignment.names[k]), width);
        text += confidenceText(confidenceOfRow(alignment, k)) + '\n';
    }
    if (isSure) {
        appendPadded(text, kOfColumns, width);
        text += confidenceText(alignment.confidence) + '\n';
    }
    return text + "//\n";
}

std::string msfText(const MultipleAlignment& alignment, std::string_view name) {
    constexpr std::size_t kBlockOfMsf = 50;
    constexpr std::size_t kGroupOfMsf = 10;
    const std::size_t width = longestName(alignment, 0);
    std::vector<std::string> rows = alignment.rows;
    for (std::string& row : rows) std::ranges::replace(row, '-', '.');
    std::size_t all = 0;
    for (const std::string& row : rows) all += gcgChecksum(row);
    const bool isProtein = alignment.alphabet == Alphabet::Protein;
    std::string text =
        fmt::format("!!{}_MULTIPLE_ALIGNMENT 1.0\n\n {}  MSF: {}  Type: {}  Check: {} ..\n\n",
                    isProtein ? "AA" : "NA", name, alignment.columns(), isProtein ? 'P' : 'N', all % 10000);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        text += " Name: ";
        appendPadded(text, alignment.names[k], width);
        fmt::format_to(std::back_inserter(text), "  Len: {}  Check: {:4}  Weight: 1.00\n", rows[k].size(),
                       gcgChecksum(rows[k]));
    }
    text += "\n//\n";
    for (std::size_t begin = 0; begin < alignment.columns(); begin += kBlockOfMsf) {
        text += '\n';
        const std::size_t end = std::min(begin + kBlockOfMsf, alignment.columns());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            appendPadded(text, alignment.names[k], width);
            for (std::size_t group = begin; group < end; group += kGroupOfMsf) {
                text += ' ';
                text.append(rows[k], group, std::min(kGroupOfMsf, end - group));
            }
            text += '\n';
        }
    }
    return text;
}

// ---- ClustalW's

namespace {

// Columns per block; fewer if names are long.
constexpr std::size_t kBlock = 60, kShortBlock = 50, kLongNames = 20;
constexpr std::size_t kShortestNames = 10;
constexpr std::size_t kSpacesAfterName = 6;

constexpr std::array<std::string_view, 9> kStrongGroups{"STA",  "NEQK", "NHQK", "NDEQ", "QHRK",
                                                        "MILV", "MILF", "HY",   "FYW"};
constexpr std::array<std::string_view, 11> kWeakGroups{"CSA",    "ATV",    "SAG",    "STNK",  "STPA", "SGND",
                                                       "SNDEQK", "NDEQHK", "NEQHRK", "FVLIM", "HFY"};

}  // namespace

char conservationSign(Alphabet alphabet, std::span<const std::string> rows, std::size_t column) {
    const auto all = [&](auto&& isIn) {
        return std::ranges::all_of(rows, [&](const std::string& row) { return isIn(row[column]); });
    };
    const char first = rows.front()[column];
    if (first == '-') return ' ';
    if (all([&](char letter) { return letter == first; })) return '*';
    if (alphabet != Alphabet::Protein) return ' ';
    const auto isWithin = [&](std::string_view group) {
        return all([&](char letter) { return group.find(letter) != std::string_view::npos; });
    };
    if (std::ranges::any_of(kStrongGroups, isWithin)) return ':';
    if (std::ranges::any_of(kWeakGroups, isWithin)) return '.';
    return ' ';
}

std::string clustalText(Alphabet alphabet, std::span<const std::string> names,
                        std::span<const std::string> rows, std::string_view title) {
    std::size_t longest = kShortestNames;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    const std::size_t width = longest + kSpacesAfterName;
    const std::size_t block = longest > kLongNames ? kShortBlock : kBlock;
    std::string text = fmt::format("CLUSTAL {}\n\n", title);
    const std::size_t columns = rows.front().size();
    for (std::size_t begin = 0; begin < columns; begin += block) {
        const std::size_t length = std::min(block, columns - begin);
        text += '\n';
        for (std::size_t k = 0; k < rows.size(); ++k) {
            text += names[k];
            text.append(width - names[k].size(), ' ');
            text.append(rows[k], begin, length);
            text += '\n';
        }
        text.append(width, ' ');
        for (std::size_t column = begin; column < begin + length; ++column)
            text += conservationSign(alphabet, rows, column);
        text += '\n';
    }
    return text;
}

namespace {

constexpr NameTable<AlignmentFormat, 12> kEndings{{{AlignmentFormat::Clustal, ".aln"},
                                                   {AlignmentFormat::Clustal, ".clustal"},
                                                   {AlignmentFormat::Fasta, ".fa"},
                                                   {AlignmentFormat::Fasta, ".fasta"},
                                                   {AlignmentFormat::Fasta, ".fas"},
                                                   {AlignmentFormat::Fasta, ".afa"},
                                                   {AlignmentFormat::Phylip, ".phy"},
                                                   {AlignmentFormat::Phylip, ".phylip"},
                                                   {AlignmentFormat::Stockholm, ".sto"},
                                                   {AlignmentFormat::Stockholm, ".stk"},
                                                   {AlignmentFormat::Stockholm, ".stockholm"},
                                                   {AlignmentFormat::Msf, ".msf"}}};

}  // namespace

void checkNames(const std::filesystem::path& file, std::span<const std::string> names,
                AlignmentFormat format) {
    for (const std::string& name : names) {
        const bool isMarkup =
            (format == AlignmentFormat::Stockholm && (name.starts_with('#') || name.starts_with("//"))) ||
            (format == AlignmentFormat::Msf && name.starts_with("//"));
        if (isMarkup)
            throw InputError(
                fmt::format("{}: the name '{}' stands for something else in the format {}; "
                            "expected names that do not begin with '#' or '//'",
                            file.string(), excerpt(name), toString(format)));
    }
}

std::optional<AlignmentFormat> alignmentFormat(const std::filesystem::path& path) {
    if (storage::isStandardOutput(path)) return AlignmentFormat::Fasta;
    const std::string ending = lowerCase(path.extension().string());
    for (const auto& [format, known] : kEndings)
        if (known == ending) return format;
    return std::nullopt;
}

std::string_view alignmentEndings() {
    return ".aln, .clustal (Clustal), .fa, .fasta, .fas, .afa (FASTA), .phy, .phylip (PHYLIP), .sto, .stk, "
           ".stockholm (Stockholm), .msf (GCG)";
}

std::string alignmentText(const MultipleAlignment& alignment, AlignmentFormat format,
                          const std::string& name) {
    checkNames(name, alignment.names, format);
    std::string text;
    switch (format) {
        case AlignmentFormat::Clustal:
            return clustalText(alignment.alphabet, alignment.names, alignment.rows, alignment.clustalTitle);
        case AlignmentFormat::Fasta:
            for (std::size_t k = 0; k < alignment.size(); ++k) text += fastaRow(alignment, k);
            return text;
        case AlignmentFormat::Phylip:
            return phylipText(alignment);
        case AlignmentFormat::Stockholm:
            return stockholmText(alignment);
        case AlignmentFormat::Msf:
            return msfText(alignment, name);
    }
    return text;
}

void writeAlignment(const std::filesystem::path& path, const MultipleAlignment& alignment,
                    AlignmentFormat format) {
    // FASTA is the format for many thousand rows, so it is written without a second copy of them.
    if (format == AlignmentFormat::Fasta) {
        storage::AtomicFile file(path);
        for (std::size_t k = 0; k < alignment.size(); ++k) file.write(fastaRow(alignment, k));
        file.commit();
        return;
    }
    // Includes the growth of the text by doubling.
    requireHostMemory(fmt::format("{}: its text; a FASTA file takes much less", path.string()),
                      2.5 * static_cast<double>(alignment.size()) * static_cast<double>(alignment.columns()));
    const std::string text = alignmentText(alignment, format, path.filename().string());
    storage::AtomicFile file(path);
    file.write(text);
    file.commit();
}

bool isConfidenceFile(const std::filesystem::path& path) {
    const std::string name = lowerCase(path.string());
    return name.ends_with(".confidence.tsv") || name.ends_with(".confidence.npz");
}

void writeConfidence(const std::filesystem::path& path, const MultipleAlignment& alignment) {
    const std::size_t n = alignment.size(), columns = alignment.columns();
    if (lowerCase(path.string()).ends_with(".npz")) {
        io::NpzWriter archive;
        archive.add("confidence", {.dtype = "<f8",
                                   .itemBytes = sizeof(double),
                                   .rows = n,
                                   .columns = columns,
                                   .copyRow = [&](std::size_t row, std::byte* target) {
                                       const std::vector<double> values = confidenceOfRow(alignment, row);
                                       std::memcpy(target, values.data(), columns * sizeof(double));
                                   }});
        archive.add("columns", io::npyVectorSource<double>(alignment.confidence));
        archive.add("names", alignment.names);
        return archive.write(path);
    }
    io::BufferedText file(path);
    file.text() += "sequence";
    for (std::size_t column = 1; column <= columns; ++column)
        fmt::format_to(std::back_inserter(file.text()), "\t{}", column);
    file.endLine();
    for (std::size_t row = 0; row < n; ++row) {
        file.text() += alignment.names[row];
        for (const double value : confidenceOfRow(alignment, row))
            if (std::isnan(value))
                file.text() += '\t';
            else
                fmt::format_to(std::back_inserter(file.text()), "\t{:.4f}", value);
        file.endLine();
    }
    file.commit();
}

bool isTreeFile(const std::filesystem::path& path) {
    const std::string ending = lowerCase(path.extension().string());
    return storage::isStandardOutput(path) || ending == ".nwk" || ending == ".tree" || isClustalWTree(path);
}

std::string_view treeEndingExpected() {
    return "the ending stands for no tree; known: .nwk, .tree, .dnd, .ph";
}

bool isClustalWTree(const std::filesystem::path& path) {
    const std::string ending = lowerCase(path.extension().string());
    return ending == ".dnd" || ending == ".ph";
}

std::string writeTree(const std::filesystem::path& path, const trees::Tree& tree,
                      std::span<const std::string> names, bool isClustalW) {
    storage::AtomicFile file(path);
    // ClustalW never quotes names.
    const auto special = std::ranges::find_if(
        names, [](const std::string& name) { return name.find_first_of("()[]{}'\":;,") != name.npos; });
    const bool asClustalW = isClustalW && special == names.end();
    file.write(trees::newickTree(tree, names,
                                 asClustalW ? trees::NewickForm::ClustalW : trees::NewickForm::RoundTrip) +
               '\n');
    file.commit();
    if (asClustalW || !isClustalW) return "";
    return fmt::format("{}: as .nwk files are written; ClustalW's form cannot hold the name '{}'",
                       path.string(), excerpt(*special));
}

}  // namespace glycine::align
