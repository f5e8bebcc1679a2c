#include "engine/gl/pairwise/cell_wavefront.hpp"

#include <algorithm>

namespace glycine::pairwise::gl {

using glycine::gl::TextureFormat;

WavefrontShape CellWavefront::shapeOf(const PairScoring& scoring, Variant variant, NumberForm form) {
    WavefrontShape shape;
    shape.states = 3;
    shape.tables = {{.isOfRows = true, .texelsPerStep = 1, .format = TextureFormat::R32I}};
    if (variant == Variant::Packed) {
        shape.pairsPerTexel = 4;
        // The best score, both kinds of gaps, and of local alignments the best of all cells.
        shape.layers = scoring.method == PairMethod::Local ? 4 : 3;
    } else {
        shape.layers = form == NumberForm::Beside ? 2 : 1;
    }
    return shape;
}

WavefrontShape CellWavefront::shape(NumberForm form) const {
    return shapeOf(scoring_, isPacked_ ? Variant::Packed : Variant::Antidiagonal, form);
}

void CellWavefront::load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
                         const LaneNumbers&, NumberForm) {
    uploadScores(scores);
    std::size_t total = 0;
    for (const std::size_t sequence : sequences) total += letters(sequence);
    const glycine::gl::TableWidth width = tableWidth(backend_.gl().limits, total);
    rowBits_ = width.rowBits;
    letters_.reset();
    letters_.emplace(backend_.textures(), TextureFormat::R32I, width, total);
    begins_.assign(sequences_.size(), 0);
    std::size_t next = 0;
    for (const std::size_t sequence : sequences) {
        begins_[sequence] = static_cast<std::int32_t>(next);
        for (const std::uint8_t code : sequences_.codes[sequence]) *letters_->texel(next++) = code;
    }
    letters_->upload(total);
}

void CellWavefront::describe(const SidePair& pair, std::int32_t* first, std::int32_t*) const {
    first[0] = begins_[pair.rows];
    first[1] = begins_[pair.columns];
    first[2] = static_cast<std::int32_t>(letters(pair.rows));
    first[3] = static_cast<std::int32_t>(letters(pair.columns));
}

std::pair<CellWavefront::Slot, CellWavefront::Slot> CellWavefront::slotsOfResult(NumberForm form) const {
    const int place = isLocal() ? 3 : 0;
    // Of packed, the component is that of the pair.
    if (isPacked_) return {{place, 0}, {place, 0}};
    return {{0, place}, {form == NumberForm::Beside ? 1 : 0, place}};
}

void CellWavefront::align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
                          TileProgress& progress) {
    glycine::gl::ShaderDefines defines{{"FIXED_POINT", ""}};
    if (isPacked_) defines.push_back({"PACKED", ""});
    if (form == NumberForm::Beside) defines.push_back({"WIDE", ""});
    const std::size_t layers = shape(form).layers;
    if (layers > 1) defines.push_back({"OUTPUTS", std::to_string(layers)});
    if (isLocal()) defines.push_back({"LOCAL", ""});
    const auto rows = static_cast<int>(batch.rowSteps), columns = static_cast<int>(batch.columnSteps);
    const auto width = static_cast<int>(batch.places);
    const std::size_t pairsAtOnce = shape(form).pairsPerTexel;
    const double perDiagonal = batch.cells / (rows + columns + 1);
    for (int diagonal = 0; diagonal <= rows + columns; ++diagonal) {
        const auto state = [&](int before) -> glycine::gl::RenderTexture& {
            return states[static_cast<std::size_t>(diagonal + 3 - before) % 3];
        };
        const int first = std::max(0, diagonal - columns), last = std::min(diagonal, rows);
        glycine::gl::FragmentPass pass = backend_.pass("align/step_diagonal.frag", defines);
        pass.input("pairs", pairTexture())
            .input("letters", letters_->texture())
            .input("scores", scoreTexture())
            .input("last", state(1).texture())
            .input("beforeLast", state(2).texture())
            .output(state(0).framebuffer())
            .uniform("open", static_cast<int>(numbers.open()))
            .uniform("rowBits", rowBits_)
            .uniform("diagonal", diagonal);
        if (isLocal()) pass.uniform("extend", static_cast<int>(numbers.extend()));
        draw(pass, {0, first, width, last - first + 1}, static_cast<double>(batch.places * pairsAtOnce));
        progress.advance(perDiagonal);
    }
}

}  // namespace glycine::pairwise::gl
