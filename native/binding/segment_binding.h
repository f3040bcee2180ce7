// NativeSegment of src/native/native.ts: one wrapper over core/segment.h.
#ifndef MYKAFKA_BINDING_SEGMENT_BINDING_H_
#define MYKAFKA_BINDING_SEGMENT_BINDING_H_

#include <napi.h>

#include <memory>

#include "core/entry.h"
#include "core/file.h"
#include "core/segment.h"
#include "core/status.h"

namespace mykafka {

// Defines the class and the functions that create and open segments.
void DefineSegment(Napi::Env env, Napi::Object exports);

// The segment behind a NativeSegment. A TypeError for any other value.
std::shared_ptr<Segment> SegmentOf(Napi::Env env, Napi::Value value);

// 'mykafka' or 'kafka', else a RangeError.
RecordFormat FormatArgument(const Napi::Value& value, const char* name);

// The log file of a NativeSegment: the one that `pin` keeps, also behind `close`, else as the segment gives
// it. A TypeError for any other value.
Result<std::shared_ptr<File>> FileOf(Napi::Env env, Napi::Value value);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_SEGMENT_BINDING_H_
