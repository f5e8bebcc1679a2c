#include "engine/pairs/pair_tile.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/tile_sharing.hpp"

namespace glycine::pairs {

PairTile pairNumber(std::size_t number) {
    // The square root is rounded if the number has more digits than a double.
    auto row = static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(number))) / 2);
    while (row * (row - 1) / 2 > number) --row;
    while ((row + 1) * row / 2 <= number) ++row;
    const std::size_t column = number - row * (row - 1) / 2;
    return {{row, row + 1}, {column, column + 1}};
}

std::vector<PairTile> tilesBelowDiagonal(std::size_t instances, std::size_t side) {
    const std::vector<Range> ranges = splitRange(instances, side);
    std::vector<PairTile> tiles;
    for (std::size_t r = 0; r < ranges.size(); ++r)
        for (std::size_t c = 0; c <= r; ++c) tiles.push_back({ranges[r], ranges[c]});
    return tiles;
}

std::vector<PairTile> cutTile(const PairTile& tile, std::size_t side) {
    const auto pieces = [&](const Range& range) {
        std::vector<Range> result = splitRange(range.size(), side);
        for (Range& piece : result) piece = {range.begin + piece.begin, range.begin + piece.end};
        return result;
    };
    std::vector<PairTile> tiles;
    for (const Range& rows : pieces(tile.rows))
        for (const Range& columns : pieces(tile.columns))
            if (!tile.isDiagonal() || columns.begin <= rows.begin) tiles.push_back({rows, columns});
    return tiles;
}

std::vector<PairTile> tilesOf(std::size_t instances, std::size_t side, std::size_t references) {
    return references == 0 ? tilesBelowDiagonal(instances, side)
                           : cutTile({{references, instances}, {0, references}}, side);
}

namespace {

std::vector<PairTile> cutInto(const PairTile& tile, std::size_t piecesASide) {
    const std::size_t side = std::max(tile.rows.size(), tile.columns.size());
    return cutTile(tile, std::max<std::size_t>(1, (side + piecesASide - 1) / piecesASide));
}

}  // namespace

std::vector<PairTile> piecesForHost(const PairTile& tile, const std::function<bool(double pairs)>& pays) {
    for (const std::size_t piecesASide : {1, 2, 4}) {
        std::vector<PairTile> pieces = cutInto(tile, piecesASide);
        if (pays(static_cast<double>(pieces.front().pairs()))) return pieces;
    }
    return {};
}

std::vector<PairTile> tilesToShare(const std::vector<PairTile>& tiles, std::size_t side, std::size_t devices,
                                   const PairSink& sink) {
    if (side < 2) return tiles;
    std::vector<std::vector<PairTile>> pieces(tiles.size());
    std::size_t cuts = devices > 1 ? 2 * devices : 0;
    for (std::size_t t = tiles.size(); t-- > 0;) {
        const PairTile& tile = tiles[t];
        pieces[t] = {tile};
        if (sink.has(tile)) continue;
        const auto isBegun = [&](const std::vector<PairTile>& some) {
            return std::ranges::any_of(some, [&](const PairTile& piece) { return sink.has(piece); });
        };
        std::vector<PairTile> quarters = cutInto(tile, 2);
        std::vector<PairTile> sixteenths = cutInto(tile, 4);
        const bool isWhole = !tile.isDiagonal() && tile.pairs() == side * side;
        if (isBegun(sixteenths))
            pieces[t] = std::move(sixteenths);
        else if (isBegun(quarters) || (isWhole && cuts > 0))
            cuts -= isWhole && cuts > 0 ? 1 : 0, pieces[t] = std::move(quarters);
    }
    std::vector<PairTile> shared;
    for (const std::vector<PairTile>& some : pieces) shared.insert(shared.end(), some.begin(), some.end());
    return shared;
}

void TilePace::finished(std::size_t member, double pairs, double seconds) {
    const std::lock_guard lock(mutex_);
    left_ -= pairs;
    members_[member].pairs += pairs;
    members_[member].seconds += seconds;
}

void TilePace::left(std::size_t member) {
    const std::lock_guard lock(mutex_);
    members_[member].isAtWork = false;
}

std::optional<double> TilePace::ratesOfOthers(std::size_t member) const {
    double rates = 0;
    for (std::size_t k = 0; k < members_.size(); ++k) {
        if (k == member || !members_[k].isAtWork) continue;
        if (members_[k].pairs <= 0) return std::nullopt;
        rates += members_[k].pairs / members_[k].seconds;
    }
    return rates;
}

std::optional<double> TilePace::secondsOfOthers(std::size_t member) const {
    const std::lock_guard lock(mutex_);
    const std::optional<double> rates = ratesOfOthers(member);
    if (!rates) return std::nullopt;
    return left_ / *rates;
}

