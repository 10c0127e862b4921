// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/piece_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "io/message_text.h"
#include "io/provenance_json.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

using analysis::Piece;
using io::numberJson;
using io::printable;
using io::warningsJson;
using io::writeFileAtomically;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "dimscope-pieces";
constexpr auto kSaveInterval = std::chrono::seconds(3);  // a killed run loses at most this and one piece

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string lineOf(const std::string& key, const Piece& piece) {
    Json numbers = Json::array();
    for (const double number : piece.numbers) numbers.push_back(numberJson(number));
    Json line{{"key", key}, {"numbers", std::move(numbers)}};
    if (!piece.warnings.empty()) line["warnings"] = warningsJson(piece.warnings);
    return dumped(line);
}

Piece pieceFrom(const Json& json) {
    Piece piece;
    for (const Json& number : json.at("numbers"))
        piece.numbers.push_back(number.is_null() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>());
    if (json.contains("warnings"))
        for (const Json& warning : json.at("warnings"))
            piece.warnings.push_back({warning.at("code").get<std::string>(), warning.at("place").get<std::string>(),
                                      warning.at("text").get<std::string>()});
    return piece;
}

Json runJson(const PieceRun& run) {
    return {{"version", run.version}, {"verb", run.verb},         {"arguments", run.arguments}, {"file", run.file},
            {"dump", run.dump},       {"params", run.parameters}, {"backend", run.backend},     {"device", run.device},
            {"shard", run.shard},     {"shards", run.shards}};
}

PieceRun runFrom(const Json& json) {
    PieceRun run;
    run.version = json.at("version").get<std::string>();
    run.verb = json.at("verb").get<std::string>();
    run.arguments = json.at("arguments").get<std::vector<std::string>>();
    run.file = json.at("file").get<std::string>();
    run.dump = json.at("dump").get<std::string>();
    run.parameters = json.at("params").get<std::string>();
    run.backend = json.at("backend").get<std::string>();
    run.device = json.at("device").get<std::string>();
    run.shard = json.at("shard").get<int>();
    run.shards = json.at("shards").get<int>();
    return run;
}

[[noreturn]] void refusePieces(const std::filesystem::path& path, const std::string& cause, const std::string& advice) {
    throw kernels::FormatError({path.string(), "/", cause, advice});
}

}  // namespace

struct PieceFile::Content {
    PieceRun run;
    bool complete = false;
    std::vector<std::pair<std::string, Piece>> pieces;
};

std::string PieceRun::differenceTo(const PieceRun& other) const {
    if (version != other.version) return fmt::format("version {}, not {}", other.version, version);
    if (verb != other.verb) return fmt::format("verb {}, not {}", other.verb, verb);
    if (dump != other.dump) return fmt::format("another dump than {}", printable(file));
    if (parameters != other.parameters) return "another parameter file";
    if (backend != other.backend) return fmt::format("backend {}, not {}", other.backend, backend);
    if (arguments != other.arguments)
        return fmt::format("other arguments: {}", printable(fmt::format("{}", fmt::join(other.arguments, " "))));
    return "";
}

PieceFile::PieceFile(PieceRun run, std::filesystem::path path) : run_(std::move(run)), path_(std::move(path)) {}

std::optional<Piece> PieceFile::find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find(key);
    return found == pieces_.end() ? std::nullopt : std::optional(found->second);
}

void PieceFile::keep(const std::string& key, const Piece& piece) {
    std::string line = lineOf(key, piece);
    const std::lock_guard lock(mutex_);
    if (!pieces_.emplace(key, piece).second) return;
    lines_.push_back(std::move(line));
    unsaved_ = true;
    if (path_.empty() || std::chrono::steady_clock::now() - saved_ < kSaveInterval) return;
    writeFileAtomically(path_, assembled(false));
    unsaved_ = false;
    saved_ = std::chrono::steady_clock::now();
}

bool PieceFile::computes(std::size_t deal) const {
    const auto shards = static_cast<std::size_t>(run_.shards);
    return !merged_ && deal % shards + 1 == static_cast<std::size_t>(run_.shard);
}

std::size_t PieceFile::size() const {
    const std::lock_guard lock(mutex_);
    return pieces_.size();
}

