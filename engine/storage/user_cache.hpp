#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/folder.hpp"

namespace glycine::storage {

/// The folder for what a program may keep from one run to the next and may lose at any time: $GLYCINE_CACHE,
/// else `glycine` in $XDG_CACHE_HOME, else in ~/.cache. Empty where GLYCINE_CACHE is "off" or empty, and
/// where none of them is an absolute path.
std::filesystem::path userCacheFolder();

/// Small results of earlier processes, each a file in one folder: found again by the complete key, and only
/// if all bytes are as they were written. The folder and its files are made with the first entry, for this
/// user alone.
///
/// A cache must never stop a run, so nothing here throws for what the system refuses. A file that was cut,
/// falsified or belongs to another user counts as absent, and `put` replaces it. Entries appear complete or
/// not at all (written to a temporary name and renamed). Links are not followed. A folder that is a link,
/// belongs to another user or may be written by others is not used. Several processes may share a folder.
class UserCache {
  public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

    /// An empty `folder`: `find` finds nothing and `put` does nothing. `mostBytes` bounds the sum of all
    /// entries: beyond it, those that were not used for the longest time go. An entry may take an eighth.
    explicit UserCache(std::filesystem::path folder, std::uint64_t mostBytes = kMostBytes);

    bool isOn() const { return off_.empty(); }
    /// "in FOLDER", or why it is off.
    std::string describe() const;

    std::optional<std::string> find(std::string_view key);
    /// Replaces the entry of this key. Whether it was kept.
    bool put(std::string_view key, std::string_view value);

  private:
    /// Opens the folder; `make`: after making it where there is none. False where it cannot be used.
    bool open(bool make);
    bool openExisting();
    bool turnOff(std::string_view reason);
    std::optional<std::string> read(const std::string& name) const;
    /// Removes entries until all together take three quarters of the bound.
    void removeOldest();

    std::filesystem::path path_;
    std::string off_;  ///< why it is
    std::uint64_t mostBytes_;
    std::optional<Folder> folder_;
    std::optional<std::uint64_t> bytes_;  ///< of all entries, as far as this process knows
};

}  // namespace glycine::storage
