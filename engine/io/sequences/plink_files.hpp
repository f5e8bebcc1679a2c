#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/sequences/packed_genotypes.hpp"

/// PLINK 1 binary files: genotypes in X.bed, variants in X.bim, samples in X.fam.
/// Source: PLINK 1.9, "File format reference" (.bed, .bim, .fam).
namespace glycine::io {

/// A line of a .fam file.
struct PlinkSample {
    std::string familyId;
    std::string id;
    std::string father = "0";  ///< "0": not among the samples
    std::string mother = "0";
    std::string sex = "0";  ///< "1" male, "2" female, "0" unknown
    std::string phenotype = "-9";
    bool isFounder() const { return father == "0" && mother == "0"; }
    bool operator==(const PlinkSample&) const = default;
};

/// A line of a .bim file.
struct PlinkVariant {
    std::string chromosome;
    std::string id;
    double centimorgans = 0;
    std::int64_t position = 0;  ///< base pairs; PLINK 1.9 ignores variants at negative positions
    std::string allele1;        ///< the counted allele, usually the rarer
    std::string allele2;
    bool operator==(const PlinkVariant&) const = default;
};

/// The three files of a set.
struct PlinkPaths {
    std::filesystem::path bed, bim, fam;
};
/// From X.bed, or from the prefix X.
PlinkPaths plinkPaths(const std::filesystem::path& bedOrPrefix);

struct PlinkFiles {
    std::vector<PlinkSample> samples;
    PackedGenotypes genotypes;  ///< of the mapped .bed file
};

/// Called for each variant in file order; `index` counts from 0.
using PlinkVariantVisitor = std::function<void(std::size_t index, const PlinkVariant& variant)>;

/// Opens a set. Maps the .bed file, but checks only its size and first bytes. Throws InputError, naming file
/// and line or byte, for a gzipped .bed file, a magic number other than 6c 1b 01 (6c 1b 00 is the
/// individual-major order), a size that contradicts the other two files, and for what parseFam and parseBim
/// refuse.
PlinkFiles openPlinkFiles(const PlinkPaths& paths, const PlinkVariantVisitor& visit);

/// Parses a .fam file: family, individual, father, mother, sex, phenotype, separated by blanks or tabs.
/// Ignores empty lines and further columns (more phenotypes). Throws InputError for missing columns, two
/// samples with the same family and individual, and files without samples.
std::vector<PlinkSample> parseFam(std::string_view text, const std::string& name);

/// Parses a .bim file: chromosome, identifier, centimorgans, base pairs, allele 1, allele 2. Ignores empty
/// lines. Returns the number of variants. Throws InputError for another number of columns, or a distance or
/// position that is no number.
std::size_t parseBim(std::string_view text, const std::string& name, const PlinkVariantVisitor& visit);

/// The genotypes of a .bed file, after its first three bytes. `paths` is for messages. Throws InputError as
/// openPlinkFiles does.
std::span<const std::byte> checkBed(std::span<const std::byte> bytes, const PlinkPaths& paths,
                                    std::size_t samples, std::size_t variants);

/// Provides variant `index`: returns its line of the .bim file, and fills `copies`, one element per sample,
/// with the number of copies of allele 1 (0, 1, 2) or kMissingCopies.
using PlinkVariantSource = std::function<PlinkVariant(std::size_t index, std::span<std::uint8_t> copies)>;

/// Writes X.bed, X.bim and X.fam, which appear only when all three are complete. Throws InputError for a name
/// that is empty or contains blanks, and Error if a file cannot be written.
void writePlinkFiles(const PlinkPaths& paths, std::span<const PlinkSample> samples, std::size_t variants,
                     const PlinkVariantSource& source);

}  // namespace glycine::io
