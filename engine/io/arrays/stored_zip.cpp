#include "engine/io/arrays/stored_zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/deflate.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

constexpr std::uint64_t kLocalMark = 0x04034b50, kEntryMark = 0x02014b50, kEndMark = 0x06054b50,
                        kLocatorMark = 0x07064b50, kLongEndMark = 0x06064b50;
constexpr std::size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kLocatorBytes = 20,
                      kLongEndBytes = 56;
constexpr std::uint64_t kStored = 0, kDeflated = 8;  ///< compression methods
constexpr std::uint64_t kIn64BitExtra = 0xffffffff;  ///< marks a number that exceeds 32 bits
constexpr std::uint64_t kManyMembers = 0xffff;       ///< marks a number that exceeds 16 bits
constexpr std::uint64_t kLongExtra = 1;              ///< extra field that holds such numbers

/// Reads a little-endian number of a ZIP archive.
std::uint64_t numberAt(std::span<const std::byte> bytes, std::size_t place, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value |= std::to_integer<std::uint64_t>(bytes[place + i]) << (8 * i);
    return value;
}

/// Finds where an archive holds the bytes of members, which libzip does not report.
class MemberPlaces {
  public:
    explicit MemberPlaces(const storage::InputDescriptor& file) : file_(file) {}

    /// Offset of the first byte of member number `index`, which takes `size` bytes of the archive. Returns
    /// nothing if the archive has an unusual layout; libzip reads it then.
    std::optional<std::uint64_t> find(std::uint64_t index, const std::string& name, std::uint64_t size,
                                      std::uint64_t method) const {
        const std::optional<std::uint64_t> directory = findDirectory();
        if (!directory) return std::nullopt;
        std::uint64_t place = *directory;
        for (std::uint64_t entry = 0;; ++entry) {
            const auto head = read(place, kEntryBytes);
            if (!head || numberAt(*head, 0, 4) != kEntryMark) return std::nullopt;
            const std::size_t nameBytes = numberAt(*head, 28, 2), extraBytes = numberAt(*head, 30, 2);
            if (entry == index) {
                const auto extra = read(place + kEntryBytes + nameBytes, extraBytes);
                return extra ? dataOf(*head, *extra, name, size, method) : std::nullopt;
            }
            place += kEntryBytes + nameBytes + extraBytes + numberAt(*head, 32, 2);
        }
    }

  private:
    std::optional<std::vector<std::byte>> read(std::uint64_t place, std::size_t size) const {
        std::vector<std::byte> bytes(size);
        if (place > file_.size() || size > file_.size() - place) return std::nullopt;
        return file_.readAt(place, bytes) == size ? std::optional(std::move(bytes)) : std::nullopt;
    }

    std::optional<std::uint64_t> findDirectory() const {
        // Archives may end with a comment; those of NumPy and of this program do not.
        if (file_.size() < kEndBytes) return std::nullopt;
        const std::uint64_t endPlace = file_.size() - kEndBytes;
        const auto end = read(endPlace, kEndBytes);
        if (!end || numberAt(*end, 0, 4) != kEndMark) return std::nullopt;
        if (const std::uint64_t place = numberAt(*end, 16, 4); place != kIn64BitExtra) return place;
        if (endPlace < kLocatorBytes) return std::nullopt;
        const auto locator = read(endPlace - kLocatorBytes, kLocatorBytes);
        if (!locator || numberAt(*locator, 0, 4) != kLocatorMark) return std::nullopt;
        const auto longEnd = read(numberAt(*locator, 8, 8), kLongEndBytes);
        if (!longEnd || numberAt(*longEnd, 0, 4) != kLongEndMark) return std::nullopt;
        return numberAt(*longEnd, 48, 8);
    }

    /// Offset of the data, from the directory entry and the local header before the data.
    std::optional<std::uint64_t> dataOf(std::span<const std::byte> entry, std::span<const std::byte> extra,
                                        const std::string& name, std::uint64_t size,
                                        std::uint64_t method) const {
        const std::optional<std::uint64_t> local = localOf(entry, extra);
        if (!local) return std::nullopt;
        const auto head = read(*local, kLocalBytes);
        if (!head || numberAt(*head, 0, 4) != kLocalMark || numberAt(*head, 26, 2) != name.size() ||
            numberAt(*head, 8, 2) != method)
            return std::nullopt;
        const auto found = read(*local + kLocalBytes, name.size());
        if (!found || std::memcmp(found->data(), name.data(), name.size()) != 0) return std::nullopt;
        const std::uint64_t place = *local + kLocalBytes + name.size() + numberAt(*head, 28, 2);
        if (place > file_.size() || size > file_.size() - place) return std::nullopt;
        return place;
    }

