#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"

/// The ways to run an algorithm that `list`, `validate` and `bench` go through.
namespace glycine {

struct Configuration {
    std::string backend;
    std::string variant;             ///< empty: the algorithm has none for this backend, or not in this build
    std::optional<Dialect> dialect;  ///< `gl` only
    std::string numberFormat;
    bool isDefaultVariant = false;

    /// The dialect's name, or empty.
    std::string dialectName() const;
    /// "gl/packed es300 float32".
    std::string label() const;
};

/// What the user asked for; empty lists mean everything.
struct ConfigurationFilter {
    std::vector<std::string> backends{};
    std::vector<std::string> variants{};
    std::vector<std::string> numberFormats{};
    std::vector<Dialect> dialects{};
    bool defaultVariantsOnly = false;  ///< where `variants` is empty
};

/// All configurations that pass the filter: in the order of `filter.backends` (or of the registry), then
/// dialects, variants in the order of `filter.variants` (or of the algorithm) and number formats.
/// Throws UsageError for a backend, variant or format that the algorithm does not have, and when nothing is
/// left.
std::vector<Configuration> selectConfigurations(const Algorithm& algorithm,
                                                const ConfigurationFilter& filter);

/// The backends of the configurations, each once, in their order (those of a backend stand together).
std::vector<std::string> backendsOf(const std::vector<Configuration>& configurations);

/// Holds one backend at a time: OpenGL contexts are not meant to take turns on one thread.
class BackendSlot {
  public:
    explicit BackendSlot(BackendOptions options) : options_(std::move(options)) {}

    /// The backend of `configuration`, made when the slot holds another one. Throws UnavailableError with the
    /// reason, which is remembered: a context that could not be made is not tried again.
    Backend& use(const std::string& backend, std::optional<Dialect> dialect);
    Backend& use(const Configuration& configuration) {
        return use(configuration.backend, configuration.dialect);
    }

    /// Lets go of the backend that it holds.
    void release() {
        backend_.reset();
        held_ = {};
    }

  private:
    using Key = std::pair<std::string, std::optional<Dialect>>;
    BackendOptions options_;
    Key held_;
    std::unique_ptr<Backend> backend_;
    std::map<Key, std::string> refusals_;
};

}  // namespace glycine
