#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/algorithms/distance/input/genotype_source.hpp"
#include "engine/algorithms/distance/input/input_readers.hpp"
#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/sequences/variant_calls.hpp"

namespace glycine::distance {

namespace {

/// Whether PLINK 1.9 leaves the chromosome out of --distance: X, Y or MT, under the names that it knows. The
/// pseudo-autosomal region XY (25), 0 and names that PLINK does not know are not left out.
bool isSexOrMitochondrial(std::string_view chromosome) {
    std::string name = lowerCase(chromosome);
    if (name.starts_with("chr")) name.erase(0, 3);
    if (name.size() == 2 && name[0] == '0') name.erase(0, 1);
    constexpr std::string_view kNames[] = {"x", "23", "y", "24", "m", "mt", "26"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Individual identifiers where they are unique, else FAMILY_INDIVIDUAL.
std::vector<std::string> sampleNames(const std::vector<io::PlinkSample>& samples, const std::string& file) {
    std::vector<std::string> names;
    for (const io::PlinkSample& sample : samples) names.push_back(sample.id);
    if (!firstRepeated(names)) return names;
    for (std::size_t i = 0; i < samples.size(); ++i) names[i] = samples[i].familyId + '_' + samples[i].id;
    if (const auto repeated = firstRepeated(names))
        throw InputError(
            fmt::format("{}: samples {} and {} would both be called '{}'; expected names of "
                        "families and individuals that stay different when joined",
                        file, repeated->first + 1, repeated->second + 1, names[repeated->first]));
    return names;
}

}  // namespace

DataSet readPlinkData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes});
    const io::PlinkPaths paths = io::plinkPaths(path);
    // The variants that PLINK's --distance uses, and how many it leaves out.
    std::vector<std::uint32_t> kept;
    std::size_t otherChromosomes = 0;
    std::size_t negative = 0;
    io::PlinkFiles files = io::openPlinkFiles(paths, [&](std::size_t index, const io::PlinkVariant& variant) {
        if (!options.autosomesOnly) return;
        if (variant.position < 0)
            ++negative;
        else if (isSexOrMitochondrial(variant.chromosome))
            ++otherChromosomes;
        else
            kept.push_back(static_cast<std::uint32_t>(index));
    });
    DataSet data;
    data.kind = DataKind::Genotypes;
    data.names = sampleNames(files.samples, paths.fam.string());
    for (const io::PlinkSample& sample : files.samples) {
        data.familyIds.emplace_back(sample.familyId, sample.id);
        data.founders.push_back(sample.isFounder());
    }
    if (otherChromosomes > 0)
        data.notes.push_back(
            fmt::format("left out {} variants on the chromosomes X, Y and MT", otherChromosomes));
    if (negative > 0)
        data.notes.push_back(fmt::format("left out {} variants with a negative position", negative));
    std::optional<std::vector<std::uint32_t>> selection;
    if (otherChromosomes + negative > 0) selection = std::move(kept);
    data.discrete = std::make_unique<GenotypeSource>(std::move(files.genotypes), std::move(selection));
    return data;
}

DataSet readCallData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes});
    io::VariantCalls calls = io::readVariantCalls(path, options.strict);
    DataSet data;
    data.kind = DataKind::Genotypes;
    data.names = std::move(calls.samples);
    if (calls.multiAllelic > 0)
        data.notes.push_back(
            fmt::format("skipped {} records with more than one alternate allele", calls.multiAllelic));
    if (calls.halfCalls > 0)
        data.notes.push_back(
            fmt::format("took {} genotypes with one allele known for missing", calls.halfCalls));
    data.discrete = std::make_unique<GenotypeSource>(std::move(calls.genotypes));
    return data;
}

}  // namespace glycine::distance