bool TilePace::paysToMeasure(std::size_t member, OpenShares& open) const {
    constexpr double kLeastSeconds = 0.1;
    return open.waitUntil([&] { return secondsOfOthers(member).has_value(); }) &&
           secondsOfOthers(member).value_or(0) > kLeastSeconds;
}

bool TilePace::pays(std::size_t member, double pairs, double rate) const {
    constexpr double kLeastShare = 0.1;
    const std::lock_guard lock(mutex_);
    const std::optional<double> rates = ratesOfOthers(member);
    if (!rates) return false;
    return *rates <= 0 || (rate >= kLeastShare * (rate + *rates) && pairs / rate <= (left_ - pairs) / *rates);
}

void requireSharedWithHost(bool isExact, const ProcessTeam* team) {
    if (team != nullptr) throw UnavailableError("processes of MPI share work only among devices");
    if (!isExact) throw UnavailableError("its values would differ from the device's in the last bits");
}

namespace {
std::size_t partsOfRun = 1;
std::optional<storage::Part> partAtWork;
}  // namespace

void setParts(std::size_t parts) {
    partsOfRun = parts;
}

PartAtWork::PartAtWork(const storage::Part& part) {
    partAtWork = part;
}

PartAtWork::~PartAtWork() {
    partAtWork.reset();
}

std::size_t tileSets(const Backend& backend, std::size_t instances, std::size_t side) {
    return side < instances && dynamic_cast<const HostBackend*>(&backend) == nullptr ? 2 : 1;
}

std::size_t tilesAtOnce(const Backend& backend, std::size_t instances, std::size_t side) {
    return tileSets(backend, instances, side) * backend.devicesAtWork();
}

std::size_t sharedSide(const Backend& backend, std::size_t instances, std::size_t preferred) {
    // cpu takes pieces of tiles.
    const DeviceCrew* const crew = backend.crew();
    const bool haveHost = crew != nullptr && crew->devices.back() == DeviceCrew::kHost;
    const std::size_t devices = (backend.devicesAtWork() - (haveHost ? 1 : 0)) * partsOfRun;
    return devices == 1 && !haveHost ? preferred : sideForDevices(devices, instances, preferred);
}

std::size_t sideForDevices(std::size_t devices, std::size_t instances, std::size_t preferred) {
    // At least nine tiles per device: when the last one ends, the others have waited for about a tenth of the
    // time.
    const double tilesASide = std::ceil(std::sqrt(18.0 * static_cast<double>(devices)));
    const auto side = static_cast<std::size_t>(std::ceil(static_cast<double>(instances) / tilesASide));
    return std::clamp<std::size_t>(side, 1, preferred);
}

namespace {

/// Tiles by number. Thread-safe: cpu may cut a tile while others are computed.
class TileList {
  public:
    explicit TileList(const std::vector<PairTile>& tiles)
        : tiles_(tiles.begin(), tiles.end()), count_(tiles.size()) {}
    /// Stays valid.
    const PairTile& operator[](std::size_t number) const {
        const std::lock_guard lock(mutex_);
        return tiles_.at(number);
    }
    /// Adds the pieces of a tile. Returns their numbers.
    std::vector<std::size_t> cut(const std::vector<PairTile>& pieces) {
        const std::lock_guard lock(mutex_);
        std::vector<std::size_t> numbers;
        for (const PairTile& piece : pieces) {
            numbers.push_back(tiles_.size());
            tiles_.push_back(piece);
        }
        count_ += pieces.size() - 1;
        return numbers;
    }
    /// Number of tiles, where those that were cut count as their pieces.
    std::size_t count() const {
        const std::lock_guard lock(mutex_);
        return count_;
    }

