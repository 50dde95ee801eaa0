import type { CatalogSnapshot, Credential, Upstream } from '../catalog/catalog-snapshot.ts'
import type { StoredResponse } from '../conversations/response-store.ts'
import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/neutral/protocol-name.ts'
import type { SendHttp } from '../http-out/outgoing-http.ts'
import type { UpstreamResponse } from '../http-out/reply.ts'
import { stopOn } from '../http-out/stop-switch.ts'
import type { EndpointKind, StoredAction } from '../protocols/client-calls.ts'
import { protocols } from '../protocols/index.ts'
import { vendors } from '../vendors/index.ts'
import type { Caller } from './admit/authenticate.ts'
import type { GatewayResponse } from './call.ts'
import type { ForwardDeps } from './charge/settle.ts'
import { limits } from './limits.ts'

export type StoredEndpoint = Extract<EndpointKind, { kind: 'stored' }>

/** Reads or deletes a stored response of the calling key, free of charge. */
export async function answerStored(
  { protocol, id, action }: StoredEndpoint,
  caller: Caller,
  catalog: CatalogSnapshot,
  deps: Pick<ForwardDeps, 'responses' | 'send'>,
): Promise<GatewayResponse> {
  const stored = await deps.responses.find(caller.key.id, id)
  if (!stored) throw notFound(id)
  const answer = stored.content
    ? answerOwn(protocol, stored, stored.content, action)
    : await askUpstream(protocol, stored, action, catalog, deps.send)
  if (action === 'delete' && answer.status === 200) await deps.responses.remove(caller.key.id, id)
  return answer
}

function answerOwn(
  protocol: ProtocolName,
  { id }: StoredResponse,
  content: NonNullable<StoredResponse['content']>,
  action: StoredAction,
): GatewayResponse {
  switch (action) {
    case 'get':
      return json(200, content.response)
    case 'delete':
      return json(200, JSON.stringify({ id, object: 'response', deleted: true }))
    case 'input-items': {
      const list = protocols[protocol].continuing?.encodeInputItems(content.items, content.response)
      return json(200, JSON.stringify(list ?? {}))
    }
    case 'cancel':
      throw new Fault(
        'invalid_request',
        'Only responses that run in the background can be cancelled.',
      )
  }
}

const signalMs = 30_000
const paths: Readonly<Record<StoredAction, string>> = {
  get: '',
  delete: '',
  'input-items': '/input_items',
  cancel: '/cancel',
}

/** Statuses of an upstream account that did not make the response: unknown, or not allowed to read it. */
const otherAccountStatuses: readonly number[] = [401, 403, 404]

/**
 * The upstream stores the response, and only the account that made it can read it. So the credential that made it is
 * used first, then the upstream's other credentials.
 */
async function askUpstream(
  protocol: ProtocolName,
  stored: StoredResponse,
  action: StoredAction,
  catalog: CatalogSnapshot,
  send: SendHttp,
): Promise<GatewayResponse> {
  const upstream = findUpstream(catalog, stored)
  if (!upstream || upstream.needsCredential) throw notFound(stored.id)
  const [first, ...others] = byLikelihood(upstream, stored)
  let response = await askWith(protocol, upstream, first, stored, action, send)
  for (const credential of others) {
    if (!otherAccountStatuses.includes(response.status)) break
    response.body.cancel()
    response = await askWith(protocol, upstream, credential, stored, action, send)
  }
  if (response.status === 404) throw notFound(stored.id)
  const bytes = await response.body.readWhole(limits.replyBytesMax)
  if (response.status !== 200 || !bytes) {
    throw new Fault(
      'upstream_error',
      'The upstream that stores this response did not return it. Try again.',
      {
        operatorMessage: `upstream ${upstream.id} answered ${response.status}`,
      },
    )
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bytes }
}

function byLikelihood({ credentials }: Upstream, { credentialName }: StoredResponse): Credential[] {
  const isCreator = ({ name }: Credential) => name === credentialName
  return credentials.toSorted((left, right) => Number(isCreator(right)) - Number(isCreator(left)))
}

async function askWith(
  protocol: ProtocolName,
  upstream: Upstream,
  credential: Credential | undefined,
  stored: StoredResponse,
  action: StoredAction,
  send: SendHttp,
): Promise<UpstreamResponse> {
  const vendor = vendors.get(upstream.vendor)
  if (!vendor) throw notFound(stored.id)
  const destination = {
    baseUrl: upstream.baseUrl,
    protocol,
    credential: credential?.value,
    model: stored.model,
    operation: 'generate' as const,
  }
  const [base = '', query] = (vendor.url(destination) ?? '').split('?')
  const url = `${base}/${encodeURIComponent(stored.id)}${paths[action]}`
  return send({
    method: action === 'delete' ? 'DELETE' : action === 'cancel' ? 'POST' : 'GET',
    url: query === undefined ? url : `${url}?${query}`,
    headers: new Headers({ ...vendor.headers(destination), 'accept-encoding': 'identity' }),
    body: undefined,
    stop: stopOn(AbortSignal.timeout(signalMs)),
    connection: upstream.connection,
  }).catch((cause: unknown) => {
    throw new Fault(
      'upstream_error',
      'The upstream that stores this response did not respond. Try again.',
      {
        operatorMessage: `upstream ${upstream.id}: ${String(cause)}`,
        cause,
      },
    )
  })
}

function findUpstream(catalog: CatalogSnapshot, stored: StoredResponse): Upstream | undefined {
  for (const byModel of catalog.routes.values()) {
    for (const route of byModel.get(stored.model) ?? []) {
      if (route.upstream.id === stored.upstreamId) return route.upstream
    }
  }
  return undefined
}

function json(status: number, body: string): GatewayResponse {
  return { status, headers: { 'content-type': 'application/json' }, body }
}

function notFound(id: string): Fault {
  return new Fault(
    'not_found',
    `There is no response "${id.slice(0, 100)}" of this API key, or it was not stored, or it has expired.`,
    { param: 'response_id' },
  )
}
