// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dimscope::analysis {

/// Odd but usable input: what, where, in words.
struct Warning {
    std::string code;   ///< short, stable, machine-readable: "nonfinite", "overlap"
    std::string place;  ///< "layer 15 head 4", a dataset path, or ""
    std::string text;   ///< one sentence
    friend bool operator==(const Warning&, const Warning&) = default;
};

/// What a file is, independent of its path (cli.md: SHA-256 over size and the used datasets' metadata and first 64
/// KiB).
struct DumpIdentity {
    std::string name;
    std::int64_t sizeBytes = 0;
    std::string sha256;
};

using ParameterValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

/// What was computed from what, by which back end. Inside every result, table and figure.
struct Provenance {
    std::string program = "dimscope";
    std::string version;
    std::string verb;  ///< "profile", "compare", ...
    std::string backend;
    std::string device;
    std::uint64_t seed = 0;
    DumpIdentity dump;
    std::vector<std::pair<std::string, ParameterValue>> selection;   ///< layers, heads, prompts, length
    std::vector<std::pair<std::string, ParameterValue>> parameters;  ///< in the order a person would read them
    std::string started;                                             ///< ISO 8601, UTC
    double elapsedSeconds = 0.0;
};

/// Program version, made by the build.
std::string programVersion();
/// Now, ISO 8601 in UTC with seconds.
std::string timestampNow();
/// "dimscope 0.1.0 · compare · smollm2-sample.h5 (sha256 1a2b3c4d…) · layers 15 · cpu · seed 0": for captions and file
/// headers.
std::string provenanceLine(const Provenance& provenance);

}  // namespace dimscope::analysis
