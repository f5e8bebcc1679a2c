#include "engine/picture/stroke_font.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace glycine::io {

namespace {

/// Strokes of a character, separated by blanks. A stroke is a chain of points, two digits each: x from the
/// left, y from below, where 2 is the baseline, 6 the height of a small letter and 8 that of a capital. '~'
/// rounds the corners of the chain, '@' also closes it. A chain of one point, twice, is a dot.
struct Glyph {
    const char32_t* characters;
    int width;
    std::string_view strokes;
};

constexpr Glyph kGlyphs[] = {
    {U" ", 1, ""},
    {U"!", 0, "0804 0202"},
    {U"\"", 2, "0907 2927"},
    {U"#", 4, "1218 3238 0444 0646"},
    {U"%", 4, "0248 @06262808 @22424424"},
    {U"&", 4, "~42060818263502 ~02324345"},
    {U"'", 0, "0907"},
    {U"(", 1, "~19060411"},
    {U")", 1, "~09161401"},
    {U"*", 4, "2428 0547 0745"},
    {U"+", 4, "0545 2327"},
    {U",", 0, "0201"},
    {U"-\u2010\u2011\u2212", 2, "0525"},
    {U"\u2013", 4, "0545"},
    {U".", 0, "0202"},
    {U"/", 3, "0138"},
    {U"0", 3, "@02323808"},
    {U"1", 3, "072822"},
    {U"2", 3, "~0708383502 0232"},
    {U"3", 3, "~0708383515 ~1535320203"},
    {U"4", 3, "22280434"},
    {U"5", 3, "380805 ~0535320203"},
    {U"6", 3, "@02323606 ~37380804"},
    {U"7", 3, "083812"},
    {U"8", 3, "@05353808 @02323505"},
    {U"9", 3, "@04343808 ~36320203"},
    {U":", 0, "0202 0606"},
    {U";", 0, "0201 0606"},
    {U"<", 4, "470543"},
    {U"=", 4, "0444 0646"},
    {U">", 4, "074503"},
    {U"?", 3, "~070838351514 1212"},
    {U"@", 4, "~43423202084844342436"},
    {U"A", 4, "022842 1434"},
    {U"B", 4, "0208 ~08383505 ~05454202"},
    {U"C", 4, "~474808024243"},
    {U"D", 4, "0208 ~08484202"},
    {U"E", 4, "48080242 0535"},
    {U"F", 4, "480802 0535"},
    {U"G", 4, "~474808024245 4525"},
    {U"H", 4, "0208 4248 0545"},
    {U"I", 0, "0208"},
    {U"J", 3, "~38320203"},
    {U"K", 4, "0208 4804 1542"},
    {U"L", 3, "080232"},
    {U"M", 4, "0208254842"},
    {U"N", 4, "02084248"},
    {U"O", 4, "@02424808"},
    {U"P", 4, "0208 ~08484505"},
    {U"Q", 4, "@02424808 2442"},
    {U"R", 4, "0208 ~08484505 2542"},
    {U"S", 4, "~4748080545420203"},
    {U"T", 4, "0848 2228"},
    {U"U", 4, "~08024248"},
    {U"V", 4, "082248"},
    {U"W", 6, "0812355268"},
    {U"X", 4, "0248 0842"},
    {U"Y", 4, "082548 2522"},
    {U"Z", 4, "08480242"},
    {U"[", 1, "19090111"},
    {U"\\", 3, "0831"},
    {U"]", 1, "09191101"},
    {U"^", 4, "062846"},
    {U"_", 4, "0141"},
    {U"`", 1, "0917"},
    {U"a", 3, "@02323606 3632"},
    {U"b", 3, "0802 @02323606"},
    {U"c", 3, "~353606023233"},
    {U"d", 3, "3832 @02323606"},
    {U"e", 3, "0434 ~343606023233"},
    {U"f", 2, "~281812 0626"},
    {U"g", 3, "@02323606 ~36300001"},
    {U"h", 3, "0802 ~04063632"},
    {U"i", 0, "0602 0808"},
    {U"j", 1, "~161000 1818"},
    {U"k", 3, "0802 3603 1432"},
    {U"l", 0, "0802"},
    {U"m", 4, "0602 ~04062622 ~24264642"},
    {U"n", 3, "0602 ~04063632"},
    {U"o", 3, "@02323606"},
    {U"p", 3, "0600 @02323606"},
    {U"q", 3, "3630 @02323606"},
    {U"r", 2, "0602 ~040626"},
    {U"s", 3, "~3536060434320203"},
    {U"t", 2, "~181222 0626"},
    {U"u", 3, "~06023234 3632"},
    {U"v", 4, "062246"},
    {U"w", 4, "0612243246"},
    {U"x", 3, "0236 0632"},
    {U"y", 4, "0622 4610"},
    {U"z", 3, "06360232"},
    {U"{", 2, "~291916 ~160505 ~050514 ~141121"},
    {U"|", 0, "0109"},
    {U"}", 2, "~091916 ~162525 ~252514 ~141101"},
    {U"~", 4, "~0415163445"},
    {U"$", 4, "~4748080545420203 2129"},
    {U"\u00b5\u03bc", 3, "0600 ~06023234 3632"},
    {U"\u00b1", 4, "0646 2428 0242"},
    {U"\u00b7", 0, "0505"},
    {U"\u00c5", 4, "022742 1434 @17373919"},
    {U"\u00d7", 4, "0347 0743"},
    {U"\u2026", 4, "0202 2222 4242"},
    {U"\u2192", 4, "0545 274523"},
    {U"\u2264", 4, "480644 0242"},
    {U"\u2265", 4, "084604 0242"},
};
constexpr Glyph kMissing{U"", 4, "0242480802"};

struct Point {
    double x = 0;
    double y = 0;
};
using Chain = std::vector<Point>;

/// Cuts every corner of the chain twice at a quarter and three quarters of its sides (G. Chaikin, "An
/// algorithm for high-speed curve generation", 1974), `rounds` times.
Chain roundCorners(Chain chain, bool isClosed, int rounds) {
    for (; rounds > 0; --rounds) {
        Chain cut;
        if (!isClosed) cut.push_back(chain.front());
        const std::size_t sides = isClosed ? chain.size() : chain.size() - 1;
        for (std::size_t k = 0; k < sides; ++k) {
            const Point a = chain[k];
            const Point b = chain[(k + 1) % chain.size()];
            cut.push_back({0.75 * a.x + 0.25 * b.x, 0.75 * a.y + 0.25 * b.y});
            cut.push_back({0.25 * a.x + 0.75 * b.x, 0.25 * a.y + 0.75 * b.y});
        }
        if (!isClosed) cut.push_back(chain.back());
        chain = std::move(cut);
    }
    if (isClosed) chain.push_back(chain.front());
    return chain;
}

std::vector<Chain> readStrokes(std::string_view text) {
    constexpr int kRounds = 4;
    std::vector<Chain> chains;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        std::string_view stroke = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool isClosed = stroke.front() == '@';
        const bool isRound = isClosed || stroke.front() == '~';
        if (isRound) stroke.remove_prefix(1);
        Chain chain;
        for (std::size_t k = 0; k + 1 < stroke.size(); k += 2)
            chain.push_back({static_cast<double>(stroke[k] - '0'), static_cast<double>(stroke[k + 1] - '2')});
        chains.push_back(roundCorners(std::move(chain), isClosed, isRound ? kRounds : 0));
    }
    return chains;
}

