import type { Credential, Upstream } from '../../catalog/catalog-snapshot.ts'
import type { ModelRequest } from '../../core/neutral/model-request.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { ParameterPolicy } from '../../core/upstreams/parameter-policy.ts'
import type { Outgoing } from '../../http-out/outgoing-http.ts'
import { stopOn } from '../../http-out/stop-switch.ts'
import { protocols } from '../../protocols/index.ts'
import { Notes } from '../../protocols/notes.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import { writeJson } from '../../wire/exact-json.ts'
import { applyParameters } from '../forward/apply-parameters.ts'

/** A request of a few words to one model at one upstream. */
export interface SmallRequestParams {
  readonly upstream: Upstream
  readonly vendor: Vendor
  readonly credential: Credential | undefined
  readonly protocol: ProtocolName
  readonly upstreamModel: string
  readonly parameters: ParameterPolicy | undefined
  readonly outputTokensMax: number
}

/** The request as sent for a client, with the route's parameters applied; undefined if the vendor has no URL for it. */
export function smallRequest(
  params: SmallRequestParams,
  signal: AbortSignal,
): Outgoing | undefined {
  const { upstream, vendor, credential, protocol, upstreamModel, parameters } = params
  const { baseUrl, connection, timeouts } = upstream
  const destination = {
    baseUrl,
    protocol,
    credential: credential?.value,
    model: upstreamModel,
    operation: 'generate' as const,
  }
  const url = vendor.url(destination)
  if (url === undefined) return undefined
  const { translation } = protocols[protocol]
  const target = {
    model: upstreamModel,
    issuer: vendor.issuer(upstreamModel, baseUrl),
    traits: vendor.traits(upstreamModel, baseUrl),
    outputTokensMax: params.outputTokensMax,
  }
  const notes = new Notes(translation.fieldNames, false)
  const written = writeJson(translation.encodeRequest(askOf(params), target, notes))
  return {
    url,
    headers: new Headers({
      ...vendor.headers(destination),
      ...parameters?.headers,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    }),
    body: parameters ? applyParameters(written, parameters, protocol).body : written,
    stop: stopOn(signal),
    connection,
    connectMs: timeouts.connectMs,
  }
}

function askOf({ upstreamModel, outputTokensMax }: SmallRequestParams): ModelRequest {
  return {
    model: upstreamModel,
    isStream: false,
    system: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Say "hello" and nothing else.' }] }],
    tools: [],
    toolChoice: undefined,
    parallelCalls: undefined,
    outputTokensMax,
    sampling: {},
    answers: 1,
    format: undefined,
    reasoning: undefined,
    logprobs: undefined,
    verbosity: undefined,
    endUser: undefined,
    cacheKey: undefined,
    serviceTier: undefined,
    metadata: undefined,
    cacheMark: undefined,
    extras: {},
  }
}
