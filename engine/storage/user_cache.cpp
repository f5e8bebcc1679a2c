#define XXH_INLINE_ALL
#include "engine/storage/user_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".cache";

/// Precedes key and value in each file.
struct Header {
    char magic[8] = {'g', 'l', 'y', 'c', 'a', 'c', 'h', '1'};
    std::uint64_t keyBytes = 0;
    std::uint64_t valueBytes = 0;
    std::uint64_t checksum = 0;  ///< XXH3 of the key followed by the value
};

Header headerOf(std::string_view key, std::string_view value) {
    Header header;
    header.keyBytes = key.size();
    header.valueBytes = value.size();
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, key.data(), key.size());
    XXH3_64bits_update(&state, value.data(), value.size());
    header.checksum = XXH3_64bits_digest(&state);
    return header;
}

/// The name only locates the file; the key inside it decides.
std::string nameOf(std::string_view key) {
    const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
    return fmt::format("{:016x}{:016x}{}", hash.high64, hash.low64, kSuffix);
}

/// Whether only this user can have written it.
bool isOwn(const struct stat& status) {
    return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Whether a folder created in this one would belong in this user's own tree. Root in another user's home
/// (sudo) would create a folder that its owner cannot use.
bool mayMakeIn(const fs::path& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 &&
           (status.st_uid == ::geteuid() || (status.st_mode & S_IWOTH) != 0);
}

fs::path absoluteIn(const char* variable) {
    const char* const text = std::getenv(variable);
    const fs::path path = text != nullptr ? text : "";
    return path.is_absolute() ? path : fs::path();
}

}  // namespace

fs::path userCacheFolder() {
    if (const char* const given = std::getenv("GLYCINE_CACHE"); given != nullptr)
        return std::string_view(given) == "off" ? fs::path() : absoluteIn("GLYCINE_CACHE");
    if (const fs::path caches = absoluteIn("XDG_CACHE_HOME"); !caches.empty()) return caches / "glycine";
    const fs::path home = absoluteIn("HOME");
    return home.empty() ? home : home / ".cache" / "glycine";
}

UserCache::UserCache(fs::path folder, std::uint64_t mostBytes)
    : path_(std::move(folder)), mostBytes_(mostBytes) {
    if (path_.empty())
        turnOff("GLYCINE_CACHE is off, or names no absolute path, and there is no home folder");
}

std::string UserCache::describe() const {
    return isOn() ? fmt::format("in {}; GLYCINE_CACHE names another folder, or off", path_.string()) : off_;
}

bool UserCache::turnOff(std::string_view reason) {
    off_ = reason;
    folder_.reset();
    return false;
}

bool UserCache::openExisting() {
    struct stat status {};
    if (::lstat(path_.c_str(), &status) != 0) return false;
    if (!S_ISDIR(status.st_mode)) return turnOff(fmt::format("{} is no folder", path_.string()));
    if (!isOwn(status))
        return turnOff(fmt::format("{} belongs to another user or may be written by others", path_.string()));
    Folder folder(path_);
    // Uses the folder that was checked, not one that has replaced it.
    if (!folder.isOpen() || !folder.isSame(status))
        return turnOff(fmt::format("{} cannot be opened", path_.string()));
    folder_ = std::move(folder);
    return true;
}

bool UserCache::open(bool make) {
    if (!isOn()) return false;
    if (folder_ || openExisting()) return true;
    if (!make || !isOn()) return false;
    makeParent();
    if (mayMakeIn(path_.parent_path())) (void)::mkdir(path_.c_str(), 0700);
    if (!openExisting()) return isOn() && turnOff(fmt::format("{} cannot be made", path_.string()));
    return true;
}

void UserCache::makeParent() const {
    const fs::path parent = path_.parent_path();
    if (isOn() && mayMakeIn(parent.parent_path())) (void)::mkdir(parent.c_str(), 0700);
}

std::optional<std::string> UserCache::read(const std::string& name) const {
    const Descriptor file = folder_->open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    if (!file.isOpen() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
        !isOwn(status) || status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) > mostBytes_ / 8)
        return {};
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::read(file.number(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return {};
        done += static_cast<std::size_t>(count);
    }
    // The modification time records the last use, to the day.
    constexpr std::time_t kDay = 24 * 60 * 60;
    if (std::abs(std::time(nullptr) - status.st_mtime) > kDay) (void)::futimens(file.number(), nullptr);
    return bytes;
}

std::optional<std::string> UserCache::find(std::string_view key) {
    if (!open(false)) return {};
    const std::optional<std::string> bytes = read(nameOf(key));
    if (!bytes || bytes->size() < sizeof(Header)) return {};
    const std::string_view contents = std::string_view(*bytes).substr(sizeof(Header));
    if (!contents.starts_with(key)) return {};
    const std::string_view value = contents.substr(key.size());
    const Header header = headerOf(key, value);
    if (std::memcmp(&header, bytes->data(), sizeof header) != 0) return {};
    return std::string(value);
}

bool UserCache::put(std::string_view key, std::string_view value) {
    const std::uint64_t size = sizeof(Header) + key.size() + value.size();
    if (size > mostBytes_ / 8 || !open(true)) return false;
    std::string temporary;
    const Descriptor file = folder_->makeTemporary(0600, temporary);
    // The folder is read-only or full, so the cache is switched off.
    if (!file.isOpen()) return turnOff(systemErrorText(path_, "write", errno));
    const Header header = headerOf(key, value);
    try {
        writeAll(file, path_, {reinterpret_cast<const char*>(&header), sizeof header});
        writeAll(file, path_, key);
        writeAll(file, path_, value);
        if (!folder_->rename(temporary, nameOf(key))) throwSystemError(path_, "write", errno);
    } catch (const Error& error) {
        folder_->remove(temporary);
        return turnOff(error.what());
    }
    if (!bytes_) folder_->removeLeftovers();
    if (bytes_) *bytes_ += size;
    if (!bytes_ || *bytes_ > mostBytes_) removeOldest();
    return true;
}

void UserCache::removeOldest() {
    struct Entry {
        std::pair<std::time_t, long> time;
        std::uint64_t bytes;
        std::string name;
    };
    std::vector<Entry> entries;
    std::uint64_t sum = 0;
    for (const std::string& name : folder_->names()) {
        if (!name.ends_with(kSuffix)) continue;
        const std::optional<struct stat> status = folder_->find(name);
        if (!status || !S_ISREG(status->st_mode)) continue;
        entries.push_back({{status->st_mtim.tv_sec, status->st_mtim.tv_nsec},
                           static_cast<std::uint64_t>(status->st_size),
                           name});
        sum += entries.back().bytes;
    }
    if (sum > mostBytes_) {
        std::ranges::sort(entries, {}, &Entry::time);
        for (const Entry& entry : entries) {
            if (sum <= mostBytes_ / 4 * 3) break;
            if (folder_->remove(entry.name)) sum -= entry.bytes;
        }
    }
    bytes_ = sum;
}

}  // namespace glycine::storage
