#pragma once

#include <memory>

#include "convert/pair_collector.h"
#include "convert/xml_reader.h"

namespace eatt::convert {

// Readers of translation memories and of translation jobs. Each is told of the elements of a
// document, its root included, and gives every unit in it to `pairs`.

// TMX 1.1 to 1.4: <tu> has a <tuv> for each language, with the text in <seg>. Of several that fit a
// language, one with exactly the tag that was asked for is taken, else the first.
std::unique_ptr<XmlHandler> make_tmx_reader(PairCollector& pairs);

// XLIFF 1.x (<trans-unit>) and 2.x (<segment> in <unit>), with <source> and <target>. The languages
// may be asked for in either direction. Suggestions, as in <alt-trans> and <matches>, are not read.
std::unique_ptr<XmlHandler> make_xliff_reader(PairCollector& pairs);

}  // namespace eatt::convert