std::string PieceFile::text(bool complete) const {
    const std::lock_guard lock(mutex_);
    return assembled(complete);
}

std::string PieceFile::assembled(bool complete) const {
    std::string text = fmt::format("{{\n\"format\": \"{}\",\n\"run\": {},\n\"complete\": {},\n\"pieces\": [", kFormat,
                                   dumped(runJson(run_)), complete);
    const char* separator = "\n";
    for (const std::string& line : lines_) {
        text += separator;
        text += line;
        separator = ",\n";
    }
    return text + "]\n}\n";
}

void PieceFile::save(bool complete) {
    const std::lock_guard lock(mutex_);
    if (path_.empty() || (!unsaved_ && !complete)) return;
    writeFileAtomically(path_, assembled(complete));
    unsaved_ = false;
    saved_ = std::chrono::steady_clock::now();
}

PieceFile::Content PieceFile::read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw kernels::FileError({path.string(), "/", "it cannot be read", "check the path"});
    try {
        const Json json = Json::parse(file);
        if (json.at("format") != kFormat) refusePieces(path, "it holds no pieces of a run", "give the file of a shard");
        Content content{runFrom(json.at("run")), json.at("complete").get<bool>(), {}};
        for (const Json& piece : json.at("pieces"))
            content.pieces.emplace_back(piece.at("key").get<std::string>(), pieceFrom(piece));
        return content;
    } catch (const nlohmann::json::exception&) {
        refusePieces(path, "it holds no pieces of a run", "give the file of a shard or of --resume");
    }
}

std::unique_ptr<PieceFile> PieceFile::resumed(PieceRun run, const std::filesystem::path& path) {
    auto store = std::make_unique<PieceFile>(std::move(run), path);
    if (path.empty() || !std::filesystem::exists(path)) return store;
    Content content = read(path);
    const std::string difference = store->run_.differenceTo(content.run);
    if (!difference.empty())
        refusePieces(path, "it is of another run: " + difference, "give another file, or remove this one");
    if (content.run.shard != store->run_.shard || content.run.shards != store->run_.shards)
        refusePieces(path, fmt::format("it is of shard {}/{}", content.run.shard, content.run.shards),
                     "give every shard a file of its own");
    for (auto& [key, piece] : content.pieces) store->keep(key, piece);
    store->unsaved_ = false;
    return store;
}

std::unique_ptr<PieceFile> PieceFile::merged(const std::vector<std::filesystem::path>& parts) {
    std::unique_ptr<PieceFile> store;
    std::map<int, std::filesystem::path> known;
    for (const std::filesystem::path& path : parts) {
        Content content = read(path);
        const PieceRun& run = content.run;
        if (!store) {
            store = std::make_unique<PieceFile>(run, "");
            store->merged_ = true;
        }
        const std::string difference = store->run_.differenceTo(run);
        if (!difference.empty() || run.shards != store->run_.shards)
            refusePieces(
                path,
                fmt::format(
                    "it is no shard of the run of {}: {}", known.begin()->second.string(),
                    difference.empty() ? fmt::format("{} shards, not {}", run.shards, store->run_.shards) : difference),
                "merge the shards of one run");
        if (const auto [entry, isNew] = known.emplace(run.shard, path); !isNew)
            refusePieces(
                path, fmt::format("shard {}/{} is there already, as {}", run.shard, run.shards, entry->second.string()),
                "give every shard once");
        if (!content.complete)
            refusePieces(path, fmt::format("shard {}/{} is not finished", run.shard, run.shards),
                         "run it to its end, with --resume");
        if (run.shard == 1) store->run_ = run;
        for (const auto& [key, piece] : content.pieces) {
            const auto [entry, isNew] = store->pieces_.emplace(key, piece);
            if (!isNew && lineOf(key, entry->second) != lineOf(key, piece))
                refusePieces(path, fmt::format("piece {} differs from that of another shard", key),
                             "run all shards on machines that compute alike");
        }
    }
    for (int shard = 1; store && shard <= store->run_.shards; ++shard)
        if (!known.contains(shard))
            throw kernels::ArgumentError(fmt::format("shard {}/{} is missing", shard, store->run_.shards));
    return store;
}

}  // namespace dimscope::app
