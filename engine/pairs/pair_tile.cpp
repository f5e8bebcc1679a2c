#include "engine/pairs/pair_tile.hpp"

#include <algorithm>
#include <cmath>
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
    // The root is off by rounding where the number has more digits than a double.
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

std::vector<PairTile> tilesToShare(const std::vector<PairTile>& tiles, std::size_t side, std::size_t devices,
                                   const PairSink& sink) {
    if (side < 2) return tiles;
    std::vector<std::vector<PairTile>> pieces(tiles.size());
    std::size_t cut = devices > 1 ? 2 * devices : 0;
    for (std::size_t t = tiles.size(); t-- > 0;) {
        const PairTile& tile = tiles[t];
        pieces[t] = {tile};
        if (sink.has(tile) || tile.isDiagonal() || tile.pairs() < side * side) continue;
        std::vector<PairTile> quarters = cutTile(tile, (side + 1) / 2);
        const bool isBegun =
            std::ranges::any_of(quarters, [&](const PairTile& quarter) { return sink.has(quarter); });
        if (cut > 0)
            --cut;
        else if (!isBegun)
            continue;
        pieces[t] = std::move(quarters);
    }
    std::vector<PairTile> shared;
    for (const std::vector<PairTile>& some : pieces) shared.insert(shared.end(), some.begin(), some.end());
    return shared;
}

namespace sharing {
namespace {
std::size_t parts = 1;
std::optional<storage::Part> atWork;
}  // namespace
}  // namespace sharing

void setParts(std::size_t parts) {
    sharing::parts = parts;
}

PartAtWork::PartAtWork(const storage::Part& part) {
    sharing::atWork = part;
}

PartAtWork::~PartAtWork() {
    sharing::atWork.reset();
}

std::size_t tileSets(const Backend& backend, std::size_t instances, std::size_t side) {
    return side < instances && dynamic_cast<const HostBackend*>(&backend) == nullptr ? 2 : 1;
}

std::size_t tilesAtOnce(const Backend& backend, std::size_t instances, std::size_t side) {
    return tileSets(backend, instances, side) * backend.devicesAtWork();
}

std::size_t sharedSide(const Backend& backend, std::size_t instances, std::size_t preferred) {
    // Nine tiles a device at least: when the last one ends, the others have waited for a tenth of the time.
    const std::size_t devices = backend.devicesAtWork() * sharing::parts;
    if (devices == 1) return preferred;
    const double tilesASide = std::ceil(std::sqrt(18.0 * static_cast<double>(devices)));
    const auto side = static_cast<std::size_t>(std::ceil(static_cast<double>(instances) / tilesASide));
    return std::clamp<std::size_t>(side, 1, preferred);
}

