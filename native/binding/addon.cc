// The addon's entry: defines what src/native/native.ts lists.
#include <napi.h>

#include "binding/addon_state.h"
#include "binding/arguments.h"
#include "binding/cleaner_binding.h"
#include "binding/file_binding.h"
#include "binding/log_check_binding.h"
#include "binding/segment_binding.h"
#include "binding/socket_receive_binding.h"
#include "binding/socket_sender_binding.h"
#include "core/crc32.h"
#include "core/crc32c.h"
#include "core/record.h"
#include "core/record_batch.h"

#ifndef MYKAFKA_SOURCE_STAMP
#error "the build passes MYKAFKA_SOURCE_STAMP (scripts/addon.cjs)"
#endif

namespace mykafka {

namespace {

template <uint32_t (*checksum)(uint32_t, const void*, size_t)>
Napi::Value Checksum(const Napi::CallbackInfo& info) {
  Napi::Uint8Array data = BytesArgument(info[0], "data");
  uint32_t seed = 0;
  if (info.Length() > 1 && !info[1].IsUndefined()) {
    seed = static_cast<uint32_t>(IntegerArgument(info[1], "seed", 0, UINT32_MAX));
  }
  return Napi::Number::New(info.Env(), checksum(seed, data.Data(), data.ByteLength()));
}

Napi::Value CheckPackedRecords(const Napi::CallbackInfo& info) {
  Napi::Uint8Array data = BytesArgument(info[0], "data");
  uint32_t count = static_cast<uint32_t>(IntegerArgument(info[1], "count", 0, INT32_MAX));
  const bool keys_required = info[2].IsBoolean() && info[2].As<Napi::Boolean>().Value();
  Result<PackedSummary> summary = CheckPacked(data.Data(), data.ByteLength(), count, keys_required);
  if (!summary.ok()) throw ToError(info.Env(), summary.status());
  return Napi::Number::New(info.Env(), static_cast<double>(summary->stored_length));
}

// src/native/native.ts: BATCH.
constexpr size_t kBatchFields = 10;

void CheckKafkaBatch(const Napi::CallbackInfo& info) {
  Napi::Uint8Array data = BytesArgument(info[0], "data");
  const auto max_length = static_cast<size_t>(OffsetArgument(info[1], "maxBytes"));
  Napi::Float64Array out = NumbersArgument(info[2], "out", kBatchFields);
  Result<BatchHeader> header = CheckBatch(data.Data(), data.ByteLength(), max_length);
  if (!header.ok()) throw ToError(info.Env(), header.status());
  double* fields = out.Data();
  fields[0] = static_cast<double>(header->length());
  fields[1] = header->count;
  fields[2] = header->last_offset_delta;
  fields[3] = header->attributes;
  fields[4] = static_cast<double>(header->base_timestamp);
  fields[5] = static_cast<double>(header->max_timestamp);
  fields[6] = static_cast<double>(header->producer_id);
  fields[7] = header->producer_epoch;
  fields[8] = header->base_sequence;
  fields[9] = header->leader_epoch;
}

void SetErrorFactory(const Napi::CallbackInfo& info) {
  AddonState::Of(info.Env()).make_error = Napi::Persistent(FunctionArgument(info[0], "make"));
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new AddonState(env));
  exports.Set("sourceStamp", MYKAFKA_SOURCE_STAMP);
  exports.Set("crc32Implementation", Crc32Implementation());
  exports.Set("crc32cImplementation", Crc32cImplementation());
  exports.Set("setErrorFactory", Napi::Function::New(env, SetErrorFactory, "setErrorFactory"));
  exports.Set("crc32", Napi::Function::New(env, Checksum<&Crc32>, "crc32"));
  exports.Set("crc32c", Napi::Function::New(env, Checksum<&Crc32c>, "crc32c"));
  exports.Set("checkPacked", Napi::Function::New(env, CheckPackedRecords, "checkPacked"));
  exports.Set("checkBatch", Napi::Function::New(env, CheckKafkaBatch, "checkBatch"));
  DefineSegment(env, exports);
  DefineFiles(env, exports);
  DefineLogCheck(env, exports);
  DefineCleaner(env, exports);
  DefineSocketSender(env, exports);
  DefineSocketReceive(env, exports);
  return exports;
}

}  // namespace

}  // namespace mykafka

static Napi::Object InitAddon(Napi::Env env, Napi::Object exports) {
  return mykafka::Init(env, exports);
}

NODE_API_MODULE(mykafka, InitAddon)
