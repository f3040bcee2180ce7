#include "binding/cleaner_binding.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "binding/addon_state.h"
#include "binding/arguments.h"
#include "binding/segment_binding.h"
#include "core/clean_writer.h"
#include "core/cleaner.h"

namespace mykafka {

namespace {

constexpr char kUnderWay[] = "another call of the cleaner is under way";

// A cleaner, and whether a call of it or of one of its writers is under way: the core takes one at a time.
struct Run {
  std::shared_ptr<Cleaner> cleaner;
  bool busy = false;
  bool released = false;

  // What another thread is changing is no answer.
  void CheckIdle(Napi::Env env) const {
    Status status = cleaner->CheckOpen();
    if (status.ok() && busy) status = Status(Code::kInvalidArgument, kUnderWay);
    if (!status.ok()) throw ToError(env, status);
  }

  // Once the cleaner is closed and at rest. Unmapping takes a while.
  void ReleaseIfClosed() {
    if (busy || released || cleaner->CheckOpen().ok()) return;
    released = true;
    ThreadPool::Cleaning().Submit([cleaner = cleaner] { cleaner->Release(); });
  }
};
using RunPointer = std::shared_ptr<Run>;

// As RunAsyncAndRelease, refused while another call of the run is under way.
template <typename T>
Napi::Promise RunAlone(Napi::Env env, const RunPointer& run, Napi::Value kept, std::function<Result<T>()> work,
                       std::function<Napi::Value(Napi::Env, T&)> finish) {
  if (run->busy) {
    auto refused = Napi::Promise::Deferred::New(env);
    refused.Reject(ToError(env, Status(Code::kInvalidArgument, kUnderWay)).Value());
    return refused.Promise();
  }
  run->busy = true;
  Napi::Object held = Napi::Object::New(env);
  held.Set("value", kept);
  using Outcome = Result<T>;
  return RunAsyncAndRelease<Outcome>(
      env, ThreadPool::Cleaning(), AddonState::Of(env).kept.Keep(held),
      [work = std::move(work)]() -> Result<Outcome> { return Result<Outcome>(Answer<T>(work)); },
      [run, finish = std::move(finish)](Napi::Env env, Outcome& outcome, Napi::Object) -> Napi::Value {
        run->busy = false;
        run->ReleaseIfClosed();
        if (!outcome.ok()) throw ToError(env, outcome.status());
        return finish(env, outcome.value());
      });
}

// Buffers of an array, with a copy of the array that keeps them.
struct Views {
  std::vector<BytesView> bytes;
  Napi::Array kept;
};

Views ViewsArgument(const Napi::Value& value, const char* name) {
  Napi::Array array = ArrayArgument(value, name);
  Views views;
  views.kept = Napi::Array::New(value.Env());
  for (uint32_t i = 0; i < array.Length(); ++i) {
    Napi::Uint8Array each = BytesArgument(array.Get(i), name);
    views.kept.Set(i, each);
    views.bytes.push_back({each.Data(), each.ByteLength()});
  }
  return views;
}

Napi::Value ToUint32Array(Napi::Env env, const std::vector<uint32_t>& numbers) {
  Napi::Uint32Array array = Napi::Uint32Array::New(env, numbers.size());
  std::copy(numbers.begin(), numbers.end(), array.Data());
  return array;
}

// Node's buffer over the bytes as they are, where they are many.
Napi::Value ToBuffer(Napi::Env env, std::vector<uint8_t>&& bytes) {
  auto* owned = new std::vector<uint8_t>(std::move(bytes));
  return Napi::Buffer<uint8_t>::NewOrCopy(env, owned->data(), owned->size(),
                                          [owned](Napi::Env, uint8_t*) { delete owned; });
}

Napi::Value RunObject(Napi::Env env, const std::shared_ptr<const HandedOut>& run) {
  if (run == nullptr) return env.Null();
  // The core reads these bytes too.
  auto* shared = new std::shared_ptr<const HandedOut>(run);
  Napi::Object object = Napi::Object::New(env);
  object.Set("bytes", Napi::Buffer<uint8_t>::NewOrCopy(env, const_cast<uint8_t*>(run->bytes.data()), run->bytes.size(),
                                                       [shared](Napi::Env, uint8_t*) { delete shared; }));
  object.Set("compressed", ToUint32Array(env, run->compressed));
  return object;
}

Napi::Value StepObject(Napi::Env env, CleanStep& step) {
  static const char* const kStops[] = {"end", "full", "budget", "compressed"};
  Napi::Object object = Napi::Object::New(env);
  object.Set("nextOffset", static_cast<double>(step.next_offset));
  object.Set("stop", kStops[static_cast<size_t>(step.stop)]);
  object.Set("run", RunObject(env, step.run));
  object.Set("bytesRead", static_cast<double>(step.bytes_read));
  object.Set("bytesWritten", static_cast<double>(step.bytes_written));
  return object;
}

class NativeCleanWriter final : public Napi::ObjectWrap<NativeCleanWriter> {
 public:
  struct Parts {
    RunPointer run;
    std::shared_ptr<CleanWriter> writer;
  };

  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "NativeCleanWriter",
                       {
                           InstanceMethod<&NativeCleanWriter::Copy>("copy"),
                           InstanceMethod<&NativeCleanWriter::Filter>("filter"),
                           InstanceMethod<&NativeCleanWriter::Append>("append"),
                           InstanceMethod<&NativeCleanWriter::Changes>("changes"),
                           InstanceMethod<&NativeCleanWriter::Finish>("finish"),
                           InstanceMethod<&NativeCleanWriter::Abort>("abort"),
                       });
  }

