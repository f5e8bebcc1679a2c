#include <fmt/format.h>

#include <initializer_list>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::io {

namespace {

/// A file that is written in large pieces.
class BufferedFile {
  public:
    explicit BufferedFile(const std::filesystem::path& path) : file_(path) {}
    void write(std::string_view bytes) {
        buffer_ += bytes;
        if (buffer_.size() >= kPieceBytes) flush();
    }
    void flush() {
        file_.write(buffer_);
        buffer_.clear();
    }
    void commit() { file_.commit(); }

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    storage::AtomicFile file_;
    std::string buffer_;
};

/// A column that is empty or has a blank in it would be read as another number of columns.
void requireWords(const std::filesystem::path& path, std::size_t line,
                  std::initializer_list<std::string_view> columns) {
    for (const std::string_view column : columns)
        if (column.empty() || column.find_first_of(" \t\r\n") != std::string_view::npos)
            throw InputError(fmt::format("{}: cannot write '{}' in line {}: expected a name without blanks",
                                         path.string(), excerpt(column), line + 1));
}

}  // namespace

void writePlinkFiles(const PlinkPaths& paths, std::span<const PlinkSample> samples, std::size_t variants,
                     const PlinkVariantSource& source) {
    BufferedFile bed(paths.bed);
    BufferedFile bim(paths.bim);
    BufferedFile fam(paths.fam);
    for (const PlinkSample& sample : samples) {
        requireWords(
            paths.fam, static_cast<std::size_t>(&sample - samples.data()),
            {sample.familyId, sample.id, sample.father, sample.mother, sample.sex, sample.phenotype});
        fam.write(fmt::format("{} {} {} {} {} {}\n", sample.familyId, sample.id, sample.father, sample.mother,
                              sample.sex, sample.phenotype));
    }
    bed.write("\x6c\x1b\x01");
    std::vector<std::uint8_t> copies(samples.size());
    std::string packed(PackedGenotypes::bytesFor(samples.size()), '\0');
    for (std::size_t k = 0; k < variants; ++k) {
        const PlinkVariant variant = source(k, copies);
        requireWords(paths.bim, k, {variant.chromosome, variant.id, variant.allele1, variant.allele2});
        bim.write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", variant.chromosome, variant.id,
                              variant.centimorgans, variant.position, variant.allele1, variant.allele2));
        packGenotypes(copies, reinterpret_cast<std::uint8_t*>(packed.data()));
        bed.write(packed);
    }
    for (BufferedFile* file : {&bed, &bim, &fam}) file->flush();
    // The genotypes come last: a set without them is not taken for a whole one.
    fam.commit();
    bim.commit();
    bed.commit();
}

}  // namespace glycine::io
