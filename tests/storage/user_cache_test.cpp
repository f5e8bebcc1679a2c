// Data that programs keep between runs: found unchanged, or not at all.
#include "engine/storage/user_cache.hpp"

#include <sys/stat.h>

#include "tests/test.hpp"

namespace glycine::storage {
namespace {

namespace fs = std::filesystem;

class UserCaches : public testing::Test {
  protected:
    fs::path folder() const { return folder_ / "cache"; }
    UserCache open(std::uint64_t mostBytes = UserCache::kMaxBytes) const {
        return UserCache(folder(), mostBytes);
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> paths;
        for (const auto& entry : fs::directory_iterator(folder())) paths.push_back(entry.path());
        return paths;
    }
    /// The only file.
    fs::path file() const {
        EXPECT_EQ(files().size(), 1U);
        return files().front();
    }

    test::TemporaryFolder folder_;
};

TEST_F(UserCaches, KeepWhatIsPutForOtherProcesses) {
    UserCache first = open();
    EXPECT_FALSE(first.find("key"));
    EXPECT_FALSE(fs::exists(folder())) << "a question made the folder";
    const std::string value("a\0b\n", 4);
    EXPECT_TRUE(first.put("key", value));
    EXPECT_TRUE(first.put("empty", ""));
    EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
    for (const fs::path& path : files())
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    UserCache second = open();
    EXPECT_EQ(second.find("key"), value);
    EXPECT_EQ(second.find("empty"), "");
    EXPECT_FALSE(second.find("ke"));
    EXPECT_FALSE(second.find("key2"));
    EXPECT_TRUE(second.put("key", "other"));
    EXPECT_EQ(first.find("key"), "other");
    EXPECT_EQ(files().size(), 2U);
}

TEST_F(UserCaches, MakeTheFolderAroundThem) {
    UserCache(folder_ / "no" / "home" / "glycine").makeParent();
    UserCache(fs::path()).makeParent();
    EXPECT_EQ(folder_.fileCount(), 0U);
    UserCache(folder_ / "caches" / "glycine").makeParent();
    EXPECT_TRUE(fs::is_empty(folder_ / "caches"));
}

TEST_F(UserCaches, IgnoreAndReplaceWhatIsNotAsItWas) {
    UserCache cache = open();
    ASSERT_TRUE(cache.put("key", "value"));
    const std::string whole = test::readFile(file());
    const auto isIgnored = [&](const std::string& bytes) {
        test::writeFile(file(), bytes);
        return !cache.find("key");
    };
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_TRUE(isIgnored(whole.substr(0, length))) << "cut to " << length << " bytes";
    for (std::size_t place = 0; place < whole.size(); ++place)
        for (const char change : {'\x01', '\x80'}) {
            std::string bytes = whole;
            bytes[place] = static_cast<char>(bytes[place] ^ change);
            EXPECT_TRUE(isIgnored(bytes)) << "byte " << place;
        }
    EXPECT_TRUE(isIgnored(whole + '\0'));
    EXPECT_TRUE(isIgnored(whole + whole));
    EXPECT_TRUE(cache.put("key", "value"));
    EXPECT_EQ(test::readFile(file()), whole);
    EXPECT_EQ(cache.find("key"), "value");

    // The file of another key in its place.
    ASSERT_TRUE(cache.put("other", "else"));
    for (const fs::path& path : files()) test::writeFile(path, whole);
    EXPECT_FALSE(cache.find("other"));
    EXPECT_EQ(cache.find("key"), "value");
}

TEST_F(UserCaches, FollowNoLinksAndTrustNobodyElse) {
    UserCache cache = open();
    ASSERT_TRUE(cache.put("key", "value"));
    const fs::path place = file();
    // A link to the same file.
    fs::rename(place, folder_ / "elsewhere");
    fs::create_symlink(folder_ / "elsewhere", place);
    EXPECT_FALSE(cache.find("key"));
    const std::string before = test::readFile(folder_ / "elsewhere");
    EXPECT_TRUE(cache.put("key", "new"));
    EXPECT_FALSE(fs::is_symlink(place));
    EXPECT_EQ(test::readFile(folder_ / "elsewhere"), before);
    EXPECT_EQ(cache.find("key"), "new");
    // Other users may have written it.
    fs::permissions(place, fs::perms::group_write, fs::perm_options::add);
    EXPECT_FALSE(cache.find("key"));
    // An entry that is not a regular file must not stop a run.
    fs::remove(place);
    ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
    EXPECT_FALSE(cache.find("key"));
    EXPECT_TRUE(cache.put("key", "value"));
    fs::remove(place);
    fs::create_directory(place);
    EXPECT_FALSE(cache.find("key"));
    EXPECT_FALSE(cache.put("key", "value"));
    EXPECT_EQ(files().size(), 1U) << "a temporary file was left";
}

TEST_F(UserCaches, AreOffWhereTheFolderCannotBeTrustedOrMade) {
    const auto reason = [](UserCache cache) {
        EXPECT_FALSE(cache.find("key"));
        EXPECT_FALSE(cache.put("key", "value"));
        EXPECT_FALSE(cache.isOn());
        return cache.describe();
    };
    fs::create_directory(folder_ / "real");
    fs::create_symlink(folder_ / "real", folder_ / "link");
    EXPECT_THAT(reason(UserCache(folder_ / "link")), HasSubstr("link is no folder"));
    EXPECT_TRUE(fs::is_empty(folder_ / "real"));
    fs::permissions(folder_ / "real", fs::perms::all);
    EXPECT_THAT(reason(UserCache(folder_ / "real")), HasSubstr("may be written by others"));
    test::writeFile(folder_ / "file", "mine");
    EXPECT_THAT(reason(UserCache(folder_ / "file")), HasSubstr("file is no folder"));
    EXPECT_THAT(reason(UserCache(folder_ / "file" / "cache")), HasSubstr("cannot be made"));
    EXPECT_EQ(test::readFile(folder_ / "file"), "mine");
    EXPECT_THAT(reason(UserCache({})), HasSubstr("GLYCINE_CACHE"));
    // A missing parent folder is created, but not a whole path.
    EXPECT_TRUE(UserCache(folder_ / "a" / "b").put("key", "value"));
    EXPECT_THAT(reason(UserCache(folder_ / "c" / "d" / "e")), HasSubstr("cannot be made"));
}

TEST_F(UserCaches, KeepTheirBoundAndWhatWasUsedLast) {
    constexpr std::uint64_t kMax = 8000;
    const std::string value(900, 'v');
    {
        UserCache cache = open(kMax);
        EXPECT_FALSE(cache.put("large", std::string(1000, 'v'))) << "more than an eighth";
        for (int i = 0; i < 8; ++i) {
            ASSERT_TRUE(cache.put(std::to_string(i), value));
            // Later entries are older, except for the first, which is the oldest.
            const auto age = std::chrono::hours(24 * (i == 0 ? 100 : 2 + i));
            for (const fs::path& path : files())
                if (fs::last_write_time(path) > fs::file_time_type::clock::now() - std::chrono::hours(1))
                    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
        }
        EXPECT_EQ(files().size(), 8U);
    }
    UserCache cache = open(kMax);
    test::writeFile(folder() / "notes.txt", std::string(kMax, 'n'));  // the user's own
    EXPECT_TRUE(cache.find("0"));                                     // used, hence now the youngest
    EXPECT_TRUE(cache.put("8", value));
    EXPECT_TRUE(fs::exists(folder() / "notes.txt"));
    std::string left;
    for (int i = 0; i <= 8; ++i)
        if (cache.find(std::to_string(i))) left += std::to_string(i);
    EXPECT_EQ(left, "012348");
}

TEST_F(UserCaches, RemoveWhatKilledProcessesLeft) {
    ASSERT_TRUE(open().put("key", "value"));
    test::writeFile(folder() / ".glycine-1-0.tmp", "half");
    ASSERT_TRUE(open().put("other", "value"));
    EXPECT_EQ(files().size(), 2U);
}

/// Sets an environment variable for its lifetime; null: unset.
class Variable {
  public:
    Variable(std::string name, const char* value) : name_(std::move(name)) {
        if (const char* const before = std::getenv(name_.c_str())) before_ = before;
        set(value);
    }
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }

