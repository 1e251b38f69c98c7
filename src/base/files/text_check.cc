#include "base/files/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kStandardInput = "standard input";

// A file format, recognized by its first bytes. `command` writes the text of such a file to
// standard output; it is empty if there is no such command.
struct Format {
  std::string_view magic;
  std::string_view what;
  std::string_view command;
};

constexpr std::string_view kZip = "PK\x03\x04";

constexpr std::array kFormats = {
    Format{"\xfd"
           "7zXZ\0"sv,
           "is compressed with xz", "xz -dc"},
    Format{"BZh", "is compressed with bzip2", "bzip2 -dc"},
    Format{"\x28\xb5\x2f\xfd", "is compressed with zstd", "zstd -dc"},
    Format{"\x04\x22\x4d\x18", "is compressed with lz4", "lz4 -dc"},
    Format{kZip, "is a zip archive", "unzip -p"},
    Format{"7z\xbc\xaf\x27\x1c", "is a 7z archive", "7z x -so"},
    Format{"%PDF-", "is a PDF", ""},
    Format{"\x7f"
           "ELF",
           "is a program", ""},
    Format{"\x89PNG", "is a picture", ""},
    Format{"\xff\xd8\xff", "is a picture", ""},
};

// A line of text may begin with "BZh" too; in bzip2 files a digit and six known bytes follow.
bool is_format(const Format& format, std::string_view text) {
  if (!text.starts_with(format.magic)) return false;
  return format.magic != "BZh" || text.substr(4, 6) == "1AY&SY" ||
         text.substr(4, 6) == "\x17rE8P\x90";  // An empty file has only its end.
}

// Documents are zip archives of XML, recognized by their names or by their first file.
bool is_document(const std::string& name, std::string_view beginning) {
  if (!beginning.starts_with(kZip)) return false;
  const std::string ending = std::filesystem::path(name).extension().string();
  for (const char* own : {".docx", ".odt", ".xlsx", ".ods", ".pptx", ".odp", ".epub"}) {
    if (ending == own) return true;
  }
  const std::string_view first = beginning.substr(0, 100);
  return first.find("[Content_Types].xml") != first.npos || first.find("mimetype") != first.npos;
}

// The name without .xz; of another name, one that ends in .txt.
std::string unpacked_name(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string ending = path.extension().string();
  for (const char* own : {".xz", ".bz2", ".zst", ".lz4", ".zip", ".7z"}) {
    if (ending == own && path.stem().has_extension()) {
      return (path.parent_path() / path.stem()).string();
    }
  }
  return name + ".txt";
}

// "test.utf8.de" of test.de, so that its ending still names the language.
std::string converted_name(const std::string& name, const std::string& mark) {
  std::filesystem::path path = name;
  path.replace_extension(mark + path.extension().string());
  return path.string();
}

std::string shown(const std::string& name) { return printable(shell_quoted(name)); }

struct ByteCounts {
  size_t bytes = 0;
  size_t nul = 0;
  size_t invalid = 0;  // Not part of UTF-8; without a last character that was cut.
  size_t returns = 0;  // CR before something else than LF.
  bool has_newline = false;
};

ByteCounts count_bytes(std::string_view text) {
  ByteCounts counts{.bytes = text.size()};
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    if (character.code == 0) ++counts.nul;
    if (!character.is_valid()) ++counts.invalid;
    if (character.code == '\n') counts.has_newline = true;
    if (character.code == '\r' && at + 1 < text.size() && text[at + 1] != '\n') ++counts.returns;
    at += character.size;
  }
  return counts;
}

unsigned byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

// Whether the bytes are text in UTF-16 of this byte order: no character that text does not have,
// and a space, line end or CJK punctuation somewhere.
bool decodes_as_utf16(std::string_view text, bool big_endian) {
  bool has_gap = false, after_high = false;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    const unsigned unit = big_endian ? byte_at(text, at) << 8 | byte_at(text, at + 1)
                                     : byte_at(text, at + 1) << 8 | byte_at(text, at);
    const bool is_low = unit >= 0xdc00 && unit <= 0xdfff;
    if (is_low != after_high) return false;
    after_high = unit >= 0xd800 && unit <= 0xdbff;
    const bool is_space = unit == ' ' || unit == '\n' || unit == '\r' || unit == '\t';
    const bool is_control = unit < 0x20 || (unit >= 0x7f && unit < 0xa0);
    const bool is_private = unit >= 0xe000 && unit <= 0xf8ff;
    if ((is_control && !is_space) || is_private || unit >= 0xfffe) return false;
    has_gap |= is_space || (unit >= 0x3000 && unit <= 0x3002);
  }
  return has_gap;
}

