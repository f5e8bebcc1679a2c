#include "engine/gl/pairwise/tile_wavefront.hpp"

#include <algorithm>
#include <bit>

namespace glycine::pairwise::gl {

using glycine::gl::TextureFormat;

namespace {

/// Padding before the columns where letters are compared; it equals no letter.
constexpr std::uint8_t kUnequalPaddingCode = kPaddingCode - 1;
static_assert(kUnequalPaddingCode >= kGapCode);

/// Whether all equal letters have one score, and all unequal letters another.
bool hasTwoScores(const SubstitutionMatrix& matrix) {
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b < matrix.size; ++b)
            if (matrix.scores[a][b] != matrix.scores[0][a == b ? 0 : 1]) return false;
    return true;
}

std::size_t channelsOf(NumberForm form) {
    return form == NumberForm::Separate ? 2 : 1;
}

/// Texels for the numbers of a letter with the columns of a tile.
std::size_t partsOf(std::size_t columns, NumberForm form) {
    const std::size_t perTexel = 4 / channelsOf(form);
    return (columns + perTexel - 1) / perTexel;
}

}  // namespace

TileWavefront::Style TileWavefront::bestStyle(const glycine::gl::GlCapabilities& capabilities,
                                              const PairScoring& scoring) {
    Style style;
    style.targets = static_cast<std::size_t>(capabilities.limits.targetsAtOnce());
    style.normalised = capabilities.bugs.slowTexelFetch;
    style.isLinear = recurrenceOf(scoring) == Recurrence::Linear;
    style.isMatch = style.isLinear && hasTwoScores(scoring.matrix);
    return style;
}

TileWavefront::Style TileWavefront::styleFor(NumberForm form) const {
    Style style = style_;
    style.isMatch = style.isMatch && form == NumberForm::Together;
    return style;
}

WavefrontShape TileWavefront::shapeOf(const Style& style, const PairScoring& scoring, NumberForm form) {
    // A row and a column, each with one number per cell, or two if gaps have an opening.
    const std::size_t numbers = 4 * style.targets / channelsOf(form);
    WavefrontShape shape;
    shape.layers = style.targets;
    shape.rows = numbers / (style.isLinear ? 2 : 4);
    // Local alignments also need room for the best of all cells.
    shape.columns = scoring.method == PairMethod::Local ? shape.rows - 1 : shape.rows;
    shape.tables = {{.isOfRows = true}, {.isOfRows = false}};
    if (!(style.isMatch && form == NumberForm::Together))
        shape.tables.push_back(
            {.isOfRows = false, .texelsPerStep = kTableSide * partsOf(shape.columns, form)});
    return shape;
}

glycine::gl::ShaderDefines TileWavefront::definesOf(const Style& style, const PairScoring& scoring,
                                                    NumberForm form) {
    const WavefrontShape shape = shapeOf(style, scoring, form);
    glycine::gl::ShaderDefines all{{"FIXED_POINT", ""},
                                   {"OUTPUTS", std::to_string(shape.layers)},
                                   {"ROWS", std::to_string(shape.rows)},
                                   {"COLUMNS", std::to_string(shape.columns)}};
    if (style.isLinear) all.push_back({"LINEAR", ""});
    if (scoring.method == PairMethod::Local) all.push_back({"LOCAL", ""});
    if (form == NumberForm::Separate) all.push_back({"WIDE", ""});
    return all;
}

