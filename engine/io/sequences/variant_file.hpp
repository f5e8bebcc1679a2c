#pragma once

#include <htslib/hts.h>
#include <htslib/vcf.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/progress.hpp"

namespace glycine::io {

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

/// The records of a VCF or BCF file, one after another, read by HTSlib. Every complaint of a record first
/// makes sure that the file itself is sound: what a damaged block leaves looks like a bad record.
class VariantFile {
  public:
    /// Opens the file and reads its header. Throws InputError for another format, no header, no samples, the
    /// same sample twice, or damaged compressed data.
    explicit VariantFile(const std::filesystem::path& path);

    const bcf_hdr_t* header() const { return header_.get(); }
    bcf1_t* record() { return record_.get(); }
    std::size_t sampleCount() const { return static_cast<std::size_t>(bcf_hdr_nsamples(header_.get())); }
    /// Whether there was another record, which record() is now. Throws InputError for one that cannot be read
    /// and at the end of a file that is not complete. Shows progress and can be cancelled.
    bool next();
    std::string_view chromosome() const;
    std::int64_t position() const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(record_->pos) + 1);
    }
    /// "calls.vcf: record 3 (21:9411239)", for messages.
    std::string place() const;
    /// Throws InputError `message`, or what is wrong with the file as a whole.
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

    std::string name_;
    SilentHtslib silence_;
    FilePointer file_;
    HeaderPointer header_;
    RecordPointer record_{bcf_init()};
    std::size_t records_ = 0;  ///< begun
    BackgroundWork work_;
    off_t bytesRead_ = 0;
};

}  // namespace glycine::io
