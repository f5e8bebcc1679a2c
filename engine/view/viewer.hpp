#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/implementation.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/structure/molecule.hpp"

/// Shows molecules, and passes as they run: in a window, or drawn without a display. The backend `gl`
/// implements it.
namespace glycine::view {

using structure::Vector;

using Rgb = std::array<std::uint8_t, 3>;  ///< sRGB

/// A cylinder with round ends, or a ball if both ends coincide. Each half has a colour.
struct Capsule {
    Vector from, to;    ///< Å
    double radius = 0;  ///< Å
    Rgb fromColor{}, toColor{};
};

struct Scene {
    std::vector<Capsule> capsules;
    Vector centre;  ///< centre of the camera's rotation
    /// To the right, upwards and towards the viewer, before the camera turns: right-handed unit vectors.
    std::array<Vector, 3> axes{Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}};
};

/// An orthographic view.
struct Camera {
    /// Degrees. The scene turns about the picture's horizontal axis, then about its vertical one, then within
    /// its plane, each in the right-handed sense.
    std::array<double, 3> turn{};
    double zoom = 1;  ///< 1: the scene fills the picture
};

struct ImageSize {
    std::size_t width = 1000;
    std::size_t height = 800;
};
struct Image {
    ImageSize size;
    std::vector<Rgb> pixels;  ///< rows from top to bottom
    double pixelsPerAngstrom = 0;
    const Rgb& at(std::size_t x, std::size_t y) const { return pixels[y * size.width + x]; }
};

enum class Style {
    Trace,    ///< a tube along the backbone; sticks elsewhere
    Sticks,   ///< bonds
    Spheres,  ///< van der Waals radii
};
constexpr auto namesOf(Style) {
    using enum Style;
    return namesAre<Style>("style", {{Trace, "trace"}, {Sticks, "sticks"}, {Spheres, "spheres"}});
}
enum class ColoredBy { Residue, Chain, Model, Element };
constexpr auto namesOf(ColoredBy) {
    using enum ColoredBy;
    return namesAre<ColoredBy>(
        "colour", {{Residue, "residue"}, {Chain, "chain"}, {Model, "model"}, {Element, "element"}});
}

/// Choices while a molecule is shown.
struct Look {
    Style style = Style::Trace;
    ColoredBy color = ColoredBy::Residue;
    bool hydrogens = false;
    std::size_t model = 0;     ///< from 1; 0: all
    std::size_t bounds = 400;  ///< largest number of lines shown, the tightest
};

struct MoleculeShow {
    std::string title;
    Look look;
    Camera camera;
    std::size_t models = 1;
    bool hasHydrogens = false;
    std::size_t bounds = 0;  ///< available number of lines
    std::function<Scene(const Look&)> scene;
};

/// A run whose passes are shown.
struct PassShow {
    std::string title;
    std::vector<std::string> variants;
    std::size_t variant = 0;  ///< index of the first one to run
    double white = 1;         ///< number drawn in white; 0 is black
    /// Runs a variant on the viewer's backend, and returns what to show after its end.
    std::function<Matrix<float>(const std::string& variant)> run;
};

/// A pass, or the result.
struct ShownPass {
    Image image;
    std::size_t pass = 0;  ///< from 1; for the result, the number of passes
    std::string program;   ///< "bounds/smooth_upper_packed.frag"; empty: the result
    std::string target;    ///< "361 x 1444 RGBA32F"
};

struct WindowOptions {
    ImageSize size;
    std::optional<std::size_t> frames;  ///< closes the window after that many
    Progress& progress;                 ///< reports whether the user wants to stop
};

/// Shows things on one backend, which must outlive it. All functions throw CancelledError. They throw
/// UnavailableError for pictures larger than a texture, and for windows if the backend or the build has none.
class Viewer {
  public:
    static constexpr std::string_view kAlgorithm = "view";
    static ImplementationList<Viewer>& implementations();
    virtual ~Viewer() = default;
    virtual Image draw(const Scene& scene, const Camera& camera, ImageSize size) = 0;
    /// Draws the target of pass number `pass`, or the result of all passes. Throws UsageError if there are
    /// fewer passes.
    virtual ShownPass drawPass(const PassShow& show, std::optional<std::size_t> pass, ImageSize size) = 0;
    /// Shows a molecule until the window is closed.
    virtual void show(const MoleculeShow& show, const WindowOptions& options) = 0;
    /// Shows passes as they run, then the result, until the window is closed.
    virtual void show(const PassShow& show, const WindowOptions& options) = 0;
};

namespace gl {
Implementation<Viewer> viewer();
}

}  // namespace glycine::view
