#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"

namespace glycine {

struct Configuration;

/// What a size is made of, in the order in which people say it: {{"instances", 2000}, {"attributes", 512}}.
using Dimensions = std::vector<std::pair<std::string, std::size_t>>;

/// The size called `name`; 0, which stands for any size, when it is not among them.
std::size_t dimension(const Dimensions& dimensions, std::string_view name);

/// One named way in which a backend runs an algorithm.
struct VariantInfo {
    std::string backend;
    std::string name;
    std::string summary;                     ///< one line: the idea
    std::string source;                      ///< "GPU Gems 2, 43.3.4"; empty when it is our own
    std::vector<std::string> numberFormats;  ///< "float32", "float64", "fixed"
    std::vector<Dialect> dialects;           ///< `gl` only
    bool isDefault = false;                  ///< what the backend runs when no variant is named
};

/// Refuses a number format that none of the backend's variants, or not the one that is named, works in. For
/// an algorithm whose call does not ask for a format.
Support supportsNumberFormat(const std::vector<VariantInfo>& variants, const Configuration& configuration);

/// What is known of an algorithm without running it: for lists, the choice of configurations and the help.
/// The typed call that computes is the algorithm's own (`bounds::smooth`), its commands stand in
/// CommandRegistry.
class Algorithm {
  public:
    /// Whether `backend` runs the configuration's variant in its number format (empty ones: the usual) at
    /// this size. Sizes that are not named may be any. Throws UsageError for a variant or format that nobody
    /// has.
    using Supports = Support (*)(Backend& backend, const Configuration& configuration,
                                 const Dimensions& dimensions);

    Algorithm(std::string_view itsName, std::string_view itsSummary, std::string_view itsSource,
              std::vector<VariantInfo> (*listVariants)(), Supports canRun)
        : name_(itsName),
          summary_(itsSummary),
          source_(itsSource),
          variants_(listVariants),
          supports_(canRun) {}
    std::string_view name() const { return name_; }
    std::string_view summary() const { return summary_; }
    /// The publication that the algorithm follows.
    std::string_view source() const { return source_; }
    std::vector<VariantInfo> variants() const { return variants_(); }
    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const {
        return supports_(backend, configuration, dimensions);
    }

  private:
    std::string_view name_, summary_, source_;
    std::vector<VariantInfo> (*variants_)();
    Supports supports_;
};

/// The algorithms that were built in. They live as long as the program.
class AlgorithmRegistry {
  public:
    static AlgorithmRegistry& instance();
    void add(const Algorithm& algorithm);
    const std::vector<const Algorithm*>& algorithms() const { return algorithms_; }
    /// Throws UsageError for an unknown name.
    const Algorithm& find(std::string_view name) const;

  private:
    std::vector<const Algorithm*> algorithms_;
};

}  // namespace glycine
