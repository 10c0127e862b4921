// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/piece_store.h"

namespace dimscope::app {

/// Whose pieces they are. Two runs with the same record compute the same pieces.
struct PieceRun {
    std::string version, verb;
    std::vector<std::string> arguments;  ///< that the numbers depend on, as they were given
    std::string file;                    ///< dump, as it was given
    std::string dump;                    ///< SHA-256 of its identity
    std::string parameters;              ///< SHA-256 of the parameter file; "" without one
    std::string backend, device;
    int shard = 1, shards = 1;

    /// What differs from another run but for its shard, the path of the dump and the device: "other arguments: ...";
    /// "" where nothing does.
    std::string differenceTo(const PieceRun& other) const;
};

/// The pieces of one run in memory and, with a path, in a JSON file of their own that is written anew every few
/// seconds: a killed run loses no more than those. Doubles read back equal.
class PieceFile : public analysis::PieceStore {
public:
    /// `path`: "" keeps the pieces in memory alone.
    PieceFile(PieceRun run, std::filesystem::path path);

    std::optional<analysis::Piece> find(const std::string& key) const override;
    /// Throws FileError where the file cannot be written.
    void keep(const std::string& key, const analysis::Piece& piece) override;
    bool computes(std::size_t deal) const override;
    bool computesShared() const override { return !merged_; }

    const PieceRun& run() const { return run_; }
    std::size_t size() const;
    /// The file as it is now. `complete`: the shard has all of its pieces.
    std::string text(bool complete) const;
    /// Writes the file if there is one and something is new. Throws FileError.
    void save(bool complete = false);

    /// Continues from what the file holds, where it exists. Throws FormatError: not such a file, or another run's.
    static std::unique_ptr<PieceFile> resumed(PieceRun run, const std::filesystem::path& path);
    /// All shards of one run as one store that computes nothing. Throws FormatError naming the part that is unfinished,
    /// repeated, of another run, or missing.
    static std::unique_ptr<PieceFile> merged(const std::vector<std::filesystem::path>& parts);

private:
    struct Content;
    static Content read(const std::filesystem::path& path);
    std::string assembled(bool complete) const;

    PieceRun run_;
    std::filesystem::path path_;
    bool merged_ = false;
    mutable std::mutex mutex_;
    std::map<std::string, analysis::Piece> pieces_;
    std::vector<std::string> lines_;  ///< of the file, one per piece, in the order kept
    bool unsaved_ = false;
    std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace dimscope::app
