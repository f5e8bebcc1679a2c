#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/picture/cairo/graph_layout.hpp"
#include "engine/picture/picture_module.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::picture::cairo {

namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

constexpr const char* kFontFamily = "DejaVu Sans";

cairo_font_weight_t fontWeight(const TextStyle& style) {
    return style.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
}

using FontOptions = std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)>;

/// Gives text the same length in all formats, whatever the desktop's settings.
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

/// If no font is installed, Cairo itself draws ASCII letters, and boxes for all other characters.
bool isFontInstalled() {
    static const bool isInstalled = cairo_scaled_font_get_type(fontOf({}).get()) != CAIRO_FONT_TYPE_USER;
    return isInstalled;
}

/// The text as passed to Cairo.
std::string shownText(std::string_view text) {
    return isFontInstalled() ? drawableText(text) : asciiText(drawableText(text));
}

constexpr double kPointsPerPixel = 72.0 / 96.0;

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int count) {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
    return CAIRO_STATUS_SUCCESS;
}

double lengthOf(std::string_view text, const TextStyle& style) {
    cairo_text_extents_t extents{};
    cairo_scaled_font_text_extents(fontOf(style).get(), shownText(text).c_str(), &extents);
    return extents.x_advance;
}

/// A surface that writes to `bytes`; a PNG is written at the end only.
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
        // Omit the date, so that equal pictures have equal bytes.
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        return surface;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                      static_cast<int>(std::ceil(height)));
}

std::string hexColor(Color color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

/// An SVG text element, because Cairo would draw the outlines of the letters.
std::string svgText(Point place, std::string_view text, const TextStyle& style) {
    const char* anchor = style.anchor == TextAnchor::Start    ? "start"
                         : style.anchor == TextAnchor::Middle ? "middle"
                                                              : "end";
    // If the font is missing, textLength keeps its substitute within the same space.
    return fmt::format(
        "<text transform=\"translate({:.2f} {:.2f}){}\" font-family=\"{}, Verdana, sans-serif\" "
        "font-size=\"{:.4g}\"{} fill=\"{}\" text-anchor=\"{}\" textLength=\"{:.1f}\" "
        "lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
        place.x, place.y, style.direction == TextDirection::Up ? " rotate(-90)" : "", kFontFamily, style.size,
        style.isBold ? " font-weight=\"bold\"" : "", hexColor(style.color), anchor, lengthOf(text, style),
        escapeMarkup(text));
}

/// Cairo numbers surfaces across the whole process, and names images by that number. Renumber them from 0 in
/// each file.
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

class CairoCanvas : public Canvas {
  public:
    CairoCanvas(std::filesystem::path path, double width, double height);

    void fill(const Box& box, Color color) override;
    void frame(const Box& box, Color color) override;
    void line(std::span<const Point> points, Color color, double width, double dash) override;
    void marker(Marker shape, Point center, double size, Color color) override;
    void image(const Box& box, const std::function<Color(std::size_t x, std::size_t y)>& pixel) override;
    void text(Point place, std::string_view text, const TextStyle& style) override;
    void letters(Point center, double step, std::string_view ascii, const TextStyle& style) override;
    void value(const Box& box, std::string_view text) override;
    void nextPage() override;
    void save() override;

  private:
    /// Begins a path in this colour.
    void begin(Color color) {
        cairo_new_path(context_.get());
        cairo_set_source_rgb(context_.get(), color.red / 255.0, color.green / 255.0, color.blue / 255.0);
    }
    void require(cairo_status_t status) const {
        if (status != CAIRO_STATUS_SUCCESS)
            throw Error(fmt::format("{}: a picture of {:.0f} × {:.0f} pixels cannot be drawn: {}",
                                    path_.string(), width_, height_, cairo_status_to_string(status)));
    }

    std::filesystem::path path_;
    double width_;
    double height_;
    std::string extension_;
    std::string bytes_{};      ///< of SVG and PDF; written when the surface is finished
    std::string svgTexts_{};   ///< elements inserted before the end
    std::string svgValues_{};  ///< elements inserted after these
    Surface surface_{nullptr, &cairo_surface_destroy};
    Context context_{nullptr, &cairo_destroy};
};

CairoCanvas::CairoCanvas(std::filesystem::path path, double width, double height)
    : path_(std::move(path)),
      width_(width),
      height_(height),
      extension_(lowerCase(path_.extension().string())) {
    surface_.reset(createSurface(extension_, width, height, bytes_));
    require(cairo_surface_status(surface_.get()));
    context_.reset(cairo_create(surface_.get()));
    require(cairo_status(context_.get()));
    if (extension_ == ".pdf") cairo_scale(context_.get(), kPointsPerPixel, kPointsPerPixel);
    cairo_set_font_options(context_.get(), fontOptions().get());
    begin({255, 255, 255});
    cairo_paint(context_.get());
}

void CairoCanvas::fill(const Box& box, Color color) {
    begin(color);
    cairo_rectangle(context_.get(), box.x, box.y, box.width, box.height);
    cairo_fill(context_.get());
}

void CairoCanvas::frame(const Box& box, Color color) {
    begin(color);
    cairo_rectangle(context_.get(), box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
    cairo_set_line_width(context_.get(), 1);
    cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_MITER);
    cairo_stroke(context_.get());
}

void CairoCanvas::line(std::span<const Point> points, Color color, double width, double dash) {
    begin(color);
    for (const Point& point : points) cairo_line_to(context_.get(), point.x, point.y);
    cairo_set_line_width(context_.get(), width);
    cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(context_.get(), &dash, dash > 0 ? 1 : 0, 0);
    cairo_stroke(context_.get());
    cairo_set_dash(context_.get(), nullptr, 0, 0);
}

void CairoCanvas::marker(Marker shape, Point center, double size, Color color) {
    cairo_t* const context = context_.get();
    begin(color);
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

void CairoCanvas::image(const Box& box, const std::function<Color(std::size_t x, std::size_t y)>& pixel) {
    const auto width = static_cast<std::size_t>(box.width);
    const auto height = static_cast<std::size_t>(box.height);
    const Surface image(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)),
        &cairo_surface_destroy);
    require(cairo_surface_status(image.get()));
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
    cairo_set_source_surface(context_.get(), image.get(), box.x, box.y);
    cairo_pattern_set_filter(cairo_get_source(context_.get()), CAIRO_FILTER_NEAREST);
    cairo_paint(context_.get());
}

