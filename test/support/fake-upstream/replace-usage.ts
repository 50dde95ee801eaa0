import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'

/** The demo's bytes with another usage, or without usage. */
export async function* replaceUsage(
  chunks: AsyncIterable<Uint8Array>,
  usage: object | undefined,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of chunks)
    yield encoder.encode(rewrite(new TextDecoder().decode(chunk), usage))
}

// The demo writes one event, or one whole JSON body, at a time.
function rewrite(text: string, usage: object | undefined): string {
  const [, before = '', payload = '', after = ''] =
    /^((?:event: .*\r?\n)?data: )?(.*?)(\r?\n\r?\n)?$/su.exec(text) ?? []
  const value = parseJson(payload)
  if (!isObject(value)) return text
  const edited = edit(value, usage)
  const isEmptied = Array.isArray(value['choices']) && value['choices'].length === 0
  if (isEmptied && usage === undefined) return ''
  return `${before}${JSON.stringify(edited)}${after}`
}

// Usage is at the top level or one level down, under the protocol's envelope name.
function edit(value: JsonObject, usage: object | undefined): JsonObject {
  const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    if (name === 'usage' || name === 'usageMetadata') {
      if (field === null) return [[name, field]]
      return usage === undefined ? [] : [[name, usage]]
    }
    const isEnvelope = (name === 'message' || name === 'response') && isObject(field)
    return [[name, isEnvelope ? edit(field, usage) : field]]
  })
  return Object.fromEntries(entries)
}
