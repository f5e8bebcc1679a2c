// Writes every shader that is built in, completely assembled, for each dialect and set of defines that it
// claims to work with, so that a validator other than the machine's driver can read them.
//
// A shader claims them in comment lines:  // @dialects gl33 es300 : NAME=VALUE NAME
//
// Usage: dump_shaders FOLDER

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "engine/gl/shader_source.hpp"

namespace {

struct Claim {
    std::vector<glycine::Dialect> dialects;
    glycine::gl::ShaderDefines defines;
};

std::vector<Claim> claimsOf(const std::string& text) {
    constexpr std::string_view kMark = "// @dialects ";
    std::vector<Claim> claims;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(kMark)) continue;
        Claim claim;
        std::istringstream words(line.substr(kMark.size()));
        bool afterColon = false;
        for (std::string word; words >> word;) {
            if (word == ":") {
                afterColon = true;
            } else if (!afterColon) {
                claim.dialects.push_back(glycine::parseDialect(word));
            } else {
                const auto equals = word.find('=');
                claim.defines.emplace_back(word.substr(0, equals),
                                           equals == std::string::npos ? "" : word.substr(equals + 1));
            }
        }
        claims.push_back(claim);
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
        const bool isVertex = name.ends_with(".vert");
        if (!isVertex && !name.ends_with(".frag")) continue;
        const std::vector<Claim> claims = claimsOf(text);
        if (claims.empty()) {
            std::cerr << "shaders/" << name << " claims no dialect (a line '// @dialects …' is missing)\n";
            complete = false;
        }
        for (const Claim& claim : claims)
            for (const glycine::Dialect dialect : claim.dialects) {
                std::string flat = name.substr(0, name.size() - 5);
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