    static std::optional<std::uint64_t> localOf(std::span<const std::byte> entry,
                                                std::span<const std::byte> extra) {
        const std::uint64_t place = numberAt(entry, 42, 4);
        if (place != kIn64BitExtra) return place;
        for (std::size_t begin = 0; begin + 4 <= extra.size();) {
            const std::size_t end = begin + 4 + numberAt(extra, begin + 2, 2);
            if (end > extra.size()) return std::nullopt;
            if (numberAt(extra, begin, 2) == 1) {
                // The sizes that exceed 32 bits come before the offset.
                const std::size_t before = 8 * (std::size_t{numberAt(entry, 24, 4) == kIn64BitExtra} +
                                                std::size_t{numberAt(entry, 20, 4) == kIn64BitExtra});
                if (begin + 4 + before + 8 > end) return std::nullopt;
                return numberAt(extra, begin + 4 + before, 8);
            }
            begin = end;
        }
        return std::nullopt;
    }

    const storage::InputDescriptor& file_;
};

/// Pieces of the bytes that are read or written at once, each for one thread.
std::vector<Range> piecesOf(std::size_t bytes) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    return splitRange(bytes, kPiece);
}

/// The CRC-32 of consecutive bytes: a first part with `crc`, followed by the pieces.
std::uint32_t joinCrcs(std::uint32_t crc, std::span<const Range> pieces,
                       std::span<const std::uint32_t> ofPieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
        crc = static_cast<std::uint32_t>(
            crc32_combine(crc, ofPieces[i], static_cast<z_off_t>(pieces[i].size())));
    return crc;
}

/// A stored member; all threads read it and compute its CRC-32.
class StoredMember : public ByteSource {
  public:
    StoredMember(storage::InputDescriptor file, std::uint64_t place, const StoredSize& size, std::string name)
        : file_(std::move(file)),
          place_(place),
          size_(size.size),
          expectedCrc_(size.crc),
          name_(std::move(name)),
          work_(fmt::format("reading {}", name_), static_cast<double>(size_)) {}

    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return size_; }
    std::size_t read(std::span<std::byte> target) override {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(target.size(), size_ - position_));
        const std::vector<Range> pieces = piecesOf(wanted);
        std::vector<std::uint32_t> crcs(pieces.size());
        bool isShort = false;
#pragma omp parallel for schedule(static) reduction(|| : isShort) if (pieces.size() > 1)
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const std::span<std::byte> piece = target.subspan(pieces[i].begin, pieces[i].size());
            isShort = file_.readAt(place_ + position_ + pieces[i].begin, piece) < piece.size() || isShort;
            crcs[i] = crcOf(piece);
        }
        if (isShort) failDamaged("the file has become shorter, or cannot be read");
        crc_ = joinCrcs(crc_, pieces, crcs);
        position_ += wanted;
        if (position_ == size_ && crc_ != expectedCrc_) failDamaged("CRC error");
        work_.advance(static_cast<double>(wanted));
        return wanted;
    }

  private:
    [[noreturn]] void failDamaged(std::string_view what) const {
        throw InputError(fmt::format("{}: damaged or truncated at byte {}: {}", name_, position_, what));
    }

    storage::InputDescriptor file_;
    std::uint64_t place_;
    std::uint64_t size_;
    std::uint64_t position_ = 0;
    std::uint32_t expectedCrc_;
    std::uint32_t crc_ = 0;  ///< of the bytes read so far
    std::string name_;
    BackgroundWork work_;
};

void add(std::string& bytes, std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

/// Returns the value for a 32-bit field; a number that needs 64 bits goes to `more`.
std::uint64_t shortOf(std::uint64_t number, std::string& more) {
    if (number < kIn64BitExtra) return number;
    add(more, number, 8);
    return kIn64BitExtra;
}

/// Version 4.5 of the format has 64-bit numbers, which the extra field holds.
std::uint64_t versionFor(const std::string& more) {
    return more.empty() ? 10 : 45;
}
void addExtra(std::string& bytes, const std::string& more) {
    if (more.empty()) return;
    add(bytes, kLongExtra, 2);
    add(bytes, more.size(), 2);
    bytes += more;
}
std::size_t extraBytes(const std::string& more) {
    return more.empty() ? 0 : 4 + more.size();
}

/// Adds the fields common to local headers and directory entries, from the version to the length of the extra
/// field. `size` comes from shortOf. Names are UTF-8. The date is the earliest of the format, so that equal
/// members give equal archives.
void addCommon(std::string& bytes, const std::string& name, std::uint32_t crc, std::uint64_t size,
               const std::string& more) {
    constexpr std::uint64_t kUtf8 = 1 << 11, kFirstOfJanuary1980 = (1 << 5) | 1;
    const bool isPlain =
        std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    add(bytes, versionFor(more), 2);
    add(bytes, isPlain ? 0 : kUtf8, 2);
    add(bytes, kStored, 2);
    add(bytes, 0, 2);  // midnight
    add(bytes, kFirstOfJanuary1980, 2);
    add(bytes, crc, 4);
    add(bytes, size, 4);
    add(bytes, size, 4);
    add(bytes, name.size(), 2);
    add(bytes, extraBytes(more), 2);
}

}  // namespace

