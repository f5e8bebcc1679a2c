#include "engine/alignment/results/alignment_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/alignment/results/alignment_text.hpp"
#include "engine/alignment/results/clustal_text.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/text.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/trees/newick.hpp"

namespace glycine::align {

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
            return clustalText(alignment.alphabet, alignment.names, alignment.rows);
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
    // Of many thousand rows FASTA is what is asked for: there is no second copy of them.
    if (format == AlignmentFormat::Fasta) {
        storage::AtomicFile file(path);
        for (std::size_t k = 0; k < alignment.size(); ++k) file.write(fastaRow(alignment, k));
        file.commit();
        return;
    }
    // The text grows by doubling.
    requireHostMemory(fmt::format("{}: its text; a FASTA file takes much less", path.string()),
                      2.5 * static_cast<double>(alignment.size()) * static_cast<double>(alignment.columns()));
    const std::string text = alignmentText(alignment, format, path.filename().string());
    storage::AtomicFile file(path);
    file.write(text);
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

void writeTree(const std::filesystem::path& path, const trees::Tree& tree, std::span<const std::string> names,
               bool isClustalW) {
    storage::AtomicFile file(path);
    // ClustalW never quotes names.
    const bool areBare = std::ranges::all_of(
        names, [](const std::string& name) { return name.find_first_of("()[]{}'\":;,") == name.npos; });
    const trees::NewickForm form =
        isClustalW && areBare ? trees::NewickForm::ClustalW : trees::NewickForm::RoundTrip;
    file.write(trees::newickTree(tree, names, form) + '\n');
    file.commit();
}

}  // namespace glycine::align
