#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cublas_lt.hpp"
#include "kernels_cuda/distance/device_counting.hpp"
#include "kernels_cuda/distance/distance_int8_counter.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

/// Genotypes 0, 1, 2 are coded as d = −1, 0, 1; q = d² (homozygous), h = 1 − q (heterozygous), v = 1; all are
/// 0 if the genotype is missing. Primes denote the other instance. For one attribute:
///
///     same genotype       (dd′ + qq′)/2 + hh′
///     opposite            (qq′ − dd′)/2
///     both known          vv′
///
/// Nothing missing: h = 1 − q turns the first into dd′/2 + 3qq′/2 + 1 − q − q′. So one product over two
/// slices, d·d′ + q·3q′, and the sums of q of both instances (the margins) give the differing attributes.
///
/// Missing entries, `differing` alone: d differs exactly if u(h + w)′ + h(u + w)′ + w(u + h)′ is 1, with the
/// indicators u, h, w of the genotypes. Together with `valid`: for e = (1, −2, 1), 3dd′ + ee′ is 4 if the
/// genotypes are the same and −2 if they differ, so differing = (4Σvv′ − Σ(3dd′ + ee′))/6.
///
/// Four symbols: the characters x = (1, −1, 1, −1), y = (1, 1, −1, −1), z = xy give xx′ + yy′ + zz′ = 3 if
/// the symbols are the same and −1 if they differ. Two symbols: x = (1, −1).
///
/// If nothing can be missing, bits past the last attribute are the symbol 0 in both instances. They are
/// equal, hence without effect, as long as all terms count them.
namespace glycine::cuda {

namespace {

/// Values for the codes 0 … 3 of the planes (the first plane is the low bit).
using Values = std::array<int, 4>;

// Thermometer: code 0 = genotype 0, 1 = genotype 1, 3 = genotype 2; 2 does not occur.
constexpr Values kDosage{-1, 0, 0, 1};
constexpr Values kHomozygous{1, 0, 0, 1};
constexpr Values kHeterozygous{0, 1, 0, 0};
constexpr Values kNone{1, 0, 0, 0};
constexpr Values kTwo{0, 0, 0, 1};
constexpr Values kSpread{1, -2, 0, 1};

constexpr Values kFirstCharacter{1, -1, 1, -1};
constexpr Values kSecondCharacter{1, 1, -1, -1};
constexpr Values kThirdCharacter{1, -1, -1, 1};

constexpr Values kPresent{1, 1, 1, 1};

constexpr Values operator*(int factor, Values values) {
    for (int& value : values) value *= factor;
    return values;
}
constexpr Values operator+(Values a, const Values& b) {
    for (std::size_t code = 0; code < a.size(); ++code) a[code] += b[code];
    return a;
}

std::uint32_t packed(const Values& values) {
    std::uint32_t word = 0;
    for (std::size_t code = 0; code < values.size(); ++code)
        word |= std::uint32_t(std::uint8_t(std::int8_t(values[code]))) << (8 * code);
    return word;
}

class FormBuilder {
  public:
    explicit FormBuilder(const distance::DiscreteShape& shape) : hasMissing_(shape.hasMissing) {}
    /// Starts a new product for the following slices.
    FormBuilder& product() {
        form_.slicesOfProduct.push_back(0);
        return *this;
    }
    FormBuilder& slice(const Values& left, const Values& right) {
        append(form_.left, left);
        append(form_.right, right);
        ++form_.slicesOfProduct.back();
        return *this;
    }
    FormBuilder& slice(const Values& both) { return slice(both, both); }
    FormBuilder& differing(Combination combination) {
        form_.differing = combination;
        return *this;
    }
    FormBuilder& opposite(Combination combination) {
        form_.opposite = combination;
        return *this;
    }
    FormBuilder& valid(Combination combination) {
        form_.valid = combination;
        return *this;
    }
    Int8Form done() const { return form_; }

