#include "engine/picture/canvas.hpp"

#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::picture {

namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

constexpr const char* kFontFamily = "DejaVu Sans";

cairo_font_weight_t fontWeight(const TextStyle& style) {
    return style.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
}

using FontOptions = std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)>;

/// Text has the same length in all formats, whatever the desktop's settings.
FontOptions fontOptions() {
    FontOptions options(cairo_font_options_create(), &cairo_font_options_destroy);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    return options;
}

using Font = std::unique_ptr<cairo_scaled_font_t, decltype(&cairo_scaled_font_destroy)>;

Font fontOf(const TextStyle& style) {
    const std::unique_ptr<cairo_font_face_t, decltype(&cairo_font_face_destroy)> face(
        cairo_toy_font_face_create(kFontFamily, CAIRO_FONT_SLANT_NORMAL, fontWeight(style)),
        &cairo_font_face_destroy);
    cairo_matrix_t size;
    cairo_matrix_init_scale(&size, style.size, style.size);
    cairo_matrix_t page;
    cairo_matrix_init_identity(&page);
    return {cairo_scaled_font_create(face.get(), &size, &page, fontOptions().get()),
            &cairo_scaled_font_destroy};
}

/// Where no font at all is installed, Cairo draws the letters of ASCII by itself, and a box for any other.
bool isFontInstalled() {
    static const bool isInstalled = cairo_scaled_font_get_type(fontOf({}).get()) != CAIRO_FONT_TYPE_USER;
    return isInstalled;
}

/// As Cairo is asked to draw it.
std::string shownText(std::string_view text) {
    return isFontInstalled() ? drawableText(text) : asciiText(drawableText(text));
}

constexpr double kPointsPerPixel = 72.0 / 96.0;

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int count) {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
    return CAIRO_STATUS_SUCCESS;
}

std::string extensionOf(const std::filesystem::path& path) {
    return lowerCase(path.extension().string());
}

