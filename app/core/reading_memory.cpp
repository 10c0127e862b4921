// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/reading_memory.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "io/atomic_file.h"
#include "io/dump/reading_json.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

using Json = nlohmann::ordered_json;
using Entry = ReadingMemory::Entry;

constexpr std::size_t kMostEntries = 1000;

Entry entryFromJson(const Json& json) {
    Entry entry{json.at("dump").get<std::string>(), json.at("name").get<std::string>(),
                json.at("size_bytes").get<std::int64_t>(), json.at("decided").get<std::string>(),
                io::decisionsFromJson(json.at("decisions"))};
    entry.decisions.outside = io::OpenPolicy::Outside::Never;
    return entry;
}

Json entryJson(const Entry& entry) {
    return {{"dump", entry.dump},
            {"name", entry.name},
            {"size_bytes", entry.sizeBytes},
            {"decided", entry.decidedAt},
            {"decisions", io::decisionsJson(entry.decisions)}};
}

}  // namespace

bool isUndecided(const io::ReadingDecisions& decisions) {
    return decisions.map.empty() && decisions.attributes.empty() && decisions.valid.empty() && !decisions.rotate;
}

std::vector<Entry> ReadingMemory::entries() const {
    if (file_.empty() || !std::filesystem::exists(file_)) return {};
    std::ifstream stream(file_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.good() && !stream.eof())
        throw kernels::FileError({file_.string(), "/", "cannot be read", "look at its permissions"});
    try {
        std::vector<Entry> entries;
        const Json document = Json::parse(text);
        for (const Json& json : document.at("readings")) entries.push_back(entryFromJson(json));
        return entries;
    } catch (const nlohmann::json::exception&) {
        throw kernels::FormatError({file_.string(), "/", "does not hold remembered readings",
                                    "remove it; what was decided about files is then asked again"});
    }
}

void ReadingMemory::remember(const analysis::DumpIdentity& dump, const io::ReadingDecisions& decisions,
                             const std::string& former) const {
    if (file_.empty()) return;
    std::vector<Entry> all = entries();
    std::erase_if(all, [&](const Entry& entry) { return entry.dump == dump.sha256 || entry.dump == former; });
    if (!isUndecided(decisions)) {
        Entry entry{dump.sha256, dump.name, dump.sizeBytes, analysis::timestampNow(), decisions};
        entry.decisions.outside = io::OpenPolicy::Outside::Never;
        all.insert(all.begin(), std::move(entry));
    }
    if (all.size() > kMostEntries) all.resize(kMostEntries);
    write(all);
}

void ReadingMemory::forget(const std::string& dump) const {
    if (file_.empty()) return;
    std::vector<Entry> all = entries();
    if (std::erase_if(all, [&](const Entry& entry) { return entry.dump == dump; }) > 0) write(all);
}

void ReadingMemory::write(const std::vector<Entry>& entries) const {
    Json readings = Json::array();
    for (const Entry& entry : entries) readings.push_back(entryJson(entry));
    std::error_code failure;  // of a folder that cannot be made the writing says why
    std::filesystem::create_directories(file_.parent_path(), failure);
    io::writeFileAtomically(file_, Json{{"readings", readings}}.dump(1) + "\n");
}

}  // namespace dimscope::app
