#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/genotype_symbol.hpp"

/// Instances whose attributes take few values: genotypes, nucleotides, amino acids.
namespace glycine::distance {

/// What every attribute of every instance is: a symbol 0 … 2^planes − 1, or missing.
struct DiscreteShape {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    /// Bit planes that tell the symbols apart, 1 … 8.
    unsigned planes = 2;
    /// Whether entries may be missing: there is a plane more, `valid`.
    bool hasMissing = false;
    /// Genotypes. Symbol = number of copies of the counted allele, 0, 1 or 2, coded as a thermometer: plane 0
    /// holds "at least one copy", plane 1 "two copies". Two genotypes are opposite homozygotes (0 beside 2)
    /// exactly where both planes differ. Other alphabets: plane p holds bit p of the symbol.
    bool isGenotypes = false;

    unsigned storedPlanes() const { return planes + (hasMissing ? 1U : 0U); }
};

/// Bit planes of some instances over some attributes. Bit b of word w stands for attribute 64·w + b of the
/// block. Planes 0 … planes − 1 code the symbol; plane `planes` (only where entries may be missing) has a 1
/// for every entry that is there. Entries that are missing, and bits past the last attribute, are 0 in all
/// planes.
///
/// Memory: instance by instance, plane by plane; every plane starts on a 64-byte boundary, and its padding
/// words are 0.
class PlaneBlock {
  public:
    PlaneBlock() = default;
    /// Zeroed.
    PlaneBlock(std::size_t instances, unsigned storedPlanes, std::size_t attributes)
        : PlaneBlock(notSet(instances, storedPlanes, attributes)) {
        std::fill_n(words_.data(), words_.size(), 0);
    }
    /// With words that are not set, for a reader that writes all of them, padding too, on several threads.
    static PlaneBlock notSet(std::size_t instances, unsigned storedPlanes, std::size_t attributes) {
        PlaneBlock block;
        block.instances_ = instances;
        block.storedPlanes_ = storedPlanes;
        block.attributes_ = attributes;
        block.stride_ = strideFor(attributes);
        block.words_ = Matrix<std::uint64_t>(instances * storedPlanes, block.stride_);
        return block;
    }

    std::size_t instances() const { return instances_; }
    unsigned storedPlanes() const { return storedPlanes_; }
    std::size_t attributes() const { return attributes_; }
    /// Words from one plane to the next: a multiple of 8.
    std::size_t stride() const { return stride_; }
    static std::size_t strideFor(std::size_t attributes) {
        return roundUp(attributes / 64 + (attributes % 64 > 0 ? 1 : 0), kWordAlignment);
    }
    std::uint64_t* plane(std::size_t instance, unsigned plane) {
        return words_.row(instance * storedPlanes_ + plane);
    }
    const std::uint64_t* plane(std::size_t instance, unsigned plane) const {
        return words_.row(instance * storedPlanes_ + plane);
    }
    std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

  private:
    static constexpr std::size_t kWordAlignment = 8;
    std::size_t instances_ = 0;
    unsigned storedPlanes_ = 0;
    std::size_t attributes_ = 0;
    std::size_t stride_ = 0;
    Matrix<std::uint64_t> words_;
};

/// Discrete data as algorithms read them, block by block: the whole may be larger than memory. Calls from
/// several threads at once are fine.
class DiscreteSource {
  public:
    virtual ~DiscreteSource() = default;
    virtual const DiscreteShape& shape() const = 0;
    /// Symbols, or kMissingSymbol: target(i, k) is attribute attributes.begin + k of instance
    /// instances.begin + i. `target` has the size of the two ranges. Read from the planes where a source has
    /// nothing better.
    virtual void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const;
    /// The same as bit planes, on several threads. attributes.begin is a multiple of 64.
    virtual PlaneBlock readPlanes(Range instances, Range attributes) const = 0;
    /// Attributes that each instance has, where the source knows them; else empty.
    virtual std::vector<std::size_t> knownAttributes() const { return {}; }
};

/// Packs symbols into bit planes, on several threads: `fill(i, row)` writes the attributes.size() symbols of
/// instance `i` of the block. What SymbolMatrix and NumberGenotypes share.
PlaneBlock packSymbols(const DiscreteShape& shape, std::size_t instances, std::size_t attributes,
                       const std::function<void(std::size_t instance, std::uint8_t* row)>& fill);

/// Symbols in memory, instance by instance: a specification of DiscreteSource, and what small data and tests
/// use.
class SymbolMatrix final : public DiscreteSource {
  public:
    /// `symbols`: instances × attributes, each below 2^planes or kMissingSymbol. shape.instances, .attributes
    /// and .hasMissing are set from it (hasMissing: whether any entry is). Throws InputError that names the
    /// first entry outside the alphabet, counted from 1.
    SymbolMatrix(Matrix<std::uint8_t> symbols, DiscreteShape shape);
    const DiscreteShape& shape() const override { return shape_; }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override;
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    Matrix<std::uint8_t> symbols_;
    DiscreteShape shape_;
};

/// What a message about kNoGenotype expects of an array.
inline constexpr std::string_view kExpectedGenotypes =
    "outside the alphabet; expected 0, 1 or 2, or -1, -9, -127 or NaN for a missing genotype";

/// Numbers in somebody else's memory: element (i, k) lies i · rowStep + k · columnStep bytes behind `data`,
/// where steps may be negative or 0.
template <class Number>
struct StridedNumbers {
    const Number* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::ptrdiff_t rowStep = 0;
    std::ptrdiff_t columnStep = 0;

    const Number& at(std::size_t row, std::size_t column) const {
        const auto offset =
            static_cast<std::ptrdiff_t>(row) * rowStep + static_cast<std::ptrdiff_t>(column) * columnStep;
        return *reinterpret_cast<const Number*>(reinterpret_cast<const std::byte*>(data) + offset);
    }
    Number operator()(std::size_t row, std::size_t column) const { return at(row, column); }
};

/// Genotypes as the numbers of an array, instances × attributes, which must outlive the source: nothing is
/// copied. Number: std::int8_t … std::uint64_t, float, double. Throws InputError that names the first number
/// which is no genotype by its row and column, counted from 0, behind `name`.
template <class Number>
std::unique_ptr<DiscreteSource> genotypesOf(StridedNumbers<Number> numbers, std::string_view name);

/// Bit planes in memory, a bit for each entry and plane: what a measurement of the computing alone starts
/// from, since reading is as quick as copying.
class PlaneSource final : public DiscreteSource {
  public:
    /// Reads all of `source`.
    PlaneSource(const DiscreteSource& source, Progress& progress);
    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    DiscreteShape shape_;
    PlaneBlock planes_;
};

}  // namespace glycine::distance
