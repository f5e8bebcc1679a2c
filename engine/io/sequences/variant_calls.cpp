#include "engine/io/sequences/variant_calls.hpp"

#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/vcf.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/row_collector.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

/// Silences HTSlib, which reports on stderr what this reader throws as errors.
class SilentHtslib {
  public:
    SilentHtslib() : level_(hts_get_log_level()) { hts_set_log_level(HTS_LOG_OFF); }
    SilentHtslib(const SilentHtslib&) = delete;
    SilentHtslib& operator=(const SilentHtslib&) = delete;
    ~SilentHtslib() { hts_set_log_level(level_); }

  private:
    htsLogLevel level_;
};

template <auto release>
struct Release {
    template <class T>
    void operator()(T* pointer) const {
        release(pointer);
    }
};
using FilePointer = std::unique_ptr<htsFile, Release<hts_close>>;
using HeaderPointer = std::unique_ptr<bcf_hdr_t, Release<bcf_hdr_destroy>>;
using RecordPointer = std::unique_ptr<bcf1_t, Release<bcf_destroy>>;

/// The records of a VCF or BCF file, read one by one by HTSlib. Before any error about a record, the file
/// itself is checked, because a damaged block looks like a bad record.
class VariantFile {
  public:
    /// Opens the file and reads its header. Throws InputError for another format, a missing header, no
    /// samples, a repeated sample, or damaged compressed data.
    explicit VariantFile(const std::filesystem::path& path);

    const bcf_hdr_t* header() const { return header_.get(); }
    bcf1_t* record() { return record_.get(); }
    std::size_t sampleCount() const { return static_cast<std::size_t>(bcf_hdr_nsamples(header_.get())); }
    /// Advances record() to the next record; returns false if there is none. Throws InputError for an
    /// unreadable record, and at the end of an incomplete file. Shows progress and can be cancelled.
    bool next();
    std::string_view chromosome() const;
    std::int64_t position() const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(record_->pos) + 1);
    }
    /// "." if the record has none.
    std::string_view id() const {
        bcf_unpack(record_.get(), BCF_UN_STR);
        return record_->d.id != nullptr ? record_->d.id : ".";
    }
    /// "calls.vcf: record 3 (21:9411239)", for messages.
    std::string place() const;
    /// Throws InputError with `message`, or with a defect of the file as a whole.
    [[noreturn]] void refuse(const std::string& message) const;

  private:
    FilePointer open() const;
    void requireHeader() const;
    void requirePosition() const;
    void requireSound() const;
    void requireLastBlock() const;
    bool isPacked() const;
    bool isDamaged() const;
    void showProgress();
    void startUnpacking() const;

    std::string name_;
    SilentHtslib silence_;
    FilePointer file_;
    HeaderPointer header_;
    RecordPointer record_{bcf_init()};
    std::size_t records_ = 0;  ///< records begun
    BackgroundWork work_;
    std::int64_t bytesRead_ = 0;
};

/// Throws InputError if the line of column names repeats a sample.
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

/// Explains why HTSlib refuses the header of a VCF file.
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

/// Throws InputError if a bgzip file has a block that cannot be unpacked.
void requireSoundBlocks(const std::string& name, std::size_t recordsRead) {
    const std::unique_ptr<BGZF, Release<bgzf_close>> file(
        bgzf_open(storage::openablePath(name).c_str(), "r"));
    if (file == nullptr) throw InputError(fmt::format("{}: cannot be read", name));
    std::vector<char> text(std::size_t{1} << 16);
    while (bgzf_read(file.get(), text.data(), text.size()) > 0) continue;
    // After the last good block, the address is that of the next one.
    if (file->errcode != 0)
        throw InputError(fmt::format(
            "{}: damaged or truncated: the compressed block at byte {} cannot be unpacked{}", name,
            file->block_address, recordsRead > 0 ? fmt::format(" (after record {})", recordsRead) : ""));
}

/// Throws InputError if gzip data cannot be unpacked.
void requireSoundGzip(const std::string& name) {
    TextStream stream(openFile(name));
    std::vector<char> text(std::size_t{1} << 16);
    while (stream.read(text) > 0) continue;
}