void TileWavefront::fill(LetterTiles& tiles, std::span<const std::size_t> sequences, std::size_t side,
                         std::uint8_t filling) {
    std::size_t total = 0;
    for (const std::size_t sequence : sequences) total += (letters(sequence) + side - 1) / side;
    const glycine::gl::TableWidth width = tableWidth(backend_.gl().limits, total);
    tiles.rowBits = width.rowBits;
    tiles.table.reset();
    tiles.table.emplace(backend_.textures(), TextureFormat::RGBA32I, width, total);
    tiles.begins.assign(sequences_.size(), 0);
    std::size_t next = 0;
    for (const std::size_t sequence : sequences) {
        const std::vector<std::uint8_t>& codes = sequences_.codes[sequence];
        tiles.begins[sequence] = static_cast<std::int32_t>(next);
        const std::size_t count = (codes.size() + side - 1) / side, before = count * side - codes.size();
        for (std::size_t tile = 0; tile < count; ++tile, ++next) {
            std::int32_t* const texel = tiles.table->texel(next);
            std::fill_n(texel, 4, 0);
            for (std::size_t k = 0; k < side; ++k) {
                const std::size_t place = tile * side + k;
                const std::int32_t code = place < before ? filling : codes[place - before];
                texel[k / 4] |= code << (k % 4 * 8);
            }
        }
    }
    tiles.table->upload(total);
}

void TileWavefront::load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
                         const LaneNumbers& numbers, NumberForm form) {
    units_ = shape(form);
    const bool isMatch = styleFor(form).isMatch;
    // Scores of the padding of sequences.
    for (std::size_t code = 0; code < kTableSide; ++code)
        for (std::size_t channel = 0; channel < 2; ++channel) {
            scores[4 * (code * kTableSide + kPaddingCode) + channel] = 0;
            scores[4 * (kPaddingCode * kTableSide + code) + channel] = 0;
        }
    if (!isLocal())
        scores[4 * (kPaddingCode * kTableSide + kPaddingCode)] = static_cast<std::int32_t>(numbers.open());
    match_ = scores[0];
    mismatch_ = scores[4];
    uploadScores(scores);
    fill(rows_, sequences, units_.rows, kPaddingCode);
    fill(columns_, sequences, units_.columns, isMatch ? kUnequalPaddingCode : kPaddingCode);
    profile_.reset();
    if (isMatch) return;
    std::size_t tiles = 0;
    for (const std::size_t sequence : sequences) tiles += units_.columnSteps(letters(sequence));
    drawProfile(tiles, form);
}

void TileWavefront::drawProfile(std::size_t tiles, NumberForm form) {
    const std::size_t texels = tiles * partsOf(units_.columns, form) * kTableSide;
    const glycine::gl::TableWidth width = tableWidth(backend_.gl().limits, texels);
    profileBits_ = width.rowBits - std::countr_zero(kTableSide);
    profile_.emplace(backend_.textures(), width.shape(TextureFormat::RGBA32I, texels));
    glycine::gl::ShaderDefines defines{{"FIXED_POINT", ""}, {"COLUMNS", std::to_string(units_.columns)}};
    if (form == NumberForm::Separate) defines.push_back({"WIDE", ""});
    backend_.pass("align/fill_profile.frag", defines)
        .input("letters", columns_.table->texture())
        .input("scores", scoreTexture())
        .output(profile_->framebuffer())
        .uniform("rowBits", profileBits_)
        .uniform("letterBits", columns_.rowBits)
        .draw({{0, 0}, {profile_->shape().size.x, width.rows(texels)}});
}

void TileWavefront::describe(const SidePair& pair, std::int32_t* first, std::int32_t* second) const {
    const std::size_t rows = units_.rowSteps(letters(pair.rows));
    const std::size_t columns = units_.columnSteps(letters(pair.columns));
    first[0] = rows_.begins[pair.rows];
    first[1] = columns_.begins[pair.columns];
    first[2] = static_cast<std::int32_t>(rows);
    first[3] = static_cast<std::int32_t>(columns);
    second[0] = static_cast<std::int32_t>(rows * units_.rows - letters(pair.rows));
    second[1] = static_cast<std::int32_t>(columns * units_.columns - letters(pair.columns));
}

