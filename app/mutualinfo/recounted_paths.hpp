#pragma once

#include <memory>
#include <optional>

#include "engine/command/recount.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo {

/// Looks for indirect paths by another engine, and has the reference look for some of each tile again: its
/// runs throw WrongResultError where the two differ.
class RecountedPaths final : public PathEngine {
  public:
    /// `backend` is the one of `paths`.
    RecountedPaths(std::unique_ptr<PathEngine> paths, const Backend& backend, const BackendRequest& request)
        : paths_(std::move(paths)), recount_(backend, request, "path") {}
    Support supports(const PathShape& shape) const override { return paths_->supports(shape); }
    std::size_t preferredTile(std::size_t genes) const override { return paths_->preferredTile(genes); }
    /// The runs do not outlive this.
    std::unique_ptr<PathRun> start(const PathRequest& request) override;
    /// See Recount::report.
    std::optional<RecountReport> report() const { return recount_.report(); }

  private:
    std::unique_ptr<PathEngine> paths_;
    Recount recount_;
};

/// The same for the selection of regulators: some targets of each share, all genes.
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