struct Shape {
    double width = 0;  ///< in units of a sixth of a capital's height
    std::vector<Chain> chains;
};

const Shape& shapeOf(char32_t character) {
    static const std::map<char32_t, Shape> shapes = [] {
        std::map<char32_t, Shape> all;
        for (const Glyph& glyph : kGlyphs)
            for (const char32_t* c = glyph.characters; *c != U'\0'; ++c)
                all[*c] = {static_cast<double>(glyph.width), readStrokes(glyph.strokes)};
        return all;
    }();
    static const Shape missing{static_cast<double>(kMissing.width), readStrokes(kMissing.strokes)};
    const auto found = shapes.find(character);
    return found == shapes.end() ? missing : found->second;
}

/// The characters of UTF-8 text; a malformed byte counts as a character that the font lacks.
std::u32string decode(std::string_view text) {
    std::u32string characters;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (length == 0 || i + length > text.size()) {
            characters += U'\ufffd';
            ++i;
            continue;
        }
        char32_t code = length == 1 ? lead : lead & (0xffU >> (length + 1));
        for (std::size_t k = 1; k < length; ++k)
            code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
        characters += code;
        i += length;
    }
    return characters;
}

constexpr double kCapitalUnits = 6;
constexpr double kSpacing = 2;  ///< between characters, in units

double unitLength(const std::u32string& characters) {
    double length = 0;
    for (const char32_t character : characters) length += shapeOf(character).width + kSpacing;
    return characters.empty() ? 0 : length - kSpacing;
}

double distanceToSegment(Point p, Point a, Point b) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double squared = dx * dx + dy * dy;
    const double t = squared > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0.0, 1.0) : 0;
    return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/// Draws one character; the coverage of overlapping strokes is not added up.
void drawShape(Image& image, const std::vector<Chain>& chains, const TextStyle& style) {
    const double reach = style.weight / 2 + 1;
    Point low{1e9, 1e9};
    Point high{-1e9, -1e9};
    for (const Chain& chain : chains)
        for (const Point point : chain) {
            low = {std::min(low.x, point.x), std::min(low.y, point.y)};
            high = {std::max(high.x, point.x), std::max(high.y, point.y)};
        }
    for (auto y = static_cast<std::ptrdiff_t>(std::floor(low.y - reach)); y <= std::ceil(high.y + reach); ++y)
        for (auto x = static_cast<std::ptrdiff_t>(std::floor(low.x - reach)); x <= std::ceil(high.x + reach);
             ++x) {
            const Point center{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
            double distance = reach;
            for (const Chain& chain : chains)
                for (std::size_t k = 0; k + 1 < chain.size(); ++k)
                    distance = std::min(distance, distanceToSegment(center, chain[k], chain[k + 1]));
            const double coverage = std::clamp(style.weight / 2 + 0.5 - distance, 0.0, 1.0);
            if (coverage > 0) image.blend(x, y, style.color, coverage);
        }
}

}  // namespace

double textLength(std::string_view text, const TextStyle& style) {
    return unitLength(decode(text)) * style.height / kCapitalUnits;
}

void drawText(Image& image, double x, double y, std::string_view text, const TextStyle& style) {
    const std::u32string characters = decode(text);
    const double unit = style.height / kCapitalUnits;
    const double length = unitLength(characters);
    double pen = style.anchor == TextAnchor::Start    ? 0
                 : style.anchor == TextAnchor::Middle ? -length / 2
                                                      : -length;
    for (const char32_t character : characters) {
        const Shape& shape = shapeOf(character);
        std::vector<Chain> placed = shape.chains;
        for (Chain& chain : placed)
            for (Point& point : chain) {
                const double along = (pen + point.x) * unit;
                const double above = point.y * unit;
                point = style.direction == TextDirection::Right ? Point{x + along, y - above}
                                                                : Point{x - above, y - along};
            }
        drawShape(image, placed, style);
        pen += shape.width + kSpacing;
    }
}

}  // namespace glycine::io
