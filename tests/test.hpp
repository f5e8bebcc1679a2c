#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/random.hpp"
#include "tests/needs.hpp"

/// Included by every test: GoogleTest and its matchers, the standard library, the basics of core, a
/// folder with files. It is compiled once (tests/CMakeLists.txt).
namespace glycine::test {

/// Tests leave nothing in the user's cache, nor do the programs that they start.
inline const int kWithoutUserCache = ::setenv("GLYCINE_CACHE", "off", 0);

/// Numbers that tests hand over where there is no number, or none that is finite.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An empty folder that lives as long as the test.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "glycine_test_XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
        path_ = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    std::size_t fileCount() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    }

  private:
    std::filesystem::path path_;
};

/// One that is the current folder meanwhile, for commands that run in the process of the test.
class WorkingFolder : public TemporaryFolder {
  public:
    WorkingFolder() { std::filesystem::current_path(path()); }
    ~WorkingFolder() { std::filesystem::current_path(before_); }

  private:
    std::filesystem::path before_ = std::filesystem::current_path();
};

using Arguments = std::vector<std::string>;

/// The arguments of a command as a user types them, apart by spaces: "in.npz -o o.npz"_args.
inline Arguments argumentsOf(const std::string& line) {
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
}
inline Arguments operator""_args(const char* line, std::size_t length) {
    return argumentsOf(std::string(line, length));
}

inline void writeFile(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

inline void writeGzip(const std::filesystem::path& path, const std::string& text) {
    const gzFile file = gzopen(path.c_str(), "wb");
    if (file == nullptr || gzwrite(file, text.data(), static_cast<unsigned>(text.size())) < 0 ||
        gzclose(file) != Z_OK)
        throw std::runtime_error("cannot write " + path.string());
}

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The message of the `Exception` that `action` throws; fails the test when it throws none.
template <class Exception, class Action>
std::string messageOf(const Action& action) {
    try {
        action();
    } catch (const Exception& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

}  // namespace glycine::test

namespace glycine {

namespace fs = std::filesystem;
using namespace test;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::IsSupersetOf;
using testing::MatchesRegex;
using testing::Not;
using testing::Pair;
using testing::Pointwise;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

}  // namespace glycine
