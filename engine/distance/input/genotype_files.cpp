#include "engine/distance/input/genotype_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

namespace {

/// Genotypes generated at once.
constexpr std::size_t kBlockEntries = std::size_t{1} << 24;

std::string instanceName(std::size_t index) {
    return fmt::format("s{}", index + 1);
}
std::string variantName(std::size_t index) {
    return fmt::format("v{}", index + 1);
}

/// Instances, or variants, generated at once.
std::size_t instancesAtOnce(const DiscreteShape& shape) {
    return std::min(std::max<std::size_t>(1, kBlockEntries / shape.attributes), shape.instances);
}
std::size_t variantsAtOnce(const DiscreteShape& shape) {
    // Sources generate words of 64 attributes.
    return std::min(std::max<std::size_t>(1, kBlockEntries / shape.instances / 64) * 64, shape.attributes);
}

/// Bytes of the genotypes generated at once, as planes and as symbols.
double bytesOfBlock(const DiscreteShape& shape, std::size_t instances, std::size_t attributes) {
    const auto planes = static_cast<double>(shape.storedPlanes() * sizeof(std::uint64_t));
    return static_cast<double>(instances) * (static_cast<double>(attributes) +
                                             planes * static_cast<double>(PlaneBlock::strideFor(attributes)));
}
double bytesByInstances(const DiscreteShape& shape) {
    return bytesOfBlock(shape, instancesAtOnce(shape), shape.attributes);
}
double bytesByVariants(const DiscreteShape& shape) {
    const std::size_t variants = variantsAtOnce(shape);
    // Symbols are transposed after the planes have been freed.
    const double turned = 2 * static_cast<double>(shape.instances) * static_cast<double>(variants);
    return std::max(bytesOfBlock(shape, shape.instances, variants), turned);
}

/// Passes genotypes on line by line, in ascending order: one instance after another, or one variant after
/// another.
class Lines {
  public:
    enum class Of { Instances, Variants };
    Lines(const DiscreteSource& source, Of of, Progress& progress)
        : source_(source), shape_(source.shape()), of_(of), progress_(progress) {
        progress.begin("genotypes",
                       static_cast<double>(of == Of::Instances ? shape_.instances : shape_.attributes));
    }
    const std::uint8_t* operator[](std::size_t line) {
        if (line >= held_.end) of_ == Of::Instances ? readInstances(line) : readVariants(line);
        progress_.advance(1);
        return symbols_.row(line - held_.begin);
    }

  private:
    void readInstances(std::size_t first) {
        held_ = {first, std::min(first + instancesAtOnce(shape_), shape_.instances)};
        if (symbols_.empty()) symbols_ = Matrix<std::uint8_t>(held_.size(), shape_.attributes);
        source_.readSymbols(held_, {0, shape_.attributes},
                            symbols_.view().block(0, 0, held_.size(), shape_.attributes));
    }
    void readVariants(std::size_t first) {
        held_ = {first, std::min(first + variantsAtOnce(shape_), shape_.attributes)};
        Matrix<std::uint8_t> symbols(shape_.instances, held_.size());
        source_.readSymbols({0, shape_.instances}, held_, symbols.view());
        symbols_ = transposed(symbols);
    }

