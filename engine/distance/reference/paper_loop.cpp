#include "engine/distance/reference/paper_loop.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/core/stopwatch.hpp"

namespace glycine::distance {

namespace {

class LoopRun final : public CountingRun {
  public:
    explicit LoopRun(const DiscreteSource& source)
        : instances_(source.shape().instances), attributes_(source.shape().attributes) {
        const Stopwatch watch;
        Matrix<std::uint8_t> symbols(instances_, attributes_);
        source.readSymbols({0, instances_}, {0, attributes_}, symbols.view());
        data_.assign(symbols.data(), symbols.data() + symbols.size());
        times_.pack = watch.seconds();
    }
    Variant variant() const override { return Variant::PaperLoop; }
    PairTimes times() const override { return times_; }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override {
        distances_.assign(instances_ * instances_, 0);
        const Stopwatch watch;
        countAsInPaper(static_cast<int>(instances_), static_cast<int>(attributes_), data_.data(),
                       distances_.data());
        times_.compute += watch.seconds();
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            std::copy_n(&distances_[(tile.rows.begin + r) * instances_ + tile.columns.begin],
                        tile.columns.size(), counts.differing.row(r));
        progress.advance(static_cast<double>(tile.pairs()) * static_cast<double>(attributes_));
    }

  private:
    std::size_t instances_;
    std::size_t attributes_;
    std::vector<int> data_;
    std::vector<int> distances_;
    PairTimes times_;
};

}  // namespace

void countAsInPaper(int instances, int attributes, const int* data, int* distance) {
    for (int i = 0; i < instances; i++) {
        for (int j = 0; j < instances; j++) {
            for (int k = 0; k < attributes; k++) {
                distance[i + instances * j] += (data[i * attributes + k] != data[j * attributes + k]);
            }
        }
    }
}

Support supportsPaperLoop(const PairRequest& request) {
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    const auto [instances, attributes] = std::pair(request.shape.instances, request.shape.attributes);
    if (request.isCoordinates || request.shape.hasMissing || request.needs != CountNeeds{})
        return Support::misuse("the paper's loop counts differing attributes of complete data");
    if (instances > kMost / std::max({instances, attributes, std::size_t{1}}))
        return Support::no("the paper's loop counts elements in 32-bit integers; these are too many");
    return Support::yes();
}

std::unique_ptr<CountingRun> startPaperLoop(const DiscreteSource& source) {
    return std::make_unique<LoopRun>(source);
}

}  // namespace glycine::distance