/// A surface that writes to `bytes`, a PNG at last only.
cairo_surface_t* createSurface(const std::string& extension, double width, double height,
                               std::string& bytes) {
    if (extension == ".svg") {
        cairo_surface_t* surface = cairo_svg_surface_create_for_stream(&append, &bytes, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    }
    if (extension == ".pdf") {
        cairo_surface_t* surface = cairo_pdf_surface_create_for_stream(
            &append, &bytes, width * kPointsPerPixel, height * kPointsPerPixel);
        // No date: the same picture has the same bytes.
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        return surface;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                      static_cast<int>(std::ceil(height)));
}

std::string hexColor(Color color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

/// The first and last of the characters that end at `ends`, `kept` ≥ 1 in all.
std::string withoutMiddle(std::string_view text, const std::vector<std::size_t>& ends, std::size_t kept) {
    const std::size_t head = (kept + 1) / 2;
    const std::size_t tail = kept - head;
    std::string shortened(text.substr(0, ends[head - 1]));
    shortened += "…";
    shortened += text.substr(ends[ends.size() - tail - 1]);
    return shortened;
}

/// Cairo would draw the outlines of the letters.
std::string svgText(Point place, std::string_view text, const TextStyle& style) {
    const char* anchor = style.anchor == TextAnchor::Start    ? "start"
                         : style.anchor == TextAnchor::Middle ? "middle"
                                                              : "end";
    // The length keeps another font, where this one is missing, within its place.
    return fmt::format(
        "<text transform=\"translate({:.2f} {:.2f}){}\" font-family=\"{}, Verdana, sans-serif\" "
        "font-size=\"{:.4g}\"{} fill=\"{}\" text-anchor=\"{}\" textLength=\"{:.1f}\" "
        "lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
        place.x, place.y, style.direction == TextDirection::Up ? " rotate(-90)" : "", kFontFamily, style.size,
        style.isBold ? " font-weight=\"bold\"" : "", hexColor(style.color), anchor, textLength(text, style),
        escapeMarkup(text));
}

/// Cairo counts its surfaces through the whole process, and names images by that count: here they count from
/// 0 in each file.
std::string renumberNames(std::string_view svg) {
    constexpr std::string_view kStems[] = {"image", "surface"};
    constexpr std::string_view kDigits = "0123456789";
    std::map<std::string, std::size_t, std::less<>> numbers;
    std::string result;
    while (!svg.empty()) {
        const std::size_t mark = svg.find_first_of("\"#");
        const std::size_t begin = mark == svg.npos ? svg.size() : mark + 1;
        result += svg.substr(0, begin);
        svg.remove_prefix(begin);
        for (const std::string_view stem : kStems) {
            if (!svg.starts_with(stem)) continue;
            const std::size_t end = std::min(svg.find_first_not_of(kDigits, stem.size()), svg.size());
            if (end == stem.size()) continue;
            const std::size_t number =
                numbers.try_emplace(std::string(svg.substr(0, end)), numbers.size()).first->second;
            result += fmt::format("{}{}", stem, number);
            svg.remove_prefix(end);
            break;
        }
    }
    return result;
}

using Triple = std::array<double, 3>;

// D65 white of the sRGB standard, IEC 61966-2-1.
constexpr Triple kWhite{0.95047, 1.0, 1.08883};

/// CIE 15:2004, section 8.2.1, solved for the tristimulus ratio.
double labInverse(double f) {
    constexpr double kDelta = 6.0 / 29.0;
    return f > kDelta ? f * f * f : 3 * kDelta * kDelta * (f - 4.0 / 29.0);
}

/// Linear sRGB of a colour given as lightness, chroma and hue (degrees); components outside 0 … 1 cannot be
/// shown.
Triple linearRgb(double lightnessValue, double chroma, double hue) {
    const double angle = hue * std::numbers::pi / 180;
    const double fy = (lightnessValue + 16) / 116;
    const double x = kWhite[0] * labInverse(fy + chroma * std::cos(angle) / 500);
    const double y = kWhite[1] * labInverse(fy);
    const double z = kWhite[2] * labInverse(fy - chroma * std::sin(angle) / 200);
    return {3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z,
            0.0557 * x - 0.2040 * y + 1.0570 * z};
}

bool canBeShown(const Triple& rgb) {
    return std::all_of(rgb.begin(), rgb.end(), [](double value) { return value >= 0 && value <= 1; });
}

std::uint8_t encode(double linear) {
    const double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
}

Color colorAt(double t) {
    const double lightnessValue = 12 + 80 * t;
    const double hue = 308 - 208 * t;
    double chroma = 38 + 34 * t * t;
    // Less colour, never another lightness, where the screen cannot show it.
    while (chroma > 0 && !canBeShown(linearRgb(lightnessValue, chroma, hue))) chroma -= 0.25;
    const Triple rgb = linearRgb(lightnessValue, std::max(chroma, 0.0), hue);
    return {encode(rgb[0]), encode(rgb[1]), encode(rgb[2])};
}

}  // namespace

bool isPictureFile(const std::filesystem::path& path) {
    const std::string extension = extensionOf(path);
    return extension == ".png" || extension == ".svg" || extension == ".pdf";
}

bool hasPages(const std::filesystem::path& path) {
    return extensionOf(path) == ".pdf";
}

void requirePictureFile(std::string_view option, const std::filesystem::path& path) {
    if (!isPictureFile(path))
        throw UsageError(fmt::format("{}{}{} does not end in .png, .svg or .pdf", option,
                                     option.empty() ? "" : ": ", path.string()));
}

std::string escapeMarkup(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else
            escaped += c;
    }
    return escaped;
}

std::string drawableText(std::string_view text) {
    constexpr std::uint32_t kReplacement = 0xfffd;
    std::string drawable;
    drawable.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::optional<std::uint32_t> character = nextUtf8(text, position);
        if (!character) ++position;
        const bool isControl = character && (*character < 0x20 || *character == 0x7f);
        appendUtf8(drawable, character && !isControl ? *character : kReplacement);
    }
    return drawable;
}

