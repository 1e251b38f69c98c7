#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/files/text_file.h"

namespace eatt::convert {

// The attributes of a start tag.
class XmlAttributes {
 public:
  explicit XmlAttributes(const char** names_and_values) : pairs_(names_and_values) {}
  // Its value; nothing if the tag does not have it.
  std::optional<std::string_view> find(std::string_view name) const;

 private:
  const char** pairs_;  // Name, value, name, value, …, null.
};

// Receives the content of an XML document, in document order. Names of elements come without
// their namespace prefix, attributes as they are written; all text is UTF-8. A text may come in
// several parts.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void start(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end(std::string_view name) = 0;
  virtual void text(std::string_view text) = 0;
};

// Reads an XML document, plain or gzip, in UTF-8, UTF-16, ISO-8859-1 or ASCII, part by part: memory
// does not grow with the file. Nothing but this file is ever opened: external entities and document
// types are not read. Throws an Error with file, line and column where the document is not
// well-formed, refers to an entity that it does not define, nests elements more than 256 deep,
// multiplies text by entities that contain each other, or has a tag or comment above 16 MB. Calls
// `progress` with the bytes read from the file from time to time.
void read_xml(const TextFile& file, XmlHandler& handler,
              const std::function<void(uint64_t)>& progress);

}  // namespace eatt::convert
