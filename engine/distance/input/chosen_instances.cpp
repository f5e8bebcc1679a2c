#include "engine/distance/input/chosen_instances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/distance/allele_counts.hpp"
#include "engine/distance/input/genotype_source.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::distance {

namespace {

/// Some instances of a source as bit planes in memory.
class ChosenPlanes final : public DiscreteSource {
  public:
    ChosenPlanes(const DiscreteSource& all, const std::vector<std::size_t>& chosen) : shape_(all.shape()) {
        shape_.instances = chosen.size();
        requireHostMemory(fmt::format("holding {}", formatCount(chosen.size(), "chosen instance")),
                          static_cast<double>(chosen.size() * shape_.storedPlanes()) *
                              static_cast<double>(PlaneBlock::strideFor(shape_.attributes)) * 8);
        planes_ = PlaneBlock(chosen.size(), shape_.storedPlanes(), shape_.attributes);
        // Reads all instances of some attributes, because .bed files are ordered by variant.
        constexpr std::size_t kBlock = std::size_t{1} << 14;
        for (const Range attributes : splitRange(shape_.attributes, kBlock)) {
            const PlaneBlock block = all.readPlanes({0, all.shape().instances}, attributes);
            const std::size_t words = (attributes.size() + 63) / 64;
            for (std::size_t i = 0; i < chosen.size(); ++i)
                for (unsigned p = 0; p < shape_.storedPlanes(); ++p)
                    std::copy_n(block.plane(chosen[i], p), words,
                                planes_.plane(i, p) + attributes.begin / 64);
        }
    }
    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
        const std::size_t words = (attributes.size() + 63) / 64;
        const std::size_t tail = attributes.size() % 64;
        for (std::size_t i = 0; i < instances.size(); ++i)
            for (unsigned p = 0; p < shape_.storedPlanes(); ++p) {
                std::uint64_t* target = block.plane(i, p);
                std::copy_n(planes_.plane(instances.begin + i, p) + attributes.begin / 64, words, target);
                if (tail > 0) target[words - 1] &= (std::uint64_t{1} << tail) - 1;
            }
        return block;
    }

  private:
    DiscreteShape shape_;
    PlaneBlock planes_;
};

/// Some attributes of a source.
std::unique_ptr<DiscreteSource> chosenAttributes(const DiscreteSource& source,
                                                 const std::vector<std::size_t>& chosen) {
    if (const auto* genotypes = dynamic_cast<const GenotypeSource*>(&source))
        return genotypes->select(chosen);
    const DiscreteShape& shape = source.shape();
    Matrix<std::uint8_t> symbols(shape.instances, chosen.size());
    std::vector<std::uint8_t> all(shape.attributes);
    for (std::size_t i = 0; i < shape.instances; ++i) {
        source.readSymbols({i, i + 1}, {0, shape.attributes}, {all.data(), 1, all.size()});
        for (std::size_t k = 0; k < chosen.size(); ++k) symbols(i, k) = all[chosen[k]];
    }
    return std::make_unique<SymbolMatrix>(std::move(symbols), shape);
}