std::string asciiText(std::string_view text) {
    constexpr std::pair<std::uint32_t, std::string_view> kStandIns[] = {
        {0xb2, "2"},     {0xb3, "3"},    {0xb5, "u"},   {0x3bc, "u"},  {0xc5, "A"},
        {0xd7, "x"},     {0xb1, "+/-"},  {0xb7, "."},   {0x2013, "-"}, {0x2212, "-"},
        {0x2026, "..."}, {0x2264, "<="}, {0x2265, ">="}};
    std::string ascii;
    for (std::size_t position = 0; position < text.size();) {
        const std::uint32_t character = nextUtf8(text, position).value_or(0);
        if (character == 0) ++position;
        const auto* const standIn =
            std::ranges::find(kStandIns, character, &std::pair<std::uint32_t, std::string_view>::first);
        if (standIn != std::end(kStandIns))
            ascii += standIn->second;
        else
            ascii += character != 0 && character < 0x80 ? static_cast<char>(character) : '?';
    }
    return ascii;
}

double textLength(std::string_view text, const TextStyle& style) {
    cairo_text_extents_t extents{};
    cairo_scaled_font_text_extents(fontOf(style).get(), shownText(text).c_str(), &extents);
    return extents.x_advance;
}

std::string shortenText(std::string_view text, double width, const TextStyle& style) {
    if (textLength(text, style) <= width) return std::string(text);
    std::vector<std::size_t> ends;  // of the characters
    for (std::size_t position = 0; position < text.size(); ends.push_back(position))
        if (!nextUtf8(text, position)) ++position;
    // Each character that goes makes the text shorter: the most that may stay is found by halving.
    std::size_t most = 0;
    for (std::size_t tooMany = ends.size(); tooMany - most > 1;) {
        const std::size_t kept = (most + tooMany) / 2;
        (textLength(withoutMiddle(text, ends, kept), style) <= width ? most : tooMany) = kept;
    }
    return most == 0 ? std::string() : withoutMiddle(text, ends, most);
}

struct Canvas::Page {
    std::filesystem::path path;
    double width;
    double height;
    std::string extension;
    std::string bytes{};     ///< of SVG and PDF; the surface writes them when it is finished
    std::string svgTexts{};  ///< elements, put before the end
    Surface surface{nullptr, &cairo_surface_destroy};
    Context context{nullptr, &cairo_destroy};

    /// Begins a path of this colour.
    void begin(Color color) {
        cairo_new_path(context.get());
        cairo_set_source_rgb(context.get(), color.red / 255.0, color.green / 255.0, color.blue / 255.0);
    }
    void require(cairo_status_t status) const {
        if (status != CAIRO_STATUS_SUCCESS)
            throw Error(fmt::format("{}: a picture of {:.0f} × {:.0f} pixels cannot be drawn: {}",
                                    path.string(), width, height, cairo_status_to_string(status)));
    }
};

void requirePageSize(const std::filesystem::path& path, double width, double height) {
    if (!(width <= kLargestSide && height <= kLargestSide))
        throw UsageError(
            fmt::format("{}: a picture of {:.0f} × {:.0f} pixels; expected at most {:.0f} a side: draw less, "
                        "or in larger steps",
                        path.string(), width, height, kLargestSide));
}

Canvas::Canvas(std::filesystem::path path, double width, double height) {
    requirePictureFile("", path);
    requirePageSize(path, width, height);
    std::string extension = extensionOf(path);
    page_ = std::make_unique<Page>(Page{std::move(path), width, height, std::move(extension)});
    page_->surface.reset(createSurface(page_->extension, width, height, page_->bytes));
    page_->require(cairo_surface_status(page_->surface.get()));
    page_->context.reset(cairo_create(page_->surface.get()));
    page_->require(cairo_status(page_->context.get()));
    if (page_->extension == ".pdf") cairo_scale(page_->context.get(), kPointsPerPixel, kPointsPerPixel);
    cairo_set_font_options(page_->context.get(), fontOptions().get());
    page_->begin({255, 255, 255});
    cairo_paint(page_->context.get());
}