  static Napi::Object Wrap(Napi::Env env, Parts parts) {
    auto external = Napi::External<Parts>::New(env, &parts);
    Napi::Object object = AddonState::Of(env).clean_writer_class.New({external});
    auto log_path = Napi::String::New(env, parts.writer->log_path());
    auto index_path = Napi::String::New(env, parts.writer->index_path());
    object.DefineProperties({Napi::PropertyDescriptor::Value("logPath", log_path, napi_enumerable),
                             Napi::PropertyDescriptor::Value("indexPath", index_path, napi_enumerable)});
    return object;
  }

  explicit NativeCleanWriter(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeCleanWriter>(info) {
    const Parts& parts = ConstructorArgument<Parts>(info, "writers are made by openWriter");
    run_ = parts.run;
    writer_ = parts.writer;
  }

 private:
  Napi::Value Copy(const Napi::CallbackInfo& info) {
    std::shared_ptr<Segment> segment = SegmentOf(info.Env(), info[0]);
    const int64_t from_offset = OffsetArgument(info[1], "fromOffset");
    const int64_t drop_below = OffsetArgument(info[2], "dropTombstonesBelow");
    const int64_t budget = IntegerArgument(info[3], "budgetBytes", 1, kMaxSafeInteger);
    return RunAlone<CleanStep>(
        info.Env(), run_, info.Env().Null(),
        [writer = writer_, segment, from_offset, drop_below, budget] {
          return writer->Copy(segment, from_offset, drop_below, budget);
        },
        StepObject);
  }

  Napi::Value Filter(const Napi::CallbackInfo& info) {
    Views records = ViewsArgument(info[0], "records");
    return RunAlone<FilteredRecords>(
        info.Env(), run_, records.kept,
        [writer = writer_, bytes = std::move(records.bytes)] { return writer->Filter(bytes); },
        [](Napi::Env env, FilteredRecords& left) -> Napi::Value {
          Napi::Object object = Napi::Object::New(env);
          object.Set("lengths", ToUint32Array(env, left.lengths));
          object.Set("records", ToBuffer(env, std::move(left.records)));
          object.Set("bytesWritten", static_cast<double>(left.bytes_written));
          return object;
        });
  }

  Napi::Value Append(const Napi::CallbackInfo& info) {
    Views compressed = ViewsArgument(info[0], "compressed");
    Napi::Uint8Array codecs = BytesArgument(info[1], "codecs");
    if (codecs.ElementLength() != compressed.bytes.size()) {
      throw Napi::RangeError::New(info.Env(), "codecs must have one for each of compressed");
    }
    std::vector<CompressedRecords> records;
    for (const BytesView& bytes : compressed.bytes) {
      records.push_back({bytes, static_cast<int>(codecs[records.size()]) & kCodecMask});
    }
    return RunAlone<int64_t>(
        info.Env(), run_, compressed.kept,
        [writer = writer_, records = std::move(records)] { return writer->Append(records); },
        [](Napi::Env env, int64_t& written) -> Napi::Value {
          return Napi::Number::New(env, static_cast<double>(written));
        });
  }

  Napi::Value Changes(const Napi::CallbackInfo& info) {
    run_->CheckIdle(info.Env());
    return Napi::Number::New(info.Env(), static_cast<double>(writer_->changes()));
  }

  Napi::Value Finish(const Napi::CallbackInfo& info) {
    return RunAlone<Cleaned>(
        info.Env(), run_, info.Env().Null(), [writer = writer_] { return writer->Finish(); },
        [](Napi::Env env, Cleaned& cleaned) -> Napi::Value {
          Napi::Object object = Napi::Object::New(env);
          object.Set("bytes", static_cast<double>(cleaned.bytes));
          object.Set("entries", static_cast<double>(cleaned.entries));
          object.Set("largestTimestamp", static_cast<double>(cleaned.largest_timestamp));
          object.Set("recordsRead", static_cast<double>(cleaned.counts.records_read));
          object.Set("recordsKept", static_cast<double>(cleaned.counts.records_kept));
          object.Set("tombstones", static_cast<double>(cleaned.counts.tombstones));
          return object;
        });
  }

  Napi::Value Abort(const Napi::CallbackInfo& info) {
    return RunAlone<bool>(
        info.Env(), run_, info.Env().Null(),
        [writer = writer_]() -> Result<bool> {
          Status status = writer->Abort();
          if (!status.ok()) return status;
          return true;
        },
        [](Napi::Env env, bool&) -> Napi::Value { return env.Undefined(); });
  }

  RunPointer run_;
  std::shared_ptr<CleanWriter> writer_;
};

CleanWriterOptions ReadWriterOptions(const Napi::Value& value) {
  Napi::Object object = ObjectArgument(value, "options");
  CleanWriterOptions options;
  options.file_system = FileSystem::Posix();
  options.directory = StringArgument(object.Get("directory"), "directory");
  options.base_offset = OffsetArgument(object.Get("baseOffset"), "baseOffset");
  options.end_offset = OffsetArgument(object.Get("endOffset"), "endOffset");
  options.index_interval_bytes =
      static_cast<uint32_t>(IntegerArgument(object.Get("indexIntervalBytes"), "indexIntervalBytes", 0, INT32_MAX));
  options.now = SafeIntegerArgument(object.Get("nowMs"), "nowMs");
  options.delete_horizon = SafeIntegerArgument(object.Get("deleteHorizonMs"), "deleteHorizonMs");
  Napi::Float64Array offsets = NumbersArgument(object.Get("keepEmpty"), "keepEmpty", 0);
  for (size_t i = 0; i < offsets.ElementLength(); ++i) {
    options.keep_empty.push_back(
        SafeIntegerArgument(Napi::Number::New(value.Env(), offsets[i]), "an offset of keepEmpty"));
  }
  return options;
}

class NativeCleaner final : public Napi::ObjectWrap<NativeCleaner> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "NativeCleaner",
                       {
                           InstanceMethod<&NativeCleaner::Index>("index"),
                           InstanceMethod<&NativeCleaner::IndexRecords>("indexRecords"),
                           InstanceMethod<&NativeCleaner::IndexedTo>("indexedTo"),
                           InstanceMethod<&NativeCleaner::Keys>("keys"),
                           InstanceMethod<&NativeCleaner::OpenWriter>("openWriter"),
                           InstanceMethod<&NativeCleaner::Close>("close"),
                       });
  }

  static Napi::Object Wrap(Napi::Env env, RunPointer run) {
    auto external = Napi::External<RunPointer>::New(env, &run);
    return AddonState::Of(env).cleaner_class.New({external});
  }

  explicit NativeCleaner(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeCleaner>(info) {
    run_ = ConstructorArgument<RunPointer>(info, "cleaners are made by createCleaner");
  }

 private:
  Napi::Value Index(const Napi::CallbackInfo& info) {
    std::shared_ptr<Segment> segment = SegmentOf(info.Env(), info[0]);
    const int64_t from_offset = OffsetArgument(info[1], "fromOffset");
    const int64_t to_offset = OffsetArgument(info[2], "toOffset");
    const int64_t budget = IntegerArgument(info[3], "budgetBytes", 1, kMaxSafeInteger);
    return RunAlone<CleanStep>(
        info.Env(), run_, info.Env().Null(),
        [cleaner = run_->cleaner, segment, from_offset, to_offset, budget] {
          return cleaner->Index(segment, from_offset, to_offset, budget);
        },
        StepObject);
  }

  Napi::Value IndexRecords(const Napi::CallbackInfo& info) {
    Views records = ViewsArgument(info[0], "records");
    return RunAlone<CleanStep>(
        info.Env(), run_, records.kept,
        [cleaner = run_->cleaner, bytes = std::move(records.bytes)] { return cleaner->IndexRecords(bytes); },
        StepObject);
  }

  Napi::Value IndexedTo(const Napi::CallbackInfo& info) {
    run_->CheckIdle(info.Env());
    return Napi::Number::New(info.Env(), static_cast<double>(run_->cleaner->indexed_to()));
  }

  Napi::Value Keys(const Napi::CallbackInfo& info) {
    run_->CheckIdle(info.Env());
    return Napi::Number::New(info.Env(), static_cast<double>(run_->cleaner->map().size()));
  }

  Napi::Value OpenWriter(const Napi::CallbackInfo& info) {
    using Writer = std::shared_ptr<CleanWriter>;
    return RunAlone<Writer>(
        info.Env(), run_, info.Env().Null(),
        [cleaner = run_->cleaner, options = ReadWriterOptions(info[0])] {
          return CleanWriter::Create(cleaner, options);
        },
        [run = run_](Napi::Env env, Writer& writer) -> Napi::Value {
          return NativeCleanWriter::Wrap(env, {run, writer});
        });
  }

  void Close(const Napi::CallbackInfo&) {
    run_->cleaner->Close();
    run_->ReleaseIfClosed();
  }

  RunPointer run_;
};