std::pair<TileWavefront::Slot, TileWavefront::Slot> TileWavefront::slotsOfResult(NumberForm form) const {
    // Slots as numbered in shaders/align/tile.glsl.
    const WavefrontShape units = shape(form);
    const std::size_t beforeColumn = style_.isLinear ? units.columns
                                     : isLocal()     ? 2 * units.rows
                                                     : 2 * units.columns;
    const std::size_t slot = isLocal() ? units.rows + units.columns : beforeColumn + units.rows - 1;
    const auto at = [&](std::size_t channel) {
        const std::size_t place = slot * channelsOf(form) + channel;
        return Slot{static_cast<int>(place / 4), static_cast<int>(place % 4)};
    };
    return {at(0), at(channelsOf(form) - 1)};
}

void TileWavefront::begin(const glycine::gl::RenderTexture& state, bool isFirstColumn,
                          const glycine::gl::Rectangle& region, const LaneNumbers& numbers, NumberForm form) {
    const auto open = static_cast<int>(numbers.open());
    const bool isMatch = styleFor(form).isMatch;
    glycine::gl::FragmentPass pass = backend_.pass("align/begin_tiles.frag", defines(form));
    if (!style_.isLinear) pass.uniform("noGap", -2 * open);
    pass.input("pairs", pairTexture())
        .output(state.framebuffer())
        .uniform("isFirstColumn", isFirstColumn ? 1 : 0)
        .uniform("corner", -open)
        .uniform("border", isLocal() ? -open : -2 * open)
        .uniform("slope", isMatch ? std::max(mismatch_, 0) : 0)
        .draw(region);
}

void TileWavefront::align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
                          TileProgress& progress) {
    const auto rows = static_cast<int>(batch.rowSteps), columns = static_cast<int>(batch.columnSteps);
    const auto width = static_cast<int>(batch.places);
    const bool isMatch = styleFor(form).isMatch;
    const double cellsPerRow = static_cast<double>(batch.places * units_.rows * units_.columns);
    glycine::gl::ShaderDefines stepDefines = defines(form);
    if (isMatch)
        stepDefines.push_back({"MATCH", ""});
    else if (style_.normalised)
        stepDefines.push_back({"NORMALISED", ""});
    // The first pass reads the second state.
    begin(states[1], true, {{0, 0}, {width, rows + 1}}, numbers, form);
    begin(states[0], false, {{0, 0}, {width, rows + 1}}, numbers, form);
    const double perDiagonal = batch.cells / (rows + columns - 1);
    for (int diagonal = 0; diagonal < rows + columns - 1; ++diagonal) {
        const int first = std::max(0, diagonal - columns + 1), last = std::min(diagonal, rows - 1);
        glycine::gl::FragmentPass pass = backend_.pass("align/step_tiles.frag", stepDefines);
        pass.input("pairs", pairTexture())
            .input("rowLetters", rows_.table->texture())
            .input("last", states[static_cast<std::size_t>(diagonal + 1) % 2].texture())
            .output(states[static_cast<std::size_t>(diagonal) % 2].framebuffer())
            .uniform("rowBits", rows_.rowBits)
            .uniform("diagonal", diagonal);
        if (!style_.isLinear) pass.uniform("open", static_cast<int>(numbers.open()));
        if (isLocal()) pass.uniform("extend", static_cast<int>(numbers.extend()));
        if (isMatch) {
            pass.input("columnLetters", columns_.table->texture())
                .uniform("columnBits", columns_.rowBits)
                .uniform("match", match_)
                .uniform("mismatch", mismatch_);
        } else {
            pass.input("profile", profile_->texture()).uniform("profileBits", profileBits_);
            if (style_.normalised) pass.uniform("profileTexel", glycine::gl::texelSize(profile_->texture()));
        }
        draw(pass, {{0, first + 1}, {width, last - first + 1}}, cellsPerRow);
        // The tiles of the first row continue with the border.
        if (diagonal == 0 && columns > 2) begin(states[1], false, {{0, 0}, {width, 1}}, numbers, form);
        progress.advance(perDiagonal);
    }
}

}  // namespace glycine::pairwise::gl