std::unique_ptr<ByteSource> openStoredMember(const std::filesystem::path& archive, std::uint64_t index,
                                             const std::string& name, const StoredSize& size,
                                             const std::string& shown) {
    storage::InputDescriptor file(archive);
    const std::optional<std::uint64_t> place = MemberPlaces(file).find(index, name, size.size, kStored);
    if (!place) return nullptr;
    return std::make_unique<StoredMember>(std::move(file), *place, size, shown);
}

std::unique_ptr<LargeArray> unpackDeflatedMember(const std::filesystem::path& archive, std::uint64_t index,
                                                 const std::string& name, const DeflatedSize& size) {
    const storage::InputDescriptor file(archive);
    const std::optional<std::uint64_t> place = MemberPlaces(file).find(index, name, size.packed, kDeflated);
    if (!place) return nullptr;
    try {
        const LargeArray packed(std::max<std::size_t>(size.packed, 1));
        auto contents = std::make_unique<LargeArray>(std::max<std::size_t>(size.size, 1));
        if (file.readAt(*place, {packed.data(), size.packed}) != size.packed ||
            !unpackDeflate({packed.data(), size.packed}, {contents->data(), size.size}))
            return nullptr;
        const std::vector<Range> pieces = piecesOf(size.size);
        std::vector<std::uint32_t> crcs(pieces.size());
#pragma omp parallel for schedule(static) if (pieces.size() > 1)
        for (std::size_t i = 0; i < pieces.size(); ++i)
            crcs[i] = crcOf({contents->data() + pieces[i].begin, pieces[i].size()});
        return joinCrcs(0, pieces, crcs) == size.crc ? std::move(contents) : nullptr;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

std::string StoredArchive::localHeader(const Member& member) const {
    std::string header, more;
    // The extra field has both sizes, or none.
    const std::uint64_t size = shortOf(member.size, more);
    if (!more.empty()) add(more, member.size, 8);
    add(header, kLocalMark, 4);
    addCommon(header, member.name, member.crc, size, more);
    header += member.name;
    addExtra(header, more);
    return header;
}

void StoredArchive::begin(std::string name, std::uint64_t size) {
    members_.push_back({std::move(name), size, file_.position(), 0});
    file_.write(localHeader(members_.back()));
}

void StoredArchive::write(std::span<const std::byte> bytes) {
    const std::vector<Range> pieces = piecesOf(bytes.size());
    std::vector<std::uint32_t> crcs(pieces.size());
#pragma omp parallel for schedule(static) if (pieces.size() > 1)
    for (std::size_t i = 0; i < pieces.size(); ++i)
        crcs[i] = crcOf(bytes.subspan(pieces[i].begin, pieces[i].size()));
    Member& member = members_.back();
    member.crc = joinCrcs(member.crc, pieces, crcs);
    file_.write(bytes.data(), bytes.size());
}

void StoredArchive::end() {
    const Member& member = members_.back();
    const std::uint64_t end = file_.position();
    const std::string header = localHeader(member);
    if (end != member.place + header.size() + member.size)
        throw std::logic_error("a member of an archive has another size than was announced");
    file_.seek(member.place);
    file_.write(header);
    file_.seek(end);
}

void StoredArchive::finish() {
    constexpr std::uint64_t kUnix = 3 << 8, kMadeBy = 63 | kUnix;  // 6.3
    constexpr std::uint64_t kRegularFile = 0100666;
    const std::uint64_t place = file_.position();
    std::string directory;
    for (const Member& member : members_) {
        std::string more;
        const std::uint64_t size = shortOf(member.size, more);
        if (!more.empty()) add(more, member.size, 8);
        const std::uint64_t local = shortOf(member.place, more);
        add(directory, kEntryMark, 4);
        add(directory, kMadeBy, 2);
        addCommon(directory, member.name, member.crc, size, more);
        add(directory, 0, 2);  // no comment
        add(directory, 0, 2);  // one disk
        add(directory, 0, 2);
        add(directory, kRegularFile << 16, 4);
        add(directory, local, 4);
        directory += member.name;
        addExtra(directory, more);
    }
    std::string end;
    const std::uint64_t bytes = directory.size();
    const std::uint64_t count = members_.size();
    if (place >= kIn64BitExtra || bytes >= kIn64BitExtra || count >= kManyMembers) {
        add(end, kLongEndMark, 4);
        add(end, kLongEndBytes - 12, 8);
        add(end, kMadeBy, 2);
        add(end, 45, 2);
        add(end, 0, 4);
        add(end, 0, 4);
        add(end, count, 8);
        add(end, count, 8);
        add(end, bytes, 8);
        add(end, place, 8);
        add(end, kLocatorMark, 4);
        add(end, 0, 4);
        add(end, place + bytes, 8);
        add(end, 1, 4);
    }
    add(end, kEndMark, 4);
    add(end, 0, 2);
    add(end, 0, 2);
    add(end, std::min(count, kManyMembers), 2);
    add(end, std::min(count, kManyMembers), 2);
    add(end, std::min(bytes, kIn64BitExtra), 4);
    add(end, std::min(place, kIn64BitExtra), 4);
    add(end, 0, 2);
    file_.write(directory + end);
}

}  // namespace glycine::io
