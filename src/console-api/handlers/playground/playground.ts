import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import { type KeyListing, listKeys, newestFirst } from '../../../keys/key-list.ts'
import type { PlaygroundKey, PlaygroundModel, PlaygroundOptions } from '../../contract.ts'
import type { GatewayPorts } from '../../ports/gateway-ports.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { JsonAnswer, ReadyAnswer, SignedInCall } from '../../routes/route.ts'
import { needValue } from '../keys/change-keys.ts'
import { type CallableRoute, callableRoutes } from '../models/callable-models.ts'
import { describeFacts } from '../models/describe-facts.ts'
import { usableGroups } from '../models/usable-groups.ts'

const keysMax = 200
/** Request headers that every protocol may need. */
const carried = ['content-type', 'accept']

/** Keys for the playground with the models that each can call: the user's own, and service keys of owned accounts. */
export async function readPlaygroundOptions(
  call: SignedInCall,
): Promise<JsonAnswer<PlaygroundOptions>> {
  const { deps, scope } = call
  const { engine, gateway } = deps
  const nowMs = deps.clock.nowMs()
  const found = await listKeys(engine, {
    accountIds: scope.accountIds,
    own: scope.own,
    usableBy: call.session.userId,
    order: newestFirst,
    rowsMax: keysMax,
  })
  const keys = found.filter(
    (key) => key.isRunning && key.isEnabled && (key.expiresAt === null || key.expiresAt > nowMs),
  )
  const models = await engine.db.selectFrom('model').select(['id', 'display_name']).execute()
  const names = new Map(models.map((model) => [model.id, model.display_name]))
  const byAccount = new Map<string, readonly CallableRoute[]>()
  for (const accountId of new Set(keys.map((key) => key.accountId))) {
    const groups = await usableGroups(engine.db, [accountId], nowMs)
    const ids = groups.map((group) => group.id)
    byAccount.set(accountId, await callableRoutes(engine.db, ids, gateway.hasDemo))
  }
  return {
    body: {
      keys: keys.map((key): PlaygroundKey => {
        const routes = byAccount.get(key.accountId) ?? []
        const { id, name, accountId } = key
        return { id, name, accountId, models: modelsOf(call, key, routes, names) }
      }),
    },
  }
}

function modelsOf(
  { deps }: SignedInCall,
  key: KeyListing,
  routes: readonly CallableRoute[],
  names: ReadonlyMap<string, string>,
): PlaygroundModel[] {
  const own = routes.filter(
    ({ groupId, modelId }) =>
      key.groups.includes(groupId) && (key.models?.includes(modelId) ?? true),
  )
  return [...Map.groupBy(own, (route) => route.modelId)].map(([id, ofModel]) => ({
    id,
    displayName: names.get(id) ?? id,
    capabilities: describeFacts(deps.gateway, ofModel).capabilities,
  }))
}

/**
 * Runs a request in the gateway with this key from the visitor's address, charged and logged as usual. The value of the
 * key never reaches the page.
 */
export async function playAsKey(call: SignedInCall): Promise<ReadyAnswer> {
  const { deps, id, rest, url, request, context } = call
  // Checked after dot segments are resolved, as the gateway reads the path.
  const target = new URL(`http://gateway${rest}`)
  const roots = rootsOf(deps.gateway)
  if (!roots.some((root) => target.pathname.startsWith(`${root}/`))) {
    const listed = roots.join(' and ')
    throw new ApiRefusal('not_found', `The playground can only call paths under ${listed}.`)
  }
  const value = await needValue(deps.engine.db, deps, id)
  // The key may have been converted since the caller was checked: then this is the value of a service key.
  await call.recheck?.(deps.engine.db)
  const headers = new Headers({ authorization: `Bearer ${value}` })
  // Nothing of the session is passed on.
  const own = protocolNames.flatMap((protocol) => deps.gateway.clientPathsOf(protocol).headers)
  for (const name of [...carried, ...own]) {
    const text = request.headers.get(name)
    if (text !== null) headers.set(name, text)
  }
  for (const [name, text] of url.searchParams)
    if (name !== 'key') target.searchParams.set(name, text)
  const response = await deps.gateway.forward(
    new Request(target.href, {
      method: request.method,
      headers,
      signal: request.signal,
      ...(request.method === 'GET' || request.body === null ? {} : { body: request.body }),
    }),
    context.address,
    context.arrival,
  )
  return { response: new Response(response.body, response) }
}

/** The beginnings of the paths that clients of the protocols call: `/v1`, `/v1beta`. */
function rootsOf(gateway: GatewayPorts): string[] {
  const paths = protocolNames.map((protocol) => gateway.clientPathsOf(protocol).whole)
  return [...new Set(paths.map((path) => `/${path.split('/')[1]}`))]
}
