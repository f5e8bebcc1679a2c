#include "kernels_cuda/pairs/operand_source.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace glycine::pairs::cuda {

namespace {

static_assert(std::endian::native == std::endian::little, "the low word of a double comes first");

template <class Number>
class NumberOperands final : public OperandSource {
  public:
    explicit NumberOperands(MatrixView<const Number> numbers) : numbers_(numbers) {}
    std::size_t instances() const override { return numbers_.rows(); }
    std::size_t attributes() const override { return numbers_.columns(); }
    unsigned planes() const override { return 1; }
    std::size_t attributesAWord() const override { return 1; }
    std::size_t wordsAnAttribute() const override { return sizeof(Number) / sizeof(std::uint32_t); }

    Block read(Range instances, Range words) const override {
        return {{reinterpret_cast<const std::uint32_t*>(numbers_.row(instances.begin)) + words.begin,
                 numbers_.rowStride() * wordsAnAttribute(), instances.size(), 1, words.size()},
                nullptr};
    }

  private:
    MatrixView<const Number> numbers_;
};

}  // namespace

std::size_t OperandSource::attributesIn(Range range) const {
    const std::size_t end = std::min(range.end * attributesAWord(), attributes() * wordsAnAttribute());
    return (end - range.begin * attributesAWord()) / wordsAnAttribute();
}

template <class Number>
std::unique_ptr<OperandSource> operandsOf(MatrixView<const Number> numbers) {
    return std::make_unique<NumberOperands<Number>>(numbers);
}
template std::unique_ptr<OperandSource> operandsOf(MatrixView<const float>);
template std::unique_ptr<OperandSource> operandsOf(MatrixView<const double>);

}  // namespace glycine::pairs::cuda