  private:
    void set(const char* value) {
        value != nullptr ? ::setenv(name_.c_str(), value, 1) : ::unsetenv(name_.c_str());
    }
    std::string name_;
    std::optional<std::string> before_;
};

TEST(UserCacheFolder, FollowsTheEnvironment) {
    const auto folder = [](const char* own, const char* caches, const char* home) {
        const Variable first("GLYCINE_CACHE", own), second("XDG_CACHE_HOME", caches), third("HOME", home);
        return userCacheFolder().string();
    };
    EXPECT_EQ(folder("/own", "/caches", "/home/me"), "/own");
    EXPECT_EQ(folder(nullptr, "/caches", "/home/me"), "/caches/glycine");
    EXPECT_EQ(folder(nullptr, nullptr, "/home/me"), "/home/me/.cache/glycine");
    // Paths in it must be absolute; others are ignored (XDG Base Directory Specification).
    EXPECT_EQ(folder(nullptr, "caches", "/home/me"), "/home/me/.cache/glycine");
    EXPECT_EQ(folder(nullptr, "", "/home/me"), "/home/me/.cache/glycine");
    EXPECT_EQ(folder(nullptr, nullptr, nullptr), "");
    for (const char* const off : {"off", "", "relative"}) EXPECT_EQ(folder(off, "/caches", "/home/me"), "");
}

}  // namespace
}  // namespace glycine::storage
