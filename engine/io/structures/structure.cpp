#include "engine/io/structures/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/core/text.hpp"
#include "engine/io/structures/gemmi_reader.hpp"
#include "engine/io/structures/pdb_records.hpp"
#include "engine/io/text/byte_source.hpp"

namespace glycine::io {

bool isMmcifText(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size() && (text[i] == '#' || std::isspace(static_cast<unsigned char>(text[i])) != 0)) {
        if (text[i] == '#') i = std::min(text.find('\n', i), text.size() - 1);
        ++i;
    }
    return lowerCase(text.substr(i, 5)) == "data_";
}

std::string StructureAtom::label() const {
    const std::string inChain = fmt::format("{}{}/{}", residueName, residueNumber, name);
    return chain.empty() ? inChain : fmt::format("{}/{}", chain, inChain);
}

bool isStructureFile(const std::filesystem::path& path) {
    std::string name = lowerCase(path.filename().string());
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    for (const std::string_view suffix : {".pdb", ".ent", ".cif", ".mmcif"})
        if (name.ends_with(suffix)) return true;
    return false;
}

Structure readStructure(const std::filesystem::path& path, const StructureOptions& options) {
    return parseStructure(readText(path), path.string(), options);
}

Structure parseStructure(std::string_view text, const std::string& name, const StructureOptions& options) {
    if (isMmcifText(text)) return structureFromMmcif(text, name, options);
    Structure structure = structureFromPdb(coordinateRecords(text, name), name, options);
    structure.disulfides = readDisulfides(text);
    structure.cisPeptides = readCisPeptides(text, structure.model);
    return structure;
}

}  // namespace glycine::io
