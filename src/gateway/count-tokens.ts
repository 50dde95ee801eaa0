import type { Fault } from '../core/fault.ts'
import type { AccountSlots } from '../core/runtime/account-slots.ts'
import { turns } from '../core/runtime/turns.ts'
import type { SendHttp } from '../http-out/outgoing-http.ts'
import { stopOn } from '../http-out/stop-switch.ts'
import { mayHoldSealed } from '../protocols/fit/seal-opaque.ts'
import { protocols } from '../protocols/index.ts'
import type { Counting, Protocol } from '../protocols/protocol.ts'
import type { JsonBody, RequestFacts } from '../protocols/request-facts.ts'
import type { Candidate } from '../routing/route-set.ts'
import { vendors } from '../vendors/index.ts'
import { protocolFor, type Vendor } from '../vendors/vendor.ts'
import { parseJson } from '../wire/json.ts'
import type { Caller } from './admit/authenticate.ts'
import type { Call, GatewayResponse } from './call.ts'
import { estimateInputTokens } from './charge/estimate-input.ts'
import { foreignFault } from './forward/foreign-fault.ts'
import type { ByteBlocks } from './forward/held-media.ts'
import { leanBody } from './forward/lean-body.ts'
import { type PrepareDeps, writeForUpstream } from './forward/prepare-request.ts'
import { traitsOf } from './forward/route-traits.ts'
import { searchSealed } from './forward/search-sealed.ts'
import { redactFault } from './forward/upstream-fault.ts'
import { limits } from './limits.ts'

export interface CountParams {
  readonly call: Call
  readonly caller: Caller
  readonly protocol: Protocol
  readonly counting: Counting
  readonly body: JsonBody
  readonly facts: RequestFacts
  readonly candidates: readonly Candidate[]
}

export interface CountDeps extends PrepareDeps {
  readonly send: SendHttp
  /** The header that marks an estimated count, which no upstream has made. */
  readonly countHeader: string
  readonly counts: AccountSlots
}

const decoder = new TextDecoder()

/** Counts the tokens of a prompt: by the upstream if it can count, otherwise by an estimate that is marked. */
export async function countTokens(params: CountParams, deps: CountDeps): Promise<GatewayResponse> {
  const { counting, body } = params
  const counted = await askUpstream(params, deps)
  const inputTokens = counted?.inputTokens ?? estimateInputTokens(body)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (counted === undefined) headers[deps.countHeader] = 'estimated'
  const text = counted?.text ?? JSON.stringify(counting.encodeCount(inputTokens))
  return { status: 200, headers, body: text }
}

interface Counted {
  readonly inputTokens: number
  /** The response body of an upstream with the client's protocol, unchanged: it may contain more than the sum. */
  readonly text: string | undefined
}

/** Undefined when the upstream cannot count, or not now. A count is optional, so an estimate replaces it. */
async function askUpstream(params: CountParams, deps: CountDeps): Promise<Counted | undefined> {
  const { id } = params.caller.account
  if (!deps.counts.begin(id)) return undefined
  try {
    return await askFirst(params, deps)
  } finally {
    deps.counts.end(id)
  }
}

async function askFirst(params: CountParams, deps: CountDeps): Promise<Counted | undefined> {
  const candidate = params.candidates[0]
  if (!candidate) return undefined
  const { upstream, upstreamModel } = candidate.route
  const vendor = vendors.get(upstream.vendor)
  const protocol = vendor && protocolFor(vendor, upstream.protocol, params.protocol.name)
  if (!vendor || protocol === undefined) return undefined
  const upstreamProtocol = protocols[protocol]
  const { baseUrl } = upstream
  const credential = candidate.credential?.value
  const destination = {
    baseUrl,
    protocol,
    credential,
    model: upstreamModel,
    operation: 'count' as const,
  }
  const url = vendor.url(destination)
  if (url === undefined || !upstreamProtocol.counting) return undefined
  const body = await writeCount(
    params,
    candidate,
    vendor,
    upstreamProtocol,
    upstreamProtocol.counting,
    deps,
  )
  const headers = { ...vendor.headers(destination), ...candidate.route.parameters?.headers }
  headers['content-type'] = 'application/json'
  headers['accept-encoding'] = 'identity'
  const stop = stopOn(AbortSignal.timeout(limits.countMs))
  const response = await deps
    .send({ url, headers: new Headers(headers), body, stop, connection: upstream.connection })
    .catch(() => undefined)
  if (!response) return undefined
  const bytes = await response.body.readWhole(limits.faultBytesMax).catch(() => undefined)
  const text = bytes ? decoder.decode(bytes) : ''
  if (response.status === 400) throw refusalOf(params, upstreamProtocol, text, candidate)
  if (response.status !== 200) return undefined
  const inputTokens = upstreamProtocol.counting.readCount(parseJson(text))
  if (inputTokens === undefined) return undefined
  return { inputTokens, text: upstreamProtocol.name === params.protocol.name ? text : undefined }
}

async function writeCount(
  params: CountParams,
  candidate: Candidate,
  vendor: Vendor,
  upstreamProtocol: Protocol,
  theirCounting: Counting,
  deps: CountDeps,
): Promise<string | ByteBlocks> {
  const { caller, protocol, counting, body, facts } = params
  const { route, model } = candidate
  const isLong = body.nodes !== undefined
  const written = (text: string) => (body.cuts ? body.cuts.fill(text) : text)
  if (upstreamProtocol.name === protocol.name) {
    const isSealed = isLong ? await searchSealed(body) : mayHoldSealed(body.text)
    const traits = traitsOf(route, vendor)
    const target = { model: route.upstreamModel, outputTokensMax: model.maxOutputTokens, traits }
    if (!isSealed) return written(counting.encodeForward(body, facts, target))
  }
  if (isLong) await turns.next()
  const request = counting.decodeCountRequest(leanBody(body), facts)
  const generating = await writeForUpstream(
    isLong,
    { request, protocol, keyId: caller.key.id },
    candidate,
    upstreamProtocol,
    vendor,
    deps,
  )
  if (isLong) await turns.next()
  return written(theirCounting.encodeCountRequest(generating.body, route.upstreamModel))
}

function refusalOf(
  { protocol }: CountParams,
  upstreamProtocol: Protocol,
  text: string,
  candidate: Candidate,
): Fault {
  const reported = upstreamProtocol.passThrough.readFault(400, text)
  const fault = redactFault(reported, candidate.credential?.value, candidate)
  return upstreamProtocol.name === protocol.name
    ? fault
    : foreignFault(fault, upstreamProtocol.name, protocol.name)
}
