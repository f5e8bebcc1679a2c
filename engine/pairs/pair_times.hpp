#pragma once

namespace glycine::pairs {

/// Where the time of a backend went, in seconds of a steady clock, over all tiles.
struct PairTimes {
    double pack = 0;      ///< reading the input and packing it on the host
    double upload = 0;    ///< to the device and into its layout
    double compute = 0;   ///< comparing the pairs
    double download = 0;  ///< back into host memory
    double total() const { return pack + upload + compute + download; }
    PairTimes& operator+=(const PairTimes& more) {
        pack += more.pack;
        upload += more.upload;
        compute += more.compute;
        download += more.download;
        return *this;
    }
};

}  // namespace glycine::pairs
