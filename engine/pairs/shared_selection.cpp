#include "engine/pairs/shared_selection.hpp"

#include "engine/storage/identity.hpp"

namespace glycine::pairs {

SharedSelection::SharedSelection(PairSelection& selection, const std::function<std::string()>& identity)
    : reporting_(
          selection, [] {},
          [](const PairTile& tile) {
              if (!processTeam()->leads()) processTeam()->reportStored({tile.rows, tile.columns});
          }) {
    const std::string own = identity();
    storage::requireSameIdentity(processTeam()->fromLead(own), own);
    // Where the values of a tile are does not matter to the lead.
    if (processTeam()->leads()) setTileRecorder([](const StoredTile&) {});
}

SharedSelection::~SharedSelection() {
    setTileRecorder({});
}

}  // namespace glycine::pairs
