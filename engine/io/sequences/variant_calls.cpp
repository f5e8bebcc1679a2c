#include "engine/io/sequences/variant_calls.hpp"

#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/io/text/row_collector.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

namespace {

/// HTSlib writes its complaints to stderr; ours say the same once and as an error.
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
                            name, lineNumber, first->second, column, title));
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

/// Throws InputError when the format or the header is not what it should be.
void requireHeader(const htsFormat& format, const bcf_hdr_t* header, const std::string& name) {
    if (format.format != vcf && format.format != bcf) {
        const std::unique_ptr<char, Release<std::free>> found(hts_format_description(&format));
        throw InputError(
            fmt::format("{}: is {}; expected VCF (the first line begins ##fileformat=VCF) or BCF", name,
                        found != nullptr ? found.get() : "of an unknown format"));
    }
    if (header == nullptr && format.format == vcf) refuseVcfHeader(name);
    if (header == nullptr) throw InputError(fmt::format("{}: the header cannot be read as BCF", name));
    if (bcf_hdr_nsamples(header) == 0)
        throw InputError(fmt::format(
            "{}: has no samples; expected FORMAT and the names of samples as the columns behind INFO", name));
}

class CallReader {
  public:
    CallReader(const std::filesystem::path& path, bool strict)
        : name_(path.string()), strict_(strict), file_(open()), header_(bcf_hdr_read(file_.get())) {
        requireHeader(*hts_get_format(file_.get()), header_.get(), name_);
        copies_.resize(sampleCount());
    }
    CallReader(const CallReader&) = delete;
    CallReader& operator=(const CallReader&) = delete;
    ~CallReader() { std::free(alleles_); }

    VariantCalls read() {
        VariantCalls calls;
        for (std::size_t i = 0; i < sampleCount(); ++i) calls.samples.emplace_back(header_->samples[i]);
        RowCollector<std::uint8_t> rows(PackedGenotypes::bytesFor(sampleCount()));
        BackgroundWork work(fmt::format("reading {}", std::filesystem::path(name_).filename().string()),
                            static_cast<double>(std::filesystem::file_size(name_)));
        for (off_t before = 0; readRecord(); before = position()) {
            work.advance(static_cast<double>(position() - before));
            if (record_->n_allele > 2) {
                if (strict_) refuseMultiAllelic();
                ++calls.multiAllelic;
                continue;
            }
            calls.halfCalls += countCopies();
            packGenotypes(copies_, rows.append());
        }
        // bgzip ends a file with an empty block; without it, whole blocks may be lost.
        constexpr int kNoMarker = 0;
        if (hts_check_EOF(file_.get()) == kNoMarker)
            throw InputError(
                fmt::format("{}: truncated: it ends behind record {} without the last block that "
                            "bgzip writes",
                            name_, records_ - 1));
        const std::size_t variants = rows.rows();
        const auto packed = std::make_shared<const Matrix<std::uint8_t>>(rows.take());
        calls.genotypes = {sampleCount(), variants, packed->data(), packed};
        return calls;
    }

  private:
    std::size_t sampleCount() const { return static_cast<std::size_t>(bcf_hdr_nsamples(header_.get())); }

    FilePointer open() const {
        // Refuses what is no regular file, in the words that all readers have.
        (void)openFile(name_);
        FilePointer file(hts_open(name_.c_str(), "r"));
        if (file == nullptr) throw InputError(fmt::format("{}: cannot be read; expected VCF or BCF", name_));
        return file;
    }

    /// "21:9411239", for messages.
    std::string place() const {
        const char* chromosome = bcf_seqname(header_.get(), record_.get());
        return fmt::format("{}: record {} ({}:{})", name_, records_, chromosome != nullptr ? chromosome : "?",
                           record_->pos + 1);
    }

