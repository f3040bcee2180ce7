import { emitReaders } from './emit-read.js'
import { emitInterface } from './emit-types.js'
import { emitWriters } from './emit-write.js'
import { type ApiModel, type StructModel, structsOf } from './model.js'

/** The codec of an API: types, functions, and the object that gathers them. Not formatted. */
export function emitApi(api: ApiModel, source: string): string {
  const { request, response } = api
  const body = [
    ...[request, response].flatMap((root) => structsOf(root).reverse().map(emitInterface)),
    emitObject(api),
    ...[request, response].flatMap((root) => [emitReaders(api, root), emitWriters(api, root)]),
  ].join('\n\n')
  const writer = ['KafkaWriter', 'nonNull', 'Records'].filter((name) => new RegExp(`\\b${name}\\b`).test(body))
  const names = writer.map((name) => (name === 'nonNull' ? name : `type ${name}`))
  return [
    `// Made by scripts/generate-kafka-codecs.ts from ${source}. Do not edit.`,
    "import type { KafkaApi } from '../kafka-api.js'",
    "import type { KafkaReader } from '../kafka-reader.js'",
    `import { ${names.join(', ')} } from '../kafka-writer.js'`,
    body.includes('ZERO_UUID') ? "import { ZERO_UUID } from '../uuid.js'" : '',
    '',
    body,
    '',
  ].join('\n')
}

function emitObject(api: ApiModel): string {
  const { request, response, name, versions } = api
  const flexibleFrom = api.flexibleFrom === Number.POSITIVE_INFINITY ? 'Number.POSITIVE_INFINITY' : api.flexibleFrom
  const decode = (root: StructModel) => `(reader, version) {
    const ${root.direction} = read${root.name}(reader, version)
    reader.endMessage('${root.direction}', '${name}', version)
    return ${root.direction}
  }`
  return `/** ${name}, versions ${versions.from} to ${versions.to}. */
  export const ${name.charAt(0).toLowerCase()}${name.slice(1)}Api: KafkaApi<${request.name}, ${response.name}> = {
    key: ${api.key},
    name: '${name}',
    versions: [${versions.from}, ${versions.to}],
    flexibleFrom: ${flexibleFrom},
    decodeRequest${decode(request)},
    encodeRequest: write${request.name},
    decodeResponse${decode(response)},
    encodeResponse: write${response.name},
  }`
}