  private:
    void append(SliceTables& tables, const Values& values) const {
        SliceTable& table = tables.table[tables.count++];
        (hasMissing_ ? table.high : table.low) = packed(values);
    }
    bool hasMissing_;
    Int8Form form_;
};

/// Σ weight[p] · product[p] / divisor.
Combination weighted(std::array<int, 4> weights, int divisor) {
    Combination combination;
    for (std::size_t p = 0; p < weights.size(); ++p) combination.weight[p] = weights[p];
    combination.divisor = divisor;
    return combination;
}

Combination withMargins(Combination combination, int margin) {
    combination.margin = margin;
    return combination;
}

Combination withAttributes(Combination combination, int attributes) {
    combination.attributes = attributes;
    return combination;
}

Int8Form genotypes(const distance::DiscreteShape& shape, distance::CountNeeds wanted) {
    FormBuilder form(shape);
    if (!shape.hasMissing) {
        if (!wanted.opposite)
            return form.product()
                .slice(kDosage)
                .slice(kHomozygous, 3 * kHomozygous)
                .differing(withMargins(weighted({-1, 0, 0, 0}, 2), 2))
                .done();
        return form.product()
            .slice(kDosage)
            .product()
            .slice(kHomozygous)
            .differing(withMargins(weighted({-1, -3, 0, 0}, 2), 2))
            .opposite(weighted({-1, 1, 0, 0}, 2))
            .done();
    }
    if (wanted.opposite) {
        form.product()
            .slice(kDosage)
            .product()
            .slice(kHomozygous)
            .product()
            .slice(kHeterozygous)
            .product()
            .slice(kPresent);
        form.differing(weighted({-1, -1, -2, 2}, 2)).opposite(weighted({-1, 1, 0, 0}, 2));
        if (wanted.valid) form.valid(weighted({0, 0, 0, 1}, 1));
        return form.done();
    }
    if (wanted.valid)
        return form.product()
            .slice(kDosage, 3 * kDosage)
            .slice(kSpread)
            .product()
            .slice(kPresent)
            .differing(weighted({-1, 4, 0, 0}, 6))
            .valid(weighted({0, 1, 0, 0}, 1))
            .done();
    return form.product()
        .slice(kNone, kHeterozygous + kTwo)
        .slice(kHeterozygous, kNone + kTwo)
        .slice(kTwo, kNone + kHeterozygous)
        .differing(weighted({1, 0, 0, 0}, 1))
        .done();
}

/// Two or four symbols, by their characters; `sign` and `factor` scale the right operand.
Int8Form characters(const distance::DiscreteShape& shape, distance::CountNeeds wanted) {
    FormBuilder form(shape);
    const bool isFour = shape.planes == 2;
    const int symbols = isFour ? 4 : 2;
    const auto slices = [&](int factor) {
        form.slice(kFirstCharacter, factor * kFirstCharacter);
        if (isFour)
            form.slice(kSecondCharacter, factor * kSecondCharacter)
                .slice(kThirdCharacter, factor * kThirdCharacter);
    };
    form.product();
    if (!shape.hasMissing) {
        slices(1);
        return form.differing(withAttributes(weighted({-1, 0, 0, 0}, symbols), symbols - 1)).done();
    }
    if (!wanted.valid) {
        form.slice(kPresent, (symbols - 1) * kPresent);
        slices(-1);
        return form.differing(weighted({1, 0, 0, 0}, symbols)).done();
    }
    slices(1);
    return form.product()
        .slice(kPresent)
        .differing(weighted({-1, symbols - 1, 0, 0}, symbols))
        .valid(weighted({0, 1, 0, 0}, 1))
        .done();
}

}  // namespace

Int8Form int8Form(const distance::DiscreteShape& shape, distance::CountNeeds wanted) {
    return shape.isGenotypes ? genotypes(shape, wanted) : characters(shape, wanted);
}

namespace {

/// Depth of one product: long products hide reading and writing the result. On an H200 at 4096 × 4096, a
/// depth of 16,384 gives 698 T multiply-adds per second, 65,536 gives 879 T.
constexpr std::size_t kMaxDepth = 65536;
/// Smallest number of words per plane in an operand.
constexpr std::size_t kLeastWords = 16;
constexpr std::size_t kMaxWorkspace = std::size_t(32) << 20;
/// Squares on the diagonal up to this side are computed as a whole: smaller products leave multiprocessors
/// idle.
constexpr std::size_t kDiagonalSide = 2048;
/// Attributes whose products are summed in int32: a form adds at most 4 of either sign per attribute.
constexpr std::size_t kMaxAttributes = std::size_t(1) << 28;

std::size_t workspaceBytes(std::size_t available) {
    return std::min(kMaxWorkspace, available / 8);
}

/// Words per plane expanded at once for a window of `side` × `side`.
std::size_t wordsAtOnce(const Int8Form& form, std::size_t side, std::size_t available) {
    const std::size_t slices = form.left.count;
    const std::size_t widest = *std::max_element(form.slicesOfProduct.begin(), form.slicesOfProduct.end());
    const std::size_t room = available / 4 / (2 * side);
    const std::size_t words = std::min(kMaxDepth / (32 * widest), room / (32 * slices));
    return std::max(kLeastWords, words / kLeastWords * kLeastWords);
}

class Int8Counter final : public PairCounter {
  public:
    Int8Counter(const CudaBackend& backend, const distance::DiscreteShape& shape, const Int8Form& form,
                std::size_t side, std::size_t available)
        : backend_(backend),
          shape_(shape),
          form_(form),
          side_(side),
          words_(wordsAtOnce(form, side, available)),
          products_(backend.memory(), workspaceBytes(available)),
          left_(backend.memory(), side * words_ * 32 * form.left.count),
          right_(backend.memory(), side * words_ * 32 * form.right.count) {
        for (std::size_t p = 0; p < form.slicesOfProduct.size(); ++p)
            results_.emplace_back(backend.memory(), side * side);
        if (form.needsMargins())
            for (DeviceBuffer<std::uint32_t>& margin : margins_)
                margin = DeviceBuffer<std::uint32_t>(backend.memory(), side);
    }

