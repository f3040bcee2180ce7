{
  # What node-gyp and prebuildify build: the sources and settings of CMakeLists.txt.
  'targets': [
    {
      'target_name': 'mykafka',
      'sources': ['<!@(node scripts/addon.cjs sources)'],
      'include_dirs': ['native', '<!(node -p "require(\'node-addon-api\').include_dir")'],
      'defines': [
        'NAPI_VERSION=8',
        'NAPI_CPP_EXCEPTIONS',
        'NODE_ADDON_API_CPP_EXCEPTIONS_ALL',
        'NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS',
        'MYKAFKA_SOURCE_STAMP="<!(node scripts/addon.cjs stamp)"',
      ],
      'cflags': ['-Wall', '-Wextra', '-fvisibility=hidden', '-fvisibility-inlines-hidden'],
      'cflags_cc!': ['-fno-exceptions', '-fno-rtti', '-std=gnu++17', '-std=gnu++20'],
      'cflags_cc': ['-std=c++17', '-fexceptions'],
      'conditions': [['OS=="linux"', {'ldflags': ['-Wl,-z,nodelete']}]],
      'xcode_settings': {
        'CLANG_CXX_LANGUAGE_STANDARD': 'c++17',
        'CLANG_CXX_LIBRARY': 'libc++',
        'GCC_ENABLE_CPP_EXCEPTIONS': 'YES',
        'GCC_ENABLE_CPP_RTTI': 'YES',
        'GCC_SYMBOLS_PRIVATE_EXTERN': 'YES',
        'MACOSX_DEPLOYMENT_TARGET': '11.0',
        'OTHER_CFLAGS': ['-Wall', '-Wextra'],
      },
      'configurations': {
        'Release': {
          'defines': ['NDEBUG'],
          'cflags': ['-O3'],
          'xcode_settings': {'GCC_OPTIMIZATION_LEVEL': '3'},
        },
      },
    },
  ],
}
