#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/vcf.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/variant_records.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io::hts {

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

class HtsRecords final : public VariantRecords {
  public:
    HtsRecords(const std::filesystem::path& path, const VariantTextChecks& checks);
    HtsRecords(const HtsRecords&) = delete;
    HtsRecords& operator=(const HtsRecords&) = delete;
    ~HtsRecords() override { std::free(alleles_); }

    const std::vector<std::string>& samples() const override { return samples_; }
    bool next() override;
    std::string_view chromosome() const override;
    std::int64_t position() const override {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(record_->pos) + 1);
    }
    std::string_view id() const override {
        bcf_unpack(record_.get(), BCF_UN_STR);
        return record_->d.id != nullptr ? record_->d.id : ".";
    }
    std::size_t alleleCount() const override { return record_->n_allele; }
    std::string_view allele(std::size_t index) const override {
        bcf_unpack(record_.get(), BCF_UN_STR);
        return record_->d.allele[index];
    }
    std::span<const std::int32_t> genotypes() override;
    std::string place() const override;
    [[noreturn]] void refuse(const std::string& message) const override;

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
    VariantTextChecks checks_;
    SilentHtslib silence_;
    FilePointer file_;
    HeaderPointer header_;
    RecordPointer record_{bcf_init()};
    std::vector<std::string> samples_;
    std::int32_t* alleles_ = nullptr;  ///< allocated by HTSlib
    int alleleCapacity_ = 0;
    std::size_t records_ = 0;  ///< records begun
    BackgroundWork work_;
    std::int64_t bytesRead_ = 0;
};

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

HtsRecords::HtsRecords(const std::filesystem::path& path, const VariantTextChecks& checks)
    : name_(path.string()),
      checks_(checks),
      file_(open()),
      header_(bcf_hdr_read(file_.get())),
      work_(fmt::format("reading {}", path.filename().string()),
            static_cast<double>(storage::InputDescriptor(path).size())) {
    requireHeader();
    samples_.assign(header_->samples, header_->samples + bcf_hdr_nsamples(header_.get()));
    startUnpacking();
}

/// Lets other threads unpack the blocks of large files ahead of this thread, which parses them.
void HtsRecords::startUnpacking() const {
    constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
    // Unpacking a block takes a few times less than parsing it.
    constexpr int kMost = 4;
    const int others = std::min(omp_get_max_threads() - 1, kMost);
    if (hts_get_format(file_.get())->compression == bgzf && others > 0 &&
        storage::InputDescriptor(name_).size() >= kLarge)
        (void)hts_set_threads(file_.get(), others);
}

FilePointer HtsRecords::open() const {
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

void HtsRecords::requireHeader() const {
    const htsFormat& format = *hts_get_format(file_.get());
    const bool isVariants = format.format == vcf || format.format == bcf;
    if (!isVariants || header_ == nullptr) requireSound();
    if (!isVariants) {
        const std::unique_ptr<char, Release<std::free>> found(hts_format_description(&format));
        throw InputError(
            fmt::format("{}: is {}; expected VCF (the first line begins ##fileformat=VCF) or BCF", name_,
                        found != nullptr ? found.get() : "of an unknown format"));
    }
    if (header_ == nullptr && format.format == vcf) checks_.refuseHeader(name_);
    if (header_ == nullptr) throw InputError(fmt::format("{}: the header cannot be read as BCF", name_));
    if (bcf_hdr_nsamples(header_.get()) == 0)
        throw InputError(fmt::format(
            "{}: has no samples; expected FORMAT and the names of samples as the columns after INFO", name_));
}

std::string_view HtsRecords::chromosome() const {
    const char* name = bcf_seqname(header_.get(), record_.get());
    return name != nullptr ? name : "?";
}

std::string HtsRecords::place() const {
    return fmt::format("{}: record {} ({}:{})", name_, records_, excerpt(chromosome()),
                       static_cast<std::uint64_t>(position()));
}

void HtsRecords::refuse(const std::string& message) const {
    requireSound();
    requireLastBlock();
    throw InputError(message);
}

bool HtsRecords::isPacked() const {
    const htsFormat& format = *hts_get_format(file_.get());
    return format.format == bcf || format.compression != no_compression;
}

bool HtsRecords::isDamaged() const {
    return isPacked() && file_->fp.bgzf->errcode != 0;
}

void HtsRecords::requireSound() const {
    const htsCompression packing = hts_get_format(file_.get())->compression;
    const std::size_t recordsRead = records_ > 0 ? records_ - 1 : 0;
    if (packing == bgzf) requireSoundBlocks(name_, recordsRead);
    if (packing == gzip) checks_.requireSoundGzip(name_);
}

void HtsRecords::requireLastBlock() const {
    // bgzip ends a file with an empty block; without it, whole blocks may be missing.
    constexpr int kNoMarker = 0;
    if (hts_check_EOF(file_.get()) == kNoMarker)
        throw InputError(
            fmt::format("{}: truncated: it ends after record {} without the last block that bgzip writes",
                        name_, records_ - 1));
}

void HtsRecords::requirePosition() const {
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

void HtsRecords::showProgress() {
    // Other threads may read blocks ahead (startUnpacking): their place in the file is not this thread's.
    constexpr int kPlaceInBlock = 16;
    const bool hasBlocks = hts_get_format(file_.get())->compression == bgzf;
    const std::int64_t bytes = hasBlocks ? bgzf_tell(file_->fp.bgzf) >> kPlaceInBlock
                                         : htell(isPacked() ? file_->fp.bgzf->fp : file_->fp.hfile);
    work_.advance(static_cast<double>(bytes - bytesRead_));
    bytesRead_ = bytes;
}

bool HtsRecords::next() {
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
                           place(), samples_.size()));
    if (status != 0 || (record_->errcode & ~kHarmless) != 0)
        refuse(fmt::format("{}: cannot be read; is the line cut off or damaged?", place()));
    return true;
}

std::span<const std::int32_t> HtsRecords::genotypes() {
    // HTSlib aborts the program if GT has an unexpected type.
    const bcf_fmt_t* const field = bcf_get_fmt(header_.get(), record_.get(), "GT");
    // FORMAT lists GT after fields where every sample already ends: trailing fields may be dropped.
    if (field != nullptr && field->type == BCF_BT_NULL) return {};
    if (field != nullptr && field->type != BCF_BT_INT8 && field->type != BCF_BT_INT16 &&
        field->type != BCF_BT_INT32)
        refuse(fmt::format("{}: GT is of BCF's type {}; expected whole numbers", place(), field->type));
    const int count = bcf_get_genotypes(header_.get(), record_.get(), &alleles_, &alleleCapacity_);
    if (count <= 0) refuse(fmt::format("{} has no genotypes; expected the field GT", place()));
    const std::span<std::int32_t> found(alleles_, static_cast<std::size_t>(count));
    for (std::int32_t& allele : found) {
        if (allele == bcf_int32_vector_end)
            allele = kNoAllele;
        else if (allele == bcf_int32_missing || bcf_gt_is_missing(allele))
            // bcf_int32_missing: the sample ends before GT.
            allele = kMissingAllele;
        else
            allele = bcf_gt_allele(allele);
    }
    return found;
}

std::unique_ptr<VariantRecords> openRecords(const std::filesystem::path& path,
                                            const VariantTextChecks& checks) {
    return std::make_unique<HtsRecords>(path, checks);
}

}  // namespace

}  // namespace glycine::io::hts

GLYCINE_MODULE(hts, glycine::io::HtsModule, glycine::io::hts::openRecords);
