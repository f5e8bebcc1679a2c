#include "engine/distance/discrete_data.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace glycine::distance {

namespace {

/// 16 symbols. A comparison gives a byte with all bits where it holds, else 0.
using Symbols [[gnu::vector_size(16)]] = std::uint8_t;

/// Bit k of the result is the highest bit of byte k.
std::uint64_t highBits(const Symbols& bytes) {
#if defined(__SSE2__)
    return static_cast<std::uint32_t>(_mm_movemask_epi8(reinterpret_cast<const __m128i&>(bytes)));
#else
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < sizeof bytes; ++k) bits |= std::uint64_t{bytes[k]} >> 7 << k;
    return bits;
#endif
}

/// Packs 64 symbols into a word of each plane: their bits in ascending order, and which of them are known.
template <unsigned kPlanes>
struct SymbolBits {
    static constexpr unsigned kStored = kPlanes + 1;
    static void add(Symbols some, unsigned first, std::uint64_t* bits) {
        const auto valid = reinterpret_cast<Symbols>(some != kMissingSymbol);
        bits[kPlanes] |= highBits(valid) << first;
        Symbols shifted = (some & valid) << (8 - kPlanes);
        for (unsigned p = kPlanes; p-- > 0; shifted += shifted) bits[p] |= highBits(shifted) << first;
    }
};

/// The same of genotypes: whether there is at least one copy, whether there are two, and whether it is known.
struct GenotypeBits {
    static constexpr unsigned kStored = 3;
    static void add(Symbols some, unsigned first, std::uint64_t* bits) {
        const auto one = reinterpret_cast<Symbols>(some == 1), two = reinterpret_cast<Symbols>(some == 2);
        bits[0] |= highBits(one | two) << first;
        bits[1] |= highBits(two) << first;
        bits[2] |= highBits(reinterpret_cast<Symbols>(some != kMissingSymbol)) << first;
    }
};

/// Packs 64 · `words` symbols; `stored`: the planes that are wanted.
using PackRow = void (*)(const std::uint8_t* symbols, std::size_t words, unsigned stored,
                         std::uint64_t* const* planes);

template <class Bits>
void packRow(const std::uint8_t* symbols, std::size_t words, unsigned stored, std::uint64_t* const* planes) {
    for (std::size_t word = 0; word < words; ++word) {
        std::uint64_t bits[Bits::kStored] = {};
        for (unsigned first = 0; first < 64; first += sizeof(Symbols)) {
            Symbols some;
            std::memcpy(&some, symbols + 64 * word + first, sizeof some);
            Bits::add(some, first, bits);
        }
        for (unsigned p = 0; p < stored; ++p) planes[p][word] = bits[p];
    }
}

PackRow packerFor(const DiscreteShape& shape) {
    static constexpr PackRow kOfSymbols[] = {
        packRow<SymbolBits<1>>, packRow<SymbolBits<2>>, packRow<SymbolBits<3>>, packRow<SymbolBits<4>>,
        packRow<SymbolBits<5>>, packRow<SymbolBits<6>>, packRow<SymbolBits<7>>, packRow<SymbolBits<8>>};
    return shape.isGenotypes ? packRow<GenotypeBits> : kOfSymbols[shape.planes - 1];
}

struct RowCheck {
    bool isGood = true;
    bool hasMissing = false;
};

RowCheck checkRow(const std::uint8_t* row, std::size_t count, unsigned symbolCount) {
    // One more than each symbol, so that a missing one is 0. Bytes alone, so that the loop vectorises over
    // them.
    static_assert(kMissingSymbol == std::numeric_limits<std::uint8_t>::max());
    std::uint8_t least = std::numeric_limits<std::uint8_t>::max(), largest = 0;
#pragma omp simd reduction(min : least) reduction(max : largest)
    for (std::size_t k = 0; k < count; ++k) {
        const auto next = static_cast<std::uint8_t>(row[k] + 1U);
        least = next < least ? next : least;
        largest = next > largest ? next : largest;
    }
    return {largest <= symbolCount, least == 0};
}

}  // namespace

SymbolMatrix::SymbolMatrix(Matrix<std::uint8_t> symbols, DiscreteShape shape)
    : symbols_(std::move(symbols)), shape_(shape) {
    shape_.instances = symbols_.rows();
    shape_.attributes = symbols_.columns();
    const unsigned symbolCount = shape_.isGenotypes ? 3U : 1U << shape_.planes;
    const auto count = static_cast<std::ptrdiff_t>(shape_.instances);
    bool isGood = true;
    bool hasMissing = false;
#pragma omp parallel for reduction(&& : isGood) reduction(|| : hasMissing) if (symbols_.size() > 1000000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const RowCheck check =
            checkRow(symbols_.row(static_cast<std::size_t>(i)), shape_.attributes, symbolCount);
        isGood = isGood && check.isGood;
        hasMissing = hasMissing || check.hasMissing;
    }
    shape_.hasMissing = hasMissing;
    for (std::size_t i = 0; !isGood && i < shape_.instances; ++i)
        for (std::size_t k = 0; k < shape_.attributes; ++k)
            if (symbols_(i, k) >= symbolCount && symbols_(i, k) != kMissingSymbol)
                throw InputError(
                    fmt::format("instance {}, attribute {}: symbol {} is outside the alphabet 0 … {}", i + 1,
                                k + 1, symbols_(i, k), symbolCount - 1));
}

