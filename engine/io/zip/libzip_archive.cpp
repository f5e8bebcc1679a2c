#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/io/arrays/zip_archive.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io::zip {

namespace {

class Member final : public ByteSource {
  public:
    Member(zip_t* archive, zip_uint64_t index, std::string name) : name_(std::move(name)) {
        zip_stat_t status;
        if (zip_stat_index(archive, index, 0, &status) != 0) fail(zip_strerror(archive));
        size_ = status.size;
        // Deflated data cannot unpack to more; a larger size would only make us reserve memory.
        constexpr std::uint64_t kLargestDeflateRatio = 1032;
        if (status.comp_method == ZIP_CM_DEFLATE && size_ / kLargestDeflateRatio > status.comp_size)
            fail(fmt::format("{} bytes cannot unpack to {}", status.comp_size, size_));
        if (status.comp_method == ZIP_CM_STORE && size_ != status.comp_size)
            fail(fmt::format("stored as {} bytes, yet {} long", status.comp_size, size_));
        file_ = zip_fopen_index(archive, index, 0);
        if (file_ == nullptr) fail(zip_strerror(archive));
        work_ = BackgroundWork(fmt::format("reading {}", name_), static_cast<double>(size_));
    }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    ~Member() override { zip_fclose(file_); }

    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return size_; }
    std::size_t read(std::span<std::byte> target) override {
        std::size_t filled = 0;
        while (filled < target.size()) {
            const std::size_t count = readSome(target.subspan(filled));
            if (count == 0) break;
            filled += count;
            work_.advance(static_cast<double>(count));
        }
        position_ += filled;
        // libzip compares the CRC-32 when a read goes past the end.
        std::byte beyond;
        if (position_ == size_ && readSome({&beyond, 1}) != 0)
            fail(fmt::format("longer than its {} bytes", size_));
        return filled;
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw InputError(fmt::format("{}: {}", name_, what));
    }
    [[noreturn]] void failDamaged(std::string_view what) const {
        fail(fmt::format("damaged or truncated at byte {}: {}", position_, what));
    }
    std::size_t readSome(std::span<std::byte> target) {
        // Bytes read between two checks for cancellation.
        constexpr std::size_t kLargestRead = std::size_t{16} << 20;
        const zip_int64_t count = zip_fread(file_, target.data(), std::min(target.size(), kLargestRead));
        if (count < 0) failDamaged(zip_file_strerror(file_));
        return static_cast<std::size_t>(count);
    }

    std::string name_;
    zip_file_t* file_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
    BackgroundWork work_{"", 0};
};

class Archive final : public ZipArchive {
  public:
    explicit Archive(zip_t* archive) : zip_(archive, &zip_discard) {}

    std::vector<std::string> names() const override {
        std::vector<std::string> found;
        const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
        for (zip_int64_t index = 0; index < count; ++index) {
            const char* const name = zip_get_name(zip_.get(), static_cast<zip_uint64_t>(index), 0);
            found.emplace_back(name != nullptr ? name : "");
        }
        return found;
    }
    std::optional<std::uint64_t> locate(const std::string& name) const override {
        const zip_int64_t index = zip_name_locate(zip_.get(), name.c_str(), 0);
        return index >= 0 ? std::optional(static_cast<std::uint64_t>(index)) : std::nullopt;
    }
    std::optional<ZipEntry> entry(std::uint64_t index) const override {
        constexpr zip_uint64_t kKnown = ZIP_STAT_CRC | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                        ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
        zip_stat_t status;
        if (zip_stat_index(zip_.get(), index, 0, &status) != 0 || (status.valid & kKnown) != kKnown ||
            status.encryption_method != ZIP_EM_NONE)
            return std::nullopt;
        return ZipEntry{.method = status.comp_method == ZIP_CM_STORE     ? ZipEntry::Method::Stored
                                  : status.comp_method == ZIP_CM_DEFLATE ? ZipEntry::Method::Deflated
                                                                         : ZipEntry::Method::Other,
                        .packed = status.comp_size,
                        .size = status.size,
                        .crc = status.crc};
    }
    std::unique_ptr<ByteSource> open(std::uint64_t index, std::string shown) const override {
        return std::make_unique<Member>(zip_.get(), index, std::move(shown));
    }

  private:
    std::unique_ptr<zip_t, decltype(&zip_discard)> zip_;
};

std::unique_ptr<ZipArchive> open(const std::filesystem::path& path, std::string& cause) {
    int code = 0;
    if (zip_t* const archive = zip_open(storage::openablePath(path).c_str(), ZIP_RDONLY, &code))
        return std::make_unique<Archive>(archive);
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    cause = zip_error_strerror(&error);
    zip_error_fini(&error);
    return nullptr;
}

}  // namespace

}  // namespace glycine::io::zip

GLYCINE_MODULE(zip, glycine::io::ZipModule, glycine::io::zip::open);
