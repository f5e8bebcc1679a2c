// Bytes between processes of one host, which are threads here.
#include "mpi/host_mail.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "tests/test.hpp"

namespace glycine {
namespace {

using namespace std::chrono_literals;
using Letter = HostMail::Letter;

constexpr std::size_t kMiB = std::size_t{1} << 20;
/// Longer than any test may take: who is not woken fails it.
constexpr std::chrono::microseconds kForever = 10h;

std::shared_ptr<std::byte> sharedMemory(std::size_t processes) {
    constexpr std::align_val_t kAligned{4096};  // as mapped memory is
    const std::size_t bytes = HostMail::bytesFor(processes);
    auto* const memory = static_cast<std::byte*>(::operator new(bytes, kAligned));
    std::memset(memory, 0, bytes);
    return {memory, [](std::byte* made) { ::operator delete(made, kAligned); }};
}

std::vector<std::byte> textOf(std::size_t letter, std::size_t bytes) {
    std::vector<std::byte> text(bytes);
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(letter * 77 + i + i / 251);
    return text;
}

std::chrono::microseconds neverIdle() {
    ADD_FAILURE() << "has nothing to wait for";
    return 1us;
}

TEST(HostMail, LettersOfAllSizesArrive) {
    const struct {
        std::size_t from;
        std::vector<std::size_t> to;
        std::size_t bytes;
    } sent[] = {{0, {1, 2}, 5 * kMiB},  // more than the outbox holds
                {1, {0}, 1},
                {2, {0, 1}, kMiB / 16},
                {1, {2, 0}, kMiB / 16 + 1},
                {0, {2}, 3 * kMiB - 1},
                {2, {1}, 4 * kMiB},
                {1, {2}, 0},
                {2, {}, 100}};
    const auto memory = sharedMemory(3);
    std::vector<std::thread> processes;
    for (std::size_t place = 0; place < 3; ++place)
        processes.emplace_back([&, place] {
            const HostMail mail(memory, 3, place);
            for (std::size_t round = 0; round < 3; ++round) {
                std::vector<std::vector<std::byte>> texts;
                std::vector<Letter> letters;
                for (const auto& [from, to, bytes] : sent) {
                    const bool isReceived = std::ranges::count(to, place) > 0;
                    texts.push_back(from == place ? textOf(texts.size() + round, bytes)
                                                  : std::vector<std::byte>(bytes));
                    if (from == place || isReceived)
                        letters.push_back({texts.back().data(), bytes, from, to});
                }
                mail.exchange(letters, [] { return kForever; });
                for (std::size_t letter = 0; letter < std::size(sent); ++letter) {
                    const bool isHere =
                        sent[letter].from == place || std::ranges::count(sent[letter].to, place) > 0;
                    EXPECT_EQ(texts[letter], isHere ? textOf(letter + round, sent[letter].bytes)
                                                    : std::vector<std::byte>(sent[letter].bytes))
                        << "letter " << letter << " at " << place;
                }
            }
        });
    for (std::thread& process : processes) process.join();
}

TEST(HostMail, SendersWaitForNobodyWhileTheirOutboxHasRoom) {
    const auto memory = sharedMemory(2);
    const HostMail sender(memory, 2, 0), receiver(memory, 2, 1);
    for (std::size_t round = 0; round < 5; ++round) {
        std::vector<std::byte> text = textOf(round, kMiB), found(kMiB);
        sender.exchange({{text.data(), kMiB, 0, {1}}}, neverIdle);
        std::ranges::fill(text, std::byte{0});
        receiver.exchange({{found.data(), kMiB, 0, {1}}}, neverIdle);
        EXPECT_EQ(found, textOf(round, kMiB));
    }
}

/// `bytes` go from place 0 to place 1. One of the two begins when the other sleeps, or is about to.
void wakesTheOther(std::size_t sleeper, std::size_t bytes) {
    const auto memory = sharedMemory(2);
    std::atomic<bool> isAsleep = false;
    std::vector<std::byte> text = textOf(3, bytes), found(bytes);
    const auto exchange = [&](std::size_t place) {
        if (place != sleeper) isAsleep.wait(false);
        const HostMail mail(memory, 2, place);
        mail.exchange({{place == 0 ? text.data() : found.data(), bytes, 0, {1}}}, [&] {
            if (place == sleeper) {
                isAsleep = true;
                isAsleep.notify_all();
            }
            return kForever;
        });
    };
    std::thread other([&] { exchange(1 - sleeper); });
    exchange(sleeper);
    other.join();
    EXPECT_EQ(found, text);
}

TEST(HostMail, APieceWakesItsReceiver) {
    wakesTheOther(1, 10);
}

TEST(HostMail, AFreeSlotWakesTheSender) {
    wakesTheOther(0, 5 * kMiB);
}

}  // namespace
}  // namespace glycine
