#pragma once

#include <functional>
#include <utility>

#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

/// Passes tiles on to another sink after a check of the input they came from, for inputs that stay in a file
/// while tiles are computed. `check` throws if the input has changed; the tile is then not stored. `stored`,
/// if given, is called after each tile.
class CheckedSink final : public PairSink {
  public:
    CheckedSink(PairSink& sink, std::function<void()> check, std::function<void(const PairTile&)> stored = {})
        : sink_(sink), check_(std::move(check)), stored_(std::move(stored)) {}
    bool has(const PairTile& tile) const override { return sink_.has(tile); }
    void store(const PairTile& tile, MatrixView<const double> values) override { pass(tile, values); }
    std::optional<DigestRequest> digestRequest() const override { return sink_.digestRequest(); }
    void store(const PairTile& tile, const TileDigest& digest) override { pass(tile, digest); }
    bool acceptsWholeNumbers() const override { return sink_.acceptsWholeNumbers(); }
    void store(const PairTile& tile, const WholeTile& whole) override { pass(tile, whole); }

  private:
    template <class Result>
    void pass(const PairTile& tile, const Result& result) {
        check_();
        sink_.store(tile, result);
        if (stored_) stored_(tile);
    }

    PairSink& sink_;
    std::function<void()> check_;
    std::function<void(const PairTile&)> stored_;
};

}  // namespace glycine::pairs
