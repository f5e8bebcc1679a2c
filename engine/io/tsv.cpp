#include "engine/io/tsv.hpp"

#include <fmt/format.h>

#include <iterator>

namespace glycine::io {

PairTableWriter::PairTableWriter(const std::filesystem::path& path, std::span<const std::string> atomNames)
    : file_(path), atomNames_(atomNames) {
    buffer_ = atomNames_.empty() ? "i\tj\tlower\tupper\n" : "i\tj\tatom_i\tatom_j\tlower\tupper\n";
}

void PairTableWriter::add(std::size_t i, std::size_t j, double lower, double upper) {
    constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    if (atomNames_.empty())
        fmt::format_to(std::back_inserter(buffer_), "{}\t{}\t{}\t{}\n", i + 1, j + 1, lower, upper);
    else
        fmt::format_to(std::back_inserter(buffer_), "{}\t{}\t{}\t{}\t{}\t{}\n", i + 1, j + 1, atomNames_[i],
                       atomNames_[j], lower, upper);
    if (buffer_.size() < kBufferBytes) return;
    file_.write(buffer_);
    buffer_.clear();
}

void PairTableWriter::commit() {
    file_.write(buffer_);
    buffer_.clear();
    file_.commit();
}

}  // namespace glycine::io
