#include "engine/io/sequences/variant_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/variant_records.hpp"
#include "engine/io/text/row_collector.hpp"
#include "engine/io/text/text_stream.hpp"

GLYCINE_USES_MODULE(hts, glycine::io::HtsModule, htsModule)

namespace glycine::io {

namespace {

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

/// Throws InputError if gzip data cannot be unpacked.
void requireSoundGzip(const std::string& name) {
    TextStream stream(openFile(name));
    std::vector<char> text(std::size_t{1} << 16);
    while (stream.read(text) > 0) continue;
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
        : options_(options),
          file_(openVariantRecords(path)),
          genotypes_(file_->samples().size()),
          copies_(file_->samples().size()) {}

    VariantCalls read() {
        calls_.samples = file_->samples();
        const std::size_t samples = calls_.samples.size();
        RowCollector<std::uint8_t> rows(PackedGenotypes::bytesFor(samples));
        while (file_->next()) {
            if (options_.keeps && !options_.keeps(file_->chromosome(), file_->position(), file_->id(),
                                                  [this] { return file_->place(); }))
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
        const bool hasTwoAlleles = file_->alleleCount() - (gap == kNoGap ? 0U : 1U) <= 2;
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
        for (std::size_t k = 1; k < file_->alleleCount(); ++k)
            if (file_->allele(k) == "*") return static_cast<std::int32_t>(k);
        return kNoGap;
    }

    void skipSite(const std::string& why, std::size_t& count) {
        if (options_.strict) {
            std::string alternates;
            for (std::size_t k = 1; k < file_->alleleCount(); ++k)
                alternates += fmt::format("{}{}", k > 1 ? "," : "", file_->allele(k));
            file_->refuse(fmt::format("{} has {} alternate alleles ({}); {}", file_->place(),
                                      file_->alleleCount() - 1, excerpt(alternates), why));
        }
        ++count;
    }

    /// Fills genotypes_ from GT; counts half calls and calls with the allele `gap`.
    void readGenotypes(std::int32_t gap) {
        const std::span<const std::int32_t> all = file_->genotypes();
        if (all.empty()) {
            std::fill(genotypes_.begin(), genotypes_.end(), Genotype{});
            return;
        }
        const std::size_t perSample = all.size() / genotypes_.size();
        const auto alleleCount = static_cast<std::int64_t>(file_->alleleCount());
        for (std::size_t i = 0; i < genotypes_.size(); ++i) {
            const std::span<const std::int32_t> alleles = all.subspan(i * perSample, perSample);
            std::size_t ploidy = 0, missing = 0;
            bool hasGap = false;
            std::int32_t found[2] = {Genotype::kNoAllele, Genotype::kNoAllele};
            for (; ploidy < perSample && alleles[ploidy] != VariantRecords::kNoAllele; ++ploidy) {
                if (alleles[ploidy] == VariantRecords::kMissingAllele) {
                    ++missing;
                    continue;
                }
                const std::int32_t allele = alleles[ploidy];
                if (allele < 0 || allele >= alleleCount)
                    refuseGenotype(
                        i, fmt::format("allele {} was found; expected at most {}", allele, alleleCount - 1));
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

    void refuseGenotype(std::size_t sample, const std::string& what) {
        file_->refuse(
            fmt::format("{}, sample {}: {}", file_->place(), excerpt(calls_.samples[sample]), what));
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
    std::unique_ptr<VariantRecords> file_;
    VariantCalls calls_;
    std::vector<Genotype> genotypes_;
    std::vector<std::uint8_t> copies_;
};

}  // namespace

std::unique_ptr<VariantRecords> openVariantRecords(const std::filesystem::path& path) {
    // Refuses anything but regular files, with the message of all readers.
    (void)openFile(path);
    return htsModule().open(path, {refuseVcfHeader, requireSoundGzip});
}

VariantCalls readVariantCalls(const std::filesystem::path& path, const CallOptions& options) {
    return CallReader(path, options).read();
}

}  // namespace glycine::io
