#pragma once

#include <cstddef>
#include <memory>

#include "engine/core/device_matrix.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/pairs/word_loader.hpp"

namespace glycine::pairs::cuda {

/// What is compared, as 32-bit words: 32 attributes of one bit plane, one float32 number, or half of a
/// float64 number.
class OperandSource {
  public:
    virtual ~OperandSource() = default;
    virtual std::size_t instances() const = 0;
    virtual std::size_t attributes() const = 0;
    /// Planes that are stored, one word each for the same attributes.
    virtual unsigned planes() const = 0;
    virtual std::size_t attributesAWord() const = 0;
    /// More than 1 where an attribute is wider than a word; a divisor of kWordStep.
    virtual std::size_t wordsAnAttribute() const { return 1; }
    /// Words of one plane.
    std::size_t words() const {
        return (attributes() * wordsAnAttribute() + attributesAWord() - 1) / attributesAWord();
    }
    /// Attributes in a range of words that begins and ends with whole ones; the last word may be filled in
    /// part.
    std::size_t attributesIn(Range range) const;

    struct Block {
        glycine::cuda::SourceWords words;
        std::shared_ptr<const void> owner;  ///< keeps the words; empty where they outlive the source anyway
    };
    /// Whether any words of an instance cost what all of them do: then rather all words of few instances are
    /// read than few words of many.
    virtual bool readsWholeInstances() const { return false; }
    /// words.begin is a multiple of kWordStep.
    virtual Block read(Range instances, Range words) const = 0;

    /// Blocks of words begin at multiples of this: what bit planes can be read from, and whole stages of all
    /// kernels.
    static constexpr std::size_t kWordStep = 48;
};

/// A row of numbers an instance, float or double; of a double the low word comes first. `numbers` outlives
/// the result.
template <class Number>
std::unique_ptr<OperandSource> operandsOf(MatrixView<const Number> numbers);
/// The same of numbers in the memory of the device that takes them.
std::unique_ptr<OperandSource> operandsOf(const DeviceMatrix& numbers);

}  // namespace glycine::pairs::cuda
