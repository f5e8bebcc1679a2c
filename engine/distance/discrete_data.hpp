#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/discrete_shape.hpp"
#include "engine/distance/genotype_symbol.hpp"

namespace glycine {
class ProcessTeam;
}

/// Instances whose attributes have few values: genotypes, nucleotides, amino acids.
namespace glycine::distance {

/// Bit planes of some instances over some attributes. Bit b of word w is attribute 64·w + b of the block.
/// Planes 0 … planes − 1 encode the symbol. Plane `planes` exists only if entries may be missing; it has a 1
/// for every entry with a value. Missing entries, and bits past the last attribute, are 0 in all planes.
///
/// Memory order: by instance, then by plane. Every plane starts on a 64-byte boundary, and its padding words
/// are 0.
class PlaneBlock {
  public:
    PlaneBlock() = default;
    /// Zeroed.
    PlaneBlock(std::size_t instances, unsigned storedPlanes, std::size_t attributes)
        : PlaneBlock(notSet(instances, storedPlanes, attributes)) {
        std::fill_n(words_.data(), words_.size(), 0);
    }
    /// With uninitialised words, for a reader that writes all of them, including padding, on several threads.
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

/// Discrete data that algorithms read block by block, because the whole may be larger than memory. Several
/// threads may call it at once.
class DiscreteSource {
  public:
    virtual ~DiscreteSource() = default;
    virtual const DiscreteShape& shape() const = 0;
    /// Symbols, or kMissingSymbol: target(i, k) is attribute attributes.begin + k of instance instances.begin
    /// + i. `target` has the size of the two ranges. By default, decodes the planes.
    virtual void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const;
    /// The same of any instances on several threads: target(i, k) is an attribute of instance instances[i].
    /// By default, one instance after another.
    virtual void readSymbolsOf(std::span<const std::size_t> instances, Range attributes,
                               MatrixView<std::uint8_t> target) const;
    /// The same as readSymbols as bit planes, on several threads. attributes.begin is a multiple of 64.
    virtual PlaneBlock readPlanes(Range instances, Range attributes) const = 0;
    /// Number of known attributes of each instance, if the source has it; else empty.
    virtual std::vector<std::size_t> knownAttributes() const { return {}; }
};

/// Packs symbols into bit planes on several threads. `fill(i, row)` writes the attributes.size() symbols of
/// instance `i` of the block. Shared by SymbolMatrix and NumberGenotypes.
PlaneBlock packSymbols(const DiscreteShape& shape, std::size_t instances, std::size_t attributes,
                       const std::function<void(std::size_t instance, std::uint8_t* row)>& fill);

/// Symbols in memory, instance by instance: the plain implementation of DiscreteSource, for small data and
/// tests.
class SymbolMatrix final : public DiscreteSource {
  public:
    /// `symbols`: instances × attributes, each below 2^planes or kMissingSymbol. Sets shape.instances,
    /// .attributes and .hasMissing from it (hasMissing: whether any entry is missing). Throws InputError
    /// naming the first entry outside the alphabet, counted from 1.
    SymbolMatrix(Matrix<std::uint8_t> symbols, DiscreteShape shape);
    const DiscreteShape& shape() const override { return shape_; }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override;
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    Matrix<std::uint8_t> symbols_;
    DiscreteShape shape_;
};

/// The expectation in messages about an array element that is kNoGenotype.
inline constexpr std::string_view kExpectedGenotypes =
    "outside the alphabet; expected 0, 1 or 2, or -1, -9, -127 or NaN for a missing genotype";

/// Numbers in memory that is not owned: element (i, k) is i · rowStep + k · columnStep bytes after `data`;
/// steps may be negative or 0.
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

/// Genotypes from the numbers of an array, instances × attributes. The array must outlive the source; nothing
/// is copied. Number: std::int8_t … std::uint64_t, float, double. Throws InputError naming the first number
/// that is not a genotype by row and column, counted from 0, after `name`. If all processes of a `team` call
/// it for the same array, each checks its part of the rows.
template <class Number>
std::unique_ptr<DiscreteSource> genotypesOf(StridedNumbers<Number> numbers, std::string_view name,
                                            ProcessTeam* team = nullptr);

/// Bit planes in memory, one bit per entry and plane. Used to measure computing alone, since reading costs no
/// more than copying.
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
