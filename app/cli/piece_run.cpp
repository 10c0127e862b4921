// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/piece_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "app/cli/lists.h"
#include "io/sha256.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

/// Options that say where a run happens and where its result goes, not what it computes.
constexpr std::array<std::string_view, 7> kOfThisMachine{"--out",    "--write",   "--resume", "--shard",
                                                         "--device", "--threads", "--json"};

/// Words of the command line without the verb, its file and the options above.
std::vector<std::string> computedArguments(const Options& options) {
    std::vector<std::string> arguments;
    bool fileSeen = false;
    for (std::size_t n = 1; n < options.words.size(); ++n) {
        const std::string& word = options.words[n];
        const std::string name = word.substr(0, word.find('='));
        if (std::find(kOfThisMachine.begin(), kOfThisMachine.end(), name) != kOfThisMachine.end()) {
            if (name != "--json" && name == word) ++n;  // its value is the next word
        } else if (!fileSeen && word == options.file) {
            fileSeen = true;
        } else {
            arguments.push_back(word);
        }
    }
    return arguments;
}

std::string hashOfFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw kernels::FileError({path, "/", "it cannot be read", "check the path"});
    io::Sha256 hash;
    std::vector<char> block(1 << 20);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
        hash.add(std::string_view(block.data(), static_cast<std::size_t>(file.gcount())));
    return hash.hex();
}

std::pair<int, int> shardOf(const std::string& text) {
    if (text.empty()) return {1, 1};
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) throw UsageError("--shard '" + text + "': expected i/n, such as 2/4");
    const auto shard = parseInteger("--shard", text.substr(0, slash), 1);
    const auto shards = parseInteger("--shard", text.substr(slash + 1), 1);
    if (shard > shards || shards > 100'000)
        throw UsageError("--shard '" + text + "': expected i/n with i from 1 to n, at most 100000");
    return {static_cast<int>(shard), static_cast<int>(shards)};
}

}  // namespace

void checkPieces(const Options& options) {
    shardOf(options.shard);
    if (!options.shard.empty() && !options.merged && !options.out.empty() &&
        std::filesystem::path(options.out).extension() != ".json")
        throw UsageError("--out '" + options.out + "': a shard has pieces and no table; expected a name in .json");
}

std::shared_ptr<PieceFile> openPieces(const Options& options, const Inputs& inputs) {
    const std::string& dump = inputs.source->info().identity.sha256;
    if (options.merged) {
        const PieceRun& run = options.merged->run();
        if (run.dump != dump)
            throw kernels::FormatError(
                {options.file, "/", "it is not the dump that the shards were made from", "give the dump with --file"});
        if (run.parameters != (options.params.empty() ? "" : hashOfFile(options.params)))
            throw kernels::FormatError(
                {options.params, "/", "it is not the parameter file of the shards", "restore the file"});
        return options.merged;
    }
    if (options.shard.empty() && options.resume.empty()) return nullptr;
    const kernels::BackendInfo backend = inputs.backend->info();
    const auto [shard, shards] = shardOf(options.shard);
    return PieceFile::resumed(
        {analysis::programVersion(), options.words.front(), computedArguments(options), options.file, dump,
         options.params.empty() ? "" : hashOfFile(options.params), backend.name, backend.device, shard, shards},
        options.resume);
}

VerbOutput shardOutput(const Options& options, PieceFile& store, const analysis::Provenance& provenance,
                       const std::vector<analysis::Warning>& warnings) {
    if (options.merged) throw kernels::Error("the shards lack pieces of their run; compute them again");
    store.save(true);
    VerbOutput output;
    output.pieces = store.text(true);
    output.text =
        fmt::format("shard {}/{} is finished: {} pieces\n", store.run().shard, store.run().shards, store.size());
    output.table.provenance = provenance;
    output.warnings = warnings;
    return output;
}

}  // namespace dimscope::app
