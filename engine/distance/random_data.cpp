#include "engine/distance/random_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"

namespace glycine::distance {

namespace {

/// Probabilities of 64 attributes as bit-sliced fixed-point numbers: bit b of element d has weight 2^−(d + 1)
/// in the probability of attribute b.
using Chances = std::array<std::uint64_t, 32>;

constexpr std::uint32_t fixedPoint(double chance) {
    return static_cast<std::uint32_t>(chance * 0x1p32);
}

/// The same probability for 64 attributes.
Chances equalChances(double chance) {
    Chances bits;
    for (std::size_t d = 0; d < bits.size(); ++d)
        bits[d] = (fixedPoint(chance) >> (31 - d) & 1U) != 0 ? ~std::uint64_t{0} : 0;
    return bits;
}

/// 64 bits, each 1 with its own probability. Compares 64 random numbers with their probabilities, from the
/// highest bit on, until each pair has differed.
std::uint64_t drawBits(RandomSequence& random, const Chances& chances) {
    std::uint64_t undecided = ~std::uint64_t{0};
    std::uint64_t drawn = 0;
    for (std::size_t d = 0; d < chances.size() && undecided != 0; ++d) {
        const std::uint64_t differs = undecided & (random.next() ^ chances[d]);
        drawn |= differs & chances[d];
        undecided &= ~differs;
    }
    return drawn;
}

/// Symbols drawn 64 attributes of one instance at a time, as bit planes.
class RandomSource : public DiscreteSource {
  public:
    RandomSource(const DiscreteShape& shape, double missing, std::uint64_t seed)
        : shape_(shape), seed_(mixBits(seed)), missingChances_(equalChances(missing)) {
        checkRandomSize(shape.instances, shape.attributes);
    }
    const DiscreteShape& shape() const override { return shape_; }

    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
        constexpr std::size_t kGroup = 8;  // words per cache line
        const std::size_t firstWord = attributes.begin / 64;
        const std::size_t endWord = (attributes.end + 63) / 64;
        const auto groups = static_cast<std::ptrdiff_t>((endWord + kGroup - 1) / kGroup);
#pragma omp parallel for schedule(dynamic, 4) if (instances.size() * attributes.size() > 100000)
        for (auto group = static_cast<std::ptrdiff_t>(firstWord / kGroup); group < groups; ++group) {
            const std::size_t begin = std::max(static_cast<std::size_t>(group) * kGroup, firstWord);
            const std::size_t end = std::min((static_cast<std::size_t>(group) + 1) * kGroup, endWord);
            std::array<Chances, kGroup> shared;
            for (std::size_t word = begin; word < end; ++word) shared[word - begin] = sharedChances(word);
            for (std::size_t i = 0; i < instances.size(); ++i) {
                const std::uint64_t instanceSeed = derivedSeed(seed_, instances.begin + i);
                for (std::size_t word = begin; word < end; ++word) {
                    const Planes planes = drawWord(derivedSeed(instanceSeed, word), shared[word - begin],
                                                   attributes.end - 64 * word);
                    for (unsigned p = 0; p < shape_.storedPlanes(); ++p)
                        block.plane(i, p)[word - firstWord] = planes[p];
                }
            }
        }
        return block;
    }

  protected:
    /// All planes of 64 attributes of one instance.
    using Planes = std::array<std::uint64_t, 9>;

    std::uint64_t seed() const {
        return seed_;
    }
    /// Probabilities that all instances share in 64 attributes.
    virtual Chances sharedChances(std::size_t word) const = 0;
    /// Draws the planes that encode the symbols.
    virtual void drawSymbols(RandomSequence& random, const Chances& shared, Planes& planes) const = 0;

  private:
    Planes drawWord(std::uint64_t wordSeed, const Chances& shared, std::size_t attributes) const {
        RandomSequence random(wordSeed);
        Planes planes{};
        drawSymbols(random, shared, planes);
        std::uint64_t valid = attributes < 64 ? (std::uint64_t{1} << attributes) - 1 : ~std::uint64_t{0};
        if (shape_.hasMissing) valid &= ~drawBits(random, missingChances_);
        for (unsigned p = 0; p < shape_.planes; ++p) planes[p] &= valid;
        if (shape_.hasMissing) planes[shape_.planes] = valid;
        return planes;
    }

    DiscreteShape shape_;
    std::uint64_t seed_;
    Chances missingChances_;
};

/// 0, 1 and 2 with equal probability.
class UniformGenotypes final : public RandomSource {
  public:
    using RandomSource::RandomSource;

  private:
    Chances sharedChances(std::size_t) const override { return kTwoThirds; }
    void drawSymbols(RandomSequence& random, const Chances& shared, Planes& planes) const override {
        planes[0] = drawBits(random, shared);
        planes[1] = planes[0] & random.next();
    }
    inline static const Chances kTwoThirds = equalChances(2.0 / 3);
};

/// Two alleles, each drawn with the frequency of its attribute.
class HardyWeinbergGenotypes final : public RandomSource {
  public:
    using RandomSource::RandomSource;