namespace {

/// What the devices of a loop share.
struct SharedLoop {
    const TileLoop& loop;
    PairSink& sink;
    Progress& progress;
    const std::vector<PairTile>& tiles;
    OpenShares& open;
    std::mutex sinkMutex{};
    std::mutex endMutex{};
};

/// Takes tiles until there are none. Of a DeviceError, the tile goes back; every other error stops all
/// devices.
void takeTiles(SharedLoop& shared, const TileSteps& steps, DeviceShare& share, TileCount& count) {
    const TileLoop& loop = shared.loop;
    const std::optional<DigestWish> wish = steps.digest ? shared.sink.digestWish() : std::nullopt;
    std::vector<Matrix<double>> values(loop.sets);
    double storing = 0;  // read and written while nobody else does: one tile is stored at a time
    const auto timed = [](double& seconds, const auto& act) {
        const Stopwatch watch;
        act();
        seconds += watch.seconds();
    };
    std::optional<std::size_t> taken;
    std::future<void> stored;  // last: it works with all of these
    const auto waitForStore = [&] {
        if (stored.valid()) stored.get();
    };
    const auto end = [&] {
        const std::lock_guard lock(shared.endMutex);
        if (steps.end) steps.end();
    };
    try {
        for (std::size_t set = 0;
             (shared.progress.throwIfCancelled(), taken = shared.open.take()).has_value();
             shared.open.isDone(), ++share.tiles) {
            const PairTile& tile = shared.tiles.at(*taken);
            if (wish) {
                if (const std::optional<TileDigest> digest = steps.digest(tile, *wish)) {
                    timed(count.storeSeconds, [&] {
                        waitForStore();
                        const std::lock_guard lock(shared.sinkMutex);
                        shared.sink.store(tile, *digest);
                    });
                    continue;
                }
            }
            set = (set + 1) % loop.sets;
            MatrixView<double> room;
            timed(count.storeSeconds, [&] { room = fitTile(values[set], tile); });
            const TileWork atWork{tile, set, room};
            steps.compute(atWork);
            const auto store = [&, atWork] {
                timed(storing, [&] {
                    const bool takesWhole = steps.whole && shared.sink.takesWhole();
                    const std::optional<WholeTile> whole = takesWhole ? steps.whole(atWork) : std::nullopt;
                    if (!whole && steps.finish) steps.finish(atWork);
                    const std::lock_guard lock(shared.sinkMutex);
                    if (whole)
                        shared.sink.store(atWork.tile, *whole);
                    else
                        shared.sink.store(atWork.tile, atWork.values);
                });
            };
            timed(count.storeSeconds, [&] {
                waitForStore();
                if (loop.sets == 1 || !startBeside(stored, store)) store();
            });
        }
        timed(count.storeSeconds, [&] {
            waitForStore();
            values.clear();
        });
    } catch (const DeviceError&) {
        if (taken) shared.open.giveBack(*taken);
        waitForStore();
        end();  // the tiles before are stored and count
        throw;
    } catch (...) {
        shared.open.stop();
        throw;
    }
    count.besideSeconds = std::max(0.0, storing - count.storeSeconds);
    end();
}

/// `crew`: with those that work besides the calling thread, which takes `steps`; null: nobody.
TileCount computeShared(const TileLoop& loop, PairSink& sink, Progress& progress, const TileSteps& steps,
                        const DeviceCrew* crew, const StepsOn& stepsOn) {
    ProcessTeam* const team = teamAtWork();
    std::vector<PairTile> tiles = tilesOf(loop.instances, loop.side, loop.references);
    if (sharing::atWork) {
        std::size_t place = 0;
        std::erase_if(tiles, [&](const PairTile&) { return !sharing::atWork->has(place++); });
    } else {
        const std::size_t devices = crew != nullptr ? crew->devices.size() : 1;
        if (loop.isExact)
            tiles = tilesToShare(tiles, loop.side, team != nullptr ? team->processes() : devices, sink);
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

    AnswersBeside answers(team,
                          {[&](std::size_t& number) { return open.takeFor(number); },
                           [&](const StoredTile& tile) {
                               storeElsewhere(tile);
                               open.isDone();
                           }},
                          [&] { open.stop(); });
    SharedLoop shared{loop, sink, progress, tiles, open};
    if (crew != nullptr)
        for (const int device : crew->devices) count.shares.push_back({device});
    std::vector<DeviceShare> alone(1);
    std::vector<DeviceShare>& shares = count.shares.empty() ? alone : count.shares;
    std::vector<std::exception_ptr> failures(shares.size());
    // A failed device is left out, and what else is thrown ends the run.
    const auto guarded = [&](std::size_t k, const auto& act) {
        try {
            act();
        } catch (const DeviceError& error) {
            shares[k].failure = error.what();
            failures[k] = std::current_exception();
        } catch (const UnavailableError& error) {
            shares[k].failure = error.what();
            failures[k] = std::current_exception();
        } catch (...) {
            failures[k] = std::current_exception();
            open.stop();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t k = 1; k < shares.size(); ++k)
        threads.emplace_back([&, k] {
            guarded(k, [&] {
                const std::unique_ptr<Backend> device = crew->make(shares[k].device);
                const ThreadsOf hostThreads(*device);
                const TileSteps own = stepsOn(*device);
                TileCount unused;
                takeTiles(shared, own, shares[k], unused);
            });
        });
    guarded(0, [&] { takeTiles(shared, steps, shares[0], count); });
    for (std::thread& thread : threads) thread.join();
    answers.join();
    for (std::size_t k = 0; k < shares.size(); ++k)
        if (failures[k] && shares[k].failure.empty()) std::rethrow_exception(failures[k]);
    if (!open.isEmpty())
        std::rethrow_exception(*std::ranges::find_if(failures, [](const auto& f) { return f != nullptr; }));
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
