#pragma once

#include <memory>
#include <optional>

#include "engine/command/recount.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo {

/// Searches indirect paths with another engine, and recounts some paths of each tile with the reference. Its
/// runs throw WrongResultError if the results differ.
class RecountedPaths final : public PathEngine {
  public:
    /// `backend` is the backend of `paths`.
    RecountedPaths(std::unique_ptr<PathEngine> paths, const Backend& backend, const BackendRequest& request)
        : paths_(std::move(paths)), recount_(backend, request, "path") {}
    Support supports(const PathShape& shape) const override { return paths_->supports(shape); }
    std::size_t preferredTile(std::size_t genes) const override { return paths_->preferredTile(genes); }
    /// The runs must not outlive this object.
    std::unique_ptr<PathRun> start(const PathRequest& request) override;
    /// See Recount::report.
    std::optional<RecountReport> report() const { return recount_.report(); }

  private:
    std::unique_ptr<PathEngine> paths_;
    Recount recount_;
};

/// The same for selections of regulators: recounts some targets of each share, over all genes.
class RecountedSelection final : public SelectionEngine {
  public:
    RecountedSelection(std::unique_ptr<SelectionEngine> engine, const Backend& backend,
                       const BackendRequest& request)
        : engine_(std::move(engine)), recount_(backend, request, "target") {}
    Support supports(const PathShape& shape) const override { return engine_->supports(shape); }
    std::size_t preferredTargets(std::size_t genes) const override {
        return engine_->preferredTargets(genes);
    }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override;
    std::optional<RecountReport> report() const { return recount_.report(); }

  private:
    std::unique_ptr<SelectionEngine> engine_;
    Recount recount_;
};

}  // namespace glycine::mutualinfo
