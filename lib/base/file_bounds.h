// Reading files that people and programs write as text: settings, tables, backups. None of them is ever large, and a
// path may name anything (a device without an end, the wrong file): what is read (ReadFileUpTo, base/file.h) is
// bounded.
#pragma once

#include <cstddef>

namespace mq {

// topics.json of 100,000 topics has 15 MiB. A larger one was not written by a broker.
inline constexpr size_t kMaxTableFileBytes = size_t{256} << 20;
// Settings are a few kilobytes, however many comments they have.
inline constexpr size_t kMaxSettingsFileBytes = size_t{4} << 20;

}  // namespace mq
