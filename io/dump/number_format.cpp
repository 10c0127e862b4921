// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/number_format.h"

#include <fmt/format.h>

#include "io/dump/reading_question.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

enum class Pattern { Unsaid, Ieee, Half, Brain, E4M3, E5M2 };

std::optional<Pattern> patternFrom(std::string text) {
    text = lowered(std::move(text));
    if (text.starts_with("torch.")) text.erase(0, 6);
    if (text == "ieee") return Pattern::Ieee;
    if (text == "float16" || text == "f16" || text == "half") return Pattern::Half;
    if (text == "bf16" || text == "bfloat16") return Pattern::Brain;
    if (text == "fp8_e4m3fn" || text == "fp8_e4m3" || text == "float8_e4m3fn") return Pattern::E4M3;
    if (text == "fp8_e5m2" || text == "float8_e5m2") return Pattern::E5M2;
    return std::nullopt;
}

ReadingCandidate encodingCandidate(const char* encoding, const char* title, const char* evidence) {
    return attributeCandidate("encoding", encoding, title, evidence);
}

/// `integersToo`: not where a word about the encoding stands in the way.
std::vector<ReadingCandidate> encodingCandidates(const ElementType& type, bool integersToo) {
    std::vector<ReadingCandidate> candidates;
    if (type.kind == ElementType::Class::Float)
        return {encodingCandidate("ieee", "the numbers of its type", "the type of the file says it without the word")};
    if (type.bytes == 2) {
        candidates.push_back(encodingCandidate(
            "bf16", "bit patterns of bf16", "bfloat16 is stored as 16-bit integers by libraries that lack the type"));
        candidates.push_back(encodingCandidate("ieee", "bit patterns of float16",
                                               "most libraries have a type for float16 and need no integers"));
    }
    if (type.bytes == 1) {
        candidates.push_back(encodingCandidate("fp8_e4m3fn", "bit patterns of FP8 E4M3FN",
                                               "8-bit floats for activations: largest 448, no infinities"));
        candidates.push_back(encodingCandidate("fp8_e5m2", "bit patterns of FP8 E5M2",
                                               "8-bit floats for gradients: largest 57344, with infinities"));
    }
    if (integersToo && type.kind == ElementType::Class::Integer) {
        ReadingCandidate quantised{
            "integers times a factor", "quantised numbers; the file does not say the factor", {}, "scale_factor"};
        quantised.decision.attributes["scale_factor"] = 1.0;
        candidates.push_back(std::move(quantised));
    }
    return candidates;
}

/// What the attribute `encoding` says, or those under which other programs note a type.
Pattern statedPattern(const StoredArray& array, const AttributeScope& scope) {
    if (const std::optional<std::string> encoding = scope.text("encoding")) {
        const std::optional<Pattern> pattern = patternFrom(*encoding);
        if (!pattern)
            askReading(array.place(), fmt::format("has encoding=\"{}\", which is not known here", printable(*encoding)),
                       "known: ieee, float16, bf16, fp8_e4m3fn, fp8_e5m2",
                       {"encoding",
                        fmt::format("{} has encoding=\"{}\", which is not known, and the type {}. What are its values?",
                                    array.place().object, printable(*encoding), array.layout().type.text()),
                        encodingCandidates(array.layout().type, false)});
        return *pattern;
    }
    for (const char* name : {"dtype", "torch_dtype"})
        if (const std::optional<AttributeValue> value = scope.find(name))
            if (const auto* text = std::get_if<std::string>(&*value))
                if (const std::optional<Pattern> pattern = patternFrom(*text)) return *pattern;
    return Pattern::Unsaid;
}

bool isFloat(const ElementType& type, std::size_t bytes, int exponentBits, std::size_t bias) {
    return type.kind == ElementType::Class::Float && type.plainLayout && type.bytes == bytes &&
           type.exponentBits == exponentBits && type.exponentBias == bias;
}

NumberFormat integerFormat(const ElementType& type) {
    const bool plain = type.wholeWord && (type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8);
    if (!plain) return {NumberEncoding::Converted, false, 0, false};
    return {NumberEncoding::Integer, type.bigEndian, type.bytes, type.isSigned};
}

