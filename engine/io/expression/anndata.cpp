#include "engine/io/expression/anndata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/expression/hdf5_matrix.hpp"

namespace glycine::io {

namespace fs = std::filesystem;

namespace {

struct Index {
    std::string dataset;
    std::vector<std::string> names;
};

/// The index column of obs, var or raw/var.
Index readIndex(const Hdf5File& file, const std::string& table) {
    if (!file.has(table))
        throw InputError(fmt::format("{}: has no '{}'; expected an AnnData file, with obs and var",
                                     file.path().string(), table));
    if (!file.isGroup(table))
        throw InputError(
            fmt::format("{}: '{}' is a dataset of records, as AnnData before 0.7 wrote it; expected a group "
                        "(a later AnnData writes the file anew)",
                        file.path().string(), table));
    const std::string column =
        file.text(table, "_index").value_or(file.has(table + "/_index") ? "_index" : "index");
    const std::string dataset = fmt::format("{}/{}", table, column);
    return {dataset, file.dataset(dataset).readTexts()};
}

/// The matrix that is called `layer`.
std::string matrixOf(const Hdf5File& file, const std::string& layer) {
    const std::vector<std::string> layers =
        file.isGroup("layers") ? file.children("layers") : std::vector<std::string>();
    const bool isLayer = std::find(layers.begin(), layers.end(), layer) != layers.end();
    const bool hasRaw = file.has("raw/X");
    if (layer.empty() && file.has("X")) return "X";
    if (layer == "raw" && hasRaw && isLayer)
        throw InputError(
            fmt::format("{}: 'raw' may be raw/X or layers/raw here; expected another name for the layer",
                        file.path().string()));
    if (isLayer) return "layers/" + layer;
    if (layer == "raw" && hasRaw) return "raw/X";
    std::vector<std::string> known = layers;
    if (hasRaw) known.push_back("raw");
    const std::string others =
        known.empty() ? "there are no layers and no raw" : fmt::format("--layer takes {}", quoteNames(known));
    if (layer.empty()) throw InputError(fmt::format("{}: has no 'X'; {}", file.path().string(), others));
    throw InputError(fmt::format("{}: has no layer '{}'; {}", file.path().string(), excerpt(layer), others));
}

}  // namespace

Hdf5Expression readAnnData(
    const fs::path& path, const std::string& layer,
    const std::function<void(const std::vector<std::string>& genes, const std::string& dataset)>& checkGenes,
    const SizeCheck& checkSize) {
    const Hdf5File file(path);
    const std::string name = matrixOf(file, layer);
    Index samples = readIndex(file, "obs");
    Index genes = readIndex(file, name == "raw/X" ? "raw/var" : "var");
    const Hdf5Matrix matrix(file, name);
    if (matrix.rows() != samples.names.size() || matrix.columns() != genes.names.size())
        throw InputError(fmt::format(
            "{}: '{}' has {} rows and {} columns; expected {}, the names of '{}', and {}, those of '{}'",
            path.string(), name, matrix.rows(), matrix.columns(), samples.names.size(), samples.dataset,
            genes.names.size(), genes.dataset));
    checkGenes(genes.names, genes.dataset);
    if (checkSize) checkSize(matrix.columns(), matrix.rows());
    return {.values = matrix.read(true),
            .genes = std::move(genes.names),
            .samples = std::move(samples.names),
            .note = fmt::format("'{}', {}", name, matrix.form())};
}

Hdf5Expression readHdf5Expression(const fs::path& path, const std::string& dataset, bool isTransposed,
                                  const SizeCheck& checkSize) {
    const Hdf5File file(path);
    std::string name = dataset;
    if (name.empty()) {
        const std::vector<std::string> matrices = matricesOf(file);
        if (matrices.size() != 1)
            throw InputError(matrices.empty()
                                 ? fmt::format("{}: holds no matrix of numbers", path.string())
                                 : fmt::format("{}: holds {} matrices; --dataset takes {}", path.string(),
                                               matrices.size(), quoteNames(matrices)));
        name = matrices.front();
    }
    const Hdf5Matrix matrix(file, name);
    if (checkSize)
        checkSize(isTransposed ? matrix.columns() : matrix.rows(),
                  isTransposed ? matrix.rows() : matrix.columns());
    return {.values = matrix.read(isTransposed),
            .genes = {},
            .samples = {},
            .note = fmt::format("'{}', {}", name, matrix.form())};
}

}  // namespace glycine::io