void chooseVariants(DataSet& data, std::vector<bool> isChosen, const VariantLimits& limits) {
    if (data.kind != DataKind::Genotypes || !data.discrete->shape().isGenotypes)
        throw UsageError("--maf and --geno are for genotypes with two alleles");
    // PLINK's tolerance: numbers that are equal except for rounding are within the limit.
    constexpr double kSlack = 1e-11;
    const auto instances = static_cast<double>(std::ranges::count(isChosen, true));
    const std::vector<AlleleCount> all = countAlleles(*data.discrete, isChosen, silentProgress());
    for (std::size_t i = 0; i < data.founders.size(); ++i) isChosen[i] = isChosen[i] && data.founders[i];
    const std::vector<AlleleCount> ofFounders =
        data.founders.empty() ? all : countAlleles(*data.discrete, isChosen, silentProgress());
    std::vector<std::size_t> chosen;
    std::size_t rare = 0, gappy = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const double missing = instances - all[k].genotypes;
        const double copies = ofFounders[k].alleles, most = 2.0 * ofFounders[k].genotypes;
        const bool isGappy = limits.geno && missing > *limits.geno * instances + kSlack * instances;
        const bool isRare = limits.maf && std::min(copies, most - copies) < *limits.maf * most * (1 - kSlack);
        gappy += isGappy ? 1 : 0;
        rare += isRare && !isGappy ? 1 : 0;
        if (!isGappy && !isRare) chosen.push_back(k);
    }
    if (limits.geno) data.notes.push_back(fmt::format("--geno left out {}", formatCount(gappy, "variant")));
    const bool haveFounders = std::ranges::find(isChosen, true) != isChosen.end();
    if (limits.maf)
        data.notes.push_back(
            fmt::format("--maf left out {}{}", formatCount(rare, "variant"),
                        haveFounders ? "" : ": there are no founders, whose frequencies it would judge"));
    if (chosen.empty())
        throw InputError("--maf and --geno leave no variant; expected a lower --maf or a higher --geno");
    data.discrete = chosenAttributes(*data.discrete, chosen);
    const std::string whole = fmt::format("× {} ", all.size());
    if (const std::size_t at = data.description.find(whole); at != std::string::npos)
        data.description.replace(
            at, whole.size(), fmt::format("× {} of {} ", chosen.size(), all.size() + data.variantsLeftOut));
}

}  // namespace

std::vector<bool> namedInstances(const std::filesystem::path& list, const DataSet& data,
                                 std::size_t& strangers) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        const auto& [family, individual] = data.familyIds[i];
        places.emplace(family + ' ' + individual, i);
        places.emplace(data.names[i], i);
    }
    std::vector<bool> named(data.names.size());
    strangers = 0;
    const auto stream = io::openText(list);
    io::LineReader lines(*stream);
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words{std::string(line)};
        std::string first, second;
        words >> first >> second;
        auto found = places.find(std::string(line));
        if (found == places.end()) found = places.find(second.empty() ? first : first + ' ' + second);
        if (found == places.end())
            ++strangers;
        else
            named[found->second] = true;
    }
    if (std::ranges::none_of(named, [](bool is) { return is; }))
        throw InputError(
            fmt::format("{}: names no instance of the input; expected a name, or a family and an "
                        "individual identifier, a line",
                        list.string()));
    return named;
}

void chooseInstances(DataSet& data, const std::filesystem::path& keep, const std::filesystem::path& remove,
                     const VariantLimits& limits) {
    std::vector<bool> isChosen(data.names.size(), true);
    for (const auto& [list, isKept] : {std::pair(keep, true), std::pair(remove, false)}) {
        if (list.empty()) continue;
        std::size_t strangers = 0;
        const std::vector<bool> named = namedInstances(list, data, strangers);
        for (std::size_t i = 0; i < named.size(); ++i) isChosen[i] = isChosen[i] && named[i] == isKept;
        if (strangers > 0)
            data.notes.push_back(fmt::format("{} names {} more, which the input lacks",
                                             list.filename().string(), formatCount(strangers)));
    }
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < isChosen.size(); ++i)
        if (isChosen[i]) chosen.push_back(i);
    const std::string given = keep.empty() ? "--remove" : remove.empty() ? "--keep" : "--keep, --remove";
    if (chosen.empty())
        throw InputError(fmt::format("no instance is left ({}); expected at least one", given));
    if (limits.areGiven()) chooseVariants(data, isChosen, limits);
    if (keep.empty() && remove.empty()) return;
    data.notes.push_back(fmt::format("chosen {} of {} ({})", formatCount(chosen.size()),
                                     formatCount(isChosen.size(), "instance"), given));
    data.description = fmt::format("{} of {}", chosen.size(), data.description);
    if (data.kind == DataKind::Coordinates) {
        data.coordinates = std::move(selectInstances(data.view(), chosen).coordinates);
        data.inFile.reset();
    } else {
        data.discrete = std::make_unique<ChosenPlanes>(*data.discrete, chosen);
    }
    const auto choose = [&](auto& values) {
        if (values.empty()) return;
        for (std::size_t k = 0; k < chosen.size(); ++k) values[k] = values[chosen[k]];
        values.resize(chosen.size());
    };
    choose(data.names);
    choose(data.familyIds);
    choose(data.founders);
}

}  // namespace glycine::distance
