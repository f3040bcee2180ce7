// Argument checks. Each throws a TypeError (RangeError for a number outside its bounds) that names the
// argument.
#ifndef MYKAFKA_BINDING_ARGUMENTS_H_
#define MYKAFKA_BINDING_ARGUMENTS_H_

#include <napi.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace mykafka {

constexpr double kMaxSafeInteger = 9007199254740991.0;

inline int64_t IntegerArgument(const Napi::Value& value, const char* name, double low, double high) {
  if (!value.IsNumber()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a number");
  double number = value.As<Napi::Number>().DoubleValue();
  if (!(number >= low && number <= high) || std::floor(number) != number) {
    throw Napi::RangeError::New(value.Env(), std::string(name) + " must be an integer from " +
                                                 std::to_string(static_cast<int64_t>(low)) + " to " +
                                                 std::to_string(static_cast<int64_t>(high)));
  }
  return static_cast<int64_t>(number);
}

// An offset, position or length.
inline int64_t OffsetArgument(const Napi::Value& value, const char* name) {
  return IntegerArgument(value, name, 0, kMaxSafeInteger);
}

inline int64_t SafeIntegerArgument(const Napi::Value& value, const char* name) {
  return IntegerArgument(value, name, -kMaxSafeInteger, kMaxSafeInteger);
}

inline bool BooleanArgument(const Napi::Value& value, const char* name) {
  if (!value.IsBoolean()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a boolean");
  return value.As<Napi::Boolean>().Value();
}

inline std::string StringArgument(const Napi::Value& value, const char* name) {
  if (!value.IsString()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.find('\0') != std::string::npos) {
    throw Napi::TypeError::New(value.Env(), std::string(name) + " must not contain a NUL");
  }
  return text;
}

inline Napi::Uint8Array BytesArgument(const Napi::Value& value, const char* name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a Buffer or Uint8Array");
  }
  return value.As<Napi::Uint8Array>();
}

inline Napi::Float64Array NumbersArgument(const Napi::Value& value, const char* name, size_t least) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array ||
      value.As<Napi::Float64Array>().ElementLength() < least) {
    throw Napi::TypeError::New(value.Env(),
                               std::string(name) + " must be a Float64Array of at least " + std::to_string(least));
  }
  return value.As<Napi::Float64Array>();
}

inline Napi::Function FunctionArgument(const Napi::Value& value, const char* name) {
  if (!value.IsFunction()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a function");
  return value.As<Napi::Function>();
}

inline Napi::Object ObjectArgument(const Napi::Value& value, const char* name) {
  if (!value.IsObject()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be an object");
  return value.As<Napi::Object>();
}

inline Napi::Array ArrayArgument(const Napi::Value& value, const char* name) {
  if (!value.IsArray()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be an array");
  return value.As<Napi::Array>();
}

// What a class of this addon is constructed from, by the addon alone.
template <typename T>
T& ConstructorArgument(const Napi::CallbackInfo& info, const char* how_made) {
  if (info.Length() != 1 || !info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), how_made);
  return *info[0].As<Napi::External<T>>().Data();
}

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_ARGUMENTS_H_
