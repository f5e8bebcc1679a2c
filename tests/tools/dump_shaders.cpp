// Writes every built-in shader, completely assembled, for each dialect and set of defines that it supports,
// so that a validator other than the machine's driver can read them.
//
// A shader declares them in comment lines:  // @dialects gl33 es300 : NAME=VALUE NAME NAME? NAME=VALUE|VALUE
//
// Usage: dump_shaders FOLDER

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "engine/gl/framework/program.hpp"

namespace {

using glycine::gl::ShaderDefines;

struct Claim {
    std::vector<glycine::Dialect> dialects;
    ShaderDefines defines;
};

/// Adds `word` of a declaration to each of `sets`: NAME, NAME=VALUE, NAME? (with and without it) or
/// NAME=VALUE|VALUE|… (one after another).
std::vector<ShaderDefines> withDefine(const std::vector<ShaderDefines>& sets, const std::string& word) {
    const auto equals = word.find('=');
    std::string name = word.substr(0, equals);
    std::vector<ShaderDefines> result;
    if (name.ends_with('?')) {
        name.pop_back();
        result = sets;
    }
    std::istringstream values(equals == std::string::npos ? "|" : word.substr(equals + 1));
    for (std::string value; std::getline(values, value, '|');)
        for (ShaderDefines set : sets) {
            set.emplace_back(name, value);
            result.push_back(set);
        }
    return result;
}

std::vector<Claim> claimsOf(const std::string& text) {
    constexpr std::string_view kMark = "// @dialects ";
    std::vector<Claim> claims;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(kMark)) continue;
        std::vector<glycine::Dialect> dialects;
        std::vector<ShaderDefines> sets(1);
        std::istringstream words(line.substr(kMark.size()));
        bool afterColon = false;
        for (std::string word; words >> word;) {
            if (word == ":")
                afterColon = true;
            else if (afterColon)
                sets = withDefine(sets, word);
            else
                dialects.push_back(glycine::fromString<glycine::Dialect>(word));
        }
        for (const ShaderDefines& defines : sets) claims.push_back({dialects, defines});
    }
    return claims;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: dump_shaders FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    int count = 0;
    bool complete = true;
    for (const auto& [name, text] : glycine::gl::embeddedShaders()) {
        if (name.ends_with(".comp")) {
            std::vector<ShaderDefines> sets{{}};
            for (const char* word : {"FIXED_POINT?", "SUMS?", "IN_TURN?", "MULTIPLIED?", "UNSIGNED?"})
                sets = withDefine(sets, word);
            for (const ShaderDefines& defines : sets)
                std::ofstream(folder / fmt::format("{:03}_compute.comp", count++))
                    << glycine::gl::assembleComputeShader(name, defines, "");
            continue;
        }
        const bool isVertex = name.ends_with(".vert");
        if (!isVertex && !name.ends_with(".frag")) continue;
        const std::vector<Claim> claims = claimsOf(std::string(text));
        if (claims.empty()) {
            std::cerr << "shaders/" << name << " claims no dialect (a line '// @dialects …' is missing)\n";
            complete = false;
        }
        for (const Claim& claim : claims)
            for (const glycine::Dialect dialect : claim.dialects) {
                std::string flat(name.substr(0, name.size() - 5));
                for (char& letter : flat)
                    if (letter == '/') letter = '_';
                std::ofstream file(folder / fmt::format("{:03}_{}_{}{}", count++, flat,
                                                        glycine::toString(dialect),
                                                        isVertex ? ".vert" : ".frag"));
                file << glycine::gl::assembleShader(
                    dialect, isVertex ? glycine::gl::ShaderStage::Vertex : glycine::gl::ShaderStage::Fragment,
                    name, claim.defines, "");
            }
    }
    std::cout << count << " shaders written to " << folder.string() << "\n";
    return complete ? 0 : 1;
}