void DiscreteSource::readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const {
    const std::size_t first = attributes.begin % 64;
    const PlaneBlock block = readPlanes(instances, {attributes.begin - first, attributes.end});
    const unsigned planes = shape().planes;
    const bool hasMissing = shape().hasMissing;
    const int threads = instances.size() * attributes.size() > 100000 ? omp_get_max_threads() : 1;
    parallelFor(threads, instances.size(), [&](std::size_t i, std::size_t) {
        throwIfCancellationRequested();
        for (std::size_t k = 0; k < attributes.size(); ++k) {
            const std::size_t word = (first + k) / 64;
            const std::size_t bit = (first + k) % 64;
            const auto isSet = [&](unsigned plane) {
                return static_cast<unsigned>(block.plane(i, plane)[word] >> bit & 1U);
            };
            unsigned symbol = 0;
            for (unsigned p = 0; p < planes; ++p) symbol += shape().isGenotypes ? isSet(p) : isSet(p) << p;
            target(i, k) =
                hasMissing && isSet(planes) == 0 ? kMissingSymbol : static_cast<std::uint8_t>(symbol);
        }
    });
}

void DiscreteSource::readSymbolsOf(std::span<const std::size_t> instances, Range attributes,
                                   MatrixView<std::uint8_t> target) const {
    const int threads = instances.size() * attributes.size() > 100000 ? omp_get_max_threads() : 1;
    parallelFor(threads, instances.size(), [&](std::size_t i, std::size_t) {
        throwIfCancellationRequested();
        readSymbols({instances[i], instances[i] + 1}, attributes, target.block(i, 0, 1, attributes.size()));
    });
}

void SymbolMatrix::readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const {
    for (std::size_t i = 0; i < instances.size(); ++i)
        std::copy_n(symbols_.row(instances.begin + i) + attributes.begin, attributes.size(), target.row(i));
}

PlaneBlock packSymbols(const DiscreteShape& shape, std::size_t instances, std::size_t attributes,
                       const std::function<void(std::size_t instance, std::uint8_t* row)>& fill) {
    PlaneBlock block = PlaneBlock::notSet(instances, shape.storedPlanes(), attributes);
    const PackRow pack = packerFor(shape);
    const auto count = static_cast<std::ptrdiff_t>(instances);
#pragma omp parallel if (instances * attributes > 1000000)
    {
        // Padding counts as missing: no bit in any plane.
        std::vector<std::uint8_t> row(64 * block.stride(), kMissingSymbol);
#pragma omp for schedule(static)
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            const auto instance = static_cast<std::size_t>(i);
            std::uint64_t* planes[9] = {};
            for (unsigned p = 0; p < shape.storedPlanes(); ++p) planes[p] = block.plane(instance, p);
            fill(instance, row.data());
            pack(row.data(), block.stride(), shape.storedPlanes(), planes);
        }
    }
    return block;
}

PlaneBlock SymbolMatrix::readPlanes(Range instances, Range attributes) const {
    return packSymbols(shape_, instances.size(), attributes.size(), [&](std::size_t i, std::uint8_t* row) {
        std::copy_n(symbols_.row(instances.begin + i) + attributes.begin, attributes.size(), row);
    });
}