    /// The next record with its genotypes; false behind the last.
    bool readRecord() {
        ++records_;
        const int status = bcf_read(file_.get(), header_.get(), record_.get());
        if (status == -1 && !isDamaged()) return false;
        if (isDamaged())
            throw InputError(fmt::format("{}: damaged or truncated: the compressed data end behind record {}",
                                         name_, records_ - 1));
        // A chromosome or field that the header does not declare is customary.
        constexpr int kHarmless = BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF;
        if ((record_->errcode & BCF_ERR_NCOLS) != 0)
            throw InputError(
                fmt::format("{}: has another number of columns than the header, which names {} samples",
                            place(), sampleCount()));
        if (status != 0 || (record_->errcode & ~kHarmless) != 0)
            throw InputError(fmt::format("{}: cannot be read; is the line cut off or damaged?", place()));
        return true;
    }

    /// Bytes of the file that HTSlib has read.
    off_t position() const {
        const htsFormat& format = *hts_get_format(file_.get());
        const bool isPacked = format.format == bcf || format.compression != no_compression;
        return htell(isPacked ? file_->fp.bgzf->fp : file_->fp.hfile);
    }

    /// Whether unpacking the file has failed.
    bool isDamaged() const {
        const htsFormat& format = *hts_get_format(file_.get());
        const bool isPacked = format.format == bcf || format.compression != no_compression;
        return isPacked && file_->fp.bgzf->errcode != 0;
    }

    [[noreturn]] void refuseMultiAllelic() const {
        bcf_unpack(record_.get(), BCF_UN_STR);
        std::string alternates;
        for (unsigned k = 1; k < record_->n_allele; ++k)
            alternates += fmt::format("{}{}", k > 1 ? "," : "", record_->d.allele[k]);
        throw InputError(fmt::format("{} has {} alternate alleles ({}); expected one", place(),
                                     record_->n_allele - 1, alternates));
    }

    /// Fills copies_ from GT; returns the number of half calls.
    std::size_t countCopies() {
        const int count = bcf_get_genotypes(header_.get(), record_.get(), &alleles_, &alleleCapacity_);
        if (count <= 0) throw InputError(fmt::format("{} has no genotypes; expected the field GT", place()));
        const std::size_t perSample = static_cast<std::size_t>(count) / sampleCount();
        std::size_t halfCalls = 0;
        for (std::size_t i = 0; i < sampleCount(); ++i) {
            const std::int32_t* const alleles = alleles_ + i * perSample;
            std::size_t ploidy = 0, missing = 0, alternate = 0;
            for (; ploidy < perSample && alleles[ploidy] != bcf_int32_vector_end; ++ploidy) {
                if (bcf_gt_is_missing(alleles[ploidy])) {
                    ++missing;
                    continue;
                }
                const std::int32_t allele = bcf_gt_allele(alleles[ploidy]);
                if (allele < 0 || static_cast<std::uint32_t>(allele) >= record_->n_allele)
                    throw InputError(fmt::format("{}, sample {}: allele {} was found; expected at most {}",
                                                 place(), header_->samples[i], allele,
                                                 record_->n_allele - 1));
                alternate += static_cast<std::size_t>(allele);
            }
            if (ploidy > 2)
                throw InputError(fmt::format("{}, sample {}: a genotype of {} alleles; expected one or two",
                                             place(), header_->samples[i], ploidy));
            const bool isMissing = ploidy == 0 || missing > 0;
            if (isMissing && missing < ploidy) ++halfCalls;
            copies_[i] = isMissing ? kMissingCopies
                                   : static_cast<std::uint8_t>(ploidy == 1 ? 2 * alternate : alternate);
        }
        return halfCalls;
    }

    std::string name_;
    bool strict_;
    SilentHtslib silence_;
    FilePointer file_;
    HeaderPointer header_;
    RecordPointer record_{bcf_init()};
    std::size_t records_ = 0;          ///< begun
    std::int32_t* alleles_ = nullptr;  ///< HTSlib's own memory
    int alleleCapacity_ = 0;
    std::vector<std::uint8_t> copies_;
};

}  // namespace

VariantCalls readVariantCalls(const std::filesystem::path& path, bool strict) {
    return CallReader(path, strict).read();
}

}  // namespace glycine::io