  private:
    mutable std::mutex mutex_;
    std::deque<PairTile> tiles_;
    std::size_t count_;
};

/// State that the devices of a loop share.
struct SharedLoop {
    const TileLoop& loop;
    PairSink& sink;
    Progress& progress;
    TileList& tiles;
    OpenShares& open;
    TilePace pace;
    bool isShared;                    ///< among the devices of a crew
    std::optional<PairTile> largest;  ///< of the tiles that the sink lacked
    std::mutex sinkMutex{};
    std::mutex endMutex{};
    std::exception_ptr endFailure{};  ///< the first one of TileSteps::end
};

/// Takes tiles until none is left; cpu takes tiles, or pieces of them, only while no device will have to wait
/// for it. A tile that was not stored goes back.
void takeTiles(SharedLoop& shared, const TileSteps& steps, std::size_t member, DeviceShare& share,
               TileCount& count) {
    const TileLoop& loop = shared.loop;
    const std::optional<DigestRequest> digestRequest =
        steps.digest ? shared.sink.digestRequest() : std::nullopt;
    std::vector<Matrix<double>> values(loop.sets);
    double storeTime = 0;  // accessed by one thread at a time: only one tile is stored at a time
    const auto timed = [](double& seconds, const auto& act) {
        const Stopwatch watch;
        act();
        seconds += watch.seconds();
    };
    const auto isStored = [&](TakenShare& taken, std::optional<std::size_t> set) {
        const PairTile& tile = shared.tiles[taken.number()];
        {
            const std::lock_guard lock(shared.sinkMutex);
            if (set && steps.stored) steps.stored(*set);
            ++share.tiles;
            share.pairs += static_cast<double>(tile.pairs());
            if (shared.isShared) share.done.push_back(tile);
        }
        taken.done();
    };
    std::future<void> stored;  // declared last: it uses the variables above
    const auto waitForStore = [&] {
        if (stored.valid()) stored.get();
    };
    const auto end = [&] {
        const std::lock_guard lock(shared.endMutex);
        if (!steps.end) return;
        // The tiles are stored, so no other device would count them again.
        try {
            steps.end();
        } catch (...) {
            if (!shared.endFailure) shared.endFailure = std::current_exception();
        }
    };
    const bool isHost = share.device == DeviceCrew::kHost;
    double rate = 0;  // pairs per second
    Stopwatch sinceTaken;
    const auto pays = [&](double pairs) { return shared.pace.pays(member, pairs, rate); };
    const auto take = [&]() -> std::optional<TakenShare> {
        shared.progress.throwIfCancelled();
        if (!isHost) return shared.open.take();
        std::vector<PairTile> pieces;
        std::optional<TakenShare> taken = shared.open.takeLast([&](std::size_t tile) {
            pieces = piecesForHost(shared.tiles[tile], pays);
            // A part has whole tiles.
            if (partAtWork && pieces.size() > 1) pieces.clear();
            return !pieces.empty();
        });
        if (taken && pieces.size() > 1) taken->replaceBy(shared.tiles.cut(pieces));
        return taken;
    };
    /// Measures the rate by a piece that is not stored.
    const auto measure = [&](const PairTile& tile) {
        const std::vector<PairTile> pieces = cutInto(tile, 8);
        const PairTile& piece = *std::ranges::max_element(pieces, {}, &PairTile::pairs);
        const Stopwatch watch;
        const MatrixView<double> room = fitTile(values[0], piece);
        steps.compute({piece, 0, room});
        rate = static_cast<double>(piece.pairs()) / watch.seconds();
    };
    const auto storeDigest = [&](const PairTile& tile) {
        if (!digestRequest) return false;
        const std::optional<TileDigest> digest = steps.digest(tile, *digestRequest);
        if (!digest) return false;
        timed(count.storeSeconds, [&] {
            waitForStore();
            const std::lock_guard lock(shared.sinkMutex);
            shared.sink.store(tile, *digest);
        });
        return true;
    };
    const auto keepThere = [&](const PairTile& tile) {
        DeviceStore* const there = steps.keep ? shared.sink.onDevice() : nullptr;
        return there != nullptr && steps.keep(tile, *there);
    };
    std::size_t set = 0;
    const auto computeValues = [&](TakenShare taken) {
        const PairTile& tile = shared.tiles[taken.number()];
        set = (set + 1) % loop.sets;
        MatrixView<double> room;
        timed(count.storeSeconds, [&] { room = fitTile(values[set], tile); });
        const TileWork atWork{tile, set, room};
        steps.compute(atWork);
        const auto store = [&, atWork, own = std::make_shared<TakenShare>(std::move(taken))] {
            TakenShare storing = std::move(*own);  // goes back at the end of this call if storing fails
            timed(storeTime, [&] {
                const bool acceptsWholeNumbers = steps.whole && shared.sink.acceptsWholeNumbers();
                const std::optional<WholeTile> whole =
                    acceptsWholeNumbers ? steps.whole(atWork) : std::nullopt;
                if (!whole && steps.finish) steps.finish(atWork);
                const std::lock_guard lock(shared.sinkMutex);
                if (whole)
                    shared.sink.store(atWork.tile, *whole);
                else
                    shared.sink.store(atWork.tile, atWork.values);
            });
            isStored(storing, atWork.set);
        };
        timed(count.storeSeconds, [&] {
            waitForStore();
            if (loop.sets == 1 || !startThread(stored, store)) store();
        });
    };
    // Earlier tiles are stored and count, and so does one that is being stored.
    const auto leave = [&] {
        try {
            waitForStore();
        } catch (const DeviceError&) {
        } catch (const UnavailableError&) {
        }
        end();
    };
    try {
        if (isHost && shared.pace.paysToMeasure(member, shared.open)) measure(*shared.largest);
        while (std::optional<TakenShare> taken = take()) {
            sinceTaken.restart();
            const PairTile& tile = shared.tiles[taken->number()];
            if (storeDigest(tile))
                isStored(*taken, TileSteps::kOfDigest);
            else if (keepThere(tile))
                isStored(*taken, {});
            else
                computeValues(std::move(*taken));
            const auto pairs = static_cast<double>(tile.pairs());
            const double seconds = sinceTaken.seconds();
            rate = pairs / seconds;
            shared.pace.finished(member, pairs, seconds);
            shared.open.wake();  // cpu may take a tile now
        }
        timed(count.storeSeconds, [&] {
            waitForStore();
            values.clear();
        });
    } catch (const DeviceError&) {
        leave();
        throw;
    } catch (const UnavailableError&) {
        leave();
        throw;
    }
    count.overlapSeconds = std::max(0.0, storeTime - count.storeSeconds);
    end();
}

/// `crew`: workers besides the calling thread, which runs `steps`; null: none.
TileCount computeShared(const TileLoop& loop, PairSink& sink, Progress& progress, const TileSteps& steps,
                        const DeviceCrew* crew, const StepsOn& stepsOn) {
    ProcessTeam* const team = teamAtWork();
    std::vector<PairTile> tiles = tilesOf(loop.instances, loop.side, loop.references);
    if (partAtWork) {
        std::size_t place = 0;
        std::erase_if(tiles, [&](const PairTile&) { return !partAtWork->has(place++); });
    } else {
        std::size_t devices = 1;
        if (team != nullptr)
            devices = team->processes();
        else if (crew != nullptr)
            devices = crew->devices.size() - (crew->devices.back() == DeviceCrew::kHost ? 1 : 0);
        if (loop.isExact) tiles = tilesToShare(tiles, loop.side, devices, sink);
    }
    TileCount count{.tiles = tiles.size()};
    std::vector<std::size_t> lacking;
    std::vector<double> pairs;
    double work = 0;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        pairs.push_back(static_cast<double>(tiles[t].pairs()));
        if (sink.has(tiles[t])) continue;
        lacking.push_back(t);
        work += pairs[t] * loop.workPerPair;
    }
    if (crew != nullptr || team != nullptr) lacking = largestFirst(std::move(lacking), pairs);
    count.tilesResumed = count.tiles - lacking.size();
    progress.begin(std::string(loop.stage), work);

