#include "engine/io/arrays/npy_memory.hpp"

#include <algorithm>
#include <cstring>

#include "engine/io/arrays/npy.hpp"

namespace glycine::io {

namespace {

class NpyMemory final : public ByteSource {
  public:
    NpyMemory(std::string header, std::span<const std::byte> elements, std::string name)
        : name_(std::move(name)), header_(std::move(header)), elements_(elements) {}
    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return header_.size() + elements_.size(); }
    std::size_t read(std::span<std::byte> target) override {
        const std::span<const std::byte> header = std::as_bytes(std::span(header_));
        std::size_t filled = 0;
        for (const std::span<const std::byte> part :
             {header.subspan(std::min(at_, header.size())),
              elements_.subspan(std::max(at_, header.size()) - header.size())}) {
            const std::size_t count = std::min(part.size(), target.size() - filled);
            if (count > 0) std::memcpy(target.data() + filled, part.data(), count);
            filled += count;
        }
        at_ += filled;
        return filled;
    }

  private:
    std::string name_;
    std::string header_;
    std::span<const std::byte> elements_;
    std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> openNpyMemory(std::string_view dtype, std::span<const std::size_t> shape,
                                          std::span<const std::byte> elements, std::string name) {
    return std::make_unique<NpyMemory>(npyHeaderText(dtype, shape), elements, std::move(name));
}

}  // namespace glycine::io
