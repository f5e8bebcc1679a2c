#include "engine/io/arrays/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/stored_zip.hpp"
#include "engine/io/arrays/zip_archive.hpp"
#include "engine/io/text/deflate.hpp"
#include "engine/storage/atomic_file.hpp"

GLYCINE_USES_MODULE(zip, glycine::io::ZipModule, zipModule)

namespace glycine::io {

std::unique_ptr<ZipArchive> openZip(const std::filesystem::path& path, std::string& cause) {
    return zipModule().open(path, cause);
}

namespace {

constexpr std::string_view kSuffix = ".npy";

/// A deflated member that is read through libzip, or unpacked whole as soon as a large piece of it is wanted.
class DeflatedMember : public ByteSource {
  public:
    DeflatedMember(std::unique_ptr<ByteSource> pieces, std::function<std::unique_ptr<LargeArray>()> unpack)
        : pieces_(std::move(pieces)), unpack_(std::move(unpack)) {}

    const std::string& name() const override { return pieces_->name(); }
    std::uint64_t size() const override { return pieces_->size(); }
    std::size_t read(std::span<std::byte> target) override {
        // Headers are read in small pieces, sometimes nothing else.
        constexpr std::size_t kLarge = std::size_t{64} << 10;
        if (unpack_ && target.size() >= kLarge) whole_ = std::exchange(unpack_, {})();
        std::size_t count = 0;
        if (whole_ != nullptr) {
            count = static_cast<std::size_t>(std::min<std::uint64_t>(target.size(), size() - position_));
            std::copy_n(whole_->data() + position_, count, target.begin());
        } else {
            count = pieces_->read(target);
        }
        position_ += count;
        return count;
    }

  private:
    std::unique_ptr<ByteSource> pieces_;
    std::function<std::unique_ptr<LargeArray>()> unpack_;
    std::unique_ptr<LargeArray> whole_;
    std::uint64_t position_ = 0;
};

}  // namespace

struct NpzReader::Archive {
    std::string path;
    std::unique_ptr<ZipArchive> zip;
};

NpzReader::NpzReader(const std::filesystem::path& path) {
    // Reports the system's reason if the file cannot be opened, which is clearer than libzip's.
    const std::unique_ptr<ByteSource> file = openFile(path);
    archive_ = std::make_unique<Archive>();
    archive_->path = path.string();
    std::string cause;
    archive_->zip = openZip(path, cause);
    if (archive_->zip) {
        const std::vector<std::string> members = names();
        if (const auto repeated = firstRepeated(members))
            throw InputError(fmt::format(
                "{}: members {} and {} are both named '{}{}'; expected each name once", archive_->path,
                repeated->first + 1, repeated->second + 1, excerpt(members[repeated->first]), kSuffix));
        return;
    }
    // The directory of an archive is at its end.
    constexpr std::string_view kFirstMember = "PK\x03\x04";
    std::string begin(kFirstMember.size(), '\0');
    if (file->read(std::as_writable_bytes(std::span(begin))) == begin.size() && begin == kFirstMember)
        throw InputError(fmt::format(
            "{}: truncated or damaged: it begins as an NPZ file does (a ZIP archive), but the archive's "
            "directory is not at the end of its {} bytes",
            archive_->path, file->size()));
    throw InputError(fmt::format("{}: not an NPZ file, which is a ZIP archive: {}", archive_->path, cause));
}

NpzReader::~NpzReader() = default;

std::vector<std::string> NpzReader::names() const {
    std::vector<std::string> names;
    for (const std::string& name : archive_->zip->names())
        if (name.ends_with(kSuffix)) names.emplace_back(name, 0, name.size() - kSuffix.size());
    return names;
}

bool NpzReader::contains(std::string_view name) const {
    const std::vector<std::string> all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
}

std::unique_ptr<ByteSource> NpzReader::open(std::string_view name) const {
    const std::string member = fmt::format("{}{}", name, kSuffix);
    const std::optional<std::uint64_t> index = archive_->zip->locate(member);
    if (!index)
        throw InputError(
            fmt::format("{}: has no array '{}'; {}", archive_->path, name, suggestNames(name, names())));
    const std::string shown = fmt::format("{}: member {}", archive_->path, member);
    const std::optional<ZipEntry> entry = archive_->zip->entry(*index);
    if (entry && entry->method == ZipEntry::Method::Stored && entry->packed == entry->size)
        if (auto stored = openStoredMember(archive_->path, *index, member,
                                           {.size = entry->size, .crc = entry->crc}, shown))
            return stored;
    std::unique_ptr<ByteSource> pieces = archive_->zip->open(*index, shown);
    if (!entry || entry->method != ZipEntry::Method::Deflated || entry->packed > kLargestWhole ||
        entry->size > kLargestWhole)
        return pieces;
    const DeflatedSize size{.packed = entry->packed, .size = entry->size, .crc = entry->crc};
    return std::make_unique<DeflatedMember>(std::move(pieces),
                                            [path = archive_->path, place = *index, member, size] {
                                                return unpackDeflatedMember(path, place, member, size);
                                            });
}

void NpzWriter::add(std::string name, NpyMatrixSource source) {
    std::string header = npyHeaderText(source);
    members_.push_back({std::move(name), std::move(header), std::move(source)});
}

void NpzWriter::add(std::string name, const std::vector<std::string>& strings) {
    members_.push_back({std::move(name), npyStringArray(strings), {}});
}

void NpzWriter::write(const std::filesystem::path& path) const {
    storage::AtomicFile file(path);
    StoredArchive archive(file);
    for (const Member& member : members_) {
        archive.begin(member.name + std::string(kSuffix), member.header.size() + member.matrix.dataBytes());
        archive.write(std::as_bytes(std::span(member.header)));
        writeNpyRows(member.matrix, [&](std::span<const std::byte> rows) { archive.write(rows); });
        archive.end();
    }
    archive.finish();
    file.commit();
}

}  // namespace glycine::io