void CairoCanvas::text(Point place, std::string_view text, const TextStyle& style) {
    const std::string drawn = drawableText(text);
    if (drawn.empty()) return;
    if (extension_ == ".svg") {
        svgTexts_ += svgText(place, drawn, style);
        return;
    }
    cairo_t* const context = context_.get();
    begin(style.color);
    cairo_select_font_face(context, kFontFamily, CAIRO_FONT_SLANT_NORMAL, fontWeight(style));
    cairo_set_font_size(context, style.size);
    cairo_save(context);
    cairo_translate(context, place.x, place.y);
    if (style.direction == TextDirection::Up) cairo_rotate(context, -std::numbers::pi / 2);
    const double length = style.anchor == TextAnchor::Start ? 0 : lengthOf(text, style);
    cairo_move_to(context, style.anchor == TextAnchor::Middle ? -length / 2 : -length, 0);
    cairo_show_text(context, shownText(drawn).c_str());
    cairo_restore(context);
}

void CairoCanvas::letters(Point center, double step, std::string_view ascii, const TextStyle& style) {
    if (extension_ != ".svg") {
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
    svgTexts_ += fmt::format(
        "<text x=\"{}\" y=\"{:.6g}\" font-family=\"{}, Verdana, sans-serif\" font-size=\"{:.4g}\"{} "
        "fill=\"{}\" text-anchor=\"middle\">{}</text>\n",
        places, center.y, kFontFamily, style.size, style.isBold ? " font-weight=\"bold\"" : "",
        hexColor(style.color), escapeMarkup(drawableText(shown)));
}

void CairoCanvas::value(const Box& box, std::string_view text) {
    if (extension_ != ".svg") return;
    svgValues_ += fmt::format(
        "<rect class=\"value\" x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" fill=\"none\" "
        "pointer-events=\"all\"><title>{}</title></rect>\n",
        box.x, box.y, box.width, box.height, escapeMarkup(drawableText(text)));
}

void CairoCanvas::nextPage() {
    if (extension_ != ".pdf") throw std::logic_error("only PDF has more than one page");
    cairo_show_page(context_.get());
    begin({255, 255, 255});
    cairo_paint(context_.get());
}

void CairoCanvas::save() {
    require(cairo_status(context_.get()));
    context_.reset();
    if (extension_ == ".png") require(cairo_surface_write_to_png_stream(surface_.get(), &append, &bytes_));
    cairo_surface_finish(surface_.get());
    require(cairo_surface_status(surface_.get()));
    if (extension_ == ".svg") {
        bytes_ = renumberNames(bytes_);
        bytes_.insert(bytes_.rfind("</svg>"), svgTexts_ + svgValues_);
    }
    storage::AtomicFile file(path_);
    file.write(bytes_);
    file.commit();
}

std::unique_ptr<Canvas> open(std::filesystem::path path, double width, double height) {
    return std::make_unique<CairoCanvas>(std::move(path), width, height);
}

}  // namespace

}  // namespace glycine::picture::cairo

GLYCINE_MODULE(pictures, glycine::picture::PictureModule, glycine::picture::cairo::open,
               glycine::picture::cairo::lengthOf, glycine::picture::cairo::layOutGraph);
