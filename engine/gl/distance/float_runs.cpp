#include "engine/gl/distance/float_runs.hpp"

namespace glycine::distance::gl {

namespace {
/// Float32 holds integers exactly up to this; the host adds up larger counts.
constexpr std::size_t kExactCount = std::size_t{1} << 24;
/// Stands for a missing entry, and pads after the last attribute.
constexpr float kMissingValue = -1.0F;

void fillSymbols(const DiscreteSource& source, const Range& instances, const Range& attributes,
                 MatrixView<float> target) {
    Matrix<std::uint8_t> symbols(instances.size(), attributes.size());
    source.readSymbols(instances, attributes, symbols.view());
#pragma omp parallel for schedule(static) if (symbols.size() >= 65536)
    for (std::size_t i = 0; i < symbols.rows(); ++i)
        for (std::size_t k = 0; k < symbols.columns(); ++k)
            target(i, k) =
                symbols(i, k) == kMissingSymbol ? kMissingValue : static_cast<float>(symbols(i, k));
}

}  // namespace

SymbolCounting::SymbolCounting(glycine::gl::GlBackend& backend, const DiscreteSource& source,
                               CountNeeds needs, const pairs::gl::PanelPlan& plan, Variant variant)
    : source_(source),
      needs_(needs),
      variant_(variant),
      passes_(
          backend, layout(variant), plan, "distance/count_symbols.frag", {},
          [&source](const Range& instances, const Range& attributes, MatrixView<float> target) {
              fillSymbols(source, instances, attributes, target);
          },
          kMissingValue) {}

void SymbolCounting::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    passes_.sumTile(
        tile, source_.shape().attributes, kExactCount, progress, [&](const PairTile& piece, bool isFirst) {
            const PairCounts part{pairs::partOf(counts.differing, tile, piece),
                                  pairs::partOf(counts.opposite, tile, piece),
                                  pairs::partOf(counts.valid, tile, piece)};
            return [this, part, isFirst](std::size_t row, std::size_t columns, const float* texels) {
                const auto add = [&](MatrixView<std::uint32_t> target, std::size_t component) {
                    std::uint32_t* const numbers = target.row(row);
                    for (std::size_t c = 0; c < columns; ++c)
                        numbers[c] = (isFirst ? 0 : numbers[c]) +
                                     static_cast<std::uint32_t>(texels[4 * c + component]);
                };
                add(part.differing, 0);
                if (needs_.opposite) add(part.opposite, 1);
                if (needs_.valid) add(part.valid, 2);
            };
        });
}

pairs::gl::FloatLayout CoordinateSumming::layout(const glycine::gl::GlCapabilities& capabilities,
                                                 Variant variant) {
    if (variant == Variant::Scalar) return {true, 4, 1};
    return pairs::gl::packedLayout(capabilities);
}

CoordinateSumming::CoordinateSumming(glycine::gl::GlBackend& backend, CoordinateRows<float> coordinates,
                                     SumTerm term, const pairs::gl::PanelPlan& plan,
                                     const pairs::gl::FloatLayout& layout)
    : coordinates_(coordinates),
      term_(term),
      isScalar_(layout.isScalar),
      passes_(
          backend, layout, plan, "distance/sum_differences.frag",
          {{"TERM", withTerm(term, [](auto operation) { return operation.kShaderName; })}},
          [coordinates](const Range& instances, const Range& attributes, MatrixView<float> target) {
              for (std::size_t i = 0; i < instances.size(); ++i)
                  std::copy_n(coordinates.row(instances.begin + i) + attributes.begin, attributes.size(),
                              target.row(i));
          },
          0.0F) {}

void CoordinateSumming::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    withTerm(term_, [&](auto operation) {
        passes_.sumTile(tile, coordinates_.columns(), sums, progress, decltype(operation)::join);
    });
    repairSums(coordinates_, term_, tile, sums);
}

}  // namespace glycine::distance::gl
