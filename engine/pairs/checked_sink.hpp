#pragma once

#include <functional>
#include <utility>

#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

/// Passes tiles on to another sink after a check of the input they came from, for inputs that stay in a file
/// while tiles are computed. `check` throws if the input has changed; the tile is then not stored.
class CheckedSink final : public PairSink {
  public:
    CheckedSink(PairSink& sink, std::function<void()> check) : sink_(sink), check_(std::move(check)) {}
    bool has(const PairTile& tile) const override { return sink_.has(tile); }
    void store(const PairTile& tile, MatrixView<const double> values) override {
        check_();
        sink_.store(tile, values);
    }
    std::optional<DigestRequest> digestRequest() const override { return sink_.digestRequest(); }
    void store(const PairTile& tile, const TileDigest& digest) override {
        check_();
        sink_.store(tile, digest);
    }
    bool acceptsWholeNumbers() const override { return sink_.acceptsWholeNumbers(); }
    void store(const PairTile& tile, const WholeTile& whole) override {
        check_();
        sink_.store(tile, whole);
    }

  private:
    PairSink& sink_;
    std::function<void()> check_;
};

}  // namespace glycine::pairs
