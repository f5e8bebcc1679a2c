#include "engine/io/sequences/chromosome_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

namespace {

/// A species as PLINK 1.9 defines it.
struct Species {
    std::string_view name;
    std::vector<std::string> words;  ///< the equivalent arguments of --chr-set
};
const std::vector<Species>& allSpecies() {
    static const std::vector<Species> all{{"human", {"22"}},
                                          {"cow", {"29", "no-xy"}},
                                          {"dog", {"38"}},
                                          {"horse", {"31", "no-xy", "no-mt"}},
                                          {"mouse", {"19", "no-xy", "no-mt"}},
                                          {"rice", {"-12"}},
                                          {"sheep", {"26", "no-xy", "no-mt"}}};
    return all;
}

}  // namespace

ChromosomeSet::ChromosomeSet() = default;

ChromosomeSet ChromosomeSet::ofSpecies(std::string_view name) {
    for (const Species& species : allSpecies()) {
        if (species.name != name) continue;
        ChromosomeSet set = parse(species.words);
        set.namesAll_ = false;
        return set;
    }
    std::vector<std::string_view> known = species();
    known.insert(known.begin(), "human");
    throwUnknownName("species", name, known);
}

std::vector<std::string_view> ChromosomeSet::species() {
    std::vector<std::string_view> names;
    for (const Species& species : allSpecies())
        if (species.name != "human") names.push_back(species.name);
    return names;
}

ChromosomeSet ChromosomeSet::parse(const std::vector<std::string>& words) {
    ChromosomeSet set;
    const std::string_view number = words.empty() ? std::string_view() : words.front();
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, set.autosomes_);
    if (error != std::errc() || stop != end || set.autosomes_ == 0 || set.autosomes_ > kMaxAutosomes ||
        set.autosomes_ < -kMaxAutosomes)
        throw UsageError(
            fmt::format("--chr-set: '{}' is no number of autosomes from 1 to {}, nor of haploid "
                        "chromosomes from -1 to -{}",
                        excerpt(number), kMaxAutosomes, kMaxAutosomes));
    set.isHaploid_ = set.autosomes_ < 0;
    if (set.isHaploid_) {
        set.autosomes_ = -set.autosomes_;
        set.hasX_ = set.hasY_ = set.hasXy_ = set.hasMt_ = false;
    }
    for (std::size_t k = 1; k < words.size(); ++k) {
        const std::string& word = words[k];
        bool* const part = word == "no-x"    ? &set.hasX_
                           : word == "no-y"  ? &set.hasY_
                           : word == "no-xy" ? &set.hasXy_
                           : word == "no-mt" ? &set.hasMt_
                                             : nullptr;
        if (part == nullptr || set.isHaploid_)
            throw UsageError(fmt::format("--chr-set: '{}' was not expected after '{}'; {}", excerpt(word),
                                         number,
                                         set.isHaploid_ ? "haploid chromosomes have no X, Y, XY and MT"
                                                        : "known: no-x, no-y, no-xy, no-mt"));
        *part = false;
    }
    set.namesAll_ = true;
    return set;
}

int ChromosomeSet::largestCode() const {
    return autosomes_ + (hasMt_ ? 4 : hasXy_ ? 3 : hasY_ ? 2 : hasX_ ? 1 : 0);
}

ChromosomeRole ChromosomeSet::role(std::string_view chromosome) const {
    using enum ChromosomeRole;
    std::string name = lowerCase(chromosome);
    if (name.starts_with("chr")) name.erase(0, 3);
    if (name.size() == 2 && name[0] == '0') name.erase(0, 1);
    const ChromosomeRole other = isHaploid_ ? Haploid : Autosome;
    if (name == "x") return hasX_ ? X : Absent;
    if (name == "y") return hasY_ ? Y : Absent;
    if (name == "xy") return hasXy_ ? Autosome : Absent;
    if (name == "m" || name == "mt") return hasMt_ ? Mitochondrial : Absent;
    // Longer numbers are ordinary names.
    if (name.size() > 2 || !isDigits(name)) return other;
    int code = 0;
    std::from_chars(name.data(), name.data() + name.size(), code);
    if (code > largestCode()) return Absent;
    if (hasX_ && code == autosomes_ + 1) return X;
    if (hasY_ && code == autosomes_ + 2) return Y;
    if (hasMt_ && code == autosomes_ + 4) return Mitochondrial;
    if (namesAll_ && code > autosomes_ && !(hasXy_ && code == autosomes_ + 3)) return Absent;
    return other;
}

std::string ChromosomeSet::leftOut() const {
    if (isHaploid_) return "haploid chromosomes";
    std::vector<std::string_view> names;
    if (hasX_) names.emplace_back("X");
    if (hasY_) names.emplace_back("Y");
    if (hasMt_) names.emplace_back("MT");
    std::string text = "the chromosomes ";
    for (std::size_t k = 0; k < names.size(); ++k)
        text += fmt::format("{}{}", k == 0 ? "" : k + 1 == names.size() ? " and " : ", ", names[k]);
    return text;
}

std::string ChromosomeSet::describe() const {
    std::string text = fmt::format("1 – {}", autosomes_);
    if (isHaploid_) return text + " (haploid)";
    if (hasX_) text += fmt::format(", X ({})", autosomes_ + 1);
    if (hasY_) text += fmt::format(", Y ({})", autosomes_ + 2);
    if (hasXy_) text += fmt::format(", XY ({})", autosomes_ + 3);
    if (hasMt_) text += fmt::format(", MT ({})", autosomes_ + 4);
    return text;
}

}  // namespace glycine::io
