#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/study/published.hpp"

namespace glycine::bounds {

study::PublishedFigure gems2Table() {
    const study::PublishedData data("gems2");
    study::PublishedFigure figure = data.figures().front();
    const auto atomsAt = [data, id = figure.id](study::Scale scale) {
        std::vector<std::size_t> atoms;
        for (const Json& input : data.inputs(id, scale)) atoms.push_back(input.at("atoms"));
        return atoms;
    };
    figure.problems = [atomsAt](study::Scale scale, std::uint64_t seed, Progress&) {
        std::vector<std::unique_ptr<study::Problem>> problems;
        for (const std::size_t atoms : atomsAt(scale))
            problems.push_back(randomProblem({.atoms = atoms, .seed = seed}));
        return problems;
    };
    figure.bytes = [atomsAt](study::Scale scale) {
        std::vector<study::InputBytes> bytes;
        for (const std::size_t atoms : atomsAt(scale)) {
            const double both = bytesForBounds(NumberFormat::Float32, atoms);
            bytes.push_back({both, 0, both});
        }
        return bytes;
    };
    return figure;
}

}  // namespace glycine::bounds
