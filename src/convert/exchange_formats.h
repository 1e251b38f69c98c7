#pragma once

#include <memory>

#include "convert/pair_collector.h"
#include "convert/xml_reader.h"

namespace eatt::convert {

// Readers of translation memories and of translation jobs. Each receives the elements of a
// document, including its root, and adds every unit in it to `pairs`.

// TMX 1.1 to 1.4: <tu> has a <tuv> for each language, with the text in <seg>. If several match a
// language, the one with exactly the requested tag is used, otherwise the first.
std::unique_ptr<XmlHandler> make_tmx_reader(PairCollector& pairs);

// XLIFF 1.x (<trans-unit>) and 2.x (<segment> in <unit>), with <source> and <target>. The languages
// may be asked for in either direction. Suggestions, as in <alt-trans> and <matches>, are not read.
std::unique_ptr<XmlHandler> make_xliff_reader(PairCollector& pairs);

}  // namespace eatt::convert
