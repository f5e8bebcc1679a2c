#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/folder.hpp"

namespace glycine::storage {

/// The folder for data that a program keeps between runs and may lose at any time: $GLYCINE_CACHE, else
/// `glycine` in $XDG_CACHE_HOME, else in ~/.cache. Empty if GLYCINE_CACHE is "off" or empty, or if none of
/// them is an absolute path.
std::filesystem::path userCacheFolder();

/// Small results of earlier processes, each in a file of one folder. Found by the complete key, and only if
/// all bytes are as written. The folder and its files are created with the first entry, for this user only.
///
/// A cache must never stop a run, so system failures do not throw here. A file that is truncated, falsified
/// or owned by another user counts as absent, and `put` replaces it. Entries appear completely or not at all
/// (written under a temporary name and renamed). Links are not followed. A folder that is a link, belongs to
/// another user or is writable by others is not used. Several processes may share a folder.
class UserCache {
  public:
    static constexpr std::uint64_t kMaxBytes = std::uint64_t{128} << 20;

    /// With an empty `folder`, `find` finds nothing and `put` does nothing. `mostBytes` bounds the sum of all
    /// entries: beyond it, the least recently used ones are removed. A single entry may take one eighth.
    explicit UserCache(std::filesystem::path folder, std::uint64_t mostBytes = kMaxBytes);

    bool isOn() const { return off_.empty(); }
    /// "in FOLDER", or why it is off.
    std::string describe() const;

    /// Creates the folder around this one now (~/.cache), if that has a place: drivers look for it when they
    /// start, and keep no cache of their own in this process if it is not there.
    void makeParent() const;

    std::optional<std::string> find(std::string_view key);
    /// Replaces the entry of this key. Returns whether it was stored.
    bool put(std::string_view key, std::string_view value);

  private:
    /// Opens the folder, after creating it if `make` is set. Returns false if it cannot be used.
    bool open(bool make);
    bool openExisting();
    bool turnOff(std::string_view reason);
    std::optional<std::string> read(const std::string& name) const;
    /// Removes entries until the rest takes three quarters of the bound.
    void removeOldest();

    std::filesystem::path path_;
    std::string off_;  ///< why the cache is off
    std::uint64_t mostBytes_;
    std::optional<Folder> folder_;
    std::optional<std::uint64_t> bytes_;  ///< of all entries, as far as this process knows
};

}  // namespace glycine::storage
