#include "kernels_cuda/pairs/operand_source.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels_cuda/device/device_matrix_kernels.hpp"

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

class DeviceOperands final : public OperandSource {
  public:
    explicit DeviceOperands(const DeviceMatrix& numbers) : numbers_(numbers) {}
    std::size_t instances() const override { return numbers_.rows; }
    std::size_t attributes() const override { return numbers_.columns; }
    unsigned planes() const override { return 1; }
    std::size_t attributesAWord() const override { return 1; }
    std::size_t wordsAnAttribute() const override { return numbers_.itemBytes / sizeof(std::uint32_t); }

    Block read(Range instances, Range words) const override {
        const Range columns{words.begin / wordsAnAttribute(), words.end / wordsAnAttribute()};
        return {{.instances = instances.size(),
                 .words = words.size(),
                 .fill =
                     [=, this](Range some, std::uint32_t* target, glycine::cuda::StreamHandle stream) {
                         glycine::cuda::launchGather(
                             stream, numbers_, nullptr,
                             {instances.begin + some.begin, instances.begin + some.end}, columns, target);
                     }},
                nullptr};
    }

  private:
    DeviceMatrix numbers_;
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

std::unique_ptr<OperandSource> operandsOf(const DeviceMatrix& numbers) {
    return std::make_unique<DeviceOperands>(numbers);
}

}  // namespace glycine::pairs::cuda