namespace {

template <class Number>
class NumberGenotypes final : public DiscreteSource {
  public:
    NumberGenotypes(StridedNumbers<Number> numbers, std::string_view name, ProcessTeam* team)
        : numbers_(numbers) {
        shape_.isGenotypes = true;
        shape_.instances = numbers.rows;
        shape_.attributes = numbers.columns;
        const Range own = team != nullptr ? ownPart(*team, numbers.rows) : Range{0, numbers.rows};
        const auto rows = static_cast<std::ptrdiff_t>(own.size());
        bool isGood = true;
        bool hasMissing = false;
        std::atomic<bool> isStopped{false};
        constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;
        const std::size_t rowsAtOnce = std::max<std::size_t>(
            1, kBytesAtOnce / std::max<std::size_t>(1, numbers.columns * sizeof(Number)));
#pragma omp parallel reduction(&& : isGood) reduction(|| : hasMissing) if (rows * numbers.columns > 1000000)
        {
            std::vector<std::uint8_t> row(numbers.columns);
            // In consecutive pieces, because a mapped file is read sequentially.
#pragma omp for schedule(dynamic, rowsAtOnce)
            for (std::ptrdiff_t i = 0; i < rows; ++i) {
                if (isStopped || cancellationRequested()) {
                    isStopped = true;
                    continue;
                }
                fill(own.begin + static_cast<std::size_t>(i), {0, numbers.columns}, row.data());
                const RowCheck check = checkRow(row.data(), row.size(), 3);
                isGood = isGood && check.isGood;
                hasMissing = hasMissing || check.hasMissing;
            }
        }
        if (isStopped) throw CancelledError();
        for (std::size_t i = own.begin; !isGood && i < own.end; ++i)
            for (std::size_t k = 0; k < numbers.columns; ++k)
                if (symbolAt(i, k) == kNoGenotype)
                    throw InputError(
                        fmt::format("{}: ({}, {}) is {}; {}", name, i, k, numbers(i, k), kExpectedGenotypes));
        shape_.hasMissing = team != nullptr ? isTrueOfAny(*team, hasMissing) : hasMissing;
    }
    const DiscreteShape& shape() const override {
        return shape_;
    }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        for (std::size_t i = 0; i < instances.size(); ++i)
            fill(instances.begin + i, attributes, target.row(i));
    }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        return packSymbols(
            shape_, instances.size(), attributes.size(),
            [&](std::size_t i, std::uint8_t* row) { fill(instances.begin + i, attributes, row); });
    }

  private:
    std::uint8_t symbolAt(std::size_t i, std::size_t k) const {
        return genotypeSymbol(numbers_(i, k));
    }
    void fill(std::size_t instance, Range attributes, std::uint8_t* row) const {
        if (numbers_.columnStep == sizeof(Number)) {
            const Number* const numbers = &numbers_.at(instance, attributes.begin);
#pragma omp simd
            for (std::size_t k = 0; k < attributes.size(); ++k) row[k] = genotypeSymbol(numbers[k]);
            return;
        }
        for (std::size_t k = attributes.begin; k < attributes.end; ++k)
            row[k - attributes.begin] = symbolAt(instance, k);
    }

    StridedNumbers<Number> numbers_;
    DiscreteShape shape_;
};

}  // namespace

template <class Number>
std::unique_ptr<DiscreteSource> genotypesOf(StridedNumbers<Number> numbers, std::string_view name,
                                            ProcessTeam* team) {
    return std::make_unique<NumberGenotypes<Number>>(numbers, name, team);
}
#define GLYCINE_INSTANTIATE(Number)                                                                \
    template std::unique_ptr<DiscreteSource> genotypesOf(StridedNumbers<Number>, std::string_view, \
                                                         ProcessTeam*);
GLYCINE_INSTANTIATE(std::int8_t)
GLYCINE_INSTANTIATE(std::int16_t)
GLYCINE_INSTANTIATE(std::int32_t)
GLYCINE_INSTANTIATE(std::int64_t)
GLYCINE_INSTANTIATE(std::uint8_t)
GLYCINE_INSTANTIATE(std::uint16_t)
GLYCINE_INSTANTIATE(std::uint32_t)
GLYCINE_INSTANTIATE(std::uint64_t)
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
#undef GLYCINE_INSTANTIATE

PlaneSource::PlaneSource(const DiscreteSource& source, Progress& progress)
    : shape_(source.shape()), planes_(shape_.instances, shape_.storedPlanes(), shape_.attributes) {
    constexpr std::size_t kBandEntries = std::size_t{1} << 26;  // entries read at once
    const std::size_t band =
        std::max<std::size_t>(1, kBandEntries / std::max<std::size_t>(1, shape_.attributes));
    progress.begin("input", static_cast<double>(shape_.instances));
    for (const Range instances : splitRange(shape_.instances, band)) {
        const PlaneBlock block = source.readPlanes(instances, {0, shape_.attributes});
        for (std::size_t i = 0; i < instances.size(); ++i)
            for (unsigned p = 0; p < shape_.storedPlanes(); ++p)
                std::copy_n(block.plane(i, p), planes_.stride(), planes_.plane(instances.begin + i, p));
        progress.advance(static_cast<double>(instances.size()));
    }
}

PlaneBlock PlaneSource::readPlanes(Range instances, Range attributes) const {
    PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
    const std::size_t firstWord = attributes.begin / 64;
    const std::size_t words = (attributes.size() + 63) / 64;
    const std::size_t tail = attributes.size() % 64;
    const auto count = static_cast<std::ptrdiff_t>(instances.size());
#pragma omp parallel for schedule(static) if (block.bytes() > 1000000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto instance = static_cast<std::size_t>(i);
        for (unsigned p = 0; p < shape_.storedPlanes(); ++p) {
            std::uint64_t* target = block.plane(instance, p);
            std::copy_n(planes_.plane(instances.begin + instance, p) + firstWord, words, target);
            if (tail > 0) target[words - 1] &= (std::uint64_t{1} << tail) - 1;
        }
    }
    return block;
}

}  // namespace glycine::distance
