// NativeSegment of src/native/native.ts: one wrapper over core/segment.h.
#ifndef MYKAFKA_BINDING_SEGMENT_BINDING_H_
#define MYKAFKA_BINDING_SEGMENT_BINDING_H_

#include <napi.h>

#include <memory>

#include "core/segment.h"

namespace mykafka {

// Defines the class and the functions that create and open segments.
void DefineSegment(Napi::Env env, Napi::Object exports);

// The segment behind a NativeSegment; a TypeError for anything else.
std::shared_ptr<Segment> SegmentOf(Napi::Env env, Napi::Value value);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_SEGMENT_BINDING_H_
