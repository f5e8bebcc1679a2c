#include "engine/gl/distance/bit_counting.hpp"

#include <algorithm>

#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/layout/bits128.hpp"

namespace glycine::distance::gl {

namespace {

/// A pass counts in 16 bits.
constexpr std::size_t kMaxAttributes = 65535 / layout::kBitsPerTexel * layout::kBitsPerTexel;

}  // namespace

BitCounting::Style BitCounting::bestStyle(const glycine::gl::GlCapabilities& capabilities) {
    return {static_cast<std::size_t>(capabilities.limits.targetsAtOnce()), capabilities.features.bitCount,
            capabilities.bugs.slowBitCount, capabilities.bugs.slowTexelFetch};
}

pairs::gl::PanelLayout BitCounting::layout(const Style& style, const DiscreteShape& shape) {
    pairs::gl::PanelLayout result;
    result.attributesPerUnit = layout::kBitsPerTexel;
    result.texelsPerUnit = layout::kInstancesPerTexelRow * shape.storedPlanes();
    result.instancesPerTexelRow = layout::kInstancesPerTexelRow;
    result.bytesPerTexel = 16;
    result.mostAttributes = kMaxAttributes;
    result.rowsPerTexel = style.rowsPerTexel;
    result.columnsPerTexel = 8;
    return result;
}

BitCounting::BitCounting(glycine::gl::GlBackend& backend, const DiscreteSource& source, CountNeeds needs,
                         const pairs::gl::PanelPlan& plan, const Style& style)
    : backend_(backend),
      source_(source),
      shape_(source.shape()),
      needs_(needs),
      plan_(plan),
      style_(style),
      texels_{style.rowsPerTexel, 8},
      target_(backend.textures(), texels_.shape(glycine::gl::TextureFormat::RGBA32UI, plan.side)),
      panels_(backend.textures()),
      clock_(backend) {}

const glycine::gl::Texture& BitCounting::panel(const Range& instances, const Range& attributes) {
    const layout::Bits128Shape shape{instances.size(), attributes.size(), shape_.storedPlanes()};
    const glycine::gl::TextureShape texture{glycine::gl::TextureFormat::RGBA32UI,
                                            {shape.width(), shape.height()}};
    return panels_.get(instances, attributes, texture, [&](glycine::gl::Texture& target) {
        const PlaneBlock block = source_.readPlanes(instances, attributes);
        staging_.resize(std::max(staging_.size(), shape.words()));
        layout::packBits128(
            shape,
            [&](std::size_t instance, std::size_t plane) {
                return block.plane(instance, static_cast<unsigned>(plane));
            },
            staging_.data());
        clock_.finishStage(times_.pack);
        target.upload(staging_.data());
        clock_.finishStage(times_.upload);
    });
}

glycine::gl::ShaderDefines BitCounting::defines(Counted counted) const {
    glycine::gl::ShaderDefines result{{"UNSIGNED", ""},
                                      {"OUTPUTS", std::to_string(texels_.rowsPerTexel)},
                                      {"PLANES", std::to_string(shape_.planes)}};
    const auto add = [&](bool wanted, const char* name) {
        if (wanted) result.push_back({name, ""});
    };
    add(shape_.hasMissing, "MISSING");
    add(counted == Counted::Opposite, "OPPOSITE");
    add(counted == Counted::Valid, "VALID");
    add(style_.carrySave, "CARRY_SAVE");
    add(style_.normalised, "NORMALISED");
    add(style_.bitCount, "BIT_COUNT");
    return result;
}

void BitCounting::draw(const PairTile& piece, const Range& attributes, Counted counted, double work,
                       Progress& progress) {
    const glycine::gl::Texture& rows = panel(piece.rows, attributes);
    const glycine::gl::Texture& columns = panel(piece.columns, attributes);
    const std::size_t groups = layout::Bits128Shape{1, attributes.size(), 1}.groups();
    glycine::gl::FragmentPass pass = backend_.pass("distance/count_bits.frag", defines(counted));
    pass.input("rowPanel", rows)
        .input("columnPanel", columns)
        .output(target_.framebuffer())
        .uniform("groups", static_cast<int>(groups));
    if (style_.normalised)
        pass.uniform("rowTexel", glycine::gl::texelSize(rows))
            .uniform("columnTexel", glycine::gl::texelSize(columns));
    // The unit of work is a word of 32 attributes of a pair, which keeps the first portion short on slow
    // devices, too.
    pairs::gl::drawPairs(backend_.budget(), piece, texels_, static_cast<double>(4 * groups), work, progress,
                         [&](const glycine::gl::Rectangle& rect) { pass.draw(rect); });
    clock_.finishStage(times_.compute);
}

void BitCounting::read(const PairTile& piece, bool isFirst, MatrixView<std::uint32_t> target) {
    pairs::gl::readPairs<std::uint32_t>(
        target_, piece, texels_, [&](std::size_t row, std::size_t columns, const std::uint32_t* pairs) {
            std::uint32_t* const counts = target.row(row);
            if (isFirst) std::fill_n(counts, columns, 0U);
            std::size_t c = 0;
            for (; c + 1 < columns; c += 2) {
                counts[c] += pairs[c / 2] & 0xffffU;
                counts[c + 1] += pairs[c / 2] >> 16;
            }
            if (c < columns) counts[c] += pairs[c / 2] & 0xffffU;
        });
    clock_.finishStage(times_.download);
}

void BitCounting::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    std::vector<std::pair<Counted, MatrixView<std::uint32_t>>> wanted{{Counted::Differing, counts.differing}};
    if (needs_.opposite) wanted.push_back({Counted::Opposite, counts.opposite});
    if (needs_.valid && shape_.hasMissing) wanted.push_back({Counted::Valid, counts.valid});

    backend_.makeCurrent();
    backend_.budget().restart(glycine::gl::nameOf("distance/count_bits.frag", defines(wanted.front().first)));
    clock_.restart();
    for (const PairTile& piece : pairs::cutTile(tile, plan_.side)) {
        if (piece.pairs() == 0) continue;
        for (const Range& attributes : splitRange(shape_.attributes, plan_.attributes))
            for (const auto& [counted, target] : wanted) {
                const double work = static_cast<double>(piece.pairs()) *
                                    static_cast<double>(attributes.size()) /
                                    static_cast<double>(wanted.size());
                draw(piece, attributes, counted, work, progress);
                read(piece, attributes.begin == 0, pairs::partOf(target, tile, piece));
            }
    }
    if (needs_.valid && !shape_.hasMissing)
        for (std::size_t i = 0; i < counts.valid.rows(); ++i)
            std::fill_n(counts.valid.row(i), counts.valid.columns(),
                        static_cast<std::uint32_t>(shape_.attributes));
    backend_.canary().check("counting differences");
}

}  // namespace glycine::distance::gl
