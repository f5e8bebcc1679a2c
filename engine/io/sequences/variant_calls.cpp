#include "engine/io/sequences/variant_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>

#include "engine/core/text.hpp"
#include "engine/io/sequences/variant_file.hpp"
#include "engine/io/text/row_collector.hpp"

namespace glycine::io {

namespace {

/// The alleles of a genotype, the smaller number first; of a missing one kNoAllele.
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
            if (options_.keeps &&
                !options_.keeps(file_.chromosome(), file_.position(), [this] { return file_.place(); }))
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
    /// Fills copies_ from the present record; false where it is left out. `index`: its number among variants.
    bool readSite(std::size_t index) {
        const std::int32_t gap = options_.anyAlleles && options_.gapsAreMissing ? gapAllele() : kNoGap;
        const bool hasTwoAlleles = file_.record()->n_allele - (gap == kNoGap ? 0U : 1U) <= 2;
        if (!hasTwoAlleles && !options_.anyAlleles) {
            leaveOut("expected one", calls_.multiAllelic);
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
            leaveOut(fmt::format("and more than {} different genotypes", SymbolSite::kMostSymbols),
                     calls_.manyGenotypes);
            return false;
        }
        std::transform(site.symbols.begin(), site.symbols.end(), copies_.begin(), [](std::uint8_t symbol) {
            return symbol == kMissingCopies ? kMissingCopies : std::uint8_t{0};
        });
        calls_.symbolSites.push_back(std::move(site));
        return true;
    }

    /// The number of the allele *; kNoGap where there is none.
    std::int32_t gapAllele() {
        bcf_unpack(file_.record(), BCF_UN_STR);
        for (std::int32_t k = 1; k < static_cast<std::int32_t>(file_.record()->n_allele); ++k)
            if (std::string_view(file_.record()->d.allele[k]) == "*") return k;
        return kNoGap;
    }

    void leaveOut(const std::string& why, std::size_t& count) {
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

    /// Fills genotypes_ from GT; counts half calls and those with the allele `gap`.
    void readGenotypes(std::int32_t gap) {
        // HTSlib ends the program where GT is of a type that it does not expect.
        const bcf_fmt_t* const field = bcf_get_fmt(file_.header(), file_.record(), "GT");
        if (field != nullptr && field->type == BCF_BT_NULL) {
            // FORMAT names GT behind fields after which every sample ends: trailing fields may be dropped.
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
                // bcf_int32_missing: this sample ends before GT.
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

    /// A symbol for each different genotype; false where there are too many.
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
            if (isNew && numbers.size() > SymbolSite::kMostSymbols) return false;
            symbols.push_back(known->second);
        }
        return true;
    }

    static constexpr std::int32_t kNoGap = -2;

    const CallOptions& options_;
    VariantFile file_;
    VariantCalls calls_;
    std::int32_t* alleles_ = nullptr;  ///< HTSlib's own memory
    int alleleCapacity_ = 0;
    std::vector<Genotype> genotypes_;
    std::vector<std::uint8_t> copies_;
};

}  // namespace

VariantCalls readVariantCalls(const std::filesystem::path& path, const CallOptions& options) {
    return CallReader(path, options).read();
}

}  // namespace glycine::io