Napi::Value CreateCleaner(const Napi::CallbackInfo& info) {
  Napi::Object options = ObjectArgument(info[0], "options");
  const RecordFormat format = FormatArgument(options.Get("recordFormat"), "recordFormat");
  const auto map_bytes =
      static_cast<size_t>(IntegerArgument(options.Get("bufferBytes"), "bufferBytes", 1024, kMaxSafeInteger));
  const Napi::Value load_factor = options.Get("loadFactor");
  const double part = load_factor.IsNumber() ? load_factor.As<Napi::Number>().DoubleValue() : 0;
  if (!(part > 0 && part <= 1)) throw Napi::RangeError::New(info.Env(), "loadFactor must be above 0 and at most 1");
  const auto run_bytes = static_cast<size_t>(IntegerArgument(options.Get("runBytes"), "runBytes", 0, INT32_MAX));
  auto run = std::make_shared<Run>();
  run->cleaner = std::make_shared<Cleaner>(format, map_bytes, part, run_bytes);
  return NativeCleaner::Wrap(info.Env(), run);
}

}  // namespace

void DefineCleaner(Napi::Env env, Napi::Object exports) {
  AddonState::Of(env).cleaner_class = Napi::Persistent(NativeCleaner::Define(env));
  AddonState::Of(env).clean_writer_class = Napi::Persistent(NativeCleanWriter::Define(env));
  exports.Set("createCleaner", Napi::Function::New(env, CreateCleaner, "createCleaner"));
}

}  // namespace mykafka
