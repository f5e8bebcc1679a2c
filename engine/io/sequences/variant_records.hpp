#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/module.hpp"

/// Records of VCF and BCF files, read by HTSlib. It is a module, because HTSlib and the libraries that it
/// links take half a millisecond to load.
namespace glycine::io {

/// A file, positioned at one of its records. Before any error about a record, the file itself is checked,
/// because a damaged block looks like a bad record.
class VariantRecords {
  public:
    static constexpr std::int32_t kMissingAllele = -1;
    /// Follows the last allele of a sample whose ploidy is lower than that of others.
    static constexpr std::int32_t kNoAllele = std::numeric_limits<std::int32_t>::min();

    virtual ~VariantRecords() = default;

    virtual const std::vector<std::string>& samples() const = 0;
    /// Advances to the next record, at first to the first one; returns false if there is none. Throws
    /// InputError for an unreadable record, and at the end of an incomplete file. Shows progress and can be
    /// cancelled.
    virtual bool next() = 0;
    virtual std::string_view chromosome() const = 0;
    virtual std::int64_t position() const = 0;
    /// "." if the record has none.
    virtual std::string_view id() const = 0;
    /// Number of alleles, the reference among them.
    virtual std::size_t alleleCount() const = 0;
    /// The text of an allele below alleleCount(); 0 is the reference.
    virtual std::string_view allele(std::size_t index) const = 0;
    /// The field GT, as allele numbers, kMissingAllele and kNoAllele: equally many for each sample. Empty if
    /// the record drops the field for all samples. Throws InputError if the record has no GT, or one of
    /// another type. Valid until `next`.
    virtual std::span<const std::int32_t> genotypes() = 0;
    /// "calls.vcf: record 3 (21:9411239)", for messages.
    virtual std::string place() const = 0;
    /// Throws InputError with `message`, or with a defect of the file as a whole.
    [[noreturn]] virtual void refuse(const std::string& message) const = 0;
};

/// Checks that the module leaves to the readers of text. Both throw InputError.
struct VariantTextChecks {
    /// Explains why HTSlib refuses the header of a VCF file.
    void (*refuseHeader)(const std::string& name) = nullptr;
    /// Returns if all gzip data can be unpacked.
    void (*requireSoundGzip)(const std::string& name) = nullptr;
};

/// Opens a regular file and reads its header. Throws InputError for another format, a missing header, no
/// samples, a repeated sample, or damaged compressed data; UnavailableError if HTSlib cannot be loaded.
std::unique_ptr<VariantRecords> openVariantRecords(const std::filesystem::path& path);

/// The module `hts`: the functions that use HTSlib.
struct HtsModule {
    const char* build;
    std::unique_ptr<VariantRecords> (*open)(const std::filesystem::path& path,
                                            const VariantTextChecks& checks);
};

}  // namespace glycine::io