  private:
    Chances sharedChances(std::size_t word) const override {
        constexpr double kLowest = 0.05;
        constexpr double kHighest = 0.5;
        RandomSequence random(derivedSeed(~seed(), word));
        Chances bits{};
        for (unsigned b = 0; b < 64; ++b) {
            const std::uint32_t frequency = fixedPoint(kLowest + (kHighest - kLowest) * random.uniform());
            for (std::size_t d = 0; d < bits.size(); ++d)
                bits[d] |= static_cast<std::uint64_t>(frequency >> (31 - d) & 1U) << b;
        }
        return bits;
    }
    void drawSymbols(RandomSequence& random, const Chances& shared, Planes& planes) const override {
        const std::uint64_t first = drawBits(random, shared);
        const std::uint64_t second = drawBits(random, shared);
        planes[0] = first | second;
        planes[1] = first & second;
    }
};

/// Symbols 0 … symbols − 1 with equal probability.
class UniformSymbols final : public RandomSource {
  public:
    UniformSymbols(const DiscreteShape& shape, unsigned symbols, double missing, std::uint64_t seed)
        : RandomSource(shape, missing, seed), planes_(shape.planes) {
        // `left`: number of possible symbols that share the higher bits with the largest one.
        unsigned left = symbols;
        for (unsigned p = planes_; p-- > 0;) {
            const unsigned half = 1U << p;
            if (left == 2 * half)
                choices_[p] = Choice::Free;
            else if (left <= half)
                choices_[p] = Choice::Zero;
            else {
                choices_[p] = Choice::Draw;
                chances_[p] = equalChances(static_cast<double>(left - half) / left);
                left -= half;
            }
        }
    }

  private:
    /// How the next bit is drawn, from the highest on, while all higher bits equal those of the largest
    /// symbol. Once they are smaller, all values are possible and 0 and 1 are equally likely.
    enum class Choice { Free, Zero, Draw };

    Chances sharedChances(std::size_t) const override { return {}; }
    void drawSymbols(RandomSequence& random, const Chances&, Planes& planes) const override {
        std::uint64_t asLargest = ~std::uint64_t{0};
        for (unsigned p = planes_; p-- > 0;) {
            std::uint64_t bits = random.next();
            if (choices_[p] == Choice::Free) asLargest = 0;
            if (choices_[p] == Choice::Zero) bits &= ~asLargest;
            if (choices_[p] == Choice::Draw) {
                const std::uint64_t drawn = drawBits(random, chances_[p]);
                bits = (bits & ~asLargest) | (drawn & asLargest);
                asLargest &= drawn;
            }
            planes[p] = bits;
        }
    }

    unsigned planes_;
    std::array<Choice, 8> choices_{};
    std::array<Chances, 8> chances_{};
};

void checkMissing(double missing) {
    if (!(missing >= 0 && missing < 1))
        throw UsageError(
            fmt::format("a share of missing entries of {}; expected at least 0 and below 1", missing));
}

}  // namespace

void checkRandomSize(std::size_t instances, std::size_t attributes) {
    if (instances == 0 || attributes == 0)
        throw UsageError(fmt::format("random data of {} instances × {} attributes; expected at least 1 × 1",
                                     instances, attributes));
}

std::unique_ptr<DiscreteSource> randomGenotypes(const RandomGenotypesOptions& options) {
    checkMissing(options.missing);
    const DiscreteShape shape{.instances = options.instances,
                              .attributes = options.attributes,
                              .planes = 2,
                              .hasMissing = options.missing > 0,
                              .isGenotypes = true};
    if (options.uniform) return std::make_unique<UniformGenotypes>(shape, options.missing, options.seed);
    return std::make_unique<HardyWeinbergGenotypes>(shape, options.missing, options.seed);
}

std::unique_ptr<DiscreteSource> randomSymbols(std::size_t instances, std::size_t attributes, unsigned symbols,
                                              double missing, std::uint64_t seed) {
    checkMissing(missing);
    if (symbols == 0 || symbols > kMissingSymbol)
        throw UsageError(
            fmt::format("an alphabet of {} symbols; expected 1 to {}", symbols, unsigned{kMissingSymbol}));
    const DiscreteShape shape{.instances = instances,
                              .attributes = attributes,
                              .planes = std::max(1U, static_cast<unsigned>(std::bit_width(symbols - 1))),
                              .hasMissing = missing > 0,
                              .isGenotypes = false};
    return std::make_unique<UniformSymbols>(shape, symbols, missing, seed);
}

Matrix<float> randomCoordinates(std::size_t instances, std::size_t attributes, std::uint64_t seed) {
    checkRandomSize(instances, attributes);
    Matrix<float> coordinates(instances, attributes);
    const auto count = static_cast<std::ptrdiff_t>(instances);
    // One pair of attributes at a time, so that a wider matrix with the same seed begins with the same
    // numbers.
#pragma omp parallel for schedule(static) if (coordinates.size() > 100000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto instance = static_cast<std::size_t>(i);
        const std::uint64_t instanceSeed = derivedSeed(mixBits(seed), instance);
        for (std::size_t k = 0; k < attributes; k += 2) {
            RandomSequence random(derivedSeed(instanceSeed, k / 2));
            const std::array<double, 2> pair = normalPair(random);
            coordinates(instance, k) = static_cast<float>(pair[0]);
            if (k + 1 < attributes) coordinates(instance, k + 1) = static_cast<float>(pair[1]);
        }
    }
    return coordinates;
}

}  // namespace glycine::distance