    OpenShares open(lacking, team);

    AnswerThread answers(team,
                         {[&](std::size_t& number) { return open.takeFor(number); },
                          [&](const StoredTile& tile) {
                              recordTileOfOtherProcess(tile);
                              open.markDone();
                          }},
                         [&] { open.stop(); });
    if (crew != nullptr)
        for (const int device : crew->devices) count.shares.push_back({device});
    std::vector<DeviceShare> alone(1);
    std::vector<DeviceShare>& shares = count.shares.empty() ? alone : count.shares;
    double pairsLeft = 0;
    for (const std::size_t t : lacking) pairsLeft += pairs[t];
    TileList list(tiles);
    SharedLoop shared{loop,
                      sink,
                      progress,
                      list,
                      open,
                      TilePace(pairsLeft, shares.size()),
                      crew != nullptr,
                      lacking.empty() ? std::nullopt : std::optional(tiles[lacking.front()])};
    const std::vector<std::string> reasons = actTogether(
        crew, open, answers,
        [&](std::size_t member, Backend* own) {
            if (own == nullptr) return takeTiles(shared, steps, member, shares[member], count);
            if (shares[member].device == DeviceCrew::kHost) requireSharedWithHost(loop.isExact, team);
            TileCount unused;
            takeTiles(shared, stepsOn(*own), member, shares[member], unused);
        },
        [&](std::size_t member) { shared.pace.left(member); });
    if (shared.endFailure) std::rethrow_exception(shared.endFailure);
    for (std::size_t k = 0; k < shares.size(); ++k) shares[k].failure = reasons[k];
    count.tiles = list.count();
    return count;
}

}  // namespace

TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, const TileSteps& steps) {
    return computeShared(loop, sink, progress, steps, nullptr, {});
}

TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, Backend& backend,
                       const StepsOn& stepsOn) {
    return computeShared(loop, sink, progress, stepsOn(backend), backend.crew(), stepsOn);
}

}  // namespace glycine::pairs