Canvas::~Canvas() = default;

void Canvas::fill(const Box& box, Color color) {
    page_->begin(color);
    cairo_rectangle(page_->context.get(), box.x, box.y, box.width, box.height);
    cairo_fill(page_->context.get());
}

void Canvas::frame(const Box& box, Color color) {
    page_->begin(color);
    cairo_rectangle(page_->context.get(), box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
    cairo_set_line_width(page_->context.get(), 1);
    cairo_set_line_join(page_->context.get(), CAIRO_LINE_JOIN_MITER);
    cairo_stroke(page_->context.get());
}

void Canvas::line(std::span<const Point> points, Color color, double width, double dash) {
    page_->begin(color);
    for (const Point& point : points) cairo_line_to(page_->context.get(), point.x, point.y);
    cairo_set_line_width(page_->context.get(), width);
    cairo_set_line_join(page_->context.get(), CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(page_->context.get(), &dash, dash > 0 ? 1 : 0, 0);
    cairo_stroke(page_->context.get());
    cairo_set_dash(page_->context.get(), nullptr, 0, 0);
}

void Canvas::marker(Marker shape, Point center, double size, Color color) {
    cairo_t* context = page_->context.get();
    page_->begin(color);
    const double half = size / 2;
    const auto polygon = [&](std::initializer_list<Point> corners) {
        for (const Point& corner : corners)
            cairo_line_to(context, center.x + corner.x * half, center.y + corner.y * half);
        cairo_close_path(context);
    };
    switch (shape) {
        case Marker::Disc:
            cairo_arc(context, center.x, center.y, half, 0, 2 * std::numbers::pi);
            break;
        case Marker::Square:
            polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
            break;
        case Marker::Triangle:
            polygon({{0, -1.15}, {1.1, 0.85}, {-1.1, 0.85}});
            break;
        case Marker::Diamond:
            polygon({{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}});
            break;
        case Marker::Cross:
            polygon({{-0.35, -1.1},
                     {0.35, -1.1},
                     {0.35, -0.35},
                     {1.1, -0.35},
                     {1.1, 0.35},
                     {0.35, 0.35},
                     {0.35, 1.1},
                     {-0.35, 1.1},
                     {-0.35, 0.35},
                     {-1.1, 0.35},
                     {-1.1, -0.35},
                     {-0.35, -0.35}});
            break;
        case Marker::Wedge:
            polygon({{0, 1.15}, {1.1, -0.85}, {-1.1, -0.85}});
            break;
    }
    cairo_fill(context);
}

void Canvas::image(const Box& box, const std::function<Color(std::size_t x, std::size_t y)>& pixel) {
    const auto width = static_cast<std::size_t>(box.width);
    const auto height = static_cast<std::size_t>(box.height);
    const Surface image(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)),
        &cairo_surface_destroy);
    page_->require(cairo_surface_status(image.get()));
    cairo_surface_flush(image.get());
    unsigned char* row = cairo_image_surface_get_data(image.get());
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            const Color color = pixel(x, y);
            const std::uint32_t value = static_cast<std::uint32_t>(color.red) << 16 |
                                        static_cast<std::uint32_t>(color.green) << 8 | color.blue;
            std::memcpy(row + x * sizeof value, &value, sizeof value);
        }
        row += cairo_image_surface_get_stride(image.get());
    }
    cairo_surface_mark_dirty(image.get());
    cairo_set_source_surface(page_->context.get(), image.get(), box.x, box.y);
    cairo_pattern_set_filter(cairo_get_source(page_->context.get()), CAIRO_FILTER_NEAREST);
    cairo_paint(page_->context.get());
}

