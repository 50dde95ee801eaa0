import type { Upstream } from '../catalog/catalog-snapshot.ts'
import { isObject, parseJson, stringAt } from '../wire/json.ts'
import { askModels } from './ask-models.ts'
import { limits } from './limits.ts'
import type { SendHttp } from './outgoing-http.ts'

const listBytesMax = 4 * 1024 * 1024
const decoder = new TextDecoder()

/** The models that an upstream says it has, by its own names; undefined when it does not tell. */
export async function listUpstreamModels(
  upstream: Upstream,
  send: SendHttp,
): Promise<readonly string[] | undefined> {
  if (upstream.needsCredential) return undefined
  try {
    const signal = AbortSignal.timeout(limits.testMs)
    const response = await askModels(upstream, upstream.credentials[0], send, signal)
    const bytes = await response.body.readWhole(listBytesMax)
    if (response.status !== 200 || !bytes) return undefined
    return readModelIds(parseJson(decoder.decode(bytes)))
  } catch {
    return undefined
  }
}

/** OpenAI and Anthropic list `data` by `id`, Google `models` by `name`. */
function readModelIds(value: unknown): string[] | undefined {
  if (!isObject(value)) return undefined
  const list: unknown = value['data'] ?? value['models']
  if (!Array.isArray(list)) return undefined
  return list.flatMap((each: unknown) => {
    if (!isObject(each)) return []
    const id = stringAt(each, 'id') ?? stringAt(each, 'name')?.replace(/^models\//, '')
    return id === undefined ? [] : [id]
  })
}
