#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"

namespace glycine {

struct Configuration;

/// The dimensions of a problem, in the order in which people state them: {{"instances", 2000}, {"attributes",
/// 512}}.
using Dimensions = std::vector<std::pair<std::string, std::size_t>>;

/// The dimension called `name`, or 0 (any size) if it is not listed.
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

/// Refuses a number format that the named variant, or every variant of the backend, does not support. For
/// algorithms whose call has no format argument.
Support supportsNumberFormat(const std::vector<VariantInfo>& variants, const Configuration& configuration);

/// Description of an algorithm without running it: for lists, help and the choice of configurations. The
/// algorithm itself provides the typed call that computes (`bounds::smooth`); CommandRegistry holds its
/// commands.
class Algorithm {
  public:
    /// Whether `backend` runs the configuration's variant in its number format at this size. An empty variant
    /// or format means the default; a dimension that is not listed may have any size. Throws UsageError for a
    /// variant or format that no backend has.
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

/// The built-in algorithms. They live as long as the program.
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
