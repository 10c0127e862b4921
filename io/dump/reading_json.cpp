// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/reading_json.h"

#include <cmath>
#include <limits>

#include "io/message_text.h"
#include "io/provenance_json.h"

namespace dimscope::io {
namespace {

using Json = nlohmann::ordered_json;

/// Names in a file are bytes: those that are no text stand as numbers.
Json nameJson(const std::string& name) {
    if (printable(name, std::string::npos) == name) return name;
    Json bytes = Json::array();
    for (const char c : name) bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

std::string nameFromJson(const Json& json) {
    if (json.is_string()) return json.get<std::string>();
    std::string name;
    for (const Json& byte : json) name.push_back(static_cast<char>(byte.get<unsigned char>()));
    return name;
}

struct AttributeJson {
    Json operator()(const std::string& text) const { return nameJson(text); }
    Json operator()(double number) const { return numberJson(number); }
    template <class T>
    Json operator()(const T& value) const {
        return value;
    }
};

AttributeValue attributeFromJson(const Json& json) {
    if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return json.get<std::string>();
    if (!json.empty() && json.front().is_string()) return json.get<std::vector<std::string>>();
    return json.get<std::vector<double>>();
}

const char* outsideText(OpenPolicy::Outside outside) {
    switch (outside) {
        case OpenPolicy::Outside::OwnFolder: return "links";
        case OpenPolicy::Outside::Anywhere: return "outside";
        default: return "";
    }
}

Json candidateJson(const ReadingCandidate& candidate) {
    return {{"title", printable(candidate.title, std::string::npos)},
            {"evidence", printable(candidate.evidence, std::string::npos)},
            {"decision", decisionsJson(candidate.decision)},
            {"number", candidate.number}};
}

/// Text for a person, whoever wrote it.
std::string wordsFromJson(const Json& json, const char* key) {
    return printable(json.at(key).get<std::string>(), std::string::npos);
}

ReadingQuestion questionFromJson(const Json& json) {
    ReadingQuestion question{wordsFromJson(json, "topic"), wordsFromJson(json, "text"), {}};
    for (const Json& entry : json.at("candidates")) {
        ReadingCandidate candidate{wordsFromJson(entry, "title"), wordsFromJson(entry, "evidence"),
                                   decisionsFromJson(entry.at("decision")), wordsFromJson(entry, "number")};
        candidate.decision.outside = OpenPolicy::Outside::Never;
        question.candidates.push_back(std::move(candidate));
    }
    return question;
}

}  // namespace

Json decisionsJson(const ReadingDecisions& decisions) {
    Json map = Json::array(), attributes = Json::object();
    for (const auto& [role, path] : decisions.map) map.push_back({nameJson(role), nameJson(path)});
    for (const auto& [name, value] : decisions.attributes) attributes[name] = std::visit(AttributeJson{}, value);
    return {{"map", map},
            {"attributes", attributes},
            {"valid", decisions.valid},
            {"rotate", decisions.rotate},
            {"allow", outsideText(decisions.outside)}};
}

ReadingDecisions decisionsFromJson(const Json& json) {
    try {
        ReadingDecisions decisions;
        for (const Json& entry : json.at("map"))
            decisions.map.emplace_back(nameFromJson(entry.at(0)), nameFromJson(entry.at(1)));
        for (const auto& [name, value] : json.at("attributes").items())
            decisions.attributes.emplace(name, attributeFromJson(value));
        decisions.valid = json.at("valid").get<std::string>();
        decisions.rotate = json.at("rotate").get<bool>();
        const auto allowed = json.at("allow").get<std::string>();
        for (const auto outside : {OpenPolicy::Outside::OwnFolder, OpenPolicy::Outside::Anywhere})
            if (allowed == outsideText(outside)) decisions.outside = outside;
        return decisions;
    } catch (const nlohmann::json::exception& error) {
        throw kernels::FormatError({"", "/", std::string("these are no decisions: ") + error.what(), ""});
    }
}

std::string ambiguityText(const AmbiguousReading& ambiguity) {
    Json candidates = Json::array();
    for (const ReadingCandidate& candidate : ambiguity.question().candidates)
        candidates.push_back(candidateJson(candidate));
    const auto& parts = ambiguity.parts();
    const Json json{{"file", printable(parts.file, std::string::npos)},
                    {"object", printable(parts.object, std::string::npos)},
                    {"cause", printable(parts.cause, std::string::npos)},
                    {"advice", printable(parts.advice, std::string::npos)},
                    {"topic", ambiguity.question().topic},
                    {"text", printable(ambiguity.question().text, std::string::npos)},
                    {"candidates", candidates}};
    return json.dump();
}

std::optional<AmbiguousReading> ambiguityFromText(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        return AmbiguousReading({wordsFromJson(json, "file"), wordsFromJson(json, "object"),
                                 wordsFromJson(json, "cause"), wordsFromJson(json, "advice")},
                                questionFromJson(json));
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    } catch (const kernels::FormatError&) {
        return std::nullopt;
    }
}

}  // namespace dimscope::io
