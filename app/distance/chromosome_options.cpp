#include "app/distance/chromosome_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/names.hpp"

namespace glycine::distance {

namespace {

constexpr NameTable<bool, 2> kChromosomes{{{false, "all"}, {true, "autosomes"}}};

/// Applies --cow and similar options as if --chr-set had been given.
void useSpecies(ChromosomeOptions& given, InputOptions& reading) {
    const std::vector<std::string_view> species = io::ChromosomeSet::species();
    std::string first = given.set.empty() ? "" : "--chr-set";
    for (std::size_t k = 0; k < given.species.size(); ++k) {
        if (!given.species[k]) continue;
        if (!first.empty())
            throw UsageError(fmt::format("{} and --{} both name a species; give one", first, species.at(k)));
        first = fmt::format("--{}", species.at(k));
        given.set = {std::string(species.at(k))};
        reading.chromosomes = io::ChromosomeSet::ofSpecies(species.at(k));
    }
}

}  // namespace

void declareChromosomeOptions(Options& options, ChromosomeOptions& given, InputOptions& reading) {
    options
        .choice("--chromosomes WHICH", given.autosomesOnly, kChromosomes,
                ".bed, VCF: variants on all chromosomes (default), or on autosomes as PLINK defines them "
                "(default for plink, ibs and 1-ibs)")
        .decidesResult()
        .readBy("input", {"plink", "calls"}, ".bed files and VCF");
    const auto isRead = [](Option& option) {
        option.readBy("input", {"plink", "calls"}, ".bed files and VCF")
            .readBy("chromosomes", {"autosomes"}, "--chromosomes autosomes");
    };
    isRead(options
               .parsedList(
                   "--chr-set N,…",
                   [&given, &reading](const std::vector<std::string>& words) {
                       given.set = words;
                       reading.chromosomes = io::ChromosomeSet::parse(words);
                   },
                   [&given] { return fmt::format("{}", fmt::join(given.set, ",")); },
                   "Chromosomes of the species: N autosomes, then X, Y, XY and MT unless no-x, no-y, no-xy, "
                   "no-mt: 29,no-xy (default: human, 22)")
               .byDefault("")
               .decidesResult());
    const std::vector<std::string_view> species = io::ChromosomeSet::species();
    for (std::size_t k = 0; k < given.species.size(); ++k)
        isRead(options
                   .flag(fmt::format("--{}", species.at(k)), given.species[k],
                         fmt::format("Chromosomes of this species: {}",
                                     io::ChromosomeSet::ofSpecies(species.at(k)).describe()))
                   .notASetting());
}

void completeChromosomeOptions(const Options& options, ChromosomeOptions& given, bool autosomesByDefault,
                               InputOptions& reading) {
    useSpecies(given, reading);
    if (!given.autosomesOnly) given.autosomesOnly = autosomesByDefault;
    reading.autosomesOnly = *given.autosomesOnly;
    options.requireReaders({"chromosomes",
                            {std::string(nameOf(*given.autosomesOnly, kChromosomes))},
                            "this run takes all chromosomes"});
}

}  // namespace glycine::distance