// "utf-16", "UTF-16LE" or "UTF-16BE"; empty if it is none of them. In UTF-16, every ASCII character
// has a NUL byte. Text in other scripts has them in its spaces and line ends, and the rest of its
// bytes is hardly ever valid UTF-8.
std::string_view utf16_kind(std::string_view text, const ByteCounts& counts) {
  if (is_utf16(text)) return "utf-16";
  constexpr size_t kSomeInvalid = 4;
  const bool may_be =
      counts.nul > 0 && (3 * counts.nul > counts.bytes || counts.invalid >= kSomeInvalid);
  if (!may_be) return "";
  if (decodes_as_utf16(text, /*big_endian=*/false)) return "UTF-16LE";
  return decodes_as_utf16(text, /*big_endian=*/true) ? "UTF-16BE" : "";
}

// Whether the bytes above ASCII come in pairs that are common characters of Chinese text: rows 1 to
// 3 of GB 2312 (punctuation, digits) and 16 to 55 (the more frequent half of its characters).
bool looks_like_gb18030(std::string_view text) {
  size_t pairs = 0, common = 0, single = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const unsigned lead = byte_at(text, at);
    if (lead < 0x80) continue;
    const bool is_pair =
        at + 1 < text.size() && lead >= 0xa1 && lead <= 0xf7 && byte_at(text, at + 1) >= 0xa1;
    if (!is_pair) {
      ++single;
      continue;
    }
    ++pairs, ++at;
    if (lead <= 0xa3 || (lead >= 0xb0 && lead <= 0xd7)) ++common;
  }
  return pairs > 20 * single && 5 * common > 4 * pairs;
}

}  // namespace

void refuse_archive(const std::string& name, std::string_view beginning) {
  const auto format =
      std::ranges::find_if(kFormats, [&](const Format& one) { return is_format(one, beginning); });
  if (format == kFormats.end()) return;
  if (is_document(name, beginning)) {
    throw Error(name + ": is a document, not text; save it as plain text first");
  }
  const std::string what = fmt::format("{}: {}, not text", name, format->what);
  if (format->command.empty()) throw Error(what + "; expected a text file, plain or gzip");
  if (name == kStandardInput) {
    throw Error(fmt::format("{}; unpack it with `{}` first", what, format->command));
  }
  throw Error(fmt::format("{}; unpack it with `{} {} > {}`, or pipe it in: `{} {} | eatt …`", what,
                          format->command, shown(name), shown(unpacked_name(name)), format->command,
                          shown(name)));
}

bool may_become_archive(std::string_view beginning) {
  constexpr size_t kLongestMagic = 10;  // Of bzip2, with what follows "BZh".
  return beginning.size() < kLongestMagic &&
         std::ranges::any_of(kFormats, [&](const Format& format) {
           return format.magic.starts_with(beginning.substr(0, format.magic.size()));
         });
}

void expect_text(const std::string& name, std::string_view beginning) {
  const ByteCounts counts = count_bytes(beginning);
  const auto refuse = [&](std::string_view what, const std::string& advice) {
    throw Error(fmt::format("{}: {}; {}", name, what, advice));
  };
  const auto convert = [&](std::string_view encoding) {
    return "convert it with " + conversion_command(name, encoding);
  };
  if (const auto kind = utf16_kind(beginning, counts); !kind.empty()) {
    refuse("is UTF-16, expected UTF-8", convert(kind));
  }
  constexpr size_t kFewOddBytes = 16, kFewInvalidBytes = 8;
  const size_t odd = counts.nul + counts.invalid;
  if (counts.nul > 0 && odd >= kFewOddBytes && 20 * odd > counts.bytes) {
    refuse("looks like a binary file, not like text", "expected a text file, plain or gzip");
  }
  if (counts.invalid >= kFewInvalidBytes && 4 * counts.invalid > counts.bytes) {
    if (looks_like_gb18030(beginning)) {
      refuse("is not UTF-8", convert("GB18030") + " (if it is Chinese)");
    }
    refuse("is not UTF-8", convert("ENCODING") +
                               ", where ENCODING is what it was written in (`iconv -l` lists all)");
  }
  if (counts.returns >= 2 && !counts.has_newline) {
    const bool is_file = name != kStandardInput;
    refuse("has lines that end with CR alone, expected LF or CRLF",
           fmt::format(
               "convert it with `tr '\\r' '\\n'{}`{}",
               is_file ? fmt::format(" < {} > {}", shown(name), shown(converted_name(name, ".lf")))
                       : "",
               is_file ? "" : " first"));
  }
}

std::string conversion_command(const std::string& name, std::string_view encoding) {
  if (name == kStandardInput) return fmt::format("`iconv -f {} -t utf-8` first", encoding);
  const bool is_packed = name.ends_with(".gz");
  const std::string converted =
      converted_name(is_packed ? name.substr(0, name.size() - 3) : name, ".utf8");
  const std::string command =
      is_packed ? fmt::format("gzip -dc {} | iconv -f {} -t utf-8", shown(name), encoding)
                : fmt::format("iconv -f {} -t utf-8 {}", encoding, shown(name));
  return fmt::format("`{} > {}`", command, shown(converted));
}

}  // namespace eatt
