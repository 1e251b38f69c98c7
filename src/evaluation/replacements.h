#pragma once

#include <string>
#include <string_view>

namespace eatt::evaluation {

// Every `from` in `line` becomes `to`, from left to right, results not looked at again.
void replace_all(std::string& line, std::string_view from, std::string_view to);

// Writes out &quot; &amp; &lt; &gt; in this order, so &amp;lt; becomes <.
void replace_entities(std::string& line);

}  // namespace eatt::evaluation