[[noreturn]] void askEncoding(const StoredArray& array) {
    const ElementType& type = array.layout().type;
    ReadingQuestion question{"encoding",
                             fmt::format("{} has the type {}. What are its values?", array.place().object, type.text()),
                             encodingCandidates(type, true)};
    if (type.bytes == 2)
        askReading(
            array.place(),
            fmt::format("has type {}: its values could be bit patterns of bf16 (bfloat16), of float16{}, and nothing "
                        "says which encoding",
                        type.text(),
                        type.kind == ElementType::Class::Integer ? " (half) or quantised integers" : " (half)"),
            "say which: --encoding bf16, --encoding ieee (float16), or --scale-factor for integers",
            std::move(question));
    askReading(array.place(),
               fmt::format("has type {} without scale_factor or encoding: integer codes are not numbers", type.text()),
               type.bytes == 1 ? "give --scale-factor, or --encoding fp8_e4m3fn or fp8_e5m2" : "give --scale-factor",
               std::move(question));
}

/// Integers and opaque bytes: bit patterns of floats, or quantised numbers.
NumberFormat codedFormat(const StoredArray& array, const AttributeScope& scope, Pattern pattern) {
    const ElementType& type = array.layout().type;
    if (type.bytes == 2 && pattern == Pattern::Brain) return {NumberEncoding::BFloat16, type.bigEndian, 0, false};
    if (type.bytes == 2 && (pattern == Pattern::Half || pattern == Pattern::Ieee))
        return {NumberEncoding::Float16, type.bigEndian, 0, false};
    if (type.bytes == 1 && pattern == Pattern::E4M3) return {NumberEncoding::Float8E4M3, false, 0, false};
    if (type.bytes == 1 && pattern == Pattern::E5M2) return {NumberEncoding::Float8E5M2, false, 0, false};
    const bool integers = type.kind == ElementType::Class::Integer;
    if (integers && !scope.numbers("scale_factor").empty()) return integerFormat(type);
    askEncoding(array);
}

NumberFormat floatFormat(const StoredArray& array, Pattern pattern, std::vector<analysis::Warning>& warnings) {
    const ElementType& type = array.layout().type;
    const bool big = type.bigEndian;
    if (isFloat(type, 2, 8, 127)) return {NumberEncoding::BFloat16, big, 0, false};
    if (isFloat(type, 2, 5, 15)) return {NumberEncoding::Float16, big, 0, false};
    if (isFloat(type, 4, 8, 127)) return {NumberEncoding::Float32, big, 0, false};
    if (isFloat(type, 8, 11, 1023)) return {NumberEncoding::Float64, big, 0, false};
    if (isFloat(type, 1, 5, 15)) return {NumberEncoding::Float8E5M2, false, 0, false};
    if (isFloat(type, 1, 4, 7)) {
        if (pattern != Pattern::E4M3)
            warnings.push_back(
                {"encoding_assumed", array.place().object,
                 "8-bit floats with 4 exponent bits are read as FP8 E4M3FN (no infinities, largest 448)"});
        return {NumberEncoding::Float8E4M3, false, 0, false};
    }
    warnings.push_back(
        {"converted", array.place().object,
         fmt::format("{} is a non-standard type here; it is converted to double, which may lose precision",
                     type.text())});
    return {NumberEncoding::Converted, false, 0, false};
}

}  // namespace

NumberFormat numberFormatOf(const StoredArray& array, const AttributeScope& scope,
                            std::vector<analysis::Warning>& warnings) {
    const ElementType& type = array.layout().type;
    const Pattern pattern = statedPattern(array, scope);
    switch (type.kind) {
        case ElementType::Class::Integer:
        case ElementType::Class::Opaque: return codedFormat(array, scope, pattern);
        case ElementType::Class::Float: {
            const NumberFormat format = floatFormat(array, pattern, warnings);
            const bool contradicts = (pattern == Pattern::Brain && format.encoding != NumberEncoding::BFloat16) ||
                                     (pattern == Pattern::E4M3 && format.encoding != NumberEncoding::Float8E4M3) ||
                                     (pattern == Pattern::E5M2 && format.encoding != NumberEncoding::Float8E5M2);
            if (contradicts && scope.isOwn("encoding") && !scope.isDecided("encoding"))
                array.place().refuse(
                    fmt::format("has encoding=\"{}\" but type {}", printable(*scope.text("encoding")), type.text()),
                    "correct the attribute");
            return format;
        }
        default: break;
    }
    array.place().refuse(fmt::format("has type {}, expected floating-point numbers", type.text()),
                         "write float16, float32, float64 or bf16");
}

}  // namespace dimscope::io