    void count(const PairWindow& window, Accumulate accumulate, const CountsOnDevice& counts, double work,
               const Stream& stream, PacedReport& report) override {
        const std::size_t words = window.depth / shape_.storedPlanes();
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        WorkSplit split(work, double(words));
        for (const Range block : splitRange(words, kMaxAttributes / 32)) {
            for (const Range piece : splitRange(block.size(), words_)) {
                multiply(window, {block.begin + piece.begin, block.begin + piece.end}, piece.begin > 0,
                         launch, stream);
                report.queued(stream, split.next(double(piece.size())));
            }
            combine(window, block, block.begin == 0 ? accumulate : Accumulate::Yes, launch, counts);
        }
    }

  private:
    MatrixOnDevice<const std::uint32_t> from(MatrixOnDevice<const std::uint32_t> operand,
                                             std::size_t word) const {
        return {operand.at(word * shape_.storedPlanes(), 0), operand.stride};
    }

    /// All products over some words, below the diagonal.
    void multiply(const PairWindow& window, Range words, bool adds, const Launch& launch,
                  const Stream& stream) {
        const std::size_t stride = words.size() * 32 * form_.left.count;
        launchExpand(launch, from(window.rows, words.begin), window.rowCount, words.size(), shape_,
                     form_.left, left_.data(), stride);
        launchExpand(launch, from(window.columns, words.begin), window.columnCount, words.size(), shape_,
                     form_.right, right_.data(), stride);
        std::size_t slice = 0;
        for (std::size_t p = 0; p < results_.size(); ++p) {
            const std::size_t first = slice * words.size() * 32;
            const std::size_t depth = form_.slicesOfProduct[p] * words.size() * 32;
            const auto multiplyBlock = [&](Range rows, Range columns) {
                products_.multiply({left_.data() + rows.begin * stride + first,
                                    right_.data() + columns.begin * stride + first,
                                    {results_[p].data() + rows.begin * side_ + columns.begin, side_},
                                    rows.size(),
                                    columns.size(),
                                    depth,
                                    stride,
                                    adds},
                                   stream);
            };
            if (window.isDiagonal)
                multiplyTriangle({0, window.rowCount}, multiplyBlock);
            else
                multiplyBlock({0, window.rowCount}, {0, window.columnCount});
            slice += form_.slicesOfProduct[p];
        }
    }

    /// The lower triangle of a square on the diagonal: a rectangle, and two triangles of half the side.
    template <class MultiplyBlock>
    static void multiplyTriangle(Range square, const MultiplyBlock& multiplyBlock) {
        if (square.size() <= kDiagonalSide) return multiplyBlock(square, square);
        const std::size_t middle = square.begin + roundUp(square.size() / 2, kPairPadding);
        multiplyTriangle({square.begin, middle}, multiplyBlock);
        multiplyBlock({middle, square.end}, {square.begin, middle});
        multiplyTriangle({middle, square.end}, multiplyBlock);
    }

    void combine(const PairWindow& window, Range words, Accumulate accumulate, const Launch& launch,
                 const CountsOnDevice& counts) {
        CombineTask task;
        for (std::size_t p = 0; p < results_.size(); ++p) task.product[p] = results_[p].data();
        task.products = unsigned(results_.size());
        task.stride = side_;
        task.attributes = words.size() * 32;
        task.differing = form_.differing;
        task.opposite = form_.opposite;
        task.valid = form_.valid;
        if (form_.needsMargins()) {
            task.rowMargin = margins_[0].data();
            task.columnMargin = margins_[1].data();
            launchCountEqualPlanes(launch, from(window.rows, words.begin), window.rowCount, words.size(),
                                   margins_[0].data());
            launchCountEqualPlanes(launch, from(window.columns, words.begin), window.columnCount,
                                   words.size(), margins_[1].data());
        }
        launchCombine(launch, task, window.rowCount, window.columnCount, accumulate, counts);
    }

    const CudaBackend& backend_;
    distance::DiscreteShape shape_;
    Int8Form form_;
    std::size_t side_;
    std::size_t words_;
    Int8Products products_;
    DeviceBuffer<std::int8_t> left_, right_;
    std::vector<DeviceBuffer<std::int32_t>> results_;
    DeviceBuffer<std::uint32_t> margins_[2];
};

}  // namespace

std::size_t bytesForInt8Counter(const distance::DiscreteShape& shape, distance::CountNeeds wanted,
                                std::size_t side, std::size_t available) {
    const Int8Form form = int8Form(shape, wanted);
    const std::size_t operands = 2 * side * wordsAtOnce(form, side, available) * 32 * form.left.count;
    const std::size_t results = form.slicesOfProduct.size() * side * side * sizeof(std::int32_t);
    const std::size_t margins = form.needsMargins() ? 2 * side * sizeof(std::uint32_t) : 0;
    return workspaceBytes(available) + operands + results + margins;
}

std::unique_ptr<PairCounter> makeInt8Counter(const CudaBackend& backend, const distance::DiscreteShape& shape,
                                             distance::CountNeeds wanted, std::size_t side,
                                             std::size_t available) {
    return std::make_unique<Int8Counter>(backend, shape, int8Form(shape, wanted), side, available);
}

}  // namespace glycine::cuda
