import type { Upstream } from '../../catalog/catalog-snapshot.ts'
import { defaultProtocol } from '../../core/neutral/protocol-name.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import { protocols } from '../../protocols/index.ts'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'
import { needsCredential, problemOf, type UpstreamProblem } from '../forward/upstream-problem.ts'
import { limits } from '../limits.ts'
import { protocolOf, requestModels } from './request-models.ts'

const listBytesMax = 4 * 1024 * 1024
/** The upstream rejects the credential. */
const refusals: ReadonlySet<number> = new Set([401, 403])
const decoder = new TextDecoder()

export interface UpstreamListing {
  /** The upstream's own names; undefined when it does not list its models. */
  readonly models: readonly string[] | undefined
  /** Why the upstream cannot be used as it is; undefined when it only does not list its models. */
  readonly problem: UpstreamProblem | undefined
}

/** The models that an upstream lists, or the problem. */
export async function listUpstreamModels(
  upstream: Upstream,
  send: SendHttp,
): Promise<UpstreamListing> {
  if (upstream.needsCredential) return { models: undefined, problem: needsCredential }
  const credential = upstream.credentials[0]
  try {
    const signal = AbortSignal.timeout(limits.testMs)
    const { status, body } = await requestModels(upstream, credential, send, signal)
    const bytes = await body.readWhole(listBytesMax)
    const text = bytes ? decoder.decode(bytes) : ''
    if (refusals.has(status)) {
      const { passThrough } = protocols[protocolOf(upstream) ?? defaultProtocol]
      const fault = passThrough.readFault(status, text)
      return {
        models: undefined,
        problem: problemOf(fault, { status, credential: credential?.value }),
      }
    }
    const models = status === 200 ? readModelIds(text) : undefined
    return { models, problem: undefined }
  } catch (error) {
    const problem = problemOf(error, { status: undefined, credential: credential?.value })
    return { models: undefined, problem }
  }
}

/** OpenAI and Anthropic list `data` by `id`, Google lists `models` by `name`. */
function readModelIds(text: string): string[] | undefined {
  const value = readObject(text)
  const list: unknown = value?.['data'] ?? value?.['models']
  if (!Array.isArray(list)) return undefined
  return list.flatMap((each: unknown) => {
    if (!isObject(each)) return []
    const id = stringAt(each, 'id') ?? stringAt(each, 'name')?.replace(/^models\//, '')
    return id === undefined ? [] : [id]
  })
}

function readObject(text: string) {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
