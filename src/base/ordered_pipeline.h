#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/threads.h"

namespace eatt {

// A stream worked on by many threads whose result does not depend on their number:
//   bool read(Chunk&)   fills the next chunk; false at the end of the stream
//   void work(Chunk&)   runs on many threads at once, each on its own chunk
//   void write(Chunk&)  sees the chunks in the order in which they were read
// read and write each run on one thread at a time, alongside the workers, within the number of
// threads that parallel_for allows. Chunks are reused, so their buffers grow once; read() clears
// what it fills. Memory: 6 chunks per thread and a few more.
template <typename Chunk, typename Read, typename Work, typename Write>
void ordered_pipeline(Read&& read, Work&& work, Write&& write) {
  struct Round {
    std::vector<Chunk> chunks;
    size_t used = 0;
  };
  // More chunks than threads: a slow one then holds up the others only briefly.
  const size_t width = 2 * static_cast<size_t>(thread_count()) + 2;
  Round reading{std::vector<Chunk>(width)}, working{std::vector<Chunk>(width)},
      writing{std::vector<Chunk>(width)};

  const auto read_round = [&](Round& round) {
    round.used = 0;
    while (round.used < width && read(round.chunks[round.used])) ++round.used;
  };
  bool more = true;
  do {
    parallel_for(working.used + 2, [&](size_t i) {
      if (i == 0) {
        if (more) read_round(reading);
      } else if (i == 1) {
        for (size_t k = 0; k < writing.used; ++k) write(writing.chunks[k]);
      } else {
        work(working.chunks[i - 2]);
      }
    });
    more = reading.used == width;
    writing.used = 0;
    std::swap(working, writing);  // What was worked on is written next,
    std::swap(reading, working);  // and what was read is worked on.
    reading.used = 0;
  } while (more || working.used > 0 || writing.used > 0);
}

}  // namespace eatt
