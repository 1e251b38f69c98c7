#include "convert/xml_reader.h"

#include <expat.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>
#include <type_traits>

#include "base/error.h"
#include "base/text/utf8.h"

// Version 2.4 added the protection against entities that multiply text.
static_assert(XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 4));

namespace eatt::convert {
namespace {

constexpr int kBlockBytes = 1 << 18;
constexpr int kMostDepth = 256;
// Expat keeps a whole tag, comment or declaration in memory, and what comes before the root.
constexpr uint64_t kMostPendingBytes = uint64_t{16} << 20;

std::string_view without_prefix(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

class XmlReader {
 public:
  XmlReader(const TextFile& file, XmlHandler& handler)
      : name_(file.name), handler_(handler), parser_(XML_ParserCreate(nullptr)) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetSkippedEntityHandler(parser_.get(), on_skipped_entity);
    XML_SetExternalEntityRefHandler(parser_.get(), on_external_entity);
  }

  void read(ByteSource& source, const std::function<void(uint64_t)>& progress) {
    for (bool more = true; more;) {
      void* const room = XML_GetBuffer(parser_.get(), kBlockBytes);
      if (room == nullptr) throw std::bad_alloc();
      const size_t got = source.read({static_cast<char*>(room), kBlockBytes});
      more = got > 0;
      const auto status = XML_ParseBuffer(parser_.get(), static_cast<int>(got), /*isFinal=*/!more);
      if (failure_) std::rethrow_exception(failure_);
      if (status != XML_STATUS_OK) fail(reason());
      fed_ += got;
      check_pending();
      progress(source.taken());
    }
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  // Exceptions must not pass through expat, which is C: the first one is kept until it returns.
  template <typename Call>
  static void guard(void* self, Call&& call) {
    auto& reader = *static_cast<XmlReader*>(self);
    if (reader.failure_) return;
    try {
      call(reader);
    } catch (...) {
      reader.failure_ = std::current_exception();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }

  static void on_start(void* self, const char* name, const char** attributes) {
    guard(self, [&](XmlReader& reader) {
      if (++reader.depth_ > kMostDepth) {
        reader.fail(fmt::format("elements are nested more than {} deep", kMostDepth));
      }
      reader.has_root_ = true;
      reader.handler_.start(without_prefix(name), XmlAttributes(attributes));
    });
  }

  static void on_end(void* self, const char* name) {
    guard(self, [&](XmlReader& reader) {
      --reader.depth_;
      reader.handler_.end(without_prefix(name));
    });
  }

  static void on_text(void* self, const char* text, int size) {
    guard(self, [&](XmlReader& reader) {
      reader.handler_.text({text, static_cast<size_t>(size)});
    });
  }

  static void on_skipped_entity(void* self, const char* name, int is_parameter) {
    if (is_parameter != 0) return;  // Declares things; those that are used come here themselves.
    guard(self, [&](XmlReader& reader) {
      reader.fail(fmt::format("the entity {} is not defined in this file",
                              in_quotes(fmt::format("&{};", name))));
    });
  }

  // Without this, expat would silently drop the entity.
  static int on_external_entity(XML_Parser parser, const char*, const char*, const char* where,
                                const char*) {
    guard(XML_GetUserData(parser), [&](XmlReader& reader) {
      reader.fail(fmt::format("an entity is in another file, {}, and other files are not read",
                              in_quotes(where != nullptr ? where : "")));
    });
    return XML_STATUS_ERROR;
  }

  std::string reason() const {
    const XML_Error error = XML_GetErrorCode(parser_.get());
    const bool is_wrong = error == XML_ERROR_SYNTAX || error == XML_ERROR_INVALID_TOKEN;
    if (!has_root_ && is_wrong) {
      return "this is not XML; a table of source<TAB>target needs --format tsv";
    }
    switch (error) {
      case XML_ERROR_NO_ELEMENTS:
        return has_root_ ? "the file ends early" : "the file has no XML element";
      case XML_ERROR_UNCLOSED_TOKEN:
      case XML_ERROR_UNCLOSED_CDATA_SECTION:
      case XML_ERROR_PARTIAL_CHAR:
        return "the file ends early";
      case XML_ERROR_INVALID_TOKEN:
        return "not well-formed XML: a '<' or '&' that is not escaped, or bytes that are not in "
               "the "
               "file's encoding";
      case XML_ERROR_UNKNOWN_ENCODING:
      case XML_ERROR_INCORRECT_ENCODING:
        return "the encoding is not supported; convert the file to UTF-8 first";
      case XML_ERROR_AMPLIFICATION_LIMIT_BREACH:
        return "its entities would expand to far more text than the file has";
      case XML_ERROR_NO_MEMORY:
        throw std::bad_alloc();
      default:
        return fmt::format("not well-formed XML ({})", XML_ErrorString(error));
    }
  }

  void check_pending() const {
    const auto at = has_root_ ? XML_GetCurrentByteIndex(parser_.get()) : 0;
    if (at < 0 || fed_ - static_cast<uint64_t>(at) <= kMostPendingBytes) return;
    fail(has_root_ ? "a tag or comment of more than 16 MB"
                   : "the first element comes after more than 16 MB");
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(fmt::format("{}: line {}, column {}: {}", name_,
                            XML_GetCurrentLineNumber(parser_.get()),
                            XML_GetCurrentColumnNumber(parser_.get()) + 1, reason));
  }

  std::string name_;
  XmlHandler& handler_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  std::exception_ptr failure_;
  int depth_ = 0;
  bool has_root_ = false;
  uint64_t fed_ = 0;  // Bytes of the document, unpacked.
};

}  // namespace

std::optional<std::string_view> XmlAttributes::find(std::string_view name) const {
  for (const char** pair = pairs_; pair[0] != nullptr; pair += 2) {
    if (name == pair[0]) return pair[1];
  }
  return std::nullopt;
}

void read_xml(const TextFile& file, XmlHandler& handler,
              const std::function<void(uint64_t)>& progress) {
  const auto source = open_bytes(file);
  XmlReader(file, handler).read(*source, progress);
}

}  // namespace eatt::convert
