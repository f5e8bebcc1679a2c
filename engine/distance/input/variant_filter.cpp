#include "engine/distance/input/variant_filter.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine::distance {

bool VariantFilter::keeps(std::string_view chromosome, std::int64_t position,
                          const std::function<std::string()>& place) {
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
    if (otherChromosomes_ > 0)
        notes.push_back(fmt::format("left out {} variants on {}", otherChromosomes_, chromosomes_.leftOut()));
    if (negative_ > 0)
        notes.push_back(fmt::format("left out {} variants with a negative position", negative_));
    return notes;
}

}  // namespace glycine::distance
