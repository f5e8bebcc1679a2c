#include "mpi/host_mail.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace glycine {

namespace {

constexpr std::size_t kSlots = 32;
constexpr std::size_t kSlotBytes = std::size_t{64} << 10;

}  // namespace

struct HostMail::Outbox {
    std::array<std::uint32_t, kSlots> receivers;  ///< which still need the slot
    std::uint32_t isAwaited;                      ///< the sender waits for a free slot
    alignas(64) std::byte slots[kSlots][kSlotBytes];
};

/// Of one sender to one receiver: never longer than the outbox.
struct HostMail::Queue {
    struct Piece {
        std::uint32_t slot, bytes;
    };
    alignas(64) std::uint32_t entered;  ///< pieces so far
    alignas(64) std::uint32_t taken;
    std::array<Piece, kSlots> pieces;
};

std::size_t HostMail::bytesFor(std::size_t processes) {
    return processes * sizeof(Outbox) + processes * processes * sizeof(Queue) +
           HostBells::bytesFor(processes);
}

HostMail::HostMail(std::shared_ptr<std::byte> memory, std::size_t processes, std::size_t place)
    : memory_(std::move(memory)),
      processes_(processes),
      place_(place),
      bells_(memory_.get() + bytesFor(processes) - HostBells::bytesFor(processes), place) {}

HostMail::Outbox& HostMail::outbox(std::size_t from) const {
    return reinterpret_cast<Outbox*>(memory_.get())[from];
}

HostMail::Queue& HostMail::queue(std::size_t from, std::size_t to) const {
    std::byte* const queues = memory_.get() + processes_ * sizeof(Outbox);
    return reinterpret_cast<Queue*>(queues)[from * processes_ + to];
}

/// Sends a piece if a slot is free.
bool HostMail::send(const Letter& letter, std::size_t& sent) const {
    Outbox& own = outbox(place_);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        std::atomic_ref receivers(own.receivers[slot]);
        if (receivers.load() != 0) continue;
        const std::size_t bytes = std::min(kSlotBytes, letter.bytes - sent);
        std::memcpy(own.slots[slot], letter.data + sent, bytes);
        receivers.store(static_cast<std::uint32_t>(letter.to.size()));
        for (const std::size_t to : letter.to) {
            Queue& ofReceiver = queue(place_, to);
            ofReceiver.pieces[ofReceiver.entered % kSlots] = {slot, static_cast<std::uint32_t>(bytes)};
            ++std::atomic_ref(ofReceiver.entered);
            bells_.ring(to);
        }
        sent += bytes;
        return true;
    }
    return false;
}

/// Takes a piece if there is one.
bool HostMail::receive(const Letter& letter, std::size_t& received) const {
    Queue& own = queue(letter.from, place_);
    if (std::atomic_ref(own.entered).load() == own.taken) return false;
    const Queue::Piece piece = own.pieces[own.taken % kSlots];
    ++own.taken;
    Outbox& sender = outbox(letter.from);
    std::memcpy(letter.data + received, sender.slots[piece.slot], piece.bytes);
    received += piece.bytes;
    if (--std::atomic_ref(sender.receivers[piece.slot]) == 0 && std::atomic_ref(sender.isAwaited).load() != 0)
        bells_.ring(letter.from);
    return true;
}

void HostMail::exchange(const std::vector<Letter>& letters,
                        const std::function<std::chrono::microseconds()>& idle) const {
    // By sender: its letters to this process, in order. For this process itself: its own ones.
    std::vector<std::vector<const Letter*>> open(processes_);
    for (const Letter& letter : letters)
        if (letter.bytes > 0 && !letter.to.empty()) open[letter.from].push_back(&letter);
    std::vector<std::size_t> places(processes_), done(processes_);
    const std::atomic_ref isAwaited(outbox(place_).isAwaited);
    for (;;) {
        const std::uint32_t rings = bells_.rings();
        bool isFinished = true, isMoved = false;
        for (std::size_t from = 0; from < processes_; ++from) {
            const std::vector<const Letter*>& ofSender = open[from];
            while (places[from] < ofSender.size()) {
                const Letter& letter = *ofSender[places[from]];
                if (!(from == place_ ? send(letter, done[from]) : receive(letter, done[from]))) break;
                isMoved = true;
                if (done[from] < letter.bytes) continue;
                done[from] = 0;
                ++places[from];
            }
            isFinished = isFinished && places[from] == ofSender.size();
        }
        if (isFinished) break;
        if (isMoved) continue;
        // Looks for a free slot once more after the receivers can see that it is awaited.
        const bool isSending = places[place_] < open[place_].size();
        if (isSending && isAwaited.exchange(1) == 0) continue;
        bells_.wait(rings, idle());
    }
    isAwaited.store(0);
}

}  // namespace glycine
