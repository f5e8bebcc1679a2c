#include "engine/io/text/tsv.hpp"

#include <fmt/format.h>

#include <iterator>

namespace glycine::io {

PairTableWriter::PairTableWriter(const std::filesystem::path& path, std::span<const std::string> atomNames)
    : file_(path), atomNames_(atomNames) {
    file_.text() = atomNames_.empty() ? "i\tj\tlower\tupper" : "i\tj\tatom_i\tatom_j\tlower\tupper";
    file_.endLine();
}

void PairTableWriter::add(std::size_t i, std::size_t j, double lower, double upper) {
    const auto line = std::back_inserter(file_.text());
    if (atomNames_.empty())
        fmt::format_to(line, "{}\t{}\t{}\t{}", i + 1, j + 1, lower, upper);
    else
        fmt::format_to(line, "{}\t{}\t{}\t{}\t{}\t{}", i + 1, j + 1, atomNames_[i], atomNames_[j], lower,
                       upper);
    file_.endLine();
}

void PairTableWriter::commit() {
    file_.commit();
}

}  // namespace glycine::io