    const DiscreteSource& source_;
    const DiscreteShape& shape_;
    Of of_;
    Progress& progress_;
    Range held_{0, 0};
    Matrix<std::uint8_t> symbols_;
};

void writeNpyGenotypes(const std::filesystem::path& path, const DiscreteSource& source, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    Lines instances(source, Lines::Of::Instances, progress);
    io::writeNpy(path, {"|i1", 1, shape.instances, shape.attributes, [&](std::size_t row, std::byte* target) {
                            const std::uint8_t* symbols = instances[row];
                            std::transform(
                                symbols, symbols + shape.attributes, target, [](std::uint8_t symbol) {
                                    return symbol == kMissingSymbol ? std::byte{0xff} : std::byte{symbol};
                                });
                        }});
}

void writeCsvGenotypes(const std::filesystem::path& path, const DiscreteSource& source, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    io::BufferedText file(path);
    std::string& text = file.text();
    text = "id";
    for (std::size_t k = 0; k < shape.attributes; ++k) text.append(",").append(variantName(k));
    text += '\n';
    Lines instances(source, Lines::Of::Instances, progress);
    for (std::size_t i = 0; i < shape.instances; ++i) {
        text += instanceName(i);
        const std::uint8_t* symbols = instances[i];
        for (std::size_t k = 0; k < shape.attributes; ++k) {
            text += ',';
            if (symbols[k] != kMissingSymbol) text += static_cast<char>('0' + symbols[k]);
        }
        file.endLine();
    }
    file.commit();
}

void writeBedGenotypes(const std::filesystem::path& path, const DiscreteSource& source, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    std::vector<io::PlinkSample> samples;
    for (std::size_t i = 0; i < shape.instances; ++i)
        samples.push_back({.familyId = instanceName(i), .id = instanceName(i)});
    Lines variants(source, Lines::Of::Variants, progress);
    io::writePlinkFiles(io::plinkPaths(path), samples, shape.attributes,
                        [&](std::size_t k, std::span<std::uint8_t> copies) {
                            static_assert(io::kMissingCopies == kMissingSymbol);
                            std::copy_n(variants[k], shape.instances, copies.begin());
                            return io::PlinkVariant{.chromosome = "1",
                                                    .id = variantName(k),
                                                    .position = static_cast<std::int64_t>(k + 1),
                                                    .allele1 = "C",
                                                    .allele2 = "A"};
                        });
}

void writeVcfGenotypes(const std::filesystem::path& path, const DiscreteSource& source, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    io::BufferedText file(path);
    std::string& text = file.text();
    fmt::format_to(std::back_inserter(text),
                   "##fileformat=VCFv4.3\n##source=glycine\n##contig=<ID=1,length={}>\n"
                   "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                   "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT",
                   shape.attributes);
    for (std::size_t i = 0; i < shape.instances; ++i) text.append("\t").append(instanceName(i));
    text += '\n';
    Lines variants(source, Lines::Of::Variants, progress);
    for (std::size_t k = 0; k < shape.attributes; ++k) {
        fmt::format_to(std::back_inserter(text), "1\t{}\t{}\tA\tC\t.\tPASS\t.\tGT", k + 1, variantName(k));
        const std::uint8_t* symbols = variants[k];
        constexpr std::string_view kCalls[] = {"\t0/0", "\t0/1", "\t1/1"};
        for (std::size_t i = 0; i < shape.instances; ++i)
            text += symbols[i] == kMissingSymbol ? std::string_view("\t./.") : kCalls[symbols[i]];
        file.endLine();
    }
    file.commit();
}

struct GenotypeFormat {
    std::string_view extension;
    void (*write)(const std::filesystem::path&, const DiscreteSource&, Progress&);
    double (*blockBytes)(const DiscreteShape&);
    double instanceBytes;   ///< in addition to the block: a name, its share of a line of text
    double attributeBytes;  ///< likewise
};
constexpr double kNameBytes = 8;
constexpr GenotypeFormat kFormats[] = {
    {".bed", writeBedGenotypes, bytesByVariants, sizeof(io::PlinkSample) + 1, 0},
    {".vcf", writeVcfGenotypes, bytesByVariants, kNameBytes, 0},
    {".npy", writeNpyGenotypes, bytesByInstances, 0, 1},
    {".csv", writeCsvGenotypes, bytesByInstances, 0, kNameBytes}};

const GenotypeFormat& formatOf(const std::filesystem::path& path) {
    const std::string extension =
        storage::isStandardOutput(path) ? ".vcf" : lowerCase(path.extension().string());
    for (const GenotypeFormat& format : kFormats)
        if (extension == format.extension) return format;
    throw UsageError(
        fmt::format("{}: the name of generated genotypes ends in .bed, .vcf, .npy or .csv", path.string()));
}

}  // namespace

void requireGenotypeFile(const std::filesystem::path& path) {
    formatOf(path);
}

std::vector<std::filesystem::path> genotypeFiles(const std::filesystem::path& path) {
    if (formatOf(path).extension != ".bed") return {path};
    const io::PlinkPaths paths = io::plinkPaths(path);
    return {paths.bed, paths.bim, paths.fam};
}

void writeGenotypes(const std::filesystem::path& path, const DiscreteSource& genotypes, Progress& progress) {
    const GenotypeFormat& format = formatOf(path);
    const DiscreteShape& shape = genotypes.shape();
    requireHostMemory(fmt::format("writing genotypes of {} with {}", formatCount(shape.instances, "instance"),
                                  formatCount(shape.attributes, "variant")),
                      format.blockBytes(shape) + format.instanceBytes * static_cast<double>(shape.instances) +
                          format.attributeBytes * static_cast<double>(shape.attributes));
    format.write(path, genotypes, progress);
}

}  // namespace glycine::distance
