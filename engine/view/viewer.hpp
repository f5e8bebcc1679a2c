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

/// Molecules, and passes as they run, for people: in a window, or drawn without a display. The backend `gl`
/// implements it.
namespace glycine::view {

using structure::Vector;

using Rgb = std::array<std::uint8_t, 3>;  ///< sRGB

/// A cylinder with round ends, a ball where both ends are one point; each half has a colour.
struct Capsule {
    Vector from, to;    ///< Å
    double radius = 0;  ///< Å
    Rgb fromColor{}, toColor{};
};

struct Scene {
    std::vector<Capsule> capsules;
    Vector centre;  ///< what the camera turns about
    /// To the right, upwards and towards the viewer, before the camera turns: right-handed, of length 1.
    std::array<Vector, 3> axes{Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}};
};

/// An orthographic view from far away.
struct Camera {
    /// Degrees: the scene turns about the picture's horizontal axis, then its vertical one, then its own
    /// plane, each the right-handed way.
    std::array<double, 3> turn{};
    double zoom = 1;  ///< 1: the scene fills the picture
};

struct ImageSize {
    std::size_t width = 1000;
    std::size_t height = 800;
};
struct Image {
    ImageSize size;
    std::vector<Rgb> pixels;  ///< rows from the top
    double pixelsPerAngstrom = 0;
    const Rgb& at(std::size_t x, std::size_t y) const { return pixels[y * size.width + x]; }
};

enum class Style {
    Trace,    ///< a tube along the backbone; sticks of what is no chain
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

/// What can be chosen while a molecule is shown.
struct Look {
    Style style = Style::Trace;
    ColoredBy color = ColoredBy::Residue;
    bool hydrogens = false;
    std::size_t model = 0;     ///< counts from 1; 0: all
    std::size_t bounds = 400;  ///< as many lines at most, the tightest
};

struct MoleculeShow {
    std::string title;
    Look look;
    Camera camera;
    std::size_t models = 1;
    bool hasHydrogens = false;
    std::size_t bounds = 0;  ///< that can be shown
    std::function<Scene(const Look&)> scene;
};

/// A run whose passes are shown.
struct PassShow {
    std::string title;
    std::vector<std::string> variants;
    std::size_t variant = 0;  ///< which of them begins
    double white = 1;         ///< number that is drawn white; 0 is black
    /// Runs a variant on the viewer's backend, and returns what is shown once it has ended.
    std::function<Matrix<float>(const std::string& variant)> run;
};

/// One pass, or the result.
struct ShownPass {
    Image image;
    std::size_t pass = 0;  ///< counts from 1; of the result, how many there were
    std::string program;   ///< "bounds/smooth_upper_packed.frag"; empty: the result
    std::string target;    ///< "361 x 1444 RGBA32F"
};

struct WindowOptions {
    ImageSize size;
    std::optional<std::size_t> frames;  ///< the window closes after so many
    Progress& progress;                 ///< asked whether the user wants to stop
};

/// On one backend, which outlives it. All throw CancelledError; UnavailableError for pictures larger than a
/// texture, and where a window is asked of a backend or a build that has none.
class Viewer {
  public:
    static constexpr std::string_view kAlgorithm = "view";
    static ImplementationList<Viewer>& implementations();
    virtual ~Viewer() = default;
    virtual Image draw(const Scene& scene, const Camera& camera, ImageSize size) = 0;
    /// The target of pass number `pass`, or the result of all passes. Throws UsageError where there are fewer
    /// passes.
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
