#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Which variants of a file are compared: all, or those that `plink --distance` uses (InputOptions). One rule
/// for every format that has chromosomes.
class VariantFilter {
  public:
    explicit VariantFilter(const InputOptions& options)
        : autosomesOnly_(options.autosomesOnly), chromosomes_(options.chromosomes) {}

    /// Whether the variant is compared; counts it where it is not. `place` names it for a message. Throws
    /// InputError for a chromosome that the species does not have.
    bool keeps(std::string_view chromosome, std::int64_t position, const std::function<std::string()>& place);
    /// How many were not kept, and why: a line each.
    std::vector<std::string> notes() const;
    bool hasLeftOut() const { return otherChromosomes_ + negative_ > 0; }

  private:
    bool autosomesOnly_;
    io::ChromosomeSet chromosomes_;
    std::size_t otherChromosomes_ = 0;
    std::size_t negative_ = 0;  ///< with a negative position
};

}  // namespace glycine::distance
