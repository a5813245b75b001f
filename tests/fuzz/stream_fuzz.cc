// The pipe formats, cut into pieces: the first byte chooses the format, the second the size of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stream/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  using mq::stream::Format;
  constexpr Format kFormats[] = {Format::kLines, Format::kNul, Format::kWhole, Format::kJson, Format::kMsgpack};
  mq::stream::ReaderOptions options;
  options.format = kFormats[data[0] % 5];
  if (data[0] > 200) options.delimiter = "<EOM>";
  mq::stream::Reader reader(options);
  const size_t piece = data[1] + 1;
  mq::stream::InputRecord record;
  const auto take_all = [&] {
    while (true) {
      const auto more = reader.Next(record);
      if (!more) return false;
      if (!*more) return true;
    }
  };
  for (size_t at = 2; at < size; at += piece) {
    reader.Feed(std::string_view(reinterpret_cast<const char*>(data) + at, std::min(piece, size - at)));
    if (!take_all()) return 0;
  }
  reader.EndInput();
  take_all();
  return 0;
}
