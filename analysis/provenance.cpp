// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/provenance.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace dimscope::analysis {
namespace {

struct ValueText {
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    template <class T>
    std::string operator()(const std::vector<T>& values) const {
        return fmt::format("{}", fmt::join(values, ","));
    }
};

}  // namespace

std::string programVersion() { return DIMSCOPE_VERSION; }

std::string timestampNow() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                       utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string provenanceLine(const Provenance& provenance) {
    std::string line = fmt::format("{} {} · {}", provenance.program, provenance.version, provenance.verb);
    if (!provenance.dump.name.empty()) line += " · " + provenance.dump.name;
    if (!provenance.dump.sha256.empty()) line += fmt::format(" (sha256 {}…)", provenance.dump.sha256.substr(0, 12));
    for (const auto& [name, value] : provenance.selection)
        line += fmt::format(" · {} {}", name, std::visit(ValueText{}, value));
    for (const auto& [name, value] : provenance.parameters)
        line += fmt::format(" · {} {}", name, std::visit(ValueText{}, value));
    return line + fmt::format(" · {} · seed {} · {}", provenance.backend, provenance.seed, provenance.started);
}

}  // namespace dimscope::analysis