VariantFile::VariantFile(const std::filesystem::path& path)
    : name_(path.string()),
      file_(open()),
      header_(bcf_hdr_read(file_.get())),
      work_(fmt::format("reading {}", path.filename().string()),
            static_cast<double>(storage::InputDescriptor(path).size())) {
    requireHeader();
    startUnpacking();
}

/// Lets other threads unpack the blocks of large files ahead of this thread, which parses them.
void VariantFile::startUnpacking() const {
    constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
    // Unpacking a block takes a few times less than parsing it.
    constexpr int kMost = 4;
    const int others = std::min(omp_get_max_threads() - 1, kMost);
    if (hts_get_format(file_.get())->compression == bgzf && others > 0 &&
        storage::InputDescriptor(name_).size() >= kLarge)
        (void)hts_set_threads(file_.get(), others);
}

FilePointer VariantFile::open() const {
    // Refuses anything but regular files, with the message of all readers.
    (void)openFile(name_);
    const std::string path = storage::openablePath(name_);
    hFILE* const bytes = hopen(path.c_str(), "r");
    FilePointer file;
    if (bytes != nullptr) {
        // HTSlib detects the format by the first bytes and does not accept a byte order mark as text.
        std::array<char, kByteOrderMark.size()> start{};
        const ssize_t count = hpeek(bytes, start.data(), start.size());
        const bool isMarked =
            std::string_view(start.data(), count > 0 ? static_cast<std::size_t>(count) : 0) == kByteOrderMark;
        if (!isMarked || hread(bytes, start.data(), start.size()) == count)
            file.reset(hts_hopen(bytes, path.c_str(), "r"));
        if (file == nullptr) hclose_abruptly(bytes);
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
            "{}: has no samples; expected FORMAT and the names of samples as the columns after INFO", name_));
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
    // bgzip ends a file with an empty block; without it, whole blocks may be missing.
    constexpr int kNoMarker = 0;
    if (hts_check_EOF(file_.get()) == kNoMarker)
        throw InputError(
            fmt::format("{}: truncated: it ends after record {} without the last block that bgzip writes",
                        name_, records_ - 1));
}

void VariantFile::requirePosition() const {
    if (hts_get_format(file_.get())->format != vcf) return;
    // HTSlib reads "abc" as 0 and "12abc" as 12. It separates the first columns of the line by zeros.
    const std::string_view line(file_->line.s, file_->line.l);
    constexpr std::string_view kEnds("\t\0", 2);
    const std::size_t begin = std::min(line.find_first_of(kEnds), line.size() - 1) + 1;
    const std::string_view text = line.substr(begin, line.find_first_of(kEnds, begin) - begin);
    if (!isDigits(text))
        refuse(fmt::format("{}: record {}: the position '{}' was found; expected a whole number", name_,
                           records_, excerpt(text)));
}

void VariantFile::showProgress() {
    // Other threads may read blocks ahead (startUnpacking): their place in the file is not this thread's.
    constexpr int kPlaceInBlock = 16;
    const bool hasBlocks = hts_get_format(file_.get())->compression == bgzf;
    const std::int64_t bytes = hasBlocks ? bgzf_tell(file_->fp.bgzf) >> kPlaceInBlock
                                         : htell(isPacked() ? file_->fp.bgzf->fp : file_->fp.hfile);
    work_.advance(static_cast<double>(bytes - bytesRead_));
    bytesRead_ = bytes;
}

bool VariantFile::next() {
    ++records_;
    showProgress();
    const int status = bcf_read(file_.get(), header_.get(), record_.get());
    if (isDamaged()) {
        requireSound();
        throw InputError(fmt::format("{}: damaged or truncated: the compressed data end after record {}",
                                     name_, records_ - 1));
    }
    if (status == -1) {
        requireLastBlock();
        return false;
    }
    requirePosition();
    // Undeclared chromosomes and fields are common.
    constexpr int kHarmless = BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF;
    if ((record_->errcode & BCF_ERR_NCOLS) != 0)
        refuse(fmt::format("{}: has another number of columns than the header, which names {} samples",
                           place(), sampleCount()));
    if (status != 0 || (record_->errcode & ~kHarmless) != 0)
        refuse(fmt::format("{}: cannot be read; is the line cut off or damaged?", place()));
    return true;
}

