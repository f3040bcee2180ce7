#include "binding/log_check_binding.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "binding/addon_state.h"
#include "binding/arguments.h"
#include "core/log_check.h"

namespace mykafka {

namespace {

constexpr size_t kDamageFields = 5;  // src/native/native.ts: DAMAGE
constexpr size_t kMostDamages = 1000;

std::vector<uint8_t> OptionalBytes(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined()) return {};
  const Napi::Uint8Array bytes = BytesArgument(value, name);
  return {bytes.Data(), bytes.Data() + bytes.ByteLength()};
}

LogCheckOptions CheckOptions(const Napi::Value& path, const Napi::Object& object) {
  LogCheckOptions options;
  options.log_path = StringArgument(path, "path");
  options.base_offset = OffsetArgument(object.Get("baseOffset"), "baseOffset");
  const Napi::Value end_offset = object.Get("endOffset");
  const Napi::Value below = object.Get("below");
  const Napi::Value format = object.Get("recordFormat");
  if (!end_offset.IsUndefined()) options.end_offset = OffsetArgument(end_offset, "endOffset");
  if (!below.IsUndefined()) options.below = OffsetArgument(below, "below");
  options.sparse = BooleanArgument(object.Get("sparse"), "sparse");
  if (!format.IsUndefined()) {
    const bool kafka = StringArgument(format, "recordFormat") == "kafka";
    options.record_format = kafka ? RecordFormat::kKafka : RecordFormat::kMykafka;
  }
  options.index = OptionalBytes(object, "index");
  options.times = OptionalBytes(object, "timeIndex");
  return options;
}

Napi::Value DamagesOf(Napi::Env env, const LogCheck& check) {
  const size_t count = std::min(check.damages.size(), kMostDamages);
  Napi::Float64Array damages = Napi::Float64Array::New(env, count * kDamageFields);
  for (size_t i = 0; i < count; ++i) {
    double* fields = damages.Data() + i * kDamageFields;
    const Damage& where = check.damages[i].where;
    fields[0] = static_cast<double>(check.damages[i].kind);
    fields[1] = static_cast<double>(where.position);
    fields[2] = static_cast<double>(where.length);
    fields[3] = static_cast<double>(where.first_offset);
    fields[4] = static_cast<double>(where.next_offset);
  }
  return damages;
}

Napi::Value VerdictsOf(Napi::Env env, const std::vector<SlotVerdict>& verdicts) {
  Napi::Uint8Array bytes = Napi::Uint8Array::New(env, verdicts.size());
  std::transform(verdicts.begin(), verdicts.end(), bytes.Data(),
                 [](SlotVerdict verdict) { return static_cast<uint8_t>(verdict); });
  return bytes;
}

Napi::Value CheckLogFile(const Napi::CallbackInfo& info) {
  auto options = std::make_shared<LogCheckOptions>(CheckOptions(info[0], ObjectArgument(info[1], "options")));
  return RunAsync<LogCheck>(
      info.Env(), ThreadPool::Reads(), [options] { return CheckLog(*FileSystem::Posix(), *options); },
      [](Napi::Env env, LogCheck& check) -> Napi::Value {
        Napi::Object object = Napi::Object::New(env);
        object.Set("recordFormat", check.format == RecordFormat::kKafka ? "kafka" : "mykafka");
        object.Set("size", static_cast<double>(check.size));
        object.Set("checked", static_cast<double>(check.checked));
        object.Set("entries", static_cast<double>(check.entries));
        object.Set("records", static_cast<double>(check.records));
        object.Set("nextOffset", static_cast<double>(check.next_offset));
        object.Set("largestTimestamp", static_cast<double>(check.largest_timestamp));
        object.Set("damageCount", static_cast<double>(check.damages.size()));
        object.Set("damages", DamagesOf(env, check));
        object.Set("index", VerdictsOf(env, check.index));
        object.Set("timeIndex", VerdictsOf(env, check.times));
        object.Set("indexWidest", static_cast<double>(check.index_widest));
        object.Set("indexTail", static_cast<double>(check.index_tail));
        return object;
      });
}

}  // namespace

void DefineLogCheck(Napi::Env env, Napi::Object exports) {
  exports.Set("checkLogFile", Napi::Function::New(env, CheckLogFile, "checkLogFile"));
}

}  // namespace mykafka
