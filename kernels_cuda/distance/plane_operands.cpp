#include "kernels_cuda/distance/plane_operands.hpp"

#include <algorithm>

namespace glycine::distance::cuda {

namespace {

class PlaneOperands final : public pairs::cuda::OperandSource {
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

}  // namespace

std::unique_ptr<pairs::cuda::OperandSource> planesOf(const DiscreteSource& source) {
    return std::make_unique<PlaneOperands>(source);
}

}  // namespace glycine::distance::cuda
