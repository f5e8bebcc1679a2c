#include "engine/algorithms/distance/cuda/operand_source.hpp"

#include <algorithm>
#include <utility>

namespace glycine::distance::cuda {

namespace {

class PlaneOperands final : public OperandSource {
  public:
    explicit PlaneOperands(const DiscreteSource& source) : source_(source) {}
    std::size_t instances() const override { return source_.shape().instances; }
    std::size_t attributes() const override { return source_.shape().attributes; }
    unsigned planes() const override { return source_.shape().storedPlanes(); }
    std::size_t attributesAWord() const override { return 32; }

    Block read(Range instances, Range words) const override {
        auto block = std::make_shared<PlaneBlock>(
            source_.readPlanes(instances, {words.begin * 32, std::min(words.end * 32, attributes())}));
        // On little-endian machines, a word of 64 attributes is two words of 32 in their order.
        return {{reinterpret_cast<const std::uint32_t*>(block->plane(0, 0)), block->stride() * 2,
                 instances.size(), planes(), words.size()},
                block};
    }

  private:
    const DiscreteSource& source_;
};

class CoordinateOperands final : public OperandSource {
  public:
    explicit CoordinateOperands(MatrixView<const float> coordinates) : coordinates_(coordinates) {}
    std::size_t instances() const override { return coordinates_.rows(); }
    std::size_t attributes() const override { return coordinates_.columns(); }
    unsigned planes() const override { return 1; }
    std::size_t attributesAWord() const override { return 1; }

    Block read(Range instances, Range words) const override {
        return {{reinterpret_cast<const std::uint32_t*>(coordinates_.row(instances.begin) + words.begin),
                 coordinates_.rowStride(), instances.size(), 1, words.size()},
                nullptr};
    }

  private:
    MatrixView<const float> coordinates_;
};

}  // namespace

std::size_t OperandSource::attributesIn(Range range) const {
    return std::min(range.end * attributesAWord(), attributes()) - range.begin * attributesAWord();
}

std::unique_ptr<OperandSource> planesOf(const DiscreteSource& source) {
    return std::make_unique<PlaneOperands>(source);
}

std::unique_ptr<OperandSource> wordsOf(MatrixView<const float> coordinates) {
    return std::make_unique<CoordinateOperands>(coordinates);
}

}  // namespace glycine::distance::cuda
