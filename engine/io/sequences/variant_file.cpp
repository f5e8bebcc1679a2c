#include "engine/io/sequences/variant_file.hpp"

#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/input_file.hpp"
#include "engine/storage/nameless_file.hpp"

namespace glycine::io {

namespace {

/// Throws InputError when the line with the names of the columns names a sample twice.
void requireDifferentSamples(std::string_view line, const std::string& name, std::size_t lineNumber) {
    constexpr std::size_t kFixedColumns = 9;
    line = line.substr(0, line.find_last_not_of("\r\n") + 1);
    std::unordered_map<std::string_view, std::size_t> columns;
    for (std::size_t column = 1; !line.empty(); ++column) {
        const std::string_view title = line.substr(0, line.find('\t'));
        line.remove_prefix(std::min(title.size() + 1, line.size()));
        if (column <= kFixedColumns) continue;
        const auto [first, isNew] = columns.emplace(title, column);
        if (!isNew)
            throw InputError(
                fmt::format("{}: line {}: columns {} and {} are both named '{}'; expected each sample once",
                            name, lineNumber, first->second, column, excerpt(title)));
    }
}

/// Says what is wrong with the header of a VCF file that HTSlib refuses.
[[noreturn]] void refuseVcfHeader(const std::string& name) {
    TextStream stream(openFile(name));
    LineReader lines(stream);
    std::string_view line = lines.next();
    while (line.starts_with("##")) line = lines.next();
    if (!line.starts_with("#CHROM"))
        throw InputError(
            fmt::format("{}: line {}: expected the line with the names of the columns, which begins #CHROM",
                        name, lines.number()));
    requireDifferentSamples(line, name, lines.number());
    throw InputError(fmt::format("{}: the header up to line {} cannot be read", name, lines.number()));
}

/// Throws InputError for a file of bgzip with a block that cannot be unpacked.
void requireSoundBlocks(const std::string& name, std::size_t recordsRead) {
    const std::unique_ptr<BGZF, Release<bgzf_close>> file(
        bgzf_open(storage::openablePath(name).c_str(), "r"));
    if (file == nullptr) throw InputError(fmt::format("{}: cannot be read", name));
    std::vector<char> text(std::size_t{1} << 16);
    while (bgzf_read(file.get(), text.data(), text.size()) > 0) continue;
    // A block that has been used up leaves the address of the next one.
    if (file->errcode != 0)
        throw InputError(fmt::format(
            "{}: damaged or truncated: the compressed block at byte {} cannot be unpacked{}", name,
            file->block_address, recordsRead > 0 ? fmt::format(" (behind record {})", recordsRead) : ""));
}

/// Throws InputError for gzip data that cannot be unpacked.
void requireSoundGzip(const std::string& name) {
    TextStream stream(openFile(name));
    std::vector<char> text(std::size_t{1} << 16);
    while (stream.read(text) > 0) continue;
}

}  // namespace

VariantFile::VariantFile(const std::filesystem::path& path)
    : name_(path.string()),
      file_(open()),
      header_(bcf_hdr_read(file_.get())),
      work_(fmt::format("reading {}", path.filename().string()),
            static_cast<double>(storage::InputDescriptor(path).size())) {
    requireHeader();
}

FilePointer VariantFile::open() const {
    // Refuses what is no regular file, in the words that all readers have.
    (void)openFile(name_);
    const std::string path = storage::openablePath(name_);
    hFILE* const bytes = hopen(path.c_str(), "r");
    FilePointer file;
    if (bytes != nullptr) {
        // HTSlib, which tells the format by the first bytes, takes no byte order mark for one of text.
        std::array<char, kByteOrderMark.size()> start{};
        const ssize_t count = hpeek(bytes, start.data(), start.size());
        if (std::string_view(start.data(), count > 0 ? static_cast<std::size_t>(count) : 0) == kByteOrderMark)
            static_cast<void>(hread(bytes, start.data(), start.size()));
        file.reset(hts_hopen(bytes, path.c_str(), "r"));
        if (file == nullptr) static_cast<void>(hclose(bytes));
    }
    if (file == nullptr) throw InputError(fmt::format("{}: cannot be read; expected VCF or BCF", name_));
    return file;
}

void VariantFile::requireHeader() const {
    const htsFormat& format = *hts_get_format(file_.get());
    const bool isVariants = format.format == vcf || format.format == bcf;
    if (!isVariants || header_ == nullptr) requireSound();
    if (!isVariants) {
        const std::unique_ptr<char, Release<std::free>> found(hts_format_description(&format));
        throw InputError(
            fmt::format("{}: is {}; expected VCF (the first line begins ##fileformat=VCF) or BCF", name_,
                        found != nullptr ? found.get() : "of an unknown format"));
    }
    if (header_ == nullptr && format.format == vcf) refuseVcfHeader(name_);
    if (header_ == nullptr) throw InputError(fmt::format("{}: the header cannot be read as BCF", name_));
    if (sampleCount() == 0)
        throw InputError(fmt::format(
            "{}: has no samples; expected FORMAT and the names of samples as the columns behind INFO",
            name_));
}

std::string_view VariantFile::chromosome() const {
    const char* name = bcf_seqname(header_.get(), record_.get());
    return name != nullptr ? name : "?";
}

std::string VariantFile::place() const {
    return fmt::format("{}: record {} ({}:{})", name_, records_, excerpt(chromosome()),
                       static_cast<std::uint64_t>(position()));
}

void VariantFile::refuse(const std::string& message) const {
    requireSound();
    requireLastBlock();
    throw InputError(message);
}

bool VariantFile::isPacked() const {
    const htsFormat& format = *hts_get_format(file_.get());
    return format.format == bcf || format.compression != no_compression;
}

bool VariantFile::isDamaged() const {
    return isPacked() && file_->fp.bgzf->errcode != 0;
}

void VariantFile::requireSound() const {
    const htsCompression packing = hts_get_format(file_.get())->compression;
    const std::size_t recordsRead = records_ > 0 ? records_ - 1 : 0;
    if (packing == bgzf) requireSoundBlocks(name_, recordsRead);
    if (packing == gzip) requireSoundGzip(name_);
}

void VariantFile::requireLastBlock() const {
    // bgzip ends a file with an empty block; without it, whole blocks may be lost.
    constexpr int kNoMarker = 0;
    if (hts_check_EOF(file_.get()) == kNoMarker)
        throw InputError(
            fmt::format("{}: truncated: it ends behind record {} without the last block that "
                        "bgzip writes",
                        name_, records_ - 1));
}

void VariantFile::requirePosition() const {
    if (hts_get_format(file_.get())->format != vcf) return;
    // HTSlib reads "abc" as 0 and "12abc" as 12. It leaves the line with its first columns cut by zeros.
    const std::string_view line(file_->line.s, file_->line.l);
    constexpr std::string_view kEnds("\t\0", 2);
    const std::size_t begin = std::min(line.find_first_of(kEnds), line.size() - 1) + 1;
    const std::string_view text = line.substr(begin, line.find_first_of(kEnds, begin) - begin);
    if (!isDigits(text))
        refuse(fmt::format("{}: record {}: the position '{}' was found; expected a whole number", name_,
                           records_, excerpt(text)));
}

void VariantFile::showProgress() {
    const off_t bytes = htell(isPacked() ? file_->fp.bgzf->fp : file_->fp.hfile);
    work_.advance(static_cast<double>(bytes - bytesRead_));
    bytesRead_ = bytes;
}

bool VariantFile::next() {
    ++records_;
    showProgress();
    const int status = bcf_read(file_.get(), header_.get(), record_.get());
    if (isDamaged()) {
        requireSound();
        throw InputError(fmt::format("{}: damaged or truncated: the compressed data end behind record {}",
                                     name_, records_ - 1));
    }
    if (status == -1) {
        requireLastBlock();
        return false;
    }
    requirePosition();
    // A chromosome or field that the header does not declare is customary.
    constexpr int kHarmless = BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF;
    if ((record_->errcode & BCF_ERR_NCOLS) != 0)
        refuse(fmt::format("{}: has another number of columns than the header, which names {} samples",
                           place(), sampleCount()));
    if (status != 0 || (record_->errcode & ~kHarmless) != 0)
        refuse(fmt::format("{}: cannot be read; is the line cut off or damaged?", place()));
    return true;
}

}  // namespace glycine::io