/// The alleles of a genotype, the smaller number first; kNoAllele if missing.
struct Genotype {
    static constexpr std::int32_t kNoAllele = -1;
    std::int32_t low = kNoAllele;
    std::int32_t high = kNoAllele;
    bool isMissing() const { return low == kNoAllele; }
};

class CallReader {
  public:
    CallReader(const std::filesystem::path& path, const CallOptions& options)
        : options_(options), file_(path), genotypes_(file_.sampleCount()), copies_(file_.sampleCount()) {}
    CallReader(const CallReader&) = delete;
    CallReader& operator=(const CallReader&) = delete;
    ~CallReader() { std::free(alleles_); }

    VariantCalls read() {
        const std::size_t samples = file_.sampleCount();
        for (std::size_t i = 0; i < samples; ++i) calls_.samples.emplace_back(file_.header()->samples[i]);
        RowCollector<std::uint8_t> rows(PackedGenotypes::bytesFor(samples));
        while (file_.next()) {
            if (options_.keeps && !options_.keeps(file_.chromosome(), file_.position(), file_.id(),
                                                  [this] { return file_.place(); }))
                continue;
            ++calls_.sites;
            if (readSite(rows.rows())) packGenotypes(copies_, rows.append());
        }
        const std::size_t variants = rows.rows();
        const auto packed = std::make_shared<const Matrix<std::uint8_t>>(rows.take());
        calls_.genotypes = {samples, variants, packed->data(), packed};
        return std::move(calls_);
    }

  private:
    /// Fills copies_ from the current record; returns false if it is left out. `index`: its number among the
    /// variants.
    bool readSite(std::size_t index) {
        const std::int32_t gap = options_.anyAlleles && options_.gapsAreMissing ? gapAllele() : kNoGap;
        const bool hasTwoAlleles = file_.record()->n_allele - (gap == kNoGap ? 0U : 1U) <= 2;
        if (!hasTwoAlleles && !options_.anyAlleles) {
            skipSite("expected one", calls_.multiAllelic);
            return false;
        }
        const std::size_t halfCalls = calls_.halfCalls;
        const std::size_t gapCalls = calls_.gapCalls;
        readGenotypes(gap);
        if (hasTwoAlleles) {
            std::transform(genotypes_.begin(), genotypes_.end(), copies_.begin(),
                           [](const Genotype& genotype) {
                               if (genotype.isMissing()) return kMissingCopies;
                               return static_cast<std::uint8_t>((genotype.low != 0 ? 1 : 0) +
                                                                (genotype.high != 0 ? 1 : 0));
                           });
            return true;
        }
        SymbolSite site{index, {}};
        if (!numberGenotypes(site.symbols)) {
            calls_.halfCalls = halfCalls;
            calls_.gapCalls = gapCalls;
            skipSite(fmt::format("and more than {} different genotypes", SymbolSite::kMaxSymbols),
                     calls_.manyGenotypes);
            return false;
        }
        std::transform(site.symbols.begin(), site.symbols.end(), copies_.begin(), [](std::uint8_t symbol) {
            return symbol == kMissingCopies ? kMissingCopies : std::uint8_t{0};
        });
        calls_.symbolSites.push_back(std::move(site));
        return true;
    }

    /// The number of the allele *; kNoGap if there is none.
    std::int32_t gapAllele() {
        bcf_unpack(file_.record(), BCF_UN_STR);
        for (std::int32_t k = 1; k < static_cast<std::int32_t>(file_.record()->n_allele); ++k)
            if (std::string_view(file_.record()->d.allele[k]) == "*") return k;
        return kNoGap;
    }

    void skipSite(const std::string& why, std::size_t& count) {
        if (options_.strict) {
            bcf_unpack(file_.record(), BCF_UN_STR);
            std::string alternates;
            for (unsigned k = 1; k < file_.record()->n_allele; ++k)
                alternates += fmt::format("{}{}", k > 1 ? "," : "", file_.record()->d.allele[k]);
            file_.refuse(fmt::format("{} has {} alternate alleles ({}); {}", file_.place(),
                                     file_.record()->n_allele - 1, excerpt(alternates), why));
        }
        ++count;
    }