void Canvas::text(Point place, std::string_view text, const TextStyle& style) {
    const std::string drawn = drawableText(text);
    if (drawn.empty()) return;
    if (page_->extension == ".svg") {
        page_->svgTexts += svgText(place, drawn, style);
        return;
    }
    cairo_t* context = page_->context.get();
    page_->begin(style.color);
    cairo_select_font_face(context, kFontFamily, CAIRO_FONT_SLANT_NORMAL, fontWeight(style));
    cairo_set_font_size(context, style.size);
    cairo_save(context);
    cairo_translate(context, place.x, place.y);
    if (style.direction == TextDirection::Up) cairo_rotate(context, -std::numbers::pi / 2);
    const double length = style.anchor == TextAnchor::Start ? 0 : textLength(text, style);
    cairo_move_to(context, style.anchor == TextAnchor::Middle ? -length / 2 : -length, 0);
    cairo_show_text(context, shownText(drawn).c_str());
    cairo_restore(context);
}

void Canvas::letters(Point center, double step, std::string_view ascii, const TextStyle& style) {
    if (page_->extension != ".svg") {
        for (std::size_t k = 0; k < ascii.size(); ++k)
            if (ascii[k] != ' ')
                text({center.x + static_cast<double>(k) * step, center.y}, ascii.substr(k, 1),
                     style.anchored(TextAnchor::Middle));
        return;
    }
    std::string places;
    std::string shown;
    for (std::size_t k = 0; k < ascii.size(); ++k) {
        if (ascii[k] == ' ') continue;
        places += fmt::format("{:.6g} ", center.x + static_cast<double>(k) * step);
        shown += ascii[k];
    }
    if (shown.empty()) return;
    places.pop_back();
    page_->svgTexts += fmt::format(
        "<text x=\"{}\" y=\"{:.6g}\" font-family=\"{}, Verdana, sans-serif\" font-size=\"{:.4g}\"{} "
        "fill=\"{}\" text-anchor=\"middle\">{}</text>\n",
        places, center.y, kFontFamily, style.size, style.isBold ? " font-weight=\"bold\"" : "",
        hexColor(style.color), escapeMarkup(drawableText(shown)));
}

void Canvas::nextPage() {
    if (page_->extension != ".pdf") throw std::logic_error("only PDF has more than one page");
    cairo_show_page(page_->context.get());
    page_->begin({255, 255, 255});
    cairo_paint(page_->context.get());
}

void Canvas::save() {
    Page& page = *page_;
    page.require(cairo_status(page.context.get()));
    page.context.reset();
    if (page.extension == ".png")
        page.require(cairo_surface_write_to_png_stream(page.surface.get(), &append, &page.bytes));
    cairo_surface_finish(page.surface.get());
    page.require(cairo_surface_status(page.surface.get()));
    if (page.extension == ".svg") {
        page.bytes = renumberNames(page.bytes);
        page.bytes.insert(page.bytes.rfind("</svg>"), page.svgTexts);
    }
    storage::AtomicFile file(page.path);
    file.write(page.bytes);
    file.commit();
}

const std::array<Color, 256>& colorMap() {
    static const std::array<Color, 256> map = [] {
        std::array<Color, 256> colors;
        for (std::size_t i = 0; i < colors.size(); ++i)
            colors[i] = colorAt(static_cast<double>(i) / (colors.size() - 1));
        return colors;
    }();
    return map;
}

Color seriesColor(std::size_t k) {
    // Without its yellow, which is too light for thin lines on white.
    static constexpr Color kPalette[] = {{0, 114, 178},  {213, 94, 0},  {0, 158, 115}, {204, 121, 167},
                                         {86, 180, 233}, {230, 159, 0}, {38, 38, 42}};
    return kPalette[k % std::size(kPalette)];
}

}  // namespace glycine::picture
