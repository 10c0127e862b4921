// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/provenance.h"
#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// What a person decided about files, in a JSON file of the person's settings. A dump is known by the SHA-256 of its
/// identity (`provenance.dump`), not by its path: moved, it is still known; changed, it is another one. Data outside a
/// file are allowed each time anew and never remembered.
class ReadingMemory {
public:
    struct Entry {
        std::string dump, name;  ///< SHA-256; the name that the file had
        std::int64_t sizeBytes = 0;
        std::string decidedAt;
        io::ReadingDecisions decisions;
    };

    /// `file` need not exist; empty: nothing is remembered.
    explicit ReadingMemory(std::filesystem::path file = {}) : file_(std::move(file)) {}

    const std::filesystem::path& file() const { return file_; }
    /// The latest first. Throws FileError, FormatError where the file is damaged.
    std::vector<Entry> entries() const;
    /// In place of what was remembered about the dump, and of the reading `former` of the same file (other arrays of it
    /// make another identity; "": none). Nothing decided: forgets. Throws FileError, FormatError.
    void remember(const analysis::DumpIdentity& dump, const io::ReadingDecisions& decisions,
                  const std::string& former) const;
    void forget(const std::string& dump) const;

private:
    void write(const std::vector<Entry>& entries) const;

    std::filesystem::path file_;
};

/// Whether nothing is decided but, perhaps, what is never remembered.
bool isUndecided(const io::ReadingDecisions& decisions);

}  // namespace dimscope::app