    /// Fills genotypes_ from GT; counts half calls and calls with the allele `gap`.
    void readGenotypes(std::int32_t gap) {
        // HTSlib aborts the program if GT has an unexpected type.
        const bcf_fmt_t* const field = bcf_get_fmt(file_.header(), file_.record(), "GT");
        if (field != nullptr && field->type == BCF_BT_NULL) {
            // FORMAT lists GT after fields where every sample already ends: trailing fields may be dropped.
            std::fill(genotypes_.begin(), genotypes_.end(), Genotype{});
            return;
        }
        if (field != nullptr && field->type != BCF_BT_INT8 && field->type != BCF_BT_INT16 &&
            field->type != BCF_BT_INT32)
            file_.refuse(fmt::format("{}: GT is of BCF's type {}; expected whole numbers", file_.place(),
                                     field->type));
        const int count = bcf_get_genotypes(file_.header(), file_.record(), &alleles_, &alleleCapacity_);
        if (count <= 0)
            file_.refuse(fmt::format("{} has no genotypes; expected the field GT", file_.place()));
        const std::size_t perSample = static_cast<std::size_t>(count) / file_.sampleCount();
        for (std::size_t i = 0; i < file_.sampleCount(); ++i) {
            const std::int32_t* const alleles = alleles_ + i * perSample;
            std::size_t ploidy = 0, missing = 0;
            bool hasGap = false;
            std::int32_t found[2] = {Genotype::kNoAllele, Genotype::kNoAllele};
            for (; ploidy < perSample && alleles[ploidy] != bcf_int32_vector_end; ++ploidy) {
                // bcf_int32_missing: the sample ends before GT.
                if (alleles[ploidy] == bcf_int32_missing || bcf_gt_is_missing(alleles[ploidy])) {
                    ++missing;
                    continue;
                }
                const std::int32_t allele = bcf_gt_allele(alleles[ploidy]);
                if (allele < 0 || static_cast<std::uint32_t>(allele) >= file_.record()->n_allele)
                    refuseGenotype(i, fmt::format("allele {} was found; expected at most {}", allele,
                                                  file_.record()->n_allele - 1));
                if (ploidy < 2) found[ploidy] = allele;
                hasGap = hasGap || allele == gap;
            }
            if (ploidy > 2)
                refuseGenotype(i, fmt::format("a genotype of {} alleles; expected one or two", ploidy));
            if (ploidy == 0 || missing > 0 || hasGap) {
                if (missing > 0 && missing < ploidy) ++calls_.halfCalls;
                if (missing == 0 && hasGap) ++calls_.gapCalls;
                genotypes_[i] = {};
                continue;
            }
            if (ploidy == 1) found[1] = found[0];
            genotypes_[i] = {std::min(found[0], found[1]), std::max(found[0], found[1])};
        }
    }

    [[noreturn]] void refuseGenotype(std::size_t sample, const std::string& what) {
        file_.refuse(fmt::format("{}, sample {}: {}", file_.place(), excerpt(calls_.samples[sample]), what));
    }

    /// Assigns a symbol to each different genotype; returns false if there are too many.
    bool numberGenotypes(std::vector<std::uint8_t>& symbols) const {
        std::unordered_map<std::uint64_t, std::uint8_t> numbers;
        symbols.reserve(genotypes_.size());
        for (const Genotype& genotype : genotypes_) {
            if (genotype.isMissing()) {
                symbols.push_back(kMissingCopies);
                continue;
            }
            const std::uint64_t alleles =
                static_cast<std::uint64_t>(genotype.high) << 32 | static_cast<std::uint64_t>(genotype.low);
            const auto [known, isNew] = numbers.emplace(alleles, static_cast<std::uint8_t>(numbers.size()));
            if (isNew && numbers.size() > SymbolSite::kMaxSymbols) return false;
            symbols.push_back(known->second);
        }
        return true;
    }

    static constexpr std::int32_t kNoGap = -2;

    const CallOptions& options_;
    VariantFile file_;
    VariantCalls calls_;
    std::int32_t* alleles_ = nullptr;  ///< allocated by HTSlib
    int alleleCapacity_ = 0;
    std::vector<Genotype> genotypes_;
    std::vector<std::uint8_t> copies_;
};

}  // namespace

VariantCalls readVariantCalls(const std::filesystem::path& path, const CallOptions& options) {
    return CallReader(path, options).read();
}

}  // namespace glycine::io
