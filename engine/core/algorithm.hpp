#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"

namespace CLI {
class App;
}

namespace glycine {

class CommandContext;

/// What a size is made of, in the order in which people say it: {{"instances", 2000}, {"attributes", 512}}.
using Dimensions = std::vector<std::pair<std::string, std::size_t>>;

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

/// What the command can do with an algorithm.
enum class Task {
    Run,        ///< `glycine <algorithm> …`
    Generate,   ///< `glycine generate <algorithm> …`
    Validate,   ///< `glycine validate <algorithm> …`
    Bench,      ///< `glycine bench <algorithm> …`
    Reproduce,  ///< `glycine reproduce <algorithm> …`: the publication's figures, measured here
};

/// An algorithm as the command sees it. The typed call that computes is the algorithm's own
/// (`bounds::smooth`); this interface lets `list`, `validate`, `bench` and the help find it.
class Algorithm {
  public:
    /// Runs a parsed command; returns the exit code.
    using Action = std::function<int(CommandContext&)>;

    virtual ~Algorithm() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0;
    /// What `glycine generate` makes for it, where that has a name of its own: "genotypes".
    virtual std::string_view generatedName() const { return name(); }
    /// The publication that the algorithm follows.
    virtual std::string_view source() const = 0;
    virtual std::vector<VariantInfo> variants() const = 0;
    virtual Support supports(Backend& backend, std::string_view variant, std::size_t size) const = 0;
    /// Adds the task's options to `command` and returns what runs after parsing; empty when the algorithm
    /// has no such task. The options live as long as the returned action.
    virtual Action addTask(Task task, CLI::App& command) const = 0;
};

class AlgorithmRegistry {
  public:
    static AlgorithmRegistry& instance();
    void add(std::unique_ptr<Algorithm> algorithm);
    const std::vector<std::unique_ptr<Algorithm>>& algorithms() const { return algorithms_; }
    /// Throws UsageError for an unknown name.
    const Algorithm& find(std::string_view name) const;

  private:
    std::vector<std::unique_ptr<Algorithm>> algorithms_;
};

}  // namespace glycine
