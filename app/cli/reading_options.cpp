// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reading_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/cli/lists.h"
#include "io/message_text.h"

namespace dimscope::app {
namespace {

constexpr const char* kValidHelp =
    "Which counts where they disagree, length or mask; content: identical or zero keys at the ends of a prompt are "
    "padding";

/// Attribute, option, value and help of what is decided about tensors.
struct DecidedAttribute {
    const char* attribute;
    const char* option;
    std::string ReadingOptions::*value;
    const char* help;
    bool number;
};

const std::vector<DecidedAttribute>& decidedAttributes() {
    static const std::vector<DecidedAttribute> all{
        {"axes", "--axes", &ReadingOptions::axes, "Axes of q, k, v: \"prompt head pos dim\" in the file's order",
         false},
        {"encoding", "--encoding", &ReadingOptions::encoding, "Numbers of q, k, v: ieee, bf16, fp8_e4m3fn or fp8_e5m2",
         false},
        {"scale", "--scale", &ReadingOptions::scale, "Factor of the logits; the file's, else 1/sqrt(head_dim)", true},
        {"scale_factor", "--scale-factor", &ReadingOptions::scaleFactor, "Factor of stored integers", true},
        {"gqa", "--gqa", &ReadingOptions::gqa, "Order of heads: contiguous or strided", false},
        {"align", "--align", &ReadingOptions::align,
         "Positions of fewer queries than keys: end (the last, as with a KV cache) or start", false},
        {"rope", "--rope", &ReadingOptions::rope, "q and k are from before or after RoPE: pre, post or none", false},
        {"n_heads", "--n-heads", &ReadingOptions::nHeads, "Query heads, where the file does not say it", true},
        {"n_kv_heads", "--n-kv-heads", &ReadingOptions::nKvHeads, "Key/value heads", true},
        {"head_dim", "--head-dim", &ReadingOptions::headDim, "Dimensions of a head", true},
        {"rope_theta", "--rope-theta", &ReadingOptions::ropeTheta, "Base of RoPE", true},
        {"rope_layout", "--rope-layout", &ReadingOptions::ropeLayout, "half or interleaved", false},
        {"rotary_dim", "--rotary-dim", &ReadingOptions::rotaryDim, "Dimensions that rotate", true}};
    return all;
}

double numberOf(const char* option, const std::string& text) {
    double value = 0.0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        throw UsageError(fmt::format("{} '{}': expected a number", option, text));
    return value;
}

std::string attributeValueText(const io::AttributeValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    return io::attributeText(value);
}

}  // namespace

std::string readingWord(const std::string& word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./=+:,@%").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
    const bool printableText = io::printable(word, std::string::npos) == word;
    std::string text = printableText ? "'" : "$'";
    for (const char c : word) {
        const bool ascii = c >= ' ' && c < 127;
        if (c == '\'')
            text += printableText ? "'\\''" : "\\'";
        else if (printableText || (ascii && c != '\\'))
            text += c;
        else
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return text + "'";
}

std::vector<ReadingField> readingFields() {
    std::vector<ReadingField> fields;
    for (const DecidedAttribute& attribute : decidedAttributes())
        fields.push_back({attribute.option, attribute.value, attribute.help, {}, true});
    const auto choose = [&](std::string_view option, std::vector<const char*> choices, bool open) {
        for (ReadingField& field : fields)
            if (field.option == option) field.choices = std::move(choices), field.open = open;
    };
    choose("--axes",
           {"prompt head pos dim", "prompt pos head dim", "prompt pos head*dim", "head pos dim", "pos head dim",
            "dim pos head prompt", "dim head pos prompt"},
           true);
    choose("--encoding", {"ieee", "bf16", "fp8_e4m3fn", "fp8_e5m2"}, false);
    choose("--gqa", {"contiguous", "strided"}, false);
    choose("--align", {"end", "start"}, false);
    choose("--rope", {"post", "pre", "none"}, false);
    choose("--rope-layout", {"half", "interleaved"}, false);
    fields.push_back({"--valid", &ReadingOptions::valid, kValidHelp, {"length", "mask", "content"}, false});
    return fields;
}

ReadingOptions optionsFor(const io::ReadingDecisions& decisions) {
    ReadingOptions options;
    for (const DecidedAttribute& attribute : decidedAttributes())
        if (const auto decided = decisions.attributes.find(attribute.attribute); decided != decisions.attributes.end())
            options.*attribute.value = attributeValueText(decided->second);
    for (const auto& [role, path] : decisions.map) options.map.push_back(role + "=" + path);
    options.rotate = decisions.rotate;
    options.valid = decisions.valid;
    if (decisions.outside == io::OpenPolicy::Outside::OwnFolder) options.allow = "links";
    if (decisions.outside == io::OpenPolicy::Outside::Anywhere) options.allow = "outside";
    return options;
}

std::string readingArguments(const ReadingOptions& options) {
    std::vector<std::string> words;
    for (const std::string& entry : options.map) words.insert(words.end(), {"--map", readingWord(entry)});
    for (const ReadingField& field : readingFields())
        if (const std::string& text = options.*field.value; !text.empty())
            words.insert(words.end(), {field.option, readingWord(text)});
    if (options.rotate) words.emplace_back("--rotate");
    if (!options.allow.empty()) words.insert(words.end(), {"--allow", options.allow});
    return fmt::format("{}", fmt::join(words, " "));
}

void addReadingOptions(CLI::App& verb, ReadingOptions& options) {
    const char* const group = "Reading the file";
    verb.add_option("--map", options.map, "q=/path: the array that is q; also k, v, o, w_o, sink, qkv")->group(group);
    for (const DecidedAttribute& attribute : decidedAttributes())
        verb.add_option(attribute.option, options.*attribute.value, attribute.help)->group(group);
    verb.add_flag("--rotate", options.rotate, "Apply RoPE to q and k from before it")->group(group);
    verb.add_option("--valid", options.valid, kValidHelp)
        ->group(group)
        ->check(CLI::IsMember({"length", "mask", "content"}));
    verb.add_option("--allow", options.allow,
                    "Data outside the file: links (inside its folder) or outside; default: none is followed")
        ->group(group)
        ->check(CLI::IsMember({"links", "outside"}));
}

io::ReadingDecisions decisionsFrom(const ReadingOptions& options) {
    io::ReadingDecisions decisions;
    for (const DecidedAttribute& attribute : decidedAttributes()) {
        const std::string& text = options.*attribute.value;
        if (text.empty()) continue;
        if (attribute.number)
            decisions.attributes.emplace(attribute.attribute, numberOf(attribute.option, text));
        else
            decisions.attributes.emplace(attribute.attribute, text);
    }
    for (const std::string& entry : options.map) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size())
            throw UsageError(fmt::format("--map '{}': expected q=/path", entry));
        decisions.map.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    decisions.rotate = options.rotate;
    decisions.valid = options.valid;
    if (options.allow == "links") decisions.outside = io::OpenPolicy::Outside::OwnFolder;
    if (options.allow == "outside") decisions.outside = io::OpenPolicy::Outside::Anywhere;
    return decisions;
}

}  // namespace dimscope::app
