#include "engine/pairs/cuda/operand_source.hpp"

#include <algorithm>

namespace glycine::pairs::cuda {

namespace {

class NumberOperands final : public OperandSource {
  public:
    explicit NumberOperands(MatrixView<const float> numbers) : numbers_(numbers) {}
    std::size_t instances() const override { return numbers_.rows(); }
    std::size_t attributes() const override { return numbers_.columns(); }
    unsigned planes() const override { return 1; }
    std::size_t attributesAWord() const override { return 1; }

    Block read(Range instances, Range words) const override {
        return {{reinterpret_cast<const std::uint32_t*>(numbers_.row(instances.begin) + words.begin),
                 numbers_.rowStride(), instances.size(), 1, words.size()},
                nullptr};
    }

  private:
    MatrixView<const float> numbers_;
};

}  // namespace

std::size_t OperandSource::attributesIn(Range range) const {
    return std::min(range.end * attributesAWord(), attributes()) - range.begin * attributesAWord();
}

std::unique_ptr<OperandSource> operandsOf(MatrixView<const float> numbers) {
    return std::make_unique<NumberOperands>(numbers);
}

}  // namespace glycine::pairs::cuda
