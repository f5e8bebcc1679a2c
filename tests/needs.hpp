#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

/// Things that tests compare with and a plain clone lacks: files of others, Debian packages, programs. A test
/// that lacks one skips itself with the text of these functions, "needs: " and its name. scripts/test.sh ends
/// with a list of them; tests/needs.tsv says how to get each one.
///
///     if (const std::string lack = test::lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
namespace glycine::test {

/// Real data next to the repository, "snp/fastbaps_seqs.fa.gz".
inline std::filesystem::path sharedData(const std::string& name) {
    return std::filesystem::path(GLYCINE_SOURCE_DIR) / ".." / "shared" / "data" / name;
}
/// Empty where they are there.
inline std::string lackOfData(const std::string& name) {
    return std::filesystem::exists(sharedData(name)) ? "" : "needs: ../shared/data/" + name;
}

/// A file of a Debian package that scripts/test.sh unpacks.
inline std::filesystem::path packagedFile(const std::string& package, const std::string& path) {
    return std::filesystem::path(GLYCINE_SOURCE_DIR) / ".cache" / "packages" / package / path;
}
inline std::string lackOfPackage(const std::string& package) {
    return std::filesystem::exists(packagedFile(package, "usr")) ? "" : "needs: the files of " + package;
}

/// Address sanitizers reserve all addresses for themselves and handle signals of their own.
inline std::string lackOfOwnAddresses() {
#if defined(__SANITIZE_ADDRESS__)
    return "needs: no address sanitizer";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return "needs: no address sanitizer";
#endif
#endif
    return "";
}

/// A program of others, looked for as the shell does.
inline std::string lackOfProgram(const std::string& name) {
    return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0 ? "" : "needs: " + name;
}

}  // namespace glycine::test
