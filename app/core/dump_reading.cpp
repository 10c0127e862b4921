// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/dump_reading.h"

#include <map>
#include <set>
#include <vector>

#include "app/core/dump_opening.h"
#include "io/dump/reading_json.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

/// What was decided about dumps of the file's size, the latest first, each with the dumps that it was decided about.
std::vector<std::pair<io::ReadingDecisions, std::set<std::string>>> decisionsBySize(const ReadingMemory& memory,
                                                                                    std::uintmax_t size) {
    std::vector<std::pair<io::ReadingDecisions, std::set<std::string>>> known;
    std::map<std::string, std::size_t> places;  // dumps of one kind are many, decisions about them few
    for (const ReadingMemory::Entry& entry : memory.entries()) {
        if (static_cast<std::uintmax_t>(entry.sizeBytes) != size) continue;
        const auto [place, isNew] = places.try_emplace(io::decisionsJson(entry.decisions).dump(), known.size());
        if (isNew) known.emplace_back(entry.decisions, std::set<std::string>{});
        known[place->second].second.insert(entry.dump);
    }
    return known;
}

/// The remembered decisions under which the file is the dump that they were made about. The size tells most others
/// apart; the identity can only be known once it is open, for the decisions choose the arrays that it covers.
std::optional<OpenedDump> readAsRemembered(const std::filesystem::path& path, const ReadingMemory& memory,
                                           const kernels::RunControl& control) {
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(path, failure);
    if (failure) return std::nullopt;
    for (const auto& [decisions, dumps] : decisionsBySize(memory, size)) try {
            auto source = openDumpSafely(path, decisions, control);
            if (dumps.contains(source->info().identity.sha256))
                return OpenedDump{std::move(source), decisions, DecidedBy::Memory, {}};
        } catch (const kernels::FormatError&) {
            continue;  // decided about another file
        }
    return std::nullopt;
}

/// Runs what uses the memory; what went wrong with it, in words.
template <class Use>
std::string complaintOf(Use use) {
    try {
        use();
    } catch (const kernels::FormatError& error) {
        return std::string("What was decided about files cannot be remembered: ") + error.what() + ".";
    }
    return {};
}

}  // namespace

ReadingOutcome readDump(const ReadingRequest& request, const ReadingMemory& memory,
                        const kernels::RunControl& control) {
    std::string complaint;
    if (request.by == DecidedBy::Nobody) {
        std::optional<OpenedDump> known;
        complaint = complaintOf([&] { known = readAsRemembered(request.path, memory, control); });
        if (known) return std::move(*known);
    }
    try {
        OpenedDump opened{openDumpSafely(request.path, request.decisions, control), request.decisions, request.by,
                          std::move(complaint)};
        if (request.by == DecidedBy::Person)
            opened.complaint = complaintOf(
                [&] { memory.remember(opened.source->info().identity, request.decisions, request.former); });
        if (isUndecided(request.decisions)) opened.by = DecidedBy::Nobody;
        return opened;
    } catch (const io::AmbiguousReading& ambiguity) {
        return OpenQuestion{request, ambiguity.question(), std::move(complaint)};
    }
}

}  // namespace dimscope::app
