#pragma once

#include <cstddef>
#include <memory>

#include "engine/core/device_matrix.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/pairs/word_loader.hpp"

namespace glycine::pairs::cuda {

/// Operands of comparisons as 32-bit words: 32 attributes of one bit plane, one float32 number, or half of a
/// float64 number.
class OperandSource {
  public:
    virtual ~OperandSource() = default;
    virtual std::size_t instances() const = 0;
    virtual std::size_t attributes() const = 0;
    /// Stored planes, each with one word for the same attributes.
    virtual unsigned planes() const = 0;
    virtual std::size_t attributesAWord() const = 0;
    /// Above 1 if an attribute is wider than a word; a divisor of kWordStep.
    virtual std::size_t wordsAnAttribute() const { return 1; }
    /// Words per plane.
    std::size_t words() const {
        return (attributes() * wordsAnAttribute() + attributesAWord() - 1) / attributesAWord();
    }
    /// Number of attributes in a range of words that begins and ends with whole attributes; the last word may
    /// be partially filled.
    std::size_t attributesIn(Range range) const;

    struct Block {
        glycine::cuda::SourceWords words;
        std::shared_ptr<const void> owner;  ///< owns the words; empty if they outlive the source anyway
    };
    /// Whether reading some words of an instance costs as much as reading all of them. Then it is better to
    /// read all words of few instances than few words of many.
    virtual bool readsWholeInstances() const { return false; }
    /// Requires that words.begin is a multiple of kWordStep.
    virtual Block read(Range instances, Range words) const = 0;

    /// Blocks of words begin at multiples of this: valid start positions in bit planes, and whole stages of
    /// all kernels.
    static constexpr std::size_t kWordStep = 48;
};

/// One row of numbers per instance, float or double; the low word of a double comes first. `numbers` must
/// outlive the result.
template <class Number>
std::unique_ptr<OperandSource> operandsOf(MatrixView<const Number> numbers);
/// The same for numbers in the memory of the device that processes them.
std::unique_ptr<OperandSource> operandsOf(const DeviceMatrix& numbers);

}  // namespace glycine::pairs::cuda
