#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/input/format_readers.hpp"
#include "engine/distance/input/genotype_source.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/sequences/variant_calls.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::distance {

namespace {

// ---- PLINK sets and calls

/// The variants of a file to compare: all, or those that `plink --distance` uses (InputOptions). One rule for
/// every format with chromosomes.
class VariantFilter {
  public:
    /// Reads the list of identifiers, separated by blanks or line breaks.
    explicit VariantFilter(const InputOptions& options);

    /// Whether any variant may be left out.
    bool isNeeded() const { return autosomesOnly_ || isList_; }
    /// Whether the variant is compared; counts it if not. `place` names it for a message. Throws InputError
    /// for a chromosome that the species does not have.
    bool keeps(std::string_view chromosome, std::int64_t position, std::string_view id,
               const std::function<std::string()>& place);
    /// How many variants were left out, and why; one line per reason.
    std::vector<std::string> notes() const;
    std::size_t leftOut() const { return otherChromosomes_ + negative_ + unlisted_; }

  private:
    bool autosomesOnly_;
    io::ChromosomeSet chromosomes_;
    std::size_t otherChromosomes_ = 0;
    std::size_t negative_ = 0;  ///< with a negative position
    bool isList_ = false;
    std::set<std::string, std::less<>> listed_;
    std::size_t unlisted_ = 0;
};

VariantFilter::VariantFilter(const InputOptions& options)
    : autosomesOnly_(options.autosomesOnly),
      chromosomes_(options.chromosomes),
      isList_(!options.extract.empty()) {
    if (!isList_) return;
    const auto stream = io::openText(options.extract);
    io::LineReader lines(*stream);
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
        std::istringstream words{std::string(line)};
        for (std::string word; words >> word;) listed_.insert(word);
    }
    if (listed_.empty()) throw InputError(options.extract + ": names no variant; expected one a line");
}

bool VariantFilter::keeps(std::string_view chromosome, std::int64_t position, std::string_view id,
                          const std::function<std::string()>& place) {
    if (isList_ && !listed_.contains(id)) {
        ++unlisted_;
        return false;
    }
    if (!autosomesOnly_) return true;
    if (position < 0) {
        ++negative_;
        return false;
    }
    switch (chromosomes_.role(chromosome)) {
        case io::ChromosomeRole::Autosome:
            return true;
        case io::ChromosomeRole::Absent:
            throw InputError(fmt::format(
                "{}: the chromosome '{}' was found; expected one of {}. Name the species (--chr-set N, --cow "
                "and the like), or take all chromosomes (--chromosomes all)",
                place(), excerpt(chromosome), chromosomes_.describe()));
        default:
            ++otherChromosomes_;
            return false;
    }
}

std::vector<std::string> VariantFilter::notes() const {
    std::vector<std::string> notes;
    if (isList_) notes.push_back(fmt::format("--extract left out {} variants", unlisted_));
    if (otherChromosomes_ > 0)
        notes.push_back(fmt::format("left out {} variants on {}", otherChromosomes_, chromosomes_.leftOut()));
    if (negative_ > 0)
        notes.push_back(fmt::format("left out {} variants with a negative position", negative_));
    return notes;
}

/// Individual identifiers if they are unique, else FAMILY_INDIVIDUAL.
std::vector<std::string> sampleNames(const std::vector<io::PlinkSample>& samples, const std::string& file) {
    std::vector<std::string> names;
    for (const io::PlinkSample& sample : samples) names.push_back(sample.id);
    if (!firstRepeated(names)) return names;
    for (std::size_t i = 0; i < samples.size(); ++i) names[i] = samples[i].familyId + '_' + samples[i].id;
    if (const auto repeated = firstRepeated(names))
        throw InputError(
            fmt::format("{}: samples {} and {} would both be called '{}'; expected names of "
                        "families and individuals that stay different when joined",
                        file, repeated->first + 1, repeated->second + 1, excerpt(names[repeated->first])));
    return names;
}

}  // namespace

DataSet readPlinkData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes});
    const io::PlinkPaths paths = io::plinkPaths(path);
    VariantFilter filter(options);
    std::vector<std::uint32_t> kept;
    io::PlinkFiles files = io::openPlinkFiles(paths, [&](std::size_t index, const io::PlinkVariant& variant) {
        const auto place = [&] {
            return fmt::format("{}: variant {} ({})", paths.bim.string(), index + 1, excerpt(variant.id));
        };
        if (filter.keeps(variant.chromosome, variant.position, variant.id, place) && filter.isNeeded())
            kept.push_back(static_cast<std::uint32_t>(index));
    });
    DataSet data;
    data.kind = DataKind::Genotypes;
    data.names = sampleNames(files.samples, paths.fam.string());
    for (const io::PlinkSample& sample : files.samples) {
        data.familyIds.emplace_back(sample.familyId, sample.id);
        data.founders.push_back(sample.isFounder());
    }
    data.notes = filter.notes();
    std::optional<std::vector<std::uint32_t>> selection;
    data.variantsLeftOut = filter.leftOut();
    if (data.variantsLeftOut > 0) selection = std::move(kept);
    data.discrete =
        std::make_unique<GenotypeSource>(std::move(files.genotypes), std::move(selection),
                                         teamForFiles(options, {paths.bed, paths.bim, paths.fam}));
    return data;
}

DataSet readCallData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes});
    VariantFilter filter(options);
    io::CallOptions reading;
    reading.anyAlleles = options.anyAlleles;
    reading.gapsAreMissing = options.gaps == LetterRule::Missing;
    reading.strict = options.strict;
    if (filter.isNeeded()) reading.keeps = std::bind_front(&VariantFilter::keeps, &filter);
    io::VariantCalls calls = io::readVariantCalls(path, reading);
    DataSet data;
    data.kind = DataKind::Genotypes;
    data.names = std::move(calls.samples);
    if (calls.multiAllelic > 0)
        data.leftOut.push_back({calls.multiAllelic, calls.sites,
                                "more than two alleles (mismatch and proportion compare them)"});
    if (calls.manyGenotypes > 0)
        data.leftOut.push_back(
            {calls.manyGenotypes, calls.sites,
             fmt::format("more than {} different genotypes", io::SymbolSite::kMaxSymbols)});
    data.notes = filter.notes();
    data.variantsLeftOut = filter.leftOut() + calls.multiAllelic + calls.manyGenotypes;
    if (!calls.symbolSites.empty())
        data.notes.push_back(fmt::format("{} with more than two alleles: genotypes are compared as a whole",
                                         formatCount(calls.symbolSites.size(), "site")));
    if (calls.gapCalls > 0)
        data.notes.push_back(fmt::format("{} with the allele * (a gap) taken for missing",
                                         formatCount(calls.gapCalls, "genotype")));
    if (calls.halfCalls > 0)
        data.notes.push_back(fmt::format("{} with one allele known taken for missing",
                                         formatCount(calls.halfCalls, "genotype")));
    if (calls.symbolSites.empty())
        data.discrete = std::make_unique<GenotypeSource>(std::move(calls.genotypes));
    else
        data.discrete =
            std::make_unique<CallSource>(std::move(calls.genotypes), std::move(calls.symbolSites));
    return data;
}

}  // namespace glycine::distance
